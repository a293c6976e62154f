"""One turn by itself: published numbers, brute force in fractions from the referee's menus, and play in the core."""

from __future__ import annotations

import itertools
import math
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import referee
from cinqmille import PRESETS, Bank, IllegalAction, InvalidRules, Roll, RollOn, Rules, SetAside, apply, start
from cinqmille.game import legal_keeps
from cinqmille.turn import (
    BANK,
    ROLL,
    BankFrom,
    Policy,
    Turn,
    TurnLaw,
    best_turn,
    by_dice,
    chances_to_reach,
    reach_turn,
    steady,
    turn_law,
)

ROOT = Path(__file__).parents[1]
FACEBOOK = PRESETS["farkle-facebook"]


# Published: R. McKenna, A Sound Strategy for Farkle Dice (the scoring of Facebook Farkle, no minima)


def test_the_mean_of_a_turn_is_the_published_one() -> None:
    assert round(best_turn(FACEBOOK).mean, 3) == 548.858


@pytest.mark.parametrize(
    ("points", "dice", "published"),
    [
        (300, 6, 802.000),
        (350, 5, 596.220),
        (500, 4, 582.157),
        (250, 3, 293.400),
        (200, 2, 221.706),
        (250, 1, 274.669),
    ],
)
def test_the_worth_of_a_state_is_the_published_one(points: int, dice: int, published: float) -> None:
    turn = best_turn(FACEBOOK)
    # The paper's table gives (300, 6) as 802.000; to nine digits it is 801.999506, which rounds to it.
    assert turn.rolling(points, dice) == pytest.approx(published, abs=5.1e-4)
    assert turn.value(points, dice) == turn.rolling(points, dice)
    assert turn.choice(points, dice) == ROLL


def test_five_dice_are_banked_above_3000() -> None:
    turn = best_turn(FACEBOOK)
    assert (turn.choice(3000, 5), turn.choice(3050, 5)) == (ROLL, BANK)
    assert [line.points for line in turn.bank_from] == [300, 250, 450, 1050, 3050, 16400]
    assert not any(line.exceptions for line in turn.bank_from)


# Brute force: no number of the package, menus by the referee

Menu = tuple[tuple[int, int], ...]  # points, dice to roll next


def menus_of(rules: referee.Rules, count: int) -> tuple[Counter[Menu], int, int]:
    """The menus of ``count`` dice with their ways, and the ways to bust and to win."""
    found: Counter[Menu] = Counter()
    busts = wins = 0
    for dice in itertools.combinations_with_replacement(referee.FACES, count):
        ways = math.factorial(count) // math.prod(math.factorial(dice.count(face)) for face in referee.FACES)
        keeps = referee.brute_keeps(rules, dice)
        if referee.wins(rules, dice):
            wins += ways
        elif not keeps:
            busts += ways
        else:
            best: dict[tuple[int, int], None] = {}
            for aside, points in keeps.items():
                best[points, count - len(aside) or rules["dice"]] = None
            found[tuple(sorted(best))] += ways
    return found, busts, wins


class Brute:
    """A turn in whole numbers or fractions, row by row from ``cut`` points down, where everybody banks.

    ``unit`` is what 1 is written as: ``Fraction(1)``, or a large whole number, for decimals in plenty.
    """

    def __init__(
        self,
        text: str,
        worth: Callable[[int], int],
        wins: Callable[[int], int],
        *,
        cut: int,
        minimum: int = 0,
        target: int | None = None,
        unit: Any = Fraction(1),
    ) -> None:
        self.rules = rules = referee.parse_rules(text)
        self.unit = unit
        self.target = rules["target"] if target is None else target
        self.minimum = minimum
        self.menus = {count: menus_of(rules, count) for count in range(1, rules["dice"] + 1)}
        self.roll: dict[tuple[int, int], Any] = {}
        self.after: dict[tuple[int, int], Any] = {}
        self.worth, self.cut = worth, cut
        step = referee.step(rules)
        for points in range(cut - cut % step, -1, -step):
            for dice, (menus, _, winning) in self.menus.items():
                total = winning * wins(points) * unit
                for menu, ways in menus.items():
                    total += ways * max(self.then(points + p, n) for p, n in menu)
                self.roll[points, dice] = self.parts(total, dice)
            for dice in self.menus:
                values = [self.roll[points, dice]]
                if self.may_bank(points, dice):
                    values.append(worth(points) * unit)
                if rules["prediction"] and dice == 2 and points:
                    values += [self.announced(points, k) for k in referee.ANNOUNCEMENTS]
                self.after[points, dice] = max(values)

    def parts(self, total: Any, dice: int) -> Any:
        return total / 6**dice if isinstance(self.unit, Fraction) else total // 6**dice

    def then(self, points: int, dice: int) -> Any:
        return self.after[points, dice] if points <= self.cut else self.worth(points) * self.unit

    def may_bank(self, points: int, dice: int) -> bool:
        hot = self.rules["hot_dice"] == "must" and dice == self.rules["dice"] and points < self.target
        return points > 0 and points >= self.minimum and not hot

    def announced(self, points: int, said: int) -> Any:
        menus, _, winning = self.menus[2]
        total = winning * self.unit * 0
        for menu, ways in menus.items():
            if max(p for p, _ in menu) == said:
                total += ways * max(self.then(2 * (points + p), n) for p, n in menu if p == said)
            else:
                total += ways * max(self.then(points + p, n) for p, n in menu)
        return self.parts(total, 2)


def most_points(text: str, *, cut: int, target: int, minimum: int = 0, unit: Any = Fraction(1)) -> Brute:
    return Brute(
        text, lambda t: t, lambda t: max(t, target), cut=cut, minimum=minimum, target=target, unit=unit
    )  # fmt: skip


def at_least(text: str, goal: int, *, cut: int, target: int, unit: Any = Fraction(1)) -> Brute:
    return Brute(text, lambda t: int(t >= goal), lambda t: 1, cut=cut, target=target, unit=unit)


SMALL = [
    "cinq-des(dice=1)",
    "cinq-des(dice=2)",
    "cinq-des(dice=3)",
    "cinq-des(dice=3, keep=all)",
    "cinq-des(dice=2, hot_dice=must)",
    "cinq-des(dice=3, hot_dice=must, AAA=win)",
    "cinq-des(dice=2, blank_roll=250, AA=100)",
    "cinq-des(dice=3, blank_roll=100, hot_dice=must)",
    "cinq-des(dice=2, 1=none, 12=win, AA=200)",
    "six-des(dice=3, 2=50, 11=400)",
]


@pytest.mark.parametrize("minimum", [0, 200])
@pytest.mark.parametrize("text", SMALL)
def test_the_most_points_by_brute_force_in_fractions(text: str, minimum: int) -> None:
    turn = best_turn(Rules.parse(text), minimum=minimum, target=600)
    # Where all dice never bust a turn can be long, and a low cut is felt.
    brute = most_points(text, cut=24_000 if "blank" in text else 3000, minimum=minimum, target=600)
    assert turn.mean == pytest.approx(float(brute.roll[0, turn.rules.dice]), abs=1e-9)
    for points, line in itertools.product(range(50, 1001, 50), turn.bank_from):
        assert turn.rolling(points, line.dice) == pytest.approx(float(brute.roll[points, line.dice]), abs=1e-9)
        assert turn.value(points, line.dice) == pytest.approx(float(brute.after[points, line.dice]), abs=1e-9)


def test_thresholds_are_where_brute_force_banks() -> None:
    text = "cinq-des(dice=3, 2=50)"
    turn, brute = best_turn(Rules.parse(text)), most_points(text, cut=3000, target=5000)
    for line in turn.bank_from:
        banks = [points for points in range(50, 2001, 50) if brute.roll[points, line.dice] <= points]
        assert line.points is not None
        assert banks == list(range(line.points, 2001, 50))
        assert line.exceptions == ()


@pytest.mark.parametrize(
    "text", ["cinq-des", "cinq-des(prediction=true)", "cinq-des(prediction=true, keep=all, AA=50)"]
)
def test_five_dice_by_brute_force(text: str) -> None:
    unit = 10**40
    turn = best_turn(Rules.parse(text))
    brute = most_points(text, cut=10_000, target=5000, unit=unit)
    if "AA" not in text:  # there an announcement pays for ever, and a cut is felt
        assert turn.mean == pytest.approx(float(Fraction(brute.roll[0, 5], unit)), abs=1e-9)
        for points, dice in [(50, 1), (350, 3), (500, 2), (700, 4), (900, 5), (2000, 2)]:
            assert turn.value(points, dice) == pytest.approx(float(Fraction(brute.after[points, dice], unit)), abs=1e-9)
    goal = at_least(text, 750, cut=750, target=5000, unit=unit)
    assert reach_turn(turn.rules, 750).mean == pytest.approx(float(Fraction(goal.roll[0, 5], unit)), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_by_brute_force(name: str) -> None:
    unit = 10**40
    turn = best_turn(PRESETS[name])
    brute = most_points(name, cut=25_000, target=turn.target, unit=unit)  # no sheet rolls on above that
    for (points, dice), exact in brute.roll.items():
        if points <= turn.points[-1]:
            assert turn.rolling(points, dice) == pytest.approx(float(Fraction(exact, unit)), rel=1e-12)


COMBINATIONS = (
    *("1=none", "5=none", "2=50", "3=100", "6=150", "AA=100", "AA=50*A", "11=400", "66=none", "12=win", "AAA=none"),
    *("AAA=win", "AAA=200*A", "111=300", "AAB=250", "ABC=150", "123=500", "246=200"),
)


def small_sheet(rng: random.Random) -> tuple[str, Rules]:
    """A sheet of one to three dice that can be played."""
    while True:
        dice = rng.randint(1, 3)
        items = {c.partition("=")[0]: c for c in rng.sample(COMBINATIONS, rng.randint(0, 4))}
        listed = [c for pattern, c in items.items() if len(pattern) <= dice]
        listed += [f"hot_dice={rng.choice(('may', 'must'))}", f"keep={rng.choice(('any', 'any', 'all'))}"]
        listed.append(f"blank_roll={rng.choice((0, 0, 0, 100, 250))}")
        text = f"cinq-des(dice={dice}, entry=0, target=500, {', '.join(listed)})"
        try:
            return text, Rules.parse(text)
        except InvalidRules:
            continue


@pytest.mark.parametrize("seed", range(40))
def test_random_sheets_by_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    text, rules = small_sheet(rng)
    target, minimum, unit = rng.choice((100, 250, 600)), rng.choice((0, 100, 300)), 10**40
    turn = best_turn(rules, minimum=minimum, target=target)
    brute = most_points(text, cut=20_000, minimum=minimum, target=target, unit=unit)
    exact = float(Fraction(brute.roll[0, rules.dice], unit))
    if math.isinf(turn.mean):
        assert exact > 1000  # as far as the cut lets it grow
    else:
        assert turn.mean == pytest.approx(exact, rel=1e-9)
        adds_up(turn.law())
        assert turn.law().mean == pytest.approx(exact, rel=1e-9)
    goal = at_least(text, 350, cut=max(350, target), target=target, unit=unit)
    chance = float(Fraction(goal.roll[0, rules.dice], unit))
    assert reach_turn(rules, 350, target=target).mean == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize("text", ["cinq-des(dice=3)", "cinq-des(dice=3, hot_dice=must)", "cinq-des(dice=2, AA=200)"])
def test_the_chance_to_reach_every_k_by_brute_force(text: str) -> None:
    rules = Rules.parse(text)
    found = chances_to_reach(rules, 1500, target=600)
    assert found.points.tolist() == list(range(50, 1501, 50))
    for points, chance in zip(found.points.tolist(), found.chance.tolist(), strict=True):
        brute = at_least(text, points, cut=max(points, 600), target=600)
        assert chance == pytest.approx(float(brute.roll[0, rules.dice]), abs=1e-12)
        turn = reach_turn(rules, points, target=600)
        assert turn.mean == pytest.approx(chance, abs=1e-12)
        assert turn.law().at_least(points) == pytest.approx(chance, abs=1e-12)
    assert found.at(320) == found.at(350)
    assert (np.diff(found.chance) <= 1e-15).all()


def test_a_prediction_helps_to_reach() -> None:
    plain, said = (
        chances_to_reach(Rules.parse(f"cinq-des(prediction={flag})"), 1000).chance for flag in ("false", "true")
    )
    assert (said >= plain - 1e-15).all()
    assert said[14] > plain[14]


# The law

Stops = Callable[[int, int], bool]


def brute_law(rules: referee.Rules, stops: Stops, *, target: int) -> dict[int, Fraction]:
    """The chances to bank each number of points, 0 a bust and -1 a win at once, for whoever keeps most points."""
    law: defaultdict[int, Fraction] = defaultdict(Fraction)
    rolls: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction, {(0, rules["dice"]): Fraction(1)})
    all_menus = {count: menus_of(rules, count) for count in range(1, rules["dice"] + 1)}
    while rolls:
        points, dice = min(rolls)
        chance = rolls.pop((points, dice)) / 6**dice
        if chance < Fraction(1, 10**18):
            continue
        menus, busts, winning = all_menus[dice]
        law[0] += chance * busts
        law[-1] += chance * winning
        for menu, ways in menus.items():
            most = max(p for p, _ in menu)
            left = min((n % rules["dice"] for p, n in menu if p == most)) or rules["dice"]
            hot = rules["hot_dice"] == "must" and left == rules["dice"] and points + most < target
            if stops(points + most, left) and not hot:
                law[points + most] += chance * ways
            else:
                rolls[points + most, left] += chance * ways
    return law


TABLE = {1: 150, 2: 200, 3: 300}


@pytest.mark.parametrize(
    ("policy", "stops"),
    [
        (steady(250), lambda points, dice: points >= 250),
        (by_dice(TABLE), lambda points, dice: points >= TABLE[dice]),
        (by_dice({**TABLE, 3: None}), lambda points, dice: dice < 3 and points >= TABLE[dice]),
    ],
    ids=["steady", "by dice", "hot dice always rolled"],
)
@pytest.mark.parametrize("text", ["cinq-des(dice=3)", "cinq-des(dice=3, hot_dice=must, AAA=win, keep=all)"])
def test_the_law_by_brute_force(text: str, policy: Policy, stops: Stops) -> None:
    law = turn_law(Rules.parse(text), policy, target=400)
    brute = brute_law(referee.parse_rules(text), stops, target=400)
    ours = dict(zip(law.points.tolist(), law.chance.tolist(), strict=True)) | {0: law.bust, -1: law.win}
    for points in {*ours, *brute}:
        assert ours.get(points, 0.0) == pytest.approx(float(brute[points]), abs=1e-12)
    adds_up(law)


def adds_up(law: TurnLaw) -> None:
    assert float(law.chance.sum()) + law.bust + law.win + law.beyond == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset(name: str) -> None:
    rules = PRESETS[name]
    turn = best_turn(rules)
    law = turn.law()
    adds_up(law)
    assert law.mean == pytest.approx(turn.mean, abs=1e-9)
    assert law.beyond < 1e-15
    plain = turn_law(rules, steady(350))
    adds_up(plain)
    assert plain.mean < turn.mean
    assert turn_law(rules, by_dice(turn.bank_from, worth=turn.policy.worth)).mean == pytest.approx(turn.mean, abs=1e-9)
    opening = best_turn(rules, minimum=rules.entry)
    assert opening.mean <= turn.mean + 1e-9
    assert opening.law().points.min() >= rules.entry
    chances = chances_to_reach(rules, 2000)
    assert (np.diff(chances.chance) <= 1e-12).all()
    entry = reach_turn(rules, rules.entry)
    adds_up(entry.law())
    assert entry.law().at_least(rules.entry) == pytest.approx(entry.mean, abs=1e-12)
    assert entry.mean >= max(opening.law().at_least(rules.entry), plain.at_least(rules.entry)) - 1e-12


def test_a_law_can_begin_within_a_turn() -> None:
    turn = best_turn(PRESETS["six-des"])
    law = turn.law(points=700, dice=4)
    adds_up(law)
    assert law.mean == pytest.approx(turn.rolling(700, 4), abs=1e-9)
    assert law.points.min() >= 750


@pytest.mark.parametrize(
    ("text", "dice"), [("six-des(dice=8)", 8), ("six-des(dice=7, blank_roll=500)", 7), ("cinq-des(dice=4)", 4)]
)
def test_other_numbers_of_dice(text: str, dice: int) -> None:
    turn = best_turn(Rules.parse(text))
    law = turn.law()
    adds_up(law)
    assert law.mean == pytest.approx(turn.mean, abs=1e-9)
    # Where all dice never bust, they are never banked.
    assert (turn.bank_from[dice - 1].points is None) == (dice > 4)


def test_exceptions_are_ranges_below_the_threshold() -> None:
    turn = best_turn(PRESETS["cinq-des"])
    action = turn.action.copy()
    action[[2, 3, 6], 4] = BANK
    (line,) = (line for line in replace(turn, action=action).bank_from if line.dice == 4)
    assert line == BankFrom(4, 950, ((100, 150), (300, 300)))
    free = best_turn(PRESETS["zilch"])
    action = free.action.copy()
    action[-1, 6] = BANK
    last = int(free.points[-1])
    assert replace(free, action=action).bank_from[5] == BankFrom(6, None, ((last, last),))


# Turns without limit


def test_a_turn_that_never_busts_has_no_limit() -> None:
    rules = Rules.parse("cinq-des(dice=2, 2=50, 3=50, 4=50, 6=50)")
    turn = best_turn(rules)
    assert turn.mean == turn.rolling(50, 1) == turn.value(50, 2) == math.inf
    assert len(turn.points) == 0
    assert [line.points for line in turn.bank_from] == [None, None]
    law = turn.law()
    assert law.beyond == pytest.approx(1.0)
    assert law.bust == 0.0
    adds_up(law)
    assert reach_turn(rules, 5000).mean == pytest.approx(1.0)
    plain = turn_law(rules, steady(300))
    adds_up(plain)
    assert plain.beyond == plain.bust == 0.0
    assert 300 <= plain.mean < 500


def test_announcements_that_pay_for_ever_have_no_limit() -> None:
    assert best_turn(Rules.parse("cinq-des(prediction=true, 2=50, 3=50)")).mean == math.inf
    # Here an announcement pays however much is at risk, but a turn still ends.
    turn = best_turn(Rules.parse("cinq-des(prediction=true, 2=50)"))
    assert turn.choice(1_000_000, 2) == 50
    assert 39 / 36 * 1_000_000 < turn.value(1_000_000, 2) < 1_200_000
    assert turn.law().mean == pytest.approx(turn.mean, abs=1e-9)


# The horizon


@pytest.mark.parametrize("text", ["six-des", "zilch", "cinq-des(prediction=true, 2=50)", "wikipedia-5000", "cinq-des"])
def test_lines_and_rows_meet(text: str) -> None:
    """A sweep begun much higher gives the same rows, and the lines as rows."""
    turn = best_turn(Rules.parse(text))
    top = len(turn.points) * turn.rules.step
    higher = best_turn(turn.rules, minimum=0, target=max(turn.target, top + 5000))
    if turn.rules.hot_dice == "may" and not turn.law().win:
        assert higher.mean == turn.mean
    for line in turn.bank_from:
        for points in (top, top + 50, top + 1000):
            banked = turn.value(points, line.dice)
            assert banked >= max(points, turn.rolling(points, line.dice)) - 1e-6
            assert turn.choice(points, line.dice) != BANK or banked == pytest.approx(points, rel=1e-12)


def test_values_are_read_only_and_refuse_what_cannot_be() -> None:
    turn = best_turn(PRESETS["six-des"])
    with pytest.raises(ValueError, match="read-only"):
        turn.after[0, 0] = 1.0
    for points, dice in [(-50, 2), (75, 2), (100, 0), (100, 7)]:
        with pytest.raises(IllegalAction):
            turn.rolling(points, dice)
    with pytest.raises(IllegalAction):
        best_turn(turn.rules, minimum=-1)
    with pytest.raises(IllegalAction):
        turn_law(turn.rules, steady(300), points=30)
    never_left = Rules.parse("cinq-des(dice=2, entry=0, keep=all, 1=none, 5=none, AB=100)")
    with pytest.raises(IllegalAction):
        best_turn(never_left).value(100, 1)
    assert np.isnan(best_turn(never_left).after[:, 1]).all()


# Played in the core


def play(rules: Rules, rng: random.Random, choose: Callable[[int, list[tuple[int, int]]], tuple[int, bool]]) -> int:
    """The points of one turn played through the readable core; -1 for a roll that wins at once.

    ``choose`` sees the points at risk and the options (points, dice to roll next), and tells which and whether to bank.
    """
    position = start(rules)
    while True:
        position = apply(position, Roll(tuple(rng.choices(range(1, 7), k=position.dice_left))))
        if position.phase == "over":
            return -1
        if position.to_play != 0:
            return 0
        keeps = legal_keeps(position)
        options = [(k.points, position.dice_left - len(k.dice) or rules.dice) for k in keeps]
        chosen, bank = choose(position.turn_points, options)
        position = apply(position, SetAside(keeps[chosen].dice))
        if bank:
            return apply(position, Bank()).seats[0].score
        position = apply(position, RollOn())


def by_turn(turn: Turn) -> Callable[[int, list[tuple[int, int]]], tuple[int, bool]]:
    def choose(points: int, options: Iterable[tuple[int, int]]) -> tuple[int, bool]:
        after = [(points + p, dice) for p, dice in options]
        worth = [turn.value(*state) for state in after]
        chosen = worth.index(max(worth))
        return chosen, turn.choice(*after[chosen]) == BANK

    return choose


@pytest.mark.parametrize(
    ("text", "threshold"),
    [("cinq-des", 350), ("six-des", 0), ("zilch", 500), ("wikipedia-5000", 300), ("greed-kata", 0)],
)
def test_the_law_is_that_of_play_in_the_core(text: str, threshold: int) -> None:
    rules = Rules.parse(text).derive(target=1_000_000, entry=0, min_bank=0, last_leg=0, exact=False)
    if threshold:
        law = turn_law(rules, steady(threshold))
        choose = lambda points, options: (0, points + options[0][0] >= threshold and not must(options[0][1]))  # noqa: E731
    else:
        law, choose = best_turn(rules).law(), by_turn(best_turn(rules))

    def must(dice: int) -> bool:
        return rules.hot_dice == "must" and dice == rules.dice

    rng = random.Random(5)
    count = 4000
    played = Counter(play(rules, rng, choose) for _ in range(count))
    near(played[0], law.bust, count)
    near(played[-1], law.win, count)
    for points in (100, 300, 350, 400, 500, 700, 1000, 1500):
        near(sum(n for p, n in played.items() if p >= points or p < 0), law.at_least(points), count)
    banked = law.chance @ law.points
    spread = math.sqrt(law.chance @ law.points**2.0 - banked**2)
    mean = sum(p * n for p, n in played.items() if p > 0) / count
    assert abs(mean - banked) <= 4 * spread / math.sqrt(count)


def near(seen: int, chance: float, count: int) -> None:
    assert abs(seen - count * chance) <= 4 * math.sqrt(count * chance * (1 - chance)) + 1e-9


# Pictures


def test_pictures_are_files_and_the_same_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from cinqmille.turn.plots import Labels, plot_bank_from, plot_gain, plot_law, plot_reach

    rules = PRESETS["zilch"]
    turn, plain = best_turn(rules), turn_law(rules, steady(350))
    law, other = turn.law(), best_turn(PRESETS["cinq-des"])
    french = Labels(points="points du tour", at_least="chance de marquer au moins autant")
    written = {}
    for attempt in ("one", "two"):
        (tmp_path / attempt).mkdir()
        paths = [
            plot_law([law, plain], tmp_path / attempt / "law.svg", title="Zilch"),
            plot_law(law, tmp_path / attempt / "law.png"),
            plot_reach(chances_to_reach(rules, 1000), tmp_path / attempt / "reach.svg", laws=[plain], labels=french),
            plot_bank_from([turn, other], tmp_path / attempt / "bank.svg"),
            plot_gain(turn, str(tmp_path / attempt / "gain.svg")),
        ]
        written[attempt] = {path.name: path.read_bytes() for path in paths}
    assert written["one"] == written["two"]
    assert written["one"]["law.png"].startswith(b"\x89PNG")
    assert "points du tour" in written["one"]["reach.svg"].decode()
    assert "steady:350" in written["one"]["law.svg"].decode()
    assert ">3150<" in written["one"]["bank.svg"].decode()


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from cinqmille.turn.plots import plot_gain

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'cinqmille\[plots\]'"):
        plot_gain(best_turn(PRESETS["cinq-des"]), tmp_path / "gain.svg")
    assert not list(tmp_path.iterdir())


def test_matplotlib_is_loaded_for_pictures_only() -> None:
    script = "import sys, cinqmille.turn, cinqmille.turn.plots; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert "matplotlib" not in loaded
    assert "numba" not in loaded


# The page


def test_the_page_is_what_the_script_writes() -> None:
    made = subprocess.run([sys.executable, ROOT / "scripts" / "one-turn", "--print"], capture_output=True, check=True)
    assert (ROOT / "docs" / "one-turn.md").read_bytes() == made.stdout
