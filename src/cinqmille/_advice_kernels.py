"""The compiled loop of advice: one turn of one position, with whatever follows from it. Arrays in, arrays out.

The equation is that of ``_kernels``, for one state instead of many, and for several payoffs at once: payoff 0 is the chance
to win and decides every choice; the others (points, the chances of the other players) follow that choice::

    rolled[t, n] = bust[n] * lost + win[n] * instant + sum over menus m of n dice: weight[m] * after[best option of m]
    after[t, left] = the best, by payoff 0, of bank[t, left], rolled[t, left or all] and the announcements said[t]

``bank[t, left, 0]`` is negative where banking is refused. Rows from ``swept`` on are worth their ``bank``, and more points
than the last row has are worth what that is.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def play(bank, swept, lost, lost_all, instant, limit, tables, announce, rolled, after, said):
    """Fill ``after`` (rows, dice, payoffs) and, below ``swept``, ``rolled`` (rows, dice + 1, payoffs) and ``said`` (rows,
    announcements, payoffs).

    ``lost`` are the payoffs of a scoreless turn, ``lost_all`` those of a bust on all dice. A set-aside that makes more than
    ``limit`` points at once is such a scoreless turn (an exact target passed). Of equal choices the first counts: banking, then
    rolling, then the smallest announcement; among set-asides the one listed first.
    """
    dice, bust, win, first, weight, best_of, begin, points, left, _ = tables
    payoffs = bank.shape[2]
    for t in range(swept, bank.shape[0]):
        for keep in range(dice):
            for k in range(payoffs):
                after[t, keep, k] = bank[t, keep, k]
    for t in range(swept - 1, -1, -1):
        for n in range(1, dice + 1):
            out = rolled[t, n]
            for k in range(payoffs):
                out[k] = bust[n] * (lost_all[k] if n == dice else lost[k]) + win[n] * instant[k]
            for m in range(first[n], first[n + 1]):
                row, keep = _best(after, lost, limit, begin[m], begin[m + 1], t, points, left, -1)
                for k in range(payoffs):
                    out[k] += weight[m] * (after[row, keep, k] if keep >= 0 else lost[k])
            keep = n % dice
            here = after[t, keep]
            choice = bank[t, keep]
            if not choice[0] >= out[0]:
                choice = out
            for k in range(payoffs):
                here[k] = choice[k]
            if n == 2 and announce.size:
                for a in range(announce.size):
                    word = said[t, a]
                    for k in range(payoffs):
                        word[k] = out[k]
                    for m in range(first[2], first[3]):
                        if best_of[m] == announce[a]:
                            row, keep = _best(after, lost, limit, begin[m], begin[m + 1], t, points, left, -1)
                            for k in range(payoffs):
                                word[k] -= weight[m] * (after[row, keep, k] if keep >= 0 else lost[k])
                            row, keep = _best(after, lost, limit, begin[m], begin[m + 1], t, points, left, announce[a])
                            for k in range(payoffs):
                                word[k] += weight[m] * (after[row, keep, k] if keep >= 0 else lost[k])
                    if word[0] > here[0]:
                        for k in range(payoffs):
                            here[k] = word[k]


@njit(inline="always")
def _best(after, lost, limit, begin, end, t, points, left, said):
    """The row and the dice left (-1: the turn ends scoreless) of the best option; after a right announcement of ``said``."""
    top = after.shape[0] - 1
    best_row, best_keep, best = 0, -1, -2.0
    for o in range(begin, end):
        total = t + points[o]
        if said >= 0:
            if points[o] != said:
                continue
            total *= 2
        if total > limit:
            row, keep, value = 0, -1, lost[0]
        else:
            row, keep = min(total, top), left[o]
            value = after[row, keep, 0]
        if value > best:
            best_row, best_keep, best = row, keep, value
    return best_row, best_keep
