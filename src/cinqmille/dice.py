"""Where dice come from: the system's generator, a seed, a table online, or real dice that somebody types in.

A game records how its dice were drawn in its ``dice:`` header: ``system``, ``seed 42``, ``real`` or ``fair-1 …``. Rolls
are numbered from 0 through the whole game, and a source gives roll number i the same dice whenever it is asked
again: a game that is resumed goes on exactly, and nothing that is taken back can be rolled better.

Seeded dice are the bytes of SHA-256 of ``SEED/i/block``, so they do not depend on any library's generator.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from cinqmille import fair
from cinqmille.errors import IllegalAction, InvalidText
from cinqmille.patterns import FACES, Dice

MOST_DICE = 8


class DiceSource(Protocol):
    """Something that rolls dice, or leaves that to the people at the table."""

    @property
    def header(self) -> str:
        """How these dice are drawn, as the record's ``dice:`` header says it; :func:`parse_source` reads it."""
        ...

    def roll(self, number: int, count: int) -> Dice | None:
        """Return the first ``count`` dice of roll ``number`` (from 0); None when they are typed in."""
        ...


@dataclass(slots=True)
class SystemDice:
    """Fair dice from the operating system's generator; nobody can foresee them, the program included.

    The last roll is remembered: one that could not be stored is not rolled again. One source serves one game.
    """

    header: str = field(default="system", init=False)
    _last: tuple[int, Dice] | None = field(default=None, init=False, repr=False)

    def roll(self, number: int, count: int) -> Dice:
        """Return the dice of roll ``number``, drawn when first asked for."""
        if self._last is None or self._last[0] != number:
            self._last = number, tuple(secrets.choice(FACES) for _ in range(MOST_DICE))
        return self._last[1][:count]


@dataclass(frozen=True, slots=True)
class SeededDice:
    """Fair dice that depend on a seed and the number of the roll only, for games that can be repeated."""

    seed: str

    @property
    def header(self) -> str:
        """``seed 42``."""
        return f"seed {self.seed}"

    def roll(self, number: int, count: int) -> Dice:
        """Return the dice of roll ``number``."""
        return tuple(islice(fair.seeded_faces(self.seed, number), count))


@dataclass(frozen=True, slots=True)
class RealDice:
    """Dice on a real table: none are drawn, the people type what they see."""

    header: str = field(default="real", init=False)

    def roll(self, number: int, count: int) -> None:
        """Return None: these dice come from outside."""


@dataclass(frozen=True, slots=True)
class FairDice:
    """The dice of a game played online, which only its own table can draw: here the game can be looked at."""

    header: str

    def roll(self, number: int, count: int) -> Dice:
        """Raise IllegalAction: without the server's secret and the players' links there is no next roll."""
        raise IllegalAction("fair_elsewhere", table=fair.read_header(self.header).table)


def parse_source(text: str) -> DiceSource:
    """Return the dice that a record's ``dice:`` header names; raise InvalidText otherwise."""
    words = text.split()
    match words:
        case ["system"]:
            return SystemDice()
        case ["real"]:
            return RealDice()
        case ["seed", seed] if fair.SEED.fullmatch(seed):
            return SeededDice(seed)
        case [fair.NAME, *_]:
            fair.read_header(text.strip())
            return FairDice(text.strip())
        case _:
            raise InvalidText("bad_dice_source", text=text.strip())


def new_source(text: str) -> DiceSource:
    """Return the dice that an option names for a new game, which are not those of a table online; or InvalidText."""
    source = parse_source(text)
    if isinstance(source, FairDice):
        raise InvalidText("bad_dice_source", text=fair.NAME)
    return source
