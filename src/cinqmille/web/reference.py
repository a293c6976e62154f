"""The page ``/api``: the open API as its own description has it, to read and to try with curl."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response

from cinqmille.web.render import render

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Field:
    """Something that is sent: where (``path``, ``query``, ``body``), what it may be, what it is unless it is sent."""

    name: str
    where: str
    kind: str
    required: bool
    default: str
    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    """What one can ask for: how, with which fields, and an example for the command line."""

    method: str
    path: str
    summary: str
    text: str
    seat: bool
    fields: tuple[Field, ...]
    example: str


@router.get("/api")
async def reference(request: Request) -> Response:
    """The open API on one page."""
    api: FastAPI = request.app.state.api
    described = api.openapi()
    base = str(request.base_url).rstrip("/")
    found = [
        _operation(method, path, one, described, base)
        for path, methods in described["paths"].items()
        for method, one in methods.items()
    ]
    return render(request, "api.html", operations=found, base=base, about=described["info"]["description"])


def _operation(method: str, path: str, one: Mapping[str, Any], described: Mapping[str, Any], base: str) -> Operation:
    content = one.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = _resolved(content.get("schema", {}), described)
    fields = [
        Field(
            parameter["name"], parameter["in"], _kind(parameter["schema"], described), parameter.get("required", False),
            _default(parameter["schema"]), parameter.get("description", ""),
        )
        for parameter in one.get("parameters", ())
    ]  # fmt: skip
    fields += _body(schema, described)
    seat = bool(one.get("security"))
    line = [f"curl {base}/api{path.replace('{id}', 'TABLE')}".replace("{seat}", "1")]
    if method != "get":
        line[0] += f" -X {method.upper()}"
    if seat:
        line.append("-H 'Authorization: Bearer SECRET'")
    if schema:
        sent = {name: _example(part, described) for name, part in schema["properties"].items() if _wanted(name, schema)}
        line.append(f"--json '{json.dumps(sent)}'")
    text = " ".join(str(one.get("description", "")).split())
    return Operation(
        method.upper(), f"/api{path}", one["summary"], text, seat, tuple(fields), " \\\n  ".join(line)
    )  # fmt: skip


def _body(schema: Mapping[str, Any], described: Mapping[str, Any]) -> Iterator[Field]:
    for name, part in schema.get("properties", {}).items():
        required = name in schema.get("required", ())
        yield Field(
            name, "body", _kind(part, described), required, "" if required else _default(part),
            part.get("description", ""),
        )  # fmt: skip


def _resolved(schema: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in schema:
        found: Mapping[str, Any] = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return found
    return schema


def _kind(schema: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    """What a value may be, as one says it: ``integer``, ``bot | skip | remove``, ``list of string``."""
    schema = _resolved(schema, described)
    if "anyOf" in schema:
        return " | ".join(_kind(one, described) for one in schema["anyOf"] if one.get("type") != "null")
    if "enum" in schema:
        return " | ".join(schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'], described)}"
    if "properties" in schema:
        return f"{{{', '.join(schema['properties'])}}}"
    return str(schema.get("type", ""))


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    return "" if default is None else json.dumps(default)


def _wanted(name: str, schema: Mapping[str, Any]) -> bool:
    return name in schema.get("required", ()) or (bool(schema["properties"][name].get("default")) and name == "rules")


def _example(schema: Mapping[str, Any], described: Mapping[str, Any]) -> object:
    schema = _resolved(schema, described)
    if "examples" in schema:
        return schema["examples"][0]
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    return {"integer": 1, "number": 1, "array": []}.get(str(schema.get("type")), "…")
