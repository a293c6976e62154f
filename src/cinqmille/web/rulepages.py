"""Rule sheets to read, to print, to share, to keep, and their odds."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from cinqmille import sheet as rule_pages
from cinqmille.errors import CinqMilleError
from cinqmille.rules import PRESETS, Rules, Sheet
from cinqmille.web import own
from cinqmille.web.bodies import form
from cinqmille.web.charts import Bars, bars
from cinqmille.web.figures import Bin, Figures, figures, known
from cinqmille.web.newgame import presets
from cinqmille.web.render import is_part, render, words_of
from cinqmille.web.setup import plainly
from cinqmille.web.tables import Tables
from cinqmille.words import Words

router = APIRouter()

_LONGEST_FILE = 100_000


@router.get("/rules")
async def sheets(request: Request) -> Response:
    """All rule sheets: one's own, and those of the package; a file may be opened."""
    return await _sheets(request)


@router.get("/rules/{text:path}")
async def rules(request: Request, text: str) -> Response:
    """The rules of a sheet in sentences, to read or to print."""
    words = words_of(request)
    sheet = await _sheet(request, text)
    settled = rule_pages.decisions(sheet.rules, words)
    return render(
        request, "rules.html", sheet=rule_pages.page(sheet, words), rules=sheet.rules, settled=settled,
        title=_own_title(sheet),
    )  # fmt: skip


@router.get("/odds/{text:path}")
async def odds(request: Request, text: str) -> Response:
    """The odds of a sheet; a page that waits comes first where they are still to be computed."""
    words = words_of(request)
    sheet = await _sheet(request, text)
    found = known(sheet.rules)
    if found is None and (is_part(request) or "now" in request.query_params):
        found = await run_in_threadpool(figures, sheet.rules)
    shown = None if found is None else _shown(found, words)
    template = "_odds.html" if is_part(request) else "odds.html"
    title = rule_pages.page(sheet, words).title
    return render(
        request, template, figures=found, charts=shown, rules=sheet.rules, title=title, presets=presets(request),
        own=await own.sheets(_tables(request).store, request.state.device), address=quote(sheet.rules.canonical),
    )  # fmt: skip


@router.get("/odds")
async def choose_odds(request: Request) -> Response:
    """The odds of the sheet that was chosen."""
    return RedirectResponse(f"/odds/{quote(request.query_params.get('rules', 'cinq-des'))}", status_code=303)


@router.get("/sheet.toml")
async def download(request: Request) -> Response:
    """A rule sheet as a file that can be changed and opened again."""
    words = words_of(request)
    title = own.clean(request.query_params.get("title", ""))
    try:
        rules = Rules.parse(request.query_params.get("rules", ""))
    except CinqMilleError as error:
        raise HTTPException(422, plainly(error, words)) from None
    text = rules.to_toml(title or own.known_as(rules, words), words.say)
    plain = unicodedata.normalize("NFKD", title or rules.base).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "rules"
    headers = {"Content-Disposition": f'attachment; filename="{name}.toml"'}
    return PlainTextResponse(text, media_type="application/toml; charset=utf-8", headers=headers)


@router.post("/sheets/open")
async def upload(request: Request) -> Response:
    """Open the file of a rule sheet, or its text, and keep it under its title."""
    words, fields = words_of(request), dict(await form(request))
    text = fields.get("file", "").strip() or fields.get("text", "")
    file = words.say("The rule sheet")
    try:
        sheet = Sheet.from_toml(text[:_LONGEST_FILE], name=file)
        titles = {lang: own.clean(str(title)) for lang, title in sheet.title.items()}
    except CinqMilleError as error:
        return await _sheets(request, plainly(error, words), text)
    title = titles.get(words.lang) or next(iter(titles.values()), "") or own.known_as(sheet.rules, words)
    kept = await own.save(_tables(request).store, request.state.device, title, sheet.rules)
    return RedirectResponse(f"/rules/{kept.key}", status_code=303)


@router.post("/sheets/{key}/rename")
async def rename(request: Request, key: str) -> Response:
    """Give a rule sheet of one's own another title."""
    store, device = _tables(request).store, request.state.device
    title = own.clean(dict(await form(request)).get("title", ""))
    one = await _own(request, key)
    if not title:
        return await _sheets(request, words_of(request).say("Give the sheet a name first."))
    if any(sheet.title == title and sheet.key != key for sheet in await own.sheets(store, device)):
        return await _sheets(request, words_of(request).say("There is a sheet “{title}” already.", title=title))
    await own.save(store, device, title, one.rules, key)
    return RedirectResponse("/rules", status_code=303)


@router.get("/sheets/{key}/delete")
async def ask_to_drop(request: Request, key: str) -> Response:
    """Ask whether a rule sheet is to be deleted."""
    one, say = await _own(request, key), words_of(request).say
    return render(
        request, "sure.html", question=say("Delete the rule sheet “{title}”?", title=one.title), details=(),
        action=f"/sheets/{key}/delete", back="/rules", told=say("This cannot be taken back."), act=say("Delete"),
    )  # fmt: skip


@router.post("/sheets/{key}/delete")
async def drop(request: Request, key: str) -> Response:
    """Delete a rule sheet of one's own."""
    await own.drop(_tables(request).store, request.state.device, key)
    return RedirectResponse("/rules", status_code=303)


async def _sheets(request: Request, refusal: str = "", text: str = "") -> Response:
    words = words_of(request)
    listed = [(name, title, rule_pages.in_short(PRESETS[name], words)) for name, title in presets(request)]
    mine = await own.sheets(_tables(request).store, request.state.device)
    return render(
        request, "sheets.html", status=422 if refusal else 200, listed=listed, refusal=refusal, text=text,
        own=[(sheet, rule_pages.in_short(sheet.rules, words)) for sheet in mine], longest=own.LONGEST_TITLE,
    )  # fmt: skip


async def _own(request: Request, key: str) -> own.Own:
    for one in await own.sheets(_tables(request).store, request.state.device):
        if one.key == key:
            return one
    raise HTTPException(404, words_of(request).say("There is no such rule sheet on this device."))


async def _sheet(request: Request, text: str) -> Sheet:
    """The sheet of an address: a preset, a canonical string, or one's own by its key; never a file of the server."""
    words = words_of(request)
    for one in await own.sheets(_tables(request).store, request.state.device):
        if text == one.key:
            return own.titled(one.rules, one.title)
    try:
        rules = Rules.parse(text)
    except CinqMilleError as error:
        raise HTTPException(404, plainly(error, words)) from None
    return own.titled(rules, own.clean(request.query_params.get("title", "")))


def _own_title(sheet: Sheet) -> str:
    """The title that goes along when a sheet is shared: that of one's own sheets only."""
    return "" if sheet.id in PRESETS and sheet.title == PRESETS.sheet(sheet.id).title else sheet.title.get("en", "")


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


# The page of odds


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with the table of its numbers: columns, and rows of texts."""

    bars: Bars
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def _shown(found: Figures, words: Words) -> dict[str, Chart]:
    say, percent, number = words.say, words.percent, words.number
    charts = {}
    rows = []
    for roll in found.rolls:
        row = [words.dice(roll.dice), percent(float(roll.bust)), percent(float(roll.full))]
        row.append(words.decimal(float(roll.mean_best), 1))
        rows.append(
            (*row, percent(float(roll.wins), 3) if roll.wins else "–")
            if any(one.wins for one in found.rolls)
            else tuple(row)
        )
    columns = [say("Dice rolled"), say("Bust"), say("All dice score"), say("Points of the best set-aside, on average")]
    if any(one.wins for one in found.rolls):
        columns.append(say("Wins at once"))
    busts = [(words.dice(roll.dice), float(roll.bust), percent(float(roll.bust))) for roll in found.rolls]
    charts["rolls"] = Chart(bars(busts), tuple(columns), tuple(rows))
    if found.best is not None:
        never = say("never")
        lines = []
        for line in found.best.thresholds:
            points = never if line.points is None else number(line.points)
            also = words.series(say("{low} to {high}", low=low, high=high) for low, high in line.exceptions)
            lines.append((words.dice(line.dice), points, also))
        limit = max((line.points or 0 for line in found.best.thresholds), default=0)
        drawn = [
            (words.dice(line.dice), float(limit if line.points is None else line.points), text)
            for line, (_, text, _) in zip(found.best.thresholds, lines, strict=True)
        ]
        columns = [say("Dice to roll next"), say("Bank from")]
        if any(line.exceptions for line in found.best.thresholds):
            columns.append(say("And at"))
        charts["thresholds"] = Chart(bars(drawn), tuple(columns), tuple(line[: len(columns)] for line in lines))
        law = [(say("nothing at all"), found.best.bust, percent(found.best.bust))]
        law += [(_range(one, words), one.chance, percent(one.chance)) for one in found.best.law]
        if found.best.wins:
            law.append((say("wins at once"), found.best.wins, percent(found.best.wins, 3)))
        charts["law"] = Chart(
            bars(law), (say("Points of a turn"), say("Chance")), tuple((label, text) for label, _, text in law)
        )
    if found.reach:
        reach = [(number(points), chance, percent(chance)) for points, chance in found.reach]
        columns = [say("At least"), say("Chance in one turn")]
        charts["reach"] = Chart(bars(reach), tuple(columns), tuple((label, text) for label, _, text in reach))
    return charts


def _range(one: Bin, words: Words) -> str:
    if one.high is None:
        return words.say("{low} or more", low=one.low)
    return words.number(one.low) if one.high <= one.low else f"{words.number(one.low)}–{words.number(one.high)}"
