"""What a roll is worth: every legal set-aside with its points, each once (RULES §2.2-2.4).

``score(rules, roll)`` looks a roll up once and for all; ``keeps(rules, roll)`` is the tuple most people want.
A roll that wins at once has neither keeps nor bust.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import index

from cinqmille.errors import IllegalAction, InvalidText
from cinqmille.patterns import FACES, Dice, Meld
from cinqmille.rules import Rules

__all__ = ["Keep", "Meld", "Roll", "Scored", "format_dice", "keeps", "parse_dice", "score"]


def parse_dice(text: str) -> Dice:
    """Return the faces written as ``15534``, ``1 5 5 3 4`` or ``1-5-5-3-4``; raise InvalidText otherwise."""
    faces = re.sub(r"[\s,;]+|(?<=[0-9])-(?=[0-9])", "", text)
    wrong = [symbol for symbol in faces if symbol not in "123456"]
    if wrong or not faces:
        raise InvalidText("bad_dice", text=text.strip(), wrong=wrong[0] if wrong else "")
    return tuple(int(symbol) for symbol in faces)


def format_dice(dice: Iterable[int]) -> str:
    """Return the faces as one word, ``15534``."""
    return "".join(map(str, dice))


@dataclass(frozen=True, slots=True)
class Roll:
    """Dice as they fell, in the order seen."""

    dice: Dice

    def __post_init__(self) -> None:
        object.__setattr__(self, "dice", tuple(map(index, self.dice)))

    @classmethod
    def parse(cls, text: str) -> Roll:
        """Return the roll written as ``15534`` or ``1 5 5 3 4``; raise InvalidText otherwise."""
        return cls(parse_dice(text))

    def __str__(self) -> str:
        return format_dice(self.dice)


@dataclass(frozen=True, slots=True)
class Keep:
    """A legal set-aside of a roll: the sorted dice, their points, and the combinations that make them."""

    dice: Dice
    points: int
    melds: tuple[Meld, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{format_dice(self.dice)}={self.points}"

    @classmethod
    def parse(cls, text: str) -> Keep:
        """Return the keep written as ``155=200``, equal to the one :func:`keeps` finds; raise InvalidText otherwise."""
        match = re.fullmatch(r"\s*([1-6]{1,8})=([0-9]{1,9})\s*", text)
        if match is None:
            raise InvalidText("bad_keep", text=text.strip())
        return cls(tuple(sorted(parse_dice(match[1]))), int(match[2]))


@dataclass(frozen=True, slots=True)
class Scored:
    """A roll read against the rules: whether it wins, and its keeps, most points first."""

    dice: Dice
    wins: bool
    keeps: tuple[Keep, ...]
    by_dice: dict[Dice, Keep]

    @property
    def best(self) -> Keep | None:
        """The keep with the most points (of equals, the one with the most dice); None for a bust or a win."""
        return self.keeps[0] if self.keeps else None

    @property
    def bust(self) -> bool:
        """Whether no die scores (RULES §2.2)."""
        return not self.keeps and not self.wins

    @property
    def full(self) -> bool:
        """Whether every die can be set aside; a roll that wins counts as full."""
        return self.wins or tuple(sorted(self.dice)) in self.by_dice


def score(rules: Rules, roll: Roll | str | Iterable[int]) -> Scored:
    """Return what ``roll`` (a Roll, its text, or faces) is worth.

    Raises InvalidText for faces that are none, IllegalAction for more dice than the game has.
    """
    dice = (
        roll.dice if isinstance(roll, Roll) else parse_dice(roll) if isinstance(roll, str) else Roll(tuple(roll)).dice
    )
    return scored(rules, dice)


def scored(rules: Rules, dice: Dice) -> Scored:
    """The quick form of :func:`score` for the engine: faces in, every answer remembered."""
    found: Scored | None = rules.table.scored.get(dice)
    if found is None:
        found = rules.table.scored[dice] = _score(rules, dice)
    return found


def keeps(rules: Rules, roll: Roll | str | Iterable[int]) -> tuple[Keep, ...]:
    """Return every distinct legal set-aside of ``roll``, most points first; see :func:`score`."""
    return score(rules, roll).keeps


def _score(rules: Rules, dice: Dice) -> Scored:
    for face in dice:
        if face not in FACES:
            raise InvalidText("bad_dice", text=" ".join(map(str, dice)), wrong=str(face))
    if not 1 <= len(dice) <= rules.dice:
        raise IllegalAction("too_many_dice", dice=dice, count=len(dice), most=rules.dice)
    ordered = tuple(sorted(dice))
    if dice != ordered:
        same = scored(rules, ordered)
        return Scored(dice, same.wins, same.keeps, same.by_dice)
    found = [Keep(part, cover[0], cover[1]) for part, cover in rules.table.sets(ordered).items()]
    found.sort(key=lambda keep: (-keep.points, -len(keep.dice), keep.dice))
    return Scored(dice, rules.table.wins_at_once(ordered), tuple(found), {keep.dice: keep for keep in found})
