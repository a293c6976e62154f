"""Whether what a server answers is what its description says: known fields only, and only the statuses it names."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs

from cinqmille.web.api import make_api

DESCRIBED: dict[str, Any] = make_api().openapi()


def _closed(schema: Any) -> Any:
    """A schema that lets no field pass which it does not name."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(part) for name, part in schema.items()}
    if isinstance(schema.get("properties"), dict):
        closed.setdefault("additionalProperties", False)
    return closed


COMPONENTS = _closed(DESCRIBED["components"])


@cache
def validator(schema: str) -> Any:
    """Return what checks an answer against a named schema."""
    return jsonschema_rs.validator_for({"$ref": f"#/components/schemas/{schema}", "components": COMPONENTS})


def operation(method: str, path: str) -> dict[str, Any]:
    """Return the description of what a request asks for, ``path`` without ``/api``."""
    path = path.partition("?")[0]
    found = [
        methods[method.lower()] for pattern, methods in DESCRIBED["paths"].items()
        if method.lower() in methods and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), path)
    ]  # fmt: skip
    assert len(found) == 1, (method, path)
    described: dict[str, Any] = found[0]
    return described


def fits(method: str, path: str, answer: Any) -> None:
    """Raise unless an answer is as it is described."""
    responses = operation(method, path)["responses"]
    assert str(answer.status_code) in responses, (method, path, answer.status_code, answer.text[:300])
    described = responses[str(answer.status_code)]
    (kind,) = described["content"]
    assert answer.headers["content-type"].partition(";")[0] == kind
    for name in described.get("headers", {}):
        assert name in answer.headers
    schema = described["content"][kind]["schema"]
    if "$ref" in schema:
        validator(schema["$ref"].rpartition("/")[2]).validate(answer.json())
    else:
        assert schema == {"type": "string"}


def fields(schema: str) -> Iterator[tuple[str, str]]:
    """Yield the schemas and fields of an answer, those within it too."""
    yield from dict.fromkeys(_fields(DESCRIBED["components"]["schemas"][schema], schema))


def _fields(part: Any, schema: str) -> Iterator[tuple[str, str]]:
    if isinstance(part, list):
        for one in part:
            yield from _fields(one, schema)
    elif isinstance(part, dict):
        if "$ref" in part:
            name = part["$ref"].rpartition("/")[2]
            yield from _fields(DESCRIBED["components"]["schemas"][name], name)
        if isinstance(part.get("properties"), dict):
            for name, one in part["properties"].items():
                yield schema, name
                yield from _fields(one, schema)
        for name, one in part.items():
            if name not in ("properties", "discriminator"):
                yield from _fields(one, schema)
