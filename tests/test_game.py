"""The game as a function of position and action (RULES §2, §4, §5): what is allowed, what happens, what is refused.

The recorded games in ``data/games`` show most rules at work; here stand the ones that a record cannot show:
that nothing else is allowed, what the refusals say, and the events.
"""

import random
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cinqmille import (
    Announce,
    Back,
    Bank,
    CinqMilleError,
    Game,
    IllegalAction,
    Keep,
    Leave,
    Meld,
    Odds,
    Plan,
    Points,
    Position,
    Roll,
    RollOn,
    Rules,
    Scored,
    Seat,
    SetAside,
    Sheet,
    Skip,
    Step,
    TakeOver,
    apply,
    can,
    do,
    legal_actions,
    legal_keeps,
    legal_plans,
    replay,
    start,
    verify,
)
from cinqmille.actions import (
    ANNOUNCEMENTS,
    Action,
    Announced,
    Banked,
    Busted,
    CameBack,
    Doubled,
    Event,
    Fell,
    Kept,
    Overshot,
    Predicted,
    Rolled,
    Scoreless,
    Skipped,
    TargetReached,
    TookOver,
    WentAway,
    Won,
    format_action,
    parse_action,
)
from cinqmille.bots import Steady
from cinqmille.errors import SENTENCES
from cinqmille.patterns import Combination
from cinqmille.position import Offer
from cinqmille.record import Comment, Turn
from cinqmille.rules import Parameter
from playing import every_action, games
from sheets import sheets

SRC = Path(__file__).parents[1] / "src" / "cinqmille"


def at(rules: str, turns: str = "", players: str = "Ana, Ben") -> Position:
    """Where some turns lead; they are separated by semicolons, and the players take them in order."""
    names = players.split(", ")
    lines = [f"rules: {rules}", f"players: {players}"]
    seat = 0
    for turn in turns.split(";") if turns else ():
        name, _, rest = turn.rpartition(":")
        lines.append(f"{name.strip() or names[seat % len(names)]}: {rest.strip()}")
        seat += not name
    return replay("\n".join(lines) + "\n").position


def acts(position: Position, *actions: str) -> Position:
    for action in actions:
        position = apply(position, parse_action(action))
    return position


def events(position: Position, *actions: str) -> tuple[Event, ...]:
    """What the last of some actions made happen."""
    *before, last = actions
    return do(acts(position, *before), parse_action(last)).events


# What is allowed, and nothing else.


def positions(text: str, seed: int, most: int = 120) -> Iterator[Position]:
    for game in games(random.Random(seed), Rules.parse(text), 2 + seed % 3, most):
        yield game.position


@given(sheets(), st.integers(0, 10**6), st.data())
@settings(max_examples=40)
def test_the_legal_actions_are_just_those_accepted(text: str, seed: int, data: st.DataObject) -> None:
    """Every set-aside, roll and announcement there could be is tried; verify, can, do and apply agree on each."""
    sampled = data.draw(st.sampled_from(list(positions(text, seed))))
    accepted: list[Action] = []
    for number, action in enumerate(every_action(sampled)):
        if can(sampled, action):
            accepted.append(action)
            verify(sampled, action)
            assert apply(sampled, action) == do(sampled, action).position
        elif number % 23 == seed % 23:
            refusals = []
            for judge in (verify, apply, do):
                with pytest.raises(CinqMilleError) as refusal:
                    judge(sampled, action)
                refusals.append((refusal.value.code, refusal.value.params))
                assert "{" not in str(refusal.value)
            assert refusals[0] == refusals[1] == refusals[2]
    listed = legal_actions(sampled)
    assert len(listed) == len(set(listed)) == len(accepted)
    assert set(listed) == set(accepted)


def test_a_legal_roll_is_legal_in_any_order() -> None:
    position = start(Rules.parse("cinq-des"))
    assert len(legal_actions(position)) == 252
    for dice in ((1, 5, 5, 3, 4), (5, 4, 3, 5, 1)):
        assert apply(position, Roll(dice)).roll == dice


@given(sheets(), st.integers(0, 10**6), st.data())
@settings(max_examples=40)
def test_plans_are_set_asides_and_what_is_legal_then(text: str, seed: int, data: st.DataObject) -> None:
    """``legal_plans`` gives what setting aside and then asking again gives, and says when the turn is over."""
    position = data.draw(st.sampled_from(list(positions(text, seed))))
    expected: list[tuple[object, Action | None]] = []
    if position.phase in ("start", "decide"):
        expected = [(None, action) for action in legal_actions(position)]
    for keep in legal_keeps(position):
        after = apply(position, SetAside(keep.dice))
        if after.phase != "decide":
            expected.append((keep, None))
            assert position.rules.exact
        else:
            assert after.to_play == position.to_play
            expected += [(keep, action) for action in legal_actions(after)]
    plans = legal_plans(position)
    assert [(plan.keep, plan.then) for plan in plans] == expected
    assert all(isinstance(plan, Plan) for plan in plans)


@given(sheets(), st.integers(0, 10**6))
@settings(max_examples=40)
def test_events_tell_what_the_position_says(text: str, seed: int) -> None:
    """The events alone are enough to know every total, the turn points, whose turn it was, and who won."""
    scores: dict[int, int] = {}
    winners: tuple[int, ...] = ()
    for game in games(random.Random(seed), Rules.parse(text), 3, 100):
        if not game.actions:
            continue
        *_, (before, _, step) = game.steps()
        for event in step.events:
            match event:
                case Banked():
                    assert scores.get(event.seat, 0) + event.gain == event.total
                    assert event.gain <= event.points
                    scores[event.seat] = event.total
                case Fell():
                    assert scores.get(event.seat, 0) == event.before > event.after
                    assert (event.by == event.seat) == (event.cause != "equal")
                    scores[event.seat] = event.after
                case Won():
                    winners = event.winners
                case Kept() | Rolled() | Busted() | Scoreless() | Skipped():
                    assert event.seat == before.to_play
                case _:
                    pass
        assert step.position.scores == tuple(scores.get(seat, 0) for seat in range(3))
        assert step.position.winners == winners


# Values.


def test_positions_and_actions_are_frozen_hashable_and_equal_by_value() -> None:
    first = at("cinq-des(takeover=always)", "11123>111 =1000")
    again = at("cinq-des(takeover=always)", "11123>111 =1000")
    assert first is not again
    assert len({first, again}) == 1
    assert len({action for position in (first, again) for action in legal_actions(position)}) == 2
    with pytest.raises(FrozenInstanceError):
        first.turn_points = 5  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        first.seats[0].scoreless = 5  # type: ignore[misc]
    with pytest.raises(AttributeError):
        object.__setattr__(first, "note", 1)
    empty: list[Action] = [Bank(), RollOn(), Skip(), TakeOver()]
    assert len(set(empty)) == 4
    assert all(map(bool, empty)), "an action without fields is neither another one nor false"
    assert SetAside((5, 1)) == SetAside((1, 5))


VALUES: list[type] = [
    *get_args(Action), *get_args(Event), Position, Seat, Offer, Step, Plan, Keep, Meld, Scored, Rules, Sheet, Parameter,
    Combination, Odds, Game, Comment, Turn, Steady,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: str(value.__name__))
def test_every_value_of_the_core_is_frozen_and_has_no_room_for_more(value: type) -> None:
    """DESIGN 6."""
    assert getattr(value, "__dataclass_params__").frozen  # noqa: B009 - not known to the type checker
    assert "__dict__" not in dir(value)
    assert "__slots__" in vars(value)


def test_apply_leaves_the_position_as_it_was() -> None:
    before = at("cinq-des", "11123>111")
    copy = replace(before)
    apply(before, Bank())
    assert before == copy


@given(sheets(), st.integers(0, 10**6))
@settings(max_examples=40)
def test_positions_and_actions_read_back_from_their_line(text: str, seed: int) -> None:
    for game in games(random.Random(seed), Rules.parse(text), 3, 40, table=0.1):
        line = str(game.position)
        assert "\n" not in line
        assert Position.parse(line) == game.position
        assert game.position.inconsistency() is None
        assert all(parse_action(format_action(action)) == action for action in game.actions[-1:])


ODD_ACTIONS: list[Action] = [
    SetAside(()), SetAside((0,)), SetAside((7,)), SetAside((-1, 1)), SetAside((10**30,)), SetAside((1,) * 40),
    Roll(()), Roll((0,) * 5), Roll((7,) * 5), Roll((1,) * 400), Roll((10**30,)),
    Points(-50), Points(-1), Points(1), Points(10**30), Points(50, True), Announce(0), Announce(-50), Announce(10**30),
    Leave(-1), Leave(2), Leave(10**30), Back(-1), Back(0), Back(2),
]  # fmt: skip


@pytest.mark.parametrize("action", ODD_ACTIONS, ids=lambda action: str(action)[:40])
def test_odd_actions_are_refused_in_every_phase(action: Action) -> None:
    """Faces 0, 7 and huge, no dice at all, negative points, seats out of range: a refusal, never a crash."""
    rules = "cinq-des(takeover=always, prediction=true, entry=0)"
    phases = ("", "15534", "11123>111", "11123>111 ?50", "15534>1 =", "11111")
    found = [at(rules, turns) for turns in phases]
    assert {position.phase for position in found} == {"roll", "choose", "decide", "start", "over"}
    for position in found:
        with pytest.raises(CinqMilleError) as refusal:
            apply(position, action)
        assert str(refusal.value)
        assert not can(position, action)


@pytest.mark.parametrize("wrong", [1.0, "1", None])
def test_numbers_of_another_kind_never_reach_a_position(wrong: object) -> None:
    for kind in (Points, Leave, Back, Announce):
        with pytest.raises(TypeError):
            kind(wrong)  # type: ignore[arg-type]
    for dice in (SetAside, Roll):
        with pytest.raises(TypeError):
            dice((wrong,))  # type: ignore[arg-type]
    assert repr(Points(True).points) == "1"
    assert Roll([1, 5]) == Roll((1, 5))  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [0, 1, 9, -1, 100])
def test_two_to_eight_can_play(players: int) -> None:
    with pytest.raises(IllegalAction, match=str(players)) as refusal:
        start(Rules.parse("cinq-des"), players)
    assert refusal.value.code == "players_number"
    assert [len(start(Rules.parse("cinq-des"), number).seats) for number in range(2, 9)] == list(range(2, 9))


# Refusals: one case for every code, with what would be legal.

TAKE = "cinq-des(takeover=always)"
PREDICT = "cinq-des(prediction=true, entry=0)"
EXACT = "cinq-des(exact=true, target=1000, entry=0)"

REFUSALS: list[tuple[str, Position, str, dict[str, object]]] = [
    ("game_over", at("cinq-des", "11111"), "15534", {}),
    ("game_over", at("cinq-des", "11111"), "=", {}),
    ("game_over", at("cinq-des", "11111"), "skip", {}),
    ("game_over", at("cinq-des", "11111"), "leave 1", {}),
    ("game_over", at("cinq-des", "11111"), "back 1", {}),
    ("game_over", at("cinq-des", "11111"), "+", {}),
    ("game_over", at("cinq-des", "11111"), "=450", {}),
    ("start_due", at(TAKE, "11123>111 ="), "15534", {"dice": 5, "points": 1000, "left": 2}),
    ("start_due", at(TAKE, "12345>12345 ="), "=", {"dice": 5, "points": 1500, "left": 5}),
    ("dice_due", at("cinq-des"), "=", {"dice": 5}),
    ("dice_due", at("cinq-des"), "roll", {"dice": 5}),
    ("dice_due", at("cinq-des"), ">1", {"dice": 5}),
    ("dice_due", at(PREDICT, "11123>111 ?50"), "=", {"dice": 2}),
    ("dice_due", at(PREDICT, "11123>111 ?50"), "=450", {"dice": 2}),
    ("set_aside_due", at("cinq-des", "15534"), "=", {"roll": (1, 5, 5, 3, 4)}),
    ("set_aside_due", at("cinq-des", "15534"), "24", {"roll": (1, 5, 5, 3, 4)}),
    ("decision_due", at("cinq-des", "11123>111"), ">1", {"points": 1000, "dice": 2}),
    ("decision_due", at("cinq-des", "12345>12345"), "15534", {"points": 1500, "dice": 5}),
    ("roll_on_due", at("cinq-des", "15534>1"), ">5", {"points": 100, "dice": 4}),
    ("wrong_number_of_dice", at("cinq-des"), "1553", {"count": 4, "expected": 5, "dice": (1, 5, 5, 3)}),
    ("not_in_roll", at("cinq-des", "15534"), ">11", {"dice": (1, 1), "roll": (1, 5, 5, 3, 4)}),
    ("not_in_roll", at("cinq-des", "15534"), ">6", {"dice": (6,)}),
    ("does_not_count", at("cinq-des", "15534"), ">13", {"dice": (1, 3), "roll": (1, 5, 5, 3, 4)}),
    ("keep_all_due", at("cinq-des(keep=all)", "15534"), ">15", {"dice": (1, 5)}),
    ("prediction_must_keep", at(PREDICT, "11123>111 ?150 15"), ">1", {"dice": (1,), "announced": 150}),
    ("below_entry", at("cinq-des", "15534>155"), "=", {"need": 750, "turn": 200, "missing": 550}),
    ("below_entry", at("cinq-des"), "=700", {"need": 750, "turn": 700, "missing": 50}),
    (
        "below_min_bank",
        at("cinq-des(min_bank=300)", "11123>111 =;=0;15534>155"),
        "=",
        {"need": 300, "turn": 200, "missing": 100},
    ),
    ("hot_dice_must_roll", at("cinq-des(hot_dice=must)", "12345>12345"), "=", {"dice": 5}),
    (
        "last_leg_needs_target",
        at("cinq-des(target=1500, last_leg=500)", "11123>111 =;=0;15534>155"),
        "=",
        {"score": 1000, "target": 1500, "need": 500, "turn": 200, "missing": 300},
    ),
    ("takeover_never", at("cinq-des", "11123>111 ="), "+", {}),
    ("nothing_to_take_over", at(TAKE, "=0"), "+", {}),
    ("nothing_to_take_over", at(TAKE, "=1000"), "+", {}),
    ("takeover_not_opened", at("cinq-des(takeover=opened)", "11123>111 ="), "+", {}),
    (
        "takeover_passes_target",
        at("cinq-des(takeover=always, exact=true, target=1500, entry=0)", "=0;=500;11123>111 ="),
        "+",
        {"points": 1000, "score": 500, "target": 1500},
    ),
    ("decision_due", at(TAKE, "11123>111"), "+", {"points": 1000}),
    ("prediction_off", at("cinq-des", "11123>111"), "?50", {}),
    ("prediction_needs_two_dice", at(PREDICT, "11123>11"), "?50", {"dice": 3}),
    ("prediction_needs_two_dice", at(PREDICT, "12345>12345"), "?50", {"dice": 5}),
    ("set_aside_due", at(PREDICT, "11123"), "?50", {}),
    ("announcement_unknown", at(PREDICT, "11123>111"), "?250", {"points": 250, "legal": ANNOUNCEMENTS}),
    ("points_not_a_multiple", at("cinq-des"), "=1010", {"points": 1010, "step": 50}),
    ("points_not_scoreless", at("cinq-des"), "=1000*", {"points": 1000}),
    ("points_pass_target", at(EXACT), "=1050", {"points": 1050, "score": 0, "target": 1000}),
    ("decision_due", at("cinq-des", "11123>111"), "=450", {}),
    ("no_such_seat", at("cinq-des"), "leave 3", {"seat": 3, "seats": 2}),
    ("no_such_seat", at("cinq-des"), "back 9", {"seat": 9, "seats": 2}),
    ("already_away", at("cinq-des", "Ben: leave", "Ana, Ben, Cleo"), "leave 2", {"seat": 2}),
    ("not_away", at("cinq-des"), "back 2", {"seat": 2}),
    ("leave_between_turns", at("cinq-des", "15534"), "leave 2", {"seat": 2}),
    ("back_between_turns", acts(at("cinq-des", "Ben: leave"), "15534"), "back 2", {"seat": 2}),
    ("last_player_stays", at("cinq-des", "Ben: leave"), "leave 1", {"seat": 1}),
    ("bad_number", at("cinq-des"), "=", {}),
]


@pytest.mark.parametrize(
    ("code", "position", "action", "params"), REFUSALS, ids=[f"{row[0]} {row[2]}" for row in REFUSALS]
)
def test_refusals_say_what_is_wrong_and_what_would_be_legal(
    code: str, position: Position, action: str, params: dict[str, object]
) -> None:
    tried = Points(10**12) if code == "bad_number" else parse_action(action)
    with pytest.raises(IllegalAction) as refusal:
        verify(position, tried)
    assert refusal.value.code == code
    assert params.items() <= refusal.value.params.items()
    sentence = str(refusal.value)
    for name, value in params.items():
        if name != "legal":
            assert ("".join(map(str, value)) if isinstance(value, tuple) else str(value)) in sentence
    if "legal" in refusal.value.params and code != "announcement_unknown":
        assert refusal.value.params["legal"] == legal_keeps(position)
        for keep in legal_keeps(position):
            assert f"{''.join(map(str, keep.dice))} ({keep.points})" in sentence


def test_every_code_of_the_game_has_its_case() -> None:
    source = (SRC / "game.py").read_text(encoding="utf-8")
    codes = set(re.findall(r"\"([a-z]+(?:_[a-z]+)+)\"", source)) & set(SENTENCES)
    assert codes == {row[0] for row in REFUSALS} | {"players_number"}
    assert len(codes) > 30


# RULES §2, sentence by sentence, where the recorded games do not show it.


def test_2_1_a_turn_begins_with_all_dice() -> None:
    position = at("cinq-des", "11123>111 =")
    assert (position.to_play, position.phase, position.dice_left, position.turn_points) == (1, "roll", 5, 0)


def test_2_2_a_bust_ends_the_turn_and_leaves_the_score() -> None:
    """§2.2, C027: nothing of the turn is committed."""
    position = at("cinq-des", "=1000;=0;15534>155")
    assert events(position, "roll", "24") == (Rolled(0, (2, 4), False), Busted(0, 200, False), Scoreless(0, 1, False))
    after = acts(position, "roll", "24")
    assert (after.scores, after.to_play, after.turn_points) == ((1000, 0), 1, 0)


def test_2_3_at_least_one_die_is_set_aside() -> None:
    position = at("cinq-des", "15534")
    assert {format_action(action) for action in legal_actions(position)} == {">1", ">5", ">15", ">55", ">155"}


def test_2_4_dice_set_aside_earlier_never_join_a_combination() -> None:
    position = at("cinq-des", "11234>11 123>1")
    assert position.turn_points == 300


def test_2_5_hot_dice_are_all_rolled_and_the_points_go_on() -> None:
    position = at("cinq-des", "12345>12345")
    assert (position.dice_left, position.turn_points) == (0, 1500)
    assert acts(position, "roll").dice_left == 5
    assert acts(position, "roll", "11123", ">111").turn_points == 2500


def test_2_6_below_the_threshold_one_must_roll_on() -> None:
    """There is no passing: rolling is all one may do."""
    assert legal_actions(at("cinq-des", "15534>155")) == (RollOn(),)
    assert legal_actions(at("cinq-des", "11123>111")) == (Bank(), RollOn())


@pytest.mark.parametrize("exact", ["true", "false"])
def test_2_6_winning_turns_are_bound_by_the_minima(exact: str) -> None:
    """An exact hit is exempt from min_bank, nothing is exempt from entry."""
    rules = f"cinq-des(exact={exact}, target=1000, min_bank=300, entry=300)"
    assert can(at(rules, "=900;=0;15534>1"), Bank()) == (exact == "true")
    assert not can(
        at(f"cinq-des(exact={exact}, target=500, entry=550, min_bank=0)".replace("550", "500"), "15534>1"), Bank()
    )


def test_2_7_only_a_score_above_0_is_on_the_board() -> None:
    """A score of 0 or less opens again with `entry` (C039)."""
    rules = "farkle-minimal(entry=500, scoreless_limit=1, scoreless_penalty=500, floor=-500)"
    assert at(rules, "=0").scores == (-500, 0)
    assert not can(at(rules, "=0;=0;111234>11"), Bank())
    level = at(rules, "=0;=0;=500")
    assert level.scores == (0, -500)
    assert level.seats[0].ladder == (-500, 0)
    assert not can(acts(level, "=0", "112346", ">11"), Bank())


@pytest.mark.parametrize(
    ("rules", "turns", "roll"),
    [
        ("cinq-des(exact=true, target=1000, entry=0)", "=950;=0", "11111"),
        ("cinq-des(hot_dice=must)", "12345>12345", "11111"),
        ("cinq-des(target=1500, last_leg=500)", "=1000;=0", "11111"),
        ("cinq-des(target=1000, ending=last_turns)", "=1000", "11111"),
        ("cinq-des(target=1000, ending=finish_round)", "=1000", "11111"),
        ("cinq-des(takeover=always)", "12345>12345 =;+", "11111"),
        ("cinq-des(min_bank=500, equal_scores=fall, strike=true, scoreless_limit=1)", "=1000;=0", "11111"),
        ("cinq-des(keep=all)", "", "11111"),
        ("cinq-des(11=win, prediction=true)", "22255>222 ?200", "11"),
    ],
)
def test_2_8_an_instant_win_beats_every_other_rule(rules: str, turns: str, roll: str) -> None:
    """§2.8, C020: whatever the player has opened, set aside, announced or needs."""
    position = at(rules, turns)
    if position.phase == "decide":
        position = acts(position, "roll")
    step = do(position, parse_action(roll))
    assert position.to_play is not None
    assert step.events[-1] == Won((position.to_play,), "at_once", position.turn_points)
    assert step.position.phase == "over"
    assert step.position.scores == position.scores
    assert step.position.turn_points == position.turn_points, "C003: what was set aside is still shown"
    assert not legal_actions(step.position)
    assert not legal_plans(step.position)


# RULES §4.


def test_4_first_wins_at_once() -> None:
    position = at("cinq-des(target=1000)", "11123>111")
    assert events(position, "=") == (Banked(0, 1000, 1000, 1000), Won((0,), "target"))


def test_4_last_turns_come_in_order_and_the_opener_does_not_play_again() -> None:
    """C047, C073: with three players and the second reaching the target, the third and the first play once more."""
    position = at("six-des(target=1000)", "=0;111234>111", "Ana, Ben, Cleo")
    assert events(position, "=") == (Banked(1, 1000, 1000, 1000), TargetReached(1, 1000, "last_turns"))
    position = acts(position, "=")
    assert (position.to_play, position.opener) == (2, 1)
    position = acts(position, "=1500")  # passing the target opens nothing new
    assert (position.to_play, position.opener) == (0, 1)
    step = do(position, Points(0))
    assert step.events == (Scoreless(0, 2, False), Won((2,), "highest"))


def test_4_the_round_is_finished_and_everybody_has_had_as_many_turns() -> None:
    """C049, C074: where the last in the round reaches the target there is nothing to finish."""
    rules = "six-des(target=1000, ending=finish_round)"
    assert events(at(rules, "=0;=0"), "=1000") == (Banked(0, 1000, 1000, 1000), TargetReached(0, 1000, "finish_round"))
    assert events(at(rules, "=0"), "=1000") == (
        Banked(1, 1000, 1000, 1000),
        TargetReached(1, 1000, "finish_round"),
        Won((1,), "highest"),
    )


def test_4_a_tie_is_shared_or_goes_to_who_stood_there_first() -> None:
    """C048, C053: never silently to the first in the list."""
    turns, players = "=0;=1000;=1000", "Ana, Ben, Cleo"
    shared, first = (at(f"six-des(target=1000, tie={tie})", turns, players) for tie in ("shared", "first"))
    assert events(shared, "=1000")[-1] == Won((0, 1, 2), "shared")
    assert events(first, "=1000")[-1] == Won((1,), "highest")


def test_4_the_target_is_tested_on_banking_only() -> None:
    position = at("cinq-des(target=1000)", "11123>111")
    assert (position.phase, position.scores) == ("decide", (0, 0))
    assert acts(position, "roll", "24").scores == (0, 0)


def test_4_thresholds_stay_in_force_in_the_last_turns() -> None:
    """C044: who has not opened still needs the entry."""
    position = at("six-des(target=1000)", "=1000")
    with pytest.raises(IllegalAction) as refusal:
        verify(position, Points(450))
    assert (refusal.value.code, refusal.value.params["missing"]) == ("below_entry", 50)


# RULES §5, by number.


def test_5_2_a_fall_names_its_cause_and_its_author() -> None:
    """C056, C062: Cleo strikes Ben, who strikes Ana."""
    position = at("cinq-des(equal_scores=fall)", "=900;=1450;=0;=0;=850;=0;=550;=0", "Ana, Ben, Cleo")
    assert position.scores == (1450, 2300, 0)
    step = do(position, Points(2300))
    assert step.events == (
        Banked(2, 2300, 2300, 2300),
        Fell(1, 2300, 1450, "equal", 2),
        Fell(0, 1450, 900, "equal", 1),
    )
    assert step.position.scores == (900, 1450, 2300)


def test_5_2_who_arrives_by_falling_sends_the_holder_back_too() -> None:
    rules = "cinq-des(equal_scores=fall, strike=true, entry=0)"
    position = at(rules, "=500;=300;=500;=200")
    assert position.scores == (1000, 500)
    falls = events(position, "23346")
    assert falls[-3:] == (Scoreless(0, 1, False), Fell(0, 1000, 500, "strike", 0), Fell(1, 500, 300, "equal", 0))


@pytest.mark.parametrize(
    ("rules", "turns", "points", "scores"),
    [
        ("cinq-des(equal_scores=fall, target=1000, ending=last_turns)", "=1000", 1000, (1000, 1000)),
        ("cinq-des(equal_scores=fall, target=1500, last_leg=500)", "=1200", 1200, (1000, 1000)),
        ("cinq-des(equal_scores=fall)", "=1200", 1200, (0, 1200)),
    ],
)
def test_5_2_totals_at_the_target_and_at_the_cap_do_not_fall(
    rules: str, turns: str, points: int, scores: tuple[int, ...]
) -> None:
    """§5.2, §5.7, C060."""
    assert apply(at(rules, turns), Points(points)).scores == scores


def test_5_2_totals_of_0_or_less_neither_cause_nor_suffer_a_fall() -> None:
    """C057."""
    rules = "farkle-minimal(equal_scores=fall, scoreless_limit=1, scoreless_penalty=500, floor=-500)"
    position = at(rules, "=0;=0")
    assert position.scores == (-500, -500)
    assert apply(apply(position, Points(500)), Points(500)).scores == (0, 0)


def test_5_2_the_absent_fall_as_well() -> None:
    position = at("cinq-des(equal_scores=fall)", "=1000;Ana: leave;=1000", "Ana, Ben, Cleo")
    assert position.scores == (0, 1000, 0)


def test_5_3_must_is_waived_on_reaching_the_target() -> None:
    position = at("cinq-des(hot_dice=must, target=1500)", "12345>12345")
    assert can(position, Bank())
    assert not can(at("cinq-des(hot_dice=must, target=1550)", "12345>12345"), Bank())


def test_5_4_every_turn_without_gain_counts_whatever_the_cause() -> None:
    """C022, C066: a bust, a turn typed as 0, an exact target passed; a skipped turn is neutral."""
    rules = "cinq-des(exact=true, target=1000, entry=0, scoreless_limit=4)"
    position = at(rules, "=900;=0;22346>-;=0;=0;=0;15534>155")
    assert position.to_play == 1
    assert position.seats[0].scoreless == 3
    counts = at(rules, "=900;=0;22346>-;=0;skip;=0")
    assert counts.seats[0].scoreless == 1


def test_5_4_the_count_is_told_and_the_penalty_falls_due_once() -> None:
    """C022, C023: 1, 2, then 3 with the fall, then from 1 again."""
    rules, told = "cinq-des(scoreless_limit=3)", []
    position = at(rules, "=1000")
    for _ in range(8):
        step = do(position, Points(0))
        told += [event for event in step.events if event.seat == 0] if position.to_play == 0 else []  # type: ignore[union-attr]
        position = step.position
    assert told == [
        Scoreless(0, 1, False),
        Scoreless(0, 2, False),
        Scoreless(0, 3, True),
        Fell(0, 1000, 0, "scoreless", 0),
        Scoreless(0, 1, False),
    ]


@pytest.mark.parametrize(
    ("penalty", "floor", "ladder", "after"),
    [
        ("zero", 0, "500<1200<2400", ()),
        ("previous", 0, "500<1200<2400", (500, 1200)),
        ("previous", 0, "500", ()),
        (500, 0, "500<1200<2400", (500, 1200, 1900)),
        (1500, 0, "500<1200<2400", (500, 900)),
        (1900, 0, "500<1200<2400", (500,)),
        (2400, 0, "500<1200<2400", ()),
        (5000, 0, "500<1200<2400", ()),
        (500, 0, "300", ()),
        (500, -200, "300", (-200,)),
        (500, -1000, "300", (-200,)),
        (500, -1000, "-800", (-1000,)),
        (500, -1000, "-1000", (-1000,)),
        (500, -1000, "-800<500", (-800, 0)),
    ],
)
def test_5_4_the_penalties(penalty: object, floor: int, ladder: str, after: tuple[int, ...]) -> None:
    """Zero, the previous total, or N points lost: rungs not below the new total go, then it is added."""
    rules = f"farkle-minimal(scoreless_limit=1, scoreless_penalty={penalty}, floor={floor})"
    position = Position.parse(f"scores={ladder}/0 rules={rules}")
    assert apply(position, Points(0)).seats[0].ladder == after


@pytest.mark.parametrize(
    ("turns", "roll", "struck"),
    [
        ("=1000;=0;=500;=0", "22346", True),
        ("=1000;=0;=500;=0;12345>12345", "22346", True),
        ("=1000;=0;=500;=0;15534>155", "24", False),
        ("=1000;=0;=500;=0;=0;12345>12345 =;+", "22346", True),
    ],
)
def test_5_5_a_bust_on_all_dice_strikes_the_last_banked_turn(turns: str, roll: str, struck: bool) -> None:
    """First roll, after hot dice, and on a turn taken over with all dice; not with fewer."""
    position = at("cinq-des(strike=true, takeover=always)", turns)
    if position.phase == "decide":
        position = acts(position, "roll")
    assert position.to_play == 0
    before = position.score
    assert apply(position, parse_action(roll)).scores[0] == (1000 if struck else before)


def test_5_5_at_most_one_fall_a_turn_and_the_harsher() -> None:
    rules = "cinq-des(strike=true, scoreless_limit=1, scoreless_penalty={})"
    for penalty, after, cause in ((100, 1000, "strike"), (600, 900, "scoreless"), ("zero", 0, "scoreless")):
        falls = events(at(rules.format(penalty), "=1000;=750;=500;=750"), "22346")
        assert [e for e in falls if isinstance(e, Fell)] == [Fell(0, 1500, after, cause, 0)]


def test_5_6_a_right_prediction_doubles_the_whole_turn() -> None:
    """C005: these points included; then hot dice as usual."""
    position = at(PREDICT, "11123>111")
    assert events(position, "?150") == (Announced(0, 150),)
    assert events(position, "?150", "15") == (Rolled(0, (1, 5), False), Predicted(0, 150, 150, True))
    assert events(position, "?150", "15", ">15") == (Kept(0, (1, 5), 150, 1150, 0), Doubled(0, 2300))
    assert acts(position, "?150", "15", ">15", "roll").dice_left == 5


@pytest.mark.parametrize(("roll", "best"), [("13", 100), ("11", 200), ("24", 0)])
def test_5_6_a_wrong_prediction_changes_nothing(roll: str, best: int) -> None:
    """C006: no doubling, no penalty; any set-aside is legal."""
    position = at(PREDICT, "11123>111")
    assert events(position, "?150", roll)[1] == Predicted(0, 150, best, False)
    after = acts(position, "?150", roll)
    assert after.announced is None
    assert (after.phase == "choose") == (best > 0)
    assert legal_keeps(after) == legal_keeps(acts(position, "roll", roll))


def test_5_6_an_announcement_is_final() -> None:
    position = acts(at(PREDICT, "11123>111"), "?50")
    assert all(isinstance(action, Roll) for action in legal_actions(position))
    assert not can(position, Announce(100))


def test_5_6_dice_the_predecessor_set_aside_count_after_one_of_ones_own() -> None:
    rules = "cinq-des(prediction=true, takeover=always, entry=0)"
    two_left = at(rules, "11123>111 =;+")
    assert not can(two_left, Announce(50))
    three_left = acts(at(rules, "11234>11 =;+"), "134", ">1")
    assert (three_left.dice_left, three_left.turn_points) == (2, 300)
    assert can(three_left, Announce(50))


def test_5_6_doubling_counts_even_past_an_exact_target() -> None:
    """The doubled value is what is compared with the target; then the turn ends with nothing."""
    position = at("cinq-des(prediction=true, exact=true, target=2000, entry=0)", "11123>111")
    assert events(position, "?50", "53", ">5")[1:3] == (Doubled(0, 2100), Overshot(0, 2100, 2100))
    assert acts(position, "roll", "53", ">5").turn_points == 1050


def test_5_7_a_total_stops_where_the_last_leg_begins() -> None:
    position = at("cinq-des(target=1500, last_leg=500)", "11123>111 15>15")
    assert events(position, "=") == (Banked(0, 1150, 1000, 1000),)
    assert can(at("cinq-des(target=1500, last_leg=500)", "12345>12345"), Bank())


def test_5_7_the_minima_look_at_the_turn_and_not_at_the_capped_gain() -> None:
    position = at("cinq-des(target=1500, last_leg=500, min_bank=300)", "=900;=0;11346>11 135>1")
    assert events(position, "=") == (Banked(0, 300, 100, 1000),)


def test_5_8_inherited_points_are_uncapped_and_doubled() -> None:
    capped = at("cinq-des(takeover=always, target=1500, last_leg=500)", "11123>111 15>1 =")
    assert (capped.scores, capped.offer and capped.offer.points) == ((1000, 0), 1100)
    doubled = at("cinq-des(takeover=always, prediction=true)", "11123>111 ?50 53>5 =")
    assert (doubled.offer and (doubled.offer.points, doubled.offer.dice)) == (2100, 1)
    assert events(doubled, "+") == (TookOver(1, 2100, 1),)


def test_5_8_only_after_a_bank_and_the_previous_player_keeps_the_points() -> None:
    """C070; and a whole turn's dice where none were left."""
    position = at(TAKE, "12345>12345 =")
    assert legal_actions(position) == (RollOn(), TakeOver())
    position = acts(position, "+")
    assert (position.scores, position.turn_points, position.dice_left) == ((1500, 0), 1500, 5)
    assert at(TAKE, "22346>-").phase == "roll"


def test_5_8_an_offer_lasts_one_turn() -> None:
    assert at(TAKE, "12345>12345 =;skip", "Ana, Ben, Cleo").phase == "roll"
    assert at(TAKE, "12345>12345 =;+ skip", "Ana, Ben, Cleo").phase == "roll"
    assert at(TAKE, "12345>12345 =;+ leave", "Ana, Ben, Cleo").phase == "roll"
    assert at(TAKE, "12345>12345 =;Ben: leave", "Ana, Ben, Cleo").phase == "start"


def test_5_9_a_smaller_set_aside_may_avoid_passing_the_target() -> None:
    position = at(EXACT, "=900;=0;11234")
    passing = do(position, SetAside((1, 1)))
    assert passing.events == (
        Kept(0, (1, 1), 200, 200, 3),
        Overshot(0, 200, 1100),
        Scoreless(0, 1, False),
    )
    assert passing.position.to_play == 1
    assert can(apply(position, SetAside((1,))), Bank())
    assert Plan(legal_keeps(position)[0], None) in legal_plans(position)


def test_keep_all_leaves_no_smaller_set_aside() -> None:
    """§5, further: only the set-asides with the most dice are legal, whatever 2.3 and 5.9 allow."""
    position = at(EXACT.replace("exact", "keep=all, exact"), "=900;=0;11234")
    assert legal_actions(position) == (SetAside((1, 1)),)


# What a table decides (RULES §6).


def test_a_skipped_turn_is_neutral_and_its_points_are_lost() -> None:
    assert events(at("cinq-des", "11123>111"), "skip") == (Skipped(0, 1000),)
    assert acts(at("cinq-des", "11123>111"), "skip").seats[0].scoreless == 0


def test_who_leaves_is_passed_over_and_the_order_never_shifts() -> None:
    position = at("cinq-des", "=0", "Ana, Ben, Cleo")
    assert events(position, "leave 3") == (WentAway(2, 0),)
    away = acts(position, "leave 3", "=0")
    assert away.to_play == 0
    assert events(away, "back 3") == (CameBack(2),)
    assert acts(away, "back 3", "=0", "=0").to_play == 2


def test_who_leaves_in_the_middle_gives_the_turn_up() -> None:
    position = at("cinq-des", "11123>111", "Ana, Ben, Cleo")
    step = do(position, Leave(0))
    assert step.events == (WentAway(0, 1000),)
    assert (step.position.to_play, step.position.scores, step.position.seats[0].scoreless) == (1, (0, 0, 0), 0)


def test_a_roll_on_that_is_decided_keeps_the_dice_of_a_take_over_away() -> None:
    position = acts(at(TAKE, "12345>12345 ="), "roll")
    assert (position.phase, position.dice_left, position.turn_points, position.offer) == ("roll", 5, 0, None)
    assert not can(position, TakeOver())


# The one-line form of a position.


def test_a_position_line_reads_as_people_would_write_it() -> None:
    line = "scores=500<1200/0 player=2 phase=decide points=300 left=2 rules=cinq-des"
    position = Position.parse(line)
    assert (position.scores, position.to_play, position.turn_points, position.dice_left) == ((1200, 0), 1, 300, 2)
    assert str(position) == line
    assert Position.parse("scores=0/0 rules=cinq-des") == start(Rules.parse("cinq-des"))
    assert Position.parse("  rules = ".replace(" = ", "=cinq-des").join(("scores=0/0", ""))) == start(
        Rules.parse("cinq-des")
    )


WRONG_LINES = [
    ("", "rules"),
    ("scores=0/0", "rules"),
    ("rules=cinq-des", "scores"),
    ("scores=0 rules=cinq-des", "scores"),
    ("scores=0/0/0/0/0/0/0/0/0 rules=cinq-des", "scores"),
    ("scores=0/x rules=cinq-des", "scores"),
    ("scores=0/ rules=cinq-des", "scores"),
    ("scores=30/0 rules=cinq-des", "scores"),
    ("scores=500<400/0 rules=cinq-des", "scores"),
    ("scores=0<500/0 rules=cinq-des", "scores"),
    ("scores=-500/0 rules=cinq-des", "scores"),
    ("scores=4500/0 rules=cinq-des(last_leg=1000)", "scores"),
    ("scores=5050/0 reached=1 player=2 rules=cinq-des(exact=true, ending=last_turns)", "scores"),
    ("scores=5000<6000/0 reached=1 player=2 rules=cinq-des(ending=last_turns)", "scores"),
    ("scores=500/500 rules=cinq-des(equal_scores=fall)", "scores"),
    ("scores=0/0 player=3 rules=cinq-des", "player"),
    ("scores=0/0 player=0 rules=cinq-des", "player"),
    ("scores=0/0 player=99999 rules=cinq-des", "player"),
    ("scores=0/0 away=1 rules=cinq-des", "player"),
    ("scores=0/0 away=1,2 rules=cinq-des", "player"),
    ("scores=0/0 phase=dance rules=cinq-des", "phase"),
    ("scores=0/0 phase=start rules=cinq-des", "phase"),
    ("scores=0/0 phase=over rules=cinq-des", "winners"),
    ("scores=0/0 phase=over winners=3 rules=cinq-des", "winners"),
    ("scores=0/0 winners=1 rules=cinq-des", "winners"),
    ("scores=0/0 phase=decide left=2 rules=cinq-des", "points"),
    ("scores=0/0 phase=decide points=30 left=2 rules=cinq-des", "points"),
    ("scores=0/0 phase=decide points=-50 left=2 rules=cinq-des", "points"),
    ("scores=4900/0 phase=decide points=150 left=2 rules=cinq-des(exact=true)", "points"),
    ("scores=0/0 phase=decide points=100 left=5 rules=cinq-des", "left"),
    ("scores=0/0 points=100 left=6 rules=cinq-des", "left"),
    ("scores=0/0 left=3 rules=cinq-des", "left"),
    ("scores=0/0 phase=choose roll=15534 left=4 rules=cinq-des", "left"),
    ("scores=0/0 phase=choose roll=22346 left=5 rules=cinq-des", "roll"),
    ("scores=0/0 phase=choose roll=11111 left=5 rules=cinq-des", "roll"),
    ("scores=0/0 phase=choose roll=17 rules=cinq-des", "roll"),
    ("scores=0/0 phase=choose roll=1553411 left=7 rules=cinq-des", "roll"),
    ("scores=0/0 roll=15534 rules=cinq-des", "roll"),
    ("scores=0/0 points=100 left=2 announced=50 rules=cinq-des", "announced"),
    ("scores=0/0 points=100 left=2 announced=60 rules=cinq-des(prediction=true)", "announced"),
    ("scores=0/0 points=100 left=3 announced=50 rules=cinq-des(prediction=true)", "announced"),
    ("scores=0/0 player=2 offer=100x2@1 rules=cinq-des", "phase"),
    ("scores=0/0 player=2 phase=start offer=100x5@1 rules=cinq-des(takeover=always)", "offer"),
    ("scores=0/0 player=2 phase=start offer=130x2@1 rules=cinq-des(takeover=always)", "offer"),
    ("scores=0/0 player=2 phase=start offer=100x2@9 rules=cinq-des(takeover=always)", "offer"),
    ("scores=0/0 offer=100 rules=cinq-des(takeover=always)", "offer"),
    ("scores=5000/0 player=2 rules=cinq-des(ending=last_turns)", "reached"),
    ("scores=0/0 reached=1 player=2 rules=cinq-des(ending=last_turns)", "reached"),
    ("scores=5000/0 reached=1 player=2 rules=cinq-des", "reached"),
    ("scores=0/0 scoreless=3/0 rules=cinq-des(scoreless_limit=3)", "scoreless"),
    ("scores=0/0 scoreless=1 rules=cinq-des", "scoreless"),
    ("scores=0/0 scoreless=x/0 rules=cinq-des", "scoreless"),
    ("scores=0/0 scoreless=-1/0 rules=cinq-des", "scoreless"),
    ("scores=0/0 points=many left=2 rules=cinq-des", "points"),
    ("scores=0/0 points=1e3 left=2 rules=cinq-des", "points"),
    ("scores=0/0 points=100+ left=2 rules=cinq-des", "points"),
    ("scores=0/0 player= rules=cinq-des", "player"),
    ("scores=0/0 player=one rules=cinq-des", "player"),
    ("scores=0/0 away=2, rules=cinq-des", "away"),
    ("scores=0/0 away=1/2 rules=cinq-des", "away"),
    ("scores=0/0 scores=0/0 rules=cinq-des", "scores=0/0"),
    ("scores=0/0 mood=good rules=cinq-des", "mood=good"),
    ("scores=0/0 points rules=cinq-des", "points"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "part"), WRONG_LINES)
def test_a_position_that_cannot_be_is_refused_by_its_part(line: str, part: str) -> None:
    with pytest.raises(CinqMilleError) as refusal:
        Position.parse(line)
    assert refusal.value.code in ("position_part_missing", "position_part_unknown", "position_part_wrong")
    assert refusal.value.params["part"] == part


@given(st.text(alphabet="scorepyl=/<-0159,@x+ ()", max_size=60))
def test_no_line_whatever_breaks_the_reading_of_positions(text: str) -> None:
    for line in (text, f"{text} rules=cinq-des", f"scores={text} rules=cinq-des", f"scores=0/0 {text} rules=cinq-des"):
        with suppress(CinqMilleError):
            position = Position.parse(line)
            assert Position.parse(str(position)) == position


NO_ACTIONS = [
    "", "7", "123456789", ">", ">7", "?", "?x", "=x", "=5**", "leave", "leave 0", "back 10", "bank", "=-50", "= 50",
    "15 534", "=" + "1" * 10, "leave  1",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_ACTIONS)
def test_text_that_is_not_an_action_is_refused(text: str) -> None:
    with pytest.raises(CinqMilleError) as refusal:
        parse_action(text)
    assert refusal.value.code == "bad_action"
    assert text in str(refusal.value)
