"""One turn by itself: the most points it can bring, the law of its points, the chance to reach k, when to bank.

A turn stands at ``t`` points at risk with ``n`` dice to roll next (all of them after hot dice). With ``f(t)`` the worth of
banking (the points themselves, or 1 from k points on), rolling and the decision after a set-aside are worth::

    roll(t, n)  = win[n] * f(win) + sum over menus m of n dice: weight[m] * max over options of after(t + points, dice)
    after(t, n) = max(f(t) where banking is allowed, roll(t, n), announcing, with two dice left)

Every option scores, so rows are swept from the top down, each final when written. Nothing is cut off at the top: from some
level on ``after`` is a straight line in ``t`` for every ``n``. The lines are found in fractions, by policy iteration on
pairs (slope, offset) in lexicographic order, which is the order of ``slope * t + offset`` for large ``t``. The level is the last
crossing of a line with one that it has to beat; as points only grow within a turn, the lines satisfy the equations for good
from there. Where every number of dice can bust, the line is the points: banking is best above the largest quotient of a roll's
mean gain and its chance of a bust. Dice that never bust are rolled for ever, and the line lies above the points. Where that can go on without
end, a turn's points have no limit, and ``mean`` is inf. The only error is that of rounding, about 1e-13 of the value.

Of the rules only the combinations, ``dice``, ``keep``, ``blank_roll``, ``hot_dice`` and ``prediction`` are looked at. What depends
on the score is an argument: ``minimum``, the points below which banking is refused (0, or the entry), and ``target``, the points
still missing to the target (all of it unless said). It matters twice: from there on hot dice may be banked even where they
must be rolled, and a roll that wins at once is worth so many points, or those at risk if they are more.

Points are points everywhere, never steps. Arrays have a row for every multiple of the table's step, from 0 up, and a column for
every number of dice to roll next (column 0 is empty).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from cinqmille.errors import IllegalAction
from cinqmille.rules import MOST_POINTS, Rules
from cinqmille.tables import Floats, Ints, rule_tables

__all__ = [
    "BANK", "ROLL", "Above", "BankFrom", "Policy", "Reach", "Turn", "TurnLaw", "bank_from", "best_turn",
    "chances_to_reach", "reach_turn", "steady", "turn_law",
]  # fmt: skip

BANK, ROLL = 0, 1  # an action above 1 announces so many points

# Values that differ by less (as a part of themselves) are equal.
_EQUAL = 1e-12
# A turn that goes on with less than this chance is over; one that never ends is given up after so many rows.
_NO_CHANCE, _MOST_ROWS = 1e-18, 50_000
_LANES = 64
_REFUSED = -np.inf

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]
_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass(frozen=True, slots=True)
class Policy:
    """A way to play one turn.

    ``worth(points, dice)``: of the options of a roll the one is set aside that leads to the points at risk and the dice to roll
    next which are worth most; of equals the one with most points, then with most dice. ``action(points, dice)``: what then, ``BANK``,
    ``ROLL`` or an announcement (its points). Both take arrays of equal shape. A bank that is refused and an announcement that
    cannot be made are a roll.
    """

    name: str
    worth: Callable[[Ints, Ints], Numbers]
    action: Callable[[Ints, Ints], Ints]


def _most_points(points: Ints, dice: Ints) -> Ints:
    return points


def steady(threshold: int) -> Policy:
    """Return the policy that sets aside what is worth most and banks as soon as the turn has ``threshold`` points."""
    return Policy(f"steady:{threshold}", _most_points, lambda points, dice: np.where(points >= threshold, BANK, ROLL))


def bank_from(
    table: Mapping[int, int | None] | Iterable[BankFrom],
    *,
    worth: Callable[[Ints, Ints], Numbers] = _most_points,
    name: str = "bank from",
) -> Policy:
    """Return the policy that banks from ``table[dice]`` points on, by the number of dice it would roll next.

    None, or no entry, is never; exceptions of a :class:`BankFrom` are not played. It sets aside what is worth most
    points, or most by ``worth`` (as in :class:`Policy`).
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


@dataclass(frozen=True, slots=True)
class BankFrom:
    """When to bank with ``dice`` dice to roll next.

    ``points``: the smallest number from which on banking is always at least as good as rolling (None: there is none).
    ``exceptions``: the ranges below it, first and last, in which banking is best too, so that more points may mean to roll.
    """

    dice: int
    points: int | None
    exceptions: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Above:
    """A turn above its last row: lines ``slope * points + offset`` and the action, by dice to roll next."""

    slope: Floats
    offset: Floats
    roll_slope: Floats
    roll_offset: Floats
    action: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """One turn played for the most points (``reach`` is None) or for at least ``reach`` points.

    ``roll[row, dice]`` is the worth of rolling, ``after[row, dice]`` the best of banking, rolling and announcing after a set-aside,
    ``action[row, dice]`` what that is (``BANK``, ``ROLL`` or the points to announce). Worth is in points, or a chance. ``points[row]``
    are at risk in a row, ``above`` tells what comes after the last one. Dice that are never left are NaN. ``mean`` is the worth of
    a fresh turn; if it is inf, there are no rows.
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

    def best(self, points: int, dice: int) -> int:
        """Return ``BANK``, ``ROLL`` or the points to announce there; raise IllegalAction for what cannot be."""
        row = self._row(points, dice)
        return int(self.action[row, dice] if row < len(self.points) else self.above.action[dice])

    @property
    def policy(self) -> Policy:
        """The policy with these values."""
        name = "most points" if self.reach is None else f"at least {self.reach}"
        if not len(self.points):
            return Policy(name, _most_points, lambda points, dice: np.full(points.shape, ROLL))
        return Policy(name, self._worth, self._action)

    @property
    def law(self) -> TurnLaw:
        """The law of a fresh turn played like this."""
        return turn_law(self.rules, self.policy, minimum=self.minimum, target=self.target)

    @property
    def bank_from(self) -> tuple[BankFrom, ...]:
        """When to bank, by the number of dice to roll next; dice that are never left are left out."""
        found = []
        for dice in np.flatnonzero(~np.isnan(self.above.slope)).tolist():
            banks = np.append(self.action[1:, dice], self.above.action[dice]) == BANK  # from one step up
            rolls = np.flatnonzero(~banks)
            first = int(rolls[-1]) + 1 if rolls.size else 0
            low = first if banks[-1] else banks.size - 1
            edges = np.flatnonzero(np.diff(np.concatenate(([0], banks[:low], [0]))))
            step = self.rules.step
            exceptions = tuple((int(a + 1) * step, int(b) * step) for a, b in edges.reshape(-1, 2))
            found.append(BankFrom(dice, (first + 1) * step if banks[-1] else None, exceptions))
        return tuple(found)

    def _row(self, points: int, dice: int) -> int:
        _check(self.rules, points, dice)
        return points // self.rules.step

    def _worth(self, points: Ints, dice: Ints) -> Floats:
        rows = points // self.rules.step
        inside = self.after[np.minimum(rows, len(self.points) - 1), dice]
        return np.where(rows < len(self.points), inside, self.above.slope[dice] * points + self.above.offset[dice])

    def _action(self, points: Ints, dice: Ints) -> Ints:
        rows = points // self.rules.step
        inside = self.action[np.minimum(rows, len(self.points) - 1), dice]
        return np.where(rows < len(self.points), inside, self.above.action[dice])


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """``chance[i]``: the largest chance that a fresh turn banks at least ``points[i]``, played for just that."""

    rules: Rules
    points: Ints
    chance: Floats

    def at(self, points: int) -> float:
        """Return the chance to reach at least ``points``, which need not be a multiple of the step."""
        return float(self.chance[np.searchsorted(self.points, points)])


@dataclass(frozen=True, slots=True, eq=False)
class TurnLaw:
    """The law of a turn's points under a policy; all chances add up to 1.

    ``chance[i]`` is that of banking ``points[i]``, ``bust`` that of losing everything, ``win`` that of a roll that wins at once, and
    ``beyond`` that of never coming to an end (at least within very many points). ``mean`` are the mean points of the turn, a
    winning roll counted as ``Turn`` does; ``rolls`` the mean number of rolls.
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


def best_turn(rules: Rules, *, minimum: int = 0, target: int | None = None) -> Turn:
    """Return the turn with the largest mean of points, exact up to rounding; ``mean`` is inf if they have no limit.

    Raises IllegalAction for a ``minimum`` or ``target`` below 0.
    """
    minimum, missing, step = (
        _steps(rules, minimum),
        _steps(rules, rules.target if target is None else target),
        rules.step,
    )
    menus = _menus(rules)
    lines = _lines(menus, rules, minimum, missing)
    if lines is None:
        empty = np.zeros((0, rules.dice + 1))
        return _turn(rules, None, minimum, missing, np.inf, empty, empty, empty, _above(rules, menus, {}, {}, {}))
    level, best, rolled, actions = lines
    above = _above(rules, menus, best, rolled, actions)
    points = np.arange(level)[:, None] * step
    bank = np.where(_allowed(rules, level, minimum, missing), points, _REFUSED)
    wins = np.maximum(points, missing * step).astype(np.float64)
    roll, after, action = _sweep(menus, rules, bank[:, :, None], wins, above)
    mean = roll[0, rules.dice, 0]
    return _turn(rules, None, minimum, missing, mean, roll[:, :, 0], after[:, :, 0], action[:, :, 0], above)


def reach_turn(rules: Rules, points: int, *, target: int | None = None) -> Turn:
    """Return the turn with the largest chance to bank at least ``points`` (a roll that wins at once counts too).

    The chance of a fresh turn is ``mean``. Raises IllegalAction for ``points`` or a ``target`` below 0.
    """
    goal, missing = _steps(rules, points), _steps(rules, rules.target if target is None else target)
    roll, after, action = _reach(rules, np.array([goal]), missing)
    mean = roll[0, rules.dice, 0]
    above = _above_goal(rules)
    goal_points = goal * rules.step
    return _turn(rules, goal_points, goal, missing, mean, roll[:, :, 0], after[:, :, 0], action[:, :, 0], above)


def chances_to_reach(rules: Rules, up_to: int | None = None, *, target: int | None = None) -> Reach:
    """Return the chances to reach at least k points in a fresh turn for all k from one step to ``up_to`` (the target).

    Raises IllegalAction for ``up_to`` or a ``target`` below 0.
    """
    most, missing = (
        _steps(rules, rules.target if up_to is None else up_to),
        _steps(rules, rules.target if target is None else target),
    )
    goals = np.arange(1, most + 1)
    if rules.prediction or rules.hot_dice == "must":
        chunks = [goals[first : first + _LANES] for first in range(0, most, _LANES)]
        parts = [_reach(rules, chunk, missing)[0][0, rules.dice] for chunk in chunks]
        chance = np.concatenate([np.zeros(0), *parts])
    else:
        # Only the points that are missing count: row t of the highest goal is row 0 of a goal that is t lower.
        chance = _reach(rules, np.array([most]), missing)[0][most - goals, rules.dice, 0] if most else np.zeros(0)
    return Reach(rules, _frozen(goals * rules.step), _frozen(chance))


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

    Raises IllegalAction for points, dice, a ``minimum`` or a ``target`` that cannot be.
    """
    dice = rules.dice if dice is None else dice
    _check(rules, points, dice)
    missing = _steps(rules, rules.target if target is None else target)
    return _Forward(rules, policy, _steps(rules, minimum), missing).run(points // rules.step, dice)


# What a roll offers


@dataclass(frozen=True, slots=True, eq=False)
class _Menus:
    """The menus of every number of dice that can be left, options (points in steps, dice next) with most points first.

    ``shift`` is where an option leads in a flat table of rows and columns, the last option repeated to equal length;
    ``spread[n]`` the weights of the menus of ``n`` dice. ``said``: for each announcement in steps the menus it is right for, and
    where the doubled turn leads to from row ``2 * t``.
    """

    used: tuple[int, ...]
    dice_of: tuple[int, ...]
    ways: tuple[int, ...]
    options: tuple[tuple[tuple[int, int], ...], ...]
    bust: Floats
    win: Floats
    weight: Floats
    spread: Floats
    shift: Ints
    most: int
    said: tuple[tuple[int, Ints, Ints], ...]


@lru_cache(maxsize=32)
def _menus(rules: Rules, every_option: bool = False) -> _Menus:
    """Return the menus of ``rules``.

    Without ``every_option`` only the most points for each number of dice left: more points are never worth less to a turn
    played for points, or for reaching some.
    """
    tables, dice = rule_tables(rules), rules.dice
    found: dict[int, dict[tuple[tuple[int, int], ...], float]] = {}
    waiting = [dice]
    while waiting:
        n = waiting.pop()
        if n in found:
            continue
        found[n] = {}
        for m in range(tables.first[n], tables.first[n + 1]):
            part = slice(tables.begin[m], tables.begin[m + 1])
            pairs = [
                (int(p), int(left) or dice) for p, left in zip(tables.points[part], tables.left[part], strict=True)
            ]
            if not every_option:
                pairs = [(max(p for p, left in pairs if left == n), n) for n in {left for _, left in pairs}]
            menu = tuple(sorted(pairs, key=lambda pair: (-pair[0], pair[1] % dice)))
            found[n][menu] = found[n].get(menu, 0.0) + float(tables.weight[m])
            waiting += [left for _, left in menu]
    used = tuple(sorted(found))
    listed = [(n, menu, weight) for n in used for menu, weight in sorted(found[n].items())]
    options = tuple(menu for _, menu, _ in listed)
    dice_of = tuple(n for n, _, _ in listed)
    weight = np.array([weight for _, _, weight in listed])
    spread = np.zeros((dice + 1, weight.size))
    spread[list(dice_of), np.arange(weight.size)] = weight
    said = []
    for k in tables.announce.tolist() if rules.prediction else ():
        right = [m for m, n in enumerate(dice_of) if n == 2 and options[m][0][0] == k]
        doubled = [[(2 * k, left) for p, left in options[m] if p == k] for m in right]
        if right:
            said.append((k, np.array(right), _shifts(doubled, dice)))
    return _Menus(
        used=used,
        dice_of=dice_of,
        ways=tuple(round(weight * 6**n) for n, _, weight in listed),
        options=options,
        bust=tables.bust,
        win=tables.win,
        weight=weight,
        spread=spread,
        shift=_shifts(options, dice),
        most=tables.most,
        said=tuple(said),
    )


def _shifts(options: Iterable[Iterable[tuple[int, int]]], dice: int) -> Ints:
    rows = [[points * (dice + 1) + left for points, left in menu] for menu in options]
    width = max(map(len, rows))
    return np.array([row + row[-1:] * (width - len(row)) for row in rows])


def _allowed(rules: Rules, rows: int, minimum: int, missing: int) -> npt.NDArray[np.bool_]:
    """Where banking is allowed, by row and dice to roll next; a turn without points has nothing to bank."""
    points = np.arange(rows)[:, None]
    allowed = np.repeat(points >= max(minimum, 1), rules.dice + 1, axis=1)
    if rules.hot_dice == "must":
        allowed[:missing, rules.dice] = False
    return allowed


# The top: lines, in fractions and steps

_Line = tuple[Fraction, Fraction]  # slope and offset; tuples compare as the lines do for large t
_BANKED: _Line = (Fraction(1), Fraction(0))


@dataclass(frozen=True, slots=True)
class _Row:
    """A way to roll, as a line made of the lines it leads to, all times ``total``: how often each ``slope``, ``offset``.

    ``offset = sum(gain[n] * slope[n] + ways[n] * offset[n])``, ``slope = sum(times[n] * slope[n]) + wins``.
    """

    total: int
    wins: int
    times: tuple[int, ...]
    gain: tuple[int, ...]
    ways: tuple[int, ...]

    def line(self, lines: Mapping[int, _Line]) -> _Line:
        """Return the line of this row."""
        slope = self.wins + sum((self.times[n] * line[0] for n, line in lines.items()), Fraction(0))
        offset = sum((self.gain[n] * line[0] + self.ways[n] * line[1] for n, line in lines.items()), Fraction(0))
        return slope / self.total, offset / self.total


def _best_row(menus: _Menus, n: int, lines: Mapping[int, _Line], announced: int) -> _Row:
    """The best way to play a roll of ``n`` dice far up, after an announcement (0: none)."""
    size = len(menus.bust)
    times, gain, ways = [0] * size, [0] * size, [0] * size
    for m, options in enumerate(menus.options):
        if menus.dice_of[m] != n:
            continue
        factor = 2 if options[0][0] == announced else 1
        chosen = [option for option in options if factor == 1 or option[0] == announced]
        points, left = max(chosen, key=lambda option: _moved(lines[option[1]], factor, option[0]))
        times[left] += factor * menus.ways[m]
        gain[left] += factor * points * menus.ways[m]
        ways[left] += menus.ways[m]
    total = 6**n
    return _Row(total, round(menus.win[n] * total), tuple(times), tuple(gain), tuple(ways))


def _moved(line: _Line, factor: int, points: int) -> _Line:
    """The line of ``t`` for what is worth ``line`` at ``factor * (t + points)``."""
    return factor * line[0], factor * points * line[0] + line[1]


def _lines(
    menus: _Menus, rules: Rules, minimum: int, missing: int
) -> tuple[int, dict[int, _Line], dict[int, _Line], dict[int, int]] | None:
    """Return the level, the lines of ``after`` and ``roll``, and the actions above it; None if points have no limit."""
    said = [0] + [k for k, _, _ in menus.said]
    playing: dict[int, _Row] = {}
    lines = dict.fromkeys(menus.used, _BANKED)
    while True:
        better: dict[int, _Row] = {}
        for n in menus.used:
            rows = [_best_row(menus, n, lines, k) for k in (said if n == 2 else said[:1])]
            best = max(rows, key=lambda row: row.line(lines))
            if best.line(lines) > lines[n]:
                better[n] = best
        if not better:
            break
        playing |= better
        found = _worth_of(playing, menus.used)
        if found is None:
            return None
        lines = found
    level = max(minimum, 1)
    if rules.hot_dice == "must" or menus.win[list(menus.used)].any():
        level = max(level, missing)
    rolled: dict[int, _Line] = {}
    actions: dict[int, int] = {}
    for n in menus.used:
        ways = {k: _best_row(menus, n, lines, k).line(lines) for k in (said if n == 2 else said[:1])}
        rolled[n] = ways[0]
        actions[n] = BANK if lines[n] == _BANKED else next(k * rules.step or ROLL for k in ways if ways[k] == lines[n])
        for line in (_BANKED, *ways.values()):
            level = max(level, _crossing(lines[n], line))
    for m, options in enumerate(menus.options):
        for k in said if menus.dice_of[m] == 2 else said[:1]:
            factor = 2 if options[0][0] == k else 1
            moved = [_moved(lines[left], factor, p) for p, left in options if factor == 1 or p == k]
            level = max(level, *(_crossing(max(moved), line) for line in moved))
    return level, lines, rolled, actions


def _crossing(high: _Line, low: _Line) -> int:
    """The first whole t from which on ``high`` is no lower than ``low``."""
    slope, offset = high[0] - low[0], high[1] - low[1]
    return max(0, -(offset // slope)) if slope else 0


def _worth_of(playing: Mapping[int, _Row], used: tuple[int, ...]) -> dict[int, _Line] | None:
    """The lines of a policy that plays these rows and banks elsewhere; None if it can go on for ever."""
    lines = dict.fromkeys(used, _BANKED)
    order = list(playing)
    times = [[(row.total if n == left else 0) - row.times[left] for left in order] for n, row in playing.items()]
    ways = [[(row.total if n == left else 0) - row.ways[left] for left in order] for n, row in playing.items()]
    # A matrix of this kind has a positive solution here just when the sum of its powers, over all rolls to come, is finite.
    stays = _solved(times, [Fraction(1)] * len(order))
    if stays is None or min(stays) <= 0:
        return None
    banked = [n for n in used if n not in playing]
    slopes = _solved(times, [Fraction(row.wins + sum(row.times[n] for n in banked)) for row in playing.values()])
    assert slopes is not None
    lines |= {n: (slope, Fraction(0)) for n, slope in zip(order, slopes, strict=True)}
    offsets = _solved(ways, [sum((row.gain[n] * lines[n][0] for n in used), Fraction(0)) for row in playing.values()])
    assert offsets is not None
    return lines | {n: (lines[n][0], offset) for n, offset in zip(order, offsets, strict=True)}


def _solved(matrix: list[list[int]], right: list[Fraction]) -> list[Fraction] | None:
    """Solve linear equations in fractions; None if the matrix is singular."""
    size = len(right)
    rows = [[*map(Fraction, row), value] for row, value in zip(matrix, right, strict=True)]
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


def _above(
    rules: Rules,
    menus: _Menus,
    best: Mapping[int, _Line],
    rolled: Mapping[int, _Line],
    actions: Mapping[int, int],
) -> Above:
    """Lines as arrays, in points; for dice without a line the points have no limit."""
    arrays = [np.full(rules.dice + 1, np.nan) for _ in range(4)]
    action = np.full(rules.dice + 1, ROLL)
    for n in menus.used:
        for array, number in zip(arrays, (*best.get(n, (0, None)), *rolled.get(n, (0, None))), strict=True):
            array[n] = np.inf if number is None else float(number)
        arrays[1][n] *= rules.step
        arrays[3][n] *= rules.step
        action[n] = actions.get(n, ROLL)
    return Above(_frozen(arrays[0]), _frozen(arrays[1]), _frozen(arrays[2]), _frozen(arrays[3]), _frozen(action))


def _above_goal(rules: Rules) -> Above:
    """Above the goal it is reached: banking is worth 1, rolling what it leaves of that."""
    menus = _menus(rules)
    unused = np.array([np.nan if n not in menus.used else 0.0 for n in range(rules.dice + 1)])
    rolled = 1.0 - menus.bust + unused
    return Above(
        slope=_frozen(unused),
        offset=_frozen(unused + 1.0),
        roll_slope=_frozen(unused),
        roll_offset=_frozen(rolled),
        action=_frozen(np.where(np.isnan(unused), ROLL, BANK)),
    )


# Below the top: one sweep


def _sweep(menus: _Menus, rules: Rules, bank: Floats, wins: Floats, above: Above) -> tuple[Floats, Floats, Ints]:
    """Return ``roll``, ``after`` and the actions for every row of ``bank``, by row, dice and lane.

    ``bank[row, dice, lane]`` is what banking is worth, ``wins[row, lane]`` a roll that wins at once.
    """
    rows, columns, lanes = bank.shape
    reach = 2 * (rows + max((k for k, _, _ in menus.said), default=0)) if menus.said else 0
    height = max(rows + menus.most, reach) + 1
    after = np.empty((height, columns, lanes))
    points = np.arange(rows, height)[:, None, None] * rules.step
    after[rows:] = above.slope[:, None] * points + above.offset[:, None]
    roll = np.empty((rows, columns, lanes))
    said = np.full((rows, len(menus.said), lanes), _REFUSED)
    flat = after.reshape(-1, lanes)
    used = list(menus.used)
    unused = [n for n in range(columns) if n not in menus.used]
    win = menus.win[:, None]
    for t in range(rows - 1, -1, -1):
        worth = flat[t * columns :][menus.shift].max(axis=1)
        rolled = menus.spread @ worth + win * wins[t]
        roll[t] = rolled
        after[t] = np.maximum(rolled, bank[t])
        if t and menus.said:
            for i, (_, right, doubled) in enumerate(menus.said):
                twice = flat[2 * t * columns :][doubled].max(axis=1)
                said[t, i] = rolled[2] + menus.weight[right] @ (twice - worth[right])
            after[t, 2] = np.maximum(after[t, 2], said[t].max(axis=0))
    after = after[:rows].copy()
    enough = after * (1.0 - _EQUAL)
    action = np.where(bank >= enough, BANK, ROLL)
    for i, (k, _, _) in enumerate(menus.said):
        better = (action[:, 2] == ROLL) & (roll[:, 2] < enough[:, 2]) & (said[:, i] >= enough[:, 2])
        action[:, 2][better] = k * rules.step
    action[0] = ROLL
    for array in (roll, after):
        array[:, unused] = np.nan
    action[:, unused] = ROLL
    assert np.isfinite(roll[:, used]).all()
    return roll, after, action


def _reach(rules: Rules, goals: Ints, missing: int) -> tuple[Floats, Floats, Ints]:
    """The chances to reach each of the ``goals`` (in steps), a lane each."""
    must = rules.hot_dice == "must"
    level = max(int(goals.max()), missing if must else 1, 1)
    allowed = _allowed(rules, level, 0, missing)[:, :, None]
    bank = np.where(allowed, (np.arange(level)[:, None] >= goals)[:, None, :], _REFUSED).astype(np.float64)
    return _sweep(_menus(rules), rules, bank, np.ones((level, goals.size)), _above_goal(rules))


def _turn(
    rules: Rules, reach: int | None, minimum: int, missing: int, mean: float, roll: Floats, after: Floats, action: Numbers,
    above: Above,
) -> Turn:  # fmt: skip
    step = rules.step
    points = np.arange(len(roll)) * step
    return Turn(
        rules, reach, minimum * step, missing * step, float(mean), _frozen(points), _frozen(roll), _frozen(after),
        _frozen(action.astype(np.int64)), above,
    )  # fmt: skip


def _frozen(array: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    array.flags.writeable = False
    return array


def _steps(rules: Rules, points: int) -> int:
    """The points in steps, rounded up."""
    if points < 0:
        raise IllegalAction("bad_number", name="points", value=points, low=0, high=MOST_POINTS)
    return -(-points // rules.step)


def _check(rules: Rules, points: int, dice: int) -> None:
    _steps(rules, points)
    if points % rules.step:
        raise IllegalAction("points_not_a_multiple", points=points, step=rules.step)
    if dice not in _menus(rules).used:
        raise IllegalAction("odds_dice", dice_number=dice, most=rules.dice)


# The law: chances carried forward


class _Forward:
    """Chances of standing after a set-aside at so many points with so many dice, carried from row to row."""

    def __init__(self, rules: Rules, policy: Policy, minimum: int, missing: int) -> None:
        self.rules, self.policy, self.minimum, self.missing = rules, policy, minimum, missing
        self.menus = _menus(rules, every_option=True)
        self.columns = rules.dice + 1
        self.dice_of = np.array(self.menus.dice_of)
        self.worth = np.zeros((0, self.columns))
        self.action = np.zeros((0, self.columns), dtype=np.int64)
        self.chance = np.zeros((0, self.columns))

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
        sayable = np.isin(action, [k * step for k, _, _ in self.menus.said]) & (np.arange(self.columns) == 2)
        banks = (action == BANK) & _allowed(self.rules, rows, self.minimum, self.missing)[old:]
        action[~banks & ~sayable] = ROLL
        self.worth = np.concatenate((self.worth, worth))
        self.action = np.concatenate((self.action, action))
        self.chance = np.concatenate((self.chance, np.zeros_like(worth)))

    def run(self, first: int, dice: int) -> TurnLaw:
        """Carry the chance of a roll of ``dice`` dice in row ``first`` to the end of the turn."""
        menus, step = self.menus, self.rules.step
        double = max((k for k, _, _ in menus.said), default=0)
        banked: dict[int, float] = {}
        bust = win = rolls = win_points = 0.0
        for t in range(first, first + _MOST_ROWS):
            self._grow(max(t + menus.most, 2 * (t + double) if double else 0) + 1)
            here = self.chance[t]
            action = self.action[t]
            stops = float(here[action == BANK].sum())
            if stops:
                banked[t * step] = stops
            rolled = np.where(action == BANK, 0.0, here)
            if t == first:
                rolled[dice] += 1.0
            if rolled.any():
                self._roll(t, rolled, int(action[2]) if self.columns > 2 and here[2] else ROLL)
                wins = float(rolled @ menus.win)
                bust += float(rolled @ menus.bust)
                win += wins
                win_points += wins * max(t, self.missing) * step
                rolls += float(rolled.sum())
            here[:] = 0.0
            beyond = float(self.chance[t + 1 :].sum())
            if beyond <= _NO_CHANCE:
                break
        points, chance = np.array(list(banked), dtype=np.int64), np.array(list(banked.values()))
        mean = float(points @ chance) + win_points
        return TurnLaw(
            self.rules, self.policy.name, _frozen(points), _frozen(chance), bust, win, beyond, mean, rolls
        )  # fmt: skip

    def _roll(self, t: int, rolled: Floats, action: int) -> None:
        menus, columns = self.menus, self.columns
        flow = menus.weight * rolled[self.dice_of]
        for k, right, doubled in menus.said:
            if action == k * self.rules.step:
                self._send(2 * t * columns, doubled, flow[right])
                flow[right] = 0.0
        self._send(t * columns, menus.shift, flow)

    def _send(self, origin: int, shift: Ints, flow: Floats) -> None:
        """Send each menu's chance where its best option leads."""
        worth = self.worth.reshape(-1)[origin:][shift]
        best = worth.max(axis=1, keepdims=True)
        chosen = (worth >= best - np.abs(best) * _EQUAL).argmax(axis=1)
        there = np.bincount(shift[np.arange(len(shift)), chosen], flow)
        self.chance.reshape(-1)[origin : origin + there.size] += there
