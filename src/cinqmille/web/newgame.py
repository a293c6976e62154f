"""A new game: its form, which answers every change with the rules as they would be, and the table it opens."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from cinqmille import sheet as rule_pages
from cinqmille.errors import CinqMilleError
from cinqmille.rules import PRESETS, Rules, Sheet
from cinqmille.web import far, own
from cinqmille.web.bodies import form
from cinqmille.web.render import is_part, render, words_of
from cinqmille.web.setup import DELAYS, LONGEST_NAME, Setup, plainly, today
from cinqmille.web.tables import Tables
from cinqmille.web.thinking import Thinking, solves

router = APIRouter()


@router.get("/new")
async def choose(request: Request) -> Response:
    """The form of a new game, as it was left last time; ``?rules=`` and ``title=`` bring rules from elsewhere."""
    store, device = _tables(request).store, request.state.device
    sheets, usual = await own.sheets(store, device), await own.names(store, device)
    recalled = await store.recall(device, ["setup"])
    setup = Setup.recalled(recalled.get("setup"), sheets, usual[0] if usual else "")
    asked, problems = request.query_params.get("rules"), {}
    if asked is not None:
        try:
            setup = setup.with_rules(asked[:2000], request.query_params.get("title", ""), sheets)
        except CinqMilleError as error:
            problems = {"rules": plainly(error, words_of(request))}
    return await _page(request, setup, sheets, problems)


@router.post("/new")
async def begin(request: Request) -> Response:
    """Open a table, or show the form again with what is wrong; a script asks for the form as it would be."""
    tables, device, words = _tables(request), request.state.device, words_of(request)
    sheets = await own.sheets(tables.store, device)
    setup = Setup.read(await form(request), sheets)
    # Kept at every change, so that nothing typed is lost with the page.
    await tables.store.remember(device, "setup", setup.to_json())
    checked = setup.checked(words)
    problems = dict(checked.problems)
    if setup.then == "save" and checked.rules is not None:
        if setup.title:
            kept = await own.save(tables.store, device, setup.title, checked.rules)
            sheets = await own.sheets(tables.store, device)
            setup = setup.with_rules(kept.key, "", sheets)
            await tables.store.remember(device, "setup", setup.to_json())
            return await _page(request, setup, sheets, {}, words.say("“{title}” is kept.", title=kept.title))
        problems["title"] = words.say("Give the sheet a name first.")
    if setup.then not in ("start", "invite") or is_part(request):
        return await _page(request, setup, sheets, problems)
    problems |= setup.seat_problems(words)
    if checked.rules is not None and not problems:
        thinking: Thinking = request.app.state.thinking
        work = partial(setup.bot_problems, checked.rules, words)
        problems |= await thinking.long(request, work) if any(solves(spec) for _, spec in setup.seats) else work()
    if setup.then == "invite":
        # The others bring their names; those that stand here only say where they sit.
        host = setup.host(words)
        if host is None:
            problems["name-0"] = words.say("Somebody has to invite: choose “A person here” for your own seat.")
        elif not problems and checked.rules is not None:
            return await _invite(request, setup, checked.rules, host)
    if not problems and checked.rules is not None:
        request.app.state.limits.check("tables", request)
        try:
            id = await tables.create(device, setup.game(checked.rules, words))
        except CinqMilleError as error:
            problems["rules"] = plainly(error, words)
        else:
            await own.greet(tables.store, device, (name for name, bot in setup.seats if not bot))
            return RedirectResponse(f"/t/{id}", status_code=303)
    return await _page(request, setup, sheets, problems, status=422)


async def _invite(request: Request, setup: Setup, rules: Rules, host: str) -> Response:
    """Open a table for friends far away, seat the robots of the form, and show the invitation."""
    tables, words = _tables(request), words_of(request)
    request.app.state.limits.check("tables", request)
    named = zip(setup.names(words), setup.seats, strict=True)
    bots = [far.seats_bot(spec, name) for name, (_, spec) in named if spec]
    live = await far.open_table(request, setup.terms(rules, words, today()), host, bots)
    await own.greet(tables.store, request.state.device, [host])
    return RedirectResponse(f"/t/{live.id}", status_code=303)


async def _page(
    request: Request, setup: Setup, sheets: list[own.Own], problems: dict[str, str], news: str = "", status: int = 200
) -> Response:
    words = words_of(request)
    checked = setup.checked(words)
    problems = dict(checked.problems) | setup.seat_problems(words) | problems
    page = None if checked.rules is None else rule_pages.page(_titled(setup, checked.rules, sheets), words)
    return render(
        request, "_new.html" if is_part(request) else "new.html", status=status, setup=setup, sheet=page,
        rules=checked.rules, problems=problems, news=news, groups=setup.groups(words), lines=setup.lines(words),
        presets=presets(request), own=sheets, bots=setup.bots(words), longest_name=LONGEST_NAME,
        longest_title=own.LONGEST_TITLE, usual=await own.names(_tables(request).store, request.state.device),
        placeholders=setup.names(words), delays=[(one, far.lasting(one, words)) for one in DELAYS],
    )  # fmt: skip


def _titled(setup: Setup, rules: Rules, sheets: list[own.Own]) -> Sheet:
    for sheet in sheets:
        if sheet.rules == rules:
            return own.titled(rules, sheet.title)
    return own.titled(rules, setup.title if rules != PRESETS[rules.base] else "")


def presets(request: Request) -> list[tuple[str, str]]:
    """Return the names of all rule sheets with their titles."""
    lang = words_of(request).lang
    found = []
    for name in PRESETS:
        titles = PRESETS.sheet(name).title
        found.append((name, titles.get(lang) or next(iter(titles.values()), name)))
    return found


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables
