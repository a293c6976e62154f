"""Perfect play of three players and more: everybody maximises the own chance to win, and all chances are carried along.

A state is the scores from the player about to begin a turn on. A turn that ends with nothing passes to the next player
with all scores as they were, so the rotations of a state form a cycle, which is solved as one: given the mover's
chance after a pass one sweep finds the best plans (see ``_kernels``), for fixed plans the chances of all players in all
states of the cycle are linear, and so a few Newton steps are exact. States of equal sum form a layer, depend only on
higher ones, and not on each other: threads share the cycles of a layer.

With more than two players "best play" needs three decisions:

- Of choices with the same own chance, banking counts before rolling on, and of set-asides the one with the most
  points, then with the most dice left.
- A cycle may have several equilibria, in which everybody plays best against the others (a few cycles in a thousand do,
  mostly with last turns; they differ in the fourth digit there, in the seventh from the start). The one taken is what
  Newton's steps reach from equal chances, in every cycle anew.
- A few cycles have none without chance: whatever a player chooses makes the others choose so that something else would
  have been better. There the plan is drawn by lot (see ``cycles``); ``mixed`` lists these cycles.

``last_turns`` needs the end first (see ``lastturns``). ``residual`` is the largest change of any player's chance in the
last step of any cycle; in mixed cycles, of the mover's own chance.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cinqmille import _three_kernels as kernels
from cinqmille import cycles, lastturns
from cinqmille.rules import Rules
from cinqmille.solvable import LONG_WORK, ManySolution, cost, verify_chances, verify_many
from cinqmille.solvable import cores as machine_cores
from cinqmille.tables import Floats, Ints, aligned, rule_tables
from cinqmille.turns import ABREAST, Turn

Progress = Callable[[float], None]

_TOLERANCE = 5e-13
# Newton steps before a cycle is taken for one without stable choices, and steps to find what is stable there.
_STEPS = 20
_MIXED_STEPS = 40
# Cycles that are swept in one call, times ABREAST: enough to make calls cheap, few enough for the cache.
_GROUPS = 12


@dataclass(frozen=True, slots=True)
class ManyTurn:
    """One turn of one state, solved: the chances of all players, from the mover on, along the last axis.

    ``after[t, left]``: the better of banking and rolling on with ``left`` dice (0: hot dice) and ``t`` steps at risk.
    ``rolled[t, n]``: ``n`` dice are about to be rolled. ``bank[t, left]``: banking, -1 for all where the rules refuse
    it. ``scoreless``: after a turn that ends with nothing. More points than there are rows are worth what banking in
    the last row is.
    """

    after: Floats
    rolled: Floats
    bank: Floats
    scoreless: Floats


def solve_many(
    rules: Rules,
    players: int = 3,
    *,
    cores: int | None = None,
    progress: Progress | None = None,
    written_out: bool | None = None,
) -> ManySolution:
    """Return the game of ``rules`` for so many players, solved exactly.

    Two to eight players with ``ending=first`` (memory sets the limit, see :func:`cost`), two or three with the others.
    All ``cores`` by default. ``progress`` is told the part that is done. ``written_out`` chooses the sweep written out
    for the table (compiled once, twice as fast) or the generic one; by default what pays. Raises InvalidRules, naming
    the parameter, for rules it cannot solve, or for more states than the machine's memory holds.
    """
    verify_many(rules, players)
    game = _Game(rules, players, written_out=written_out)
    rooms = [_Room(game, _GROUPS) for _ in range(cores or machine_cores())]
    game.compile(rooms[0])
    begun = time.perf_counter()
    game.run(rooms, progress)
    verify_chances(game.values)
    seconds = time.perf_counter() - begun + game.seconds
    count = game.count
    return ManySolution(
        rules, players, game.shaped, game.last, game.middle, count.residual, count.passes, count.mixed, seconds
    )


def turn_many(
    solution: ManySolution, scores: Iterable[int], *, side: int = 0, last_turns: int | None = None
) -> ManyTurn:
    """Return the whole turn of a state, recomputed: scores in steps from the mover on.

    ``last_turns`` is None, or the number of players who follow in the last turns: then the highest of the others'
    scores leads.
    """
    game = _Game(solution.rules, solution.players, written_out=False, solution=solution)
    found = tuple(scores)
    return _turn(game, found, side) if last_turns is None else _last_turn(game, found, last_turns)


class _Room:
    """Room for one call's worth of cycles."""

    def __init__(self, game: _Game, groups: int) -> None:
        players, batches, rows = game.players, groups * game.players, game.most_rows
        last_turns = bool(game.follow.any())
        self.turn = Turn(game.rules, players, rows, last_turns=last_turns, written_out=game.written_out)
        shape = batches, rows, int(game.slot.max()) + 1, players - 1, ABREAST
        self.B = aligned(int(np.prod(shape))).reshape(shape)
        self.F = aligned(batches * ABREAST).reshape(batches, ABREAST)
        self.start = aligned(batches * players * ABREAST).reshape(batches, players, ABREAST)
        self.P = np.zeros((groups, players, players, ABREAST))


@dataclass(slots=True)
class _Count:
    """What solving some cycles took, and how well it went."""

    passes: int = 0
    residual: float = 0.0
    mixed: tuple[tuple[int, ...], ...] = ()

    def add(self, other: _Count) -> None:
        self.passes += other.passes
        self.residual = max(self.residual, other.residual)
        self.mixed += other.mixed


class _Game:
    """The arrays of one solve, and the order in which they are filled."""

    def __init__(
        self, rules: Rules, players: int, *, written_out: bool | None, solution: ManySolution | None = None
    ) -> None:
        step = rules.step
        self.rules, self.players = rules, players
        self.tables = rule_tables(rules)
        self.target = rules.target // step
        self.needs = rules.entry // step, rules.min_bank // step
        self.slot: Ints = np.minimum(np.arange(rules.dice), int(rules.hot_dice == "must"))
        self.sides = players if rules.ending == "finish_round" else 1
        follow = {"first": [0], "last_turns": [players - 1], "finish_round": range(players - 1, -1, -1)}
        self.follow: Ints = np.array(follow[rules.ending])
        self.params = (self.target, *self.needs, rules.cap // step, rules.hot_dice == "must", rules.exact)
        long_work = cost(rules, players).rows * len(self.tables.points) > LONG_WORK
        self.written_out = long_work if written_out is None else written_out
        self.count = _Count()
        following = int(self.follow.max())
        begun = time.perf_counter()
        size = self.sides, self.target**players, players - 1
        if solution is None:
            self.last = lastturns.last(rules) if following else np.zeros((2, 2, 1))
            self.middle = lastturns.middle(rules, self.last) if following == 2 else np.zeros((2, 2, 1, 1, 2))
            self.values = np.full(size, 1.0 / players)
        else:
            self.last, self.middle, self.values = solution.last, solution.middle, solution.values.reshape(size)
        self.seconds = time.perf_counter() - begun
        self.beyond = self.last.shape[2] if following and not rules.exact else 0
        self.most_rows = max(self.target, *self.needs) + 1 + self.beyond

    @property
    def shaped(self) -> Floats:
        """The values with an axis for every score."""
        return self.values.reshape(self.sides, *(self.target,) * self.players, self.players - 1)

    def compile(self, room: _Room) -> None:
        """Have everything compiled, by a call with nothing to do."""
        none = np.zeros((1, self.players, ABREAST), dtype=np.int64)
        rows = np.zeros(self.players, dtype=np.int64)
        B, F, start, P = room.B[: rows.size], room.F[: rows.size], room.start[: rows.size], room.P[:1]
        kernels.gather_many(B, self.values, none, rows[:1], rows[:1], self.follow, self.last, self.middle, self.params)
        kernels.passes_to(P, F)
        room.turn.sweep(B, F, rows, self.slot, none[0], start)
        kernels.newton_many(P, start, F, rows, _TOLERANCE)
        kernels.store_many(self.values, P, none, 0)

    def run(self, rooms: Sequence[_Room], progress: Progress | None) -> None:
        """Fill ``values``, with a thread for every room."""
        free: queue.SimpleQueue[_Room] = queue.SimpleQueue()
        for room in rooms:
            free.put(room)

        def solve(scores: Ints) -> _Count:
            room = free.get()
            try:
                return self._solve(room, scores)
            finally:
                free.put(room)

        cores = len(rooms)
        whole = self.target**self.players * self.players * (self.target + 1) / 2
        done = 0.0
        grid = np.indices((self.target,) * (self.players - 1)).reshape(self.players - 1, -1)
        with ThreadPoolExecutor(cores) as pool:
            for total in range(self.players * (self.target - 1), -1, -1):
                scores = self._layer(grid, total)
                calls = self._calls(scores, cores)
                for count in map(solve, calls) if min(cores, len(calls)) == 1 else pool.map(solve, calls):
                    self.count.add(count)
                done += scores.shape[1] * (self.players * self.target - total) * (self.players // self.sides)
                if progress is not None:
                    progress(min(1.0, done / whole))

    def _layer(self, grid: Ints, total: int) -> Ints:
        """The cycles of the states of a layer, one state of each, neighbours together: (players, cycles)."""
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

    def _calls(self, scores: Ints, cores: int) -> list[Ints]:
        """Cut a layer into calls, as many for every core."""
        groups = -(-scores.shape[1] // ABREAST)
        count = -(-groups // _GROUPS)
        count = -(-count // cores) * cores if groups >= 2 * cores else 1
        cuts = [groups * i // count * ABREAST for i in range(count)] + [scores.shape[1]]
        return [scores[:, low:high] for low, high in pairwise(cuts)]

    def bank(self, B: Floats, scores: Ints, side: Ints) -> tuple[Ints, Ints]:
        """Fill ``B`` for these states (batches, players, lanes); return rows, and the way to the target of each
        lane."""
        limit = self.target - scores[:, 0]
        need = np.where(scores[:, 0] == 0, self.needs[0], self.needs[1])
        rows = (limit + 1 if self.rules.exact else np.maximum(limit + self.beyond, need)).max(axis=1)
        kernels.gather_many(B, self.values, scores, side, rows, self.follow, self.last, self.middle, self.params)
        return rows, np.ascontiguousarray(limit)

    def _solve(self, room: _Room, states: Ints) -> _Count:
        """Solve these cycles, and write their values."""
        players, count = self.players, states.shape[1]
        groups = -(-count // ABREAST)
        padded = states[:, np.minimum(np.arange(groups * ABREAST), count - 1)]
        scores = np.ascontiguousarray(padded.reshape(players, groups, ABREAST).transpose(1, 0, 2))
        turned = np.stack([np.roll(scores, -turn, axis=1) for turn in range(players)], axis=1)
        side = np.tile(np.arange(players), groups) % self.sides
        rows, limit = self.bank(room.B, turned.reshape(-1, players, ABREAST), side)
        batches = groups * players
        B, F, start, P = room.B[:batches], room.F[:batches], room.start[:batches], room.P[:groups]
        P[:] = 1.0 / players
        kernels.passes_to(P, F)
        found = _Count()
        for _ in range(_STEPS):
            found.passes += int(np.count_nonzero(rows))
            room.turn.sweep(B, F, rows, self.slot, limit, start)
            found.residual = max(found.residual, kernels.newton_many(P, start, F, rows, _TOLERANCE))
            if not rows.any():
                break
        else:
            found.add(self._settle(room, scores, rows, limit, count))
        kernels.store_many(self.values, P, scores, count)
        return found

    def _settle(self, room: _Room, scores: Ints, rows: Ints, limit: Ints, count: int) -> _Count:
        """Go on with cycles whose best choices undo each other, adding plans until none is better than those mixed."""
        players = self.players
        batches = rows.size
        B, F, start, P = room.B[:batches], room.F[:batches], room.start[:batches], room.P
        known: dict[tuple[int, int], list[list[cycles.Plan]]] = {}
        found = _Count()
        mixed: dict[tuple[int, int], bool] = {}
        unsettled: dict[tuple[int, int], float] = {}
        for _ in range(_MIXED_STEPS):
            found.passes += int(np.count_nonzero(rows))
            room.turn.sweep(B, F, rows, self.slot, limit, start)
            unsettled = {}
            for group in np.flatnonzero(rows[::players]).tolist():
                these = slice(group * players, (group + 1) * players)
                for lane in range(ABREAST):
                    plans = cycles.plans(start[these, :, lane], F[these, lane])
                    pure = cycles.values(plans)
                    change = float(np.abs(pure - P[group, :, :, lane]).max())
                    if (group, lane) in known:
                        own = start[these, 0, lane] - P[group, :, :, lane].diagonal()
                        change = min(change, float(np.abs(own).max()))
                    if change < _TOLERANCE:
                        found.residual = max(found.residual, change)
                        continue
                    unsettled[group, lane] = change
                    period = self._period(scores[group, :, lane])
                    choices = known.setdefault((group, lane), [[] for _ in range(period)])
                    for choice, plan in zip(choices, plans, strict=False):
                        if not any(plan.same_as(other) for other in choice):
                            choice.append(plan)
                    stable = cycles.equilibrium(choices, players)
                    P[group, :, :, lane], mixed[group, lane] = (pure, False) if stable is None else stable
                if all(place[0] != group for place in unsettled):
                    rows[these] = 0
            kernels.passes_to(P[: batches // players], F)
            if not unsettled:
                break
        found.residual = max([found.residual, *unsettled.values()])
        drawn = [place for place, is_mixed in mixed.items() if is_mixed and place[0] * ABREAST + place[1] < count]
        found.mixed = tuple(tuple(scores[group, :, lane].tolist()) for group, lane in drawn)
        return found

    def _period(self, scores: Ints) -> int:
        """After how many turns a cycle looks the same again."""
        if self.sides > 1:
            return self.players
        return next(turn for turn in range(1, self.players + 1) if (np.roll(scores, -turn) == scores).all())


def _turn(game: _Game, scores: tuple[int, ...], side: int) -> ManyTurn:
    """One turn before anybody has reached the target."""
    grid = np.array(scores)[None, :, None].repeat(ABREAST, axis=2)
    B = np.empty((1, game.most_rows, int(game.slot.max()) + 1, game.players - 1, ABREAST))
    rows, limit = game.bank(B, grid, np.array([side]))
    passed = game.values[(side + 1) % game.sides].reshape(game.shaped.shape[1:])[(*scores[1:], scores[0])]
    after_pass = np.array([1.0 - passed.sum(), *passed])
    return _swept(game, B, rows, limit, game.slot, after_pass)


def _last_turn(game: _Game, scores: tuple[int, ...], follow: int) -> ManyTurn:
    """One of the last turns: nobody follows, or one does."""
    rules, players = game.rules, game.players
    leader = max(scores[1:])
    lead = leader - scores[0]
    kinds = [min(score, 1) for score in scores]
    need = 0 if rules.exact and kinds[0] and lead else game.needs[kinds[0]]
    beyond = 1 if rules.exact else game.last.shape[2] if follow else 1
    rows = np.array([max(lead + beyond, need) + 1])
    B = np.zeros((1, int(rows[0]), 1, players - 1, ABREAST))
    shared = 0.5 if rules.tie == "shared" else 0.0
    after_pass = np.zeros(players)
    if follow:
        others = np.full((1, ABREAST), leader - scores[1])
        kernels.middle_bank(B, rows, lead, need, others, game.last, kinds[1], shared, rules.exact)
        caught = kernels.last_value(game.last, 0, kinds[1], leader - scores[1])
        after_pass[1:] = caught, 1.0 - caught
    else:
        leaders = [k for k in range(1, players) if scores[k] == leader]
        first = leaders if shared else leaders[:1]
        after_pass[first] = 1.0 / len(first)
        points = np.arange(int(rows[0]))
        worth = np.zeros((points.size, players))
        worth[points > lead, 0] = 1.0
        worth[points < lead] = after_pass
        worth[points == lead, 0] = bool(shared) / (len(leaders) + 1)
        worth[points == lead, 1:] = after_pass[1:] * (1.0 - worth[points == lead, :1])
        worth[(points == 0) | (points < need) | (rules.exact & (points > lead)), 0] = -1.0
        B[0, :, 0] = worth[:, :-1, None]
    return _swept(game, B, rows, np.full((1, ABREAST), lead), game.slot * 0, after_pass)


def _swept(game: _Game, B: Floats, rows: Ints, limit: Ints, slot: Ints, after_pass: Floats) -> ManyTurn:
    """Sweep one state, with everything recorded and passes resolved."""
    players, dice, count = game.players, game.rules.dice, int(rows[0])
    turn = Turn(game.rules, players, count, last_turns=bool(game.follow.any()))
    R = np.zeros((1, B.shape[1], dice + 1, players, ABREAST))
    start = np.zeros((1, players, ABREAST))
    turn.sweep(B, np.full((1, ABREAST), after_pass[0]), rows, slot, limit, start, R, whole=True)

    def chances(channels: Floats) -> Floats:
        own, passes, others = channels[..., :1], channels[..., 1:2], channels[..., 2:]
        found = np.concatenate([own, others + passes * after_pass[1:-1]], axis=-1)
        return np.concatenate([found, 1.0 - found.sum(axis=-1, keepdims=True)], axis=-1)

    banked = B[0, :count, :, :, 0][:, slot]
    banked = np.concatenate([banked, 1.0 - banked.sum(axis=-1, keepdims=True)], axis=-1)
    banked[banked[..., 0] < 0.0] = -1.0
    after = turn.D[: count * dice * players * ABREAST].reshape(count, dice, players, ABREAST)[..., 0]
    return ManyTurn(chances(after), chances(R[0, :count, :, :, 0]), banked, after_pass)
