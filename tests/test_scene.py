"""What a table's page shows is what the engine says: every set-aside, its points, its risk, what the buttons do."""

import json
import random

import pytest

from cinqmille.actions import Bank, Fell, RollOn, SetAside
from cinqmille.game import apply, can, legal_actions, legal_keeps
from cinqmille.odds import odds
from cinqmille.record import Game
from cinqmille.rules import PRESETS, Rules
from cinqmille.scoring import format_dice, parse_dice
from cinqmille.table import Table
from cinqmille.web.course import follow
from cinqmille.web.scene import Scene, scene
from cinqmille.words import Words
from playing import games

EN, FR = Words("en"), Words("fr")
VARIANTS = (
    "cinq-des",
    "six-des",
    "cinq-des(takeover=always, prediction=true, equal_scores=fall, strike=true)",
    "cinq-des(exact=true, hot_dice=must, scoreless_limit=3, last_leg=1000, min_bank=500)",
    "six-des(keep=all, scoreless_limit=2, scoreless_penalty=500, floor=-1000)",
)


def seen(game: Game, words: Words = EN) -> Scene:
    return scene(Table(game, save=lambda _: None), follow(game), words)


def shown(
    *turns: str, rules: str = "cinq-des", players: str = "Ana, Ben", dice: str = "system", words: Words = EN
) -> Scene:
    lines = [f"rules: {rules}", f"players: {players}", f"dice: {dice}", *turns]
    return seen(Game.parse("\n".join(lines) + "\n"), words)


@pytest.mark.parametrize("rules", VARIANTS)
def test_what_is_shown_at_every_moment_of_any_game_is_what_the_engine_allows(rules: str) -> None:
    parsed = Rules.parse(rules)
    for seed in range(3):
        for game in games(random.Random(seed), parsed, 3, most=150, table=0.05):
            position = game.position
            table = Table(
                Game(game.rules, game.players, (("dice", "system"),), game.actions, position), save=lambda _: None
            )
            found = scene(table, follow(table.game), (EN, FR)[seed % 2])
            assert [one.dice for one in found.choices] == [format_dice(keep.dice) for keep in legal_keeps(position)]
            for choice in found.choices:
                after = apply(position, SetAside(parse_dice(choice.dice)))
                ends = after.phase != "decide"
                assert choice.banks == (not ends and can(after, Bank()))
                assert choice.announce == (
                    parsed.prediction
                    and not ends
                    and any("announce" in type(a).__name__.lower() for a in legal_actions(after))
                )
                assert bool(choice.risk) == (not ends)
            for button in found.buttons:
                if button.value == "bank":
                    assert bool(button.why) == (not can(position, Bank()))
            assert (found.phase == "over") == (not found.playing)
            json.loads(found.choices_json)


@pytest.mark.parametrize("rules", VARIANTS)
def test_a_course_that_follows_on_is_the_one_told_from_the_start(rules: str) -> None:
    course = None
    for game in games(random.Random(3), Rules.parse(rules), 4, most=200, table=0.1):
        course = follow(game, course)
        assert course == follow(game)
    assert course is not None
    assert follow(course.game.cut(5), course) == follow(course.game.cut(5))  # and after something was taken back


def test_the_events_of_a_course_are_those_of_the_replay() -> None:
    for game in games(random.Random(4), PRESETS["six-des"], 3, most=120):
        last = game
    assert follow(last).events == tuple(event for _, _, step in last.steps() for event in step.events)


def test_points_at_risk_and_their_chance_are_said_before_rolling() -> None:
    found = shown("Ana: 11123>111")
    assert found.turn_points == 1000
    assert found.risk == "44% risk of losing 1,000 points"
    assert float(odds(PRESETS["cinq-des"], 2).bust) == pytest.approx(0.444, abs=0.001)
    assert [(one.value, one.label) for one in found.buttons] == [("bank", "Bank 1,000"), ("roll", "Roll 2 dice again")]
    assert found.buttons[1].ask == "1,000 points are at risk, and 44% of such rolls lose them. Roll all the same?"


def test_what_is_missing_to_bank_is_on_the_button() -> None:
    by_dice = {one.dice: one for one in shown("Ana: 15534", words=FR).choices}
    assert by_dice["155"].bank == "Encaisser\u00a0: il manque 550"
    assert not by_dice["155"].banks
    assert by_dice["155"].roll == "Relancer 2 dés"
    assert shown("Ana: 15534>155").buttons[0].label == "Bank: 550 short"


@pytest.mark.parametrize(
    ("rules", "turns", "label"),
    [
        ("cinq-des(target=1000)", ["Ana: 11123>111"], "Bank 1,000 and win"),
        ("six-des(target=1000)", ["Ana: 111234>111"], "Bank 1,000: the target"),
        ("cinq-des(last_leg=1000)", ["Ana: =3500", "Ben: =0", "Ana: 11123>111"], "Bank 1,000: stops at 4,000"),
        ("cinq-des(hot_dice=must)", ["Ana: 12345>12345"], "Bank: not yet"),
    ],
)
def test_the_bank_button_says_what_happens(rules: str, turns: list[str], label: str) -> None:
    assert shown(*turns, rules=rules).buttons[0].label == label


def test_a_doubled_prediction_is_what_is_at_risk() -> None:
    found = shown("Ana: 11123>111 ?50 52", rules="cinq-des(prediction=true)")
    assert [(one.dice, one.bank) for one in found.choices] == [("5", "Bank 2,100")]
    assert found.choices[0].says == "50 points for these dice, 2,100 at risk"


def test_announcements_come_with_their_chances() -> None:
    found = shown("Ana: 11123>111", rules="cinq-des(prediction=true)")
    law = odds(PRESETS["cinq-des"], 2).points
    assert found.announcements == tuple((points, EN.percent(float(law[points]), 0)) for points in (50, 100, 150, 200))
    assert not shown("Ana: 11123>11", rules="cinq-des(prediction=true)").announcements


def test_a_ladder_tells_every_total_its_fall_and_the_cause() -> None:
    found = shown(
        "Ana: =800", "Ben: =900", "Ana: =300", "Ben: =200", "Ana: =0", rules="cinq-des(equal_scores=fall)", dice="real"
    )
    ladder = found.players[0].ladder
    assert [(one.total, one.fell, one.lost) for one in ladder] == [
        (800, False, False),
        (1100, False, True),
        (800, True, False),
    ]
    assert "Ben arrives on the same total" in ladder[2].says
    assert found.players[0].score == 800


def test_a_fall_to_zero_loses_every_rung_before_it() -> None:
    found = shown("Ana: =800", "Ben: =800", "Ana: =750", rules="cinq-des(equal_scores=fall)", dice="real")
    assert [(one.total, one.lost) for one in found.players[0].ladder] == [(800, True), (0, False), (750, False)]


def test_what_a_turn_came_to_is_still_shown_when_the_next_one_begins() -> None:
    found = shown("Ana: 15534>15 234>-")
    assert [one.face for one in found.dice] == [2, 3, 4]
    assert found.busted
    assert found.ended == ("Farkle: nothing scores for Ana; 150 points are lost.",)
    found = shown("Ana: 11123>111 =1000")
    assert [(one.face, one.taken) for one in found.dice] == [(1, True)] * 3 + [(2, False), (3, False)]
    assert found.ended == ("Ana banks 1,000: 1,000 in all.",)


def test_dice_set_aside_before_are_kept_in_sight_until_all_are_rolled_again() -> None:
    assert shown("Ana: 11123>111 15").kept == ((1, 1, 1),)
    assert shown("Ana: 12345>12345 15534").kept == ()


def test_a_decision_to_roll_made_elsewhere_asks_for_the_dice() -> None:
    game = Game.parse("rules: cinq-des\nplayers: Ana, Ben\ndice: system\nAna: 11123>111\n").play(RollOn())
    found = seen(game)
    assert [(one.value, one.label) for one in found.buttons] == [("roll", "Roll 2 dice")]
    real = Game.parse("rules: cinq-des\nplayers: Ana, Ben\ndice: real\nAna: 11123>111\n").play(RollOn())
    assert (seen(real).awaits, seen(real).awaited_dice, seen(real).by_points) == ("dice", 2, False)


def test_the_score_sheet_takes_points_only_where_a_turn_begins_and_no_robot_plays() -> None:
    assert shown(dice="real").by_points
    assert not shown("Ana: 15534>1", dice="real").by_points
    assert not shown().by_points
    found = shown("Ana: 11123>111 =1000", rules="cinq-des(takeover=always)", dice="real")
    assert found.by_points  # also where a turn is offered
    assert [one.value for one in found.buttons] == ["takeover", "roll"]


def test_who_may_be_asked_before_a_daring_throw() -> None:
    asks = {one.dice: bool(one.ask) for one in shown("Ana: 11123").choices}
    assert asks == {"111": True, "11": False, "1": False}
    small = shown("Ana: 15534>155", rules="cinq-des(target=600, entry=0)")
    assert small.buttons[1].ask  # a third of the target is much, too


def test_undo_says_why_it_is_refused() -> None:
    assert shown("Ana: 11123>111").undo
    found = shown("Ana: 11123")
    assert not found.undo
    assert "they stay" in found.undo_why
    assert shown("Ana: 11123", dice="real").undo


def test_falls_are_events_of_the_ladder_only_once() -> None:
    found = follow(Game.parse("rules: cinq-des(equal_scores=fall)\nplayers: Ana, Ben\nAna: =800\nBen: =800\n"))
    assert sum(isinstance(event, Fell) for event in found.events) == 1
    assert [rung.total for rung in found.rungs[0]] == [800, 0]
