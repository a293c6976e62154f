"""How many turns a player needs alone at the table: what decides who is there first where the first to bank the target
wins.

It is the correction of the coupled chances of ``outlook``, and knows how likely a turn brings exactly so many points.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cinqmille import _advice_kernels as kernels
from cinqmille.rules import Rules
from cinqmille.tables import Floats, Ints, rule_tables

# The two paces at which a player needs turns: in a hurry (every turn may be the last) and not, and the number of
# turns that the fastest of the others still needs, on average, below and above which a player is in which.
_HURRY, _CALM = 0.5, 0.8
_NEAR, _FAR = 1.5, 4.0
_MOST_TURNS = 48


class Paces:
    """The laws of the number of turns a player needs from each score, alone at the table, at both paces.

    At a pace g a player maximises the mean of g to the power of the number of turns: as if the game ended with
    chance 1 - g before each further turn.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        target = rules.target // rules.step
        self.gains = np.zeros((target, target))
        self.laws = np.stack([self._law(_HURRY), self._law(_CALM)])
        numbers = np.arange(_MOST_TURNS + 1)
        self.mean = self.laws[1] @ numbers + (1.0 - self.laws[1].sum(axis=1)) * numbers[-1]

    def race(self, scores: Ints) -> tuple[Floats, Floats]:
        """Return the chances to come in first, by row and player, and those of every two players, ``[i, j, row]``.

        ``scores`` are in steps, by row and player in the order of play.
        """
        players = scores.shape[1]
        at = np.clip(scores, 0, self.mean.size - 1)
        mean = self.mean[at]
        now, before, after = [], [], []
        for i in range(players):
            fastest = np.delete(mean, i, axis=1).min(axis=1)
            calm = np.clip((fastest - _NEAR) / (_FAR - _NEAR), 0.0, 1.0)[:, None]
            law = (1.0 - calm) * self.laws[0][at[:, i]] + calm * self.laws[1][at[:, i]]
            more = np.maximum(1.0 - np.cumsum(law, axis=1), 0.0)
            now.append(law)
            after.append(more)
            before.append(np.column_stack([np.ones(len(more)), more[:, :-1]]))
        raced = np.empty(scores.shape)
        paired = np.ones((players, players, scores.shape[0]))
        for i in range(players):
            law = now[i].copy()
            for j in range(players):
                if j != i:
                    slower = after[j] if j < i else before[j]
                    law *= slower
                    if j > i:
                        paired[i, j] = np.clip((now[i] * slower).sum(axis=1), 1e-9, 1.0 - 1e-9)
                        paired[j, i] = 1.0 - paired[i, j]
            raced[:, i] = np.maximum(law.sum(axis=1), 1e-12)
        return raced, paired

    def _law(self, pace: float) -> Floats:
        """``[score, number of turns]``."""
        rules = self.rules
        tables, step = rule_tables(rules), rules.step
        target, cap = rules.target // step, rules.cap // step
        values = np.zeros(target)
        laws = np.zeros((target, _MOST_TURNS + 1))
        arrived = np.zeros(_MOST_TURNS + 1)
        arrived[0] = 1.0
        none = tables.announce[:0]
        for score in range(target - 1, -1, -1):
            need = (rules.entry if score == 0 else rules.min_bank) // step
            reach = target - score if rules.exact else max(target - score, need)
            totals = score + np.arange(reach + 1)
            worth = np.append(values[score:], 1.0)[
                np.where(totals >= target, target, np.minimum(totals, max(cap, score))) - score
            ]
            free = rules.exact and score > 0
            worth[(np.arange(reach + 1) < need) & ~((totals == target) & free)] = -1.0
            worth[0] = -1.0
            if score >= cap:
                worth[totals < target] = -1.0
            bank = np.full((reach + 2 + tables.most, rules.dice, 1), -1.0)
            bank[: reach + 1, :, 0] = worth[:, None]
            if rules.hot_dice == "must":
                bank[: reach + 1, 0, 0] = np.where(totals >= target, worth, -1.0)
            if not rules.exact:
                bank[reach:] = bank[reach]
            swept = reach + 1 if rules.exact else reach
            value = values[min(score + 1, target - 1)] if score + 1 < target else pace
            for _ in range(60):
                lost = np.array([value])
                after = bank.copy()
                if rules.exact:
                    after[reach + 1 :] = value
                rolled = np.zeros((swept, rules.dice + 1, 1))
                said = np.zeros((swept, 0, 1))
                kernels.play(after, bank, swept, lost, lost, np.ones(1), tuple(tables), none, rolled, said)
                change = pace * rolled[0, rules.dice, 0] - value
                value += change
                if abs(change) < 1e-5:
                    break
            values[score] = value
            banked = np.zeros(len(bank))
            scoreless = kernels.ends(after[:, :, 0].copy(), bank[:, :, 0].copy(), swept, tuple(tables), banked)
            if rules.exact:
                scoreless += banked[reach + 1 : -1].sum()
                banked[reach + 1 : -1] = 0.0
            if pace == _CALM:
                self.gains[score, : target - score] = banked[: target - score]
            following = arrived * banked[target - score :].sum()
            following += banked[1 : target - score] @ laws[np.minimum(np.arange(score + 1, target), cap)]
            for number in range(1, _MOST_TURNS + 1):
                laws[score, number] = following[number - 1] + scoreless * laws[score, number - 1]
        return laws


@lru_cache(maxsize=16)
def paces(rules: Rules) -> Paces:
    """Return the paces of these rules.

    Falls, strikes, penalties, announcements and turns taken over are not in them.
    """
    return Paces(rules)
