"""What an online table agrees on, who sits at it, and what its journal holds: the data of :mod:`cinqmille.online`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from cinqmille.errors import InvalidText
from cinqmille.exchange import rules_from_json
from cinqmille.fair import Share
from cinqmille.position import FEWEST_PLAYERS, MOST_PLAYERS
from cinqmille.record import check_name
from cinqmille.rules import Rules

Stage = Literal["gathering", "sealing", "playing", "over"]
Way = Literal["ask", "bot", "skip", "remove"]

LONGEST_NAME = 40
WAYS: tuple[Way, ...] = ("ask", "bot", "skip", "remove")
# Seconds after which the others may act for somebody who is away; 0 means never.
SHORTEST_AFTER, LONGEST_AFTER, USUAL_AFTER = 10, 30 * 86400, 120


@dataclass(frozen=True, slots=True)
class Terms:
    """What a table agreed on when it was opened.

    ``seats`` is how many there are at most; after ``after`` seconds (0: never) the others may act for somebody who is
    away, in the way they like (``then`` is ``ask``), or it happens by itself (``bot``, ``skip``, ``remove``); a bot
    takes ``pace`` milliseconds for each of its steps. ``order`` are names in the order in which they shall play; others
    come after them.
    """

    rules: Rules
    seats: int = MOST_PLAYERS
    after: int = USUAL_AFTER
    then: Way = "ask"
    pace: int = 900
    date: str = ""
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_number("seats", self.seats, FEWEST_PLAYERS, MOST_PLAYERS)
        if self.after != 0:
            _check_number("after", self.after, SHORTEST_AFTER, LONGEST_AFTER)
        _check_number("pace", self.pace, 0, 10_000)
        if self.then not in WAYS:
            raise InvalidText("bad_choice", name="then", value=self.then, choices=WAYS)

    def to_json(self) -> dict[str, object]:
        """Return the terms as plain data."""
        return {
            "rules": self.rules.canonical, "fingerprint": self.rules.fingerprint, "seats": self.seats,
            "after": self.after, "then": self.then, "pace": self.pace, "date": self.date, "order": list(self.order),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Terms:
        """Return the terms of :meth:`to_json`; raise InvalidText where its rules have changed since."""
        return cls(
            rules_from_json(data), data["seats"], data["after"], data["then"], data["pace"], data["date"],
            tuple(data["order"]),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat: its name, its bot's spec or its holder's key, what its chain has shown, and whether a bot stands in.

    A seat that was away and is ``returning`` plays again when the turn in progress is over; one that ``came_back``
    stays for a turn.
    """

    name: str
    bot: str = ""
    key: str = ""
    share: Share | None = None
    host: bool = False
    stand_in: bool = False
    returning: bool = False
    came_back: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened: its number at the table, when (seconds since 1970), whose doing (a seat, None: nobody's), why.

    ``kind`` is one of ``joined bot left shared sealed opened began acted stood_in returned`` and says what ``data``
    holds; ``cause`` is empty, or ``bot``, ``stand_in``, ``absent``.
    """

    number: int
    at: float
    author: int | None
    kind: str
    data: Mapping[str, Any]
    cause: str = ""

    def public(self) -> dict[str, object]:
        """Return the entry as anybody may see it: without keys, which only the store needs."""
        told = {name: value for name, value in self.data.items() if name != "key"}
        return {"number": self.number, "at": round(self.at, 3), "seat": self.author, "kind": self.kind, **told} | (
            {"cause": self.cause} if self.cause else {}
        )


def named(name: str, others: tuple[str, ...]) -> str:
    """Return a name as it stands at a table; raise InvalidText for one that cannot stand there beside the others."""
    name = name.strip()
    if len(name) > LONGEST_NAME:
        raise InvalidText("long_name", most=LONGEST_NAME)
    return check_name(name, others)


def opening(terms: Terms, secret: str, name: str, key: str) -> str:
    """Return what a table begins with, as text to store: its terms, the server's secret, and the host's seat.

    Raises InvalidText for a name that cannot be.
    """
    seats = [{"name": named(name, ()), "bot": "", "key": key}]
    return json.dumps({"terms": terms.to_json(), "secret": secret, "seats": seats}, ensure_ascii=False)


def freed(seats: tuple[Seat, ...], seat: int) -> tuple[Seat, ...]:
    """Return the seats without one; where that was the host's, the first person becomes the host."""
    left = [one for number, one in enumerate(seats) if number != seat]
    if seats[seat].host:
        heir = next(number for number, one in enumerate(left) if not one.bot)
        left[heir] = replace(left[heir], host=True)
    return tuple(left)


def _check_number(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidText("bad_number", name=name, value=str(value)[:40], low=low, high=high)
