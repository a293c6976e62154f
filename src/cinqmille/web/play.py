"""A table in the browser: its page, what is done at it, and the stream that keeps every window of it up to date."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from cinqmille.counsel import Counsel, counsel
from cinqmille.errors import CinqMilleError, IllegalAction, RecordError
from cinqmille.record import Game
from cinqmille.table import Table
from cinqmille.web import far
from cinqmille.web.bodies import form
from cinqmille.web.charts import lines
from cinqmille.web.commands import commands
from cinqmille.web.course import shown_turn
from cinqmille.web.refusals import Refused, status_of
from cinqmille.web.render import is_part, page, render, words_of
from cinqmille.web.scene import scene
from cinqmille.web.setup import today
from cinqmille.web.streams import EventStream
from cinqmille.web.tables import Far, Live, Tables
from cinqmille.words import Words

router = APIRouter(prefix="/t/{id}")

# A stream that says nothing for so long may be dead: a word that means nothing keeps it open, or tells.
_QUIET = 20.0
# Bots that play on until a person is to play are cut short after so many seconds; the page lets them go on.
_LONGEST_BOTS = 3.0


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


async def _live(request: Request, id: str, *, local: bool = False) -> Live:
    live = await _tables(request).get(id)
    if live is None or (local and isinstance(live, Far)):
        # A page that still shows the table is loaded anew, and says so.
        headers = {"HX-Refresh": "true"} if is_part(request) else None
        say = words_of(request).say
        raise HTTPException(404, say("There is no such table. It may have been deleted."), headers)
    return live


async def _begun(request: Request, id: str) -> Live:
    live = await _live(request, id)
    if isinstance(live, Far) and live.online.table is None:
        raise HTTPException(404, words_of(request).error(IllegalAction("not_begun")))
    return live


def _shown(request: Request, live: Live, refusal: str = "", chosen: tuple[int, ...] = ()) -> dict[str, Any]:
    words, game = words_of(request), live.game
    shown: dict[str, Any] = {
        "id": live.id, "game": game, "scene": scene(live.table, live.course, words),
        "refusal": refusal, "chosen": chosen, "far": None, "moment": live.moment,
    }  # fmt: skip
    if game.position.phase == "over":
        told = live.story
        series = [(one.name, one.totals) for one in told.players]
        shown |= {"story": told, "chart": lines(series, top=game.rules.target)}
    return shown


@router.get("")
async def show(request: Request, id: str) -> Response:
    """The page of a table."""
    live = await _live(request, id)
    if isinstance(live, Far):
        return await far.show(request, live)
    return render(request, "table.html", **_shown(request, live))


@router.post("/play")
async def act(request: Request, id: str) -> Response:
    """What a person at this table does: the dice set aside, and then bank, roll, announce or take over."""
    live = await _live(request, id)
    if isinstance(live, Far):
        return await far.play(request, live)
    fields = await form(request)

    def played(table: Table, seen: int) -> object:
        return table.play(*commands(table.position, fields), seen=seen)

    chosen = tuple(place for place in (_number(value) for name, value in fields if name == "die") if place >= 0)
    return await _acted(request, live, fields, played, chosen)


@router.post("/bot")
async def let_bot_play(request: Request, id: str) -> Response:
    """The next step of a bot; with ``all`` everything until a person is to play, or as much as a moment allows."""
    live = await _live(request, id, local=True)
    fields = await form(request)

    def steps(table: Table, seen: int) -> object:
        news = table.play_bot()
        until = monotonic() + _LONGEST_BOTS
        while "all" in dict(fields) and table.awaits == "bot" and monotonic() < until:
            news += table.play_bot()
        return news

    return await _acted(request, live, fields, steps)


@router.post("/undo")
async def undo(request: Request, id: str) -> Response:
    """Take back the last thing typed."""
    live = await _live(request, id, local=True)
    return await _acted(request, live, await form(request), lambda table, seen: table.undo(seen=seen))


@router.post("/again")
async def again(request: Request, id: str) -> Response:
    """The same players once more; who was second begins. Whoever asks first opens the table, the others come to it."""
    live = await _live(request, id)
    if isinstance(live, Far):
        return await far.again(request, live)
    game = live.game
    if game.position.phase != "over":
        return RedirectResponse(f"/t/{id}", status_code=303)
    names = (*game.players[1:], game.players[0])
    dice = "real" if live.table.real else "system"
    headers = dict(game.headers) | {"date": today(), "dice": dice}
    request.app.state.limits.check("tables", request)
    new = await _tables(request).rematch(live, request.state.device, Game.new(game.rules, names, headers))
    return RedirectResponse(f"/t/{new}", status_code=303)


@router.get("/hint")
async def hint(request: Request, id: str) -> Response:
    """What to do now, why, and the chance to win of every plan; at a table far apart for those who play."""
    live = await _begun(request, id)
    if isinstance(live, Far) and far.me_at(request, live) is None:
        raise Refused(403, IllegalAction("no_seat"))
    words, game = words_of(request), live.game
    number = live.online.number if isinstance(live, Far) else live.table.number
    decides = live.table.awaits == "player" and game.position.phase != "roll"
    found, refusal = None, ""
    try:
        if decides:
            found = await request.app.state.thinking.long(request, partial(_hint, game, words))
    except CinqMilleError as error:
        refusal = words.error(error)
    template = "_hint.html" if is_part(request) else "hint.html"
    return render(request, template, id=id, game=game, hint=found, number_seen=number, refusal=refusal)


def _hint(game: Game, words: Words) -> Counsel:
    # Numbers take a second to load and more to solve: only who asks for advice waits for them.
    from cinqmille.advice import advise

    return counsel(advise(game.position), words, game.players)


@router.get("/turns")
async def turns(request: Request, id: str) -> Response:
    """The game turn by turn."""
    live = await _begun(request, id)
    return _turns_page(request, live, asked=request.query_params.get("turn", ""))


@dataclass(frozen=True, slots=True)
class _Correction:
    """A correction that was refused: which entry, what was typed, why, and the entries it would take out."""

    entry: int
    text: str
    refusal: str
    cut: tuple[tuple[int, str], ...] = ()


def _turns_page(
    request: Request, live: Live, *, asked: str = "", refused: _Correction | None = None, status: int = 200
) -> Response:
    game, course = live.game, live.course
    entries = game.turns()
    place = min(max(_number(asked), 1), len(entries)) if asked else len(entries)
    words = words_of(request)
    told, ladders = shown_turn(game, course, entries, place, words)
    return render(
        request, "turns.html", id=live.id, game=game, entries=entries, place=place, then=ladders, told=told,
        real=live.table.real, seen=live.table.number, refused=refused, status=status,
    )  # fmt: skip


@router.post("/correct")
async def correct(request: Request, id: str) -> Response:
    """Write an entry of the score sheet anew; what stands in the way is said beside what was typed."""
    live = await _live(request, id, local=True)
    fields = dict(await form(request))
    entry, seen, last = (_number(fields.get(name, "")) for name in ("entry", "seen", "last"))
    text = fields.get("text", "").strip()
    if fields.get("then") == "remove":
        text = ""
    game = live.game
    try:
        await _tables(request).act(
            live, lambda table: table.correct(entry, text, seen=seen, last=last if last >= 0 else None)
        )
    except CinqMilleError as error:
        if error.code == "stale":
            return RedirectResponse(f"/t/{id}/turns", status_code=303)
        refused = _explained(error, game, entry, text, request)
        return _turns_page(request, live, asked=str(entry), refused=refused, status=status_of(error))
    return RedirectResponse(f"/t/{id}/turns?turn={entry}", status_code=303)


def _explained(error: CinqMilleError, game: Game, entry: int, text: str, request: Request) -> _Correction:
    """Why a correction is refused, in terms of the entries that the page shows."""
    words = words_of(request)
    turns = game.turns()
    if not isinstance(error, RecordError):
        return _Correction(entry, text, words.error(error))
    place = error.line if text else error.line + 1  # an entry that is taken out moves the others up
    if place == entry or not 1 <= place <= len(turns):
        return _Correction(entry, text, words.error(error.cause))
    cut = tuple(
        (number, f"{game.players[turn.player]}: {turn.text}")
        for number, turn in enumerate(turns, start=1)
        if number >= place
    )
    why = (
        words.say("With this change the game ends before entry {entry}.", entry=place)
        if error.code == "game_over"
        else words.say(
            "With this change entry {entry} ({turn}) would no longer be allowed: {why}",
            entry=place,
            turn=cut[0][1],
            why=words.error(error.cause),
        )
    )
    return _Correction(entry, text, why, cut)


@router.get("/record")
async def record(request: Request, id: str) -> PlainTextResponse:
    """The record, to keep."""
    live = await _begun(request, id)
    name = f"cinqmille-{id[:6]}.txt"
    text = live.online.record if isinstance(live, Far) else live.game.text
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/live")
async def follow(request: Request, id: str) -> Response:
    """The table's part of the page, whole, now and after every change."""
    live = await _live(request, id)
    tables = _tables(request)
    me = far.me_at(request, live) if isinstance(live, Far) else None
    if isinstance(live, Far):
        live = await far.takes_over(request, live)

    async def part() -> tuple[str, str]:
        if isinstance(live, Far):
            values = await far.shown(request, live)
            return values["moment"], page(request, "_far.html", **values)
        return live.moment, page(request, "_table.html", **_shown(request, live))

    request.app.state.limits.hold(request, "" if me is None else f"{id} {me}")

    async def events() -> AsyncGenerator[str, None]:
        watches = isinstance(live, Far) and me is None
        try:
            with tables.present(live, me) if isinstance(live, Far) else tables.watch(live) as watcher:
                if watches:
                    live.wake()  # everybody sees how many watch
                sent = ""
                while True:
                    moment, text = await part()
                    if moment != sent:
                        yield f"id: {moment}\n" + "".join(f"data: {line}\n" for line in text.split("\n")) + "\n"
                    del text  # thousands may wait here, each for hours
                    sent = moment
                    while not await watcher.news(_QUIET):
                        yield "event: still-here\ndata:\n\n"
                        # A rematch that was opened on another server wakes nobody here.
                        if isinstance(live, Far) and live.online.stage == "over" and (await part())[0] != sent:
                            break
        finally:
            if watches:
                live.wake()

    return EventStream(events())


async def _acted(
    request: Request,
    live: Live,
    fields: list[tuple[str, str]],
    action: Callable[[Table, int], object],
    chosen: tuple[int, ...] = (),
) -> Response:
    """Act, and show the table with what came of it, or with the refusal."""
    refusal, status = "", 200
    seen = _number(dict(fields).get("seen", ""))

    def current(table: Table) -> object:
        # Before anything else: what was meant for another moment is not looked at.
        if seen != table.number:
            raise IllegalAction("stale", seen=seen, number=table.number)
        return action(table, seen)

    try:
        await _tables(request).act(live, current)
        request.app.state.metrics.action()
    except CinqMilleError as error:
        request.app.state.metrics.action(error.code)
        # What another window did already is shown, not scolded.
        stale = error.code == "stale"
        refusal, status = "" if stale else words_of(request).error(error), 200 if stale else status_of(error)
    live = await _live(request, live.id)
    chosen = chosen if refusal else ()  # the dice stay chosen until they are set aside, and no longer
    if is_part(request):
        return render(request, "_table.html", status=status, **_shown(request, live, refusal, chosen))
    if refusal:
        return render(request, "table.html", status=status, **_shown(request, live, refusal, chosen))
    return RedirectResponse(f"/t/{live.id}#turn", status_code=303)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1


def new_game(game: Game) -> Table:
    """Return a table of this game; raises InvalidText for bots that do not exist."""
    return Table(game, save=lambda _: None)
