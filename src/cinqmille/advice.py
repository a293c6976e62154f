"""What to do now, and what it is worth: every plan of a position with its chance to win and its mean points, best
first.

The turn in progress is always exact: whatever banking, a bust or a passed target leads to (falls, strikes,
penalties, turns to take over) is asked of the rules themselves, ``game.apply`` on the true position. What the
position after it is worth is asked of ``outlook``, and is exact or approximated there. With both, one sweep of the
turn gives the worth of every choice (see ``_advice_kernels``), for every player at the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from cinqmille import _advice_kernels as kernels
from cinqmille.actions import ANNOUNCEMENTS, Action, Announce, Bank, Points, RollOn, TakeOver
from cinqmille.errors import IllegalAction
from cinqmille.game import Plan, apply, bank_problem, legal_plans
from cinqmille.outlook import Outlook, Reason, followers_of, last_turn, outlook, outlook_of
from cinqmille.position import Position, Seat
from cinqmille.scoring import format_dice
from cinqmille.solvable import ManySolution, Solution
from cinqmille.tables import Floats, Ints, rule_tables

__all__ = ["Advice", "Reason", "Valued", "advise", "turn_of"]

# Chances that differ by less are equal; then banking comes first, and more points on average.
_EQUAL = 1e-12
_ORDER = {Bank: 0, RollOn: 1, TakeOver: 2, Announce: 3}


@dataclass(frozen=True, slots=True)
class Valued:
    """A plan with the chance to win (a shared win counts as its share) and the mean points the turn then adds to
    the score.

    ``chances`` are those of all seats. ``scored`` is the chance that the turn ends with points (or at once with a
    win); ``reaches`` the chance that it ends at the target or above, in the last turns above everybody else's score.
    """

    plan: Plan
    win: float
    turn_mean: float
    chances: tuple[float, ...]
    scored: float
    reaches: float


@dataclass(frozen=True, slots=True)
class Advice:
    """The plans of ``position``, best first; before a roll there is one, to roll.

    ``exact`` tells whether the numbers are; ``reason`` why they are not.
    """

    position: Position
    plans: tuple[Valued, ...]
    reason: Reason | None

    @property
    def exact(self) -> bool:
        """Whether the chances are exact; otherwise they are approximated, for ``reason``."""
        return self.reason is None

    @property
    def best(self) -> Valued:
        """The plan to follow."""
        return self.plans[0]

    def to_json(self) -> dict[str, object]:
        """Return the advice as plain data.

        Of every plan ``keep`` are dice (or None), ``then`` is ``bank``, ``roll``, ``takeover``, ``announce 50`` or None
        where the turn is lost.
        """
        plans = [
            {
                "keep": None if one.plan.keep is None else format_dice(one.plan.keep.dice),
                "then": _word(one.plan.then),
                "win": one.win,
                "turn_mean": one.turn_mean,
            }
            for one in self.plans
        ]
        reason = None if self.reason is None else {"code": self.reason.code, **dict(self.reason.params)}
        return {"plans": plans, "exact": self.exact, "reason": reason}


def _word(action: Action | None) -> str | None:
    match action:
        case None:
            return None
        case Bank():
            return "bank"
        case TakeOver():
            return "takeover"
        case Announce(points):
            return f"announce {points}"
        case _:
            return "roll"


def advise(position: Position, *, solution: Solution | ManySolution | Outlook | None = None) -> Advice:
    """Return every plan of ``position`` with what it is worth, best first.

    ``solution`` is a solved game at hand, of two players or of as many as play; without it the two-player game is
    loaded, or solved now, and that of all players where it is stored or takes about a second. Raises IllegalAction when
    the game is over, InvalidRules for a solution of other rules.
    """
    if position.to_play is None:
        raise IllegalAction("game_over")
    seen = _outlook(position, solution)
    turn = turn_of(position, seen)
    plans = [turn.valued(position, plan) for plan in _plans(position)]
    plans.sort(key=_rank)
    return Advice(position, tuple(plans), seen.doubt(position))


def _outlook(position: Position, solution: Solution | ManySolution | Outlook | None) -> Outlook:
    if isinstance(solution, Outlook):
        return solution
    if solution is not None:
        return outlook_of(position.rules, solution)
    return outlook(position.rules, max(2, sum(not seat.away for seat in position.seats)))


def _plans(position: Position) -> tuple[Plan, ...]:
    return (Plan(None, RollOn()),) if position.phase == "roll" else legal_plans(position)


def _rank(one: Valued) -> tuple[float, int, float, int]:
    then = one.plan.then
    said = then.points if isinstance(then, Announce) else 0
    return -round(one.win / _EQUAL) * _EQUAL, _ORDER.get(type(then), 4), -one.turn_mean, said


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """One turn of the player to play, solved: payoffs by row (steps at risk), the last axis being the own chance to
    win, the points added to the score, the chances of all seats, and those that the turn scores and that it reaches
    what it is played for (see :class:`Valued`).
    """

    rules_step: int
    after: Floats
    rolled: Floats
    said: Floats
    bank: Floats
    lost: Floats
    announce: tuple[int, ...]

    @property
    def rows(self) -> int:
        """More points than so many steps, at most, are not known."""
        return int(self.rolled.shape[0])

    def valued(self, position: Position, plan: Plan) -> Valued:
        """Return ``plan`` with what it is worth."""
        found = self.payoffs(position, plan)
        win, mean, *chances, scored, reaches = found.tolist()
        return Valued(plan, win, mean, tuple(chances), scored, reaches)

    def payoffs(self, position: Position, plan: Plan) -> Floats:
        """Return what ``plan`` is worth."""
        points, left = position.turn_points, position.dice_left
        if plan.keep is not None:
            points += plan.keep.points
            left -= len(plan.keep.dice)
            if position.announced is not None:
                points *= 2
        row = points // self.rules_step
        found: Floats
        match plan.then:
            case None:
                found = self.lost
            case Bank():
                found = self.bank[row, left]
            case Announce():
                found = self.said[row, self.announce.index(plan.then.points)]
            case TakeOver():
                assert position.offer is not None
                found = self.rolled[
                    position.offer.points // self.rules_step, position.offer.dice or position.rules.dice
                ]
            case _ if position.announced is not None and plan.keep is None:
                found = self.said[row, self.announce.index(position.announced)]
            case _:
                found = self.rolled[row, left or position.rules.dice]
        return found


def turn_of(position: Position, outlook: Outlook) -> Turn:
    """Return the turn to which ``position`` belongs; the last ones are remembered."""
    rules, seats = position.rules, position.seats
    if not rules.scoreless_limit:
        # The count goes on where nothing follows from it: turns that are the same are known as such.
        seats = tuple(Seat(seat.ladder, 0, seat.away) for seat in seats)
    fresh = Position(rules, seats, position.to_play, "roll", 0, rules.dice, opener=position.opener)
    most = position.turn_points
    if position.offer is not None:
        most = max(most, position.offer.points)
    most += rule_tables(rules).most * rules.step if position.phase == "choose" else 0
    most *= 1 if position.announced is None else 2
    turn = _remembered(fresh, outlook, 0)
    return turn if most // rules.step < turn.rows else _remembered(fresh, outlook, most // rules.step)


def solve_turn(fresh: Position, outlook: Outlook, most: int = 0) -> Turn:
    """Return the turn that begins in ``fresh`` (nothing rolled or taken over), with at least ``most`` rows."""
    return _Sweep(fresh, outlook, most).turn()


_remembered = lru_cache(maxsize=256)(solve_turn)


class _Sweep:
    """The arrays of one turn, and how they are filled."""

    def __init__(self, fresh: Position, outlook: Outlook, most: int) -> None:
        rules, seat = fresh.rules, fresh.to_play
        assert seat is not None
        self.fresh, self.outlook, self.rules, self.seat, self.step = fresh, outlook, rules, seat, rules.step
        self.tables = rule_tables(rules)
        self.score = fresh.score // self.step
        self.missing = rules.target // self.step - self.score
        self.seats = slice(2, 2 + len(fresh.seats))
        self.payoffs = 2 + len(fresh.seats) + 2
        order = [(seat + distance) % len(fresh.seats) for distance in range(1, len(fresh.seats) + 1)]
        self.order = [place for place in order if not fresh.seats[place].away]
        need = (rules.entry if fresh.score <= 0 else rules.min_bank) // self.step
        # From this row on all that can be banked is banked alike.
        self.settled = max(self.missing, need)
        if rules.exact:
            reach, self.limit = self.missing, self.missing
        else:
            reach, self.limit = self.settled + self._beyond(), 1 << 40
        reach = max(reach, most)
        if rules.prediction and not rules.exact:
            reach = max(reach, 2 * (self.settled + max(ANNOUNCEMENTS) // self.step))
        self.rows = reach + 1 + self.tables.most
        self.most = most
        self._next: dict[Position, Turn] = {}

    def _beyond(self) -> int:
        """How many rows above the target make a difference: as long as somebody may still catch up."""
        followers = followers_of(self.fresh)
        scores = [seat.score // self.step for seat in self.fresh.seats]
        highest = max(scores)
        ahead = max(0, highest + 1 - self.rules.target // self.step) if self.fresh.opener is not None else 0
        if not followers:
            return ahead
        length = last_turn(self.rules).length
        closest = max(scores[seat] for seat in followers)
        return max(ahead, length + closest - self.rules.target // self.step) + ahead

    def turn(self) -> Turn:
        """Sweep, and return what came out."""
        rules, tables = self.rules, self.tables
        bank = self._banks()
        lost, lost_all = self._scoreless(all_dice=False), self._scoreless(all_dice=True)
        instant = np.zeros(self.payoffs)
        instant[[0, 2 + self.seat, -2, -1]] = 1.0
        after = bank.copy()
        if rules.exact:
            swept = self.limit + 1
            after[swept:] = lost
        else:
            swept = self._swept(bank, max(lost[0], lost_all[0]))
        announce = tables.announce if rules.prediction else tables.announce[:0]
        rolled = np.zeros((swept, rules.dice + 1, self.payoffs))
        said = np.zeros((swept, announce.size, self.payoffs))
        kernels.play(after, bank, swept, lost, lost_all, instant, tuple(tables), announce, rolled, said)
        words = tuple(int(points) * self.step for points in announce)
        return Turn(self.step, after[:swept], rolled, said, bank[:swept], lost, words)

    def _swept(self, bank: Floats, lost: float) -> int:
        """The rows from which on banking is best whatever the dice: any roll busts with some chance."""
        sure = 1.0 - float(self.tables.bust[1:].min()) * (1.0 - lost)
        low = np.flatnonzero((bank[:, :, 0] < sure).any(axis=1))
        first = int(low[-1]) + 1 if low.size else 0
        return min(max(first, self.most + 1, self.missing + 1), self.rows - self.tables.most)

    def _scoreless(self, *, all_dice: bool) -> Floats:
        """What a turn without gain is worth; ``all_dice``: after a bust on all dice."""
        after = apply(self.fresh, Points(0, all_dice))
        if self.fresh.opener is None and after.phase != "over":
            chances = self.outlook.between(self.order, [after])
        else:
            chances = self.outlook.finish(self.fresh, np.array([after.seats[self.seat].score // self.step]))
        gain = after.seats[self.seat].score - self.fresh.score
        return np.concatenate([[chances[0, self.seat], gain], chances[0], [0.0, 0.0]])

    def _banks(self) -> Floats:
        """``[row, dice left, payoff]`` of banking; -1 where it is refused."""
        rules, dice = self.rules, self.rules.dice
        bank = np.full((self.rows, dice, self.payoffs), -1.0)
        rows = np.arange(self.rows)
        legal = np.zeros((self.rows, dice), dtype=bool)
        for t in range(1, min(self.settled, self.rows - 1) + 1):
            legal[t, 1:] = bank_problem(self.fresh, t * self.step, 1) is None
            legal[t, 0] = bank_problem(self.fresh, t * self.step, 0) is None
        legal[self.settled + 1 :] = legal[min(self.settled, self.rows - 1)]
        legal[self.limit + 1 :] = False
        hits = rows >= self.missing
        ends = hits if self.fresh.opener is None else np.full(self.rows, True)
        lefts: list[int | None] = list(range(dice)) if rules.takeover != "never" else [None]
        played = np.flatnonzero(legal.any(axis=1) & ~ends)
        finished = np.flatnonzero(legal.any(axis=1) & ends)
        if played.size:
            positions = [self._banked(int(t)) for t in played]
            for left in lefts:
                offer = None if left is None else (played, left or dice)
                chances = self.outlook.between(self.order, positions, offer)
                if left is not None and not self.outlook.knows_offers:
                    self._let_take_over(chances, positions, played, left or dice)
                self._fill(bank, played, left, chances)
            gains = [position.seats[self.seat].score - self.fresh.score for position in positions]
            bank[played, :, 1] = np.array(gains)[:, None]
        if finished.size:
            totals = self.score + finished
            for left in lefts:
                offer = None if left is None else (finished, left or dice)
                if rules.ending == "first":
                    chances = np.zeros((finished.size, len(self.fresh.seats)))
                    chances[:, self.seat] = 1.0
                else:
                    chances = self.outlook.finish(self.fresh, totals, offer)
                self._fill(bank, finished, left, chances)
            cap, target = rules.cap // self.step, rules.target // self.step
            gained = np.where((totals > cap) & (totals < target), cap, totals) - self.score
            bank[finished, :, 1] = gained[:, None] * self.step
        bank[:, :, -2] = 1.0
        bank[:, :, -1] = (rows >= self._goal())[:, None]
        bank[~legal] = -1.0
        return bank

    def _goal(self) -> int:
        """The row of a bank that reaches the target or, in the last turns, passes all others."""
        if self.fresh.opener is None:
            return self.missing
        others = (seat.score // self.step for place, seat in enumerate(self.fresh.seats) if place != self.seat)
        return max(others) + 1 - self.score

    def _let_take_over(self, chances: Floats, positions: Sequence[Position], rows: Ints, dice: int) -> None:
        """Give the next player the turn that each bank leaves, where that is better than a turn of one's own."""
        for place, (row, position) in enumerate(zip(rows.tolist(), positions, strict=True)):
            if position.phase == "start" and position.to_play is not None:
                taken = self._next_turn(position).rolled[row, dice]
                if taken[0] > chances[place, position.to_play]:
                    chances[place] = taken[self.seats]

    def _next_turn(self, position: Position) -> Turn:
        """The next player's turn, after which nothing is taken over."""
        if position not in self._next:
            plain = self.outlook.without_offers
            seats, seat, dice = position.seats, position.to_play, self.rules.dice
            fresh = Position(plain.rules, seats, seat, "roll", 0, dice, opener=position.opener)
            self._next[position] = solve_turn(fresh, plain, self.rows)
        return self._next[position]

    def _fill(self, bank: Floats, rows: Ints, left: int | None, chances: Floats) -> None:
        lefts = slice(None) if left is None else slice(left, left + 1)
        bank[rows, lefts, 0] = chances[:, self.seat, None]
        bank[rows, lefts, self.seats] = chances[:, None, :]

    def _banked(self, row: int) -> Position:
        fresh = self.fresh
        decided = Position(
            self.rules,
            fresh.seats,
            fresh.to_play,
            "decide",
            row * self.step,
            min(1, self.rules.dice - 1),
            opener=fresh.opener,
        )
        return apply(decided, Bank())
