"""What a roll offers to a turn by itself: menus laid out for sweeps, and the few rules about banking that matter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from cinqmille.errors import IllegalAction
from cinqmille.rules import MOST_POINTS, Rules
from cinqmille.tables import Floats, Ints, rule_tables

BANK, ROLL = 0, 1  # an action above 1 announces so many points

# Values that differ by less, as a part of themselves, are equal.
EQUAL = 1e-12

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]
Option = tuple[int, int]  # points in steps, dice to roll next
_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Menus:
    """The menus of every number of dice that can be left (``used``), options with most points first.

    ``dice_of``, ``ways`` (of ``6**dice`` rolls), ``weight`` and ``options`` by menu; ``spread[n]`` are the weights of
    the menus of ``n`` dice. ``shift`` is where an option leads in a flat table of rows and columns, the last one
    repeated to equal length. ``said``: for each announcement (in steps) the menus for which it is right, and where the
    doubled turn leads to, as seen from row ``2 * t``. ``most`` is the most steps of one option.
    """

    used: tuple[int, ...]
    bust: Floats
    win: Floats
    dice_of: Ints
    ways: tuple[int, ...]
    weight: Floats
    options: tuple[tuple[Option, ...], ...]
    spread: Floats
    shift: Ints
    said: tuple[tuple[int, Ints, Ints], ...]
    most: int

    @property
    def double(self) -> int:
        """The highest announcement that can be right, in steps; 0 if there is none."""
        return max((k for k, _, _ in self.said), default=0)


@lru_cache(maxsize=32)
def menus(rules: Rules, every_option: bool = False) -> Menus:
    """Return the menus of ``rules``.

    Without ``every_option`` only the most points for each number of dice left: a turn played for points, or for
    reaching some, is never worth less with more of them.
    """
    tables, dice = rule_tables(rules), rules.dice
    found: dict[int, dict[tuple[Option, ...], float]] = {}
    waiting = [dice]
    while waiting:
        n = waiting.pop()
        if n in found:
            continue
        found[n] = {}
        for m in range(tables.first[n], tables.first[n + 1]):
            part = slice(tables.begin[m], tables.begin[m + 1])
            pairs = list(zip(tables.points[part].tolist(), tables.left[part].tolist(), strict=True))
            if not every_option:
                most: dict[int, int] = {}
                for points, left in pairs:
                    most[left] = max(points, most.get(left, 0))
                pairs = [(points, left) for left, points in most.items()]
            menu = tuple((points, left or dice) for points, left in sorted(pairs, key=lambda pair: (-pair[0], pair[1])))
            found[n][menu] = found[n].get(menu, 0.0) + float(tables.weight[m])
            waiting += [left for _, left in menu]
    listed = [(n, menu, weight) for n in sorted(found) for menu, weight in sorted(found[n].items())]
    dice_of = np.array([n for n, _, _ in listed])
    options = tuple(menu for _, menu, _ in listed)
    weight = np.array([weight for _, _, weight in listed])
    spread = np.zeros((dice + 1, weight.size))
    spread[dice_of, np.arange(weight.size)] = weight
    said = []
    for k in tables.announce.tolist() if rules.prediction else ():
        right = [m for m, (n, menu, _) in enumerate(listed) if n == 2 and menu[0][0] == k]
        if right:
            doubled = [[(2 * k, left) for points, left in options[m] if points == k] for m in right]
            said.append((k, np.array(right), _shifts(doubled, dice)))
    return Menus(
        used=tuple(sorted(found)),
        bust=tables.bust,
        win=tables.win,
        dice_of=dice_of,
        ways=tuple(round(weight * 6**n) for n, _, weight in listed),
        weight=weight,
        options=options,
        spread=spread,
        shift=_shifts(options, dice),
        said=tuple(said),
        most=tables.most,
    )


def _shifts(options: Iterable[Iterable[Option]], dice: int) -> Ints:
    rows = [[points * (dice + 1) + left for points, left in menu] for menu in options]
    width = max(map(len, rows))
    return np.array([row + row[-1:] * (width - len(row)) for row in rows])


def bankable(rules: Rules, rows: int, minimum: int, missing: int) -> npt.NDArray[np.bool_]:
    """Where banking is allowed, by row and dice to roll next; ``minimum`` and ``missing`` in steps.

    A turn without points has nothing to bank.
    """
    allowed = np.repeat(np.arange(rows)[:, None] >= max(minimum, 1), rules.dice + 1, axis=1)
    if rules.hot_dice == "must":
        allowed[:missing, rules.dice] = False
    return allowed


def steps(rules: Rules, points: int | None, otherwise: int = 0) -> int:
    """Return the points (``otherwise`` for None) in steps, rounded up; raise IllegalAction below 0."""
    points = otherwise if points is None else points
    if points < 0:
        raise IllegalAction("bad_number", name="points", value=points, low=0, high=MOST_POINTS)
    return -(-points // rules.step)


def check(rules: Rules, points: int, dice: int) -> None:
    """Raise IllegalAction unless a turn can have so many points at risk and so many dice to roll."""
    steps(rules, points)
    if points % rules.step:
        raise IllegalAction("points_not_a_multiple", points=points, step=rules.step)
    if dice not in menus(rules).used:
        raise IllegalAction("odds_dice", dice_number=dice, most=rules.dice)


def frozen(array: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """Return ``array``, from now on read only."""
    array.flags.writeable = False
    return array
