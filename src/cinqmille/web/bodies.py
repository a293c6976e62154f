"""What browsers and programs send: forms and JSON, read strictly; whatever cannot be read is refused with a sentence.

How much may be sent, and how long that may take, is the guard's business.
"""

from __future__ import annotations

import json
from email.parser import BytesParser
from typing import Any
from urllib.parse import parse_qsl

from fastapi import Request

from cinqmille.errors import CinqMilleError, InvalidText
from cinqmille.web.refusals import Refused

_MOST_FIELDS = 400
_DEEPEST = 20
_FORM, _FILES, _JSON = "application/x-www-form-urlencoded", "multipart/form-data", "application/json"


async def form(request: Request) -> list[tuple[str, str]]:
    """Return the fields of a form that was sent, in order; a file that was sent is its text.

    Raises Refused for what is no form, for what is not text in UTF-8, and for more fields than there can be.
    """
    body = await request.body()
    kind = _kind(request, body, _FORM, _FILES)
    if kind == _FILES:
        return _checked(_parts(request.headers["content-type"], body))
    try:
        found = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except UnicodeDecodeError:
        raise Refused(400, InvalidText("body_not_text")) from None
    except ValueError:
        raise Refused(400, InvalidText("too_many_fields")) from None
    return _checked(found)


async def json_object(request: Request) -> dict[str, Any]:
    """Return the JSON object that was sent; an empty body is an empty object.

    Raises Refused for what is not called JSON, is not UTF-8, cannot be read, is nested too deeply or is no object.
    """
    body = await request.body()
    _kind(request, body, _JSON)
    if not body:
        return {}
    try:
        text = body.decode()
        found = json.loads(text, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise Refused(400, InvalidText("body_not_text")) from None
    except json.JSONDecodeError as error:
        raise Refused(400, InvalidText("not_json", line=error.lineno, column=error.colno)) from None
    except RecursionError:
        raise Refused(400, InvalidText("too_deep", levels=_DEEPEST)) from None
    except CinqMilleError as error:
        raise Refused(400, error) from None
    except ValueError:  # a number of thousands of digits
        raise Refused(400, InvalidText("body_unreadable")) from None
    _shallow(found, _DEEPEST)
    if not isinstance(found, dict):
        raise Refused(400, InvalidText("json_wrong", key="{}"))
    return found


def _kind(request: Request, body: bytes, *expected: str) -> str:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in expected and (body or kind):
        raise Refused(415, InvalidText("body_kind", expected=expected[0], kind=kind or "?"))
    return kind


def _checked(fields: list[tuple[str, str]]) -> list[tuple[str, str]]:
    if not all(_is_text(part) for pair in fields for part in pair):
        raise Refused(400, InvalidText("body_not_text"))
    return fields


def _is_text(text: str) -> bool:
    """Whether every database keeps a text: it has no NUL, and no halves of characters."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _parts(kind: str, body: bytes) -> list[tuple[str, str]]:
    message = BytesParser().parsebytes(f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace") + body)
    fields = []
    for part in message.walk():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            try:
                fields.append((name, content.decode("utf-8-sig")))
            except UnicodeDecodeError:
                raise Refused(400, InvalidText("body_not_text")) from None
    if len(fields) > _MOST_FIELDS:
        raise Refused(400, InvalidText("too_many_fields"))
    return fields


def _no_number(text: str) -> None:
    raise InvalidText("json_wrong", key=text)


def _shallow(value: object, levels: int) -> None:
    """Raise Refused where a value is nested too deeply, or holds text that not every database keeps."""
    if isinstance(value, dict | list) and levels == 0:
        raise Refused(400, InvalidText("too_deep", levels=_DEEPEST))
    if isinstance(value, str):
        if not _is_text(value):
            raise Refused(400, InvalidText("body_not_text"))
    elif isinstance(value, dict):
        for name, content in value.items():
            _shallow(name, levels)
            _shallow(content, levels - 1)
    elif isinstance(value, list):
        for content in value:
            _shallow(content, levels - 1)
