"""Players that are programs: the protocol, one registry, one spec string (``steady:350``).

A bot sees a position and answers with one of its legal actions; it reads the same rules as people do, so it
obeys every rule sheet. Bots never draw dice: the table does that for everybody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from cinqmille.actions import Action, Bank, RollOn, SetAside, TakeOver
from cinqmille.errors import InvalidText
from cinqmille.game import bank_problem, legal_keeps
from cinqmille.position import Position
from cinqmille.scoring import Keep

_BANK, _ROLL_ON, _TAKE_OVER = Bank(), RollOn(), TakeOver()


class Bot(Protocol):
    """A player that is a program."""

    @property
    def spec(self) -> str:
        """The text that makes this bot again, ``steady:350``."""
        ...

    def choose(self, position: Position) -> Action:
        """Return a legal action for the player to play; asked in the phases start, choose and decide only."""
        ...


@dataclass(frozen=True, slots=True)
class Steady:
    """Sets aside what is worth most and banks as soon as the turn has ``threshold`` points.

    It rolls on below the threshold, banks whatever reaches the target, keeps less where more would pass an
    exact target, and takes over a turn when its points come with at least three dice.
    """

    threshold: int = 350

    @property
    def spec(self) -> str:
        """``steady:350``."""
        return f"steady:{self.threshold}"

    def choose(self, position: Position) -> Action:
        """Return the action of the threshold rule."""
        match position.phase:
            case "choose":
                return SetAside(self._keep(position).dice)
            case "decide":
                return _BANK if self._banks(position) else _ROLL_ON
            case _:
                offer = position.offer
                return _TAKE_OVER if offer is not None and (offer.dice or position.rules.dice) >= 3 else _ROLL_ON

    def _keep(self, position: Position) -> Keep:
        keeps = legal_keeps(position)
        if position.rules.exact:
            room = position.rules.target - position.score - position.turn_points
            fitting = [keep for keep in keeps if keep.points <= room]
            # On the target first; otherwise what leaves room enough is as good as any.
            return fitting[0] if fitting else keeps[-1]
        return keeps[0]

    def _banks(self, position: Position) -> bool:
        points = position.turn_points
        if bank_problem(position, points, position.dice_left) is not None:
            return False
        return points >= self.threshold or position.score + points >= position.rules.target


@dataclass(frozen=True, slots=True)
class Kind:
    """A registered kind of bot: what makes one from the text after the colon (None if it cannot), and its help."""

    make: Callable[[str], Bot | None]
    help: str


def _steady(argument: str) -> Bot | None:
    if not argument:
        return Steady()
    return Steady(int(argument)) if argument.isdecimal() and len(argument) <= 7 else None


BOTS: dict[str, Kind] = {
    "steady": Kind(_steady, "Banks as soon as the turn has so many points: steady:500 (350 unless another is given)."),
}


def bot(spec: str) -> Bot:
    """Return the bot that ``spec`` names, ``steady`` or ``steady:500``; raise InvalidText with the known ones."""
    name, _, argument = spec.strip().partition(":")
    made = BOTS[name].make(argument.strip()) if name in BOTS else None
    if made is None:
        raise InvalidText("unknown_bot", spec=spec.strip(), known=(*BOTS, "steady:500"))
    return made
