"""How a page is made: the reader's language, the templates, and the forms that come back."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from cinqmille.words import LANGUAGES, Words

_MOST_FIELDS = 200


@cache
def _words(lang: str) -> Words:
    return Words(lang)


def words_of(request: Request) -> Words:
    """Return the words of the language chosen on this device, or the first one the browser asks for."""
    chosen = request.cookies.get("lang", "")
    if chosen in LANGUAGES:
        return _words(chosen)
    for part in request.headers.get("accept-language", "").split(","):
        lang = part.split(";")[0].strip()[:2].lower()
        if lang in LANGUAGES:
            return _words(lang)
    return _words("en")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


def page(request: Request, template: str, **values: Any) -> str:
    """Return a page, or a part of one, as text."""
    words = words_of(request)
    common = {
        "words": words, "say": words.say, "count": words.count, "number": words.number, "percent": words.percent,
        "lang": words.lang, "path": request.url.path,
    }  # fmt: skip
    return _environment().get_template(template).render(**common, **values)


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page as an answer."""
    return HTMLResponse(page(request, template, **values), status_code=status)


async def form(request: Request) -> list[tuple[str, str]]:
    """Return the fields of a form that was sent, in order."""
    body = (await request.body()).decode("utf-8", "replace")
    return parse_qsl(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS)


def is_part(request: Request) -> bool:
    """Whether a script asks, which replaces a part of the page."""
    return "hx-request" in request.headers
