"""Bots that compute: the most points a turn, perfect play, the best advice. Made when somebody asks for one.

They load numbers (numpy, numba), which the bots of ``bots`` do without.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cinqmille import _advice_kernels as kernels
from cinqmille.actions import Action, Announce, Bank, RollOn, SetAside, TakeOver
from cinqmille.advice import advise
from cinqmille.errors import InvalidRules
from cinqmille.game import bank_problem, legal_keeps
from cinqmille.outlook import outlook
from cinqmille.position import Position
from cinqmille.rules import MOST_POINTS, Rules
from cinqmille.solvable import unsolvable, unsolvable_many
from cinqmille.solver import too_large
from cinqmille.tables import Floats, rule_tables
from cinqmille.turn import best_turn
from cinqmille.turnbook import Arrays, Turnbook, playable

_BANK, _ROLL_ON, _TAKE_OVER = Bank(), RollOn(), TakeOver()
_EQUAL = 1e-9
# All charts of a game in arrays: more than this and games are played position by position.
_MOST_BYTES = 1 << 30


def follow(position: Position, values: npt.NDArray[np.float32], banks: npt.NDArray[np.bool_]) -> Action:
    """Return what a chart says in the phases choose and decide, just as the compiled simulator reads it."""
    step, deepest = position.rules.step, len(values) - 1
    points, left = position.turn_points, position.dice_left
    if position.phase == "choose":
        options: dict[tuple[int, int], tuple[int, ...]] = {}
        for keep in legal_keeps(position):
            options.setdefault((keep.points, left - len(keep.dice)), keep.dice)
        times = 1 if position.announced is None else 2

        def worth(option: tuple[int, int]) -> float:
            return float(values[min(times * (points + option[0]) // step, deepest), option[1]])

        return SetAside(options[max(sorted(options), key=worth)])
    if bank_problem(position, points, left) is not None:
        return _ROLL_ON
    return _BANK if points // step >= deepest or banks[points // step, left] else _ROLL_ON


@dataclass(frozen=True, slots=True)
class Greedy:
    """Plays every turn for the most points it adds to the score on average, and banks what reaches the target.

    It looks at nobody else until the last turns, in which a total that does not win is worth nothing to it.
    """

    spec = "greedy"

    def choose(self, position: Position) -> Action:
        """Return the action with the most expected points."""
        rules, step = position.rules, position.rules.step
        others = [seat.score for place, seat in enumerate(position.seats) if place != position.to_play]
        turn = greed(rules).turn(position.score // step, max(others) // step)
        if position.phase == "start":
            offer = position.offer
            assert offer is not None
            row = min(offer.points // step, len(turn.rolled) - 1)
            return _TAKE_OVER if turn.rolled[row, offer.dice or rules.dice] > turn.rolled[0, rules.dice] else _ROLL_ON
        action = follow(position, turn.values, turn.banks)
        if action == _ROLL_ON and position.dice_left == 2 and turn.said.size:
            row = position.turn_points // step
            if row < len(turn.said) and turn.said[row].max() > turn.rolled[row, 2] + _EQUAL:
                return Announce(turn.announce[int(turn.said[row].argmax())])
        return action

    def worth(self, rules: Rules) -> Arrays:
        """Return its choices as arrays; see ``policies.WorthBot``."""
        return greed(rules).arrays()

    def fits(self, rules: Rules, players: int) -> bool:
        """Tell whether these arrays can be made for so many players."""
        return greed(rules).bytes <= _MOST_BYTES


@dataclass(frozen=True, slots=True, eq=False)
class _GreedyTurn:
    values: npt.NDArray[np.float32]
    banks: npt.NDArray[np.bool_]
    rolled: Floats
    said: Floats
    announce: tuple[int, ...]


class _Greed:
    """The turns of ``greedy`` under some rules: one for every own score and, in the last turns, for every lead."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.tables = rule_tables(rules)
        self.step = rules.step
        self.target, self.floor, self.cap = (one // rules.step for one in (rules.target, rules.floor, rules.cap))
        self.needs = rules.entry // rules.step, rules.min_bank // rules.step
        # In the last turns a lead beyond the target is taken for the target.
        self.reach = 0 if rules.ending == "first" else self.target
        size = self.target - min(0, self.floor) + max(self.needs) + 2
        self.rows = 2 * size if rules.prediction else size
        self.turn = lru_cache(maxsize=2048)(self._turn)

    @property
    def bytes(self) -> int:
        """The memory that its arrays take."""
        return (self.target - self.floor + 2 * self.reach) * self.rows * self.rules.dice * 5

    def _turn(self, score: int, other: int) -> _GreedyTurn:
        if other < self.target:
            return self._swept(int(score > 0), self.target - score, 0, self.cap - score)
        return self._last(int(score > 0), max(1, min(other - score, self.reach)))

    def _last(self, kind: int, lead: int) -> _GreedyTurn:
        """The turn in the last turns, in which only what is still needed counts."""
        return self._swept(kind, lead, lead if self.rules.tie == "shared" or self.rules.exact else lead + 1, 0)

    def _swept(self, kind: int, missing: int, wins: int, room: int) -> _GreedyTurn:
        """The turn of a player who needs ``missing`` to the target and stands ``room`` below the last leg, in steps.

        In the last turns, where ``wins`` is above 0, less than that is worth nothing.
        """
        rules, tables, dice, exact = self.rules, self.tables, self.rules.dice, self.rules.exact
        high = self.rows + tables.most + 1
        rows = np.arange(high)
        need, hits = self.needs[kind], rows >= missing
        legal = (rows >= max(need, 1)) | (hits & exact & (kind == 1))
        legal &= hits | (room > 0)
        gain = np.where(~hits & (rows > room), room, rows).astype(np.float64)
        gain[rows < wins] = 0.0
        bank = np.where(legal, gain, -1.0)[:, None].repeat(dice, axis=1)
        if rules.hot_dice == "must":
            bank[~hits, 0] = -1.0
        after = bank.copy()
        if exact:
            bank[missing + 1 :] = -1.0
            after[missing + 1 :] = 0.0
        swept = min(self.rows, max(missing, need, wins) + 1)
        announce = tables.announce if rules.prediction else tables.announce[:0]
        rolled, said = np.zeros((swept, dice + 1, 1)), np.zeros((swept, announce.size, 1))
        nothing, win = np.zeros(1), np.full(1, float(self.target))
        after, bank = after[:, :, None], bank[:, :, None]
        kernels.play(after, bank, swept, nothing, nothing, win, tuple(tables), announce, rolled, said)
        after, bank = after[: self.rows, :, 0], bank[: self.rows, :, 0]
        banks = (bank >= 0.0) & (bank >= after - _EQUAL)
        # Whatever reaches the target, or wins, is banked.
        banks |= (hits & (rows >= wins))[: self.rows, None]
        banks[-1] = True
        words = tuple(int(points) * self.step for points in announce)
        return _GreedyTurn(after.astype(np.float32), banks, rolled[:, :, 0], said[:, :, 0], words)

    def arrays(self) -> Arrays:
        """All turns, as ``policies.WorthBot`` wants them."""
        scores = np.arange(self.floor, self.target)
        turns = [self.turn(int(score), self.floor) for score in scores]
        rows = np.repeat(np.arange(scores.size)[:, None], scores.size + self.reach, axis=1)
        for kind in range(2 if self.reach else 0):
            here = (scores > 0) == (kind == 1)
            lead = np.clip(np.arange(self.target, self.target + self.reach) - scores[here, None], 1, self.reach)
            rows[here, scores.size :] = len(turns) + lead - 1
            turns += [self._last(kind, number) for number in range(1, self.reach + 1)]
        values = np.stack([turn.values for turn in turns])
        banks = np.stack([turn.banks for turn in turns])
        return values, banks, rows.reshape(1, 1, 1, *rows.shape).astype(np.int32)


@lru_cache(maxsize=8)
def greed(rules: Rules) -> _Greed:
    """Return the turns of ``greedy`` under these rules."""
    return _Greed(rules)


@lru_cache(maxsize=32)
def best_table(rules: Rules) -> tuple[int, ...]:
    """Return the points from which the turn with most points on average banks, by dice left (0: hot dice)."""
    turn = best_turn(rules, minimum=rules.min_bank)
    by_dice = {line.dice: 2 * MOST_POINTS if line.points is None else line.points for line in turn.bank_from}
    # Dice that are never left are never asked for.
    return tuple(by_dice.get(left or rules.dice, 0) for left in range(rules.dice))


@dataclass(frozen=True, slots=True)
class Best:
    """Follows the advice: exact where the game is solved, the best approximation anywhere else."""

    spec = "best"

    def choose(self, position: Position) -> Action:
        """Return the action with the best chance to win."""
        rules = position.rules
        if len(position.seats) == 2 and solved(rules) and not any(seat.away for seat in position.seats):
            chart = turnbook(rules).chart(position)
            return follow(position, chart.values, chart.banks)
        plan = advise(position).best.plan
        if plan.keep is not None:
            return SetAside(plan.keep.dice)
        assert plan.then is not None
        return plan.then

    def worth(self, rules: Rules) -> Arrays:
        """Return its choices as arrays; see ``policies.WorthBot``."""
        return _all_charts(rules)

    def fits(self, rules: Rules, players: int) -> bool:
        """Tell whether these arrays can be made for so many players."""
        return players == 2 and solved(rules) and turnbook(rules).bytes <= _MOST_BYTES

    def refuse(self, rules: Rules, players: int) -> None:
        """Refuse nothing; what the advice stands on is solved or loaded now."""
        outlook(rules, players)


@dataclass(frozen=True, slots=True)
class Perfect(Best):
    """Plays perfectly: the plan with the best chance to win of the solved game.

    More than two players need their game in the user's cache (``solutions.solve``), or one that is solved in a second.
    """

    spec = "perfect"

    def refuse(self, rules: Rules, players: int) -> None:
        """Raise InvalidRules for rules or a number of players whose game is not solved."""
        name = unsolvable(rules) if players == 2 else unsolvable_many(rules, players)
        if name is not None:
            value = str(getattr(rules, name)).lower()
            raise InvalidRules("bot_needs_solution", bot=self.spec, name=name, value=value, players=players)
        if players == 2 and too_large(rules):
            raise InvalidRules("bot_game_too_large", bot=self.spec, rules=rules.canonical)
        seen = outlook(rules, players)
        if players > 2 and seen.many is None:
            raise InvalidRules("bot_unsolved", bot=self.spec, rules=rules.canonical, players=players)


def solved(rules: Rules) -> bool:
    """Tell whether charts of the solved two-player game say all there is to choose."""
    return playable(rules) and unsolvable(rules) is None


@lru_cache(maxsize=4)
def turnbook(rules: Rules) -> Turnbook:
    """Return the charts of two players under these rules."""
    return Turnbook(outlook(rules, 2).pair)


@lru_cache(maxsize=1)
def _all_charts(rules: Rules) -> Arrays:
    return turnbook(rules).arrays()
