"""The files that browsers keep for a year: a changed file has a changed address, so that an upgrade is seen at once."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

from fastapi import Response
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "static"
# What the page for bad days looks like, without a server.
_AWAY = ("app.css", "pages.css", "dice.svg", "icon.svg")


@cache
def static(name: str) -> str:
    """Return the address of a file, which names its content."""
    return f"/static/{name}?v={hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()[:12]}"


class Files(StaticFiles):
    """Serves the files, each to be kept for a year under the address that names its content."""

    def __init__(self) -> None:
        super().__init__(directory=FOLDER)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file; under another address than today's it is asked for again each time."""
        response = await super().get_response(path, scope)
        name = path.replace(os.sep, "/")
        current = response.status_code in (200, 206, 304) and static(name) == f"/static/{name}?{_query(scope)}"
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if current else "no-cache"
        return response


def _query(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return query.decode("latin-1")


@cache
def worker() -> str:
    """Return the service worker for the files as they are; a changed file makes it another one, which replaces it."""
    looks = [static(name) for name in _AWAY]
    text = (FOLDER / "worker.js").read_text(encoding="utf-8")
    version = hashlib.sha256("".join([text, *looks]).encode()).hexdigest()[:12]
    quoted = ", ".join(f'"{address}"' for address in looks)
    return text.replace("VERSION", f'"{version}"', 1).replace("LOOKS_OF_AWAY", f"[{quoted}]", 1)
