"""Exact chances of one roll, as fractions: the readable reference for every number above it.

Every roll of the dice is counted once, as a set of dice with the number of ways it can fall.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod

from cinqmille.errors import IllegalAction
from cinqmille.patterns import FACES
from cinqmille.rules import Rules
from cinqmille.scoring import scored


@dataclass(frozen=True, slots=True)
class Odds:
    """The exact chances of rolling ``dice`` dice (probabilities; points for ``mean_best``).

    ``bust``: nothing scores. ``full``: every die can be set aside (a roll that wins at once counts).
    ``wins``: the roll wins at once. ``mean_best``: the mean points of the best set-aside, busts and winning rolls
    counted as 0. ``points``: the law of the points of the best set-aside; 0 is a bust, winning rolls are not in
    it, so that it adds up to 1 - ``wins``.
    """

    dice: int
    bust: Fraction
    full: Fraction
    wins: Fraction
    mean_best: Fraction
    points: Mapping[int, Fraction]


@lru_cache(maxsize=64)
def odds(rules: Rules, dice: int) -> Odds:
    """Return the exact chances of rolling ``dice`` dice; raise IllegalAction for a number this game never rolls."""
    if not 1 <= dice <= rules.dice:
        raise IllegalAction("odds_dice", dice_number=dice, most=rules.dice)
    ways_full = ways_win = 0
    law: Counter[int] = Counter()
    for roll in combinations_with_replacement(FACES, dice):
        ways = factorial(dice) // prod(factorial(roll.count(face)) for face in FACES)
        found = scored(rules, roll)
        ways_full += ways * found.full
        if found.wins:
            ways_win += ways
        else:
            law[found.best.points if found.best else 0] += ways
    total = 6**dice
    return Odds(
        dice=dice,
        bust=Fraction(law[0], total),
        full=Fraction(ways_full, total),
        wins=Fraction(ways_win, total),
        mean_best=Fraction(sum(points * ways for points, ways in law.items()), total),
        points={points: Fraction(ways, total) for points, ways in sorted(law.items())},
    )
