"""Advice: exact where a solution exists, marked with the reason where it does not."""

import pytest

from cinqmille import PRESETS, Position, Rules, apply, legal_plans, start
from cinqmille.advice import advise
from cinqmille.solver import solve_two

SMALL = "cinq-des(target=1000, entry=200)"


@pytest.mark.parametrize("scores", ["0/0", "500/700", "950/0", "300/950"])
def test_before_a_roll_the_best_plan_is_worth_the_solved_value(scores: str) -> None:
    rules = Rules.parse(SMALL)
    mine, theirs = (int(score) // 50 for score in scores.split("/"))
    advice = advise(Position.parse(f"scores={scores} rules={SMALL}"))
    assert advice.exact
    assert advice.reason is None
    value = solve_two(rules, written_out=False).values[0, mine, theirs, 0, 0]
    assert advice.plans[0].win == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    "line",
    [
        f"scores=500/700 phase=choose left=5 roll=15534 rules={SMALL}",
        f"scores=0/0 phase=decide points=200 left=2 rules={SMALL}",
        "scores=500/700 phase=decide points=200 left=2 rules=cinq-des(target=1000, prediction=true)",
        "scores=500/700 phase=start offer=300x3@2 rules=cinq-des(target=1000, takeover=always)",
        "scores=500/1000 reached=2 phase=decide points=500 left=2 rules=cinq-des(target=1000, ending=last_turns)",
        "scores=500/700/300/0 phase=choose left=5 roll=15534 rules=cinq-des(equal_scores=fall, strike=true)",
    ],
)
def test_every_legal_plan_is_valued_best_first_and_the_seats_share_one_win(line: str) -> None:
    position = Position.parse(line)
    advice = advise(position)
    assert {valued.plan for valued in advice.plans} == set(legal_plans(position))
    wins = [valued.win for valued in advice.plans]
    assert wins == sorted(wins, reverse=True)
    for valued in advice.plans:
        assert 0.0 <= valued.win <= 1.0
        assert sum(valued.chances) == pytest.approx(1.0, abs=1e-9)


def test_a_plan_that_wins_is_worth_one() -> None:
    position = Position.parse(f"scores=500/700 phase=decide points=500 left=2 rules={SMALL}")
    best = advise(position).plans[0]
    assert best.win == pytest.approx(1.0)
    assert best.plan.then is not None
    assert apply(position, best.plan.then).winners == (0,)


@pytest.mark.parametrize("rule", ["equal_scores=fall", "strike=true", "scoreless_limit=3, scoreless_penalty=previous"])
def test_rules_that_remember_histories_are_marked_with_the_reason(rule: str) -> None:
    advice = advise(start(Rules.parse(f"cinq-des(target=1000, {rule})")))
    assert not advice.exact
    assert advice.reason is not None


def test_more_players_than_are_solved_are_marked() -> None:
    advice = advise(start(PRESETS["cinq-des"], 4))
    assert not advice.exact
    assert advice.plans[0].win == max(advice.plans[0].chances)
