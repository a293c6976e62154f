"""The compiled loops of games of three and more: to be read with, and moved into, ``_kernels``.

The equation (one turn, one mover, ``players`` at the table). A turn is worth a vector, its *channels*: the mover's own chance
to win, the chance that the turn ends with nothing (a *pass*), and the chances, without passes, of the other players but
the last, in turn order. With ``F`` the mover's chance after a pass::

    R[t, n] = bust[n] * (F, 1, 0, ...) + win[n] * (1, 0, 0, ...)
              + sum over menus m of n dice: weight[m] * (the option D[t + points, left] with the largest own chance)
    D[t, left] = B[t, left] if its own chance is at least that of R[t, left or all], else R[t, left or all]

``B`` is the value of banking (own chance -1 where it is not allowed); a banked turn is no pass. A mover who is equally well
off banks rather than rolls; of two equal set-asides the later in the order of comparison is taken.

``D`` is one turn, flat, rows of (dice, players, LANES); it is used for one batch after the other, all of them ending at the
row ``ceiling``: from there on everything is (1, 0, 0, ...), which nobody overwrites, so the row of ``t`` is
``ceiling - rows + t``. ``B`` is (batches, rows, slots, players - 1, LANES): own chance, then the others but the last.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 32

_FAST = {"contract", "nsz", "nnan"}


@intrinsic
def choose(typing_context, condition, yes, no):
    """``yes if condition else no`` without a branch, so that loops around it are vectorised."""

    def code(context, builder, signature, values):
        flag = builder.trunc(values[0], ir.IntType(1)) if values[0].type.width > 1 else values[0]
        return builder.select(flag, values[1], values[2])

    return types.float64(types.boolean, types.float64, types.float64), code


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def sweep_many(D, R, B, F, rows, swept, ceiling, tables, slot, players, start):
    """Sweep one turn for every batch: rows below ``swept``; ``start`` is R[0, all] and, if it has rows, ``R`` all of it.

    The rows from ``swept`` to ``rows`` are made here too: there everybody banks (see ``certain_rows``). A batch of no
    rows is passed over.
    """
    dice, bust, win, first, weight, _, begin, points, left, _ = tables
    turn = D.reshape(-1, dice, players, LANES)
    acc = np.empty((players, LANES))
    best = np.empty((players, LANES))
    better = np.empty(LANES)
    for batch in range(B.shape[0]):
        bottom = ceiling - rows[batch]
        fill_banked(turn, B[batch], bottom, swept[batch], rows[batch], slot, players)
        for t in range(swept[batch] - 1, -1, -1):
            for n in range(1, dice + 1):
                for lane in range(LANES):
                    acc[0, lane] = bust[n] * F[batch, lane] + win[n]
                    acc[1, lane] = bust[n]
                for c in range(2, players):
                    for lane in range(LANES):
                        acc[c, lane] = 0.0
                for m in range(first[n], first[n + 1]):
                    option = turn[bottom + t + points[begin[m]], left[begin[m]]]
                    if begin[m] + 1 < begin[m + 1]:
                        for c in range(players):
                            for lane in range(LANES):
                                best[c, lane] = option[c, lane]
                        for o in range(begin[m] + 1, begin[m + 1]):
                            option = turn[bottom + t + points[o], left[o]]
                            for lane in range(LANES):
                                better[lane] = option[0, lane] - best[0, lane]
                            for c in range(players):
                                for lane in range(LANES):
                                    best[c, lane] = choose(better[lane] >= 0.0, option[c, lane], best[c, lane])
                        option = best
                    w = weight[m]
                    for c in range(players):
                        for lane in range(LANES):
                            acc[c, lane] += w * option[c, lane]
                if R.shape[1] > t:
                    R[batch, t, n] = acc
                if t == 0 and n == dice:
                    start[batch] = acc
                banked = B[batch, t, slot[n % dice]]
                row = turn[bottom + t, n % dice]
                for lane in range(LANES):
                    better[lane] = banked[0, lane] - acc[0, lane]
                    row[0, lane] = choose(better[lane] >= 0.0, banked[0, lane], acc[0, lane])
                    row[1, lane] = choose(better[lane] >= 0.0, 0.0, acc[1, lane])
                for c in range(2, players):
                    for lane in range(LANES):
                        row[c, lane] = choose(better[lane] >= 0.0, banked[c - 1, lane], acc[c, lane])
