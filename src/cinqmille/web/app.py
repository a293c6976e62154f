"""The application: what is set up once, and which parts it is made of."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Receive, Scope, Send

from cinqmille.errors import CinqMilleError
from cinqmille.store import Store
from cinqmille.web import checking, far, newgame, pages, play, reference, rulepages, service
from cinqmille.web.api import UNWATCHED, make_api
from cinqmille.web.counting import Counting
from cinqmille.web.files import Files
from cinqmille.web.guard import Guard, Hosts
from cinqmille.web.limits import Limits
from cinqmille.web.metrics import Metrics
from cinqmille.web.refusals import answer, is_api
from cinqmille.web.tables import Tables
from cinqmille.web.thinking import Thinking

# Seconds for what is being written when the server stops.
_LAST_WORDS = 0.7


@dataclass(frozen=True, slots=True)
class Options:
    """How a server is reached, and how much of it one may use.

    ``public`` is the address people reach it under, ``lan`` the one in the Wi-Fi where it was opened to that;
    ``hosts`` are the names it answers to (None: every one); ``limits`` is the factor of all limits, 0 for none.
    """

    public: str = ""
    lan: str = ""
    hosts: tuple[str, ...] | None = None
    limits: float = 1.0


def make_app(database: str | Path, options: Options = Options()) -> FastAPI:
    """Return the app on a database (its address, or the path of an SQLite file)."""
    metrics, limits = Metrics(), Limits(options.limits)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        store = await Store.open(database)
        app.state.thinking = thinking = Thinking()
        app.state.tables = tables = Tables(store, thinking)
        app.state.counting = counting = Counting(store)
        metrics.watch(tables=lambda: len(tables), commits=lambda: store.commits)
        await tables.start()
        yield
        await counting.stop()
        await tables.stop()
        with suppress(TimeoutError):  # what a database does not take now was promised to nobody
            async with asyncio.timeout(_LAST_WORDS):
                await store.close()

    app = FastAPI(title="Cinq Mille", lifespan=life, openapi_url=None, telemetry=UNWATCHED)
    app.state.public, app.state.lan = options.public, options.lan
    app.state.limits, app.state.metrics = limits, metrics
    api = make_api()
    api.state = app.state
    app.state.api = api
    # What is asked for most stands first: each part looks whether an address is one of its own.
    app.mount("/api", api)
    app.mount("/static", Files(), name="static")
    for part in (pages, newgame, rulepages, checking, far, play, reference, service):
        app.include_router(part.router)
    app.add_middleware(_Compressed, minimum_size=500, compresslevel=6)  # streams of events are left as they are
    # The one that is added last stands first.
    app.add_middleware(
        Guard, hosts=Hosts(options.hosts), public=options.public, limits=limits, metrics=metrics
    )  # fmt: skip
    for kind in (HTTPException, RequestValidationError, CinqMilleError):
        app.exception_handler(kind)(_refused)
    return app


class _Compressed(GZipMiddleware):
    """Compresses pages and files; answers to programs are small, and compressing takes longer than playing."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and is_api(scope["path"]):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


async def _refused(request: Request, error: Exception) -> Response:
    return answer(request, error)
