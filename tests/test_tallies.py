"""Faces and busts counted, and both tests, against integration, counting by hand, and fair and loaded dice."""

import random
from collections import Counter
from itertools import product
from math import erfc, exp, gamma, sqrt

import pytest

from cinqmille import attested
from cinqmille.actions import Roll
from cinqmille.dice import SeededDice
from cinqmille.odds import odds
from cinqmille.record import Game
from cinqmille.rules import Rules
from cinqmille.scoring import score
from cinqmille.tallies import FEWEST_DICE, Tally, by_seat, chi_square_tail, together
from cinqmille.words import Words
from playing import NAMES, games, player_action


def drawn(seed: int, rules: Rules, players: int = 3) -> Game:
    """A game with seeded dice, played by chance."""
    rng, dice, number = random.Random(seed), SeededDice(str(seed)), 0
    game = Game.new(rules, NAMES[:players])
    while game.position.phase != "over":
        if game.position.phase == "roll":
            game = game.play(Roll(dice.roll(number, game.position.dice_left)))
            number += 1
        else:
            game = game.play(player_action(rng, game.position))
    return game


# The laws


@pytest.mark.parametrize(
    ("x", "chance"),
    # A table of the chi-square law with 5 degrees of freedom.
    [(0.0, 1.0), (0.554, 0.99), (1.145, 0.95), (1.610, 0.90), (4.351, 0.50), (9.236, 0.10), (11.070, 0.05),
     (12.833, 0.025), (15.086, 0.01), (16.750, 0.005), (20.515, 0.001)],
)  # fmt: skip
def test_the_tail_is_that_of_the_tables(x: float, chance: float) -> None:
    assert chi_square_tail(x) == pytest.approx(chance, abs=0.0005 if chance > 0.2 else 0.00005)


def test_the_tail_is_the_integral_of_the_density() -> None:
    def density(x: float) -> float:
        return float(x**1.5 * exp(-x / 2) / (2**2.5 * gamma(2.5)))

    width = 0.001
    below = 0.0
    for step in range(20_000):
        if step % 1_000 == 0:
            assert chi_square_tail(step * width) == pytest.approx(1 - below, abs=1e-7)
        below += density((step + 0.5) * width) * width


def test_the_tail_stays_a_chance_far_out() -> None:
    found = [chi_square_tail(x) for x in (0.0, 1e-12, 0.1, 10, 100, 1e3, 1e6, 1e300)]
    assert found == sorted(found, reverse=True)
    assert all(0.0 <= chance <= 1.0 for chance in found)


# Counting


@pytest.mark.parametrize("rules", ["cinq-des", "six-des", "cinq-des(prediction=true, takeover=always, exact=true)"])
@pytest.mark.parametrize("players", [2, 5])
def test_a_game_is_counted_roll_by_roll(rules: str, players: int) -> None:
    rng = random.Random(7)
    for seed in range(3):
        *_, game = games(random.Random(seed), Rules.parse(rules), players, most=rng.randrange(100, 300))
        counts = [Counter[int]() for _ in range(players)]
        rolls, busts, chances = [0] * players, [0] * players, [[0.0] for _ in range(players)]
        for before, action, _ in game.steps():
            if isinstance(action, Roll):
                seat = before.to_play
                assert seat is not None
                counts[seat].update(action.dice)
                rolls[seat] += 1
                busts[seat] += score(game.rules, action.dice).bust
                every = list(product(range(1, 7), repeat=len(action.dice))) if len(action.dice) < 4 else []
                bust = (
                    sum(score(game.rules, dice).bust for dice in every) / len(every)
                    if every
                    else float(odds(game.rules, len(action.dice)).bust)
                )
                chances[seat].append(bust)
        for seat, tally in enumerate(by_seat(game)):
            assert tally.faces == tuple(counts[seat][face] for face in range(1, 7))
            assert (tally.rolls, tally.busts, tally.dice) == (rolls[seat], busts[seat], counts[seat].total())
            assert tally.expected == pytest.approx(sum(chances[seat]))
            assert tally.variance == pytest.approx(sum(p * (1 - p) for p in chances[seat]))
        assert together(by_seat(game)).rolls == sum(rolls)


def test_turns_typed_as_points_have_no_dice() -> None:
    game = Game.parse("rules: cinq-des\nplayers: Ana, Ben\nAna: =1000\nBen: =0\nAna: 15534>155 24>-\n")
    ana, ben = by_seat(game)
    assert ben == Tally()
    assert (ana.faces, ana.rolls, ana.busts) == ((1, 1, 1, 2, 2, 0), 2, 1)


def test_tallies_add_up() -> None:
    one, two = Tally((1, 2, 3, 4, 5, 6), 7, 2, 2.5, 1.25), Tally((6, 5, 4, 3, 2, 1), 5, 1, 1.5, 0.75)
    assert one + two == two + one == together([one, Tally(), two]) == Tally((7,) * 6, 12, 3, 4.0, 2.0)
    assert together([]) == Tally()


# The tests


def test_known_values() -> None:
    tally = Tally((10, 20, 10, 10, 5, 5), 30, 20, 12.0, 4.0)
    assert tally.chi_square == pytest.approx(15.0)  # 10 dice out of place, squared, and twice 5: 150 / 10
    assert tally.faces_chance == pytest.approx(0.010362, abs=1e-6)
    assert tally.busts_z == pytest.approx(4.0)
    assert tally.busts_chance == pytest.approx(6.334e-5, rel=1e-3)
    even = Tally((10,) * 6, 30, 12, 12.0, 4.0)
    assert (even.chi_square, even.faces_chance, even.busts_z, even.busts_chance) == (0.0, 1.0, 0.0, 1.0)


def test_too_little_is_not_tested() -> None:
    few = Tally((5, 5, 5, 5, 5, FEWEST_DICE - 26), 8, 2, 2.0, 1.5)
    assert (few.faces_chance, few.busts_z, few.busts_chance) == (None, None, None)
    assert (few + Tally((1, 0, 0, 0, 0, 0))).faces_chance is not None
    assert Tally().chi_square == 0.0
    assert Tally().busts_z is None


def test_fair_dice_pass_as_often_as_they_should() -> None:
    """Over 400 games the chances are spread evenly from 0 to 1, however the games were played."""
    rules = Rules.parse("cinq-des(target=4000, entry=0)")
    tallies = [together(by_seat(drawn(seed, rules))) for seed in range(400)]
    for chances in ([t.faces_chance for t in tallies], [t.busts_chance for t in tallies]):
        found = [chance for chance in chances if chance is not None]
        assert len(found) > 380  # some games are over too soon for a test
        for level in (0.05, 0.25, 0.5, 0.75):
            below = sum(chance < level for chance in found)
            assert abs(below - len(found) * level) < 4 * sqrt(len(found) * level * (1 - level))
    every = together(tallies)
    assert every.dice > 50_000
    assert every.faces_chance is not None
    assert every.faces_chance > 0.001
    assert every.busts_chance is not None
    assert every.busts_chance > 0.001


def test_loaded_dice_are_found() -> None:
    """Six twice as often as it should: in a hundred dice nine times out of ten, as the documentation says."""
    rng = random.Random(1)
    found = 0
    for _ in range(500):
        counts = Counter(rng.choices(range(1, 7), (2, 2, 2, 2, 2, 5), k=100))
        chance = Tally(tuple(counts[face] for face in range(1, 7))).faces_chance
        assert chance is not None
        found += chance < 0.05
    assert 0.85 < found / 500 < 0.95


# In words


@pytest.mark.parametrize(
    ("tally", "english", "french"),
    [
        (Tally(), "0 dice thrown", "0 dé lancé"),
        (Tally((5, 5, 5, 5, 5, 4), 8, 1, 2.0, 1.5), "too few", "trop peu"),
        (Tally((200, 190, 210, 200, 195, 205), 300, 80, 81.2, 60.0), "nothing unusual", "rien d'inhabituel"),
        (Tally((10, 20, 10, 10, 5, 5), 30, 20, 15.0, 4.0), "rather rare", "plutôt rare"),
        (Tally((1000, 10, 10, 10, 10, 10), 300, 300, 80.0, 60.0), "less than 0.1%", "moins de 0,1\u202f%"),
    ],
)
def test_tests_are_told(tally: Tally, english: str, french: str) -> None:
    for lang, part in (("en", english), ("fr", french)):
        words = Words(lang)
        told = " ".join([*attested.faces(tally, words), *attested.busts(tally, words)])
        assert part in told
        assert words.number(tally.busts) in told
        assert all(words.number(count) in told for count in tally.faces)
        assert "{" not in told


def test_what_it_means_is_told() -> None:
    assert len(attested.meaning(Words("en"))) == len(attested.meaning(Words("fr"))) == 3
    assert "cannot show" in attested.meaning(Words("en"))[1]


def test_the_busts_chance_is_two_sided() -> None:
    more, less = Tally(busts=16, expected=12.0, variance=4.0), Tally(busts=8, expected=12.0, variance=4.0)
    assert more.busts_chance == less.busts_chance == pytest.approx(erfc(2 / sqrt(2)))
