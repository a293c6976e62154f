"""What the open API answers, as its description has it: the fields of every answer, and every refusal with its codes.

Nothing is checked against these while the server works; a test holds them against the answers of whole games.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Discriminator, Field, RootModel
from pydantic.json_schema import SkipJsonSchema

Way = Literal["ask", "bot", "skip", "remove"]
Phase = Literal["start", "roll", "choose", "decide", "over"]


def _at_times(text: str) -> Any:
    """A field that an answer may be without."""
    return Field(default=None, description=text, json_schema_extra=_without_default)


def _without_default(schema: dict[str, Any]) -> None:
    del schema["default"]


class Seat(BaseModel):
    """A seat of a table."""

    name: str
    bot: str | None = Field(description="The bot of the server that plays for it; null for a person or a program.")
    stand_in: bool = Field(description="Whether a bot plays on for whoever is away.")
    removed: bool = Field(description="Whether it is passed over until it comes back.")
    chain: bool = Field(description="Whether it has an own share in the dice.")
    links: int = Field(description="How many links of its chain it has shown: 0, or 1 (the opening) and more.")
    score: int


class Keep(BaseModel):
    """Dice that may be set aside."""

    action: str = Field(description="What to send for it: `>155`.")
    dice: list[int]
    points: int


class Gathering(BaseModel):
    """A table whose game has not begun: people sit down, or open their chains."""

    id: str = Field(description="Its name, as in its address.")
    stage: Literal["gathering", "sealing"] = Field(
        description="`gathering` until the start, `sealing` until all chains are opened, `playing`, `over`."
    )
    number: int = Field(description="That of its last entry: what to send as `seen`, and as `after`.")
    rules: str = Field(description="The sheet, and what differs from it.")
    commitment: str = Field(description="The SHA-256 of the server's secret; note it before the first roll.")
    seal: str | None = Field(
        description="That of the record; null until the game is over. Note it: a forged one differs."
    )
    most_seats: int
    after: int = Field(description="Seconds after which the others may act for somebody who is away; 0 for never.")
    then: Way = Field(description="What happens then by itself; `ask` for nothing.")
    me: int | None = Field(description="The seat of whoever asks, from 0; null for somebody who watches.")
    host: int | None = Field(description="The seat of whoever starts the game.")
    awaits: Literal["start", "openings"] = Field(description="What the table waits for.")
    seats: list[Seat] = Field(description="In the order of play.")
    here: list[bool] = Field(description="For each seat whether somebody is there.")
    token: str | SkipJsonSchema[None] = _at_times("The secret of the own seat, where the server made it; told once.")


class Playing(Gathering):
    """A table whose game is played, or over."""

    # These two say less than before the game: for a model that only describes, nothing is ever assigned to them.
    stage: Literal["playing", "over"]  # type: ignore[assignment]
    awaits: Literal["player", "bot", "nothing"]  # type: ignore[assignment]
    to_play: int | None = Field(description="The seat to play; null once nobody is.")
    phase: Phase = Field(
        description="What is to be decided: `start` to take over or roll anew, `roll`, `choose` dice, `decide` to bank "
        "or roll on."
    )
    turn_points: int = Field(description="The points at risk.")
    dice_left: int = Field(description="The dice to roll; in `choose` those on the table.")
    last_roll: str | None = Field(description="The last dice thrown by anybody, as in `11235`.")
    roll: list[int] = Field(description="The dice to choose from; empty unless `phase` is `choose`.")
    keeps: list[Keep] = Field(description="What may be set aside, the most points first.")
    legal: list[str] = Field(description="What whoever is to play may send, one by one.")
    winners: list[int] = Field(description="The seats that have won.")
    position: str = Field(description="All of it in one line, as `cinqmille advise` and `situation` read it.")


class Table(RootModel[Annotated[Gathering | Playing, Discriminator("stage")]]):
    """A table as it stands."""


class _Happened(BaseModel):
    number: int
    at: float = Field(description="Seconds since 1970.")
    seat: int | None = Field(description="Whose doing it was, or whose turn it was that was played; null for nobody's.")


class Joined(_Happened):
    """Somebody sat down."""

    kind: Literal["joined"]
    name: str


class BotSeated(_Happened):
    """The host gave a seat to a bot of the server."""

    kind: Literal["bot"]
    name: str
    bot: str


class Left(_Happened):
    """A seat was freed; those after it move up."""

    kind: Literal["left"]
    left: int = Field(description="The seat that was freed.")


class Shared(_Happened):
    """A seat gave the anchor of its chain."""

    kind: Literal["shared"]
    anchor: str


class Sealed(_Happened):
    """The game was started."""

    kind: Literal["sealed"]


class Opened(_Happened):
    """A seat opened its chain."""

    kind: Literal["opened"]
    link: str


class Began(_Happened):
    """The game began without some openings."""

    kind: Literal["began"]
    without: list[int] = Field(description="The seats that play without an own share in the dice.")


class Acted(_Happened):
    """Something was played."""

    kind: Literal["acted"]
    actions: list[str] = Field(description="As in a record; a roll is its dice.")
    link: str | SkipJsonSchema[None] = _at_times("The link that came with it.")
    returned: bool | SkipJsonSchema[None] = _at_times("True where whoever was away took over from the bot with it.")
    cause: Literal["bot", "stand_in", "absent"] | SkipJsonSchema[None] = _at_times(
        "Where the seat did not do it: its `bot`, a bot that stands in, or the others for somebody `absent`."
    )


class StoodIn(_Happened):
    """A bot plays on for somebody who is away."""

    kind: Literal["stood_in"]
    whom: int = Field(alias="for", description="The seat of whoever is away.")
    cause: Literal["absent"]


class Returned(_Happened):
    """Somebody who was away is back."""

    kind: Literal["returned"]
    later: bool | SkipJsonSchema[None] = _at_times("True where the seat plays again once this turn is over.")


class Entry(
    RootModel[
        Annotated[
            Joined | BotSeated | Left | Shared | Sealed | Opened | Began | Acted | StoodIn | Returned,
            Discriminator("kind"),
        ]
    ]
):
    """Something that happened at a table; `kind` says what, and what more is told."""


class Entries(BaseModel):
    """What happened at a table."""

    number: int = Field(description="That of the table by now.")
    entries: list[Entry]


class Rolls(BaseModel):
    """The rolls of a seat."""

    name: str
    rolls: int
    own: int = Field(description="Those with a link of the seat.")
    alone: int = Field(description="Those that the server alone drew.")


class Verified(BaseModel):
    """A record whose every roll was worked out again."""

    verified: Literal[True]
    kind: Literal["fair-1", "seed"]
    rules: str
    players: list[str]
    rolls: int
    seats: list[Rolls]
    table: str | None = Field(description="The table it was played at; null for dice from a seed.")
    commitment: str | None = Field(description="That of the record; null for dice from a seed.")
    seal: str | None = Field(description="That of the record, likewise.")
    compared: list[Literal["commitment", "seal"]] = Field(
        description="What was sent along and is the same. Without the seal the record may be of another game."
    )


class Refusal(BaseModel, extra="allow"):
    """What is refused and why; some have more: `seconds`, `number`, `line`, …"""

    code: str = Field(description="Stays the same in every version.", examples=["stale"])
    message: str = Field(description="A sentence in the language of `Accept-Language`.")


class Error(BaseModel):
    """A refusal."""

    error: Refusal


REFUSALS = {
    400: "`body_unreadable`, `bad_address`: it cannot be read.",
    401: "`no_secret`: no secret was shown.",
    403: "`foreign_secret`, `host_only`, `not_your_seat`: others may; `other_site`: another site's page asks.",
    404: "`no_table`, `table_gone`: there is no such table.",
    408: "`too_slow`: it did not arrive within 20 seconds.",
    409: "`stale`: something has happened since; look again and decide again.",
    413: "`too_large`: more than 64 kB.",
    415: "`body_kind`: it is not called `application/json`.",
    421: "`other_host`: the server does not answer to this name.",
    422: "`json_wrong`, `not_json`: it is not as described; or a code of the rules or of the table: they "
    "do not allow it.",
    429: "`too_many`: wait as long as `Retry-After` says.",
    431: "`head_too_large`: the address and the headers are too long.",
    500: "`server_failed`: a fault of the server, which its log tells of.",
    503: "`not_stored`, `not_loaded`: the database cannot be reached; `busy`: the server thinks for others; "
    "`stopping`: it is just being started anew. Ask again after `Retry-After` seconds.",
}
_WAIT = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
_SHOW = {"WWW-Authenticate": {"description": "`Bearer`.", "schema": {"type": "string"}}}
_HEADERS = {401: _SHOW, 429: _WAIT, 503: _WAIT}


def refusals(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what an operation may be refused with: the status, and how the description tells of it."""
    never: set[int] = set()
    if method == "get":
        never |= {408, 409, 413}
    if "requestBody" not in operation:
        never.add(415)
    if not operation.get("security") or method == "get":
        never.add(401)
    if "{id}" not in path:
        never |= {404, 409}
    if method == "get" and not operation.get("security"):
        never.add(403)
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for status, text in REFUSALS.items():
        if status not in never:
            headers = {"headers": _HEADERS[status]} if status in _HEADERS else {}
            yield str(status), {"description": text, **headers, "content": error}
