"""The chances of one roll are exact: published fractions, and a count over every ordered roll (RULES §3)."""

import itertools
from collections import Counter
from fractions import Fraction

import pytest

import referee
from cinqmille import PRESETS, IllegalAction, Rules, odds

BUSTS = ("2/3", "4/9", "5/18", "17/108", "25/324")


@pytest.mark.parametrize(
    ("name", "busts"),
    [
        ("cinq-des", BUSTS),
        ("six-des", (*BUSTS, "5/216")),
        ("farkle-facebook", (*BUSTS, "5/216")),
        ("farkle-minimal", (*BUSTS, "5/162")),
    ],
)
def test_published_chances_of_a_bust(name: str, busts: tuple[str, ...]) -> None:
    rules = PRESETS[name]
    assert tuple(str(odds(rules, dice).bust) for dice in range(1, rules.dice + 1)) == busts


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("cinq-des", ("25.00", "50.00", "86.81", "141.32", "259.28")),
        ("six-des", ("25.00", "50.00", "86.81", "143.52", "225.79", "420.33")),
    ],
)
def test_mean_best_values_of_rules_3_with_five_ones_counted_1200(name: str, means: tuple[str, ...]) -> None:
    rules = PRESETS[name]
    found = [odds(rules, dice) for dice in range(1, rules.dice + 1)]
    assert tuple(f"{float(o.mean_best + 1200 * o.wins):.2f}" for o in found) == means


SPECS = (
    "cinq-des",
    "six-des(AAAA=none, blank_roll=500, dice=4)",
    "cinq-des(keep=all, 55=win, dice=3)",
    "cinq-des(A=10*A)",
    "six-des",
    "zilch",
)


@pytest.mark.parametrize("spec", SPECS)
def test_every_chance_agrees_with_a_count_over_all_ordered_rolls(spec: str) -> None:
    rules, judged = Rules.parse(spec), referee.parse_rules(spec)
    for dice in range(1, rules.dice + 1):
        law: Counter[int] = Counter()
        wins = full = 0
        for roll in itertools.product(range(1, 7), repeat=dice):
            keeps = referee.brute_keeps(judged, roll)
            if referee.wins(judged, roll):
                wins += 1
                full += 1
            else:
                law[max(keeps.values(), default=0)] += 1
                full += tuple(sorted(roll)) in keeps
        found, total = odds(rules, dice), 6**dice
        assert found.points == {points: Fraction(ways, total) for points, ways in law.items()}
        assert (found.bust, found.wins, found.full) == tuple(Fraction(n, total) for n in (law[0], wins, full))
        assert found.mean_best == sum(points * chance for points, chance in found.points.items())
        assert sum(found.points.values()) + found.wins == 1


@pytest.mark.parametrize("dice", [0, 6, -1])
def test_a_number_of_dice_this_game_never_rolls_is_refused_with_those_it_does(dice: int) -> None:
    with pytest.raises(IllegalAction, match="1 to 5") as refusal:
        odds(PRESETS["cinq-des"], dice)
    assert refusal.value.code == "odds_dice"


@pytest.mark.parametrize(
    ("name", "value"), [("cinq-des", "324/349"), ("six-des", "216/221"), ("farkle-minimal", "162/167")]
)
def test_the_mover_at_the_last_point_wins_with_the_published_chance(name: str, value: str) -> None:
    """reference_values.json: both need one scoring roll, so the mover wins with 1/(1+p), p the chance of a bust."""
    rules = PRESETS[name]
    assert 1 / (1 + odds(rules, rules.dice).bust) == Fraction(value)


@pytest.mark.parametrize("name", PRESETS)
def test_the_chances_of_every_sheet_are_whole(name: str) -> None:
    rules = PRESETS[name]
    for dice in range(1, rules.dice + 1):
        found = odds(rules, dice)
        assert found.bust == found.points.get(0, 0)
        assert 0 <= found.wins <= found.full <= 1 - found.bust
        assert sum(found.points.values()) + found.wins == 1
        assert list(found.points) == sorted(found.points)
        assert all(points % rules.step == 0 and chance > 0 for points, chance in found.points.items())
