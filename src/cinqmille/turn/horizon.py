"""Above some level a turn's worth is a straight line in its points: the lines and the level, in exact fractions.

The lines of ``after`` (see the package) are found by policy iteration on pairs (slope, offset) in lexicographic order,
which is the order of ``slope * t + offset`` for large ``t``. It begins with banking everywhere, the line of the points
themselves, and rolls where that is better, as long as anything is. The level is the last crossing of a line with one it
has to beat. As points only grow within a turn, the lines satisfy the equations of the turn for good from the level on:
they are its worth, and a sweep from there down has no error but rounding.

Where every number of dice can bust, and no announcement pays for ever, the lines are the points: banking is best above
the largest quotient of a roll's mean gain and its chance of a bust. Dice that never bust are rolled for ever, and
their line lies above the points; a right announcement, which doubles the turn, can make a slope above 1. Where one can
go on with such gains without end, a turn's points have no limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from cinqmille.rules import Rules
from cinqmille.turn.menus import BANK, ROLL, Menus, Option, menus

Line = tuple[Fraction | int, Fraction | int]  # slope and offset, in steps
_BANKED: Line = (1, 0)


@dataclass(frozen=True, slots=True)
class Horizon:
    """From ``level`` (in steps) on: the lines of ``after`` and ``roll`` and the best action, by dice to roll next.

    A roll that wins at once counts as the points at risk, and banking is always allowed.
    """

    level: int
    after: Mapping[int, Line]
    roll: Mapping[int, Line]
    action: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _Row:
    """A way to play a roll, as a line made of the lines it leads to, everything times ``total``.

    ``slope = wins + sum(times[n] * slope[n])`` and ``offset = sum(gain[n] * slope[n] + ways[n] * offset[n])``.
    """

    total: int
    wins: int
    times: tuple[int, ...]
    gain: tuple[int, ...]
    ways: tuple[int, ...]

    def line(self, lines: Mapping[int, Line]) -> Line:
        """Return the line of this row."""
        slope = self.wins + sum(self.times[n] * line[0] for n, line in lines.items())
        offset = sum(self.gain[n] * line[0] + self.ways[n] * line[1] for n, line in lines.items())
        return Fraction(slope) / self.total, Fraction(offset) / self.total


@lru_cache(maxsize=32)
def horizon(rules: Rules) -> Horizon | None:
    """Return the horizon of a turn played for points; None if they have no limit."""
    offered = menus(rules)
    playing: dict[int, _Row] = {}
    lines: dict[int, Line] = dict.fromkeys(offered.used, _BANKED)
    while True:
        better: dict[int, _Row] = {}
        for n in offered.used:
            rows = [_row(offered, n, k, lines) for k in _sayable(offered, n)]
            best = max(rows, key=lambda row: row.line(lines))
            if best.line(lines) > lines[n]:
                better[n] = best
        if not better:
            break
        playing |= better
        found = _worth(playing, offered.used)
        if found is None:
            return None
        lines = found
    level = 1
    rolled: dict[int, Line] = {}
    actions: dict[int, int] = {}
    for n in offered.used:
        ways = {k: _row(offered, n, k, lines).line(lines) for k in _sayable(offered, n)}
        rolled[n] = ways[0]
        actions[n] = BANK if lines[n] == _BANKED else next(k * rules.step or ROLL for k in ways if ways[k] == lines[n])
        level = max(level, *(_crossing(lines[n], line) for line in (_BANKED, *ways.values())))
    for m, n in enumerate(offered.dice_of.tolist()):
        for k in _sayable(offered, n):
            moved = [_moved(lines[left], factor, points) for factor, points, left in _playable(offered.options[m], k)]
            level = max(level, *(_crossing(max(moved), line) for line in moved))
    return Horizon(level, lines, rolled, actions)


def _sayable(offered: Menus, n: int) -> list[int]:
    """What can be announced before rolling ``n`` dice, in steps; 0 is nothing."""
    return [0] + [k for k, _, _ in offered.said if n == 2]


def _playable(options: tuple[Option, ...], announced: int) -> list[tuple[int, int, int]]:
    """The options that may be set aside after an announcement: factor of the turn, points, dice to roll next."""
    if announced and options[0][0] == announced:
        return [(2, points, left) for points, left in options if points == announced]
    return [(1, points, left) for points, left in options]


def _moved(line: Line, factor: int, points: int) -> Line:
    """The line in ``t`` of what is worth ``line`` at ``factor * (t + points)``."""
    return factor * line[0], factor * points * line[0] + line[1]


def _row(offered: Menus, n: int, announced: int, lines: Mapping[int, Line]) -> _Row:
    """The best way to play a roll of ``n`` dice far up, by the lines of what follows."""
    size = len(offered.bust)
    times, gain, ways = [0] * size, [0] * size, [0] * size
    for m, dice in enumerate(offered.dice_of.tolist()):
        if dice == n:
            playable = _playable(offered.options[m], announced)
            factor, points, left = max(playable, key=lambda option: _moved(lines[option[2]], option[0], option[1]))
            times[left] += factor * offered.ways[m]
            gain[left] += factor * points * offered.ways[m]
            ways[left] += offered.ways[m]
    total = 6**n
    return _Row(total, round(float(offered.win[n]) * total), tuple(times), tuple(gain), tuple(ways))


def _crossing(high: Line, low: Line) -> int:
    """The first whole ``t`` from 0 up from which on ``high`` is no lower than ``low``; it is not lower far up."""
    slope, offset = high[0] - low[0], high[1] - low[1]
    return max(0, -(offset // slope)) if slope else 0


def _worth(playing: Mapping[int, _Row], used: tuple[int, ...]) -> dict[int, Line] | None:
    """The lines of a policy that plays these rows and banks elsewhere; None if what it gains has no limit."""
    order = list(playing)
    lines: dict[int, Line] = dict.fromkeys(used, _BANKED)

    def kept(flows: Mapping[int, tuple[int, ...]]) -> list[list[int]]:
        return [[(playing[n].total if n == left else 0) - flows[n][left] for left in order] for n in order]

    times = kept({n: row.times for n, row in playing.items()})
    # The chances (doubled turns twice) of all rolls to come have a finite sum just when this has a positive solution.
    visits = _solved(times, [1] * len(order))
    if visits is None or min(visits) <= 0:
        return None
    banked = [n for n in used if n not in playing]
    slopes = _solved(times, [row.wins + sum(row.times[n] for n in banked) for row in playing.values()])
    assert slopes is not None
    slope = dict.fromkeys(used, Fraction(1)) | dict(zip(order, slopes, strict=True))
    gains = [sum(row.gain[n] * slope[n] for n in used) for row in playing.values()]
    offsets = _solved(kept({n: row.ways for n, row in playing.items()}), gains)
    assert offsets is not None
    return lines | {n: (slope[n], offset) for n, offset in zip(order, offsets, strict=True)}


def _solved(matrix: Sequence[Sequence[int]], right: Sequence[Fraction | int]) -> list[Fraction] | None:
    """Solve linear equations in fractions; None if the matrix is singular."""
    size = len(right)
    rows = [[*map(Fraction, row), Fraction(value)] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = next((i for i in range(column, size) if rows[i][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        first = rows[column]
        for i in range(size):
            if i != column and rows[i][column]:
                factor = rows[i][column] / first[column]
                rows[i] = [a - factor * b for a, b in zip(rows[i], first, strict=True)]
    return [rows[i][size] / rows[i][i] for i in range(size)]
