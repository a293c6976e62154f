"""What is told after a game, against games small enough to be worked out by hand."""

from fractions import Fraction

import pytest

from cinqmille.odds import odds
from cinqmille.record import Game
from cinqmille.rules import PRESETS
from cinqmille.story import story


def told(*turns: str, rules: str = "cinq-des", players: str = "Ana, Ben") -> Game:
    return Game.parse("\n".join([f"rules: {rules}", f"players: {players}", *turns]) + "\n")


def test_one_bank_and_one_bust() -> None:
    # Ana: 1 1 1 and nothing else on five dice, banked. Ben: a bust on five dice.
    found = story(told("Ana: 11123>111 =1000", "Ben: 22346>-"))
    ana, ben = found.players
    assert found.turns == 2
    assert (ana.turns, ana.banked, ana.best_turn, ana.busts, ana.rolls, ana.mean) == (1, 1000, 1000, 0, 1, 1000.0)
    assert (ben.turns, ben.banked, ben.best_turn, ben.busts, ben.rolls, ben.mean) == (1, 0, 0, 1, 1, 0.0)
    assert ana.totals == [(0, 0), (1, 1000)]
    assert ben.totals == [(0, 0), (2, 0)]
    # RULES §3: 600 of 7776 rolls of five dice are busts.
    assert ana.busts_expected == ben.busts_expected == pytest.approx(600 / 7776)


def test_luck_is_what_the_dice_offered_beyond_their_mean_however_they_were_played() -> None:
    # The means of RULES §3: 25 for one die, 50 for two, 86.81 for three, 141.32 for four.
    found = story(told("Ana: 15534>5 1566>1 122>1 52>5 3>-"))
    means = [float(odds(PRESETS["cinq-des"], count).mean_best) for count in (5, 4, 3, 2, 1)]
    assert means[1:] == pytest.approx([141.32, 86.81, 50.0, 25.0], abs=0.005)
    offered = [200, 150, 100, 50, 0]  # 155, 15, 1, 5 and a bust
    assert found.players[0].luck == pytest.approx(sum(offered) - sum(means))
    busts = [Fraction(600, 7776), Fraction(204, 1296), Fraction(60, 216), Fraction(16, 36), Fraction(4, 6)]
    assert found.players[0].busts_expected == pytest.approx(float(sum(busts)))
    assert found.players[0].rolls == 5
    assert found.players[0].busts == 1


def test_luck_is_nobodys_on_average() -> None:
    # Over all rolls of two dice, equally often, luck adds up to nothing.
    means = float(odds(PRESETS["cinq-des"], 2).mean_best)
    luck = 0.0
    for first in range(1, 7):
        for second in range(1, 7):
            best = {1: 100, 5: 50}.get(first, 0) + {1: 100, 5: 50}.get(second, 0)
            luck += best - means
    assert luck == pytest.approx(0.0)


def test_hot_dice_are_counted_once_each() -> None:
    found = story(told("Ana: 12345>12345 23456>23456 11123>111 =4000"))
    assert found.players[0].hot_dice == 2
    assert found.players[0].best_turn == 4000


def test_falls_stand_in_the_totals_at_the_turn_that_caused_them() -> None:
    found = story(told("Ana: =1000", "Ben: =1000", rules="cinq-des(equal_scores=fall)"))
    assert found.players[0].totals == [(0, 0), (1, 1000), (2, 0)]
    assert found.players[0].falls == 1
    assert found.players[1].totals == [(0, 0), (2, 1000)]


def test_a_strike_is_a_fall_after_a_turn_without_points() -> None:
    found = story(told("Ana: =1000", "Ben: =0", "Ana: 22346>-", rules="cinq-des(strike=true)"))
    assert found.players[0].totals == [(0, 0), (1, 1000), (3, 1000), (3, 0)]
    assert (found.players[0].turns, found.players[0].falls) == (2, 1)


def test_a_capped_turn_counts_what_it_added_and_shows_what_it_was() -> None:
    found = story(told("Ana: =3500", "Ben: =0", "Ana: 11123>111 =500", rules="cinq-des(last_leg=1000)"))
    assert (found.players[0].banked, found.players[0].best_turn) == (4000, 3500)
    assert found.players[0].totals[-1] == (3, 4000)


def test_typed_turns_have_no_dice_and_so_no_luck() -> None:
    found = story(told("Ana: =800", "Ben: =0"))
    assert all((one.rolls, one.luck, one.busts_expected) == (0, 0.0, 0.0) for one in found.players)


def test_a_roll_that_wins_at_once_is_a_turn_and_no_luck_in_points() -> None:
    found = story(told("Ana: 11123>111 =1000", "Ben: 11111"))
    assert found.turns == 2
    assert (found.players[1].turns, found.players[1].rolls, found.players[1].luck) == (1, 1, 0.0)
    assert found.players[1].totals == [(0, 0), (2, 0)]


def test_turns_missed_are_no_turns() -> None:
    found = story(told("Ana: skip", "Ben: =800"))
    assert (found.players[0].turns, found.turns) == (0, 1)
