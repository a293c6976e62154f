"""The pages around a table: one's own games, records, the language, and what installing needs."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from cinqmille.errors import CinqMilleError, RecordError
from cinqmille.record import Game
from cinqmille.web import files
from cinqmille.web.bodies import form
from cinqmille.web.files import static
from cinqmille.web.gamelist import MOST_LISTED, games, listed_here
from cinqmille.web.play import new_game
from cinqmille.web.render import render, spot, words_of
from cinqmille.web.tables import Far, Tables
from cinqmille.words import LANGUAGES

router = APIRouter()

_YEAR = 365 * 24 * 3600
_SHOWN = 10


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


@router.get("/")
async def home(request: Request) -> Response:
    """One's own games, those that wait for somebody here first, and the way to a new one."""
    listed, tallies = await games(request)
    going = [one for one in listed if not one.over]
    over = [one for one in listed if one.over]
    return render(
        request, "home.html", going=going, over=over[:_SHOWN], more=len(over) - _SHOWN, tallies=tallies[:_SHOWN]
    )


@router.get("/history")
async def history(request: Request) -> Response:
    """All finished games, and who won how many of them."""
    listed, tallies = await games(request)
    return render(request, "history.html", over=[one for one in listed if one.over], tallies=tallies)


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
        await request.app.state.thinking.ready(request, game.rules, game.seats.values(), len(game.players))
        await run_in_threadpool(new_game, game)
    except CinqMilleError as error:
        place = spot(text, error) if isinstance(error, RecordError) else None
        return render(request, "open.html", status=422, refusal=words.error(error), text=text, spot=place)
    tables = _tables(request)
    # Opened twice it is still one game, in the list and in the tally.
    for kept in await tables.store.of_device(request.state.device, most=MOST_LISTED):
        if kept.game.text == game.text:
            return RedirectResponse(f"/t/{kept.id}/turns", status_code=303)
    request.app.state.limits.check("tables", request)
    id = await tables.create(request.state.device, game)
    return RedirectResponse(f"/t/{id}/turns", status_code=303)


@router.get("/forget/{id}")
async def ask_to_forget(request: Request, id: str) -> Response:
    """Ask whether a table is to be deleted."""
    words = words_of(request)
    live = await _tables(request).get(id)
    if isinstance(live, Far):
        listed = await _tables(request).store.places(request.state.device, most=MOST_LISTED)
        if id not in {one.id for one in listed}:
            raise HTTPException(404, words.say("There is no such table. It may have been deleted."))
        return render(
            request, "sure.html", question=words.say("Take this game off your list?"),
            details=(words.all_of(one.name for one in live.online.seats),),
            told=words.say("The game itself stays: the others go on, and its link still leads to it."),
            act=words.say("Take off the list"), action=f"/forget/{id}", back="/",
        )  # fmt: skip
    kept = await _tables(request).store.load(id)
    if kept is None or kept.device != request.state.device:
        raise HTTPException(404, words.say("There is no such table. It may have been deleted."))
    one = listed_here(kept, words, [])
    scores = [words.say("{name}: {value}", name=seat.name, value=seat.score) for seat in one.seats]
    question = words.say("Delete the game of {names}?", names=words.all_of(seat.name for seat in one.seats))
    return render(
        request, "sure.html", question=question, told=words.say("This cannot be taken back."), act=words.say("Delete"),
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
