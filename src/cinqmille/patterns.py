"""Combinations as they are written on a rule sheet, and what sets of dice they are worth.

A *pattern* reads as it lies on the table (RULES §3): a digit is that face, a letter any face, different
letters different faces. The value is a number of points, ``n*A`` (n times the face of letter A), ``win``
(wins at once when rolled) or ``none`` (not a combination). For one set of dice the pattern with the most
digits decides, so that ``111=1000`` beats ``AAA=100*A``; between equals the larger value counts.

Everything here knows dice and points only; what may be done with them is the business of ``rules`` and
``game``. Sets of dice are sorted tuples of faces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, permutations
from math import gcd
from typing import Any

from cinqmille.errors import InvalidRules

FACES = (1, 2, 3, 4, 5, 6)

Dice = tuple[int, ...]

_VALUE = re.compile(r"(?:(?P<points>[0-9]{1,9})|(?P<times>[0-9]{1,9})\s*\*\s*(?P<letter>[A-F])|(?P<word>win|none))\Z")
_PATTERN = re.compile(r"(?=[1-6]*[A-F]|[1-6])[1-6A-F]+\Z")


@dataclass(frozen=True, slots=True)
class Combination:
    """One line of a scoring table: a pattern and its value, both normalised.

    ``CCAABB`` and ``AABBCC`` are the same pattern and become equal objects. ``points`` is the value, or the
    number the face of ``letter`` is multiplied by; ``kind`` is ``points``, ``win`` or ``none``.
    """

    pattern: str
    kind: str
    points: int = 0
    letter: str = ""

    @classmethod
    def parse(cls, pattern: str, value: str | int) -> Combination:
        """Return the combination written as ``pattern = value``; raise InvalidRules when it cannot be read."""
        pattern = str(pattern).strip()
        if not _PATTERN.match(pattern):
            raise InvalidRules("bad_pattern", pattern=pattern)
        match = None if isinstance(value, bool) else _VALUE.match(str(value).strip())
        if match is None:
            raise InvalidRules("bad_combination_value", pattern=pattern, value=str(value))
        normal, renamed = _normalise(pattern, match["letter"] or "")
        if match["word"]:
            return cls(normal, match["word"])
        letter = match["letter"] or ""
        if letter and letter not in pattern:
            raise InvalidRules("letter_not_in_pattern", pattern=pattern, letter=letter)
        points = int(match["points"] or match["times"])
        if not 1 <= points <= 1_000_000:
            raise InvalidRules("bad_combination_value", pattern=pattern, value=str(value))
        return cls(normal, "points", points, renamed)

    @property
    def value(self) -> str:
        """The value as it is written: ``1500``, ``200*A``, ``win`` or ``none``."""
        if self.kind != "points":
            return self.kind
        return f"{self.points}*{self.letter}" if self.letter else str(self.points)

    @property
    def digits(self) -> int:
        """How many dice of the pattern are fixed faces; the more, the stronger (RULES §3)."""
        return sum(symbol.isdigit() for symbol in self.pattern)

    def sort_key(self) -> tuple[int, bool, str]:
        """Order of a printed table: few dice first, exact faces before letters."""
        return len(self.pattern), self.digits < len(self.pattern), self.pattern

    def matches(self) -> Iterator[tuple[Dice, int]]:
        """Yield every set of dice the pattern describes, with its points (0 for ``win`` and ``none``)."""
        letters = sorted({symbol for symbol in self.pattern if symbol.isalpha()})
        for faces in permutations(FACES, len(letters)):
            face_of = dict(zip(letters, faces, strict=True))
            dice = tuple(sorted(face_of[symbol] if symbol.isalpha() else int(symbol) for symbol in self.pattern))
            yield dice, self.points * face_of[self.letter] if self.letter else self.points


def _normalise(pattern: str, letter: str) -> tuple[str, str]:
    """Digits first and sorted, then letters by falling count, renamed A, B, C; the value's letter follows."""
    digits = sorted(symbol for symbol in pattern if symbol.isdigit())
    letters = {symbol: pattern.count(symbol) for symbol in set(pattern) if symbol.isalpha()}
    # The letter that carries the value comes first among equals: AABB=10*B is AABB=10*A.
    ordered = sorted(letters, key=lambda symbol: (-letters[symbol], symbol != letter, symbol))
    renamed = {symbol: chr(ord("A") + place) for place, symbol in enumerate(ordered)}
    text = "".join(digits) + "".join(renamed[symbol] * letters[symbol] for symbol in ordered)
    return text, renamed.get(letter, "")


def merge(base: Iterable[Combination], changes: Iterable[Combination]) -> tuple[Combination, ...]:
    """Return ``base`` with ``changes`` laid over it, sorted, without the combinations that change no score.

    ``111=100`` beside ``AAA=100*A`` says nothing new, nor does a ``none`` that bars nothing. So a canonical string
    may write a combination that it has to take out of a preset as what it is worth without it.
    """
    table = {combination.pattern: combination for combination in base}
    table.update({combination.pattern: combination for combination in changes})
    claims: dict[Dice, dict[str, Claim]] = {}
    for combination in table.values():
        for dice, claim in _claims(combination).items():
            claims.setdefault(dice, {})[combination.pattern] = claim
    left = sorted(table.values(), key=lambda c: (-c.digits, c.pattern))
    idle: list[Combination] | None = None
    while idle != []:
        idle = []
        for combination in left:
            sets = [claims[dice] for dice in _claims(combination)]
            if all(_worth(rivals) == _worth(rivals, without=combination.pattern) for rivals in sets):
                idle.append(combination)
                for rivals in sets:
                    del rivals[combination.pattern]
        left = [combination for combination in left if combination not in idle]
    return tuple(sorted(left, key=Combination.sort_key))


# How strongly a combination claims a set of dice: more digits first, then none < points < win, then the points.
Claim = tuple[int, int, int]
_RANKS = {"none": 0, "points": 1, "win": 2}


@lru_cache(maxsize=1024)
def _claims(combination: Combination) -> Mapping[Dice, Claim]:
    """Every set of dice of ``combination`` with its claim to it."""
    found: dict[Dice, Claim] = {}
    for dice, points in combination.matches():
        claim = (combination.digits, _RANKS[combination.kind], points)
        found[dice] = max(claim, found.get(dice, claim))
    return found


def _worth(claims: Mapping[str, Claim], without: str = "") -> tuple[int, int]:
    """What the strongest claim makes of a set of dice; no claim at all is as good as ``none``."""
    strongest = max((claim for pattern, claim in claims.items() if pattern != without), default=(0, 0, 0))
    return (strongest[1], strongest[2]) if strongest[1] else (0, 0)


@dataclass(frozen=True, slots=True)
class Meld:
    """A combination found in dice: the dice it takes, its points and the pattern it matched."""

    dice: Dice
    points: int
    pattern: str


Cover = tuple[int, tuple[Meld, ...]]


class ScoringTable:
    """What sets of dice are worth under one list of combinations; the heart of every score.

    ``step`` is the greatest common divisor of all points that can be scored. ``scored`` is room for
    ``scoring`` to remember rolls it has read, so that they are forgotten together with the table.
    """

    def __init__(self, dice: int, combinations: tuple[Combination, ...], keep_all: bool, blank_roll: int) -> None:
        self.dice = dice
        self._keep_all = keep_all
        self._blank_roll = blank_roll
        self.melds = _melds(combinations)
        self.wins = tuple(sorted(d for d, meld in self.melds.items() if meld is None))
        self._by_lowest: dict[int, list[Meld]] = {face: [] for face in FACES}
        for meld in self.melds.values():
            if meld is not None:
                self._by_lowest[meld.dice[0]].append(meld)
        self._covers: dict[Dice, Cover | None] = {(): (0, ())}
        self._sets: dict[Dice, dict[Dice, Cover]] = {}
        self.scored: dict[Dice, Any] = {}
        points = [meld.points for meld in self.melds.values() if meld is not None]
        self.step = gcd(*points, blank_roll)

    def wins_at_once(self, dice: Dice) -> bool:
        """Tell whether the sorted ``dice`` hold a combination that wins at once (RULES §2.8)."""
        return any(_without(dice, win) is not None for win in self.wins)

    def cover(self, dice: Dice) -> Cover | None:
        """Return the best way to cover *all* of the sorted ``dice`` with combinations, or None (RULES §2.3).

        Among covers of equal points the one with the fewest combinations is told.
        """
        try:
            return self._covers[dice]
        except KeyError:
            best: Cover | None = None
            for meld in self._by_lowest[dice[0]]:
                left = _without(dice, meld.dice)
                rest = None if left is None else self.cover(left)
                if rest is not None:
                    found = (meld.points + rest[0], (meld, *rest[1]))
                    if best is None or (found[0], -len(found[1])) > (best[0], -len(best[1])):
                        best = found
            self._covers[dice] = best
            return best

    def sets(self, roll: Dice) -> dict[Dice, Cover]:
        """Return every legal set-aside of the sorted ``roll`` with its cover; empty for a bust or a win.

        A roll of all dice that scores nothing is worth ``blank_roll`` with all dice where a sheet says so.
        """
        try:
            return self._sets[roll]
        except KeyError:
            found: dict[Dice, Cover] = {}
            if not self.wins_at_once(roll):
                for dice in subsets(roll):
                    cover = self.cover(dice)
                    if cover is not None:
                        found[dice] = cover
                if self._keep_all and found:
                    most = max(len(dice) for dice in found)
                    found = {dice: cover for dice, cover in found.items() if len(dice) == most}
                if not found and self._blank_roll and len(roll) == self.dice:
                    found[roll] = (self._blank_roll, (Meld(roll, self._blank_roll, "blank"),))
            self._sets[roll] = found
            return found

    def all_sets(self, count: int) -> Iterator[dict[Dice, Cover]]:
        """Yield the legal set-asides of every roll of ``count`` dice, each multiset once."""
        return (self.sets(roll) for roll in combinations_with_replacement(FACES, count))

    def can_bust(self, count: int) -> bool:
        """Tell whether some roll of ``count`` dice neither scores nor wins."""
        rolls = combinations_with_replacement(FACES, count)
        return any(not self.sets(roll) and not self.wins_at_once(roll) for roll in rolls)


# A table remembers every roll it has read, which may come to some ten MB with six dice.
@lru_cache(maxsize=32)
def scoring_table(dice: int, combinations: tuple[Combination, ...], keep_all: bool, blank_roll: int) -> ScoringTable:
    """Return the scoring table of these combinations, made once."""
    return ScoringTable(dice, combinations, keep_all, blank_roll)


def subsets(dice: Dice) -> Iterator[Dice]:
    """Yield every distinct non-empty part of the sorted ``dice``, each once."""
    parts: set[Dice] = {()}
    for face in dice:
        parts |= {(*part, face) for part in parts}
    parts.discard(())
    return iter(sorted(parts))


def _melds(combinations: tuple[Combination, ...]) -> Mapping[Dice, Meld | None]:
    """Map each set of dice that is a combination to its Meld, or to None when it wins at once."""
    strongest: dict[Dice, tuple[Claim, Combination]] = {}
    for combination in combinations:
        for dice, claim in _claims(combination).items():
            if dice not in strongest or claim > strongest[dice][0]:
                strongest[dice] = (claim, combination)
    return {
        dice: None if combination.kind == "win" else Meld(dice, claim[2], combination.pattern)
        for dice, (claim, combination) in strongest.items()
        if combination.kind != "none"
    }


def _without(dice: Dice, part: Dice) -> Dice | None:
    """Return the sorted ``dice`` less ``part``, or None when they do not hold it."""
    left = list(dice)
    for face in part:
        if face not in left:
            return None
        left.remove(face)
    return tuple(left)
