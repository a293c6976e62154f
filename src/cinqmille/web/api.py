"""The open API under ``/api``: tables for programs, with the same commands and refusals as the pages.

A program shows the secret of its seat as ``Authorization: Bearer``; cookies count for nothing here. Every refusal is
``{"error": {"code", "message"}}``. ``/api`` itself is a page that shows all of it and lets one try.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from cinqmille.actions import parse_action
from cinqmille.errors import CinqMilleError, IllegalAction, InvalidText
from cinqmille.fair import new_secret, verify
from cinqmille.online import Change, OnlineTable
from cinqmille.position import FEWEST_PLAYERS, MOST_PLAYERS
from cinqmille.rules import Rules
from cinqmille.seating import LONGEST_AFTER, USUAL_AFTER, Terms
from cinqmille.web import answers
from cinqmille.web.holders import key_of
from cinqmille.web.refusals import Refused, answer
from cinqmille.web.setup import today
from cinqmille.web.streams import EventStream, waiting
from cinqmille.web.tables import Far, Tables, new_id
from cinqmille.web.thinking import Thinking

_QUIET = 20.0
_JSON = re.compile(r"application/([^/]+\+)?json")
# The framework would look before every request whether somebody collects traces of it, secrets among them.
UNWATCHED: Any = {"tracing": False, "metrics": False, "logs": False}

Secret = Annotated[
    str | None,
    Field(
        min_length=20, max_length=200, pattern=r"^[\x21-\x7e]+$",
        description="The secret of the seat, made by the program itself, so that asking twice is asking once. "
        "Without it the server makes one and returns it as `token`.",
    ),
]  # fmt: skip
Link = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Id = Annotated[str, Path(min_length=1, max_length=64, description="The name of the table, as in its address.")]
After = Annotated[int, Query(ge=0, le=10**9, description="The number of the last entry that is known already.")]
Command = Callable[[OnlineTable], Change | None]
Bearer: dict[str, Any] = {"security": [{"seat": []}]}


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class BotSeat(_Body):
    """A bot and its name at the table."""

    bot: str = Field(max_length=80, examples=["steady:350"])
    name: str = Field(max_length=200)


class NewTable(_Body):
    """A table to open; whoever opens it has the first seat."""

    name: str = Field(max_length=200, description="The name of the one who opens the table.", examples=["Ana"])
    rules: str = Field("cinq-des", max_length=2000, description="A sheet, or a sheet and what differs.")
    seats: int = Field(MOST_PLAYERS, description="How many may sit down at most, 2 to 8.")
    bots: list[BotSeat] = Field(default=[], max_length=MOST_PLAYERS - 1)
    after: int = Field(
        USUAL_AFTER, le=LONGEST_AFTER,
        description="Seconds after which the others may act for somebody who is away; 0 for never.",
    )  # fmt: skip
    then: Literal["ask", "bot", "skip", "remove"] = Field("ask", description="What happens then by itself.")
    pace: int = Field(900, description="Milliseconds that a bot of the server takes for a step.")
    secret: Secret = None
    anchor: Link | None = Field(None, description="Link 0 of the chain of this seat: its own share in the dice.")
    once: str | None = Field(
        None, min_length=8, max_length=100, pattern=r"^[\x20-\x7e]+$",
        description="A word of the program's own for this table; needs a `secret`. Both together open one table only: "
        "asked again, the answer is that table as it is by then.",
    )  # fmt: skip


class Join(_Body):
    """Somebody who sits down."""

    name: str = Field(max_length=200, examples=["Ben"])
    secret: Secret = None
    anchor: Link | None = None


class Chain(_Body):
    """Link 0 of a chain while people gather, or its opening (link 1) once the table is started."""

    anchor: Link | None = None
    opening: Link | None = None


class Act(_Body):
    """What a seat does: actions in their text form, played all or none."""

    seen: int = Field(description="The number of the table that this was decided on.")
    actions: list[Annotated[str, Field(max_length=40)]] = Field(
        min_length=1, max_length=4, examples=[["roll"], [">155", "="], [">155", "roll"]],
        description="`roll`, `>155` (set aside), `=` (bank), `+` (take over), `?50` (announce), `leave 2`, `back 2`.",
    )  # fmt: skip
    link: Link | None = Field(None, description="The next link of the seat's chain, for whatever rolls.")


class Absent(_Body):
    """What is done about a seat that is away."""

    seen: int
    seat: int = Field(description="The seat, from 0.")
    then: Literal["bot", "skip", "remove"]


class Record(_Body):
    """A record to check."""

    record: str = Field(max_length=60_000)
    commitment: Link | None = Field(None, description="The one that was noted before the game.")
    seal: Link | None = Field(None, description="The one that was noted when the game was over.")


def make_api() -> FastAPI:
    """Return the API; whoever mounts it gives it the state of the app."""
    api = FastAPI(
        title="Cinq Mille", version="1", docs_url=None, redoc_url=None, telemetry=UNWATCHED,
        description="Tables of 5000 and its family for programs: open one, join, follow, act.",
    )  # fmt: skip
    table: Any = {"responses": {200: {"model": answers.Table}}}
    held = table | {"openapi_extra": Bearer}
    api.post(
        "/tables",
        status_code=201,
        summary="Open a table",
        responses={201: {"model": answers.Table}, **table["responses"]},
    )(open_table)
    api.get("/tables/{id}", summary="A table as it stands", **held)(see)
    api.post("/tables/{id}/seats", summary="Sit down", **table)(join)
    api.delete("/tables/{id}/seats/{seat}", summary="Free a seat", **held)(leave)
    api.post("/tables/{id}/chain", summary="Give or open the chain of a seat", **held)(chain)
    api.post("/tables/{id}/start", summary="Start", **held)(start)
    api.post("/tables/{id}/begin", summary="Begin without missing openings", **held)(begin)
    api.post("/tables/{id}/actions", summary="Play", **held)(act)
    api.post("/tables/{id}/absent", summary="Act for a seat that is away", **held)(absent)
    api.post("/tables/{id}/back", summary="Take the own seat over again", **held)(back)
    happened: Any = {"responses": {200: {"model": answers.Entries}}, "openapi_extra": Bearer}
    api.get("/tables/{id}/events", summary="What happened since", **happened)(events)
    api.get(
        "/tables/{id}/live", summary="What happened since, and all that happens (SSE)", openapi_extra=Bearer,
        response_class=EventStream, status_code=200,
    )(follow)  # fmt: skip
    api.get("/tables/{id}/record", summary="The record", response_class=PlainTextResponse)(record)
    api.post("/verify", summary="Check the dice of a record", responses={200: {"model": answers.Verified}})(check)
    for kind in (HTTPException, RequestValidationError, CinqMilleError, Exception):
        api.exception_handler(kind)(_refused)
    described = api.openapi

    def openapi() -> dict[str, Any]:
        return api.openapi_schema or _completed(described())

    api.openapi = openapi  # type: ignore[method-assign]
    return api


def _completed(schema: dict[str, Any]) -> dict[str, Any]:
    """The description with what every path has: how a secret is shown, and what may be refused."""
    components = schema["components"]
    components["securitySchemes"] = {"seat": {"type": "http", "scheme": "bearer"}}
    schema["servers"] = [{"url": "/api"}]
    schemas = components["schemas"]
    del schemas["HTTPValidationError"], schemas["ValidationError"]  # never come
    error = answers.Error.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= error.pop("$defs") | {"Error": error}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            operation["responses"] |= dict(answers.refusals(method, path, operation))
    return schema


async def open_table(request: Request, body: NewTable) -> Response:
    """Open a table. The answer holds the table, one's seat as `me`, and `token` where the program gave no secret.

    With `secret` and `once`, opening twice is opening once: 200 says that the table was there already.
    """
    request.app.state.limits.check("tables", request)
    terms = Terms(Rules.parse(body.rules), body.seats, body.after, body.then, body.pace, today())
    token = body.secret or secrets.token_urlsafe(32)
    key, id = key_of(token), _named_by(body)
    await _ready(request, terms.rules, [one.bot for one in body.bots], len(body.bots) + 1)
    first = [_seats(one) for one in body.bots]
    if body.anchor is not None:
        first.append(lambda table: table.share(0, body.anchor or "", time.time()))
    # Where an answer got lost half-way through these, the next try does what is missing: each is the entry it is.
    first = [_unless_done(number, command) for number, command in enumerate(first, 1)]
    live = await _tables(request).get(id) if body.once else None
    new = not isinstance(live, Far)
    if not isinstance(live, Far):
        live = await _tables(request).open_far("", terms, new_secret(), body.name, key, id, first)
    else:
        for command in first:
            live = await _do(request, live, command)
    me = live.online.seat_of(key)
    if me is not None:
        _tables(request).touch(live, me)
    return _json(_state(live, me) | ({} if body.secret else {"token": token}), 201 if new else 200)


async def join(request: Request, id: Id, body: Join) -> Response:
    """Sit down with a name. Whoever has a seat already, by the secret, keeps it: joining twice is joining once."""
    live = await _far(request, id)
    request.app.state.limits.check("seats", request)
    shown = _bearer(request)
    token = shown if live.online.seat_of(key_of(shown)) is not None else body.secret or secrets.token_urlsafe(32)
    key = key_of(token)
    live = await _do(request, live, lambda table: table.join(body.name, key, time.time()))
    me = live.online.seat_of(key)
    assert me is not None
    if body.anchor is not None and live.online.stage == "gathering":
        live = await _do(request, live, lambda table: table.share(me, body.anchor or "", time.time()))
    _tables(request).touch(live, me)
    return _json(_state(live, me) | ({} if body.secret or shown == token else {"token": token}))


async def leave(request: Request, id: Id, seat: int) -> Response:
    """Free a seat before the game: one's own, or as the host anybody's."""
    return await _acted(request, id, lambda table, me: table.leave(me, seat, time.time()))


async def see(request: Request, id: Id) -> Response:
    """The table: its seats and who is there, and in a game the position and what is `legal` for whoever is to play."""
    live = await _far(request, id)
    return _json(_state(live, _present(request, live)))


async def chain(request: Request, id: Id, body: Chain) -> Response:
    """Give the anchor of the own chain while people gather; its opening once `awaits` is `openings`."""

    def shared(table: OnlineTable, me: int) -> Change | None:
        if body.opening is not None:
            return table.open_chain(me, body.opening, time.time())
        return table.share(me, body.anchor or "", time.time())

    return await _acted(request, id, shared)


async def start(request: Request, id: Id) -> Response:
    """Close the seats. Without chains the game begins at once, otherwise when every chain is opened. Starting twice is
    starting once. The host does it, or anybody seated while the host is away."""
    live = await _far(request, id)
    host = live.online.host
    away = host is not None and not live.here(host)
    bots = [one.bot for one in live.online.seats if one.bot]
    return await _acted(request, id, lambda table, me: table.start(me, time.time(), host_away=away), bots=bots)


async def begin(request: Request, id: Id) -> Response:
    """Begin without the openings that are missing; anybody seated may, ten seconds after the start."""
    return await _acted(request, id, lambda table, me: table.begin(me, time.time()))


async def act(request: Request, id: Id, body: Act) -> Response:
    """Play for the own seat. What is stale, double, illegal or another's is refused and changes nothing."""
    actions = tuple(parse_action(text) for text in body.actions)
    return await _acted(
        request, id, lambda table, me: table.act(me, actions, seen=body.seen, link=body.link, now=time.time()),
        seen=body.seen,
    )  # fmt: skip


async def absent(request: Request, id: Id, body: Absent) -> Response:
    """Let a bot play on for a seat that is away, skip its turn, or remove it, after the delay the table agreed on."""
    live = await _far(request, id)

    def decided(table: OnlineTable, me: int) -> Change:
        since = live.last_seen(body.seat) if 0 <= body.seat < len(table.seats) else 0.0
        return table.act_for(me, body.seat, body.then, seen=body.seen, since=since, now=time.time())

    return await _acted(request, id, decided)


async def back(request: Request, id: Id) -> Response:
    """Take the own seat over again, from the bot that stood in, or after having been removed."""
    return await _acted(request, id, lambda table, me: table.come_back(me, time.time()))


async def events(
    request: Request, id: Id, after: After = 0, wait: Annotated[float, Query(ge=0, le=60)] = 0
) -> Response:
    """Return what happened after entry `after`; waits up to `wait` seconds for something to happen.

    Nothing has where `entries` is empty: ask again. Whoever waits counts as an open stream.
    """
    live = await _far(request, id)
    me = _present(request, live)
    tables = _tables(request)
    if wait:
        _hold(request, live, me)
    with tables.present(live, me) as watcher:
        until = time.monotonic() + wait

        def end() -> None:
            nonlocal until
            until = 0.0
            watcher.wake()

        found = await tables.entries(live, after)
        if wait and not found:
            with waiting(request, end):
                while not found and (left := until - time.monotonic()) > 0:
                    await watcher.news(left)
                    found = await tables.entries(live, after)
    return _json({"number": live.online.number, "entries": [entry.public() for entry in found]})


async def follow(request: Request, id: Id, after: After = 0) -> EventStream:
    """Events of the kind `entry` (what happened; `id` is its number) and `here` (who is there), as they come.

    A client that comes back says what it has, by `after` or `Last-Event-ID`, and gets what it missed.
    """
    live = await _far(request, id)
    me = _present(request, live)
    last = request.headers.get("last-event-id", "")
    number = int(last) if last.isascii() and last.isdecimal() and len(last) < 10 else after
    tables = _tables(request)
    _hold(request, live, me)

    async def told() -> AsyncGenerator[str, None]:
        here: list[bool] | None = None
        last = number
        with tables.present(live, me) as watcher:
            while True:
                for entry in await tables.entries(live, last):
                    last = entry.number
                    yield f"id: {last}\nevent: entry\ndata: {_text(entry.public())}\n\n"
                now = [live.here(seat) for seat in range(len(live.online.seats))]
                if now != here:
                    here = now
                    yield f"event: here\ndata: {_text(now)}\n\n"
                while not await watcher.news(_QUIET):
                    yield ": still here\n\n"

    return EventStream(told())


async def record(request: Request, id: Id) -> PlainTextResponse:
    """The record of the game; when it is over the server's secret is in it, and anybody can check the dice."""
    live = await _far(request, id)
    if live.online.table is None:
        raise IllegalAction("not_begun")
    return PlainTextResponse(live.online.record)


async def check(request: Request, body: Record) -> Response:
    """Work out every roll of a record again; refused where one differs."""
    return _json(verify(body.record, body.commitment, body.seal).to_json())


# What they have in common


def _tables(request: Request) -> Tables:
    tables: Tables = request.app.state.tables
    return tables


async def _far(request: Request, id: str) -> Far:
    live = await _tables(request).get(id)
    if not isinstance(live, Far):
        request.app.state.limits.check("wrong_tokens", request)
        raise Refused(404, IllegalAction("no_table"))
    return live


def _bearer(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _present(request: Request, live: Far) -> int | None:
    """The seat of whoever asks, None for somebody who watches; a token of no seat is refused."""
    token = _bearer(request)
    me = live.online.seat_of(key_of(token))
    if me is None and token:
        request.app.state.limits.check("wrong_tokens", request)
        raise Refused(403, IllegalAction("foreign_secret"))
    if me is not None:
        _tables(request).touch(live, me)
    return me


def _hold(request: Request, live: Far, me: int | None) -> None:
    request.app.state.limits.hold(request, "" if me is None else f"{live.id} {me}")


async def _do(request: Request, live: Far, command: Command, *, seen: int = 0) -> Far:
    return await _tables(request).command(live, command, seen=min(seen, live.online.number + 1))


async def _acted(
    request: Request, id: str, command: Callable[[OnlineTable, int], Change | None], *,
    seen: int = 0, bots: Sequence[str] = (),
) -> Response:  # fmt: skip
    live = await _far(request, id)
    me = _present(request, live)
    if me is None:
        raise Refused(401, IllegalAction("no_secret"), {"WWW-Authenticate": "Bearer"})
    request.app.state.limits.check("commands", f"{id} {live.online.seats[me].key}")
    try:
        await _ready(request, live.online.terms.rules, bots, len(live.online.seats))
        live = await _do(request, live, lambda table: command(table, me), seen=seen)
    except CinqMilleError as error:
        request.app.state.metrics.action(error.code)
        raise
    request.app.state.metrics.action()
    return _json(_state(live, live.online.seat_of(key_of(_bearer(request)))))


def _named_by(body: NewTable) -> str:
    """The name of the table to open: a new one, or the one that a secret and the program's own word have."""
    if body.once is None:
        return new_id()
    if body.secret is None:
        raise InvalidText("once_without_secret")
    digest = hashlib.sha256(f"table {body.secret} {body.once}".encode()).digest()
    return urlsafe_b64encode(digest).decode()[: len(new_id())]


def _unless_done(number: int, command: Command) -> Command:
    """Return a command that makes entry ``number``, and nothing where that is there already."""
    return lambda table: command(table) if table.number < number else None


async def _ready(request: Request, rules: Rules, bots: Sequence[str], players: int) -> None:
    thinking: Thinking = request.app.state.thinking
    await thinking.ready(request, rules, bots, max(FEWEST_PLAYERS, players))


def _seats(one: BotSeat) -> Command:
    return lambda table: table.seat_bot(table.host or 0, one.bot, one.name, time.time())


def _state(live: Far, me: int | None) -> dict[str, object]:
    state = live.online.public(me=me)
    return state | {"here": [live.here(seat) for seat in range(len(live.online.seats))]}


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _json(value: object, status: int = 200) -> Response:
    return Response(_text(value), status, media_type="application/json")


async def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, RequestValidationError) and error.errors()[0]["loc"][0] == "body":
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        # Only what is called JSON was read as such; a form of another site is never.
        if (kind or error.body) and not _JSON.fullmatch(kind):
            error = Refused(415, InvalidText("body_kind", expected="application/json", kind=kind or "?"))
    return answer(request, error)
