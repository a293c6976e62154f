"""The application: what is set up once, how every answer is guarded, and how refusals look."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from cinqmille.store import Store
from cinqmille.web import newgame, pages, play, rulepages
from cinqmille.web.render import render, words_of
from cinqmille.web.tables import Tables

HERE = Path(__file__).parent

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_YEAR = 365 * 24 * 3600


def make_app(database: str | Path) -> FastAPI:
    """Return the app on a database (its address, or the path of an SQLite file)."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        store = await Store.open(database)
        app.state.tables = Tables(store)
        yield
        await store.close()

    app = FastAPI(title="Cinq Mille", lifespan=life, openapi_url=None)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    for part in (pages, newgame, rulepages, play):
        app.include_router(part.router)
    app.middleware("http")(_guarded)
    app.add_middleware(GZipMiddleware, minimum_size=500, compresslevel=6)  # streams of events are left as they are
    app.exception_handler(HTTPException)(_refused)
    return app


async def _guarded(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    """Refuse what other sites send, know the device, and set the headers of every answer."""
    if request.method not in ("GET", "HEAD"):
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            return PlainTextResponse(words_of(request).say("This request comes from another site."), status_code=403)
    device = request.cookies.get("device", "")
    known = 20 <= len(device) <= 64 and device.isascii()
    request.state.device = device if known else secrets.token_urlsafe(24)
    response = await answer(request)
    if not known and not request.url.path.startswith("/static"):
        response.set_cookie("device", request.state.device, max_age=_YEAR, httponly=True, samesite="lax")
    response.headers.update(_HEADERS)
    if request.url.path.startswith("/static"):
        response.headers["Cache-Control"] = "public, max-age=3600"
    else:
        response.headers.setdefault("Cache-Control", "no-store")
    return response


async def _refused(request: Request, error: Exception) -> HTMLResponse:
    """The page of a refusal: what is wrong, and the way back."""
    assert isinstance(error, HTTPException)
    words = words_of(request)
    # What the framework says of itself is no sentence for a player.
    unsaid = error.detail == HTTPStatus(error.status_code).phrase
    sentence = words.say("There is nothing here.") if unsaid else error.detail
    response = render(request, "refused.html", status=error.status_code, sentence=sentence)
    response.headers.update(error.headers or {})
    return response
