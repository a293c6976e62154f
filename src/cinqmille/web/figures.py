"""The numbers of the page of odds: of one roll by its dice, of a turn that is played for the most points, of opening.

They are computed once for the rules somebody asks about, one set of rules at a time, and kept.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from dataclasses import dataclass

from cinqmille.odds import Odds, odds
from cinqmille.rules import Rules

_KEPT = 64
# More rows than this take minutes under some rules; no sheet that people play comes near.
_MOST_ROWS = 10_000
_MOST_BINS = 14
_WIDTHS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000, 10_000, 25_000, 50_000, 100_000)


@dataclass(frozen=True, slots=True)
class Threshold:
    """When to bank with ``dice`` to roll next: from ``points`` on (None: never), and in the ``exceptions`` below."""

    dice: int
    points: int | None
    exceptions: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Bin:
    """The chance that a turn brings ``low`` to ``high`` points; without ``high``, ``low`` or more."""

    low: int
    high: int | None
    chance: float


@dataclass(frozen=True, slots=True)
class Best:
    """A turn played for the most points: its mean, its chances to bust, to win at once, and the law of its points."""

    mean: float
    bust: float
    wins: float
    rolls: float
    thresholds: tuple[Threshold, ...]
    law: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """All numbers of the page; ``best`` is None where a turn's points have no limit, ``turn`` False for too many rows.

    ``reach`` are the largest chances of one turn to bank at least so many points; ``opening`` that of the entry, which
    is None where there is none, and ``as_soon`` the chance to open in one turn that is played for the most points.
    """

    rolls: tuple[Odds, ...]
    turn: bool
    best: Best | None
    reach: tuple[tuple[int, float], ...]
    opening: float | None
    as_soon: float | None


_kept: OrderedDict[Rules, Figures] = OrderedDict()
_one_at_a_time = threading.Lock()


def known(rules: Rules) -> Figures | None:
    """Return the figures where they are computed already."""
    return _kept.get(rules)


def figures(rules: Rules) -> Figures:
    """Return the figures of these rules; the first time it takes a second, or a few."""
    with _one_at_a_time:
        if rules not in _kept:
            _kept[rules] = _figures(rules)
            if len(_kept) > _KEPT:
                _kept.popitem(last=False)
        return _kept[rules]


def _figures(rules: Rules) -> Figures:
    # Numbers take a moment to load: nobody waits for them who does not look at this page.
    from cinqmille.turn import best_turn, chances_to_reach, reach_turn

    rolls = tuple(odds(rules, count) for count in range(1, rules.dice + 1))
    most = min(rules.target, max(rules.entry, _best_roll(rules)) * 2)
    if rules.target // rules.step > _MOST_ROWS:
        return Figures(rolls, False, None, (), None, None)
    turn = best_turn(rules)
    best = None
    if math.isfinite(turn.mean):
        law = turn.law()
        banked = list(zip(law.points.tolist(), law.chance.tolist(), strict=True))
        thresholds = tuple(Threshold(line.dice, line.points, line.exceptions) for line in turn.bank_from)
        best = Best(turn.mean, law.bust, law.win, law.rolls, thresholds, _bins(banked, rules.step))
    width = _width(most, rules.step)
    goals = range(width, most + 1, width)
    if rules.hot_dice == "must" or rules.prediction:
        # There every goal is a sweep of its own: those that are shown are enough.
        reach = tuple((points, reach_turn(rules, points).mean) for points in goals)
    else:
        reached = chances_to_reach(rules, most)
        reach = tuple((points, reached.at(points)) for points in goals)
    opening = as_soon = None
    if rules.entry:
        opening = reach_turn(rules, rules.entry).mean
        bound = best_turn(rules, minimum=rules.entry)
        as_soon = bound.law().at_least(rules.entry) if math.isfinite(bound.mean) else None
    return Figures(rolls, True, best, reach, opening, as_soon)


def _best_roll(rules: Rules) -> int:
    """The most points of a roll of all dice, or what comes close where it is rare."""
    law, seen = odds(rules, rules.dice).points, 0.0
    for points in sorted(law, reverse=True):
        seen += float(law[points])
        if seen > 0.01:
            return max(points, rules.step)
    return rules.step


def _width(most: int, step: int) -> int:
    """A round number of points, a multiple of ``step``, of which ``most`` holds no more than there are bins."""
    for width in _WIDTHS:
        if width % step == 0 and most <= width * _MOST_BINS:
            return width
    return step * max(1, -(-most // (step * _MOST_BINS)))


def _bins(banked: list[tuple[int, float]], step: int) -> tuple[Bin, ...]:
    """The law in equal steps up to where little is left, and the rest in one."""
    total, seen, most = sum(chance for _, chance in banked), 0.0, step
    for points, chance in banked:
        seen, most = seen + chance, points
        if seen > 0.985 * total:
            break
    width = _width(most, step)
    first = banked[0][0] // width if banked else 0
    found = []
    for place in range(first, most // width + 1):
        low, high = place * width, (place + 1) * width - step
        found.append(Bin(low, high, sum(chance for points, chance in banked if low <= points <= high)))
    rest = sum(chance for points, chance in banked if points >= (most // width + 1) * width)
    return (*found, Bin((most // width + 1) * width, None, rest)) if rest > 0 else tuple(found)
