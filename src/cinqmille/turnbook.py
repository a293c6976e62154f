"""Every turn of a solved two-player game, as the charts that a player of it reads: what a set-aside is worth, when to
bank.

A solution holds the values of turn starts; here the turns themselves are recomputed from them, one or all. Values
are rounded to 32 bits: choices that differ by less than that (6e-8) are taken for equal. One chart or all of them,
the numbers are the same, so that a game played from the arrays is the one played position by position.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cinqmille.position import Position
from cinqmille.rules import Rules
from cinqmille.solvable import Solution
from cinqmille.solver import chances_to_catch, last_turns, many_turns
from cinqmille.tables import Ints

Arrays = tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.int32]]

# What is worth less than half the last of 24 bits cannot be told from nothing, beside 1.
_UNSEEN = 2.0**-25
# Banking counts as best as long as rolling is worth no more than rounding.
_EQUAL = 1e-12
_ABREAST = 512
_KEPT = 512


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """One turn: ``values[turn points, dice left]`` (steps; 0 for hot dice) and ``banks``, whether to bank there.

    Turn points of the last row or more are worth what it says, and are banked.
    """

    values: npt.NDArray[np.float32]
    banks: npt.NDArray[np.bool_]


class Turnbook:
    """The charts of a solved game without turns to take over and without announcements."""

    def __init__(self, solution: Solution) -> None:
        rules, step = solution.rules, solution.rules.step
        self.solution = solution
        self.rules = rules
        self.sides, self.span, _, self.counts, _ = solution.values.shape
        self.target, self.floor = rules.target // step, rules.floor // step
        self.reach = 0
        if rules.ending != "first":
            # A lead beyond the reach is caught as seldom as any: a roll that wins at once catches them all.
            caught = chances_to_catch(rules)
            seen = np.flatnonzero((caught - caught[:, -1:] >= _UNSEEN).any(axis=0))
            self.reach = int(seen[-1]) + 1 if seen.size else 1
        need = max(rules.entry, rules.min_bank) // step
        highest = self.span - 1 + self.reach
        self.rows = (self.span if rules.exact else max(highest, need)) + 2
        self._chart = lru_cache(maxsize=_KEPT)(self._made)

    @property
    def bytes(self) -> int:
        """The memory that all charts take."""
        states = self.sides * self.span**2 * self.counts**2 + 2 * self.reach
        return int(states * self.rows * self.rules.dice * 5)

    def chart(self, position: Position) -> Chart:
        """Return the chart of the player to play, for a position of two players who are both present."""
        me, step = position.to_play, self.rules.step
        assert me is not None
        mine, other = position.seats[me], position.seats[1 - me]
        a, b = (seat.score // step + self.solution.zero for seat in (mine, other))
        if b >= self.span:
            key: tuple[int, ...] = (1 if mine.score > 0 else 0, min(b - a, self.reach))
        else:
            counts = (mine.scoreless, other.scoreless) if self.counts > 1 else (0, 0)
            key = (me if self.sides == 2 else 0, a, b, *counts)
        return self._chart(key)

    def _made(self, key: tuple[int, ...]) -> Chart:
        return Chart(*(array[0] for array in _charts(*self._swept(np.array([key])))))

    def _swept(self, keys: Ints) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        if keys.shape[1] == 2:
            return last_turns(self.solution, self.rows, kind=int(keys[0, 0]), leads=keys[:, 1])
        side, mine, theirs, own, held = keys.T
        return many_turns(self.solution, self.rows, side=side, mine=mine, theirs=theirs, own=own, held=held)

    def arrays(self) -> Arrays:
        """Return all charts, ``values[row, turn points, dice left]``, ``banks`` alike, and the rows to look at.

        ``rows[seat, scoreless, other's scoreless, score - floor, other's score - floor]``; a seat, a count or a score
        beyond the last is the last.
        """
        axes = [np.arange(size) for size in (self.sides, self.span, self.span, self.counts, self.counts)]
        states = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 5)
        kinds = 2 if self.reach else 0
        total = len(states) + kinds * self.reach
        values = np.empty((total, self.rows, self.rules.dice), dtype=np.float32)
        banks = np.empty(values.shape, dtype=np.bool_)
        for first in range(0, len(states), _ABREAST):
            part = slice(first, min(first + _ABREAST, len(states)))
            values[part], banks[part] = _charts(*self._swept(states[part]))
        for kind in range(kinds):
            begin = len(states) + kind * self.reach
            leads = np.arange(1, self.reach + 1)
            part = slice(begin, begin + self.reach)
            values[part], banks[part] = _charts(*self._swept(np.stack([np.full(self.reach, kind), leads], axis=1)))
        return values, banks, self._rows(len(states))

    def _rows(self, first_last: int) -> npt.NDArray[np.int32]:
        size = self.target - self.floor
        shift = self.floor + self.solution.zero  # scores below 0 cannot be where nothing takes points away
        at = np.maximum(np.arange(size) + shift, 0)
        theirs = np.maximum(np.arange(size + self.reach) + shift, 0)
        inside = np.minimum(theirs, self.span - 1)
        numbers = np.arange(first_last).reshape(self.sides, self.span, self.span, self.counts, self.counts)
        rows = np.moveaxis(numbers[:, at][:, :, inside], (3, 4), (1, 2)).copy()
        if self.reach:
            lead = np.clip(theirs[None, size:] - at[:, None], 1, self.reach)
            kind = (at > self.solution.zero).astype(np.int64)[:, None]
            rows[..., size:] = first_last + kind * self.reach + lead - 1
        return rows.astype(np.int32)


def _charts(
    after: npt.NDArray[np.float64], bank: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    banks = (bank >= 0.0) & (bank >= after - _EQUAL)
    banks[:, -1] = True
    return after.astype(np.float32), banks


def playable(rules: Rules) -> bool:
    """Tell whether charts say all there is to choose: nothing is announced or taken over."""
    return not rules.prediction and rules.takeover == "never"
