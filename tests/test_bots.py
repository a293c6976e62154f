"""Players that are programs: the registry, the spec string, and what the threshold bot does (C054, C055)."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cinqmille import Bank, InvalidText, Position, RollOn, Rules, SetAside, TakeOver, do, legal_actions
from cinqmille.actions import Banked, Won
from cinqmille.bots import BOTS, Steady, bot
from playing import games
from sheets import random_sheet, sheets


def decide(line: str, threshold: int = 350) -> object:
    return Steady(threshold).choose(Position.parse(line))


# The registry.


MADE = [
    ("steady", Steady(350)), ("steady:500", Steady(500)), (" steady:0 ", Steady(0)), ("steady: 50", Steady(50)),
    ("steady:", Steady(350)),
]  # fmt: skip
UNKNOWN = [
    "", "stead", "Steady", "steady:x", "steady:-50", "steady:1.5", "steady:1e3", "steady:²", "steady:50:50", ":50",
    "steady:" + "9" * 5000,
]  # fmt: skip


@pytest.mark.parametrize(("spec", "made"), MADE)
def test_a_bot_is_made_from_its_spec(spec: str, made: Steady) -> None:
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


@pytest.mark.parametrize("name", BOTS)
def test_every_kind_of_bot_does_only_what_is_legal_under_any_rules(name: str) -> None:
    rng, made = random.Random(name), bot(name)
    for _ in range(12):
        for game in games(rng, Rules.parse(random_sheet(rng)), 3, 60, table=0.05):
            if game.position.phase in ("start", "choose", "decide"):
                assert made.choose(game.position) in legal_actions(game.position), str(game.position)


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
