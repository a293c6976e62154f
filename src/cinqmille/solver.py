"""Perfect play, solved: the chance to win from the start of every turn, both players playing best.

A state is (my score, the other's, and what the rules remember). Writing F for the value of a scoreless turn, a turn
is one sweep (see ``_kernels``). Without penalties F is the same pair of scores seen from the other side, so the two
are solved together: for a fixed policy the value of a turn is linear in F, and a few secant steps are exact. Pairs
of equal sum form a layer and depend only on higher ones. Penalties (``scoreless_limit``) add counts and let scores
fall, so there the layers are swept again until nothing changes.

``residual`` is the largest change of a value in the last step: how far the values are from satisfying their own
equations.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

import cinqmille._kernels as kernels
import cinqmille.straight as straight
from cinqmille.errors import InvalidRules
from cinqmille.rules import Rules
from cinqmille.solvable import Solution, unsolvable, verify_chances
from cinqmille.solvable import zero_index as _zero
from cinqmille.tables import Floats, Ints, RuleTables, aligned, rule_tables

LANES = kernels.LANES
Progress = Callable[[float], None]

_TOLERANCE = 2e-13
_TAKEOVER = {"never": 0, "opened": 1, "always": 2}
# Options of states to look at from which on it pays to compile a sweep for the table, which takes as long as the
# generic one needs for so many; and how often penalties have all states swept again.
_LONG_WORK = 100_000_000
_PENALTY_SWEEPS = 12
_MOST_SWEEPS = 2000
# How many of the last values are mixed to guess where they are going.
_MIXED = 8
# Turns that may be taken over need a table of their own, by far the largest.
_MOST_BYTES = 3 << 30
# Below this chance a lead cannot be caught: the value of banking is 1 to the last digit.
_NO_CHANCE = 1e-16


def solve_two(rules: Rules, *, progress: Progress | None = None, written_out: bool | None = None) -> Solution:
    """Return the two-player game of ``rules``, solved exactly.

    ``written_out`` chooses the straight-line kernel of the table (compiled once, twice as fast) or the generic one;
    by default it is used where it is compiled already, or when that pays. Raises InvalidRules for rules whose memory
    is unbounded.
    """
    name = unsolvable(rules)
    if name is not None:
        raise InvalidRules("not_solvable", name=name, value=str(getattr(rules, name)).lower())
    work = _TwoPlayers(rules, written_out=written_out, progress=progress)
    work.compile()
    begun = time.perf_counter()
    work.run()
    verify_chances(work.V)
    return Solution(rules, work.V, work.taken, work.residual, work.passes, time.perf_counter() - begun)


@dataclass(frozen=True, slots=True)
class TurnValues:
    """One turn of one state, solved: chances to win by (points at risk in steps, dice).

    ``after[t, left]``: the best of banking and rolling on with ``left`` dice (0: hot dice). ``rolled[t, n]``: the
    chance when ``n`` dice are about to be rolled. ``bank[t, left]``: banking, -1 where the rules refuse it.
    ``scoreless``: a turn that ends with nothing. Rows reach ``rows``; more points are worth what the last row is.
    """

    after: Floats
    rolled: Floats
    bank: Floats
    scoreless: float


def turn_values(solution: Solution, *, side: int, mine: int, theirs: int, own: int = 0, held: int = 0) -> TurnValues:
    """Return the whole turn of a state (indices as in ``Solution.values``), recomputed from its turn starts."""
    return _arrays(solution.rules).turn(solution, side=side, mine=mine, theirs=theirs, own=own, held=held)


def many_turns(
    solution: Solution, rows: int, *, side: Ints, mine: Ints, theirs: Ints, own: Ints, held: Ints
) -> tuple[Floats, Floats]:
    """Return ``after[state, t, left]`` and ``bank`` (see ``TurnValues``) of many states, ``rows`` rows of each."""
    return _arrays(solution.rules).turns(solution, rows, (side, mine, theirs, own, held))


def last_turns(solution: Solution, rows: int, *, kind: int, leads: Ints) -> tuple[Floats, Floats]:
    """Return ``after[lead, t, left]`` and ``bank`` of the last player of the last turns against each of ``leads``.

    ``leads`` are steps above the own score; ``kind`` is 0 for a player who has not opened, else 1.
    """
    return _arrays(solution.rules).last_turns(kind, leads, rows)


def chances_to_catch(rules: Rules) -> Floats:
    """Return the chance that one last turn beats a lead: ``[kind, lead]``; one column where there are no last turns."""
    return _arrays(rules).Q


@lru_cache(maxsize=4)
def _arrays(rules: Rules) -> _TwoPlayers:
    """The arrays with which turns are recomputed."""
    return _TwoPlayers(rules, written_out=False, progress=None)


def too_large(rules: Rules) -> bool:
    """Tell whether ``solve_two`` refuses a game for its size: turns that may be taken over, at a high target."""
    return 8 * prod(_taken_shape(rules)) > _MOST_BYTES


def _taken_shape(rules: Rules) -> tuple[int, ...]:
    target = rules.target // rules.step + _zero(rules)
    sides = 2 if rules.ending == "finish_round" else 1
    rows = target if rules.takeover != "never" else 0
    return sides, target, target, max(1, rules.scoreless_limit), rows, rules.dice + 1


def _longest(Q: Floats, safe: Floats) -> Ints:
    """The first lead from which on nobody is caught with more than each of the chances ``safe``."""
    highest = np.maximum.accumulate(Q[::-1])
    return Q.size - np.searchsorted(highest, safe, side="right")


class _TwoPlayers:
    """The arrays of one solve, and the order in which they are filled."""

    def __init__(self, rules: Rules, *, written_out: bool | None, progress: Progress | None) -> None:
        step = rules.step
        self.rules = rules
        self.tables: RuleTables = rule_tables(rules)
        self.progress = progress
        self.dice = rules.dice
        self.zero = _zero(rules)
        self.target = rules.target // step + self.zero
        self.needs = rules.entry // step, rules.min_bank // step
        self.counts = max(1, rules.scoreless_limit)
        self.sides = 2 if rules.ending == "finish_round" else 1
        self.last_turn = np.array({"first": [0, 0], "last_turns": [1, 1], "finish_round": [1, 0]}[rules.ending])
        self.sealed = False
        self.must = rules.hot_dice == "must"
        self.takeover = _TAKEOVER[rules.takeover]
        lefts = np.arange(self.dice)
        self.slot = lefts if self.takeover else np.minimum(lefts, 1) * int(self.must)
        self.announce = self.tables.announce if rules.prediction else np.zeros(0, dtype=np.int64)
        self.sure = float(self.tables.bust[1:].min())
        self.residual = 0.0
        self.passes = 0
        plain = not (rules.exact or rules.prediction or self.takeover)
        if written_out is None:
            states = self.sides * (self.target * self.counts) ** 2
            sweeps = _PENALTY_SWEEPS if self.counts > 1 else 1
            long_work = states * sweeps * len(self.tables.points) > _LONG_WORK
            written_out = plain and (long_work or straight.compiled_before(self.tables, must=self.must))
        self.straight = straight.sweep(self.tables, must=self.must) if plain and written_out else None
        scores = np.arange(self.target)
        if isinstance(rules.scoreless_penalty, int):
            self.fallen = np.maximum(0, scores - rules.scoreless_penalty // step)
        else:
            self.fallen = np.minimum(scores, self.zero)
        self.V = np.full((self.sides, self.target, self.target, self.counts, self.counts), 0.5)
        # Turns that may be taken over reach from nothing to all points that can still be banked.
        self.turn_rows = 0
        self.Q, self.taken_last = np.zeros((2, 1)), np.zeros((2, 1, 1, self.dice + 1))
        self.beyond = 0
        if self.last_turn.any():
            self.Q, self.taken_last = self._last_turns()
            self.beyond = self.Q.shape[1]
        self.rows = max(self.target, *self.needs) + 1 + self.beyond
        self.turn_rows = self.target if self.takeover else 0
        shape = _taken_shape(rules)
        if too_large(rules):
            raise InvalidRules("solution_too_large", rules=rules.canonical, gibibytes=8 * prod(shape) >> 30)
        self.taken = np.zeros(shape)

    @property
    def params(self) -> tuple[Any, ...]:
        rules, step = self.rules, self.rules.step
        cap = rules.cap // step + self.zero
        return (self.target, self.zero, *self.needs, cap, self.must, rules.exact, self.last_turn, self.takeover)

    def work(self, batches: int, rows: int) -> tuple[Floats, Floats]:
        """Room for ``D`` and ``B``."""
        high = rows + self.tables.most + 1
        slots = int(self.slot.max()) + 1
        D = aligned(batches * high * self.dice * LANES).reshape(batches, high * self.dice, LANES)
        if self.sealed:
            D[:, rows * self.dice :] = 1.0
        return D, np.full((batches, rows, slots, LANES), -1.0)

    def sweep(
        self,
        D: Floats,
        B: Floats,
        F: Floats,
        rows: Ints,
        limit: Ints,
        start: Floats,
        R: Floats,
        full: Ints | None = None,
    ) -> bool:
        """One evaluation of a turn for every lane, given the values ``F`` of scoreless turns.

        False where the rows of ``B`` are too few, that is less than ``full``: then nothing is evaluated.
        """
        batches = F.shape[0]
        D, B = D[:batches], B[:batches]
        exact, most, swept = self.rules.exact, self.tables.most, rows.copy()
        # Announcements look further up than any roll.
        reach = most + (int(rows.max()) if self.announce.size else 0)
        # Where the target wins at once, all above it is worth 1: written once, at the upper end of D.
        base = D.shape[1] // self.dice - most - 1 - rows if self.sealed else np.zeros_like(rows)
        sure = 0.0 if R.shape[1] else self.sure
        kernels.fill_top(D, base, B, F, rows, most, reach, self.slot, exact, self.sealed, sure, swept)
        if full is not None and ((rows < full) & (swept + reach > rows)).any():
            return False
        if self.straight is not None:
            self.straight(D.reshape(batches, -1), base, B.reshape(batches, -1), F, swept, start)
        else:
            kernels.sweep(
                D,
                base,
                R,
                B,
                F,
                F,
                swept,
                rows + most - 1,
                limit,
                tuple(self.tables),
                self.slot,
                exact,
                self.announce,
                start,
            )
        self.passes += batches
        return True

    def _last_turns(self) -> tuple[Floats, Floats]:
        """The chance that one last turn beats a lead: of a fresh turn, and of one taken over.

        ``Q[need, lead]`` and ``taken_last[need, lead, t, dice]``; need 0 is the entry, 1 the minimum to bank.
        """
        # A turn taken over needs what its first player led by, at most the target, and all that it adds.
        turn_rows = self.target + max(self.needs) + 2 if self.takeover else 0
        leads_taken = self.target + turn_rows if self.takeover else 0
        values: list[list[float]] = [[], []]
        taken: list[list[Floats]] = [[], []]
        for kind in range(2):
            longest = 6 * self.target + 600
            while len(values[kind]) <= leads_taken or (values[kind][-1] > _NO_CHANCE and len(values[kind]) < longest):
                leads = np.arange(len(values[kind]), len(values[kind]) + LANES)
                R = np.zeros((1, turn_rows, self.dice + 1, LANES))
                start = self._last_sweep(kind, leads, turn_rows, R)[2]
                values[kind] += start.tolist()
                taken[kind] += list(np.moveaxis(R[0], -1, 0))
        length = max(map(len, values))
        Q = np.array([found + [0.0] * (length - len(found)) for found in values])
        if not self.takeover:
            return Q, np.zeros((2, 1, 1, self.dice + 1))
        return Q, np.array([found[: leads_taken + 1] for found in taken])

    def compile(self) -> None:
        """Have everything compiled, by solving the last state before the target, which is then forgotten."""
        D, B = self.work(1, self.rows)
        last = np.array([self.target - 1] * self.sides)
        self._layer(D, B, np.arange(self.sides), last, last, np.full((self.sides, self.target), 0.3))
        self.V[:], self.taken[:, last, last] = 0.5, 0.0
        self.residual, self.passes = 0.0, 0

    def _last_sweep(self, kind: int, leads: Ints, least: int, R: Floats) -> tuple[Floats, Floats, Floats]:
        """Sweep one last turn against LANES leads: ``D`` and ``B`` of at least so many rows, and the chances to win."""
        rules, need = self.rules, self.needs[kind]
        tie = 0.5 if rules.tie == "shared" else 0.0
        rows = np.array([max(int(leads.max()), need, least) + 2])
        D, B = self.work(1, int(rows[0]))
        points = np.arange(int(rows[0]))[:, None]
        worth = np.where(points > leads, 1.0, np.where(points == leads, tie, 0.0))
        if rules.exact:
            # The opener stands on the target: it can be tied, and passing it is a scoreless turn.
            worth = np.where(points > leads, -1.0, worth)
        exempt = (points == leads) & (rules.exact and kind == 1)
        worth[((points < need) & ~exempt) | (points == 0)] = -1.0
        B[0] = worth[:, None, :]
        if self.must:
            B[0, :, 0] = np.where(points >= leads, worth, -1.0)
        D[:] = np.nan  # what no sweep reaches
        start = np.zeros((1, LANES))
        straight_kernel, self.straight = self.straight, None if R.shape[1] else self.straight
        self.sweep(D, B, np.zeros((1, LANES)), rows, leads[None, :], start, R)
        self.straight = straight_kernel
        return D, B, start[0]

    def last_turns(self, kind: int, leads: Ints, rows: int) -> tuple[Floats, Floats]:
        """``after`` and ``bank`` as :func:`last_turns` returns them."""
        after = np.empty((leads.size, rows, self.dice))
        bank = np.empty((leads.size, rows, self.dice))
        for first in range(0, leads.size, LANES):
            some = leads[np.minimum(np.arange(first, first + LANES), leads.size - 1)]
            D, B, _ = self._last_sweep(kind, some, rows, np.zeros((1, 0, self.dice + 1, LANES)))
            known = min(LANES, leads.size - first)
            found = D[0].reshape(-1, self.dice, LANES)[:rows, :, :known]
            here = slice(first, first + known)
            bank[here] = np.moveaxis(B[0, :rows][:, self.slot, :known], -1, 0)
            after[here] = np.moveaxis(found, -1, 0)
        return np.where(np.isnan(after), bank, after), bank

    def turns(self, solution: Solution, rows: int, state: tuple[Ints, Ints, Ints, Ints, Ints]) -> tuple[Floats, Floats]:
        """``after`` and ``bank`` as :func:`many_turns` returns them."""
        self.V, self.taken = solution.values, solution.taken
        side, mine, theirs, _, held = state
        D, B = self.work(-(-mine.size // LANES), max(self.rows, rows))
        height = D.shape[1] // self.dice - self.tables.most - 1
        D[:, : height * self.dice] = np.nan  # what no sweep reaches, since everybody banks there
        F = self.scoreless(*state)
        lanes = self.lanes((side, mine, theirs, held), F)
        lanes.rows = lanes.full
        self.evaluate(D, B, lanes, F, np.zeros((lanes.batches, 0, self.dice + 1, LANES)))
        found = D.reshape(lanes.batches, -1, self.dice, LANES)
        after = np.empty((lanes.batches, rows, self.dice, LANES))
        bank = B[:, :rows][:, :, self.slot]
        for batch, top in enumerate(lanes.rows.tolist()):
            first, known = height - top if self.sealed else 0, min(top, rows)
            after[batch, :known] = found[batch, first : first + known]
            # More points than were swept are worth what banking in the last row is or, of an exact target, nothing.
            if top < rows:
                bank[batch, top:] = -1.0 if self.rules.exact else bank[batch, top - 1]
                after[batch, top:] = found[batch, top] if self.rules.exact else bank[batch, top - 1]
        shape = (lanes.batches * LANES, rows, self.dice)
        after, bank = (np.moveaxis(one, -1, 1).reshape(shape)[: mine.size] for one in (after, bank))
        return np.where(np.isnan(after), bank, after), bank

    def run(self) -> None:
        """Fill ``V``."""
        self.sealed = not (self.last_turn.any() or self.rules.exact)
        if self.rules.scoreless_limit:
            _Penalties(self).run()
            return
        batches = -(-self.sides * self.target // LANES)
        D, B = self.work(batches, self.rows)
        slopes = np.full((self.sides, self.target), 0.3)
        layers = 2 * (self.target - 1)
        for total in range(layers, -1, -1):
            low, high = max(0, total - self.target + 1), min(self.target - 1, total)
            mine = np.tile(np.arange(low, high + 1), self.sides)
            side = np.repeat(np.arange(self.sides), high - low + 1)
            self._layer(D, B, side, mine, total - mine, slopes)
            if self.progress is not None:
                self.progress(1.0 - (total / max(1, layers)) ** 2)

    def lanes(self, states: tuple[Ints, ...], F: Floats) -> _Lanes:
        """Lay states (side, mine, theirs, held) out in lanes; ``F`` are their scoreless values, or guesses."""
        mine = states[1]
        batches = -(-mine.size // LANES)
        padded = np.minimum(np.arange(batches * LANES), mine.size - 1)
        side, mine, theirs, held = (numbers[padded] for numbers in states)
        reach = (self.target - mine).reshape(batches, LANES)
        least = np.maximum(reach.max(axis=1), max(*self.needs, self.turn_rows)) + 1
        full = np.minimum(least + (0 if self.rules.exact else self.beyond), self.rows)
        rows = full
        if self.beyond and not (self.takeover or self.announce.size):
            # Rows in which everybody banks, give or take a factor of 2, are not looked at.
            safe = self.sure * (1.0 - F[padded]) / 2
            leads = np.where(theirs <= self.zero, *(_longest(Q, safe) for Q in self.Q))
            above = np.where(self.last_turn[side] > 0, leads + theirs - mine, 0).reshape(batches, LANES).max(axis=1)
            rows = np.minimum(full, np.maximum(least, above + 1) + self.tables.most)
        return _Lanes(batches, padded, (side, mine, theirs, held), full, rows, reach, np.empty((batches, LANES)))

    def evaluate(self, D: Floats, B: Floats, lanes: _Lanes, F: Floats, R: Floats) -> Floats:
        """Return the values of a turn for every state of ``lanes``, given their scoreless values ``F``."""
        wide = F[lanes.padded].reshape(lanes.batches, LANES)
        for _ in range(2):
            if not lanes.gathered:
                side, mine, theirs, held = lanes.states
                kernels.gather(
                    B[: lanes.batches], self.V, self.Q, self.taken, self.taken_last, side, mine, theirs, held,
                    lanes.rows, self.slot, self.params,
                )  # fmt: skip
                lanes.gathered = True
            if self.sweep(D, B, wide, lanes.rows, lanes.reach, lanes.start, R, lanes.full):
                break
            lanes.rows, lanes.gathered = lanes.full, False
        return lanes.start.reshape(-1)[: F.size].copy()

    def scoreless(self, side: Ints, mine: Ints, theirs: Ints, own: Ints, held: Ints) -> Floats:
        """The values of scoreless turns, by the values as they stand."""
        due = (own + 1 == self.counts) & (self.rules.scoreless_limit > 0)
        after = np.where(due, self.fallen[mine], mine)
        other = 1 - side if self.sides == 2 else side
        return 1.0 - self.V[other, theirs, after, held, np.where(due | (self.counts == 1), 0, own + 1)]

    def turn(self, solution: Solution, *, side: int, mine: int, theirs: int, own: int, held: int) -> TurnValues:
        """Sweep one state with every row of it recorded."""
        self.V = solution.values
        self.taken = solution.taken
        state = tuple(np.array([number]) for number in (side, mine, theirs, own, held))
        D, B = self.work(1, self.rows)
        F = self.scoreless(*state)
        lanes = self.lanes((*state[:3], state[4]), F)
        lanes.rows = lanes.full
        rows = int(lanes.rows[0])
        R = np.zeros((1, rows, self.dice + 1, LANES))
        self.evaluate(D, B, lanes, F, R)
        after = D[0].reshape(-1, self.dice, LANES)[:rows, :, 0].copy()
        bank = B[0, :rows][:, self.slot, 0].copy()
        return TurnValues(after, R[0, :, :, 0].copy(), bank, float(F[0]))

    def _layer(self, D: Floats, B: Floats, side: Ints, mine: Ints, theirs: Ints, slopes: Floats) -> None:
        # Lane (side, a, b) and its other side (1 - side, b, a) stand symmetrically in the layer.
        partner = np.arange(mine.size)[::-1].copy()
        V = self.V[:, :, :, 0, 0]
        up = np.minimum(mine + 1, self.target - 1), np.minimum(theirs + 1, self.target - 1)
        guess = V[side, up[0], theirs] + V[side, mine, up[1]] - V[side, up[0], up[1]]
        F = np.clip(1.0 - guess[partner], 0.0, 1.0)
        lanes = self.lanes((side, mine, theirs, np.zeros_like(mine)), F)
        slope = slopes[side, mine].copy()
        F_before, R_before = F.copy(), F.copy()
        raw = np.zeros((lanes.batches, self.turn_rows, self.dice + 1, LANES))
        for step in range(100):
            R = self.evaluate(D, B, lanes, F, raw)
            change = kernels.newton(F, R, F_before, R_before, slope, partner, step > 0)
            if change < _TOLERANCE:
                break
        self.residual = max(self.residual, change)
        slopes[side, mine] = slope
        V[side, mine, theirs] = R
        if self.turn_rows:
            flat = np.moveaxis(raw, -1, 1).reshape(-1, self.turn_rows, self.dice + 1)
            self.taken[side, mine, theirs, 0] = flat[: mine.size]


@dataclass(slots=True)
class _Lanes:
    batches: int
    padded: Ints
    states: tuple[Ints, ...]
    full: Ints
    rows: Ints
    reach: Ints
    start: Floats
    gathered: bool = False


class _Extrapolation:
    """Where a sequence of sweeps is going, by reduced rank extrapolation: the mixture of the last few values whose
    changes cancel each other best.

    Where nobody gets away from their penalties for long, sweeps alone would take for ever.
    """

    def __init__(self) -> None:
        self.changes: list[Floats] = []

    def step(self, change: Floats) -> Floats | float:
        """Return what to add to the values after a sweep that changed them by ``change``; mostly 0."""
        self.changes.append(change)
        if len(self.changes) < _MIXED:
            return 0.0
        changes, self.changes = self.changes, []
        products = np.array([[float(np.vdot(one, other)) for other in changes] for one in changes])
        products += 1e-14 * np.trace(products) * np.eye(_MIXED)
        parts = np.linalg.solve(products, np.ones(_MIXED))
        before = np.cumsum(parts / parts.sum())[:-1]
        ahead: Floats = -sum(part * later for part, later in zip(before, changes[1:], strict=True))
        return ahead


class _Penalties:
    """The sweeps over all layers, again and again, of rules that count scoreless turns.

    Within a layer states with more scoreless turns come first, since a scoreless turn leads to them; only the turn
    on which the penalty falls due looks back at values of the sweep before.
    """

    def __init__(self, game: _TwoPlayers) -> None:
        self.game = game
        self.groups = list(self._groups())

    def run(self) -> None:
        game = self.game
        self._guess()
        most = game.sides * game.target * game.counts
        D, B = game.work(-(-most // LANES), game.rows)
        going = _Extrapolation()
        for number in range(_MOST_SWEEPS):
            before = game.V.copy()
            self._sweep_all(D, B)
            change = game.V - before
            game.residual = float(np.abs(change).max())
            if game.progress is not None:
                game.progress(min(0.99, number / 12))
            if game.residual < _TOLERANCE:
                return
            np.clip(game.V + going.step(change), 0.0, 1.0, out=game.V)

    def _guess(self) -> None:
        """Begin with the game without penalties; a score below 0 is worth what 0 is.

        Where only penalties free players who are stuck, there is no such game, and nothing is known to begin with.
        """
        game = self.game
        try:
            free = game.rules.derive(scoreless_limit=0, floor=0)
        except InvalidRules:
            game.V[:] = 0.5
            return
        values = solve_two(free).values[:, :, :, 0, 0]
        at = np.maximum(0, np.arange(game.target) - game.zero)
        game.V[:] = values[:, at][:, :, at][..., None, None]

    def _groups(self) -> Iterator[tuple[Ints, ...]]:
        """States (side, mine, theirs, own count, the other's) that do not depend on each other, in order."""
        game = self.game
        for total in range(2 * (game.target - 1), -1, -1):
            scores = np.arange(max(0, total - game.target + 1), min(game.target - 1, total) + 1)
            for both in range(2 * (game.counts - 1), -1, -1):
                counts = np.arange(max(0, both - game.counts + 1), min(game.counts - 1, both) + 1)
                side, mine, own = (
                    axis.ravel() for axis in np.meshgrid(np.arange(game.sides), scores, counts, indexing="ij")
                )
                yield side, mine, total - mine, own, both - own

    def _sweep_all(self, D: Floats, B: Floats) -> None:
        game = self.game
        for side, mine, theirs, own, held in self.groups:
            F = game.scoreless(side, mine, theirs, own, held)
            lanes = game.lanes((side, mine, theirs, held), F)
            raw = np.zeros((lanes.batches, game.turn_rows, game.dice + 1, LANES))
            game.V[side, mine, theirs, own, held] = game.evaluate(D, B, lanes, F, raw)
            if game.turn_rows:
                # Who may take over faces a player who has just banked: no scoreless turns on the other side.
                flat = np.moveaxis(raw, -1, 1).reshape(-1, game.turn_rows, game.dice + 1)[: mine.size]
                fresh = held == 0
                game.taken[side[fresh], mine[fresh], theirs[fresh], own[fresh]] = flat[fresh]
