"""One turn played best: for the most points, or to reach so many; a sweep from the horizon down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cinqmille.rules import Rules
from cinqmille.tables import Floats, Ints
from cinqmille.turn.horizon import Horizon, horizon
from cinqmille.turn.law import BankFrom, Policy, TurnLaw, turn_law
from cinqmille.turn.menus import BANK, EQUAL, ROLL, Menus, bankable, check, frozen, menus, steps

_REFUSED = -np.inf
_LANES = 64


@dataclass(frozen=True, slots=True, eq=False)
class Above:
    """A turn above its last row, by dice to roll next: lines ``slope * points + offset``, and the action."""

    slope: Floats
    offset: Floats
    roll_slope: Floats
    roll_offset: Floats
    action: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """One turn played for the most points (``reach`` is None) or for at least ``reach`` points.

    ``roll[row, dice]`` is the worth of rolling, ``after[row, dice]`` the best of banking, rolling and announcing after
    a set-aside, ``action[row, dice]`` what that is (``BANK``, ``ROLL`` or the points to announce). Worth is in points,
    or a chance; ``points[row]`` are at risk in a row, ``above`` tells what comes after the last. Dice that are never
    left are NaN. ``mean`` is the worth of a fresh turn; if it is inf, a turn's points have no limit and there are no
    rows.
    """

    rules: Rules
    reach: int | None
    minimum: int
    target: int
    mean: float
    points: Ints
    roll: Floats
    after: Floats
    action: Ints
    above: Above

    def rolling(self, points: int, dice: int) -> float:
        """Return the worth of rolling ``dice`` dice with ``points`` at risk; raise IllegalAction for what cannot be."""
        row = self._row(points, dice)
        if row < len(self.points):
            return float(self.roll[row, dice])
        return float(self.above.roll_slope[dice] * points + self.above.roll_offset[dice])

    def value(self, points: int, dice: int) -> float:
        """Return the worth of ``points`` at risk after a set-aside, ``dice`` to roll next; raise IllegalAction."""
        row = self._row(points, dice)
        if row < len(self.points):
            return float(self.after[row, dice])
        return float(self.above.slope[dice] * points + self.above.offset[dice])

    def choice(self, points: int, dice: int) -> int:
        """Return ``BANK``, ``ROLL`` or the points to announce there; raise IllegalAction for what cannot be."""
        row = self._row(points, dice)
        return int(self.action[row, dice] if row < len(self.points) else self.above.action[dice])

    @property
    def policy(self) -> Policy:
        """The policy with these values; where a turn's points have no limit, to roll for ever."""
        name = "most points" if self.reach is None else f"at least {self.reach}"
        return Policy(name, self._worth, self._action)

    @property
    def bank_from(self) -> tuple[BankFrom, ...]:
        """When to bank, by the number of dice to roll next; dice that are never left are not listed."""
        return tuple(self._bank_from(dice) for dice in menus(self.rules).used)

    def law(self, points: int = 0, dice: int | None = None) -> TurnLaw:
        """Return the law of a turn played like this, from a roll of ``dice`` (all) dice with ``points`` at risk."""
        return turn_law(self.rules, self.policy, points=points, dice=dice, minimum=self.minimum, target=self.target)

    def _bank_from(self, dice: int) -> BankFrom:
        step = self.rules.step
        banks = np.append(self.action[1:, dice], self.above.action[dice]) == BANK  # from one step up
        rolls = np.flatnonzero(~banks)
        first = int(rolls[-1]) + 1 if rolls.size else 0
        below = banks[:first] if banks[-1] else banks
        edges = np.flatnonzero(np.diff(np.concatenate(([False], below, [False])).astype(np.int64)))
        exceptions = tuple((int(low + 1) * step, int(high) * step) for low, high in edges.reshape(-1, 2))
        return BankFrom(dice, (first + 1) * step if banks[-1] else None, exceptions)

    def _row(self, points: int, dice: int) -> int:
        check(self.rules, points, dice)
        return points // self.rules.step

    def _worth(self, points: Ints, dice: Ints) -> Floats:
        above = self.above.slope[dice] * points + self.above.offset[dice]
        if not len(self.points):
            return points.astype(np.float64)
        rows = points // self.rules.step
        return np.where(rows < len(self.points), self.after[np.minimum(rows, len(self.points) - 1), dice], above)

    def _action(self, points: Ints, dice: Ints) -> Ints:
        above = self.above.action[dice]
        if not len(self.points):
            return above
        rows = points // self.rules.step
        return np.where(rows < len(self.points), self.action[np.minimum(rows, len(self.points) - 1), dice], above)


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """``chance[i]``: the largest chance that a fresh turn banks at least ``points[i]``, played for just that."""

    rules: Rules
    points: Ints
    chance: Floats

    def at(self, points: int) -> float:
        """Return the chance to reach at least ``points``, not above the last; any number, not only multiples."""
        return float(self.chance[np.searchsorted(self.points, points)])


def best_turn(rules: Rules, *, minimum: int = 0, target: int | None = None) -> Turn:
    """Return the turn with the largest mean of points, exact but for rounding; inf if they have no limit.

    ``minimum`` and ``target`` are explained in the package. Raises IllegalAction below 0.
    """
    least, missing = steps(rules, minimum), steps(rules, target, rules.target)
    offered, top = menus(rules), horizon(rules)
    above = _above(rules, top)
    level = 0
    if top is not None:
        level = max(top.level, least)
        if rules.hot_dice == "must" or offered.win[list(offered.used)].any():
            level = max(level, missing)
    points = np.arange(level)[:, None] * rules.step
    bank = np.where(bankable(rules, level, least, missing), points, _REFUSED)
    wins = np.maximum(points, missing * rules.step).astype(np.float64)
    return _turn(rules, None, least, missing, bank, wins, above)


def reach_turn(rules: Rules, points: int, *, target: int | None = None) -> Turn:
    """Return the turn with the largest chance to bank at least ``points``; a roll that wins at once counts too.

    The chance of a fresh turn is ``mean``. Raises IllegalAction for ``points`` or a ``target`` below 0.
    """
    goal, missing = steps(rules, points), steps(rules, target, rules.target)
    bank, wins = _goals(rules, np.array([goal]), missing)
    return _turn(rules, goal * rules.step, goal, missing, bank[:, :, 0], wins, _above_goal(rules))


def chances_to_reach(rules: Rules, up_to: int | None = None, *, target: int | None = None) -> Reach:
    """Return a fresh turn's chances to reach at least k points, for every k from one step to ``up_to`` (the target).

    Raises IllegalAction for ``up_to`` or a ``target`` below 0.
    """
    most, missing = steps(rules, up_to, rules.target), steps(rules, target, rules.target)
    goals = np.arange(1, most + 1)
    offered, above = menus(rules), _above_goal(rules)
    chance = np.zeros(most)
    if rules.prediction or rules.hot_dice == "must":
        for first in range(0, most, _LANES):
            bank, wins = _goals(rules, goals[first : first + _LANES], missing)
            chance[first : first + _LANES] = _sweep(offered, rules, bank, wins, above)[0][0, rules.dice]
    elif most:
        # Only the points that are missing count: row t of the highest goal is row 0 of a goal lower by t.
        bank, wins = _goals(rules, goals[-1:], missing)
        chance = _sweep(offered, rules, bank, wins, above)[0][most - goals, rules.dice, 0]
    return Reach(rules, frozen(goals * rules.step), frozen(chance))


def _above(rules: Rules, top: Horizon | None) -> Above:
    """The lines in points; inf where points have no limit, NaN for dice that are never left."""
    slope, offset, roll_slope, roll_offset = (np.full(rules.dice + 1, np.nan) for _ in range(4))
    action = np.full(rules.dice + 1, ROLL)
    for n in menus(rules).used:
        if top is None:
            slope[n], offset[n], roll_slope[n], roll_offset[n] = 0.0, np.inf, 0.0, np.inf
        else:
            slope[n], offset[n] = float(top.after[n][0]), float(top.after[n][1] * rules.step)
            roll_slope[n], roll_offset[n] = float(top.roll[n][0]), float(top.roll[n][1] * rules.step)
            action[n] = top.action[n]
    return Above(frozen(slope), frozen(offset), frozen(roll_slope), frozen(roll_offset), frozen(action))


def _above_goal(rules: Rules) -> Above:
    """From the goal on banking is worth 1, a roll 1 but for busts."""
    offered = menus(rules)
    known = np.isin(np.arange(rules.dice + 1), offered.used)
    flat, sure, roll = np.where(known, 0.0, np.nan), np.where(known, 1.0, np.nan), 1.0 - offered.bust
    roll[~known] = np.nan
    action = np.where(known, BANK, ROLL)
    return Above(frozen(flat), frozen(sure), frozen(flat), frozen(roll), frozen(action))


def _goals(rules: Rules, goals: Ints, missing: int) -> tuple[Floats, Floats]:
    """What banking and a roll that wins at once are worth for each of the ``goals``, a lane each."""
    level = max(int(goals.max()), missing if rules.hot_dice == "must" else 1, 1)
    reached = np.arange(level)[:, None] >= goals
    bank = np.where(bankable(rules, level, 0, missing)[:, :, None], reached[:, None, :], _REFUSED)
    return bank, np.ones((level, 1))


def _turn(rules: Rules, reach: int | None, least: int, missing: int, bank: Floats, wins: Floats, above: Above) -> Turn:
    """Sweep one lane, and say what is best in every row."""
    offered, step = menus(rules), rules.step
    roll, after, said = (array[..., 0] for array in _sweep(offered, rules, bank[:, :, None], wins, above))
    enough = after * (1.0 - EQUAL)
    action = np.where(bank >= enough, BANK, ROLL)
    for i, (k, _, _) in enumerate(offered.said):
        better = (action[:, 2] == ROLL) & (roll[:, 2] < enough[:, 2]) & (said[:, i] >= enough[:, 2])
        action[better, 2] = k * step
    action[:1] = ROLL
    unused = [n for n in range(rules.dice + 1) if n not in offered.used]
    roll[:, unused] = after[:, unused] = np.nan
    action[:, unused] = ROLL
    mean = float(roll[0, rules.dice]) if len(roll) else np.inf
    return Turn(
        rules=rules,
        reach=reach,
        minimum=least * step,
        target=missing * step,
        mean=mean,
        points=frozen(np.arange(len(roll)) * step),
        roll=frozen(roll),
        after=frozen(after),
        action=frozen(action),
        above=above,
    )


def _sweep(offered: Menus, rules: Rules, bank: Floats, wins: Floats, above: Above) -> tuple[Floats, Floats, Floats]:
    """Return what rolling, the best after a set-aside and each announcement are worth, by row, dice and lane.

    ``bank[row, dice, lane]`` is what banking is worth, ``wins[row, lane]`` a roll that wins at once. The rows above are
    the lines of ``above``.
    """
    rows, columns, lanes = bank.shape
    height = 1 + max(rows + offered.most, 2 * (rows + offered.double) if offered.said else 0)
    after = np.empty((height, columns, lanes))
    points = np.arange(rows, height)[:, None] * rules.step
    after[rows:] = (above.slope * points + above.offset)[:, :, None]
    roll = np.empty((rows, columns, lanes))
    said = np.full((rows, len(offered.said), lanes), _REFUSED)
    flat = after.reshape(-1, lanes)
    win = offered.win[:, None]
    for t in range(rows - 1, -1, -1):
        worth = flat[t * columns :][offered.shift].max(axis=1)
        roll[t] = offered.spread @ worth + win * wins[t]
        after[t] = np.maximum(roll[t], bank[t])
        if t and offered.said:
            for i, (_, right, doubled) in enumerate(offered.said):
                twice = flat[2 * t * columns :][doubled].max(axis=1)
                said[t, i] = roll[t, 2] + offered.weight[right] @ (twice - worth[right])
            after[t, 2] = np.maximum(after[t, 2], said[t].max(axis=0))
    return roll, after[:rows].copy(), said
