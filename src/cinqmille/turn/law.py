"""Ways to play one turn, and the whole law of its points: chances carried forward, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from cinqmille.rules import Rules
from cinqmille.tables import Floats, Ints
from cinqmille.turn.menus import BANK, EQUAL, ROLL, Numbers, bankable, check, frozen, menus, steps

# A turn that goes on with less than this chance is over; one that never ends is given up after so many rows.
_NO_CHANCE, _MOST_ROWS = 1e-18, 50_000


@dataclass(frozen=True, slots=True)
class Policy:
    """A way to play one turn.

    ``worth(points, dice)``: of the options of a roll the one is set aside that leads to the points at risk and the dice
    to roll next which are worth most; of equals the one with most points, then with most dice. ``action(points,
    dice)``: what then, ``BANK``, ``ROLL`` or an announcement (its points). Both take arrays of equal shape. A bank that
    is refused is a roll, and so is an announcement that cannot be made, or can never be right.
    """

    name: str
    worth: Callable[[Ints, Ints], Numbers]
    action: Callable[[Ints, Ints], Ints]


@dataclass(frozen=True, slots=True)
class BankFrom:
    """When to bank with ``dice`` dice to roll next.

    ``points``: the smallest number from which on banking is always at least as good as rolling (None: there is none).
    ``exceptions``: the ranges below it, first and last, in which banking is best too, so that more points can mean
    rolling on.
    """

    dice: int
    points: int | None
    exceptions: tuple[tuple[int, int], ...] = ()


def _most_points(points: Ints, dice: Ints) -> Ints:
    return points


def steady(threshold: int) -> Policy:
    """Return the policy that sets aside what is worth most and banks as soon as the turn has ``threshold`` points."""
    return Policy(f"steady:{threshold}", _most_points, lambda points, dice: np.where(points >= threshold, BANK, ROLL))


def by_dice(
    table: Mapping[int, int | None] | Iterable[BankFrom],
    *,
    worth: Callable[[Ints, Ints], Numbers] = _most_points,
    name: str = "by dice",
) -> Policy:
    """Return the policy that banks from ``table[dice]`` points on, by the number of dice it would roll next.

    None, or no entry, is never; exceptions of a :class:`BankFrom` are not played. It sets aside what is worth most
    points, or most by ``worth`` (as in :class:`Policy`, and such as ``turn.policy.worth``).
    """
    if not isinstance(table, Mapping):
        table = {line.dice: line.points for line in table}
    never = np.iinfo(np.int64).max
    limits = np.full(max(table, default=0) + 2, never)
    for dice, points in table.items():
        limits[dice] = never if points is None else points

    def action(points: Ints, dice: Ints) -> Ints:
        return np.where(points >= limits[np.minimum(dice, limits.size - 1)], BANK, ROLL)

    return Policy(name, worth, action)


@dataclass(frozen=True, slots=True, eq=False)
class TurnLaw:
    """The law of a turn's points under a policy; all chances add up to 1.

    ``chance[i]`` is the chance to bank ``points[i]``, ``bust`` to lose everything, ``win`` to win at once, and
    ``beyond`` never to come to an end (within 50,000 steps of points). ``mean`` are the mean points of the turn: a
    winning roll counts as the target, or the points at risk if they are more; what is beyond does not count. ``rolls``
    is the mean number of rolls.
    """

    rules: Rules
    policy: str
    points: Ints
    chance: Floats
    bust: float
    win: float
    beyond: float
    mean: float
    rolls: float

    def at_least(self, points: int) -> float:
        """Return the chance to bank at least ``points`` or to win at once."""
        return float(self.chance[self.points >= points].sum() + self.win)


def turn_law(
    rules: Rules,
    policy: Policy,
    *,
    points: int = 0,
    dice: int | None = None,
    minimum: int = 0,
    target: int | None = None,
) -> TurnLaw:
    """Return the law of a turn played by ``policy`` from a roll of ``dice`` (all) dice with ``points`` at risk.

    ``minimum`` and ``target`` are explained in the package. Raises IllegalAction for what cannot be.
    """
    dice = rules.dice if dice is None else dice
    check(rules, points, dice)
    forward = _Forward(rules, policy, steps(rules, minimum), steps(rules, target, rules.target))
    return forward.run(points // rules.step, dice)


class _Forward:
    """The chances to stand after a set-aside at so many points with so many dice to roll next."""

    def __init__(self, rules: Rules, policy: Policy, minimum: int, missing: int) -> None:
        self.rules, self.policy, self.minimum, self.missing = rules, policy, minimum, missing
        self.menus = menus(rules, every_option=True)
        self.columns = rules.dice + 1
        self.worth = np.zeros((0, self.columns))
        self.action = np.zeros((0, self.columns), dtype=np.int64)
        self.chance = np.zeros((0, self.columns))

    def run(self, first: int, dice: int) -> TurnLaw:
        """Carry the chance of a roll of ``dice`` dice in row ``first`` to the end of the turn."""
        offered, step = self.menus, self.rules.step
        banked: dict[int, float] = {}
        bust = win = win_points = rolls = beyond = 0.0
        for t in range(first, first + _MOST_ROWS):
            reached = 1 + max(t + offered.most, 2 * (t + offered.double) if offered.said else 0)
            self._grow(reached)
            here, action = self.chance[t], self.action[t]
            stops = action == BANK
            if here[stops].any():
                banked[t * step] = float(here[stops].sum())
            rolled = np.where(stops, 0.0, here)
            if t == first:
                rolled[dice] += 1.0
            if rolled.any():
                self._roll(t, rolled, int(action[2]) if here[2:3].any() else ROLL)
                wins = float(rolled @ offered.win)
                win_points += wins * max(t, self.missing) * step
                win += wins
                bust += float(rolled @ offered.bust)
                rolls += float(rolled.sum())
            here[:] = 0.0
            beyond = float(self.chance[t + 1 : reached].sum())
            if beyond <= _NO_CHANCE:
                break
        points, chance = np.array(list(banked), dtype=np.int64), np.array(list(banked.values()))
        mean = float(points @ chance) + win_points
        return TurnLaw(self.rules, self.policy.name, frozen(points), frozen(chance), bust, win, beyond, mean, rolls)

    def _grow(self, rows: int) -> None:
        """Ask the policy about more rows."""
        old, step = len(self.chance), self.rules.step
        if rows <= old:
            return
        rows = max(rows, 2 * old, 256)
        points, dice = np.meshgrid(np.arange(old, rows) * step, np.arange(1, self.columns), indexing="ij")
        worth, action = np.zeros((rows - old, self.columns)), np.full((rows - old, self.columns), ROLL)
        worth[:, 1:] = self.policy.worth(points, dice)
        action[:, 1:] = self.policy.action(points, dice)
        said = np.isin(action, [k * step for k, _, _ in self.menus.said]) & (np.arange(self.columns) == 2)
        banks = (action == BANK) & bankable(self.rules, rows, self.minimum, self.missing)[old:]
        action[~banks & ~said] = ROLL
        self.worth = np.concatenate((self.worth, worth))
        self.action = np.concatenate((self.action, action))
        self.chance = np.concatenate((self.chance, np.zeros_like(worth)))

    def _roll(self, t: int, rolled: Floats, action: int) -> None:
        """Send the chances of rolls in row ``t`` on; ``action`` is what comes before a roll of two dice."""
        offered = self.menus
        flow = offered.weight * rolled[offered.dice_of]
        for k, right, doubled in offered.said:
            if action == k * self.rules.step:
                self._send(2 * t * self.columns, doubled, flow[right])
                flow[right] = 0.0
        self._send(t * self.columns, offered.shift, flow)

    def _send(self, origin: int, shift: Ints, flow: Floats) -> None:
        """Send each menu's chance to where its best option leads."""
        worth = self.worth.reshape(-1)[origin:][shift]
        best = worth.max(axis=1, keepdims=True)
        chosen = (worth >= best - np.abs(best) * EQUAL).argmax(axis=1)
        there = np.bincount(shift[np.arange(len(shift)), chosen], flow)
        self.chance.reshape(-1)[origin : origin + there.size] += there
