"""How a page is made: the reader's language, and the templates."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from cinqmille.errors import RecordError
from cinqmille.web.files import static
from cinqmille.words import LANGUAGES, Words

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


class PageWords(Words):
    """The words of a page: what people wrote keeps its direction to itself, an Arabic name in a French sentence too."""

    def value(self, value: object, name: str = "") -> str:
        """Return a parameter of a sentence as text, isolated where somebody wrote it."""
        text = super().value(value, name)
        return isolated(text) if isinstance(value, str) else text

    def all_of(self, items: Iterable[str]) -> str:
        """Return ``a, b and c``, each isolated."""
        return super().all_of(map(isolated, items))

    def one_of(self, items: Iterable[str]) -> str:
        """Return ``a, b or c``, each isolated."""
        return super().one_of(map(isolated, items))


def isolated(text: str) -> str:
    """Return a text that holds letters written from the right between signs that keep their direction inside.

    Any other text, and one that has these signs, stays as it is: in both languages of the pages they change nothing.
    """
    turns = any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in text)
    return f"\u2068{text}\u2069" if turns and "\u2068" not in text else text


@cache
def _words(lang: str) -> Words:
    return PageWords(lang)


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
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals["static"] = static
    environment.filters["isolated"] = isolated
    return environment


def page(request: Request, template: str, **values: Any) -> str:
    """Return a page, or a part of one, as text."""
    words = words_of(request)
    common = {
        "words": words, "say": words.say, "count": words.count, "number": words.number, "percent": words.percent,
        "lang": words.lang, "path": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        "faces": faces, "drawn": drawn, "isolated": isolated, "written": written,
    }  # fmt: skip
    return _environment().get_template(template).render(**common, **values)


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page as an answer."""
    text = page(request, template, **values)
    # The service worker keeps the page for bad days in the language that was read last.
    headers = {"Content-Language": words_of(request).lang} | ({"Retry-After": "1"} if status == 503 else {})
    return HTMLResponse(text, status_code=status, headers=headers)


def is_part(request: Request) -> bool:
    """Whether a script asks, which replaces a part of the page."""
    return "hx-request" in request.headers


def ago(words: Words, then: float, now: float | None = None) -> str:
    """Return how long ago a moment was (seconds since 1970), as one says it: "5 minutes ago"."""
    passed = max(0.0, (time.time() if now is None else now) - then)
    if passed < _MINUTE:
        return words.say("just now")
    if passed < _HOUR:
        return words.count("{n} minute ago", "{n} minutes ago", int(passed // _MINUTE))
    if passed < _DAY:
        return words.count("{n} hour ago", "{n} hours ago", int(passed // _HOUR))
    if passed < 2 * _DAY:
        return words.say("yesterday")
    if passed < 60 * _DAY:
        return words.count("{n} day ago", "{n} days ago", int(passed // _DAY))
    return words.count("{n} month ago", "{n} months ago", int(passed // (30 * _DAY)))


def faces(text: str) -> list[int]:
    """Return the dice that a text shows (``1 1 1``), none where it is another text."""
    found = text.split()
    return [int(face) for face in found] if found and all(face in "123456" and len(face) == 1 for face in found) else []


def drawn(turn: str) -> list[tuple[list[int], list[bool]]]:
    """Return the rolls of a turn as a record writes it (``15534>155``): their faces, and which were set aside."""
    found = []
    for rolled, kept in re.findall(r"(?<!\S)([1-6]+)>([1-6]*|-)(?!\S)", turn):
        left, aside = list(kept.strip("-")), []
        for face in rolled:
            aside.append(face in left)
            if face in left:
                left.remove(face)
        found.append(([int(face) for face in rolled], aside))
    return found


def written(turn: str, words: Words) -> str:
    """Return a turn as a record writes it, its English words in the reader's language."""
    said = {"skip": words.say("misses a turn"), "leave": words.say("leaves the table"), "back": words.say("comes back")}
    return re.sub(r"(?<!\S)(skip|leave|back)(?=:|\s|$)", lambda match: said[match[1]], turn)


def spot(text: str, error: RecordError) -> tuple[int, str, str, str] | None:
    """Return the line of a record that is wrong: its number, and its text before, at and after the fault."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not 0 < error.line <= len(lines):
        return None
    line, at = lines[error.line - 1], error.column - 1
    end = next((place for place in range(at + 1, len(line)) if line[place].isspace()), len(line))
    return error.line, line[max(0, at - 60) : at], line[at:end], line[end : end + 60]
