"""What the server refuses, in one shape: an error with code and sentence, and the HTTP status it answers with.

Pages show the sentence; under ``/api/`` the same refusal is ``{"error": {"code", "message", …}}`` in JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from cinqmille.errors import CinqMilleError, InvalidText, RecordError
from cinqmille.store import StoreError
from cinqmille.web.render import render, words_of
from cinqmille.words import Words

# What refusals of the package mean to a program that speaks HTTP; everything else was understood and is not possible.
_STATUS = {
    "stale": 409, "table_gone": 404, "not_stored": 503, "not_loaded": 503, "host_only": 403, "not_your_seat": 403,
}  # fmt: skip
# What the framework refuses by itself.
_CODES = {404: "not_found", 405: "not_this_way"}


class Refused(HTTPException):
    """A request that is refused with ``status``; ``error`` has code, parameters and sentence."""

    def __init__(self, status: int, error: CinqMilleError, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, str(error), headers)
        self.error = error


def status_of(error: CinqMilleError) -> int:
    """Return the HTTP status of a page that shows a refusal: 422, or 503 where the same may be tried again."""
    return 503 if isinstance(error, StoreError) else 422


def is_api(path: str) -> bool:
    """Whether programs ask at this path."""
    return path.startswith("/api/")


def answer(request: Request, error: Exception) -> Response:
    """Return the answer to an exception: a page with the sentence and the way back, or JSON for programs."""
    words = words_of(request)
    if is_api(request.url.path):
        words = Words(words.lang)  # a program gets names as they were written
    status, headers, more = 500, {}, {}
    code, message = "server_failed", words.refusal("server_failed")
    match error:
        case Refused(status_code=status, error=cause):
            code, message, more = cause.code, words.error(cause), _shown(cause)
            headers = dict(error.headers or {})
        case HTTPException(status_code=400, __cause__=Exception()):
            # The framework could not read a body, and says so in its own words.
            status, code, message = 400, "body_unreadable", words.refusal("body_unreadable")
        case HTTPException(status_code=status):
            headers = dict(error.headers or {})
            code = _CODES.get(status, "refused")
            # What the framework says of itself is no sentence for a player.
            unsaid = error.detail == HTTPStatus(status).phrase
            message = words.refusal("not_found") if unsaid else error.detail
        case RequestValidationError():
            status = 422
            cause = _invalid(error)
            code, message, more = cause.code, words.error(cause), _shown(cause)
        case CinqMilleError(code=code):
            status = _STATUS.get(code, 422)
            message, more = words.error(error), _shown(error)
            headers = {"Retry-After": "1"} if status == 503 else {}
        case _:
            pass
    if is_api(request.url.path):
        # What a failure is about (a database, its address) is nobody's business.
        more = more if status < 500 else {}
        return JSONResponse({"error": {"code": code, "message": message} | more}, status, headers)
    response = render(request, "refused.html", status=status, sentence=message)
    response.headers.update(headers)
    return response


def _shown(error: CinqMilleError) -> dict[str, Any]:
    """What a program can use of a refusal: its numbers and words, and where in a record it went wrong."""
    more = {name: value for name, value in error.params.items() if isinstance(value, int | str | float)}
    if isinstance(error, RecordError):
        more |= {"line": error.line, "column": error.column}
    return more


def _invalid(error: RequestValidationError) -> CinqMilleError:
    first = error.errors()[0]
    where = [str(part) for part in first["loc"]]
    if first["type"] == "json_invalid":
        text, place = str(error.body), int(where[-1])
        line = text[:place].count("\n") + 1
        return InvalidText("not_json", line=line, column=place - text.rfind("\n", 0, place))
    return InvalidText("json_wrong", key=".".join(where[1:] or where)[:100])
