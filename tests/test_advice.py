"""Advice: exact where a solution exists, marked with the reason where it does not."""

from itertools import combinations_with_replacement
from math import factorial, prod

import pytest

from cinqmille import PRESETS, Bank, Position, Roll, Rules, apply, legal_plans, solve, start
from cinqmille.advice import Advice, advise
from cinqmille.outlook import Outlook, solvable
from cinqmille.solutions import shipped
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


def averaged(position: Position) -> tuple[Advice, float]:
    """The advice before a roll, and the chance to win averaged over all rolls, each followed by its own advice."""
    seat, dice = position.to_play, position.dice_left
    assert seat is not None
    mean = 0.0
    for faces in combinations_with_replacement(range(1, 7), dice):
        ways = factorial(dice) // prod(factorial(faces.count(face)) for face in set(faces))
        after = apply(position, Roll(faces))
        won = (seat in after.winners) / len(after.winners) if after.winners else advise(after).best.chances[seat]
        mean += ways / 6**dice * won
    return advise(position), mean


LINES = (
    "scores=0/0 rules=cinq-des",
    "scores=500/700 phase=roll points=300 left=4 rules=cinq-des",
    "scores=4900/4950 player=2 rules=six-des",
    "scores=4700/5200 reached=2 rules=six-des",
    f"scores=300/450 scoreless=2/1 rules={SMALL[:-1]}, scoreless_limit=3)",
    f"scores=300/450 scoreless=1/1 rules={SMALL[:-1]}, scoreless_limit=2, scoreless_penalty=200)",
    f"scores=300/450 rules={SMALL[:-1]}, takeover=always)",
    f"scores=300/450 rules={SMALL[:-1]}, takeover=opened, ending=last_turns)",
    f"scores=300/450 player=2 phase=roll points=400 left=2 announced=100 rules={SMALL[:-1]}, prediction=true)",
    f"scores=850/900 rules={SMALL[:-1]}, exact=true, hot_dice=must)",
    f"scores=800/700 rules={SMALL[:-1]}, last_leg=200)",
    f"scores=950/700 rules={SMALL[:-1]}, ending=finish_round, tie=first)",
    f"scores=950/1050 player=1 reached=2 rules={SMALL[:-1]}, ending=last_turns, min_bank=300)",
    f"scores=300/450 rules={SMALL[:-1]}, keep=all, 22=300)",
)


@pytest.mark.parametrize("line", LINES)
def test_advice_before_a_roll_is_the_mean_of_that_after_it(line: str) -> None:
    advice, mean = averaged(Position.parse(line))
    assert advice.exact
    assert mean == pytest.approx(advice.best.win, abs=1e-9)


@pytest.mark.parametrize("name", [name for name, rules in PRESETS.items() if shipped(rules) is not None])
def test_two_players_are_advised_from_the_value_that_is_shipped(name: str) -> None:
    rules = PRESETS[name]
    solution = solve(rules)
    for mine, theirs in ((0, 0), (rules.target // 2 // rules.step, rules.target // 3 // rules.step)):
        if 0 < rules.cap < max(mine, theirs) * rules.step:
            continue
        scores = f"{mine * rules.step}/{theirs * rules.step}"
        advice = advise(Position.parse(f"scores={scores} rules={name}"), solution=solution)
        value = solution.values[0, mine + solution.zero, theirs + solution.zero, 0, 0]
        assert advice.exact
        assert advice.best.win == pytest.approx(value, abs=1e-9)


def test_a_roll_that_wins_at_once_counts_in_the_last_turn_of_a_score_below_0_too() -> None:
    rules = Rules.parse(
        "cinq-des(target=1000, ending=last_turns, tie=first, min_bank=500, scoreless_limit=2, scoreless_penalty=200, "
        "floor=-500, last_leg=500, exact=true)"
    )
    solution = solve(rules)
    advice = advise(Position.parse(f"scores=500/-500 rules={rules.canonical}"), solution=solution)
    value = solution.values[0, 10 + solution.zero, solution.zero - 10, 0, 0]
    assert advice.best.win == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("rule", ["equal_scores=fall", "strike=true", "scoreless_limit=3, scoreless_penalty=previous"])
@pytest.mark.parametrize("players", [2, 4])
def test_a_plan_that_wins_comes_first_whatever_is_estimated(rule: str, players: int) -> None:
    scores = "/".join(["4700", "4800", "300", "1200"][:players])
    advice = advise(Position.parse(f"scores={scores} phase=choose left=5 roll=22255 rules=cinq-des({rule})"))
    assert advice.best.win == pytest.approx(1.0)
    assert isinstance(advice.best.plan.then, Bank)
    assert advice.plans[-1].win < 1.0


def test_the_last_player_of_the_last_turns_is_advised_exactly_whatever_the_rules_remember() -> None:
    rules = "cinq-des(target=1000, entry=200, ending=last_turns, equal_scores=fall, strike=true)"
    line = f"scores=400<1100/500/300<700 reached=1 player=3 phase=roll points=0 rules={rules}"
    advice, mean = averaged(Position.parse(line))
    assert advice.exact
    assert mean == pytest.approx(advice.best.win, abs=1e-9)


def test_what_a_bank_leaves_to_take_over_counts_without_its_solution_too() -> None:
    rules = Rules.parse(f"{SMALL[:-1]}, takeover=always)")
    plain = Outlook(rules, solve_two(rules.derive(takeover="never"), written_out=False))
    position = Position.parse(
        f"scores=0/0 phase=decide points=450 left=5 rules={rules.canonical}".replace("left=5", "left=0")
    )
    known, guessed = advise(position), advise(position, solution=plain)
    assert [one.plan for one in known.plans] == [one.plan for one in guessed.plans]
    assert guessed.best.win == pytest.approx(known.best.win, abs=0.03)
    assert not guessed.exact


def test_a_rule_without_which_somebody_could_be_stuck_is_replaced_and_not_refused() -> None:
    rules = Rules.parse(
        "cinq-des(target=500, entry=0, min_bank=200, exact=true, strike=true, last_leg=100, 5=none, 1=200)"
    )
    assert not solvable(rules).strike
