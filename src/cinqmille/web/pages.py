"""The pages around a table: one's own games, records, the language, and what installing needs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from cinqmille.errors import CinqMilleError, RecordError
from cinqmille.record import Game
from cinqmille.store import Kept
from cinqmille.web import files, own
from cinqmille.web.bodies import form
from cinqmille.web.files import static
from cinqmille.web.play import new_game
from cinqmille.web.render import ago, render, words_of
from cinqmille.web.tables import Tables
from cinqmille.words import LANGUAGES, Words

router = APIRouter()

_YEAR = 365 * 24 * 3600
_MOST_LISTED, _SHOWN = 200, 10


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


@dataclass(frozen=True, slots=True)
class Seat:
    """A player of a game in a list."""

    name: str
    score: int
    plays: bool
    won: bool


@dataclass(frozen=True, slots=True)
class Listed:
    """A game in a list: whose turn it is (``waits``: that of a person here), when it was last played, its rules."""

    id: str
    seats: tuple[Seat, ...]
    over: bool
    waits: bool
    playing: str
    ago: str
    when: str
    rules: str

    @property
    def names(self) -> str:
        """The players."""
        return ", ".join(seat.name for seat in self.seats)

    @property
    def winners(self) -> tuple[str, ...]:
        """Who won."""
        return tuple(seat.name for seat in self.seats if seat.won)


@dataclass(slots=True)
class Tally:
    """What one usual name has done in all finished games."""

    name: str
    played: int = 0
    won: int = 0


@router.get("/")
async def home(request: Request) -> Response:
    """One's own games, those that wait for somebody here first, and the way to a new one."""
    listed, tallies = await _games(request)
    going = sorted((one for one in listed if not one.over), key=lambda one: not one.waits)
    over = [one for one in listed if one.over]
    return render(
        request, "home.html", going=going, over=over[:_SHOWN], more=len(over) - _SHOWN, tallies=tallies[:_SHOWN]
    )


@router.get("/history")
async def history(request: Request) -> Response:
    """All finished games, and who won how many of them."""
    listed, tallies = await _games(request)
    return render(request, "history.html", over=[one for one in listed if one.over], tallies=tallies)


async def _games(request: Request) -> tuple[list[Listed], list[Tally]]:
    store, words = _tables(request).store, words_of(request)
    kept = await store.of_device(request.state.device, most=_MOST_LISTED)
    sheets = await own.sheets(store, request.state.device)
    tallies: dict[str, Tally] = {}
    for one in kept:
        if one.game.position.phase != "over":
            continue
        for seat, name in enumerate(one.game.players):
            # Who plays at this table, not who wrote the programs.
            if seat not in one.game.seats:
                tally = tallies.setdefault(name, Tally(name))
                tally.played += 1
                tally.won += seat in one.game.position.winners
    ranked = sorted(tallies.values(), key=lambda tally: (-tally.won, -tally.played, tally.name))
    return [_listed(one, words, sheets) for one in kept], ranked


def _listed(kept: Kept, words: Words, sheets: list[own.Own]) -> Listed:
    game, position = kept.game, kept.game.position
    over = position.phase == "over"
    seats = tuple(
        Seat(name, position.scores[seat], seat == position.to_play, over and seat in position.winners)
        for seat, name in enumerate(game.players)
    )
    playing = "" if position.to_play is None else game.players[position.to_play]
    when = datetime.fromtimestamp(kept.played, UTC).isoformat(timespec="seconds")
    waits = not over and position.to_play not in game.seats
    rules = own.known_as(game.rules, words, sheets)
    return Listed(kept.id, seats, over, waits, playing, ago(words, kept.played), when, rules)


@router.get("/open")
async def show_open(request: Request) -> Response:
    """The form that opens a record."""
    return render(request, "open.html", refusal="", text="", spot=None)


@router.post("/open")
async def open_record(request: Request) -> Response:
    """Show the game of a record that was pasted or sent as a file, turn by turn; or what is wrong in it, and where."""
    fields, words = dict(await form(request)), words_of(request)
    text = fields.get("file", "").strip("\r\n") or fields.get("record", "")
    try:
        game = Game.parse(text.replace("\r\n", "\n"))
        await run_in_threadpool(new_game, game)
    except CinqMilleError as error:
        spot = _spot(text, error) if isinstance(error, RecordError) else None
        return render(request, "open.html", status=422, refusal=words.error(error), text=text, spot=spot)
    tables = _tables(request)
    # Opened twice it is still one game, in the list and in the tally.
    for kept in await tables.store.of_device(request.state.device, most=_MOST_LISTED):
        if kept.game.text == game.text:
            return RedirectResponse(f"/t/{kept.id}/turns", status_code=303)
    request.app.state.limits.check("tables", request)
    id = await tables.create(request.state.device, game)
    return RedirectResponse(f"/t/{id}/turns", status_code=303)


def _spot(text: str, error: RecordError) -> tuple[int, str, str, str] | None:
    """The line of a record that is wrong: its number, and its text before, at and after the fault."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not 0 < error.line <= len(lines):
        return None
    line, at = lines[error.line - 1], error.column - 1
    end = next((place for place in range(at + 1, len(line)) if line[place].isspace()), len(line))
    return error.line, line[max(0, at - 60) : at], line[at:end], line[end : end + 60]


@router.get("/forget/{id}")
async def ask_to_forget(request: Request, id: str) -> Response:
    """Ask whether a table is to be deleted."""
    words = words_of(request)
    kept = await _tables(request).store.load(id)
    if kept is None or kept.device != request.state.device:
        raise HTTPException(404, words.say("There is no such table. It may have been deleted."))
    one = _listed(kept, words, [])
    scores = [words.say("{name}: {value}", name=seat.name, value=seat.score) for seat in one.seats]
    question = words.say("Delete the game of {names}?", names=words.all_of(seat.name for seat in one.seats))
    return render(
        request, "sure.html", question=question,
        details=(*scores, one.ago), action=f"/forget/{id}", back="/",
    )  # fmt: skip


@router.post("/forget/{id}")
async def forget(request: Request, id: str) -> Response:
    """Delete a table of this device."""
    await _tables(request).forget(id, request.state.device)
    return RedirectResponse("/", status_code=303)


@router.post("/language")
async def language(request: Request) -> Response:
    """Choose the language of this device, and go on where one was."""
    fields = dict(await form(request))
    back = fields.get("back", "/")
    # Browsers read a second slash, or a backslash, as the beginning of another site's name.
    inside = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
    response = RedirectResponse(back if inside else "/", status_code=303)
    if fields.get("lang") in LANGUAGES:
        response.set_cookie("lang", fields["lang"], max_age=_YEAR, httponly=True, samesite="lax")
    return response


@router.get("/away")
async def away(request: Request) -> Response:
    """What the service worker shows when the server cannot be reached."""
    response = render(request, "away.html")
    response.headers["Cache-Control"] = "public, max-age=3600"
    return response


@router.get("/worker.js")
async def worker() -> Response:
    """The service worker; it must stand at the top to be asked for every page."""
    return Response(files.worker(), media_type="text/javascript", headers={"Cache-Control": "no-cache"})


@router.get("/manifest.webmanifest")
async def manifest(request: Request) -> Response:
    """What a device needs to install the app."""
    words = words_of(request)
    icons = [
        {"src": static(f"{name}-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
        for name, purpose in (("icon", "any"), ("icon-maskable", "maskable"))
        for size in (192, 512)
    ]
    icons.append({"src": static("icon.svg"), "sizes": "any", "type": "image/svg+xml", "purpose": "any"})
    content = {
        "name": "Cinq Mille", "short_name": "Cinq Mille", "lang": words.lang, "id": "/", "start_url": "/", "scope": "/",
        "display": "standalone",
        "description": words.say("The dice game 5000 and its family, with your own house rules"),
        "background_color": "#f6f1e7", "theme_color": "#14532d", "icons": icons,
    }  # fmt: skip
    return JSONResponse(content, media_type="application/manifest+json")
