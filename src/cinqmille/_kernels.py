"""The compiled loops: turn sweeps for the solver. Arrays and numbers in, arrays out; nothing of the package.

The equation (one turn, one mover). With ``t`` steps at risk and ``n`` dice to roll::

    R[t, n] = bust[n] * F + win[n] + sum over menus m of n dice: weight[m] * max over options of D[t + points, left]
    D[t, left] = max(B[t, left], R[t, left or all])

``F`` is the value of a scoreless turn, ``B`` that of banking (-1 where it is not allowed), ``left = 0`` hot dice.
Every option scores, so rows are swept from the top down and each is final when written; rows from ``rows`` on are
given. ``LANES`` states are swept side by side, which is what the inner loops vectorise over.

Arrays are laid out so that lanes are contiguous: ``D`` is (batches, rows * dice, LANES), ``B`` (batches, rows,
slots, LANES) where ``slot[left]`` says which bank value holds for how many dice are left.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 32
WIDE = 8

# Contraction allows fused multiply-add; nothing here may reorder comparisons with NaN.
_FAST = {"contract", "nsz", "nnan"}
_FLAGS = ("contract", "nsz", "nnan")
_INT = ir.IntType(64)
_VECTOR = ir.VectorType(ir.DoubleType(), WIDE)


class _Vectors:
    """Loads, stores and sums of a row of ``LANES`` doubles, ``WIDE`` at a time, in the body of one intrinsic."""

    def __init__(self, context, builder, signature, arguments):
        self.context, self.b, self.signature, self.arguments = context, builder, signature, arguments
        self.room = range(0, LANES, WIDE)

    def array(self, i):
        """The address of the first number of argument ``i``."""
        return self.context.make_array(self.signature.args[i])(self.context, self.b, self.arguments[i]).data

    def load(self, pointer):
        """A whole row."""
        wide = _VECTOR.as_pointer()
        return [self.b.load(self.b.bitcast(self.b.gep(pointer, [_INT(lane)]), wide), align=8) for lane in self.room]

    def store(self, row, pointer):
        for lane, vector in zip(self.room, row, strict=True):
            self.b.store(vector, self.b.bitcast(self.b.gep(pointer, [_INT(lane)]), _VECTOR.as_pointer()), align=8)

    def number(self, value):
        """A vector of one number."""
        undefined, lanes = ir.Constant(_VECTOR, ir.Undefined), ir.VectorType(ir.IntType(32), WIDE)
        first = self.b.insert_element(undefined, value, ir.IntType(32)(0))
        return self.b.shuffle_vector(first, undefined, ir.Constant(lanes, [0] * WIDE))

    def plus(self, total, weight, row):
        """``total`` and ``weight`` times ``row``."""
        return [
            self.b.fadd(self.b.fmul(weight, one, flags=_FLAGS), acc, flags=_FLAGS)
            for acc, one in zip(total, row, strict=True)
        ]

    def larger(self, one, other):
        return [
            self.b.select(self.b.fcmp_ordered(">", b, a, flags=_FLAGS), b, a) for a, b in zip(one, other, strict=True)
        ]


@intrinsic
def _add_menus(typing_context, acc, D, at, place, begin, weight, first, last):
    """Add to ``acc`` the best option of menus ``first`` to ``last``, options being at ``place`` from ``D[at]`` on.

    Most of the work of a solve is here; written with vectors it needs no compiling for a table to be fast.
    """

    def code(context, builder, signature, arguments):
        v = _Vectors(context, builder, signature, arguments)
        acc, place, begin, weight = v.array(0), v.array(3), v.array(4), v.array(5)
        turn = builder.gep(v.array(1), [arguments[2]])
        best = [cgutils.alloca_once(builder, _VECTOR) for _ in v.room]
        total = [cgutils.alloca_once(builder, _VECTOR) for _ in v.room]

        def option(o):
            return v.load(builder.gep(turn, [builder.load(builder.gep(place, [o]))]))

        def write(variables, values):
            for variable, value in zip(variables, values, strict=True):
                builder.store(value, variable)

        def read(variables):
            return [builder.load(variable) for variable in variables]

        write(total, v.load(acc))
        with cgutils.for_range_slice(builder, arguments[6], arguments[7], _INT(1), _INT) as (m, _):
            start = builder.load(builder.gep(begin, [m]))
            end = builder.load(builder.gep(begin, [builder.add(m, _INT(1))]))
            write(best, option(start))
            with cgutils.for_range_slice(builder, builder.add(start, _INT(1)), end, _INT(1), _INT) as (o, _):
                write(best, v.larger(read(best), option(o)))
            share = v.number(builder.load(builder.gep(weight, [m])))
            write(total, v.plus(read(total), share, read(best)))
        v.store(read(total), acc)
        return context.get_dummy_value()

    return types.void(acc, D, at, place, begin, weight, first, last), code


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def sweep(D, base, R, B, F, F_all, swept, top, limit, tables, slot, exact, announce, start):
    """Sweep one turn for every batch; fill ``D`` below ``swept``, ``start`` (R[0, all]) and, if it has rows, ``R``.

    The first row of a batch is row ``base`` of its part of ``D``.
    Rows from ``swept`` to ``top`` are given; more points than that are worth what ``top`` is. ``F_all`` is the
    scoreless value of a bust on all dice, where it differs (``strike``). With ``exact`` rows above ``limit`` of a
    lane are worth F. ``announce`` are the points that may be announced with two dice left; a right announcement
    doubles the turn, whose row is then ``2 * (t + points)``.
    """
    dice, bust, win, first, weight, best_of, begin, points, left, _ = tables
    acc = np.empty(LANES)
    best = np.empty(LANES)
    said = np.empty(LANES)
    place = (points * dice + left) * LANES
    without = -weight
    for batch in range(D.shape[0]):
        Db = D[batch, base[batch] * dice :]
        flat = Db.reshape(-1)
        Fb = F[batch]
        Fa = F_all[batch]
        for t in range(swept[batch] - 1, -1, -1):
            for n in range(1, dice + 1):
                p, w = bust[n], win[n]
                bust_value = Fa if n == dice else Fb
                for lane in range(LANES):
                    acc[lane] = p * bust_value[lane] + w
                _add_menus(acc, flat, t * dice * LANES, place, begin, weight, first[n], first[n + 1])
                if R.shape[1] > t:
                    for lane in range(LANES):
                        R[batch, t, n, lane] = acc[lane]
                if n == dice and t == 0:
                    for lane in range(LANES):
                        start[batch, lane] = acc[lane]
                keep = n % dice
                row = Db[t * dice + keep]
                bank = B[batch, t, slot[keep]]
                for lane in range(LANES):
                    row[lane] = max(acc[lane], bank[lane])
                if n == 2 and announce.size and t > 0:
                    for k in range(announce.size):
                        points_said = announce[k]
                        for lane in range(LANES):
                            said[lane] = acc[lane]
                        twice = min(2 * (t + points_said), top[batch]) * dice
                        for m in range(first[2], first[3]):
                            if best_of[m] == points_said:
                                _add_menus(said, flat, t * dice * LANES, place, begin, without, m, m + 1)
                                for lane in range(LANES):
                                    best[lane] = -1.0
                                for o in range(begin[m], begin[m + 1]):
                                    if points[o] == points_said:
                                        doubled = Db[twice + left[o]]
                                        for lane in range(LANES):
                                            best[lane] = max(best[lane], doubled[lane])
                                for lane in range(LANES):
                                    said[lane] += weight[m] * best[lane]
                        for lane in range(LANES):
                            row[lane] = max(row[lane], said[lane])
            if exact:
                for lane in range(LANES):
                    if t > limit[batch, lane]:
                        for keep in range(dice):
                            Db[t * dice + keep, lane] = Fb[lane]


@njit(cache=True, nogil=True, error_model="numpy")
def gather(B, V, Q, taken, taken_last, side, mine, theirs, held, rows, slot, rules):
    """Fill ``B`` with what banking is worth in every lane and row; -1 where the rules refuse it.

    ``V[side, mine, theirs, count_mine, count_theirs]`` are the values of turn starts, ``Q[need, lead]`` the chance
    of the last player of the last turns against that lead. With ``takeover`` (1: only for players on the board, 2:
    for all) the next player may instead go on with the turn: ``taken[side, mine, theirs, count_mine, t, dice]``
    and, in the last turns, ``taken_last[need, lead, t, dice]`` are worth that. Scores are indices (``zero`` is a
    score of 0). ``held`` is the other player's count of scoreless turns.
    """
    target, zero, entry, min_bank, cap, must, exact, last_turn, takeover = rules
    dice = slot.size
    for batch in range(B.shape[0]):
        for lane in range(LANES):
            i = batch * LANES + lane
            s, a, b, held_by_other = side[i], mine[i], theirs[i], held[i]
            need = entry if a <= zero else min_bank
            kind = 0 if b <= zero else 1
            for t in range(rows[batch]):
                total = a + t
                hits = total >= target
                value = -1.0
                refused = t < need and not (exact and total == target and a > zero)
                if t == 0 or refused or (exact and total > target) or (not hits and a >= cap):
                    pass
                elif hits and not last_turn[s]:
                    value = 1.0
                elif hits:
                    value = 1.0 - Q[kind, min(total - b, Q.shape[1] - 1)]
                else:
                    value = 1.0 - V[1 - s if V.shape[0] == 2 else 0, b, min(total, cap), held_by_other, 0]
                offered = value >= 0.0 and (takeover == 2 or (takeover == 1 and b > zero))
                offered = offered and not (exact and b + t >= target) and (not hits or last_turn[s])
                for j in range(B.shape[2]):
                    B[batch, t, j, lane] = value
                    if offered:
                        rolled = j if j > 0 else dice
                        if hits:
                            # Far above every minimum only what is still missing counts.
                            known = min(t, taken_last.shape[2] - 1)
                            other = taken_last[kind, total - b - (t - known), known, rolled]
                        else:
                            after = 1 - s if V.shape[0] == 2 else 0
                            other = taken[after, b, min(total, cap), held_by_other, t, rolled]
                        B[batch, t, j, lane] = min(value, 1.0 - other)
                if value >= 0.0 and must and not hits:
                    B[batch, t, 0, lane] = -1.0


@njit(cache=True, nogil=True, error_model="numpy")
def fill_top(D, base, B, F, rows, most, reach, slot, exact, sealed, sure, swept):
    """Write the rows of ``D`` that no sweep reaches, and lower ``swept``, which begins at ``rows``, to the rows that
    have to be swept; ``sure`` is 0 where all of them have to be.

    A turn is worth its bank value where banking is worth at least ``1 - sure * (1 - F)`` in every lane: no roll can
    be worth more, whatever follows, since it busts with a chance of at least ``sure``. Rows from ``rows`` on are worth
    banking in the last row, under ``exact`` F; they are ``most``, and written already where ``sealed``. A row looks up
    to ``reach`` rows above itself.
    """
    dice = slot.size
    for batch in range(D.shape[0]):
        while sure > 0.0 and not exact and swept[batch] > 1:
            low = False
            for j in range(B.shape[2]):
                for lane in range(LANES):
                    low |= B[batch, swept[batch] - 1, j, lane] < 1.0 - sure * (1.0 - F[batch, lane])
            if low:
                break
            swept[batch] -= 1
        Db = D[batch, base[batch] * dice :]
        for t in range(swept[batch], min(swept[batch] + reach, rows[batch] + (0 if sealed else most))):
            for left in range(dice):
                if exact:
                    for lane in range(LANES):
                        Db[t * dice + left, lane] = F[batch, lane]
                else:
                    for lane in range(LANES):
                        Db[t * dice + left, lane] = B[batch, min(t, rows[batch] - 1), slot[left], lane]


@njit(cache=True, nogil=True, error_model="numpy")
def newton(F, R, F_before, R_before, slope, partner, use_secant):
    """One step for pairs of states that are each other's scoreless turn; return the largest change of ``F``.

    For a fixed policy R is linear in F, so with the right slopes the step is exact. Updates ``F`` in place, leaves
    the values in ``R`` and the last evaluation in ``F_before`` and ``R_before``.
    """
    count = F.size
    if use_secant:
        for i in range(count):
            if abs(F[i] - F_before[i]) > 1e-9:
                slope[i] = min(0.999, max(0.0, (R[i] - R_before[i]) / (F[i] - F_before[i])))
    for i in range(count):
        F_before[i] = F[i]
        R_before[i] = R[i]
    change = 0.0
    for i in range(count):
        j = partner[i]
        u = R_before[i] + slope[i] * (1.0 - F_before[i])
        v = R_before[j] + slope[j] * (1.0 - F_before[j])
        R[i] = (u - slope[i] * v) / (1.0 - slope[i] * slope[j])
    for i in range(count):
        after = 1.0 - R[partner[i]]
        change = max(change, abs(after - F[i]))
        F[i] = after
    return change


@njit(cache=True, nogil=True, error_model="numpy")
def turn_means(after, rolled, bank, gain, tables, target_row, exact, announce):
    """The mean gain of a turn played for the chance to win: by rows and dice to roll, and by rows and dice left.

    ``after``, ``rolled`` and ``bank`` are one lane's values, ``gain[t]`` what banking there adds to the score.
    Where two choices are worth the same, banking and the option listed first are taken.
    """
    dice, _, _, first, weight, _, begin, points, left, _ = tables
    rows = after.shape[0]
    roll_mean = np.zeros((rows, dice + 1))
    mean = np.zeros((rows, dice))
    for t in range(rows - 1, -1, -1):
        for n in range(1, dice + 1):
            total = 0.0
            for m in range(first[n], first[n + 1]):
                value, worth = -1.0, 0.0
                for o in range(begin[m], begin[m + 1]):
                    row = min(t + points[o], rows - 1)
                    over = exact and t + points[o] > target_row
                    here = -0.5 if over else after[row, left[o]]
                    if here > value:
                        value = here
                        worth = 0.0 if over else mean[row, left[o]]
                total += weight[m] * worth
            roll_mean[t, n] = total
        for keep in range(dice):
            if bank[t, keep] >= rolled[t, keep if keep > 0 else dice] and bank[t, keep] >= 0.0:
                mean[t, keep] = gain[t]
            else:
                mean[t, keep] = roll_mean[t, keep if keep > 0 else dice]
    return roll_mean, mean
