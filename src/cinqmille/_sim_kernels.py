"""The compiled simulator: whole games of bots whose choices are arrays. Arrays and numbers in, arrays out.

``LANES`` games are played side by side: first every lane rolls until its turn ends, without a branch that depends on the
dice, then the turns are settled one by one. Roll k of game g, rejected draws counted, is ``mix(key + k * GOLDEN)`` with
``key = mix(mix(seed) + g * GOLDEN)``: dice depend on the seed and the game only. The 43 high bits choose one of 6^n
ordered rolls (a digit a die, the first die the highest) without bias, by Lemire's multiplication and rejection.

All points are steps. A running turn is ``points << 16`` plus how often all dice were set aside; the packed best option of
a menu is ``points << 24 | all set aside << 8 | dice to roll next << 4 | dice left``. ``NOTHING`` points and one of ``PASSED``,
``WIN``, ``BUST`` for the dice left mark a turn that ends without points.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LANES = 48
FAR = 1 << 40  # more points than any game has
NOTHING = -(1 << 30)  # less than any turn makes up for
PASSED, WIN, BUST = 13, 14, 15

# The columns of ``totals``, a row a bot. Wins are in parts of ``WHOLE``, which 1 to 8 winners share evenly.
WINS, TURNS, FINAL, BUSTS, PASSES, HOT, BEST, LOST, OPENED, OPENING, AT_ONCE, COLUMNS = range(12)
WHOLE = 840

# The columns of ``log``, a row a roll; its first cell counts the rows.
LOG_GAME, LOG_SEAT, LOG_DICE, LOG_ROLL, LOG_POINTS, LOG_LEFT, LOG_TURN, LOG_ENDS, LOG_COLUMNS = range(9)

# The fields of a lane; the last four kinds are a number a seat.
STATE, TURN, DICE, LAST, FROM, MOVER, SHIFT, PLAYED, GAME, OPENER, ROOM, ROW = range(12)
SCORE, COUNTS, IDLE, ON_BOARD, WIDTH = 16, 24, 32, 40, 56

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_A, _B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31 = np.uint64(27), np.uint64(30), np.uint64(31)
_S21, _S43, _LOW = np.uint64(21), np.uint64(43), np.uint64((1 << 43) - 1)


@njit(inline="always")
def mix(z):
    """Return the 64 bits of ``z`` scrambled: the output function of splitmix64."""
    z = (z ^ (z >> _S30)) * _A
    z = (z ^ (z >> _S27)) * _B
    return z ^ (z >> _S31)


@njit(cache=True, nogil=True)
def play(first, games, seed, rotate, rules, rolls, menus, bank, worth, totals, opening, rounds, seat_wins, log):
    """Play games ``first`` to ``first + games`` and add up what happened; return a game that does not end, or -1.

    ``bank[0][row_of[bot, score - floor] + dice left]`` are the points (``<< 16``) from which a bot banks. It sets aside what is
    worth most (under ``exact`` the most that fits), fewest dice left among equals. A bot with a row in
    ``worth`` takes the first option of largest ``values[row, turn points, dice left]`` instead, and banks only where
    ``banks`` says so too. ``rotate`` moves every bot one seat on with every game.
    """
    dice, target, cap, floor, limit, penalty, ending, shared, exact, most_turns = rules
    bank_from, row_of = bank
    worth_rows = worth[2]
    seats = row_of.shape[0]
    minded = worth_rows.shape[0] > 0
    chosen = exact or minded or log.shape[0] > 0
    key = mix(seed)

    S = np.zeros((LANES, WIDTH), np.int64)
    active = np.zeros(LANES + 1, np.uintp)
    best_turn = np.zeros(8, np.int64)
    following = first
    end = first + games
    lanes = min(np.int64(LANES), np.int64(games))
    for k in range(lanes):
        S[k, GAME] = -1
    while lanes > 0:
        k = 0
        while k < lanes:
            # Settle the turn of a lane, and set up the next one.
            lane = np.uintp(k)
            over = S[lane, GAME] < 0
            p = S[lane, MOVER]
            if not over:
                turn = S[lane, TURN]
                last = S[lane, LAST]
                points = max(turn >> 16, 0)
                b = p + S[lane, SHIFT]
                b -= seats if b >= seats else 0
                S[lane, np.uintp(COUNTS + p)] += ((turn & 0xFFFF) << 40) + (last == BUST) + ((last == PASSED) << 20)
                after = S[lane, np.uintp(SCORE + p)] + points
                if cap < after and after < target:
                    after = cap
                S[lane, PLAYED] += 1
                if points > best_turn[np.uintp(b)]:
                    best_turn[np.uintp(b)] = points
                if after > 0 and S[lane, np.uintp(ON_BOARD + p)] == 0:
                    S[lane, np.uintp(ON_BOARD + p)] = S[lane, PLAYED]
                if limit > 0:
                    if turn >= 0:
                        S[lane, np.uintp(IDLE + p)] = 0
                    elif last != WIN:
                        S[lane, np.uintp(IDLE + p)] += 1
                        if S[lane, np.uintp(IDLE + p)] >= limit:
                            S[lane, np.uintp(IDLE + p)] = 0
                            fallen = min(after, max(floor, after - penalty) if penalty > 0 else 0)
                            totals[b, LOST] += after - fallen
                            after = fallen
                S[lane, np.uintp(SCORE + p)] = after
                seat = p + 1 if p + 1 < seats else 0
                if after >= target or last == WIN or S[lane, OPENER] >= 0:
                    if last == WIN:
                        over = True
                        totals[b, AT_ONCE] += 1
                    else:
                        if S[lane, OPENER] < 0:
                            S[lane, OPENER] = p
                        over = ending == 0 or seat == (S[lane, OPENER] if ending == 1 else 0)
                    if over:
                        _finish(
                            S, lane, p, seats, shared, last == WIN or ending == 0, totals, opening, rounds, seat_wins
                        )
                p = seat
            if over:
                if following == end:
                    # No game is left for this lane: the last one takes its place.
                    lanes -= 1
                    for field in range(WIDTH):
                        S[lane, field] = S[np.uintp(lanes), field]
                    continue
                S[lane, GAME] = following
                S[lane, STATE] = mix(key + np.uint64(following) * GOLDEN)
                S[lane, SHIFT] = following % seats if rotate else 0
                S[lane, OPENER] = -1
                S[lane, PLAYED] = 0
                for field in range(SCORE, WIDTH):
                    S[lane, field] = 0
                following += 1
                p = 0
            elif S[lane, PLAYED] >= most_turns:
                return S[lane, GAME]
            b = p + S[lane, SHIFT]
            b -= seats if b >= seats else 0
            mine = S[lane, np.uintp(SCORE + p)]
            S[lane, MOVER] = p
            S[lane, FROM] = row_of[np.uintp(b), np.uintp(mine - floor)]
            S[lane, TURN] = 0
            S[lane, DICE] = dice
            if exact:
                S[lane, ROOM] = target - mine
            if minded:
                S[lane, ROW] = _worth_row(S, lane, worth_rows[b], p, floor)
            k += 1
        if chosen:
            _roll_chosen(S, active, lanes, rolls, menus, bank_from, worth, exact, log)
        else:
            _roll_best(S, active, lanes, rolls, menus[0], bank_from)
    for b in range(seats):
        totals[b, BEST] = max(totals[b, BEST], best_turn[b])
    return -1


@njit(cache=True, nogil=True)
def _roll_best(S, active, lanes, rolls, best, bank_from):
    """Roll until every turn has ended, setting aside the best option of every roll."""
    base, size, reject, menu_of = rolls
    for k in range(lanes):
        active[k] = k
    count = lanes
    while count > 0:
        going = 0
        for k in range(count):
            lane = active[k]
            drawn = np.uint64(S[lane, STATE]) + GOLDEN
            S[lane, STATE] = drawn
            n = np.uintp(S[lane, DICE])
            product = (mix(drawn) >> _S21) * size[n]
            if product & _LOW < reject[n]:
                active[going] = lane
                going += 1
                continue
            found = best[menu_of[base[n] + product >> _S43]]
            left = np.uintp(found & 15)
            turn = S[lane, TURN] + (found >> 8)
            S[lane, TURN] = turn
            S[lane, LAST] = left
            S[lane, DICE] = (found >> 4) & 15
            active[going] = lane
            going += turn < bank_from[np.uintp(S[lane, FROM]) + left]
        count = going


@njit(cache=True, nogil=True)
def _roll_chosen(S, active, lanes, rolls, menus, bank_from, worth, exact, log):
    """Roll until every turn has ended, choosing among the options of every roll."""
    base, size, reject, menu_of = rolls
    for k in range(lanes):
        active[k] = k
    count = lanes
    while count > 0:
        going = 0
        for k in range(count):
            lane = active[k]
            drawn = np.uint64(S[lane, STATE]) + GOLDEN
            S[lane, STATE] = drawn
            n = np.uintp(S[lane, DICE])
            product = (mix(drawn) >> _S21) * size[n]
            goes_on = True
            if product & _LOW >= reject[n]:
                roll = base[n] + product >> _S43
                found = _choose(S, lane, menu_of[roll], menus, worth, exact)
                left = found & 15
                turn = S[lane, TURN] + (found >> 8)
                goes_on = turn < bank_from[S[lane, FROM] + left]
                if found >= 0:
                    goes_on |= _holds(worth, S[lane, ROW], turn >> 16, left)
                if log.shape[0] > 0:
                    _note(S, lane, np.int64(roll - (base[n] >> _S43)), found, turn >> 16, not goes_on, log)
                S[lane, TURN] = turn
                S[lane, LAST] = left
                S[lane, DICE] = (found >> 4) & 15
            active[going] = lane
            going += goes_on
        count = going


@njit(cache=True, nogil=True)
def _choose(S, lane, menu, menus, worth, exact):
    """Return the packed option that is set aside where it is not always the best one of the menu."""
    best, begin, points, left_of, dice = menus
    values, _, rows = worth
    found = best[menu]
    if found < 0:
        return found
    turn = S[lane, TURN] >> 16
    chosen = begin[menu]
    if rows.shape[0] > 0 and S[lane, ROW] >= 0:
        most = np.float32(-np.inf)
        for option in range(begin[menu], begin[menu + 1]):
            value = values[S[lane, ROW], min(turn + points[option], values.shape[1] - 1), left_of[option]]
            if value > most:
                most = value
                chosen = option
    elif exact:
        # Rising points: the last one that fits; of equals the one with the fewest dice left. If none fits, the least.
        for option in range(begin[menu], begin[menu + 1]):
            fits = turn + points[option] <= S[lane, ROOM]
            if fits and points[option] > points[chosen]:
                chosen = option
            if not fits and points[option] == points[chosen]:
                chosen = option
    else:
        return found
    left = left_of[chosen]
    all_aside = 1 << 8 if left == 0 else 0
    if exact and turn + points[chosen] > S[lane, ROOM]:
        return (np.int64(NOTHING) << 24) | all_aside | PASSED
    return (points[chosen] << 24) | all_aside | ((left if left > 0 else dice) << 4) | left


@njit(cache=True, nogil=True)
def _holds(worth, row, turn, left):
    """Whether a bot with a row in ``worth`` rolls on here although it could bank."""
    banks = worth[1]
    return worth[2].shape[0] > 0 and row >= 0 and turn < banks.shape[1] - 1 and not banks[row, turn, left]


@njit(cache=True, nogil=True)
def _worth_row(S, lane, rows, p, floor):
    """The row of ``worth`` for the turn that player ``p`` of two begins; every index stops at its last."""
    other = 1 - p
    return rows[
        min(p, rows.shape[0] - 1),
        min(S[lane, IDLE + p], rows.shape[1] - 1),
        min(S[lane, IDLE + other], rows.shape[2] - 1),
        min(S[lane, SCORE + p] - floor, rows.shape[3] - 1),
        min(S[lane, SCORE + other] - floor, rows.shape[4] - 1),
    ]


@njit(cache=True, nogil=True)
def _note(S, lane, roll, found, turn, ends, log):
    """Write one roll down, while there is room."""
    at = log[0, 0] + 1
    log[0, 0] = at
    if at < log.shape[0]:
        log[at, LOG_GAME] = S[lane, GAME]
        log[at, LOG_SEAT] = S[lane, MOVER]
        log[at, LOG_DICE] = S[lane, DICE]
        log[at, LOG_ROLL] = roll
        log[at, LOG_POINTS] = found >> 24
        log[at, LOG_LEFT] = found & 15
        log[at, LOG_TURN] = turn
        log[at, LOG_ENDS] = ends


@njit(cache=True, nogil=True)
def _finish(S, lane, p, seats, shared, alone, totals, opening, rounds, seat_wins):
    """Add up a game that is over, won by player ``p`` alone or by the highest total (who stood there first, or all)."""
    played = S[lane, PLAYED]
    rounds[min((played - 1) // seats, rounds.shape[0] - 1)] += 1
    highest = S[lane, SCORE]
    for seat in range(1, seats):
        highest = max(highest, S[lane, SCORE + seat])
    winners = 0
    for seat in range(seats):
        winners += S[lane, SCORE + seat] == highest
    part = WHOLE // winners if shared and not alone else WHOLE
    given = 0
    for distance in range(seats):
        seat = (max(S[lane, OPENER], 0) + distance) % seats
        b = (seat + S[lane, SHIFT]) % seats
        wins = seat == p if alone else S[lane, SCORE + seat] == highest and given < WHOLE
        if wins:
            given += part
            totals[b, WINS] += part
            seat_wins[seat] += part
        totals[b, TURNS] += (played - seat + seats - 1) // seats
        totals[b, FINAL] += S[lane, SCORE + seat]
        counts = S[lane, COUNTS + seat]
        totals[b, BUSTS] += counts & 0xFFFFF
        totals[b, PASSES] += (counts >> 20) & 0xFFFFF
        totals[b, HOT] += counts >> 40
        if S[lane, ON_BOARD + seat] > 0:
            number = (S[lane, ON_BOARD + seat] - 1) // seats
            totals[b, OPENED] += 1
            totals[b, OPENING] += number + 1
            opening[b, min(number, opening.shape[1] - 1)] += 1
