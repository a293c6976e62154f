"""Positions from scores and dice: what is told fits the rules, and what cannot be is refused by name."""

import random

import pytest

from cinqmille import CinqMilleError, Position, Rules, Seat, situation
from cinqmille.scoring import parse_dice
from playing import games
from sheets import random_sheet

FIVE = Rules.parse("cinq-des")
LAST = Rules.parse("cinq-des(ending=last_turns)")
ROUND = Rules.parse("cinq-des(ending=finish_round)")


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ({}, "scores=500/700 rules=cinq-des"),
        ({"dice_left": 5}, "scores=500/700 rules=cinq-des"),
        ({"roll": "15534"}, "scores=500/700 phase=choose left=5 roll=15534 rules=cinq-des"),
        ({"roll": "15", "turn_points": 300}, "scores=500/700 phase=choose points=300 left=2 roll=15 rules=cinq-des"),
        ({"dice_left": 4, "turn_points": 300}, "scores=500/700 phase=decide points=300 left=4 rules=cinq-des"),
        ({"dice_left": 0, "turn_points": 1500}, "scores=500/700 phase=decide points=1500 left=0 rules=cinq-des"),
        ({"dice_left": 5, "turn_points": 1500}, "scores=500/700 phase=decide points=1500 left=0 rules=cinq-des"),
        ({"player": 1}, "scores=500/700 player=2 rules=cinq-des"),
    ],
)
def test_what_is_told_becomes_a_position(told: dict[str, object], line: str) -> None:
    given = {"player": 0, **told}
    if "roll" in given:
        given["roll"] = parse_dice(str(given["roll"]))
    assert situation(FIVE, (500, 700), **given) == Position.parse(line)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rules", "scores", "player", "opener"),
    [
        (LAST, (5200, 4000, 300), 1, 0),
        (LAST, (5200, 5600, 300), 2, 0),
        (LAST, (4000, 5200, 5100), 0, 1),
        (LAST, (5300, 4000, 5100), 1, 2),
        (ROUND, (5300, 5000, 300), 2, 0),
        (ROUND, (4000, 5000, 300), 2, 1),
    ],
)
def test_in_the_last_turns_the_first_to_have_been_at_the_target_opened_them(
    rules: Rules, scores: tuple[int, ...], player: int, opener: int
) -> None:
    assert situation(rules, scores, player).opener == opener


@pytest.mark.parametrize(
    ("code", "rules", "scores", "player", "told"),
    [
        ("players_number", "cinq-des", (500,), 0, {}),
        ("players_number", "cinq-des", (0,) * 9, 0, {}),
        ("no_such_seat", "cinq-des", (500, 700), 2, {}),
        ("no_such_seat", "cinq-des", (500, 700), -1, {}),
        ("points_not_a_multiple", "cinq-des", (510, 700), 0, {}),
        ("points_not_a_multiple", "cinq-des", (500, 700), 0, {"turn_points": 310, "dice_left": 2}),
        ("score_below_floor", "cinq-des", (-50, 700), 0, {}),
        ("score_in_last_leg", "cinq-des(last_leg=1000)", (4500, 700), 0, {}),
        ("score_passes_exact", "cinq-des(exact=true, ending=last_turns)", (5500, 700), 1, {}),
        ("score_has_won", "cinq-des", (5000, 700), 1, {}),
        ("scores_equal", "cinq-des(equal_scores=fall)", (500, 500), 0, {}),
        ("had_last_turn", "cinq-des(ending=last_turns)", (5000, 700), 0, {}),
        ("had_last_turn", "cinq-des(ending=finish_round)", (500, 5000, 0), 0, {}),
        ("points_at_risk_negative", "cinq-des", (500, 700), 0, {"turn_points": -50, "dice_left": 2}),
        ("points_at_risk_missing", "cinq-des", (500, 700), 0, {"dice_left": 3}),
        ("points_pass_target", "cinq-des(exact=true)", (4500, 700), 0, {"turn_points": 550, "dice_left": 2}),
        ("dice_missing", "cinq-des", (500, 700), 0, {"turn_points": 300}),
        ("dice_left_wrong", "cinq-des", (500, 700), 0, {"turn_points": 300, "dice_left": 6}),
        ("dice_left_wrong", "cinq-des", (500, 700), 0, {"turn_points": 300, "dice_left": -1}),
        ("roll_begins_turn", "cinq-des", (500, 700), 0, {"roll": (1, 5)}),
        ("wrong_number_of_dice", "cinq-des", (500, 700), 0, {"roll": (1, 5), "dice_left": 3, "turn_points": 200}),
        ("too_many_dice", "cinq-des", (500, 700), 0, {"roll": (1, 5, 5, 3, 4, 2)}),
        ("bad_dice", "cinq-des", (500, 700), 0, {"roll": (1, 5, 5, 3, 7)}),
        ("roll_is_bust", "cinq-des", (500, 700), 0, {"roll": (2, 3, 4, 6, 6)}),
        ("roll_wins", "cinq-des", (500, 700), 0, {"roll": (1, 1, 1, 1, 1)}),
    ],
)
def test_what_cannot_be_is_refused(
    code: str, rules: str, scores: tuple[int, ...], player: int, told: dict[str, object]
) -> None:
    with pytest.raises(CinqMilleError) as refused:
        situation(Rules.parse(rules), scores, player, **told)  # type: ignore[arg-type]
    assert refused.value.code == code


def test_positions_of_real_games_are_found_again_from_what_one_sees() -> None:
    draw = random.Random(3)
    found = 0
    for _ in range(40):
        rules = Rules.parse(random_sheet(draw))
        for game in games(draw, rules, draw.randrange(2, 6), most=100, table=0.0):
            position = game.position
            if position.phase in ("choose", "decide") and position.announced is None:
                compare(position)
                found += 1
    assert found > 500


def compare(position: Position) -> None:
    choosing = position.phase == "choose"
    assert position.to_play is not None
    seen = situation(
        position.rules,
        position.scores,
        position.to_play,
        turn_points=position.turn_points,
        roll=position.roll if choosing else None,
        dice_left=None if choosing else position.dice_left,
    )
    assert seen.inconsistency() is None, seen
    seats = tuple(Seat((seat.score,) if seat.score else ()) for seat in position.seats)
    assert (seen.seats, seen.to_play, seen.phase) == (seats, position.to_play, position.phase)
    assert (seen.turn_points, seen.dice_left, seen.opener) == (
        position.turn_points, position.dice_left, position.opener,
    )  # fmt: skip
