"""Players that are programs: the registry, the spec string, what each habit does (C054, C055), and that all obey."""

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cinqmille import (
    PRESETS,
    Announce,
    Bank,
    Game,
    InvalidRules,
    InvalidText,
    Position,
    Roll,
    RollOn,
    Rules,
    SetAside,
    TakeOver,
    apply,
    do,
    legal_actions,
    start,
)
from cinqmille.actions import Banked, Won
from cinqmille.bots import BOTS, NEVER, Beginner, Bot, Cautious, Gambler, Steady, Table, bot, check_bot
from cinqmille.experts import Best, Greedy, Perfect
from cinqmille.simulation import simulate
from cinqmille.table import Table as GameTable
from cinqmille.turn import best_turn
from playing import NAMES, games
from sheets import random_sheet, sheets


def decide(line: str, threshold: int = 350) -> object:
    return Steady(threshold).choose(Position.parse(line))


# The registry.


MADE = [
    ("steady", Steady(350)), ("steady:500", Steady(500)), (" steady:0 ", Steady(0)), ("steady: 50", Steady(50)),
    ("steady:", Steady(350)), ("table:", Table()), ("table", Table()), ("table:300/ 250 /400", Table((300, 250, 400))),
    ("beginner", Beginner()), ("gambler", Gambler()), ("cautious", Cautious()), ("greedy:", Greedy()), ("best", Best()),
    ("perfect", Perfect()),
]  # fmt: skip
UNKNOWN = [
    "", "stead", "Steady", "steady:x", "steady:-50", "steady:1.5", "steady:1e3", "steady:²", "steady:50:50", ":50",
    "steady:" + "9" * 5000, "perfect:2", "greedy:1", "best:x", "gambler:500", "table:/", "table:300/x", "table:300,200",
    "table:1/2/3/4/5/6/7/8/9", "table:-5",
]  # fmt: skip


@pytest.mark.parametrize(("spec", "made"), MADE)
def test_a_bot_is_made_from_its_spec(spec: str, made: Bot) -> None:
    assert bot(spec) == made
    assert bot(made.spec) == made


@pytest.mark.parametrize("spec", UNKNOWN, ids=[spec[:12] for spec in UNKNOWN])
def test_an_unknown_bot_is_refused_with_the_known_ones(spec: str) -> None:
    """Never a silent fallback."""
    with pytest.raises(InvalidText) as refusal:
        bot(spec)
    assert refusal.value.code == "unknown_bot"
    assert set(BOTS) <= set(refusal.value.params["known"])
    assert spec.strip() in str(refusal.value)


@pytest.mark.parametrize("name", BOTS)
def test_every_kind_of_bot_makes_itself_again_and_has_help(name: str) -> None:
    made = bot(name)
    assert made.spec.partition(":")[0] == name
    assert bot(made.spec) == made
    assert BOTS[name].help.endswith(".")


# What all do: obey.


SIMPLE = [name for name in BOTS if name not in ("best", "perfect")]


def small_sheet(rng: random.Random) -> Rules:
    """Rules made by chance that are solved quickly."""
    while True:
        rules = Rules.parse(random_sheet(rng))
        large = rules.takeover != "never" or rules.scoreless_limit
        if rules.target <= (500 if large else 1000) and rules.dice <= 6 and not (rules.scoreless_limit and rules.floor):
            return rules


@pytest.mark.parametrize("name", SIMPLE)
def test_every_simple_kind_of_bot_does_only_what_is_legal_under_any_rules(name: str) -> None:
    rng, made = random.Random(name), bot(name)
    for _ in range(25):
        for game in games(rng, Rules.parse(random_sheet(rng)), rng.randint(2, 8), 80, table=0.05):
            if game.position.phase in ("start", "choose", "decide"):
                assert made.choose(game.position) in legal_actions(game.position), str(game.position)


@given(sheets(), st.integers(0, 10**6), st.sampled_from(SIMPLE), st.integers(2, 8))
@settings(max_examples=60, deadline=None)
def test_no_sheet_and_no_position_makes_a_simple_bot_do_what_is_not_legal(
    text: str, seed: int, name: str, players: int
) -> None:
    made = bot(name)
    for game in games(random.Random(seed), Rules.parse(text), players, 60, table=0.05):
        if game.position.phase in ("start", "choose", "decide"):
            assert made.choose(game.position) in legal_actions(game.position)


@pytest.mark.parametrize("name", ["best", "perfect"])
def test_every_bot_that_solves_does_only_what_is_legal_under_any_rules(name: str) -> None:
    """In any position, also where others led the game or players have left; with rules it does not refuse."""
    rng, made, played = random.Random(name), bot(name), 0
    while played < 14:
        rules, players = small_sheet(rng), rng.choice((2, 2, 2, 3, 5)) if name == "best" else 2
        try:
            check_bot(made, rules, players)
        except InvalidRules:
            if name == "best":
                raise
            continue
        played += 1
        for game in games(rng, rules, players, 50, table=0.04):
            if game.position.phase in ("start", "choose", "decide"):
                assert made.choose(game.position) in legal_actions(game.position), str(game.position)


@pytest.mark.parametrize("name", SIMPLE)
def test_games_of_every_simple_kind_come_to_an_end(name: str) -> None:
    """All but a few: with two dice, say, a last leg of 1000 may take longer than anybody waits."""
    rng, finished = random.Random(f"end {name}"), 0
    for _ in range(30):
        position = start(Rules.parse(random_sheet(rng)), rng.randint(2, 4))
        finished += play_on(position, bot(name), rng, 6_000).phase == "over"
    assert finished >= 26


def test_games_of_bots_that_solve_come_to_an_end() -> None:
    rng = random.Random("end")
    for _ in range(8):
        players = rng.choice((2, 2, 3))
        position = start(small_sheet(rng), players)
        assert play_on(position, Best(), rng, 6_000).phase == "over", str(position)


def play_on(position: Position, one: Bot, rng: random.Random, most: int) -> Position:
    """Where a game of this bot against itself ends, or stands after ``most`` actions."""
    for _ in range(most):
        if position.to_play is None:
            break
        if position.phase == "roll":
            position = apply(position, Roll(tuple(rng.choices(range(1, 7), k=position.dice_left))))
        else:
            position = apply(position, one.choose(position))
    return position


# What the habits are.


def told(spec: str, line: str) -> object:
    return bot(spec).choose(Position.parse(line))


@pytest.mark.parametrize(("left", "action"), [(0, Bank()), (1, Bank()), (2, RollOn()), (4, RollOn())])
def test_the_beginner_looks_at_the_dice_only(left: int, action: object) -> None:
    for points in (100, 1000):
        assert told("beginner", f"scores=1000/0 phase=decide points={points} left={left} rules=cinq-des") == action


def test_a_table_banks_by_the_dice_to_roll_next_and_the_last_number_holds_for_more() -> None:
    at = "scores=1000/0 phase=decide points={} left={} rules=cinq-des"
    for points, left, action in (
        (250, 1, RollOn()), (300, 1, Bank()), (200, 2, Bank()), (150, 2, RollOn()), (450, 3, RollOn()),
        (500, 4, Bank()), (500, 0, Bank()),
        (450, 0, RollOn()),
    ):  # fmt: skip
        assert told("table:300/200/500", at.format(points, left)) == action


@pytest.mark.parametrize("preset", ["cinq-des", "six-des", "farkle-facebook"])
def test_a_table_without_numbers_is_that_of_the_best_turn(preset: str) -> None:
    rules = PRESETS[preset]
    banks = {line.dice: line.points for line in best_turn(rules, minimum=rules.min_bank).bank_from}
    assert [banks[left or rules.dice] or NEVER for left in range(rules.dice)] == list(Table().bank_from(rules))


def test_the_cautious_one_never_rolls_two_dice_and_banks_earlier_when_ahead() -> None:
    level, ahead = "scores=2000/2000", "scores=3000/2000"
    assert told("cautious", f"{level} phase=decide points=50 left=2 rules=cinq-des") == Bank()
    assert told("cautious", f"{level} phase=decide points=250 left=3 rules=cinq-des") == RollOn()
    assert told("cautious", f"{level} phase=decide points=300 left=3 rules=cinq-des") == Bank()
    assert told("cautious", f"{level} phase=decide points=450 left=0 rules=cinq-des") == RollOn()
    assert told("cautious", f"{ahead} phase=decide points=200 left=3 rules=cinq-des") == Bank()
    assert told("cautious", f"{ahead} phase=decide points=200 left=0 rules=cinq-des") == Bank()


@pytest.mark.parametrize(("other", "banks_from"), [(2000, 500), (2950, 500), (3000, 1000), (3950, 1000), (4000, 2000)])
def test_the_gambler_chases_when_behind(other: int, banks_from: int) -> None:
    line = f"scores=2000/1000/{other} phase=decide points={{}} left=3 rules=cinq-des"
    assert told("gambler", line.format(banks_from - 50)) == RollOn()
    assert told("gambler", line.format(banks_from)) == Bank()


def test_the_gambler_sets_few_dice_aside_until_it_banks_and_rolls_hot_dice() -> None:
    line = "scores=2000/2000 phase=choose points={} left=5 roll=15534 rules=cinq-des"
    assert told("gambler", line.format(0)) == SetAside((1,))
    assert told("gambler", line.format(400)) == SetAside((1, 5, 5))
    assert told("gambler", "scores=2000/2000 phase=decide points=2500 left=0 rules=cinq-des") == RollOn()
    assert told("gambler", "scores=2000/2000 phase=decide points=3000 left=0 rules=cinq-des") == Bank(), "it wins"


def test_the_gambler_announces_where_that_is_played() -> None:
    line = "scores=2000/2000 phase=decide points=300 left=2 rules=cinq-des(prediction=true)"
    assert told("gambler", line) == Announce(100)
    assert told("cautious", line) == Bank()


@pytest.mark.parametrize("spec", ["cautious", "gambler", "greedy"])
def test_in_the_last_turns_nobody_banks_what_does_not_win(spec: str) -> None:
    line = "scores=5200/4500 player=2 reached=1 phase=decide points={} left=2 rules=six-des(tie={})"
    for points, tie, action in (
        (650, "shared", RollOn()), (700, "shared", Bank()), (700, "first", RollOn()), (750, "first", Bank()),
    ):  # fmt: skip
        assert told(spec, line.format(points, tie)) == action


@pytest.mark.parametrize(
    ("spec", "least"), [("beginner", 1), ("cautious", 4), ("gambler", 1), ("steady", 3), ("table", 3)]
)
def test_each_takes_over_with_its_number_of_dice(spec: str, least: int) -> None:
    for left in range(5):
        line = f"scores=1000/0 player=2 phase=start offer=1000x{left}@1 rules=cinq-des(takeover=always)"
        assert told(spec, line) == (TakeOver() if (left or 5) >= least else RollOn())


def test_house_rules_scaled_by_ten_scale_what_is_a_hundred() -> None:
    tens = "cinq-des(1=10, 5=5, 111=100, AAA=10*A, 12345=150, 23456=150, 55555=500, target=500, entry=50)"
    assert told("gambler", f"scores=200/200 phase=decide points=45 left=3 rules={tens}") == RollOn()
    assert told("gambler", f"scores=200/200 phase=decide points=50 left=3 rules={tens}") == Bank()


# Who cannot play says so.


@pytest.mark.parametrize(
    ("rules", "players", "code"),
    [
        ("cinq-des(strike=true)", 2, "bot_needs_solution"),
        ("cinq-des(equal_scores=fall)", 2, "bot_needs_solution"),
        ("cinq-des(takeover=always)", 3, "bot_needs_solution"),
        ("six-des(target=40000, takeover=always)", 2, "bot_game_too_large"),
        ("six-des(entry=450)", 3, "bot_unsolved"),
        ("cinq-des", 5, "bot_unsolved"),
    ],
)
def test_perfect_refuses_what_is_not_solved_and_best_plays_it(rules: str, players: int, code: str) -> None:
    for act in (
        lambda: check_bot(Perfect(), Rules.parse(rules), players),
        lambda: simulate(Rules.parse(rules), ["perfect"] * players, games=1, seed=1),
        lambda: GameTable(Game.new(Rules.parse(rules), NAMES[:players], {"seats": "Ben=perfect"}), save=lambda _: None),
    ):
        with pytest.raises(InvalidRules) as refusal:
            act()
        assert refusal.value.code == code
        assert "take 'best'" in str(refusal.value)


def test_the_simple_bots_load_no_numbers() -> None:
    """Nor does the terminal that seats them; those that compute do when they are made."""
    script = (
        "import sys; from cinqmille.bots import bot; from cinqmille import terminal; {}; print('numpy' in sys.modules)"
    )
    for made, loads in (
        ("[bot(s) for s in ('steady', 'beginner', 'cautious', 'gambler', 'table:300')]", "False"),
        ("bot('greedy')", "True"),
    ):
        assert subprocess.check_output([sys.executable, "-c", script.format(made)], text=True).strip() == loads


# What the threshold bot does.


@pytest.mark.parametrize(("points", "action"), [(300, RollOn()), (350, Bank()), (400, Bank())])
def test_it_banks_as_soon_as_the_turn_has_the_threshold(points: int, action: object) -> None:
    assert decide(f"scores=1000/0 phase=decide points={points} left=2 rules=cinq-des") == action


def test_it_banks_whatever_reaches_the_target() -> None:
    assert decide("scores=4900/0 phase=decide points=100 left=4 rules=cinq-des") == Bank()


@pytest.mark.parametrize(
    "line",
    [
        "scores=0/0 phase=decide points=700 left=1 rules=cinq-des",
        "scores=1000/0 phase=decide points=450 left=1 rules=cinq-des(min_bank=500)",
        "scores=1000/0 phase=decide points=1500 left=0 rules=cinq-des(hot_dice=must)",
        "scores=4000/0 phase=decide points=900 left=1 rules=cinq-des(last_leg=1000)",
    ],
)
def test_it_goes_on_where_it_may_not_bank(line: str) -> None:
    """C054: it reads the same rules as people do."""
    assert decide(line) == RollOn()


def test_it_reads_scaled_house_rules() -> None:
    """C054 as reported: entry 50 and minimum 30 in a game scaled by ten; with 40 points it goes on."""
    tens = "cinq-des(1=10, 5=5, 111=100, AAA=10*A, 12345=150, 23456=150, 55555=500, target=500, entry=50, min_bank=30)"
    assert decide(f"scores=0/0 phase=decide points=40 left=2 rules={tens}", 0) == RollOn()
    assert decide(f"scores=0/0 phase=decide points=50 left=2 rules={tens}", 0) == Bank()
    assert decide(f"scores=100/0 phase=decide points=25 left=2 rules={tens}", 0) == RollOn()
    assert decide(f"scores=100/0 phase=decide points=30 left=2 rules={tens}", 0) == Bank()


def test_it_sets_aside_what_is_worth_most_and_less_near_an_exact_target() -> None:
    assert decide("scores=1000/0 phase=choose roll=15534 left=5 rules=cinq-des") == SetAside((1, 5, 5))
    exact = "rules=cinq-des(exact=true)"
    assert decide(f"scores=4900/0 phase=choose roll=15534 left=5 {exact}") == SetAside((5, 5))
    assert decide(f"scores=4950/0 phase=choose roll=15534 left=5 {exact}") == SetAside((5,))
    assert decide(f"scores=4950/0 phase=choose roll=12234 left=5 {exact}") == SetAside((1,)), "past it, as it must"


@pytest.mark.parametrize(
    ("left", "action"), [(0, TakeOver()), (4, TakeOver()), (3, TakeOver()), (2, RollOn()), (1, RollOn())]
)
def test_it_takes_over_with_at_least_three_dice(left: int, action: object) -> None:
    line = f"scores=1000/0 player=2 phase=start offer=1000x{left}@1 rules=cinq-des(takeover=always)"
    assert decide(line) == action


@given(sheets(), st.integers(0, 10**6), st.integers(0, 2000))
@settings(max_examples=40)
def test_it_does_only_what_is_legal_wherever_a_game_stands(text: str, seed: int, threshold: int) -> None:
    """Also where others, or chance, have led the game: takeovers, announcements that came true, last turns."""
    for game in games(random.Random(seed), Rules.parse(text), 3, 80, table=0.05):
        if game.position.phase in ("start", "choose", "decide"):
            assert Steady(threshold).choose(game.position) in legal_actions(game.position)


def test_c055_the_winning_bank_of_a_bot_is_told_before_the_end() -> None:
    position = Position.parse("scores=4900/0 phase=decide points=100 left=4 rules=cinq-des")
    events = do(position, Steady().choose(position)).events
    assert events == (Banked(0, 100, 100, 5000), Won((0,), "target"))
