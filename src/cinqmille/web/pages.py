"""The pages around a table: one's own games, a new game, rule sheets, the language, and what installing needs."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from cinqmille import sheet as rule_pages
from cinqmille.errors import CinqMilleError, InvalidRules, InvalidText
from cinqmille.record import Game
from cinqmille.rules import PRESETS, Sheet
from cinqmille.store import Kept
from cinqmille.web.play import new_game
from cinqmille.web.render import form, is_part, render, words_of
from cinqmille.web.setup import Setup
from cinqmille.web.tables import Tables
from cinqmille.words import LANGUAGES

router = APIRouter()

_STATIC = Path(__file__).parent / "static"
_YEAR = 365 * 24 * 3600


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


@router.get("/")
async def home(request: Request) -> Response:
    """One's own games, those waiting first, and the way to a new one."""
    kept = await _tables(request).store.of_device(request.state.device)
    going = [one for one in kept if one.game.position.phase != "over"]
    over = [one for one in kept if one.game.position.phase == "over"]
    return render(request, "home.html", going=going, over=over, named=_named)


def _named(kept: Kept) -> str:
    return ", ".join(kept.game.players)


@router.get("/new")
async def choose(request: Request) -> Response:
    """The form of a new game, as it was left last time."""
    recalled = await _tables(request).store.recall(request.state.device, ["setup"])
    setup = Setup.recalled(recalled.get("setup"), words_of(request))
    if "rules" in request.query_params:
        setup = setup.with_rules(request.query_params["rules"])
    return _new_page(request, setup)


@router.post("/new")
async def begin(request: Request) -> Response:
    """Open a table, or show the form again with what is wrong; a script asks for the form as it would be."""
    setup = Setup.read(await form(request))
    if is_part(request) or setup.changed:
        return _new_page(request, setup)
    try:
        game = setup.game(words_of(request))
        new_game(game)
    except CinqMilleError as error:
        return _new_page(request, setup, words_of(request).error(error))
    tables = _tables(request)
    id = await tables.create(request.state.device, game)
    await tables.store.remember(request.state.device, "setup", setup.to_json())
    return RedirectResponse(f"/t/{id}", status_code=303)


def _new_page(request: Request, setup: Setup, refusal: str = "") -> Response:
    words = words_of(request)
    page, problem = None, refusal
    try:
        page = rule_pages.page(setup.sheet(), words)
    except (InvalidRules, InvalidText) as error:
        problem = problem or words.error(error)
    template = "_new.html" if is_part(request) else "new.html"
    return render(
        request, template, status=422 if refusal else 200, setup=setup, sheet=page, refusal=problem,
        questions=setup.questions(words), presets=_presets(request), bots=setup.bots(words),
    )  # fmt: skip


def _presets(request: Request) -> list[tuple[str, str]]:
    lang = words_of(request).lang
    found = []
    for name in PRESETS:
        titles = PRESETS.sheet(name).title
        found.append((name, titles.get(lang) or next(iter(titles.values()), name)))
    return found


@router.get("/rules")
async def sheets(request: Request) -> Response:
    """All rule sheets."""
    return render(request, "sheets.html", presets=_presets(request))


@router.get("/rules/{text:path}")
async def rules(request: Request, text: str) -> Response:
    """The rules of a sheet in sentences, to read or to print."""
    words = words_of(request)
    try:
        sheet = Sheet.load(text)
    except CinqMilleError as error:
        raise HTTPException(404, words.error(error)) from None
    return render(request, "rules.html", sheet=rule_pages.page(sheet, words), rules=sheet.rules)


@router.post("/open")
async def open_record(request: Request) -> Response:
    """Go on with the game of a record that was pasted."""
    fields = dict(await form(request))
    words = words_of(request)
    try:
        game = Game.parse(fields.get("record", ""))
        new_game(game)
    except CinqMilleError as error:
        raise HTTPException(422, words.error(error)) from None
    id = await _tables(request).create(request.state.device, game)
    return RedirectResponse(f"/t/{id}", status_code=303)


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
    response = RedirectResponse(back if back.startswith("/") and not back.startswith("//") else "/", status_code=303)
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
    return FileResponse(_STATIC / "worker.js", media_type="text/javascript", headers={"Cache-Control": "no-cache"})


@router.get("/manifest.webmanifest")
async def manifest(request: Request) -> Response:
    """What a device needs to install the app."""
    words = words_of(request)
    icons = [
        {"src": f"/static/icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": "any maskable"}
        for size in (192, 512)
    ]
    content = {
        "name": "Cinq Mille", "short_name": "Cinq Mille", "lang": words.lang, "start_url": "/", "display": "standalone",
        "description": words.say("The dice game 5000 and its family, with your own house rules"),
        "background_color": "#f6f1e7", "theme_color": "#14532d", "icons": icons,
    }  # fmt: skip
    return JSONResponse(content, media_type="application/manifest+json")
