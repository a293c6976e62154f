"""The same battery for every sheet, and for sheets made by chance: whatever is played, these things hold."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cinqmille import (
    PRESETS,
    Game,
    IllegalAction,
    Points,
    Position,
    Roll,
    RollOn,
    Rules,
    SetAside,
    TakeOver,
    apply,
    can,
    legal_actions,
    legal_keeps,
    legal_plans,
)
from cinqmille.actions import format_action, parse_action
from cinqmille.bots import Bot, Steady
from cinqmille.exchange import position_from_json, position_to_json
from playing import FACES, NAMES, games, random_action, random_roll
from sheets import random_sheet, sheets


def check(position: Position) -> None:
    """What every position is: readable both ways, with something to do, and with no two live totals equal."""
    rules = position.rules
    assert position.inconsistency() is None
    assert Position.parse(str(position)) == position
    assert position_from_json(position_to_json(position)) == position
    assert (position.phase == "over") == bool(position.winners) == (position.to_play is None)
    actions = legal_actions(position)
    assert bool(actions) == (position.phase != "over")
    assert all(parse_action(format_action(action)) == action for action in actions[:30])
    for seat in position.seats:
        assert list(seat.ladder) == sorted(set(seat.ladder)), "a ladder rises"
        assert all(rung % rules.step == 0 and rung >= rules.floor for rung in seat.ladder)
        assert not rules.scoreless_limit or seat.scoreless < rules.scoreless_limit
        assert not rules.last_leg or not rules.cap < seat.score < rules.target
        assert not rules.exact or seat.score <= rules.target
    if rules.equal_scores == "fall":
        live = [score for score in position.scores if 0 < score < rules.cap]
        assert len(live) == len(set(live)), "§5.2: no two totals are equal"
    if position.phase != "over":
        assert not rules.exact or position.score + position.turn_points <= rules.target
        assert all(seat.score < rules.target for seat in position.seats) or position.opener is not None
        assert position.score < rules.target


def check_dice(game: Game) -> None:
    """C008: of the dice of the game, those set aside since the last full roll and those left are always all."""
    position, dice = game.position, game.rules.dice
    if position.phase not in ("choose", "decide"):
        return
    aside: list[int] = []
    for before, action, step in game.steps():
        if step.position.fresh:
            aside = []
        elif isinstance(action, TakeOver):
            aside = [0] * (dice - step.position.dice_left)
        elif isinstance(action, Roll):
            assert len(action.dice) == before.dice_left
            assert len(action.dice) == dice - len(aside)
        elif isinstance(action, SetAside):
            on_table = list(before.roll)
            for die in action.dice:
                on_table.remove(die)  # a ValueError: more dice than were rolled
            aside += action.dice
            assert len(on_table) == step.position.dice_left
            aside = aside if on_table else []
    left = position.dice_left if position.phase == "decide" else len(position.roll)
    assert len(aside) + left == dice or (position.phase == "decide" and left == 0 and not aside)


def check_random_game(rng: random.Random, rules: Rules, players: int, most: int) -> Game:
    for game in games(rng, rules, players, most, table=0.06):
        check(game.position)
        if rng.random() < 0.05:
            check_dice(game)
    check_dice(game)
    return game


@pytest.mark.parametrize("preset", PRESETS)
def test_every_sheet_passes(preset: str) -> None:
    rng = random.Random(preset)
    for players in (2, 3, 5, 8):
        check_random_game(rng, PRESETS[preset], players, 150)


@given(sheets(), st.integers(0, 10**6))
@settings(max_examples=40)
def test_sheets_made_by_chance_pass(text: str, seed: int) -> None:
    rng = random.Random(seed)
    check_random_game(rng, Rules.parse(text), rng.randint(2, 5), 60)


# Bots: they obey every rule and come to an end.


def bot_game(rules: Rules, bots: list[Bot], rng: random.Random, most: int = 30_000) -> Position:
    """Where a game between bots with fair dice ends, or stands after ``most`` actions."""
    position = Game.new(rules, NAMES[: len(bots)]).position
    for _ in range(most):
        seat = position.to_play
        if seat is None:
            break
        if position.phase == "roll":
            position = apply(position, Roll(tuple(rng.choices(FACES, k=position.dice_left))))
            continue
        action = bots[seat].choose(position)
        assert action in legal_actions(position), (str(position), action)
        position = apply(position, action)
    return position


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("thresholds", [(350, 350), (0, 1000, 300), (250, 500, 800, 100)])
def test_bots_of_every_threshold_obey_the_sheet_and_finish(preset: str, thresholds: tuple[int, ...]) -> None:
    """C054: a bot reads the same rules as people do."""
    bots: list[Bot] = [Steady(threshold) for threshold in thresholds]
    end = bot_game(PRESETS[preset], bots, random.Random(f"{preset} {thresholds}"))
    assert end.phase == "over"
    assert max(end.scores) >= end.rules.target or end.rules.table.wins


def test_bots_obey_sheets_made_by_chance_and_finish() -> None:
    """All but a few: with two dice, say, a last leg of 1000 may take longer than anybody waits."""
    rng, finished = random.Random("bots"), 0
    for _ in range(60):
        bots: list[Bot] = [Steady(rng.choice((0, 200, 350, 600))) for _ in range(rng.randint(2, 4))]
        finished += bot_game(Rules.parse(random_sheet(rng)), bots, rng, 8_000).phase == "over"
    assert finished >= 56


# Any order of anything, as hypothesis likes it.


class AnyGame(RuleBasedStateMachine):
    """A game in which players, dice and table do what they like; a corrected line may come at any time."""

    @initialize(text=sheets(), players=st.integers(2, 5))
    def begin(self, text: str, players: int) -> None:
        self.game = Game.new(Rules.parse(text), NAMES[:players])

    @rule(seed=st.integers(0, 10**6), number=st.integers(1, 12))
    def play(self, seed: int, number: int) -> None:
        rng = random.Random(seed)
        for _ in range(number):
            if self.game.position.phase != "over":
                self.game = self.game.play(random_action(rng, self.game.position, 0.1))

    @precondition(lambda self: self.game.position.phase == "roll")
    @rule(seed=st.integers(0, 10**6))
    def roll(self, seed: int) -> None:
        self.game = self.game.play(random_roll(random.Random(seed), self.game.position))

    @precondition(lambda self: bool(legal_plans(self.game.position)))
    @rule(data=st.data())
    def follow_a_plan(self, data: st.DataObject) -> None:
        plan = data.draw(st.sampled_from(legal_plans(self.game.position)))
        if plan.keep is not None:
            self.game = self.game.play(SetAside(plan.keep.dice))
        if plan.then is not None:
            self.game = self.game.play(plan.then)

    @precondition(lambda self: self.game.position.fresh)
    @rule(steps=st.integers(0, 60), star=st.booleans())
    def type_points(self, steps: int, star: bool) -> None:
        points = Points(steps * self.game.rules.step, star)
        if can(self.game.position, points):
            self.game = self.game.play(points)
        else:
            with pytest.raises(IllegalAction):
                self.game.play(points)

    @rule(back=st.integers(0, 8))
    def undo(self, back: int) -> None:
        self.game = self.game.cut(max(0, len(self.game.actions) - back))

    @rule()
    def write_and_read(self) -> None:
        """Always possible."""
        if self.game.actions and isinstance(self.game.actions[-1], RollOn):
            assert Game.from_json(self.game.to_json()) == self.game
        else:
            assert Game.parse(self.game.text) == self.game

    @invariant()
    def holds(self) -> None:
        check(self.game.position)
        check_dice(self.game)
        assert bool(legal_keeps(self.game.position)) == (self.game.position.phase == "choose")


AnyGame.TestCase.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
TestAnyGame = AnyGame.TestCase


def test_legal_actions_of_every_sheet_are_accepted_and_lead_somewhere() -> None:
    for preset, rules in PRESETS.items():
        rng = random.Random(preset)
        for game in games(rng, rules, 3, 60):
            for action in legal_actions(game.position)[:: 1 if game.position.phase != "roll" else 17]:
                after = apply(game.position, action)
                assert after != game.position
                assert after.inconsistency() is None
