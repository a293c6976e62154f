"""From declared rules to arrays: the only bridge between ``rules`` and the kernels.

Scores and points become whole numbers of the table's step. A *menu* is what one roll offers: the distinct
(points, dice left) of its legal set-asides; rolls with the same menu are one menu with their joint probability.
None of its options is dropped, however poor it looks: under ``last_turns`` and ``exact`` more points may be
worth less.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cinqmille.actions import ANNOUNCEMENTS
from cinqmille.patterns import FACES
from cinqmille.rules import Rules
from cinqmille.scoring import scored

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class RuleTables(NamedTuple):
    """The chances of every roll as arrays; numbers of points are in steps.

    ``bust[n]`` and ``win[n]``: chances that ``n`` dice score nothing, or win at once. Menus of ``n`` dice are
    numbered ``first[n]`` to ``first[n + 1]``; menu ``m`` has chance ``weight[m]`` and the options ``begin[m]`` to
    ``begin[m + 1]``, each worth ``points`` and leaving ``left`` dice (0 when all are set aside). ``best[m]`` are
    the points of its best option. ``announce`` are the points that can be announced.
    """

    dice: int
    bust: Floats
    win: Floats
    first: Ints
    weight: Floats
    best: Ints
    begin: Ints
    points: Ints
    left: Ints
    announce: Ints

    @property
    def most(self) -> int:
        """The most steps one roll can score."""
        return int(self.points.max())


def aligned(count: int) -> Floats:
    """Return zeros that begin on a cache line."""
    room = np.zeros(count + 8)
    skipped = -room.ctypes.data // 8 % 8
    return room[skipped : skipped + count]


Menu = tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)
def rule_tables(rules: Rules) -> RuleTables:
    """Return the arrays of ``rules``' scoring; only the combinations, dice, ``keep`` and ``blank_roll`` matter."""
    bust, win = np.zeros(rules.dice + 1), np.zeros(rules.dice + 1)
    first, weight, best, begin = [0, 0], [], [], [0]
    points: list[int] = []
    left: list[int] = []
    for count in range(1, rules.dice + 1):
        ways_of, ways_bust, ways_win = _menus(rules, count)
        total = 6**count
        bust[count], win[count] = ways_bust / total, ways_win / total
        for menu in sorted(ways_of, key=lambda menu: (len(menu), menu)):
            weight.append(ways_of[menu] / total)
            best.append(max(option[0] for option in menu))
            points += [option[0] for option in menu]
            left += [option[1] for option in menu]
            begin.append(len(points))
        first.append(len(weight))
    announce = [said // rules.step for said in ANNOUNCEMENTS if said % rules.step == 0]
    ints = [np.array(numbers, dtype=np.int64) for numbers in (first, best, begin, points, left, announce)]
    return RuleTables(rules.dice, bust, win, ints[0], np.array(weight), *ints[1:])


def _menus(rules: Rules, count: int) -> tuple[dict[Menu, int], int, int]:
    """The menus of ``count`` dice with the number of ways each can fall, and the ways to bust and to win."""
    ways_of: dict[Menu, int] = defaultdict(int)
    ways_bust = ways_win = 0
    for roll in combinations_with_replacement(FACES, count):
        ways = factorial(count) // prod(factorial(roll.count(face)) for face in FACES)
        found = scored(rules, roll)
        if found.wins:
            ways_win += ways
        elif found.bust:
            ways_bust += ways
        else:
            ways_of[tuple(sorted({(k.points // rules.step, count - len(k.dice)) for k in found.keeps}))] += ways
    return ways_of, ways_bust, ways_win
