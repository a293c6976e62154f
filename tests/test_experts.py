"""The bots that compute: two engines play them alike, perfect play is perfect, and nobody beats it."""

import random

import numpy as np
import pytest

from cinqmille import PRESETS, Position, Rules, legal_actions
from cinqmille.actions import Action, Bank, RollOn, SetAside
from cinqmille.advice import advise
from cinqmille.bots import BOTS, Bot, Steady, bot, check_bot
from cinqmille.experts import Best, Greedy, Perfect, greed, turnbook
from cinqmille.outlook import outlook
from cinqmille.simulation import simulate
from cinqmille.turn import best_turn
from playing import games
from test_simulate import known_rules

# Rules in which everything that the kernel knows happens.
VARIANTS = (
    "cinq-des", "six-des", "cinq-des(ending=last_turns)", "cinq-des(ending=finish_round, tie=first)",
    "cinq-des(exact=true, target=2000)", "cinq-des(exact=true, ending=last_turns, target=1000, entry=350)",
    "cinq-des(scoreless_limit=3, target=1000, entry=350)",
    "cinq-des(scoreless_limit=2, scoreless_penalty=500, floor=-500, target=1000, ending=finish_round)",
    "cinq-des(hot_dice=must, ending=last_turns, target=2000)", "cinq-des(last_leg=1000, min_bank=500, target=3000)",
    "six-des(keep=all, target=3000, tie=first)",
    "six-des(hot_dice=must, last_leg=500, target=2000, ending=finish_round)",
)  # fmt: skip


@pytest.mark.parametrize("text", VARIANTS)
def test_both_engines_play_the_same_games_with_every_kind_of_bot(text: str) -> None:
    """The kernel from arrays, the core by ``choose``: every total of every game is the same."""
    rules = Rules.parse(text)
    for name in BOTS:
        by_kernel = simulate(rules, ["perfect", name], games=20, seed=5, rotate=True)
        assert by_kernel.engine == "kernel"
        by_core = simulate(rules, ["perfect", name], games=20, seed=5, rotate=True, core=True, workers=1)
        assert by_kernel == by_core, name


@pytest.mark.parametrize("number", range(25))
def test_both_engines_play_the_same_games_with_any_number_of_bots_under_any_rules(number: int) -> None:
    rng = random.Random(number)
    while True:
        rules = known_rules(rng)
        if not rules.scoreless_limit:  # with penalties some of these games would not end
            break
    bots = [
        rng.choice(("greedy", "cautious", "gambler", "beginner", "table:300/200/400")) for _ in range(rng.randint(2, 6))
    ]
    by_kernel = simulate(rules, bots, games=8, seed=number, rotate=True)
    assert by_kernel.engine == "kernel"
    assert by_kernel == simulate(rules, bots, games=8, seed=number, rotate=True, core=True, workers=1), (rules, bots)


@pytest.mark.parametrize("text", [*VARIANTS, "cinq-des(takeover=always, target=1000)", "cinq-des(prediction=true)"])
def test_perfect_play_follows_a_plan_that_is_as_good_as_the_best(text: str) -> None:
    """Of plans whose chances differ by less than 32 bits can tell it may take either."""
    rules, rng, seen = Rules.parse(text), random.Random(text), 0
    while seen < 60:
        for game in games(rng, rules, 2, 80, table=0.0):
            position = game.position
            if position.phase in ("start", "choose", "decide") and rng.random() < 0.3:
                seen += 1
                advice, action = advise(position), Perfect().choose(position)
                kept = [one for one in advice.plans if one.plan.keep and action == SetAside(one.plan.keep.dice)]
                same = kept or [one for one in advice.plans if one.plan.then == action]
                assert max(one.win for one in same) >= advice.best.win - 2e-7, str(position)
                assert advice.exact


@pytest.mark.parametrize("preset", ["cinq-des", "six-des"])
def test_perfect_play_against_itself_wins_as_often_as_the_solution_says(preset: str) -> None:
    rules = PRESETS[preset]
    found = simulate(rules, ["perfect", "perfect"], games=200_000, seed=7)
    assert found.seats[0].win_rate == pytest.approx(outlook(rules, 2).pair.win[0], abs=4 * 0.5 / 200_000**0.5)


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize(
    ("text", "games"),
    [
        ("cinq-des", 60_000),
        pytest.param("cinq-des", 1_000_000, marks=pytest.mark.slow),
        pytest.param("six-des", 1_000_000, marks=pytest.mark.slow),
        pytest.param("cinq-des(exact=true, ending=last_turns, min_bank=300)", 1_000_000, marks=pytest.mark.slow),
    ],
)
def test_no_bot_beats_perfect_play_by_more_than_noise(name: str, text: str, games: int) -> None:
    found = simulate(Rules.parse(text), ["perfect", name], games=games, seed=11, rotate=True)
    assert found.engine == "kernel"
    assert found.bots[0].win_rate >= 0.5 - 4 * 0.5 / games**0.5


def test_perfect_play_is_clearly_better_than_all_but_the_best() -> None:
    for name in BOTS:
        found = simulate(PRESETS["six-des"], ["perfect", name], games=40_000, seed=3, rotate=True)
        assert (found.bots[0].win_rate > 0.51) == (name not in ("perfect", "best")), name


def test_three_players_play_perfectly_where_their_game_is_solved() -> None:
    rules = Rules.parse("cinq-des(target=500, entry=0)")
    check_bot(Perfect(), rules, 3)
    position = Position.parse(
        "scores=100/350/0 player=1 phase=choose left=5 roll=15534 rules=cinq-des(target=500, entry=0)"
    )
    assert advise(position).exact
    assert Perfect().choose(position) in legal_actions(position)
    found = simulate(rules, ["perfect", "steady:150", "steady:150"], games=150, seed=1, rotate=True)
    assert found.bots[0].win_rate > 1 / 3


@pytest.mark.parametrize("text", ["cinq-des(strike=true, target=3000)", "cinq-des(equal_scores=fall, target=3000)"])
def test_best_plays_what_cannot_be_solved_and_does_it_well(text: str) -> None:
    found = simulate(Rules.parse(text), ["best", "steady:1000"], games=200, seed=2, rotate=True)
    assert found.engine == "core"
    assert found.bots[0].win_rate > 0.5


# Large games.


def test_a_game_too_large_for_arrays_is_played_by_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Rules.parse("cinq-des(target=500, entry=0)")
    by_kernel = simulate(rules, ["perfect", "greedy"], games=10, seed=1)
    monkeypatch.setattr("cinqmille.experts._MOST_BYTES", 1000)
    by_core = simulate(rules, ["perfect", "greedy"], games=10, seed=1)
    assert (by_kernel.engine, by_core.engine) == ("kernel", "core")
    assert by_kernel == by_core


def test_what_all_charts_take_is_known_before_they_are_made() -> None:
    book = turnbook(Rules.parse("cinq-des(ending=finish_round, target=1000)"))
    values, banks, rows = book.arrays()
    assert book.bytes == values.nbytes + banks.nbytes
    assert int(rows.max()) == len(values) - 1


# The most points a turn.


@pytest.mark.parametrize("text", ["farkle-facebook(target=60000)", "six-des(target=40000, entry=0)"])
def test_greed_far_from_the_target_is_the_turn_with_the_most_points(text: str) -> None:
    rules = Rules.parse(text)
    best, turn = best_turn(rules, minimum=rules.min_bank), greed(rules).turn(2 * rules.step, 0)
    assert turn.rolled[0, rules.dice] * rules.step == pytest.approx(best.mean, rel=1e-4)
    rows = np.arange(1, 40)
    for dice in range(1, rules.dice + 1):
        wanted = [best.choice(int(row) * rules.step, dice) == 0 for row in rows]
        assert turn.banks[rows, dice % rules.dice].tolist() == wanted


def test_greed_sets_aside_less_for_more_dice() -> None:
    position = Position.parse("scores=1000/0 phase=choose left=5 roll=15223 rules=cinq-des")
    assert Greedy().choose(position) == SetAside((1,))
    assert Steady().choose(position) == SetAside((1, 5))


@pytest.mark.parametrize(("points", "action"), [(200, Bank()), (150, RollOn())])
def test_greed_banks_what_reaches_the_target(points: int, action: Action) -> None:
    assert (
        Greedy().choose(Position.parse(f"scores=4800/0 phase=decide points={points} left=4 rules=cinq-des")) == action
    )


def test_greed_does_not_pass_an_exact_target_while_it_can_help_it() -> None:
    line = "scores=4900/0 phase=choose left=5 roll=15534 rules=cinq-des(exact=true)"
    assert Greedy().choose(Position.parse(line)) in (SetAside((1,)), SetAside((5, 5)))


def test_greed_takes_over_what_is_worth_more_than_a_fresh_turn() -> None:
    line = "scores=1000/1000 player=2 phase=start offer={}x{}@1 rules=cinq-des(takeover=always)"
    for points, left, taken in ((50, 1, False), (2000, 4, True), (1000, 0, True), (200, 1, False)):
        action = Greedy().choose(Position.parse(line.format(points, left)))
        assert (action != RollOn()) == taken, (points, left)


def test_bots_that_compute_are_equal_by_what_they_are() -> None:
    made: list[Bot] = [Perfect(), Best(), Greedy()]
    assert [bot(one.spec) for one in made] == made
    assert Perfect() != Best()
