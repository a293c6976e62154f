"""Perfect play of three players and more: everybody maximises the own chance to win, and all chances are carried along.

A state is the scores from the player about to begin a turn on. A turn that ends with nothing passes to the next player
with all scores as they were, so the rotations of a state form a cycle, which is solved as one: given the mover's chances after
a pass one sweep finds the policies (see ``_kernels``); for fixed policies the chances of all players in all states of the cycle
are linear, so a few Newton steps are exact. States of equal sum form a layer, depend only on higher ones, and are
independent of each other, so that threads share the cycles of a layer.

Of choices with the same own chance, banking counts before rolling on, and of set-asides the one with the most points, then with the
most dice left. What they do to the others may differ: with more than two players equally good play is a matter of rule.

``last_turns`` needs the end first: what the last player can do against a lead, and what the one before can do against the
leader when another follows. Only differences of totals and the minima in force matter there.

``residual`` is the largest change of any player's chance in the last step of any state.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cinqmille import _three_kernels as kernels
from cinqmille import straight
from cinqmille.errors import InvalidRules
from cinqmille.rules import Rules
from cinqmille.solver import unsolvable
from cinqmille.tables import Floats, Ints, rule_tables

ABREAST = kernels.ABREAST
Progress = Callable[[float], None]

_TOLERANCE = 5e-13
# Below this chance a lead cannot be caught: the value of banking is 1 to the last digit.
_NO_CHANCE = 1e-16
_STEPS = 60
# Cycles that are swept in one call, times ABREAST: enough to make calls cheap, few enough for the cache.
_GROUPS = 12


@dataclass(frozen=True, slots=True)
class ManySolution:
    """A solved game of ``players``.

    ``values[side, mine, next, ..., last, k]`` is the chance to win (a shared win counts as its share) of the player about to begin
    a turn (k = 0) and of those after him in turn order; that of the last one is what is missing to 1. Scores are in steps; ``side`` is
    the seat where the seats differ (``finish_round``), else 0.

    ``last[tied, kind, lead]`` is the chance of the very last player against a lead in steps, held by one player (tied = 0) or two;
    kind 0 has not opened. ``middle[kind, kind_last, lead, lead_last - lead + target]`` are the chances of a player in the last
    turns and of the last one after him, as far behind the leader. Both are empty where no last turns follow.
    """

    rules: Rules
    players: int
    values: Floats
    last: Floats
    middle: Floats
    residual: float
    passes: int
    seconds: float

    @property
    def win(self) -> tuple[float, ...]:
        """The chance to win of each seat from the start."""
        return self.chances((0,) * self.players)

    def chances(self, scores: Iterable[int], *, side: int = 0) -> tuple[float, ...]:
        """The chances of all players at the start of a turn; scores in steps, both from the player to move on."""
        found = self.values[(side, *scores)].tolist()
        return (*found, 1.0 - sum(found))


@dataclass(frozen=True, slots=True)
class ManyTurn:
    """One turn of one state, solved: the chances of all players, from the mover on, along the last axis.

    ``after[t, left]``: the better of banking and rolling on with ``left`` dice (0: hot dice) and ``t`` steps at risk. ``rolled[t, n]``:
    ``n`` dice are about to be rolled. ``bank[t, left]``: banking, -1 for all where the rules refuse it. ``scoreless``: after a turn
    that ends with nothing. More points than there are rows are worth what banking in the last row is.
    """

    after: Floats
    rolled: Floats
    bank: Floats
    scoreless: Floats


@dataclass(frozen=True, slots=True)
class Cost:
    """What a game costs to solve: turn-start states, bytes of their values, and sweeps of one state's turn, in rows."""

    states: int
    bytes: int
    rows: int

    def hours(self, rows_per_second: float) -> float:
        """Hours at so many rows of one state a second."""
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


def cost(rules: Rules, players: int = 3, *, sweeps: float = 3.5) -> Cost:
    """Return what solving would cost, with so many sweeps a state on average (``ManySolution.passes`` says how many it was)."""
    target = rules.target // rules.step
    states = target**players * (players if rules.ending == "finish_round" else 1)
    rows = sweeps * states * (target + 1) / 2
    return Cost(states, 8 * (players - 1) * states, round(rows))


def solve_many(
    rules: Rules,
    players: int = 3,
    *,
    cores: int | None = None,
    progress: Progress | None = None,
    written_out: bool | None = None,
) -> ManySolution:
    """Return the game of ``rules`` for so many players, solved exactly.

    Two to eight players with ``ending=first`` (memory sets the limit, see :func:`cost`), two or three with the others. All ``cores`` by
    default. ``written_out`` chooses the sweep written out for the table (compiled once, twice as fast) or the generic one; by
    default what pays. Raises InvalidRules, naming the parameter, for rules it cannot solve.
    """
    name = unsolvable_many(rules, players)
    if name is not None:
        raise InvalidRules("not_solvable", name=name, value=str(getattr(rules, name)).lower())
    work = _Game(rules, players, written_out=written_out)
    begun = time.perf_counter()
    work.run(cores or len(os.sched_getaffinity(0)), progress)
    return ManySolution(
        rules, players, work.shaped, work.last, work.middle, work.residual, work.passes, time.perf_counter() - begun
    )


def turn_many(solution: ManySolution, scores: Iterable[int], *, side: int = 0, last_turns: int | None = None) -> ManyTurn:
    """Return the whole turn of a state, recomputed: scores in steps from the mover on.

    ``last_turns`` is None, or the number of players who follow in the last turns: then the highest of the others' scores leads.
    """
    work = _Game(solution.rules, solution.players, written_out=False)
    work.values[:] = solution.values.reshape(work.values.shape)
    work.last, work.middle = solution.last, solution.middle
    return work.turn(tuple(scores), side, last_turns)


class _Turn:
    """Room for one turn at a time, and the way to sweep it; every thread has its own."""

    def __init__(self, rules: Rules, players: int, rows: int, *, written_out: bool) -> None:
        self.rules, self.players = rules, players
        self.tables = rule_tables(rules)
        self.channels = (0,) * players
        self.sure = float(self.tables.bust[1:].min())
        self.ceiling = rows
        size = players * ABREAST
        self.place = (self.tables.points * rules.dice + self.tables.left) * size
        self.D = _aligned((rows + self.tables.most + 1) * rules.dice * size)
        self.D.reshape(-1, rules.dice, players, ABREAST)[rows:, :, 0] = 1.0
        self.straight = straight.sweep_many(self.tables, players) if written_out and not rules.exact else None
        self.none, self.nothing = np.zeros(0, dtype=np.int64), np.zeros(0)

    def sweep(
        self, B: Floats, F: Floats, rows: Ints, slot: Ints, start: Floats,
        limit: Ints | None = None, R: Floats | None = None,
    ) -> None:  # fmt: skip
        """One evaluation of a turn for every lane of every batch that has rows, into ``start``."""
        exact, flat = self.rules.exact, -1
        swept = rows if exact or R is not None else kernels.certain_rows(B, F, rows, self.sure)
        given = self.channels, self.D, B.reshape(flat), B.shape[1], F.reshape(flat), rows, swept, self.ceiling, slot
        if self.straight is not None and R is None:
            self.straight(*given, start.reshape(flat))
        else:
            kernels.sweep_many(
                *given, tuple(self.tables), self.place, exact, (self.none if limit is None else limit).reshape(flat),
                start.reshape(flat), (self.nothing if R is None else R).reshape(flat),
            )  # fmt: skip


def _aligned(count: int) -> Floats:
    """Zeros that begin on a cache line."""
    room = np.zeros(count + 8)
    skipped = -room.ctypes.data // 8 % 8
    return room[skipped : skipped + count]


class _Room:
    """Room for one call's worth of states."""

    def __init__(self, game: _Game, groups: int) -> None:
        players, batches = game.players, groups * game.players
        slots = int(game.slot.max()) + 1
        rows = game.most_rows
        self.turn = _Turn(game.rules, players, rows, written_out=game.written_out)
        self.B = _aligned(batches * rows * slots * (players - 1) * ABREAST).reshape(
            batches, rows, slots, players - 1, ABREAST
        )
        self.F = _aligned(batches * ABREAST).reshape(batches, ABREAST)
        self.start = _aligned(batches * players * ABREAST).reshape(batches, players, ABREAST)
        self.P = np.zeros((groups, players, players, ABREAST))


class _Game:
    """The arrays of one solve, and the order in which they are filled."""

    def __init__(self, rules: Rules, players: int, *, written_out: bool | None) -> None:
        step = rules.step
        self.rules, self.players = rules, players
        self.tables = rule_tables(rules)
        self.target = rules.target // step
        self.needs = rules.entry // step, rules.min_bank // step
        self.slot: Ints = np.minimum(np.arange(rules.dice), int(rules.hot_dice == "must"))
        self.tie = rules.tie == "shared"
        self.sides = players if rules.ending == "finish_round" else 1
        follow = {"first": [0], "last_turns": [players - 1], "finish_round": range(players - 1, -1, -1)}
        self.follow: Ints = np.array(follow[rules.ending])
        self.params = (self.target, *self.needs, rules.cap // step, rules.hot_dice == "must", rules.exact)
        long_work = cost(rules, players).rows * len(self.tables.points) > 3_000_000_000
        self.written_out = long_work if written_out is None else written_out
        self.residual = 0.0
        self.passes = 0
        self.last: Floats = np.zeros((2, 2, 0))
        self.middle: Floats = np.zeros((2, 2, 0, 2 * self.target, 2))
        self.values: Floats = np.full((self.sides, self.target**players, players - 1), 1.0 / players)
        self.beyond = 0
        if self.follow.any():
            self.last = self._last_player()
            self.beyond = 0 if rules.exact else self.last.shape[2]
            if players == 3:
                self.middle = self._middle_player()
        self.most_rows = max(self.target, *self.needs) + 1 + self.beyond

    @property
    def shaped(self) -> Floats:
        """The values with an axis for every score."""
        return self.values.reshape(self.sides, *(self.target,) * self.players, self.players - 1)

    def _last_player(self) -> Floats:
        """``ManySolution.last``; for the very last one only the own chance matters."""
        found: list[list[float]] = []
        for tied in range(2):
            tie = 1.0 / (tied + 2) if self.tie else 0.0
            for kind, need in enumerate(self.needs):
                chances: list[float] = []
                while not chances or (chances[-1] > _NO_CHANCE and len(chances) < 6 * self.target + 600):
                    leads = len(chances) + np.arange(2 * ABREAST).reshape(2, ABREAST)
                    rows = np.maximum(leads[:, -1], 0 if self.rules.exact else need) + 1
                    turn = _Turn(self.rules, 2, int(rows.max()), written_out=False)
                    B = np.empty((2, int(rows.max()), 1, 1, ABREAST))
                    kernels.last_bank(B, leads, rows, need, tie, self.rules.exact, kind == 1)
                    start = np.zeros((2, 2, ABREAST))
                    turn.sweep(B, np.zeros((2, ABREAST)), rows, self.slot * 0, start, leads)
                    chances += start[:, 0].ravel().tolist()
                found.append(chances)
        length = max(map(len, found))
        return np.array([chances + [0.0] * (length - len(chances)) for chances in found]).reshape(2, 2, length)

    def _middle_player(self) -> Floats:
        """``ManySolution.middle``, where such a state can be: the leader stands at the target or above."""
        target, most = self.target, self.last.shape[2]
        longest = min(most, target + 1) if self.rules.exact else most
        rows_needed = longest + most + max(self.needs) + 1
        turn = _Turn(self.rules, 3, rows_needed, written_out=self.written_out)
        middle = np.zeros((2, 2, longest, 2 * target, 2))
        ahead = np.arange(1 - target, target)
        B = np.empty((-(-ahead.size // ABREAST), rows_needed, 1, 2, ABREAST))
        start = np.zeros((B.shape[0], 3, ABREAST))
        for kind, kind_last in ((0, 0), (0, 1), (1, 0), (1, 1)):
            for lead in range(1, longest):
                others = lead + ahead
                inside = (others > 0) & ((lead >= target) if kind == 0 else True)
                inside &= (others >= target) if kind_last == 0 else True
                others = others[inside]
                if others.size == 0:
                    continue
                batches = -(-others.size // ABREAST)
                padded = others[np.minimum(np.arange(batches * ABREAST), others.size - 1)].reshape(batches, ABREAST)
                if self.rules.exact:
                    rows = np.full(batches, lead + 1)
                else:
                    rows = np.maximum(lead + np.maximum(most - padded[:, 0], 1), self.needs[kind])
                kernels.middle_bank(
                    B, lead, padded, rows, self.needs[kind], self.last, kind_last, 0.5 if self.tie else 0.0,
                    self.rules.exact, kind == 1,
                )  # fmt: skip
                limit = np.full((batches, ABREAST), lead)
                turn.sweep(B, np.zeros((batches, ABREAST)), rows, self.slot * 0, start, limit)
                own, passed, last = start[:batches].transpose(1, 0, 2).reshape(3, -1)[:, : others.size]
                caught = np.where(others < most, self.last[0, kind_last, np.minimum(others, most - 1)], 0.0)
                middle[kind, kind_last, lead, others - lead + target] = np.stack([own, last + passed * caught], axis=1)
        return middle

    def run(self, cores: int, progress: Progress | None) -> None:
        """Fill ``values``."""
        layers = self.players * (self.target - 1)
        done = 0.0
        whole = self.target**self.players * (self.players * (self.target + 1) / 2)
        if self.sides == 1:
            whole /= self.players
        rooms: queue.SimpleQueue[_Room] = queue.SimpleQueue()
        for _ in range(cores):
            rooms.put(_Room(self, _GROUPS))

        def solve(scores: Ints) -> tuple[float, int]:
            room = rooms.get()
            try:
                return self._solve(room, scores)
            finally:
                rooms.put(room)

        with ThreadPoolExecutor(cores) as pool:
            for total in range(layers, -1, -1):
                scores = self._layer(total)
                chunks = self._chunks(scores, cores)
                results = map(solve, chunks) if cores == 1 or len(chunks) == 1 else pool.map(solve, chunks)
                for change, passes in results:
                    self.residual = max(self.residual, change)
                    self.passes += passes
                done += scores.shape[1] * (self.players * self.target - total)
                if progress is not None:
                    progress(min(1.0, done / whole))

    def _layer(self, total: int) -> Ints:
        """The cycles of the states of a layer, one state of each, neighbours together: (players, cycles)."""
        grid = np.indices((self.target,) * (self.players - 1)).reshape(self.players - 1, -1)
        missing = total - grid.sum(axis=0)
        inside = (missing >= 0) & (missing < self.target)
        scores = np.concatenate([grid[:, inside], missing[None, inside]])
        if self.sides == 1:
            first = np.ones(scores.shape[1], dtype=bool)
            own = self._state(scores)
            for turn in range(1, self.players):
                first &= own <= self._state(np.roll(scores, -turn, axis=0))
            scores = scores[:, first]
        # Lanes of a batch are swept as far as the one that needs most: tiles keep them alike in every score.
        width = max(1, round(ABREAST ** (1 / max(1, self.players - 1))))
        order = np.lexsort(tuple(scores[:-1][::-1] // width))
        return np.ascontiguousarray(scores[:, order])

    def _state(self, scores: Ints) -> Ints:
        state = np.zeros(scores.shape[1], dtype=np.int64)
        for score in scores:
            state = state * self.target + score
        return state

    def _chunks(self, scores: Ints, cores: int) -> list[Ints]:
        groups = -(-scores.shape[1] // ABREAST)
        count = max(-(-groups // _GROUPS), min(cores, groups))
        count = -(-count // cores) * cores if count > 1 else 1
        cuts = [groups * i // count * ABREAST for i in range(count)] + [scores.shape[1]]
        return [scores[:, low:high] for low, high in pairwise(cuts) if low < high]

    def lanes(self, room: _Room, scores: Ints, side: Ints) -> tuple[Ints, Ints]:
        """Fill ``B`` for these states (batches, players, lanes); return the rows of each batch and each lane's limit."""
        limit = self.target - scores[:, 0]
        need = np.where(scores[:, 0] == 0, self.needs[0], self.needs[1])
        rows = (limit + 1 if self.rules.exact else np.maximum(limit + self.beyond, need)).max(axis=1)
        kernels.gather_many(
            room.B, self.values, scores, side, rows, self.follow, self.last, self.middle, self.params
        )  # fmt: skip
        return rows, np.ascontiguousarray(limit)

    def _solve(self, room: _Room, states: Ints) -> tuple[float, int]:
        """Solve these cycles, and write their values."""
        players, count = self.players, states.shape[1]
        groups = -(-count // ABREAST)
        padded = states[:, np.minimum(np.arange(groups * ABREAST), count - 1)]
        cycles = np.ascontiguousarray(padded.reshape(players, groups, ABREAST).transpose(1, 0, 2))
        batches = groups * players
        scores = np.stack([np.roll(cycles, -turn, axis=1) for turn in range(players)], axis=1)
        rows, limit = self.lanes(
            room, scores.reshape(batches, players, ABREAST), np.tile(np.arange(players), groups) % self.sides
        )
        B, F, start, P = room.B[:batches], room.F[:batches], room.start[:batches], room.P[:groups]
        kernels.guess_many(P, self.values, cycles, self.sides)
        kernels.passes_to(P, F)
        passes, residual, change = 0, 0.0, 1.0
        for _ in range(_STEPS):
            passes += int(np.count_nonzero(rows))
            room.turn.sweep(B, F, rows, self.slot, start, limit)
            done, change = kernels.newton_many(P, start, F, rows, _TOLERANCE)
            residual = max(residual, done)
            if not rows.any():
                break
        kernels.store_many(self.values, P, cycles, count)
        return max(residual, change), passes

    def turn(self, scores: tuple[int, ...], side: int, last_turns: int | None) -> ManyTurn:
        """Sweep one state with every row of it recorded."""
        raise AssertionError
