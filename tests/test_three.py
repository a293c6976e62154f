"""Three players and more, solved: against known values, an independent brute force, and their own equations.

:class:`Brute` knows nothing of the package: set-asides come from the referee, states are told by seat, chances are
vectors by seat, and a cycle of passes is repeated until nothing changes.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import referee
from cinqmille import InvalidRules, Rules
from cinqmille.cycles import Plan, equilibrium, values
from cinqmille.solvable import ManySolution, cost, unsolvable_many
from cinqmille.solver import solve_two
from cinqmille.three import solve_many, turn_many

Vector = tuple[float, ...]
Bank = Callable[[int, bool], Vector | None]

FAR = 1500  # points beyond every lead, from which on nobody rolls: with so few dice nobody gets there


class Brute:
    """Best play at a table of a few seats, by the sentences of RULES.md and by patience."""

    def __init__(self, text: str, seats: int = 3) -> None:
        self.rules = referee.parse_rules(text)
        self.seats = seats
        self.step = referee.step(self.rules)
        self.target: int = self.rules["target"]
        self.menus = [self._menus(n) for n in range(self.rules["dice"] + 1)]
        self.start: Callable[[tuple[int, ...]], list[Vector]] = cache(self._start)
        self.last_turn: Callable[[tuple[int, ...], int, int], Vector] = cache(self._last_turn)

    def _menus(self, n: int) -> list[tuple[float, list[tuple[int, int]] | None]]:
        """The rolls of n dice with their chances: set-asides (points, dice left); none for a bust, None for a win."""
        found: Counter[tuple[tuple[int, int], ...] | None] = Counter()
        for dice in itertools.product(range(1, 7), repeat=n):
            if referee.wins(self.rules, dice):
                found[None] += 1
            else:
                keeps = referee.brute_keeps(self.rules, dice)
                found[tuple(sorted(((p, n - len(k)) for k, p in keeps.items()), reverse=True))] += 1
        return [
            (ways / 6**n, None if menu is None else sorted(set(menu), reverse=True)) for menu, ways in found.items()
        ]

    def turn(self, mover: int, scoreless: Vector, bank: Bank, limit: int, exact_at: int | None = None) -> Vector:
        """What a whole turn is worth; at ``limit`` points everybody banks, and beyond ``exact_at`` the turn is over."""
        dice: int = self.rules["dice"]
        won = tuple(float(seat == mover) for seat in range(self.seats))
        most = max(p for menus in self.menus[1:] for _, menu in menus for p, _ in menu or ())
        after: dict[tuple[int, int], Vector] = {}
        rolled: Vector = ()
        for t in range(limit + most, -1, -self.step):
            for n in range(1, dice + 1):
                left = n % dice
                banked = bank(t, left == 0) if t > 0 else None
                if exact_at is not None and t > exact_at:
                    after[t, left] = scoreless
                    continue
                if t >= limit:
                    assert banked is not None
                    after[t, left] = banked
                    continue
                total = [0.0] * self.seats
                for weight, menu in self.menus[n]:
                    if menu is None:
                        best = won
                    elif not menu:
                        best = scoreless
                    else:
                        best = max((after[t + p, d] for p, d in menu), key=lambda v: v[mover])
                    for seat in range(self.seats):
                        total[seat] += weight * best[seat]
                rolled = tuple(total)
                after[t, left] = banked if banked is not None and banked[mover] >= rolled[mover] else rolled
        return rolled

    def _need(self, score: int) -> int:
        return int(self.rules["entry"] if score <= 0 else self.rules["min_bank"])

    def _bank(self, scores: tuple[int, ...], mover: int, goes_on: Callable[[tuple[int, ...]], Vector]) -> Bank:
        score, rules = scores[mover], self.rules
        cap = self.target - rules["last_leg"]

        def bank(t: int, hot: bool) -> Vector | None:
            total = score + t
            hits = total >= self.target
            exempt = rules["exact"] and total == self.target and score > 0
            if t < self._need(score) and not exempt:
                return None
            if not hits and ((hot and rules["hot_dice"] == "must") or score >= cap):
                return None
            total = total if hits else min(total, cap)
            return goes_on((*scores[:mover], total, *scores[mover + 1 :]))

        return bank

    def _end(self, scores: tuple[int, ...], opener: int) -> Vector:
        top = max(scores)
        tied = [seat % self.seats for seat in range(opener, opener + self.seats) if scores[seat % self.seats] == top]
        winners = tied if self.rules["tie"] == "shared" else tied[:1]
        return tuple(float(seat in winners) / len(winners) for seat in range(self.seats))

    def _last_turn(self, scores: tuple[int, ...], mover: int, opener: int) -> Vector:
        """What is still to come when it is the turn of ``mover``, the target having been reached by ``opener``."""
        if mover == (opener if self.rules["ending"] == "last_turns" else 0):
            return self._end(scores, opener)
        after = (mover + 1) % self.seats
        limit = max(scores) - scores[mover] + FAR
        return self.turn(
            mover,
            self.last_turn(scores, after, opener),
            self._bank(scores, mover, lambda new: self.last_turn(new, after, opener)),
            limit,
            self.target - scores[mover] if self.rules["exact"] else None,
        )

    def _start(self, scores: tuple[int, ...]) -> list[Vector]:
        """The chances of all seats at the start of the turn of every seat, nobody having reached the target."""
        found = [(1 / self.seats,) * self.seats] * self.seats
        for _ in range(400):
            before = list(found)
            for mover in reversed(range(self.seats)):
                found[mover] = self.one_turn(scores, mover, found[(mover + 1) % self.seats])
            change = max(
                abs(a - b) for old, new in zip(before, found, strict=True) for a, b in zip(old, new, strict=True)
            )
            if change < 1e-14:
                return found
        raise AssertionError(f"no stable choices at {scores}")

    def one_turn(self, scores: tuple[int, ...], mover: int, scoreless: Vector) -> Vector:
        """One turn of the game before anybody has reached the target."""
        after = (mover + 1) % self.seats
        first = self.rules["ending"] == "first"

        def goes_on(new: tuple[int, ...]) -> Vector:
            if new[mover] < self.target:
                return self.start(new)[after]
            if first:
                return tuple(float(seat == mover) for seat in range(self.seats))
            return self.last_turn(new, after, mover)

        missing = self.target - scores[mover]
        limit = max(missing, self._need(scores[mover])) + (0 if first else FAR)
        exact_at = missing if self.rules["exact"] else None
        return self.turn(mover, scoreless, self._bank(scores, mover, goes_on), limit, exact_at)


class Given(Brute):
    """A game whose turn starts are worth what a solution says."""

    def __init__(self, text: str, solution: ManySolution) -> None:
        super().__init__(text, solution.players)
        self.solution = solution
        self.start = self._given

    def _given(self, scores: tuple[int, ...]) -> list[Vector]:
        return [seen(self.solution, self.step, scores, mover) for mover in range(self.seats)]


def seen(solution: ManySolution, step: int, scores: tuple[int, ...], mover: int) -> Vector:
    """The chances of all seats when it is the turn of ``mover``; scores in points, by seat."""
    steps = [score // step for score in scores[mover:] + scores[:mover]]
    found = solution.chances(steps, side=mover % solution.values.shape[0])
    return found[solution.players - mover :] + found[: solution.players - mover]


def gap(one: Vector, other: Vector) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


@cache
def solved(text: str, players: int = 3) -> ManySolution:
    return solve_many(Rules.parse(text), players)


REFERENCE = "cinq-des(target=1000, entry=150)"


def test_the_reference_value_of_three_players() -> None:
    solution = solved(REFERENCE)
    assert solution.win == pytest.approx((0.411267890, 0.326587192, 0.262144918), abs=1e-9)
    assert solution.residual < 1e-12
    assert solution.mixed == ()


@pytest.mark.parametrize(
    "text",
    [
        "cinq-des(dice=2, target=300, entry=100)",
        "cinq-des(dice=2, target=300, entry=100, min_bank=150, last_leg=100)",
        "cinq-des(dice=2, target=250, entry=0, hot_dice=must, keep=all)",
        "cinq-des(dice=3, target=200, entry=350, blank_roll=50, 111=win)",
        "cinq-des(dice=2, target=300, entry=100, exact=true, min_bank=100)",
        pytest.param("cinq-des(dice=1, target=150, entry=100, ending=last_turns)", marks=pytest.mark.slow),
        pytest.param(
            "cinq-des(dice=2, target=100, entry=100, ending=last_turns, tie=first, min_bank=100)",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "cinq-des(dice=2, target=100, entry=150, ending=last_turns, hot_dice=must, 22=win)", marks=pytest.mark.slow
        ),
        "cinq-des(dice=1, target=200, entry=50, ending=last_turns, exact=true, last_leg=100)",
        "cinq-des(dice=1, target=150, entry=100, ending=finish_round, min_bank=100)",
        "cinq-des(dice=2, target=100, entry=50, ending=finish_round, tie=first)",
    ],
)
def test_brute_force_finds_the_same_chances_in_every_state(text: str) -> None:
    solution, brute = solved(text), Brute(text)
    steps = range(0, brute.target, brute.step)
    for scores in itertools.product(reversed(steps), repeat=3):
        for mover, expected in enumerate(brute.start(scores)):
            assert gap(seen(solution, brute.step, scores, mover), expected) < 1e-9, (scores, mover)


def test_brute_force_finds_the_same_chances_for_four_and_five() -> None:
    for text, seats in (("cinq-des(dice=2, target=150, entry=100)", 4), ("cinq-des(dice=1, target=150, entry=50)", 5)):
        solution, brute = solved(text, seats), Brute(text, seats)
        for scores in itertools.product((100, 50, 0), repeat=seats):
            for mover, expected in enumerate(brute.start(scores)):
                assert gap(seen(solution, brute.step, scores, mover), expected) < 1e-11


@pytest.mark.parametrize("text", [REFERENCE, "six-des(target=750, ending=first, min_bank=200, hot_dice=must)"])
def test_the_equations_hold_where_they_are_worked_out_again(text: str) -> None:
    solution = solved(text)
    given = Given(text, solution)
    draw = random.Random(3)
    places = range(0, given.target, given.step)
    for scores in [(0, 0, 0), *(tuple(draw.choices(places, k=3)) for _ in range(4))]:
        for mover in range(3):
            after = given.start(scores)[(mover + 1) % 3]
            assert gap(given.one_turn(scores, mover, after), given.start(scores)[mover]) < 1e-12


def test_where_no_choice_is_stable_plans_are_drawn_that_are_equally_good() -> None:
    text = "cinq-des(target=2000)"
    solution = solved(text)
    given = Given(text, solution)
    assert len(solution.mixed) == 1
    assert solution.residual < 1e-12
    (state,) = solution.mixed
    scores = tuple(score * given.step for score in state)
    others = 0.0
    for mover in range(3):
        turn = given.one_turn(scores, mover, given.start(scores)[(mover + 1) % 3])
        assert abs(turn[mover] - given.start(scores)[mover][mover]) < 1e-12
        others = max(others, gap(turn, given.start(scores)[mover]))
    assert others > 1e-6  # one plan alone is not what the values say


def test_two_plans_are_mixed_so_that_both_are_worth_the_same() -> None:
    # Everybody stands alike. Playing `safe` leaves the last player 0.367, which makes `bold` better (from 0.35 on it
    # is); playing `bold` leaves 0.211, which makes `safe` better. Drawn by lot they leave 0.35.
    safe, bold = Plan(0.3, (0.3, 0.1, 0.3)), Plan(0.4, (0.265, 0.3, 0.035))
    for plan, last in ((safe, 0.357 / 0.973), (bold, 0.1974 / 0.936)):
        P = values([plan.turned(turn) for turn in range(3)])
        assert [P[turn, turn - 1] for turn in range(3)] == pytest.approx([last] * 3)
    found = equilibrium([[safe, bold]], 3)
    assert found is not None
    P, mixed = found
    assert mixed
    for turn in range(3):
        assert [P[turn, (turn + k) % 3] for k in range(3)] == pytest.approx([0.405, 0.245, 0.35], abs=1e-12)


def test_a_plan_that_is_stable_is_not_mixed() -> None:
    safe, poor = Plan(0.3, (0.3, 0.1, 0.3)), Plan(0.3, (0.2, 0.2, 0.3))
    found = equilibrium([[poor, safe]], 3)
    assert found is not None
    P, mixed = found
    assert not mixed
    assert (P[0] == values([safe.turned(turn) for turn in range(3)])[0]).all()


@pytest.mark.parametrize(
    "text",
    [
        "cinq-des(target=1000)",
        "six-des(target=1000, min_bank=200, hot_dice=must)",
        "six-des(target=1000, exact=true, last_leg=200)",
        "cinq-des(target=1000, entry=1250, ending=finish_round, tie=first)",
    ],
)
def test_two_players_are_a_table_like_any_other(text: str) -> None:
    ours, theirs = solved(text, 2), solve_two(Rules.parse(text), written_out=False)
    assert np.abs(ours.values[..., 0] - theirs.values[..., 0, 0]).max() < 1e-13


@pytest.mark.parametrize("text", [REFERENCE, "six-des(target=500, hot_dice=must)"])
def test_the_sweep_written_out_and_the_number_of_cores_change_nothing(text: str) -> None:
    rules = Rules.parse(text)
    solutions = [solve_many(rules, cores=cores, written_out=out) for cores in (1, 2) for out in (False, True)]
    for solution in solutions[1:]:
        assert np.abs(solution.values - solutions[0].values).max() < 1e-13
    assert (solutions[0].values == solutions[2].values).all()


def test_chances_are_chances() -> None:
    for text in (REFERENCE, "six-des(target=500)", "six-des(target=500, ending=finish_round)"):
        found = solved(text).values
        assert found.min() > 0.0
        assert found.sum(axis=-1).max() < 1.0


@pytest.mark.parametrize("text", [REFERENCE, "six-des(target=500)", "six-des(target=500, ending=finish_round)"])
def test_a_turn_worked_out_again_begins_with_the_solution(text: str) -> None:
    solution = solved(text)
    dice = solution.rules.dice
    for side in range(solution.values.shape[0]):
        for scores in ((0, 0, 0), (3, 9, 0), (9, 8, 7)):
            turn = turn_many(solution, scores, side=side)
            assert turn.rolled[0, dice] == pytest.approx(solution.chances(scores, side=side), abs=1e-12)
            assert (turn.after[..., 0] >= turn.bank[..., 0]).all()
            assert np.abs(turn.after.sum(axis=-1) - 1.0).max() < 1e-12
            assert (turn.bank[0] == -1.0).all()
            after = solution.chances((*scores[1:], scores[0]), side=(side + 1) % solution.values.shape[0])
            assert turn.scoreless == pytest.approx((after[-1], *after[:-1]))


@pytest.mark.parametrize("tie", ["shared", "first"])
def test_a_last_turn_worked_out_again(tie: str) -> None:
    text = f"cinq-des(dice=2, target=200, entry=100, ending=last_turns, min_bank=150, tie={tie})"
    solution, brute = solved(text), Brute(text)
    for mine, after, leader in ((50, 0, 250), (0, 150, 200), (150, 150, 200), (100, 50, 300)):
        turn = turn_many(solution, (mine // 50, after // 50, leader // 50), last_turns=1)
        assert turn.rolled[0, 2] == pytest.approx(brute.last_turn((mine, after, leader), 0, 2), abs=1e-9)
    for mine, opener, before in ((50, 250, 250), (0, 200, 100), (150, 200, 250), (100, 200, 200)):
        turn = turn_many(solution, (mine // 50, opener // 50, before // 50), last_turns=0)
        assert turn.rolled[0, 2] == pytest.approx(brute.last_turn((mine, opener, before), 0, 1), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cinq-des(equal_scores=fall)", "equal_scores"),
        ("cinq-des(strike=true)", "strike"),
        ("cinq-des(scoreless_limit=3)", "scoreless_limit"),
        ("cinq-des(prediction=true)", "prediction"),
        ("cinq-des(takeover=always)", "takeover"),
    ],
)
def test_what_cannot_be_solved_is_refused_by_name(text: str, name: str) -> None:
    rules = Rules.parse(text)
    assert unsolvable_many(rules, 3) == name
    with pytest.raises(InvalidRules, match=name) as refusal:
        solve_many(rules)
    # Only what remembers whole histories is said to; the rest is solved for two players.
    assert refusal.value.code == ("not_solvable" if name in ("equal_scores", "strike") else "not_solvable_many")
    assert refusal.value.params.get("players", 3) == 3


def test_more_states_than_the_memory_holds_are_refused_with_their_number() -> None:
    with pytest.raises(InvalidRules, match="10000000000000000 states need 560000000 GB") as refusal:
        solve_many(Rules.parse("cinq-des"), 8)
    assert refusal.value.code == "solution_exceeds_memory"


def test_last_turns_are_solved_for_up_to_three() -> None:
    assert unsolvable_many(Rules.parse("six-des"), 3) is None
    assert unsolvable_many(Rules.parse("six-des"), 4) == "ending"
    assert unsolvable_many(Rules.parse("six-des(ending=first)"), 4) is None
    for players in (1, 9):
        with pytest.raises(InvalidRules, match=f"not {players}"):
            solve_many(Rules.parse("cinq-des(target=200, entry=0)"), players)


def test_progress_ends_at_one_and_cost_counts_states() -> None:
    told: list[float] = []
    solve_many(Rules.parse("cinq-des(target=300, entry=0)"), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    four = cost(Rules.parse("cinq-des"), 4)
    assert (four.states, four.bytes) == (100**4, 100**4 * 24)
    assert four.hours(four.rows / 3600) == pytest.approx(1.0)
