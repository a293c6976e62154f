"""Three players and more, solved: against known values, an independent brute force, and their own equations.

:class:`Brute` knows nothing of the package: set-asides come from the referee, states are told by seat, chances are
vectors by seat, and a cycle of passes is repeated until nothing changes.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import referee
from cinqmille import InvalidRules, Rules
from cinqmille.cycles import Plan, equilibrium, values
from cinqmille.solver import solve_two
from cinqmille.three import ManySolution, cost, solve_many, turn_many, unsolvable_many

Vector = tuple[float, ...]
Bank = Callable[[int, bool], Vector | None]

FAR = 2500  # points beyond every lead, from which on nobody rolls: with the few dice of these games nobody gets there


class Brute:
    """Best play at a table of a few seats, by the sentences of RULES.md and by patience."""

    def __init__(self, text: str, seats: int = 3) -> None:
        self.rules = referee.parse_rules(text)
        self.seats = seats
        self.step = referee.step(self.rules)
        self.target: int = self.rules["target"]
        self.menus = [self._menus(n) for n in range(self.rules["dice"] + 1)]
        self.start = cache(self._start)
        self.last_turn = cache(self._last_turn)

    def _menus(self, n: int) -> list[tuple[float, list[tuple[int, int]] | None]]:
        """The rolls of n dice with their chances: set-asides (points, dice left); none for a bust, None for a win."""
        found: Counter[tuple[tuple[int, int], ...] | None] = Counter()
        for dice in itertools.product(range(1, 7), repeat=n):
            if referee.wins(self.rules, dice):
                found[None] += 1
            else:
                keeps = referee.brute_keeps(self.rules, dice)
                found[tuple(sorted(((p, n - len(k)) for k, p in keeps.items()), reverse=True))] += 1
        return [(ways / 6**n, None if menu is None else sorted(set(menu), reverse=True)) for menu, ways in found.items()]

    def turn(self, mover: int, scoreless: Vector, bank: Bank, limit: int, exact_at: int | None = None) -> Vector:
        """What a whole turn is worth; at ``limit`` points everybody banks, and beyond ``exact_at`` the turn is over."""
        dice: int = self.rules["dice"]
        won = tuple(float(seat == mover) for seat in range(self.seats))
        most = max(p for menus in self.menus[1:] for _, menu in menus for p, _ in menu or ())
        after: dict[tuple[int, int], Vector] = {}
        rolled: Vector = ()
        for t in range(limit + most, -1, -self.step):
            for n in range(1, dice + 1):
                left = n % dice
                banked = bank(t, left == 0) if t > 0 else None
                if exact_at is not None and t > exact_at:
                    after[t, left] = scoreless
                    continue
                if t >= limit:
                    assert banked is not None
                    after[t, left] = banked
                    continue
                total = [0.0] * self.seats
                for weight, menu in self.menus[n]:
                    if menu is None:
                        best = won
                    elif not menu:
                        best = scoreless
                    else:
                        best = max((after[t + p, d] for p, d in menu), key=lambda v: v[mover])
                    for seat in range(self.seats):
                        total[seat] += weight * best[seat]
                rolled = tuple(total)
                after[t, left] = banked if banked is not None and banked[mover] >= rolled[mover] else rolled
        return rolled

    def _need(self, score: int) -> int:
        return int(self.rules["entry"] if score <= 0 else self.rules["min_bank"])

    def _bank(self, scores: tuple[int, ...], mover: int, goes_on: Callable[[tuple[int, ...]], Vector]) -> Bank:
        score, rules = scores[mover], self.rules
        cap = self.target - rules["last_leg"]

        def bank(t: int, hot: bool) -> Vector | None:
            total = score + t
            hits = total >= self.target
            exempt = rules["exact"] and total == self.target and score > 0
            if t < self._need(score) and not exempt:
                return None
            if not hits and ((hot and rules["hot_dice"] == "must") or score >= cap):
                return None
            total = total if hits else min(total, cap)
            return goes_on((*scores[:mover], total, *scores[mover + 1 :]))

        return bank

    def _end(self, scores: tuple[int, ...], opener: int) -> Vector:
        top = max(scores)
        tied = [seat % self.seats for seat in range(opener, opener + self.seats) if scores[seat % self.seats] == top]
        winners = tied if self.rules["tie"] == "shared" else tied[:1]
        return tuple(float(seat in winners) / len(winners) for seat in range(self.seats))

    def _last_turn(self, scores: tuple[int, ...], mover: int, opener: int) -> Vector:
        """What is still to come when it is the turn of ``mover``, the target having been reached by ``opener``."""
        if mover == (opener if self.rules["ending"] == "last_turns" else 0):
            return self._end(scores, opener)
        after = (mover + 1) % self.seats
        limit = max(scores) - scores[mover] + FAR
        return self.turn(
            mover,
            self.last_turn(scores, after, opener),
            self._bank(scores, mover, lambda new: self.last_turn(new, after, opener)),
            limit,
            self.target - scores[mover] if self.rules["exact"] else None,
        )

    def _start(self, scores: tuple[int, ...]) -> list[Vector]:
        """The chances of all seats at the start of the turn of every seat, nobody having reached the target."""
        found = [(1 / self.seats,) * self.seats] * self.seats
        for _ in range(400):
            before = list(found)
            for mover in reversed(range(self.seats)):
                found[mover] = self.one_turn(scores, mover, found[(mover + 1) % self.seats])
            change = max(abs(a - b) for old, new in zip(before, found, strict=True) for a, b in zip(old, new, strict=True))
            if change < 1e-14:
                return found
        raise AssertionError(f"no stable choices at {scores}")

    def one_turn(self, scores: tuple[int, ...], mover: int, scoreless: Vector) -> Vector:
        """One turn of the game before anybody has reached the target."""
        after = (mover + 1) % self.seats
        first = self.rules["ending"] == "first"

        def goes_on(new: tuple[int, ...]) -> Vector:
            if new[mover] < self.target:
                return self.start(new)[after]
            if first:
                return tuple(float(seat == mover) for seat in range(self.seats))
            return self.last_turn(new, after, mover)

        missing = self.target - scores[mover]
        limit = max(missing, self._need(scores[mover])) + (0 if first else FAR)
        exact_at = missing if self.rules["exact"] else None
        return self.turn(mover, scoreless, self._bank(scores, mover, goes_on), limit, exact_at)


CASES = (
    "cinq-des(dice=2, target=300)",
    "cinq-des(dice=2, target=300, entry=100)",
)
