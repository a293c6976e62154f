"""Bots as arrays: which bots and rules the compiled simulator can play, and the arrays it plays them from.

What a rule sheet allows a bot to bank is worked out here for every score, once and for all, so that the kernel
compares numbers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from cinqmille import _sim_kernels as kernels
from cinqmille.bots import NEVER, Bot, Cautious, Gambler, Habit, Mood, Steady
from cinqmille.patterns import FACES
from cinqmille.rules import PARAMETERS, Rules
from cinqmille.scoring import scored
from cinqmille.tables import Ints, rule_tables

_HABITS = (Cautious, Gambler)
_MOST_STEPS = 500  # scores for which the arrays of habits are worked out
MOST_TURNS = 1_000_000  # of all players in one game: whoever needs more never comes to an end

Arrays = tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.int32]]


@runtime_checkable
class TableBot(Protocol):
    """A bot that is a table: it banks from so many points on, by the number of dice left (0 for all set aside).

    It banks whatever reaches the target; it sets aside what is worth most, under ``exact`` the most that fits, and of
    equals the most dice. Its ``choose`` must say the same, and say what it does at a takeover or a prediction.
    """

    def bank_from(self, rules: Rules) -> Sequence[int]:
        """Return the points for 0, 1, ... dice left, one number for each up to ``rules.dice - 1``."""
        ...


@runtime_checkable
class WorthBot(Protocol):
    """A bot whose choices are arrays over the whole game of two players. Its ``choose`` must say the same.

    One that has a method ``fits(rules, players)`` says itself where it can be played so. With more than two players the
    other's score is the best of the others' scores, and their scoreless turns are not looked at.

    Of a roll's options, in rising order of points and then of dice left, it takes the first that is worth most, and
    banks where ``banks`` says so and the rules allow it.
    """

    def worth(self, rules: Rules) -> Arrays:
        """Return ``values[row, turn points, dice left]``, ``banks`` alike, and ``rows``; all numbers are steps.

        ``rows[seat, scoreless, other's scoreless, score - floor, other's score - floor]`` is the row for a turn, the
        scoreless turns being 0 where nothing limits them. An index beyond the last is the last; turn points of the
        last entry or more are banked.
        """
        ...


def kernel_plays(rules: Rules, bots: Sequence[Bot]) -> bool:
    """Tell whether the kernel can play these bots under these rules; the core plays whatever it cannot."""
    known = {
        "dice", "target", "entry", "ending", "tie", "min_bank", "hot_dice", "keep", "blank_roll", "scoreless_limit",
        "scoreless_penalty", "floor", "last_leg", "exact",
    }  # fmt: skip
    strange = [one.name for one in PARAMETERS if one.name not in known and getattr(rules, one.name) != one.default]
    remembers = rules.scoreless_limit > 0 and rules.scoreless_penalty == "previous"
    return not strange and not remembers and all(_fits(one, rules, len(bots)) for one in bots)


def _fits(one: Bot, rules: Rules, players: int) -> bool:
    if type(one) is Steady or isinstance(one, TableBot):
        return True
    if isinstance(one, WorthBot):
        fits = getattr(one, "fits", None)
        return bool(fits(rules, players)) if fits is not None else players == 2
    return type(one) in _HABITS and (rules.target - rules.floor) // rules.step <= _MOST_STEPS


class Prepared(NamedTuple):
    """The arguments of ``kernels.play`` that describe rules and bots, in its order."""

    rules: tuple[Any, ...]
    rolls: tuple[Any, ...]
    menus: tuple[Any, ...]
    bank: tuple[Ints, Ints]
    worth: tuple[Any, ...]


def prepare(rules: Rules, bots: Sequence[Bot]) -> Prepared:
    """Return the kernel's arguments for these rules and bots."""
    step = rules.step
    penalty = rules.scoreless_penalty if isinstance(rules.scoreless_penalty, int) else 0
    ending = ("first", "last_turns", "finish_round").index(rules.ending)
    numbers = (
        rules.target // step, rules.cap // step, rules.floor // step, rules.scoreless_limit, penalty // step, ending,
    )  # fmt: skip
    settled = (rules.dice, *numbers, rules.tie == "shared", rules.exact, MOST_TURNS)
    rolls, best = _rolls(rules)
    tables = rule_tables(rules)
    menus = (best, tables.begin, tables.points, tables.left, rules.dice)
    return Prepared(settled, rolls, menus, bank_rows(rules, bots), _worth(rules, bots))


@lru_cache(maxsize=8)
def _rolls(rules: Rules) -> tuple[tuple[Any, ...], Ints]:
    """The menu of every ordered roll of 1 to all dice, one number after the other, and every menu's packed best option.

    The last two menus are the bust and the win.
    """
    tables = rule_tables(rules)
    best = []
    menu_of: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
    for count in range(1, rules.dice + 1):
        for menu in range(tables.first[count], tables.first[count + 1]):
            here = slice(tables.begin[menu], tables.begin[menu + 1])
            options = tuple(zip(tables.points[here].tolist(), tables.left[here].tolist(), strict=True))
            menu_of[count, options] = menu
            points, left = max(options, key=lambda option: (option[0], -option[1]))
            best.append(points << 24 | (left == 0) << 8 | (left or rules.dice) << 4 | left)
    bust, win = len(best), len(best) + 1
    best += [kernels.NOTHING << 24 | kernels.BUST, kernels.NOTHING << 24 | kernels.WIN]
    base, size = [0], [0]
    found: list[npt.NDArray[np.uint16]] = []
    # A roll's code adds up over its dice, so that it is the same in whatever order they fell.
    code_of = 9 ** np.arange(6)
    codes = np.zeros(1, dtype=np.int64)
    for count in range(1, rules.dice + 1):
        codes = np.add.outer(codes, code_of).ravel()
        menu_by_code = {}
        for roll in combinations_with_replacement(FACES, count):
            score = scored(rules, roll)
            options = tuple(sorted({(keep.points // rules.step, count - len(keep.dice)) for keep in score.keeps}))
            menu = win if score.wins else bust if score.bust else menu_of[count, options]
            menu_by_code[sum(int(code_of[face - 1]) for face in roll)] = menu
        distinct, which = np.unique(codes, return_inverse=True)
        base.append(sum(one.size for one in found))
        size.append(6**count)
        found.append(np.array([menu_by_code[code] for code in distinct.tolist()], dtype=np.uint16)[which])
    reject = [0, *((1 << 43) % rolls for rolls in size[1:])]
    shifted = np.array(base, dtype=np.uint64) << np.uint64(43)
    sizes = np.array(size, dtype=np.uint64), np.array(reject, dtype=np.uint64)
    return (shifted, *sizes, np.concatenate(found)), np.array(best, dtype=np.int64)


def bank_rows(rules: Rules, bots: Sequence[Bot]) -> tuple[Ints, Ints]:
    """Return ``rows`` and ``row_of``: a bot banks from ``rows[row_of[bot, score - floor] + dice left]`` points on.

    Everything that allows or refuses a bank (RULES §2.6, 5.1, 5.3, 5.7, 5.9) is in these numbers, in steps and
    shifted as the kernel has them; the entries for rolls without points always end the turn.
    """
    step, far = rules.step, kernels.FAR
    target, floor = rules.target // step, rules.floor // step
    score = np.arange(floor, target)
    need = np.where(score <= 0, rules.entry // step, rules.min_bank // step)
    missing = target - score
    finish = np.where((score > 0) & rules.exact, missing, np.maximum(missing, need))
    least = np.where(score >= rules.cap // step, far, need)
    found = []
    for one in bots:
        wishes = np.full(16, -(far << 2))
        wishes[: rules.dice] = [-(-points // step) for points in _thresholds(rules, one)]
        rows = np.minimum(np.maximum(wishes, least[:, None]), finish[:, None])
        if rules.hot_dice == "must":
            rows[:, 0] = finish
        rows[:, kernels.PASSED :] = -(far << 2)
        found.append(rows << 16)
    distinct, which = np.unique(np.concatenate(found), axis=0, return_inverse=True)
    return distinct.ravel(), (16 * which).reshape(len(bots), score.size)


def _thresholds(rules: Rules, one: Bot) -> Sequence[int]:
    if type(one) is Steady:
        return (one.threshold,) * rules.dice
    if not _is_table(one):
        return (0,) * rules.dice
    assert isinstance(one, TableBot)
    points = one.bank_from(rules)
    if len(points) != rules.dice:
        raise ValueError(f"{one.spec}: bank_from gives {len(points)} numbers for {rules.dice} dice")
    return points


def _is_table(one: Bot) -> bool:
    return type(one) is Steady or isinstance(one, TableBot)


def _worth(rules: Rules, bots: Sequence[Bot]) -> tuple[Any, ...]:
    """The arrays of all bots that have some, as one; a bot that has none has rows of -1."""
    given = {place: _checked(rules, one) for place, one in enumerate(bots) if not _is_table(one)}
    if not given:
        return np.zeros((0, 1, 1), np.float32), np.zeros((0, 1, 1), np.bool_), np.zeros((0, 1, 1, 1, 1, 1), np.int32)
    deep = max(values.shape[1] for values, _, _ in given.values())
    shape = np.max([rows.shape for _, _, rows in given.values()], axis=0)
    row_of = np.full((len(bots), *shape), -1, dtype=np.int32)
    all_values, all_banks, count = [], [], 0
    at: dict[int, int] = {}
    for place, (values, banks, rows) in given.items():
        if id(values) not in at:
            at[id(values)] = count
            count += len(values)
            more = deep - values.shape[1]
            if more or not banks[:, -1].all():
                # What is longer than its own arrays goes on as their last entry, and is banked.
                values = np.pad(values, ((0, 0), (0, more), (0, 0)), mode="edge")
                banks = np.pad(banks[:, :-1], ((0, 0), (0, more + 1), (0, 0)), constant_values=True)
            all_values.append(values)
            all_banks.append(banks)
        row_of[place] = at[id(given[place][0])] + np.pad(rows, [(0, more) for more in shape - rows.shape], mode="edge")
    if len(all_values) == 1:
        return all_values[0], all_banks[0], row_of  # perfect play may be large: no copy
    return np.concatenate(all_values), np.concatenate(all_banks), row_of


def _checked(rules: Rules, one: Bot) -> Arrays:
    """The arrays of a bot; the kernel trusts them, so that what does not fit must not come so far."""
    if isinstance(one, WorthBot):
        values, banks, rows = one.worth(rules)
    else:
        assert isinstance(one, Habit)
        values, banks, rows = habit_arrays(rules, one)
    fits = values.ndim == 3 and rows.ndim == 5 and values.size and rows.size and values.shape[2] == rules.dice
    if not fits or banks.shape != values.shape or rows.min() < 0 or rows.max() >= len(values):
        raise ValueError(f"the arrays {values.shape}, {banks.shape} and {rows.shape} do not fit together")
    return np.asarray(values, np.float32), np.asarray(banks, np.bool_), np.asarray(rows, np.int32)


def habit_arrays(rules: Rules, one: Habit) -> Arrays:
    """Return the choices of a bot with habits as arrays, as :class:`WorthBot` has them."""
    step = rules.step
    target, floor = rules.target // step, rules.floor // step
    # In the last turns a lead above the target is taken for the target.
    last = 0 if rules.ending == "first" else target
    number: dict[tuple[Mood, int], int] = {}
    rows = np.zeros((target - floor, target - floor + last), dtype=np.int32)
    for a in range(floor, target):
        for b in range(floor, target + last):
            mood = one.mood(rules, a * step, b * step)
            # The own score matters where it says what reaches the target, or passes it.
            at = a if mood.settles or rules.exact else 0
            rows[a - floor, b - floor] = number.setdefault((mood, at), len(number))
    wanted = [points // step + 1 for mood, _ in number for points in mood.bank_from if points < NEVER]
    deep = max(target - floor, *wanted) + rule_tables(rules).most + 2
    made = [_mood_arrays(rules, mood, score * step, deep) for mood, score in number]
    return np.stack([one for one, _ in made]), np.stack([one for _, one in made]), rows.reshape(1, 1, 1, *rows.shape)


def _mood_arrays(
    rules: Rules, mood: Mood, score: int, deep: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """``Mood.worth`` and ``Mood.banks`` for all points and dice left."""
    steps, left = np.arange(deep)[:, None], np.arange(rules.dice)
    points = steps * rules.step
    banks = points >= np.array(mood.bank_from)
    if mood.settles:
        banks |= score + points >= rules.target
    grows = 16 * steps - left
    values = grows
    if mood.few:
        values = np.where(banks, (1 << 20) + grows, (np.where(left == 0, rules.dice, left) << 16) + steps)
    if rules.exact:
        values = np.where(score + points > rules.target, -1 - grows, values)
    banks[-1] = True
    return values.astype(np.float32), banks
