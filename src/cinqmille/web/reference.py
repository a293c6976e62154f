"""The page ``/api``: the open API as its own description has it, to read and to try with curl."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response

from cinqmille.web.answers import REFUSALS
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
class Told:
    """Something that an answer holds: what it may be, and when it is there (empty: always)."""

    name: str
    kind: str
    when: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or a part of one, with what it holds."""

    name: str
    text: str
    holds: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """What one can ask for: how, with which fields, an example for the command line, and what is answered.

    ``answer`` names an :class:`Answer`, or is the kind of an answer that is not JSON; ``refusals`` are the statuses.
    """

    method: str
    path: str
    summary: str
    text: str
    seat: bool
    fields: tuple[Field, ...]
    example: str
    answer: str
    refusals: tuple[str, ...]


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
    names = dict.fromkeys(
        part for one in found if one.answer in described["components"]["schemas"]
        for part in (one.answer, *_parts(one.answer, described))
    )  # fmt: skip
    return render(
        request, "api.html", operations=found, base=base, about=described["info"]["description"],
        answers=[_answer(name, described) for name in (*names, "Error", "Refusal")], refusals=REFUSALS,
    )  # fmt: skip


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
    given = next(answer for status, answer in one["responses"].items() if status < "3")["content"]
    ((medium, content),) = given.items()
    return Operation(
        method.upper(), f"/api{path}", one["summary"], text, seat, tuple(fields), " \\\n  ".join(line),
        _name(content["schema"]) or medium, tuple(status for status in sorted(one["responses"]) if status >= "4"),
    )  # fmt: skip


def _answer(name: str, described: Mapping[str, Any]) -> Answer:
    """The fields of a schema; of one that has variants, all of them, and in which variants each of them is."""
    schema = described["components"]["schemas"][name]
    variants = [_resolved(one, described) for one in schema.get("oneOf", ())] or [schema]
    mapping = schema.get("discriminator", {}).get("mapping", {})
    kinds: dict[str, dict[str, None]] = {}
    when: dict[str, list[str]] = {}
    always: dict[str, bool] = {}
    texts: dict[str, str] = {}
    for variant in variants:
        values = [value for value, ref in mapping.items() if _resolved({"$ref": ref}, described) is variant]
        for field, part in variant["properties"].items():
            kinds.setdefault(field, {}).setdefault(_kind(part, described, told=True))
            when.setdefault(field, []).extend(values)
            always[field] = always.get(field, True) and field in variant.get("required", ())
            texts.setdefault(field, part.get("description", ""))
    holds = (
        Told(
            field, " | ".join(kinds[field]),
            " ".join(
                [*(["sometimes"] if not always[field] else []),
                 *([" | ".join(when[field])] if len(when[field]) < len(mapping) else [])]
            ),
            texts[field],
        )
        for field in kinds
    )  # fmt: skip
    return Answer(name, schema.get("description", ""), tuple(holds))


def _parts(name: str, described: Mapping[str, Any]) -> Iterator[str]:
    """The schemas that a schema speaks of by name, in the order in which one meets them; variants are no parts."""
    schema = described["components"]["schemas"][name]
    for variant in [_resolved(one, described) for one in schema.get("oneOf", ())] or [schema]:
        for part in variant["properties"].values():
            if found := _name(part.get("items", part)):
                yield found
                yield from _parts(found, described)


def _name(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


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


def _kind(schema: Mapping[str, Any], described: Mapping[str, Any], *, told: bool = False) -> str:
    """What a value may be, as one says it: ``integer``, ``bot | skip | remove``, ``list of string``.

    What is ``told`` in an answer has its parts named, and may be null; what is sent is shown with its fields.
    """
    if told and "$ref" in schema:
        return _name(schema)
    schema = _resolved(schema, described)
    if "anyOf" in schema:
        kinds = schema["anyOf"] if told else [one for one in schema["anyOf"] if one.get("type") != "null"]
        return " | ".join(_kind(one, described, told=told) for one in kinds)
    if "enum" in schema:
        return " | ".join(schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"]).strip('"')
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'], described, told=told)}"
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
