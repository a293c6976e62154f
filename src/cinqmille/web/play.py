"""A table in the browser: its page, what is done at it, and the stream that keeps every window of it up to date."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from cinqmille.actions import Action, Announce, Bank, Points, Roll, RollOn, SetAside, Skip, TakeOver
from cinqmille.counsel import Counsel, counsel
from cinqmille.errors import CinqMilleError, IllegalAction, InvalidText
from cinqmille.record import Game
from cinqmille.scoring import parse_dice
from cinqmille.story import story
from cinqmille.table import Table
from cinqmille.web.charts import lines
from cinqmille.web.render import form, is_part, page, render, words_of
from cinqmille.web.scene import scene
from cinqmille.web.tables import Live, Tables
from cinqmille.words import Words

router = APIRouter(prefix="/t/{id}")

# A stream that says nothing for so long may be dead: a word that means nothing keeps it open, or tells.
_QUIET = 20.0
_MOST_BOT_STEPS = 2000


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


async def _live(request: Request, id: str) -> Live:
    live = await _tables(request).get(id)
    if live is None:
        raise HTTPException(404, words_of(request).say("There is no such table. It may have been deleted."))
    return live


def _shown(request: Request, live: Live, refusal: str = "") -> dict[str, Any]:
    words, game = words_of(request), live.game
    shown: dict[str, Any] = {"id": live.id, "game": game, "scene": scene(live.table, words), "refusal": refusal}
    if game.position.phase == "over":
        told = story(game)
        series = [(one.name, one.totals) for one in told.players]
        shown |= {"story": told, "chart": lines(series, top=game.rules.target)}
    return shown


@router.get("")
async def show(request: Request, id: str) -> Response:
    """The page of a table."""
    return render(request, "table.html", **_shown(request, await _live(request, id)))


@router.post("/play")
async def act(request: Request, id: str) -> Response:
    """What a person at this table does: the dice set aside, and then bank, roll, announce or take over."""
    live = await _live(request, id)
    fields = await form(request)
    seen = _number(dict(fields).get("seen", ""))
    return await _acted(request, live, lambda table: table.play(*_actions(table, fields), seen=seen))


@router.post("/bot")
async def let_bot_play(request: Request, id: str) -> Response:
    """The next step of a bot; with ``all`` everything until a person is to play."""
    live = await _live(request, id)
    fields = dict(await form(request))
    seen = _number(fields.get("seen", ""))

    def steps(table: Table) -> object:
        if seen != table.number:
            raise IllegalAction("stale", seen=seen, number=table.number)
        news = table.play_bot()
        for _ in range(_MOST_BOT_STEPS if "all" in fields else 0):
            if table.awaits != "bot":
                break
            news += table.play_bot()
        return news

    return await _acted(request, live, steps)


@router.post("/undo")
async def undo(request: Request, id: str) -> Response:
    """Take back the last thing typed."""
    live = await _live(request, id)
    seen = _number(dict(await form(request)).get("seen", ""))
    return await _acted(request, live, lambda table: table.undo(seen=seen))


@router.post("/correct")
async def correct(request: Request, id: str) -> Response:
    """Write an entry of the score sheet anew."""
    live = await _live(request, id)
    fields = dict(await form(request))
    entry, seen = _number(fields.get("entry", "")), _number(fields.get("seen", ""))
    text = fields.get("text", "")
    return await _acted(request, live, lambda table: table.correct(entry, text, seen=seen))


@router.post("/again")
async def again(request: Request, id: str) -> Response:
    """The same players once more; who was second begins."""
    live = await _live(request, id)
    game = live.game
    names = (*game.players[1:], game.players[0])
    headers = dict(game.headers) | {"date": datetime.now().isoformat(sep=" ", timespec="minutes")}
    new = await _tables(request).create(request.state.device, Game.new(game.rules, names, headers))
    return RedirectResponse(f"/t/{new}", status_code=303)


@router.get("/hint")
async def hint(request: Request, id: str) -> Response:
    """What to do now, why, and the chance to win of every plan."""
    live = await _live(request, id)
    words, game = words_of(request), live.game
    found = await run_in_threadpool(_hint, game, words) if live.table.awaits in ("player", "dice") else None
    template = "_hint.html" if is_part(request) else "hint.html"
    return render(request, template, id=id, game=game, hint=found)


def _hint(game: Game, words: Words) -> Counsel:
    # Numbers take a second to load and more to solve: only who asks for advice waits for them.
    from cinqmille.advice import advise

    return counsel(advise(game.position), words, game.players)


@router.get("/turns")
async def turns(request: Request, id: str) -> Response:
    """The game turn by turn."""
    live = await _live(request, id)
    game = live.game
    entries = game.turns()
    asked = request.query_params.get("turn", "")
    place = min(max(_number(asked), 1), len(entries)) if asked else len(entries)
    then = game.cut(entries[place - 1].last_action) if entries else game
    told = []
    done = entries[place - 2].last_action if place > 1 else 0
    words = words_of(request)
    for count, (_, _, step) in enumerate(game.steps(), start=1):
        if entries and done < count <= entries[place - 1].last_action:
            told += [words.event(event, game.players) for event in step.events]
    return render(
        request, "turns.html", id=id, game=game, entries=entries, place=place, then=then, told=told,
        real=live.table.real, seen=live.table.number,
    )  # fmt: skip


@router.get("/record")
async def record(request: Request, id: str) -> PlainTextResponse:
    """The record, to keep."""
    live = await _live(request, id)
    name = f"cinqmille-{id[:6]}.txt"
    return PlainTextResponse(live.game.text, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/live")
async def follow(request: Request, id: str) -> StreamingResponse:
    """The table's part of the page, whole, now and after every change."""
    live = await _live(request, id)
    tables = _tables(request)

    async def events() -> AsyncIterator[str]:
        with tables.watch(live) as numbers:
            while True:
                text = page(request, "_table.html", **_shown(request, live))
                yield f"id: {live.table.number}\n" + "".join(f"data: {line}\n" for line in text.split("\n")) + "\n"
                quiet = True
                while quiet:
                    try:
                        await asyncio.wait_for(numbers.get(), _QUIET)
                        quiet = False
                    except TimeoutError:
                        yield ": still here\n\n"
                while not numbers.empty():
                    numbers.get_nowait()

    return StreamingResponse(events(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _acted(request: Request, live: Live, action: Any) -> Response:
    """Act, and show the table with what came of it, or with the refusal."""
    refusal, status = "", 200
    try:
        await _tables(request).act(live, action)
    except CinqMilleError as error:
        # What another window did already is shown, not scolded.
        stale = isinstance(error, IllegalAction) and error.code == "stale"
        refusal, status = "" if stale else words_of(request).error(error), 409 if stale else 422
    if is_part(request):
        return render(request, "_table.html", **_shown(request, live, refusal))
    if refusal and request.url.path.endswith("/correct"):
        raise HTTPException(status, refusal)
    if refusal:
        return render(request, "table.html", status=status, **_shown(request, live, refusal))
    return RedirectResponse(f"/t/{live.id}", status_code=303)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def _actions(table: Table, fields: list[tuple[str, str]]) -> list[Action]:
    """What the fields of a form ask for."""
    position, values = table.position, dict(fields)
    actions: list[Action] = []
    if position.phase == "choose":
        chosen = [value for name, value in fields if name == "die"]
        faces = [position.roll[int(place)] for place in chosen if place.isdecimal() and int(place) < len(position.roll)]
        if not faces:
            raise IllegalAction("nothing_chosen")
        actions.append(SetAside(tuple(sorted(faces))))
    then = values.get("then", "")
    match then:
        case "bank":
            actions.append(Bank())
        case "roll":
            actions.append(RollOn())
        case "takeover":
            actions.append(TakeOver())
        case "skip":
            actions.append(Skip())
        case "dice":
            actions.append(Roll(parse_dice(values.get("dice", ""))))
        case "points":
            actions.append(_points(values.get("points", "")))
        case _ if then.startswith("announce-") and then[9:].isdecimal():
            actions.append(Announce(int(then[9:])))
        case _:
            raise InvalidText("unknown_choice", text=then)
    return actions


def _points(text: str) -> Points:
    digits = text.strip().replace("\u202f", "").replace(" ", "").replace("*", "")
    if not digits.isdecimal() or len(digits) > 7:
        raise InvalidText("bad_points", text=text.strip())
    return Points(int(digits), text.strip().endswith("*"))


def new_game(game: Game) -> Table:
    """Return a table of this game; raises InvalidText for bots that do not exist."""
    return Table(game, save=lambda _: None)
