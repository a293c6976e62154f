"""The end of games with last turns: what the last player, and the one before, can do against a lead.

Once somebody stands at the target, only the way to the lead matters, not where a turn began: a turn that is ``lead``
steps behind is the end of one that is further behind. So one sweep serves all leads at once, read off at the rows where
they begin. Only a minimum that is larger than the lead needs a sweep of its own.
"""

from __future__ import annotations

import numpy as np

from cinqmille import _three_kernels as kernels
from cinqmille.rules import Rules
from cinqmille.tables import Floats, Ints, rule_tables
from cinqmille.turns import ABREAST, Turn

# Chances smaller than this are nothing: the values of banking do not change any more.
_NOTHING = 1e-16
_LONGEST = 8192


def last(rules: Rules) -> Floats:
    """Return the chance of the very last player: ``[tied, kind, lead]``.

    The lead in steps is held by one player (tied = 0) or by two; kind 0 has not opened. A shared win counts as its
    share. The table ends where longer leads change nothing.
    """
    shares = [1 / 2, 1 / 3] if rules.tie == "shared" else [0.0, 0.0]
    tables = rule_tables(rules)
    needs = rules.entry // rules.step, rules.min_bank // rules.step
    length = rules.target // rules.step + 1 if rules.exact else 512
    while True:
        reached = _chances(rules, length, [0.0, *shares])
        window = tables.most + max(needs)
        settled = reached[0, -window:].max() - reached[0, -1] < _NOTHING if window < length else False
        if rules.exact or settled or length >= _LONGEST:
            break
        length *= 2
    if not rules.exact:
        changing = np.flatnonzero(reached[0] - reached[0, -1] >= _NOTHING)
        length = max(int(changing.max(initial=0)) + 2, *needs)
    reached = reached[:, :length]
    found = np.empty((2, 2, length))
    leads = np.arange(length)
    for kind, need in enumerate(needs):
        # Who needs more than the lead beats it with that. An exact hit of an open player needs no minimum.
        if rules.exact:
            short = reached[0] if kind == 0 else reached[1:]
        else:
            short = np.full(length, reached[0, need - 1] if need else 0.0)
        found[:, kind] = np.where(leads < need, short, reached[1:])
    return found


def _chances(rules: Rules, length: int, ties: list[float]) -> Floats:
    """The chance to beat every lead below ``length``, a tie being worth one of ``ties``; no minimum is in force."""
    rows = np.array([length + 1])
    turn = Turn(rules, 2, length + 1, last_turns=True)
    B = np.full((1, length + 1, 1, 1, ABREAST), -1.0)
    B[0, 1:length] = 0.0
    B[0, length - 1, 0, 0, : len(ties)] = ties
    B[0, length] = -1.0 if rules.exact else 1.0
    R = np.zeros((1, length + 1, rules.dice + 1, 2, ABREAST))
    limit = np.full((1, ABREAST), length - 1)
    slot = np.zeros(rules.dice, dtype=np.int64)
    turn.sweep(B, np.zeros((1, ABREAST)), rows, slot, limit, np.zeros((1, 2, ABREAST)), R, whole=True)
    return np.ascontiguousarray(R[0, :length, rules.dice, 0, : len(ties)][::-1].T)


def middle(rules: Rules, last: Floats) -> Floats:
    """Return the chances of a player of whom one follows, and of that one: ``[kind, kind_last, difference, lead, 2]``.

    ``lead`` is how far the player is behind, ``difference`` - target + lead how far the last one is. Filled where such
    a state can be: the leader stands at the target or above.
    """
    target, most = rules.target // rules.step, last.shape[2]
    needs = rules.entry // rules.step, rules.min_bank // rules.step
    longest = most if rules.exact else most + target
    found = np.zeros((2, 2, 2 * target, longest, 2))
    turn = Turn(rules, 3, longest + most + max(needs) + 1, last_turns=True)
    for kind_last in range(2):
        for low in range(1, longest + target, ABREAST):
            others = low + np.arange(ABREAST)[None]
            swept = _Middle(rules, turn, others, last, kind_last)
            whole = swept.chances(min(longest, low + ABREAST + target) - 1, 0)
            nearest = max(1, low - target)
            leads = np.broadcast_to(np.arange(nearest, whole.shape[0])[:, None], (whole.shape[0] - nearest, ABREAST))
            difference = others - leads + target
            inside = (difference > 0) & (difference < 2 * target)
            for kind, need in enumerate(needs):
                chances = whole.copy()
                exempt = rules.exact and kind == 1
                for lead in range(nearest, 0 if exempt else min(need, whole.shape[0])):
                    chances[lead] = swept.chances(lead, need)[lead]
                found[kind, kind_last, difference[inside], leads[inside]] = chances[nearest:][inside]
    return found


class _Middle:
    """The second but last player, for ABREAST distances of the last one."""

    def __init__(self, rules: Rules, turn: Turn, others: Ints, last: Floats, kind_last: int) -> None:
        self.rules, self.turn, self.others, self.last, self.kind_last = rules, turn, others, last, kind_last
        self.caught = last[0, kind_last, np.minimum(others[0], last.shape[2] - 1)]

    def chances(self, level: int, need: int) -> Floats:
        """Return (leads up to ``level``, lanes, 2) for turns in which ``need`` points from ``level`` back are the
        minimum."""
        rules, dice = self.rules, self.rules.dice
        beyond = 1 if rules.exact else max(self.last.shape[2] - int(self.others.min()), 1)
        rows = np.array([max(level + beyond, need) + 1])
        B = np.empty((1, int(rows[0]), 1, 2, ABREAST))
        tie = 0.5 if rules.tie == "shared" else 0.0
        kernels.middle_bank(B, rows, level, need, self.others, self.last, self.kind_last, tie, rules.exact)
        R = np.zeros((1, int(rows[0]), dice + 1, 3, ABREAST))
        slot = np.zeros(dice, dtype=np.int64)
        limit, start = np.full((1, ABREAST), level), np.zeros((1, 3, ABREAST))
        self.turn.sweep(B, np.zeros((1, ABREAST)), rows, slot, limit, start, R)
        own, passed, after = R[0, level::-1, dice].transpose(1, 0, 2)
        return np.stack([own, after + passed * self.caught], axis=2)
