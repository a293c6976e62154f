"""What a position between turns is worth to every player: exact where the game is solved, approximated where not.

Before the last turns. With two players at the table the chances are those of the solved game; so they are with more
where a solution for so many is given. Otherwise the exact two-player chances are coupled. Let p(i, j) be the chance
that i beats j if only they played on from their scores, in their order. If luck had no memory, i would beat
everybody with chance::

    C(i) = 1 / (sum over j of 1 / p(i, j) - (n - 2))            exact for n = 2

It has, near the end. Last turns for all blur that enough, but where the first to bank the target wins, the laws of
the number of turns that each needs by himself are raced, once all together (r) and once two by two (coupled in the
same way: c), and the approximation is C(i) * r(i) / c(i). In any case it is scaled to a sum of 1.

In the last turns. The chance that one turn beats a lead depends on the lead alone. It is exact for the last player,
and so are the chances of all when one more player follows; when two or more follow, each is taken to play as if he
were the last.

Memory that no solution can hold (falls, strikes, falls to the previous total) is switched off in the two-player
games behind all this, but not in the turn that is played: see ``advice``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from cinqmille import _advice_kernels as kernels
from cinqmille.errors import InvalidRules
from cinqmille.paces import paces
from cinqmille.position import Position
from cinqmille.rules import Rules
from cinqmille.solutions import at_hand, solve, stamp
from cinqmille.solvable import ManySolution, Solution, unsolvable, unsolvable_many
from cinqmille.tables import Floats, Ints, rule_tables

# A lead that is caught with less than this chance is safe.
_NO_CHANCE = 1e-13
# Where a strike is what frees players who are stuck, they go back to 0 after so many turns without points instead.
_BACK_AFTER = 3


@dataclass(frozen=True, slots=True)
class Reason:
    """Why chances are approximated: a code and its parameters, which ``counsel`` puts into words.

    ``players``: more of them (``players``) than have been solved. ``memory``: the rule ``name`` (its ``value``)
    remembers whole histories. ``both``. ``size``: the solution would be too large. ``last_turns``: so many
    ``followers`` in the last turns.
    """

    code: str
    params: tuple[tuple[str, Any], ...] = ()


class Outlook:
    """The chances to win of all seats at the start of a turn.

    ``pair`` is the solved two-player game, of ``rules`` or, where these cannot be solved, of the nearest that can;
    ``many`` the solved game of more players, if there is one.
    """

    def __init__(self, rules: Rules, pair: Solution, many: ManySolution | None = None) -> None:
        self.rules = rules
        self.pair = pair
        self.many = many

    @property
    def knows_offers(self) -> bool:
        """Whether :meth:`between` knows what turns that may be taken over are worth (or there are none)."""
        return self.rules.takeover == "never" or self.pair.taken.size > 0

    @cached_property
    def without_offers(self) -> Outlook:
        """The same game from now on without turns to take over."""
        return Outlook(self.rules.derive(takeover="never"), self.pair)

    def doubt(self, position: Position) -> Reason | None:
        """Return why the chances in this position are approximated; None when they are exact."""
        present = sum(not seat.away for seat in position.seats)
        if position.opener is not None:
            followers = len(followers_of(position))
            return Reason("last_turns", (("followers", followers),)) if followers > 1 else None
        if present == 1 or (present == 2 and self.pair.rules == self.rules) or self._solved(present):
            return None
        name = unsolvable(self.rules)
        memory = () if name is None else (("name", name), ("value", _text(getattr(self.rules, name))))
        if present == 2:
            return Reason("size") if name is None else Reason("memory", memory)
        players = (("players", present),)
        return Reason("players", players) if name is None else Reason("both", (*players, *memory))

    def _solved(self, present: int) -> bool:
        return self.many is not None and self.many.players == present

    def between(
        self, order: Sequence[int], positions: Sequence[Position], offer: tuple[Ints, int] | None = None
    ) -> Floats:
        """Return the chances of all seats, a row for every one of ``positions``: turn starts before the last turns.

        ``order`` are the seats that play, from the next on. ``offer`` are the points in steps and the dice (to
        roll) of turns that the next player may take over.
        """
        step = self.rules.step
        scores = np.array([position.scores for position in positions], dtype=np.int64) // step
        counts = np.array([[seat.scoreless for seat in position.seats] for position in positions], dtype=np.int64)
        chances = np.zeros(scores.shape)
        if len(order) == 1:
            chances[:, order[0]] = 1.0
        elif self._solved(len(order)):
            chances[:, order] = self._all_solved(order, scores)
        else:
            chances[:, order] = self._coupled(order, scores, counts, offer)
            if self.rules.equal_scores == "fall":
                chances += self._falls(order, positions, scores, counts)
        return chances

    def _falls(self, order: Sequence[int], positions: Sequence[Position], scores: Ints, counts: Ints) -> Floats:
        """What the falls of the next round change: everybody's next turn may end on the total of the last to have
        played.

        Or the last one's next turn on the total of anybody else.
        """
        step, cap = self.rules.step, self.rules.cap // self.rules.step
        gains = paces(self.pair.rules).gains
        last = order[-1]
        change = np.zeros(scores.shape)
        below = (
            np.array(
                [[seat.ladder[-2] if len(seat.ladder) > 1 else 0 for seat in position.seats] for position in positions]
            )
            // step
        )
        found: list[tuple[list[int], Ints, Floats]] = []
        told: list[tuple[Ints, Ints]] = []
        for place, mover in enumerate(order):
            holders = order[:-1] if mover == last else [last]
            following = [*order[place + 1 :], *order[: place + 1]]
            for holder in holders:
                total = scores[:, holder]
                gain = total - scores[:, mover]
                chance = np.where(
                    (gain > 0) & (total < cap) & (total > 0),
                    gains[np.clip(scores[:, mover], 0, cap - 1), np.clip(gain, 0, gains.shape[1] - 1)],
                    0.0,
                )
                rows = np.flatnonzero(chance > 0.0)
                if not rows.size:
                    continue
                stand, fall = scores[rows].copy(), scores[rows].copy()
                stand[:, mover] = fall[:, mover] = total[rows]
                fall[:, holder] = below[rows, holder]
                found.append((following, rows, chance[rows]))
                told.append((np.concatenate([fall, stand])[:, following], np.tile(counts[rows][:, following], (2, 1))))
        for (following, rows, chance), worth in zip(
            found, self._together([one[0] for one in found], told), strict=True
        ):
            change[np.ix_(rows, np.array(following))] += chance[:, None] * (worth[: rows.size] - worth[rows.size :])
        return change

    def _together(self, orders: Sequence[Sequence[int]], told: Sequence[tuple[Ints, Ints]]) -> list[Floats]:
        """The coupled chances of several tables, ``told`` as (scores, counts) in the order of play, at one go."""
        if not told or self.pair.values.shape[0] == 2:  # the seats matter: whoever plays first in a round is told
            return [
                self._coupled(range(len(order)), scores, counts, None, order)
                for order, (scores, counts) in zip(orders, told, strict=True)
            ]
        scores, counts = (np.concatenate(arrays) for arrays in zip(*told, strict=True))
        ends = np.cumsum([len(one[0]) for one in told])[:-1]
        return np.split(self._coupled(range(scores.shape[1]), scores, counts, None), ends)

    def _all_solved(self, order: Sequence[int], scores: Ints) -> Floats:
        assert self.many is not None
        side = sum(seat < order[0] for seat in order) if self.rules.ending == "finish_round" else 0
        found = self.many.values[(side, *(scores[:, seat] for seat in order))]
        return np.column_stack([found, 1.0 - found.sum(axis=1)])

    def _coupled(
        self, order: Sequence[int], scores: Ints, counts: Ints, offer: tuple[Ints, int] | None,
        seats: Sequence[int] | None = None,
    ) -> Floats:  # fmt: skip
        """The chances, by row and player in ``order`` (columns of ``scores``); ``seats`` are theirs, if others."""
        seats = order if seats is None else seats
        players = len(order)
        beats = np.ones((players, players, scores.shape[0]))
        for i in range(players):
            for j in range(i + 1, players):
                earlier = seats[i] < seats[j]
                beats[i, j] = self._pair(order[i], order[j], earlier, scores, counts, offer if i == 0 else None)
                beats[j, i] = 1.0 - beats[i, j]
        if players == 2:
            both: Floats = beats[[0, 1], [1, 0]].T
            return both
        chances = _coupling(beats)
        if self.rules.ending == "first":
            raced, paired = paces(self.pair.rules).race(scores[:, order])
            chances *= raced / _coupling(paired)
        shared: Floats = chances / chances.sum(axis=1, keepdims=True)
        return shared

    def _pair(
        self, i: int, j: int, earlier: bool, scores: Ints, counts: Ints, offer: tuple[Ints, int] | None
    ) -> Floats:
        """The chance that seat ``i``, who moves first, beats seat ``j``; ``earlier`` tells whose seat comes first."""
        solution = self.pair
        values, rules = solution.values, solution.rules
        side = int(values.shape[0] == 2 and not earlier)
        mine, theirs = (np.clip(scores[:, seat] + solution.zero, 0, values.shape[1] - 1) for seat in (i, j))
        own, held = (np.minimum(counts[:, seat], values.shape[3] - 1) for seat in (i, j))
        found: Floats = values[side, mine, theirs, own, held]
        if offer is not None and solution.taken.size:
            points, dice = offer
            most = solution.taken.shape[4] - 1
            taken = solution.taken[side, mine, theirs, own, np.minimum(points, most), dice]
            offered = (scores[:, i] > 0) | (rules.takeover != "opened")
            offered &= (scores[:, i] + points < rules.target // rules.step) | (not rules.exact)
            found = np.where(offered, np.maximum(found, taken), found)
        return found

    def finish(self, position: Position, totals: Ints, offer: tuple[Ints, int] | None = None) -> Floats:
        """Return the chances of all seats when the player to play ends the turn in the last turns, or begins them,
        with ``totals``.

        ``offer`` as in :meth:`between`.
        """
        rules, step, player = self.rules, self.rules.step, position.to_play
        assert player is not None
        scores = [seat.score // step for seat in position.seats]
        following = followers_of(position)
        first = player if position.opener is None else position.opener
        done = [(first + distance) % len(scores) for distance in range(len(scores))]
        done = [seat for seat in done if seat != player and seat not in following]
        highest = max((scores[seat] for seat in done), default=-1)
        holders = [seat for seat in done if scores[seat] == highest]
        shared = rules.tie == "shared"
        # Who holds the lead after this turn: the others, all together, or the player alone.
        cases = [
            (totals < highest, holders if shared else holders[:1]),
            (totals == highest, [*holders, player] if shared else holders[:1]),
            (totals > highest, [player]),
        ]
        chances = np.zeros((totals.size, len(scores)))
        for where, leaders in cases:
            if not where.any():
                continue
            led = np.maximum(totals, highest)[where]
            given = None if offer is None else (offer[0][where], offer[1])
            hold, follow = self._chase(leaders, led, following, scores, given)
            rows = np.flatnonzero(where)
            for seat in leaders:
                chances[rows, seat] = hold
            for place, seat in enumerate(following):
                chances[rows, seat] = follow[place]
        return chances

    def _chase(
        self, leaders: Sequence[int], led: Ints, following: Sequence[int], scores: Sequence[int],
        offer: tuple[Ints, int] | None,
    ) -> tuple[Floats, list[Floats]]:  # fmt: skip
        """The chance of each leader, and of each of those who follow."""
        if self.many is not None and len(following) == 2 and len(leaders) == 1 and self.many.middle.size:
            return self._chase_solved(led, following, scores)
        shared = self.rules.tie == "shared"
        reach = last_turn(self.rules)
        held = {len(leaders) if shared else 1: np.ones(led.size)}
        weights: list[Floats] = []
        for place, seat in enumerate(following):
            lead, kind = led - scores[seat], int(scores[seat] > 0)
            taking = _taking(self.rules, scores[seat], offer) if place == 0 else None
            caught = np.zeros(led.size)
            after: dict[int, Floats] = {}
            for number, chance in held.items():
                beat, tie = reach.chances(number, kind, lead, taking)
                caught += chance * (beat + tie * number / (number + 1))
                after[number] = after.get(number, 0.0) + chance * (1.0 - beat - tie)
                after[number + 1] = after.get(number + 1, 0.0) + chance * tie
            held = after
            # A new leader has just passed the old lead, and meets those after him with little more.
            weights = [weight * (1.0 - reach.chances(1, kind, lead + 1)[0]) for weight in weights]
            weights.append(caught)
        hold = sum((chance / number for number, chance in held.items()), np.zeros(led.size))
        left = 1.0 - hold * len(leaders)
        total = sum(weights, np.zeros(led.size))
        scale = np.divide(left, total, out=np.zeros(led.size), where=total > 0.0)
        return hold, [weight * scale for weight in weights]

    def _chase_solved(self, led: Ints, following: Sequence[int], scores: Sequence[int]) -> tuple[Floats, list[Floats]]:
        assert self.many is not None
        middle = self.many.middle
        near, last = (led - scores[seat] for seat in following)
        kinds = [int(scores[seat] > 0) for seat in following]
        known = near < middle.shape[3]
        difference = last - near + middle.shape[2] // 2
        found = np.where(known[:, None], middle[kinds[0], kinds[1], difference, np.where(known, near, 0)], 0.0)
        far = ~known
        if far.any():
            # Whom the middle player cannot catch, the last one meets alone.
            beat, tie = last_turn(self.rules).chances(1, kinds[1], last)
            found[far, 1] = (beat + tie / 2)[far]
        return 1.0 - found.sum(axis=1), [found[:, 0], found[:, 1]]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _taking(rules: Rules, score: int, offer: tuple[Ints, int] | None) -> tuple[Ints, int] | None:
    """The offer as a player with this score may take it: -1 points where it may not (RULES §5.8)."""
    if offer is None or (rules.takeover == "opened" and score <= 0):
        return None
    points, dice = offer
    return np.where(rules.exact & (score + points >= rules.target // rules.step), -1, points), dice


def _coupling(beats: Floats) -> Floats:
    """The coupled chances, by row and player, of ``beats[i, j, row]``, whose diagonal is 1."""
    players = beats.shape[0]
    coupled: Floats = (1.0 / ((1.0 / np.maximum(beats, 1e-300)).sum(axis=1) - (players - 1))).T
    return coupled


def followers_of(position: Position) -> tuple[int, ...]:
    """Return the seats that have a last turn after the player to play, in last turns on or beginning."""
    rules, player, count = position.rules, position.to_play, len(position.seats)
    assert player is not None
    if rules.ending == "first":
        return ()
    stop = 0 if rules.ending == "finish_round" else player if position.opener is None else position.opener
    found = []
    for distance in range(1, count):
        seat = (player + distance) % count
        if seat == stop:
            break
        if not position.seats[seat].away:
            found.append(seat)
    return tuple(found)


class LastTurn:
    """The chance that one last turn beats, or ties, a lead; the player plays for a win, a tie counting as its share.

    ``length``: leads from here on are safe. What is still needed decides everything, so that one sweep answers all
    leads, turns taken over included; only announcements, which double what the turn has, ask for a sweep a lead.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.tables = rule_tables(rules)
        self.needs = rules.entry // rules.step, rules.min_bank // rules.step
        self.longest = 6 * (rules.target // rules.step) + 600
        self._known: dict[tuple[float, int, bool], Floats] = {}
        self.length = self._length()

    def chances(self, held: int, kind: int, lead: Ints, offer: tuple[Ints, int] | None = None) -> tuple[Floats, Floats]:
        """Return the chances to beat and to tie ``lead`` (in steps above the own score), which ``held`` players
        share.

        ``kind`` is 0 for a player who has not opened. A turn on offer (its steps, -1 for none, and dice) is taken
        over where that is better. Ties that do not count are not told.
        """
        share = 1.0 / (held + 1) if self.rules.tie == "shared" else 0.0
        fresh = self._rolling(share, kind, lead, np.zeros_like(lead), self.rules.dice)
        if offer is not None:
            taken = self._rolling(share, kind, lead, np.maximum(offer[0], 0), offer[1])
            better = (offer[0] >= 0) & (taken[0] + share * taken[1] > fresh[0] + share * fresh[1])
            fresh = np.where(better, taken, fresh)
        return fresh[0], fresh[1] if share else np.zeros(lead.size)

    def _length(self) -> int:
        if self.rules.exact:
            # The opener hit the target, and nobody is further from it than the lowest score.
            return (self.rules.target - self.rules.floor) // self.rules.step + 1
        for high in range(64, self.longest, 64):
            rolled = self._sweep(0.5, 0, high, True)[0, self.rules.dice]
            if rolled.sum() <= _NO_CHANCE:
                return high
        return self.longest

    def _rolling(self, share: float, kind: int, lead: Ints, turn: Ints, dice: int) -> Floats:
        """The chances (beat, tie) when ``dice`` dice are rolled with ``turn`` steps at risk."""
        exempt = self.rules.exact and kind == 1
        need = 0 if exempt else self.needs[kind]
        found = np.zeros((2, lead.size))
        if self.rules.prediction:
            inside = (lead < self.length) | (turn > 0)
            known = self._by_lead(share, need, exempt)
            at = np.minimum(lead[inside], self.length - 1)
            # Above the longest lead what is still needed decides here too.
            row = np.maximum(turn[inside] - (lead[inside] - at), 0)
            found[:, inside] = known[at, np.minimum(row, known.shape[1] - 1), dice].T
            return found
        short = lead < need
        row = self.length - lead + turn
        inside = (row >= 0) & ~short
        found[:, inside] = self._by_need(share)[np.minimum(row[inside], self.length + 1), dice].T
        if short.any() and not self.rules.exact:
            row = np.minimum(self.length - (need - 1) + turn[short], self.length + 1)
            found[:, short] = self._by_need(0.0)[row, dice].T
        return found

    def _by_need(self, share: float) -> Floats:
        """The chances by row, the longest lead being due, and dice to roll."""
        key = (share, 0, True)
        if key not in self._known:
            self._known[key] = self._sweep(share, 0, self.length, True)
        return self._known[key]

    def _by_lead(self, share: float, need: int, exempt: bool) -> Floats:
        """The chances by lead, row and dice to roll; where nothing is taken over the first row is enough."""
        key = (share, need, exempt)
        if key not in self._known:
            deep = 1 if self.rules.takeover == "never" else max(self.length, need) + 2
            known = np.zeros((self.length, deep, self.rules.dice + 1, 2))
            for lead in range(1, self.length):
                rolled = self._sweep(share, need, lead, exempt)[:deep]
                known[lead, : len(rolled)] = rolled
                known[lead, len(rolled) :] = rolled[-1]
            self._known[key] = known
        return self._known[key]

    def _sweep(self, share: float, need: int, lead: int, exempt: bool) -> Floats:
        """The chances (beat, tie) by rows and dice to roll; in the last row lead and minimum are passed."""
        exact, tables = self.rules.exact, self.tables
        swept = lead + 1 if exact else max(lead, need) + 2
        bank = np.full((swept + tables.most + 1, self.rules.dice, 3), -1.0)
        bank[lead] = (share, 0.0, 1.0)
        if not exact:
            bank[lead + 1 :] = (1.0, 1.0, 0.0)
        if not exempt:
            bank[:need] = -1.0
        after = bank.copy()
        if exact:
            after[lead + 1 :] = 0.0
        nothing = np.zeros(3)
        rolled = np.zeros((swept + 1, self.rules.dice + 1, 3))
        announce = tables.announce if self.rules.prediction else tables.announce[:0]
        said = np.zeros((swept, announce.size, 3))
        win = np.array([1.0, 1.0, 0.0])
        kernels.play(after, bank, swept, nothing, nothing, win, tuple(tables), announce, rolled, said)
        return rolled[: swept + exact, :, 1:].copy()


@lru_cache(maxsize=16)
def last_turn(rules: Rules) -> LastTurn:
    """Return the last turns of these rules."""
    return LastTurn(rules)


def outlook(rules: Rules, players: int) -> Outlook:
    """Return the outlook for so many players at the table, solving or loading what it needs.

    More than two players are exact where their solution is in the user's cache or takes about a second.
    """
    return _outlook(rules, players, stamp(rules, players) if players > 2 else 0)


@lru_cache(maxsize=16)
def _outlook(rules: Rules, players: int, stamp: int) -> Outlook:
    return Outlook(rules, nearest_pair(rules, players), at_hand(rules, players))


@lru_cache(maxsize=16)
def nearest_pair(rules: Rules, players: int = 2) -> Solution:
    """Return the solved two-player game behind the chances of so many players, see :func:`solvable`."""
    nearest = solvable(rules, players)
    try:
        return solve(nearest)
    except InvalidRules as error:
        if error.code != "solution_too_large":
            raise
    return solve(nearest.derive(takeover="never"))


def solvable(rules: Rules, players: int = 2) -> Rules:
    """Return the rules of the two-player game behind the chances of so many players: these, or the nearest solvable
    ones.

    With more than two players penalties for turns without points are left out too: their counts make the solution
    large, and little depends on them. Where a player could then be stuck for ever, a penalty that can be solved stays,
    or takes the place of what was left out.
    """
    changes: dict[str, object] = {}
    if rules.equal_scores == "fall":
        changes["equal_scores"] = "allowed"
    if rules.strike:
        changes["strike"] = False
    if rules.scoreless_limit and (players > 2 or rules.scoreless_penalty == "previous"):
        changes["scoreless_limit"] = 0
    if not changes:
        return rules
    penalty = "zero" if rules.scoreless_penalty == "previous" else rules.scoreless_penalty
    kept = {"scoreless_limit": rules.scoreless_limit, "scoreless_penalty": penalty}
    back = {"scoreless_limit": rules.scoreless_limit or _BACK_AFTER, "scoreless_penalty": "zero"}
    for more in ({}, kept):
        with contextlib.suppress(InvalidRules):
            return rules.derive(**{**changes, **more})
    return rules.derive(**{**changes, **back})


def outlook_of(rules: Rules, solution: Solution | ManySolution) -> Outlook:
    """Return the outlook with a solution that is at hand; raise InvalidRules when it is one of other rules."""
    if isinstance(solution, ManySolution):
        if solution.rules != rules or unsolvable_many(rules, solution.players):
            raise InvalidRules("other_solution", rules=rules.canonical, found=solution.rules.canonical)
        return Outlook(rules, nearest_pair(rules, solution.players), solution)
    if solution.rules not in (rules, solvable(rules), solvable(rules, 3)):
        raise InvalidRules("other_solution", rules=rules.canonical, found=solution.rules.canonical)
    return Outlook(rules, solution)
