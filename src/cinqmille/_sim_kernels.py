"""The compiled simulator: whole games of bots whose choices are arrays. Arrays and numbers in, arrays out.

``LANES`` games are played side by side: first every lane rolls until its turn ends, without a branch that depends on
the dice, then the turns are settled one by one. Roll k of game g, rejected draws counted, is
``mix(key + k * GOLDEN)`` with ``key = mix(mix(seed) + g * GOLDEN)``: dice depend on the seed and the game only. The
43 high bits choose one of 6^n ordered rolls (a digit a die, the first die the highest) by Lemire's multiplication and
rejection, without bias.

All points are steps. A running turn is ``points << 16`` plus how often all dice were set aside; the packed best option
of a menu is ``points << 24 | all set aside << 8 | dice to roll next << 4 | dice left``. ``NOTHING`` points and one of
``PASSED``, ``WIN``, ``BUST`` for the dice left mark a turn that ends without points.
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

    ``bank[0][row_of[bot, score - floor] + dice left]`` are the points (``<< 16``) from which a bot banks. It sets
    aside what is worth most (under ``exact`` the most that fits), fewest dice left among equals. A bot with a row
    in ``worth`` takes the first option of largest ``values[row, turn points, dice left]`` instead, and banks only
    where ``banks`` says so too. ``rotate`` moves every bot one seat on with every game.
    """
    dice, target, cap, floor, limit, penalty, ending, shared, exact, most_turns = rules
    bank_from, row_of = bank
    worth_rows = worth[2]
    seats = row_of.shape[0]
    minded = worth_rows.shape[0] > 0
    chosen = exact or minded or log.shape[0] > 0
    key = mix(seed)
    special = limit > 0 or cap < target
    on_board_from = 1 if cap > 0 else target  # where the last leg begins at 0, nothing but the target is above it

    s = np.zeros((LANES, WIDTH), np.int64)
    active = np.zeros(LANES + 1, np.uintp)
    best_turn = np.zeros(8, np.int64)
    following = first
    end = first + games
    lanes = min(np.int64(LANES), np.int64(games))
    for k in range(lanes):
        s[k, GAME] = -1
    while lanes > 0:
        k = 0
        while k < lanes:
            # Settle the turn of a lane, and set up the next one.
            lane = np.uintp(k)
            over = s[lane, GAME] < 0
            p = s[lane, MOVER]
            if not over:
                turn = s[lane, TURN]
                last = s[lane, LAST]
                points = max(turn >> 16, 0)
                b = p + s[lane, SHIFT]
                b -= seats if b >= seats else 0
                s[lane, np.uintp(COUNTS + p)] += ((turn & 0xFFFF) << 40) + (last == BUST) + ((last == PASSED) << 20)
                after = s[lane, np.uintp(SCORE + p)] + points
                s[lane, PLAYED] += 1
                if points > best_turn[np.uintp(b)]:
                    best_turn[np.uintp(b)] = points
                on_board = s[lane, np.uintp(ON_BOARD + p)]
                s[lane, np.uintp(ON_BOARD + p)] = on_board + s[lane, PLAYED] * (
                    (after >= on_board_from) & (on_board == 0)
                )
                if special:
                    if cap < after and after < target:
                        after = cap
                    if turn >= 0:
                        s[lane, np.uintp(IDLE + p)] = 0
                    elif limit > 0 and last != WIN:
                        s[lane, np.uintp(IDLE + p)] += 1
                        if s[lane, np.uintp(IDLE + p)] >= limit:
                            s[lane, np.uintp(IDLE + p)] = 0
                            fallen = min(after, max(floor, after - penalty) if penalty > 0 else 0)
                            totals[b, LOST] += after - fallen
                            after = fallen
                s[lane, np.uintp(SCORE + p)] = after
                seat = p + 1 if p + 1 < seats else 0
                if after >= target or last == WIN or s[lane, OPENER] >= 0:
                    if last == WIN:
                        over = True
                        totals[b, AT_ONCE] += 1
                    else:
                        if s[lane, OPENER] < 0:
                            s[lane, OPENER] = p
                        over = ending == 0 or seat == (s[lane, OPENER] if ending == 1 else 0)
                    if over:
                        _finish(
                            s, lane, p, seats, shared, last == WIN or ending == 0, totals, opening, rounds, seat_wins
                        )
                p = seat
            if over:
                if following == end:
                    # No game is left for this lane: the last one takes its place.
                    lanes -= 1
                    for field in range(WIDTH):
                        s[lane, field] = s[np.uintp(lanes), field]
                    continue
                s[lane, GAME] = following
                s[lane, STATE] = mix(key + np.uint64(following) * GOLDEN)
                s[lane, SHIFT] = following % seats if rotate else 0
                s[lane, OPENER] = -1
                s[lane, PLAYED] = 0
                for field in range(SCORE, WIDTH):
                    s[lane, field] = 0
                following += 1
                p = 0
            elif s[lane, PLAYED] >= most_turns:
                return s[lane, GAME]
            b = p + s[lane, SHIFT]
            b -= seats if b >= seats else 0
            mine = s[lane, np.uintp(SCORE + p)]
            s[lane, MOVER] = p
            s[lane, FROM] = row_of[np.uintp(b), np.uintp(mine - floor)]
            s[lane, TURN] = 0
            s[lane, DICE] = dice
            if chosen:
                s[lane, ROOM] = target - mine if exact else FAR
                s[lane, ROW] = _worth_row(s, lane, worth_rows[b], p, seats, floor) if minded else -1
            k += 1
        if chosen:
            _roll_chosen(s, active, lanes, rolls, menus, bank_from, worth, exact, log)
        else:
            _roll_best(s, active, lanes, rolls, menus[0], bank_from)
    for b in range(seats):
        totals[b, BEST] = max(totals[b, BEST], best_turn[b])
    return -1


@njit(cache=True, nogil=True)
def _roll_best(s, active, lanes, rolls, best, bank_from):
    """Roll until every turn has ended, setting aside the best option of every roll."""
    base, size, reject, menu_of = rolls
    base_all, size_all, reject_all = base[-1], size[-1], reject[-1]
    count = 0
    for k in range(lanes):
        lane = np.uintp(k)
        drawn = np.uint64(s[lane, STATE]) + GOLDEN
        product = (mix(drawn) >> _S21) * size_all
        while product & _LOW < reject_all:
            drawn += GOLDEN
            product = (mix(drawn) >> _S21) * size_all
        s[lane, STATE] = drawn
        found = best[menu_of[base_all + product >> _S43]]
        left = np.uintp(found & 15)
        turn = found >> 8
        s[lane, TURN] = turn
        s[lane, LAST] = left
        s[lane, DICE] = (found >> 4) & 15
        active[count] = lane
        count += turn < bank_from[np.uintp(s[lane, FROM]) + left]
    while count > 0:
        going = 0
        for k in range(count):
            lane = active[k]
            drawn = np.uint64(s[lane, STATE]) + GOLDEN
            s[lane, STATE] = drawn
            n = np.uintp(s[lane, DICE])
            product = (mix(drawn) >> _S21) * size[n]
            if product & _LOW < reject[n]:
                active[going] = lane
                going += 1
                continue
            found = best[menu_of[base[n] + product >> _S43]]
            left = np.uintp(found & 15)
            turn = s[lane, TURN] + (found >> 8)
            s[lane, TURN] = turn
            s[lane, LAST] = left
            s[lane, DICE] = (found >> 4) & 15
            active[going] = lane
            going += turn < bank_from[np.uintp(s[lane, FROM]) + left]
        count = going


@njit(cache=True, nogil=True)
def _roll_chosen(s, active, lanes, rolls, menus, bank_from, worth, exact, log):
    """Roll until every turn has ended, choosing among the options of every roll."""
    base, size, reject, menu_of = rolls
    best = menus[0]
    values, banks, _ = worth
    for k in range(lanes):
        active[k] = k
    count = lanes
    while count > 0:
        going = 0
        for k in range(count):
            lane = active[k]
            drawn = np.uint64(s[lane, STATE]) + GOLDEN
            s[lane, STATE] = drawn
            n = np.uintp(s[lane, DICE])
            product = (mix(drawn) >> _S21) * size[n]
            goes_on = True
            if product & _LOW >= reject[n]:
                roll = base[n] + product >> _S43
                menu = menu_of[roll]
                found = best[menu]
                if found >= 0 and (s[lane, ROW] >= 0 or (s[lane, TURN] >> 16) + (found >> 24) > s[lane, ROOM]):
                    found = _choose(s, lane, menu, menus, values, exact)
                left = np.uintp(found & 15)
                turn = s[lane, TURN] + (found >> 8)
                goes_on = turn < bank_from[np.uintp(s[lane, FROM]) + left]
                if found >= 0 and s[lane, ROW] >= 0 and (turn >> 16) < banks.shape[1] - 1:
                    goes_on |= not banks[s[lane, ROW], turn >> 16, left]
                if log.shape[0] > 0:
                    _note(s, lane, np.int64(roll - (base[n] >> _S43)), found, turn >> 16, not goes_on, log)
                s[lane, TURN] = turn
                s[lane, LAST] = left
                s[lane, DICE] = (found >> 4) & 15
            active[going] = lane
            going += goes_on
        count = going


@njit(cache=True, nogil=True)
def _choose(s, lane, menu, menus, values, exact):
    """Return the packed option that is set aside: what is worth most in ``values``, or the most that fits."""
    _, begin, points, left_of, dice = menus
    turn, row, room = s[lane, TURN] >> 16, s[lane, ROW], s[lane, ROOM]
    first, end = begin[menu], begin[menu + 1]
    chosen = first
    if row >= 0:
        deepest = values.shape[1] - 1
        most = values[row, min(turn + points[first], deepest), left_of[first]]
        for option in range(first + 1, end):
            value = values[row, min(turn + points[option], deepest), left_of[option]]
            if value > most:
                most = value
                chosen = option
    else:
        # Rising points: the last one that fits; of equals the one with the fewest dice left. If none fits, the least.
        for option in range(first + 1, end):
            if turn + points[option] > room:
                if points[option] == points[chosen]:
                    chosen = option
            elif points[option] > points[chosen]:
                chosen = option
    left = left_of[chosen]
    all_aside = 1 << 8 if left == 0 else 0
    if exact and turn + points[chosen] > room:
        return (np.int64(NOTHING) << 24) | all_aside | PASSED
    return (points[chosen] << 24) | all_aside | ((left if left > 0 else dice) << 4) | left


@njit(cache=True, nogil=True)
def _worth_row(s, lane, rows, p, seats, floor):
    """The row of ``worth`` for the turn that player ``p`` begins; every index stops at its last.

    With more than two players the other's score is the best of the others' scores.
    """
    other = np.int64(p == 0)
    best = s[lane, SCORE + other]
    for seat in range(seats):
        if seat != p:
            best = max(best, s[lane, SCORE + seat])
    return rows[
        min(p, rows.shape[0] - 1),
        min(s[lane, IDLE + p], rows.shape[1] - 1),
        min(s[lane, IDLE + other], rows.shape[2] - 1),
        min(s[lane, SCORE + p] - floor, rows.shape[3] - 1),
        min(best - floor, rows.shape[4] - 1),
    ]


@njit(cache=True, nogil=True)
def _note(s, lane, roll, found, turn, ends, log):
    """Write one roll down, while there is room."""
    at = log[0, 0] + 1
    log[0, 0] = at
    if at < log.shape[0]:
        log[at, LOG_GAME] = s[lane, GAME]
        log[at, LOG_SEAT] = s[lane, MOVER]
        log[at, LOG_DICE] = s[lane, DICE]
        log[at, LOG_ROLL] = roll
        log[at, LOG_POINTS] = found >> 24
        log[at, LOG_LEFT] = found & 15
        log[at, LOG_TURN] = turn
        log[at, LOG_ENDS] = ends


@njit(cache=True, nogil=True)
def _finish(s, lane, p, seats, shared, alone, totals, opening, rounds, seat_wins):
    """Add up a game that is over, won by player ``p`` alone or by the highest total (who stood there first, or all)."""
    played = s[lane, PLAYED]
    rounds[min((played - 1) // seats, rounds.shape[0] - 1)] += 1
    highest = s[lane, SCORE]
    for seat in range(1, seats):
        highest = max(highest, s[lane, SCORE + seat])
    winners = 0
    for seat in range(seats):
        winners += s[lane, SCORE + seat] == highest
    part = WHOLE // winners if shared and not alone else WHOLE
    given = 0
    for distance in range(seats):
        seat = (max(s[lane, OPENER], 0) + distance) % seats
        b = (seat + s[lane, SHIFT]) % seats
        wins = seat == p if alone else s[lane, SCORE + seat] == highest and given < WHOLE
        if wins:
            given += part
            totals[b, WINS] += part
            seat_wins[seat] += part
        totals[b, TURNS] += (played - seat + seats - 1) // seats
        totals[b, FINAL] += s[lane, SCORE + seat]
        counts = s[lane, COUNTS + seat]
        totals[b, BUSTS] += counts & 0xFFFFF
        totals[b, PASSES] += (counts >> 20) & 0xFFFFF
        totals[b, HOT] += counts >> 40
        if s[lane, ON_BOARD + seat] > 0:
            number = (s[lane, ON_BOARD + seat] - 1) // seats
            totals[b, OPENED] += 1
            totals[b, OPENING] += number + 1
            opening[b, min(number, opening.shape[1] - 1)] += 1
