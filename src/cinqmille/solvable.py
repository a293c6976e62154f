"""What solved games are, which games can be solved, and what that costs: all that needs no kernels.

So a stored solution is read, and a game that cannot be solved is refused, without waiting for compiled code.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from cinqmille.errors import InvalidRules
from cinqmille.rules import PARAMETERS, Rules
from cinqmille.tables import Floats, rule_tables

# A game whose values change by less than this from one sweep to the next is solved.
SETTLED = 1e-12
# Options looked at from which on the sweep is written out for the table, and how many a core looks at in a second,
# generic and written out: measured, and good for a rough guess.
LONG_WORK = 3e9
_PACE, _PACE_WRITTEN_OUT = 1.2e9, 3.5e9
# The same for two players, and sweeps of a state.
_PACE_TWO, _SWEEPS = 9e9, 6.5
# Rows that the last turns add, about, for every step of the target.
_ROWS_OF_THE_END = 2.5e6


@dataclass(frozen=True, slots=True)
class Solution:
    """A solved game.

    ``values[side, mine, theirs, count_mine, count_theirs]`` is the chance to win (a shared win counts as its share)
    of the player about to begin a turn, without a turn to take over. Scores are in steps from ``floor`` up;
    ``side`` is the seat where the seats differ (``finish_round``), else 0. ``taken[side, mine, theirs, count_mine,
    t, dice]`` are the values of turns taken over with ``t`` points at risk (no rows where nobody takes over).
    ``passes`` counts sweeps of 32 states, ``seconds`` the solve alone.
    """

    rules: Rules
    values: Floats
    taken: Floats
    residual: float
    passes: int
    seconds: float

    @property
    def zero(self) -> int:
        """The index of a score of 0."""
        return zero_index(self.rules)

    @property
    def win(self) -> tuple[float, float]:
        """The chance to win of each seat from the start."""
        first = float(self.values[0, self.zero, self.zero, 0, 0])
        return first, 1.0 - first


# What the arrays and kernels know; whatever else a sheet may say one day is refused by name, never ignored.
_KNOWN = {
    *("dice", "target", "entry", "ending", "tie", "min_bank", "equal_scores", "hot_dice", "keep", "blank_roll"),
    *("scoreless_limit", "scoreless_penalty", "floor", "strike", "prediction", "last_leg", "takeover", "exact"),
}


def unsolvable(rules: Rules) -> str | None:
    """Return the first parameter that rules an exact solution out: its memory is unbounded, or it is unknown here."""
    for parameter in PARAMETERS:
        if parameter.name not in _KNOWN and getattr(rules, parameter.name) != parameter.default:
            return parameter.name
    if rules.equal_scores == "fall":
        return "equal_scores"
    if rules.strike:
        return "strike"
    if rules.scoreless_limit and rules.scoreless_penalty == "previous":
        return "scoreless_penalty"
    return None


@dataclass(frozen=True, slots=True)
class ManySolution:
    """A solved game of ``players``.

    ``values[side, mine, next, ..., last, k]`` is the chance to win (a shared win counts as its share) of the player
    about to begin a turn (k = 0) and of the others in turn order; that of the last one is what is missing to 1.
    Scores are in steps; ``side`` is the seat where the seats differ (``finish_round``), else 0.

    ``last`` and ``middle`` are the chances in the last turns (see ``lastturns``); without last turns they are nothing.
    ``passes`` counts sweeps of ABREAST states, ``mixed`` lists a state of every cycle in which plans are drawn by
    lot, ``seconds`` is the solve alone, compiled.
    """

    rules: Rules
    players: int
    values: Floats
    last: Floats
    middle: Floats
    residual: float
    passes: int
    mixed: tuple[tuple[int, ...], ...]
    seconds: float

    @property
    def win(self) -> tuple[float, ...]:
        """The chance to win of each seat from the start."""
        return self.chances((0,) * self.players)

    def chances(self, scores: Iterable[int], *, side: int = 0) -> tuple[float, ...]:
        """The chances of all players at the start of a turn; scores in steps, both from the player to move on."""
        found = self.values[(side, *scores)].tolist()
        return (*found, 1.0 - sum(found))


def zero_index(rules: Rules) -> int:
    """Return the index of a score of 0: penalties may push scores below it."""
    loses_points = rules.scoreless_limit > 0 and isinstance(rules.scoreless_penalty, int)
    return -rules.floor // rules.step if loses_points else 0


@dataclass(frozen=True, slots=True)
class Cost:
    """What a game costs to solve: states at the start of a turn, bytes of their values, rows of turns to sweep."""

    states: int
    bytes: int
    rows: int

    def hours(self, rows_per_second: float) -> float:
        """Hours at so many rows a second."""
        return self.rows / rows_per_second / 3600


def unsolvable_many(rules: Rules, players: int) -> str | None:
    """Return the name of the first parameter that keeps ``solve_many`` from an exact solution, or None."""
    name = unsolvable(rules)
    if name is None and rules.scoreless_limit:
        name = "scoreless_limit"
    for flag in ("prediction", "takeover"):
        if name is None and getattr(rules, flag) not in (False, "never"):
            name = flag
    if name is None and rules.ending != "first" and players > 3:
        name = "ending"
    return name


def cost(rules: Rules, players: int = 3, *, sweeps: float = 5.0) -> Cost:
    """Return what solving would cost, with so many sweeps of a state on average; rows above the target not counted."""
    target = rules.target // rules.step
    states = target**players * (players if rules.ending == "finish_round" else 1)
    rows = sweeps * states * (target + 1) / 2
    return Cost(states, 8 * (players - 1) * states, round(rows))


def verify_many(rules: Rules, players: int) -> None:
    """Raise InvalidRules when ``solve_many`` cannot solve this game, naming the parameter, or not in this memory."""
    if not 2 <= players <= 8:
        raise InvalidRules("players_number", players=players)
    name = unsolvable_many(rules, players)
    if name is not None:
        value = str(getattr(rules, name)).lower()
        if unsolvable(rules):
            raise InvalidRules("not_solvable", name=name, value=value)
        raise InvalidRules("not_solvable_many", name=name, value=value, players=players)
    needed, most = cost(rules, players), _memory()
    if needed.bytes > most:
        raise InvalidRules(
            "solution_exceeds_memory", rules=rules.canonical, players=players, states=needed.states,
            gigabytes=-(-needed.bytes // 10**9), most=most // 10**9,
        )  # fmt: skip


def effort(rules: Rules, players: int = 3) -> float:
    """Return about how many seconds solving takes here, all cores working and all compiled: a rough guess."""
    end = 0.0 if rules.ending == "first" else _ROWS_OF_THE_END * (rules.target // rules.step)
    rows = cost(rules, players).rows + end
    work = rows * len(rule_tables(rules).points)
    return work / cores() / (_PACE_WRITTEN_OUT if work > LONG_WORK else _PACE)


def effort_two(rules: Rules) -> float:
    """Return about how many seconds one core needs for two players, all compiled: a rough guess.

    What counts is the target in steps of the table: points in fives are ten times finer than points in fifties.
    """
    target = rules.target // rules.step + zero_index(rules)
    counts = max(1, rules.scoreless_limit)
    states = (2 if rules.ending == "finish_round" else 1) * (target * counts) ** 2
    sweeps = _SWEEPS * (1 if rules.takeover == "never" else 3)
    return states * sweeps * target / 2 * len(rule_tables(rules).points) / _PACE_TWO


def _memory() -> int:
    """Bytes of memory of this machine; where it does not say, what every array may have."""
    if {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= set(getattr(os, "sysconf_names", ())):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 1 << 34


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def verify_chances(values: Floats) -> None:
    """Raise ArithmeticError where ``values`` are no chances: whatever made them is broken, and not to be relied on."""
    if not ((values >= -SETTLED) & (values <= 1.0 + SETTLED)).all():
        raise ArithmeticError("a solved game has chances outside 0 to 1")
