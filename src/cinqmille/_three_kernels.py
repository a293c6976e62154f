"""The compiled loops of games of three and more players: every player's chances at once (for two, see ``_kernels``).

The equation (one turn, one mover, ``players`` at the table). A turn is worth a vector of *channels*: the mover's own
chance to win, the chance that the turn ends with nothing (a pass), and the chances, passes left out, of the other
players but the last, in turn order. With ``F`` the mover's chance after a pass::

    R[t, n] = bust[n] * (F, 1, 0, ...) + win[n] * (1, 0, 0, ...)
              + sum over menus m of n dice: weight[m] * (the option D[t + points, left] with the largest own chance)
    D[t, left] = B[t, left] where its own chance is at least that of R[t, left or all], else R[t, left or all]

``B`` is the value of banking (own chance -1 where it is not allowed). Of equal own chances banking counts before
rolling on, and of set-asides the one with the most points, then with the most dice left: the later one in the order of
the table.

``D`` is one turn, flat: rows of (dice, players, ABREAST). It serves one batch after the other, and all of them end at
the row ``ceiling``, from where on everything is worth (1, 0, 0, ...) and nothing is ever written, so the row of ``t``
is ``ceiling - rows + t``. ``B`` is (batches, rows, slots, players - 1, ABREAST): own chance, then the others but the
last.

Loops over lanes with several channels are more than a compiler's vectoriser takes on, so the two inner loops are
written with vectors of ``WIDE`` doubles, which the compiler cuts to what the machine has. ``channels`` is a tuple whose
length is the number of players, which makes that number part of the type.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

ABREAST = 16
WIDE = 8

_FAST = {"contract", "nsz", "nnan"}
_FLAGS = ("contract", "nsz", "nnan")
_INT = ir.IntType(64)
_VECTOR = ir.VectorType(ir.DoubleType(), WIDE)


class _Vectors:
    """Loads, stores and sums of ``WIDE`` doubles at a time, in the body of one intrinsic."""

    def __init__(self, context, builder, signature, arguments):
        self.context, self.b, self.signature, self.arguments = context, builder, signature, arguments

    def array(self, i):
        """The address of the first number of argument ``i``."""
        return self.context.make_array(self.signature.args[i])(self.context, self.b, self.arguments[i]).data

    def at(self, i):
        """The address in argument ``i`` to which argument ``i + 1`` points."""
        return self.b.gep(self.array(i), [self.arguments[i + 1]])

    def moved(self, pointer, by):
        return self.b.gep(pointer, [_INT(by) if isinstance(by, int) else by])

    def load(self, pointer, by):
        return self.b.load(self.b.bitcast(self.moved(pointer, by), _VECTOR.as_pointer()), align=8)

    def store(self, vector, pointer, by):
        self.b.store(vector, self.b.bitcast(self.moved(pointer, by), _VECTOR.as_pointer()), align=8)

    def number(self, value):
        """A vector of one number: a constant, or a double of the compiled program."""
        if isinstance(value, float):
            return ir.Constant(_VECTOR, [value] * WIDE)
        undefined, lanes = ir.Constant(_VECTOR, ir.Undefined), ir.VectorType(ir.IntType(32), WIDE)
        first = self.b.insert_element(undefined, value, ir.IntType(32)(0))
        return self.b.shuffle_vector(first, undefined, ir.Constant(lanes, [0] * WIDE))

    def times_plus(self, weight, vector, total):
        return self.b.fadd(self.b.fmul(weight, vector, flags=_FLAGS), total, flags=_FLAGS)

    def better(self, one, other):
        """The channels of whichever has the larger own chance; ``one`` if they are equal."""
        larger = self.b.fcmp_ordered(">=", one[0], other[0], flags=_FLAGS)
        return [self.b.select(larger, a, b) for a, b in zip(one, other, strict=True)]

    def bust_or_win(self, bust, win, f, players):
        none = self.number(0.0)
        return [self.times_plus(bust, f, win), bust, *[none] * (players - 2)]


@intrinsic
def roll_any(typing_context, channels, D, d_at, F, f_at, out, out_at, bust, win, place, begin, weight, first, last):
    """Write to ``out`` what rolling is worth: menus ``first`` to ``last``, options at ``place`` from ``D[d_at]`` on."""

    def code(context, builder, signature, arguments):
        v = _Vectors(context, builder, signature, arguments)
        players = signature.args[0].count
        turn, f, out = v.at(1), v.at(3), v.at(5)
        bust, win = v.number(arguments[7]), v.number(arguments[8])
        place, begin, weight = v.array(9), v.array(10), v.array(11)
        total, best = ([cgutils.alloca_once(builder, _VECTOR) for _ in range(players)] for _ in range(2))
        for lane in range(0, ABREAST, WIDE):
            at = [c * ABREAST + lane for c in range(players)]

            def option(o, at=at):
                pointer = v.moved(turn, builder.load(v.moved(place, o)))
                return [v.load(pointer, by) for by in at]

            def write(variables, values):
                for variable, value in zip(variables, values, strict=True):
                    builder.store(value, variable)

            def read(variables):
                return [builder.load(variable) for variable in variables]

            write(total, v.bust_or_win(bust, win, v.load(f, lane), players))
            with cgutils.for_range_slice(builder, arguments[12], arguments[13], _INT(1), _INT) as (m, _):
                after = builder.add(m, _INT(1))
                start, end = builder.load(v.moved(begin, m)), builder.load(v.moved(begin, after))
                write(best, option(start))
                with cgutils.for_range_slice(builder, builder.add(start, _INT(1)), end, _INT(1), _INT) as (o, _):
                    write(best, v.better(option(o), read(best)))  # the later one, if they are equal
                w = v.number(builder.load(v.moved(weight, m)))
                write(total, [v.times_plus(w, one, acc) for one, acc in zip(read(best), read(total), strict=True)])
            for by, value in zip(at, read(total), strict=True):
                v.store(value, out, by)
        return context.get_dummy_value()

    given = (channels, D, d_at, F, f_at, out, out_at, bust, win, place, begin, weight, first, last)
    return types.void(*given), code


def roll_written(players, bust, win, places, pairs, menus):
    """Return the intrinsic that does what ``roll_any`` does for the menus of one number of dice, written out.

    ``places`` are the offsets of the options; each pair (of options, or of earlier pairs) is the better of two,
    numbered on from the options; ``menus`` are (weight, number of an option or pair).
    """

    @intrinsic
    def roll(typing_context, D, d_at, F, f_at, out, out_at):
        def code(context, builder, signature, arguments):
            v = _Vectors(context, builder, signature, arguments)
            turn, f, out = v.at(0), v.at(2), v.at(4)
            weights = {}
            for weight, node in menus:
                weights.setdefault(node, []).append(v.number(weight))
            with cgutils.for_range(builder, _INT(ABREAST // WIDE)) as loop:
                lane = builder.mul(loop.index, _INT(WIDE))
                here, there = v.moved(turn, lane), v.moved(out, lane)
                total = v.bust_or_win(v.number(bust), v.number(win), v.load(f, lane), players)
                nodes = {}

                def made(node, values):
                    nodes[node] = values
                    for weight in weights.get(node, ()):
                        total[:] = [v.times_plus(weight, one, acc) for one, acc in zip(values, total, strict=True)]

                def option(node):
                    if node not in nodes:
                        made(node, [v.load(here, places[node] + c * ABREAST) for c in range(players)])
                    return nodes[node]

                for node, (one, other) in enumerate(pairs, len(places)):
                    made(node, v.better(option(other), option(one)))
                for _, node in menus:
                    option(node)
                for c, value in enumerate(total):
                    v.store(value, there, c * ABREAST)
            return context.get_dummy_value()

        return types.void(D, d_at, F, f_at, out, out_at), code

    return roll


@intrinsic
def bank_or_roll(typing_context, channels, B, b_at, rolled, r_at, D, d_at):
    """Write to ``D[d_at]`` the better of banking at ``B[b_at]`` and of rolling at ``rolled[r_at]``."""

    def code(context, builder, signature, arguments):
        v = _Vectors(context, builder, signature, arguments)
        players = signature.args[0].count
        bank, rolled, row = v.at(1), v.at(3), v.at(5)
        for lane in range(0, ABREAST, WIDE):
            banked = [v.load(bank, c * ABREAST + lane) for c in range(players - 1)]
            banked.insert(1, v.number(0.0))
            values = v.better(banked, [v.load(rolled, c * ABREAST + lane) for c in range(players)])
            for c, value in enumerate(values):
                v.store(value, row, c * ABREAST + lane)
        return context.get_dummy_value()

    return types.void(channels, B, b_at, rolled, r_at, D, d_at), code


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def sweep_many(channels, D, B, B_rows, F, rows, swept, ceiling, reach, slot, tables, place, exact, limit, start, R):
    """Sweep one turn for every batch: the rows below ``swept``; in those above everybody banks.

    Arrays are flat; ``B`` has room for ``B_rows`` rows in every batch. ``reach`` is how far above itself a row looks,
    negative if rows above ``rows`` are worth what the last one is (else they are the ones above ``ceiling``). ``start``
    is R[0, all dice], and ``R`` (batches, rows, dice + 1, players, lanes) the whole turn if it is not empty. With
    ``exact`` the rows above ``limit`` of a lane pass.
    """
    dice, bust, win, first, weight, _, begin, _, _, _ = tables
    size = len(channels) * ABREAST
    bank_size = size - ABREAST
    bank_row = (slot[dice - 1] + 1) * bank_size
    for batch in range(rows.size):
        bottom = (ceiling - rows[batch]) * dice * size
        banks = batch * B_rows * bank_row
        f, out = batch * ABREAST, batch * size
        fill_banked(D, bottom, B, banks, bank_row, swept[batch], rows[batch], reach, slot, size)
        if exact and rows[batch] > 0:
            for row in range(ceiling * dice * size, D.size, size):
                fill_passed(D, row, size, F, f, limit, rows[batch])
        for t in range(swept[batch] - 1, -1, -1):
            row = bottom + t * dice * size
            for n in range(1, dice + 1):
                left = n % dice
                roll_any(
                    channels, D, row, F, f, start, out, bust[n], win[n], place, begin, weight, first[n], first[n + 1]
                )  # fmt: skip
                if R.size > 0:
                    at = ((batch * B_rows + t) * (dice + 1) + n) * size
                    for i in range(size):
                        R[at + i] = start[out + i]
                bank = banks + t * bank_row + slot[left] * bank_size
                bank_or_roll(channels, B, bank, start, out, D, row + left * size)
            if exact:
                for left in range(dice):
                    fill_passed(D, row + left * size, size, F, f, limit, t)


@njit(inline="always")
def fill_banked(D, bottom, B, banks, bank_row, swept, rows, reach, slot, size):
    """Write the rows above ``swept`` of one batch, in which everybody banks, as far as they are looked at."""
    end = min(rows, swept + reach) if reach >= 0 else swept - reach
    for t in range(swept, end if rows > 0 else 0):
        for left in range(slot.size):
            row = bottom + (t * slot.size + left) * size
            bank = banks + min(t, rows - 1) * bank_row + slot[left] * (size - ABREAST)
            for lane in range(ABREAST):
                D[row + lane] = B[bank + lane]
                D[row + ABREAST + lane] = 0.0
            for i in range(2 * ABREAST, size):
                D[row + i] = B[bank + i - ABREAST]


@njit(inline="always")
def fill_passed(D, row, size, F, f, limit, t):
    """Write a pass to the lanes of a row whose ``limit`` is below ``t``."""
    for lane in range(ABREAST):
        if t > limit[f + lane]:
            for i in range(lane, size, ABREAST):
                D[row + i] = 0.0
            D[row + lane] = F[f + lane]
            D[row + ABREAST + lane] = 1.0


@njit(cache=True, nogil=True, error_model="numpy")
def certain_rows(B, F, rows, sure):
    """Return from which row on a batch banks whatever is left, in every lane.

    It does where banking is worth at least ``1 - sure * (1 - F)``: no roll can be worth more, whatever follows, since
    it busts with a chance of at least ``sure``.
    """
    swept = rows.copy()
    for batch in range(rows.size):
        while swept[batch] > 0 and _certain(B[batch, swept[batch] - 1], F[batch], sure):
            swept[batch] -= 1
    return swept


@njit(inline="always")
def _certain(B, F, sure):
    low = False
    for j in range(B.shape[0]):
        for lane in range(ABREAST):
            low |= B[j, 0, lane] < 1.0 - sure * (1.0 - F[lane])
    return not low


@njit(cache=True, nogil=True, error_model="numpy")
def gather_many(B, V, scores, side, rows, follow, Q, W, rules):
    """Fill ``B`` with what banking is worth in every lane and row; own chance -1 where the rules refuse it.

    ``V[side, state]`` are the values of turn starts: of the mover and of the others but the last, the state being the
    number whose digits are the scores from the mover on. ``scores`` are (batches, players, lanes). ``follow[side]``
    last turns follow when the target is banked; ``Q`` and ``W`` are what they are worth (``last`` and ``middle`` of
    ``lastturns``).
    """
    target, entry, min_bank, cap, must, exact = rules
    players = scores.shape[1]
    for batch in range(rows.size):
        after = V[(side[batch] + 1) % V.shape[0]]
        following = follow[side[batch]]
        for lane in range(ABREAST):
            a, b = scores[batch, 0, lane], scores[batch, 1, lane]
            state = 0
            for c in range(1, players):
                state = (state + scores[batch, c, lane]) * target
            need = entry if a == 0 else min_bank
            missing = target - a
            for j in range(B.shape[2]):
                for t in range(rows[batch]):
                    B[batch, t, j, 0, lane] = -1.0
                if a < cap and not (must and j == 0):
                    for t in range(max(1, need), min(missing, rows[batch])):
                        values = after[state + min(a + t, cap)]
                        own = 1.0 - values[0]
                        for c in range(1, players - 1):
                            B[batch, t, j, c, lane] = values[c - 1]
                            own -= values[c]
                        B[batch, t, j, 0, lane] = own
                begin = max(missing, 0 if exact and a > 0 else need)
                for t in range(begin, min(rows[batch], missing + 1) if exact else rows[batch]):
                    lead = a + t - b
                    own, value = 1.0, 0.0
                    if following == 1:
                        value = last_value(Q, 0, min(b, 1), lead)
                        own -= value
                    elif following == 2:
                        c = scores[batch, 2, lane]
                        ends = W[min(b, 1), min(c, 1), b - c + target, min(lead, W.shape[3] - 1)]
                        value = ends[0]
                        own -= value + ends[1]
                    B[batch, t, j, 0, lane] = own
                    for c in range(1, players - 1):
                        B[batch, t, j, c, lane] = value if c == 1 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def last_value(Q, tied, kind, lead):
    """The chance of the last player of all; beyond the table it changes no more."""
    return Q[tied, kind, min(lead, Q.shape[2] - 1)]


@njit(cache=True, nogil=True, error_model="numpy")
def middle_bank(B, rows, level, need, others, Q, kind, tie, exact):
    """Fill ``B`` for the second but last player, who draws level with the leader at row ``level``.

    The last player is ``others`` behind. ``tie`` is a player's share of a tie for the lead, before that one's turn.
    """
    for batch in range(rows.size):
        for lane in range(ABREAST):
            behind = others[batch, lane]
            for t in range(rows[batch]):
                own, value = 0.0, last_value(Q, 0, kind, behind)
                if t > level:
                    value = last_value(Q, 0, kind, behind + t - level)
                    own = 1.0 - value
                elif t == level and tie > 0.0:
                    value = last_value(Q, 1, kind, behind)
                    own = (1.0 - value) * tie
                refused = t == 0 or t < need or (exact and t > level)
                B[batch, t, 0, 0, lane] = -1.0 if refused else own
                B[batch, t, 0, 1, lane] = value


@njit(cache=True, nogil=True, error_model="numpy")
def passes_to(P, F):
    """Set ``F``, the mover's chance after a pass, in every batch (group, turn)."""
    groups, players = P.shape[0], P.shape[1]
    for group in range(groups):
        for turn in range(players):
            for lane in range(ABREAST):
                F[group * players + turn, lane] = P[group, (turn + 1) % players, turn, lane]


@njit(cache=True, nogil=True, error_model="numpy")
def newton_many(P, start, F, rows, tolerance):
    """Solve the cycles of states that pass to each other, for the plans of the last sweep.

    A cycle is one round in which nobody scores. For fixed plans its values are linear: with ``K`` the chances
    without passes and ``q`` that of a pass, ``P[turn] = K[turn] + q[turn] * P[turn + 1]``. ``P`` and ``F`` are updated;
    groups that changed by less than ``tolerance`` are done: their ``rows`` become 0. Returns the largest change of
    those.
    """
    groups, players = P.shape[0], P.shape[1]
    K = np.empty((players, players))
    q = np.empty(players)
    largest = 0.0
    for group in range(groups):
        if rows[group * players] == 0:
            continue
        change = 0.0
        for lane in range(ABREAST):
            product = 1.0
            for turn in range(players):
                channels = start[group * players + turn]
                q[turn] = channels[1, lane]
                own = channels[0, lane] - q[turn] * F[group * players + turn, lane]
                K[turn, turn] = own
                last = 1.0 - q[turn] - own
                for k in range(1, players - 1):
                    K[turn, (turn + k) % players] = channels[k + 1, lane]
                    last -= channels[k + 1, lane]
                K[turn, (turn + players - 1) % players] = last
                product *= q[turn]
            for c in range(players):
                value = 0.0
                for turn in range(players - 1, -1, -1):
                    value = K[turn, c] + q[turn] * value
                value /= 1.0 - product
                for turn in range(players, 0, -1):
                    if turn < players:
                        value = K[turn, c] + q[turn] * value
                    change = max(change, abs(value - P[group, turn % players, c, lane]))
                    P[group, turn % players, c, lane] = value
        if change < tolerance:
            rows[group * players : (group + 1) * players] = 0
            largest = max(largest, change)
    passes_to(P, F)
    return largest


@njit(cache=True, nogil=True, error_model="numpy")
def store_many(V, P, scores, count):
    """Write the values of the first ``count`` lanes to ``V``."""
    sides = V.shape[0]
    players = scores.shape[1]
    target = round(V.shape[1] ** (1.0 / players))
    for i in range(count):
        group, lane = i // ABREAST, i % ABREAST
        for turn in range(players):
            at = 0
            for k in range(players):
                at = at * target + scores[group, (turn + k) % players, lane]
            for k in range(players - 1):
                V[turn % sides, at, k] = P[group, turn, (turn + k) % players, lane]
