"""The compiled loops of advice: one turn of one position, with whatever follows from it. Arrays in, arrays out.

The equation is that of ``_kernels``, for one state instead of many, and for several payoffs at once: payoff 0 is
the chance to win and decides every choice; the others (points, the chances of the other players) follow that
choice::

    rolled[t, n] = bust[n] * lost + win[n] * instant + sum over menus m of n dice: weight[m] * after[best option of m]
    after[t, left] = the best, by payoff 0, of bank[t, left], rolled[t, left or all] and the announcements said[t]

Rows of ``after`` from ``swept`` on are given; there are at least ``swept`` and the most points of a roll of them.
Of equal choices the first counts: banking, then rolling, then the smallest announcement; among set-asides the one
listed first.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def play(after, bank, swept, lost, lost_all, instant, tables, announce, rolled, said):
    """Fill the rows below ``swept`` of ``after`` and ``rolled`` (rows, dice or dice + 1, payoffs) and of ``said``.

    ``bank`` is negative (payoff 0) where banking is refused, ``lost`` a scoreless turn, ``lost_all`` one that ends
    with a bust on all dice, ``instant`` a roll that wins at once. ``said`` is (rows, announcements, payoffs).
    """
    dice, bust, win, first, weight, best_of, begin, points, left, _ = tables
    rows, payoffs = after.shape[0], after.shape[2]
    shift = points * dice + left
    own = np.empty(rows * dice)
    flat = after.reshape(rows * dice, payoffs)
    own[:] = flat[:, 0]
    for t in range(swept - 1, -1, -1):
        for n in range(1, dice + 1):
            out = rolled[t, n]
            for k in range(payoffs):
                out[k] = bust[n] * (lost_all[k] if n == dice else lost[k]) + win[n] * instant[k]
            for m in range(first[n], first[n + 1]):
                at = _best(own, shift, begin[m], begin[m + 1], t * dice)
                for k in range(payoffs):
                    out[k] += weight[m] * flat[at, k]
            here = t * dice + n % dice
            choice = bank[t, n % dice]
            if not choice[0] >= out[0]:
                choice = out
            for k in range(payoffs):
                flat[here, k] = choice[k]
            if n == 2:
                for a in range(announce.size):
                    word = said[t, a]
                    for k in range(payoffs):
                        word[k] = out[k]
                    twice = min(2 * (t + announce[a]), rows - 1) * dice
                    for m in range(first[2], first[3]):
                        if best_of[m] == announce[a]:
                            at = _best(own, shift, begin[m], begin[m + 1], t * dice)
                            for k in range(payoffs):
                                word[k] -= weight[m] * flat[at, k]
                            at = -1
                            for o in range(begin[m], begin[m + 1]):
                                doubled = twice + left[o]
                                if points[o] == announce[a] and (at < 0 or own[doubled] > own[at]):
                                    at = doubled
                            for k in range(payoffs):
                                word[k] += weight[m] * flat[at, k]
                    if word[0] > flat[here, 0]:
                        for k in range(payoffs):
                            flat[here, k] = word[k]
            own[here] = flat[here, 0]


@njit(inline="always")
def _best(own, shift, begin, end, base):
    """The place in ``own`` of the best option of a menu."""
    best = own[base + shift[begin]]
    for o in range(begin + 1, end):
        best = max(best, own[base + shift[o]])
    o = begin
    while own[base + shift[o]] != best:
        o += 1
    return base + shift[o]


@njit(cache=True, nogil=True, error_model="numpy")
def ends(after, bank, swept, tables, banked):
    """Add to ``banked`` the law of the row in which the turn is banked; return the chance that it ends scoreless.

    ``after`` and ``bank`` are values as in :func:`play`, without payoffs and announcements; a winning roll counts
    as the last row.
    """
    dice, bust, win, first, weight, _, begin, points, left, _ = tables
    rows = after.shape[0]
    shift = points * dice + left
    own = after.reshape(rows * dice)
    chance = np.zeros((rows, dice + 1))
    chance[0, dice] = 1.0
    scoreless = 0.0
    for t in range(swept):
        for n in range(1, dice + 1):
            here = chance[t, n]
            if here == 0.0:
                continue
            scoreless += here * bust[n]
            banked[rows - 1] += here * win[n]
            for m in range(first[n], first[n + 1]):
                at = _best(own, shift, begin[m], begin[m + 1], t * dice)
                row, keep = at // dice, at % dice
                if row >= swept or bank[row, keep] >= own[at]:
                    banked[row] += here * weight[m]
                else:
                    chance[row, keep if keep > 0 else dice] += here * weight[m]
    return scoreless
