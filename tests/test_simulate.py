"""Mass play: the kernel plays the very games the core plays, every roll of them, and the reports add up."""

import csv
import io
import json
import pickle
import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise, product
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cinqmille import _sim_kernels as kernels
from cinqmille import policies
from cinqmille.actions import Action, Bank, Roll, RollOn, SetAside
from cinqmille.bots import Bot, Steady, bot
from cinqmille.errors import CinqMilleError, IllegalAction, InvalidRules, InvalidText, RecordError
from cinqmille.game import apply, bank_problem, legal_keeps, start
from cinqmille.policies import Arrays, bank_rows, kernel_plays, prepare
from cinqmille.position import Position, Seat
from cinqmille.reports import empty_tally, wilson
from cinqmille.rules import PARAMETERS, PRESETS, Rules
from cinqmille.scoring import Keep, scored
from cinqmille.simulation import GameDice, faces, simulate, tournament
from sheets import random_sheet

PAIR = ("steady:350", "steady:500")
CINQ, SIX = PRESETS["cinq-des"], PRESETS["six-des"]

# What sends a match through the core: nothing of it is left out silently.
ONLY_CORE = {
    "equal_scores": "fall", "strike": True, "prediction": True, "takeover": "always", "scoreless_penalty": "previous",
}  # fmt: skip


# Bots for the tests


@dataclass(frozen=True, slots=True)
class Table:
    """Banks from so many points on, by the number of dice left; slow and plain, for the core."""

    points: tuple[int, ...]

    @property
    def spec(self) -> str:
        return "table:" + "/".join(map(str, self.points))

    def bank_from(self, rules: Rules) -> Sequence[int]:
        return self.points[: rules.dice]

    def choose(self, position: Position) -> Action:
        if position.phase == "choose":
            return SetAside(self._keep(position).dice)
        points, left = position.turn_points, position.dice_left
        if bank_problem(position, points, left) is not None:
            return RollOn()
        return Bank() if points >= self.points[left] or position.score + points >= position.rules.target else RollOn()

    def _keep(self, position: Position) -> Keep:
        keeps = legal_keeps(position)
        room = position.rules.target - position.score - position.turn_points
        fitting = [keep for keep in keeps if keep.points <= room or not position.rules.exact]
        return max(fitting or [keeps[-1]], key=lambda keep: (keep.points, len(keep.dice)))


@dataclass(frozen=True, eq=False)
class Dreamer:
    """Does what arrays made by chance tell it: nonsense, but the same nonsense in both engines."""

    number: int
    rules: Rules
    deep: int = 9
    arrays: Arrays = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.number)
        rows = rng.integers(0, 50, size=(2, 2, 1, 5, 4), dtype=np.int32)
        # Few different values, so that there are equal ones; more points are worth more by and large.
        values = rng.integers(0, 4, size=(50, self.deep, self.rules.dice)).astype(np.float32)
        banks = rng.random(values.shape) < 0.6
        object.__setattr__(self, "arrays", (values, banks, rows))

    @property
    def spec(self) -> str:
        return f"dreamer:{self.number}"

    def worth(self, rules: Rules) -> Arrays:
        return self.arrays

    def choose(self, position: Position) -> Action:
        values, banks, rows = self.arrays
        rules, step = position.rules, position.rules.step
        me = position.to_play
        assert me is not None
        mine, other = position.seats[me], position.seats[1 - me]
        counts = (mine.scoreless, other.scoreless) if rules.scoreless_limit else (0, 0)
        wanted = (me, *counts, *((one.score - rules.floor) // step for one in (mine, other)))
        row = rows[tuple(min(place, size - 1) for place, size in zip(wanted, rows.shape, strict=True))]
        if position.phase == "choose":
            keeps = legal_keeps(position)
            # Many keeps make one option; the first of the best option, in rising order, is what the kernel takes.
            options = sorted({(keep.points, position.dice_left - len(keep.dice)) for keep in keeps})
            turn = position.turn_points
            best = max(
                options,
                key=lambda one: (values[row, min((turn + one[0]) // step, self.deep - 1), one[1]], -options.index(one)),
            )
            return SetAside(next(k.dice for k in keeps if (k.points, position.dice_left - len(k.dice)) == best))
        turn, left = position.turn_points, position.dice_left
        if bank_problem(position, turn, left) is not None:
            return RollOn()
        return Bank() if turn // step >= self.deep - 1 or banks[row, turn // step, left] else RollOn()


class Worthy(Steady):
    """``steady`` said in arrays."""

    def worth(self, rules: Rules) -> Arrays:
        step, target, floor = rules.step, rules.target // rules.step, rules.floor // rules.step
        scores = np.arange(floor, target)
        turn, left = np.arange(target - floor + 200), np.arange(rules.dice)
        shape = (scores.size, turn.size, left.size)
        room = (target - scores)[:, None, None]
        grows = turn[None, :, None] * 16.0 - left
        # Under `exact` nothing is as bad as passing the target, and then the least is as good as any.
        values = np.where(rules.exact & (turn[None, :, None] > room), -1.0 - grows, grows)
        banks = (turn[None, :, None] >= -(-self.threshold // step)) | (turn[None, :, None] >= room)
        rows = np.arange(scores.size, dtype=np.int32).reshape(1, 1, 1, -1, 1)
        return values.astype(np.float32), np.broadcast_to(banks, shape), rows


class Cheat(Steady):
    """Banks whatever it has, allowed or not."""

    def choose(self, position: Position) -> Action:
        return Bank() if position.phase == "decide" else super().choose(position)


def known_rules(rng: random.Random) -> Rules:
    """Rules made by chance, all of whose parameters the kernel knows."""
    while True:
        try:
            rules = Rules.parse(random_sheet(rng)).derive(
                equal_scores="allowed", strike=False, prediction=False, takeover="never"
            )
            if rules.scoreless_penalty == "previous":
                rules = rules.derive(scoreless_penalty="zero")
        except InvalidRules:
            continue
        return rules


def some_bots(rng: random.Random, most: int = 5) -> tuple[Bot, ...]:
    made: list[Bot] = []
    for _ in range(rng.randint(2, most)):
        if rng.random() < 0.5:
            made.append(Steady(rng.choice((0, 50, 130, 300, 350, 500, 1000, 2500))))
        else:
            made.append(Table(tuple(rng.choice((0, 150, 300, 400, 700, 5000)) for _ in range(8))))
    return tuple(made)


def logged(rules: Rules, bots: Sequence[Bot], seed: int, games: int) -> list[list[int]]:
    """Every roll of some games as the kernel played them, game by game."""
    log = np.zeros((200_000, kernels.LOG_COLUMNS), dtype=np.int64)
    tally = empty_tally(len(bots))
    assert kernels.play(0, games, np.uint64(seed), False, *prepare(rules, bots), *tally[:4], log) == -1
    assert 0 < log[0, 0] < len(log)
    rows = log[1 : log[0, 0] + 1]
    return list(rows[np.argsort(rows[:, kernels.LOG_GAME], kind="stable")].tolist())


# Two engines, one truth


@pytest.mark.parametrize("number", range(60))
def test_both_engines_play_the_same_games_under_any_rules(number: int) -> None:
    rng = random.Random(number)
    while True:
        rules, bots, rotate = known_rules(rng), some_bots(rng), rng.random() < 0.5
        assert kernel_plays(rules, bots)
        try:
            by_kernel = simulate(rules, bots, games=12, seed=number, rotate=rotate)
        except IllegalAction:
            continue  # scoreless turns cost these bots more than they gain: no game would end
        if by_kernel.turns < 4_000:
            break
    assert by_kernel.engine == "kernel"
    by_core = simulate(rules, bots, games=12, seed=number, rotate=rotate, core=True, workers=1)
    assert by_core.engine == "core"
    assert by_kernel == by_core, rules


@pytest.mark.parametrize("preset", PRESETS)
def test_both_engines_play_the_same_games_of_every_preset(preset: str) -> None:
    rules = PRESETS[preset]
    if not kernel_plays(rules, [bot("steady")]):
        rules = rules.derive(takeover="never", scoreless_penalty="zero")
    bots = ("steady:300", Table((0, 350, 300, 400, 500, 600)), "steady:700")
    by_kernel = simulate(rules, bots, games=20, seed=11)
    assert by_kernel == simulate(rules, bots, games=20, seed=11, core=True)
    assert by_kernel.engine == "kernel"


def replayed(rules: Rules, bots: Sequence[Bot], seed: int, games: int) -> Counter[str]:
    """Play the kernel's log through the core, comparing position by position; return what happened how often."""
    seen: Counter[str] = Counter()
    rows = iter(logged(rules, bots, seed, games))
    for number in range(games):
        position, dice = start(rules, len(bots)), GameDice(seed, number)
        while position.to_play is not None:
            row = next(rows)
            assert row[kernels.LOG_GAME] == number
            assert row[kernels.LOG_SEAT] == position.to_play
            assert row[kernels.LOG_DICE] == position.dice_left
            roll = faces(row[kernels.LOG_ROLL], position.dice_left)
            assert roll == dice.roll(position.dice_left)
            chooser, before = bots[position.to_play], position
            position = apply(position, Roll(roll))
            if position.phase != "choose":
                kind = "win" if scored(rules, roll).wins else "bust"
                expected = kernels.WIN if kind == "win" else kernels.BUST
                assert (row[kernels.LOG_LEFT], row[kernels.LOG_ENDS]) == (expected, 1), before
                seen[kind] += 1
                continue
            position = apply(position, chooser.choose(position))
            if position.phase != "decide":
                assert (row[kernels.LOG_LEFT], row[kernels.LOG_ENDS]) == (kernels.PASSED, 1), before
                seen["pass"] += 1
                continue
            gained = position.turn_points - before.turn_points
            assert row[kernels.LOG_POINTS] * rules.step == gained, before
            assert row[kernels.LOG_LEFT] == position.dice_left, before
            assert row[kernels.LOG_TURN] * rules.step == position.turn_points, before
            action = chooser.choose(position)
            assert (row[kernels.LOG_ENDS] == 1) == (action == Bank()), position
            seen["bank" if action == Bank() else "hot" if position.dice_left == 0 else "roll"] += 1
            position = apply(position, action)
    assert next(rows, None) is None
    return seen


@pytest.mark.parametrize(
    "rules",
    [
        "cinq-des", "six-des", "cinq-des(exact=true, min_bank=300, hot_dice=must)", "six-des(dice=8, target=2000)",
        "cinq-des(last_leg=1000, scoreless_limit=3, scoreless_penalty=500, floor=-1000, ending=last_turns, tie=first)",
        "zilch", "greed-kata", "cinq-des(target=1000, entry=0, keep=all, exact=true, ending=finish_round)",
    ],
)  # fmt: skip
def test_every_roll_of_the_kernel_is_what_the_core_makes_of_it(rules: str) -> None:
    bots = (Steady(300), Table((900, 350, 300, 400, 500, 600, 700, 800)))
    seen = replayed(Rules.parse(rules), bots, seed=5, games=30)
    assert {"bust", "bank", "roll"} <= set(seen)


def test_every_way_for_a_turn_to_end_is_seen() -> None:
    seen = replayed(Rules.parse("cinq-des(AAAA=win, exact=true, target=1000)"), (Steady(200), Steady(600)), 1, 60)
    assert set(seen) == {"bank", "roll", "hot", "bust", "pass", "win"}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_ordered_roll_of_every_preset_has_its_menu(preset: str) -> None:
    rules = PRESETS[preset]
    (base, size, reject, menu_of), (best, begin, points, left_of, _) = prepare(rules, [bot("steady")] * 2)[1:3]
    assert len(menu_of) == sum(6**count for count in range(1, rules.dice + 1))
    menus = [tuple(zip(points[a:b].tolist(), left_of[a:b].tolist(), strict=True)) for a, b in pairwise(begin)]
    for count in range(1, rules.dice + 1):
        assert (size[count], reject[count]) == (6**count, 2**43 % 6**count)
        first = int(base[count]) >> 43
        expected: dict[tuple[int, ...], tuple[tuple[tuple[int, int], ...] | None, int, int, int]] = {}
        for number, roll in enumerate(product(range(1, 7), repeat=count)):
            assert number % 1000 or faces(number, count) == roll
            ordered = tuple(sorted(roll))
            if ordered not in expected:
                found = scored(rules, ordered)
                if found.best is None:
                    expected[ordered] = None, 0, kernels.WIN if found.wins else kernels.BUST, 0
                else:
                    options = tuple(
                        sorted({(keep.points // rules.step, count - len(keep.dice)) for keep in found.keeps})
                    )
                    left = count - len(found.best.dice)
                    expected[ordered] = options, found.best.points // rules.step, left, left or rules.dice
            menu = int(menu_of[first + number])
            packed = int(best[menu])
            wanted, most, left, following = expected[ordered]
            assert packed & 15 == left
            assert (packed < 0) == (wanted is None)
            if wanted is not None:
                assert menus[menu] == wanted
                assert (packed >> 24, packed >> 4 & 15, packed >> 8 & 1) == (most, following, int(left == 0))


@pytest.mark.parametrize(
    "rules",
    [
        "cinq-des", "cinq-des(min_bank=500, hot_dice=must)", "cinq-des(last_leg=1000, hot_dice=must, min_bank=300)",
        "cinq-des(exact=true, min_bank=500)", "cinq-des(target=1000, entry=750, exact=true, hot_dice=must)",
        "farkle-facebook(target=2000)", "cinq-des(last_leg=5000, target=5000)", "six-des(target=1000, entry=1500)",
    ],
)  # fmt: skip
def test_the_kernel_banks_where_the_rules_allow_it(rules: str) -> None:
    parsed = Rules.parse(rules)
    step = parsed.step
    table = Table((800, 350, 250, 330, 1000, 0))
    bots: tuple[Bot, ...] = (table, Steady(0))
    rows, row_of = bank_rows(parsed, bots)
    for score in range(parsed.floor, parsed.target, step):
        ladder = (score,) if score else ()
        for left, turn in product(range(parsed.dice), range(step, parsed.target + 500, step)):
            if parsed.exact and score + turn > parsed.target:
                continue
            position = Position(parsed, (Seat(ladder), Seat()), 0, "decide", turn, left)
            for place, one in enumerate(bots):
                from_points = int(rows[row_of[place, (score - parsed.floor) // step] + left])
                assert (turn // step << 16 >= from_points) == (one.choose(position) == Bank()), position


@pytest.mark.parametrize("name", ONLY_CORE)
def test_what_the_kernel_does_not_know_goes_through_the_core(name: str) -> None:
    rules = CINQ.derive(**{name: ONLY_CORE[name], "scoreless_limit": 3, "target": 1000})
    assert simulate(rules, PAIR, games=20, seed=1).engine == "core"
    assert simulate(rules.derive(**{name: CINQ.values()[name]}), PAIR, games=20, seed=1).engine == "kernel"


def test_a_parameter_that_is_new_goes_through_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kernel_plays(CINQ, [bot("steady")] * 2)
    unknown = replace(next(one for one in PARAMETERS if one.name == "entry"), default=1, name="step")
    monkeypatch.setattr(policies, "PARAMETERS", (*PARAMETERS, unknown))
    assert not kernel_plays(CINQ, [bot("steady")] * 2)


@pytest.mark.parametrize("name", [parameter.name for parameter in PARAMETERS])
def test_every_parameter_is_played_by_one_engine(name: str) -> None:
    """Each of them, changed alone, changes the games; whichever engine plays them, the core has the same."""
    changes: dict[str, object] = {
        "dice": 4, "target": 2000, "entry": 0, "ending": "last_turns", "tie": "first", "min_bank": 500,
        "hot_dice": "must", "keep": "all", "blank_roll": 500, "scoreless_limit": 1, "floor": -1000, "last_leg": 1000,
        "exact": True, **ONLY_CORE,
    }  # fmt: skip
    base = SIX.derive(target=1000, entry=100, scoreless_limit=2, scoreless_penalty=200)
    if name == "prediction":
        base = CINQ.derive(target=1000)
    rules = base.derive(**{name: changes[name]})
    report = simulate(rules, PAIR, games=40, seed=3)
    assert report == simulate(rules, PAIR, games=40, seed=3, core=True)
    assert report.engine == ("core" if name in ONLY_CORE else "kernel")


# Bots that are arrays over the whole game


@pytest.mark.parametrize(
    "rules",
    [
        "cinq-des", "six-des(target=2000)", "cinq-des(exact=true, hot_dice=must)", "cinq-des(ending=finish_round)",
        "cinq-des(last_leg=1000, min_bank=300, scoreless_limit=3, scoreless_penalty=500, floor=-500)",
    ],
)  # fmt: skip
def test_steady_said_in_arrays_plays_like_steady(rules: str) -> None:
    parsed = Rules.parse(rules)
    expected = simulate(parsed, (Steady(350), Steady(500)), games=3_000, seed=2, rotate=True)
    for bots in ((Worthy(350), Steady(500)), (Steady(350), Worthy(500)), (Worthy(350), Worthy(500))):
        found = simulate(parsed, bots, games=3_000, seed=2, rotate=True)
        assert found.engine == "kernel"
        assert found == expected
    same = Worthy(400)
    assert simulate(parsed, (same, same), games=500, seed=2) == simulate(parsed, ("steady:400",) * 2, games=500, seed=2)


@pytest.mark.parametrize("number", range(25))
def test_both_engines_read_arrays_alike(number: int) -> None:
    rng = random.Random(number)
    while True:
        rules = known_rules(rng)
        bots: tuple[Bot, ...] = (
            Dreamer(number, rules),
            rng.choice((Steady(300), Dreamer(100 + number % 3, rules, 30))),
        )
        if rng.random() < 0.5:
            bots = bots[::-1]
        try:
            by_kernel = simulate(rules, bots, games=6, seed=number)
        except IllegalAction:
            continue
        if by_kernel.turns < 4_000:
            break
    assert by_kernel.engine == "kernel"
    assert by_kernel == simulate(rules, bots, games=6, seed=number, core=True)
    replayed(rules, bots, number, 6)


def test_arrays_are_for_two_players() -> None:
    rules = CINQ.derive(target=1000)
    assert kernel_plays(rules, (Dreamer(1, rules), Steady()))
    assert not kernel_plays(rules, (Dreamer(1, rules), Steady(), Steady()))


@pytest.mark.parametrize("wrong", range(5))
def test_arrays_that_do_not_fit_are_refused(wrong: int) -> None:
    dreamer = Dreamer(1, CINQ)
    values, banks, rows = dreamer.arrays
    arrays = [
        (values[:, :, :4], banks[:, :, :4], rows), (values, banks[:, :-1], rows), (values, banks, rows[0]),
        (values, banks, rows + 1), (values, banks, rows - 1),
    ][wrong]  # fmt: skip
    object.__setattr__(dreamer, "arrays", arrays)
    with pytest.raises(ValueError, match="do not fit together"):
        simulate(CINQ, (dreamer, "steady"), games=10, seed=1)


def test_a_table_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="table:300/300: bank_from gives 2 numbers for 5 dice"):
        simulate(CINQ, (Table((300, 300)), "steady"), games=10, seed=1)


def test_a_bot_that_only_resembles_steady_is_asked_itself() -> None:
    @dataclass(frozen=True)
    class Timid(Steady):
        def choose(self, position: Position) -> Action:
            return replace(Steady(self.threshold), threshold=50).choose(position)

    assert not kernel_plays(CINQ, (Timid(), Steady()))
    report = simulate(CINQ, (Timid(), Steady()), games=30, seed=1)
    assert report == replace(simulate(CINQ, (Steady(50), Steady()), games=30, seed=1), bots=report.bots)


# Chance


def test_dice_are_fair_in_every_place() -> None:
    rows = np.array(logged(CINQ, (Steady(350), Steady(500)), seed=9, games=2_000))
    for count in range(1, 6):
        numbers = rows[rows[:, kernels.LOG_DICE] == count, kernels.LOG_ROLL]
        for place in range(count):
            seen = np.bincount(numbers // 6**place % 6, minlength=6)
            assert deviation(seen, 1 / 6) < 4, (count, place)
    whole = rows[rows[:, kernels.LOG_DICE] == 5, kernels.LOG_ROLL]
    assert deviation(np.bincount(whole, minlength=6**5), 6**-5) < 4


@pytest.mark.parametrize("stride", [1, 2, 1 << 20, 1 << 32])
def test_games_and_seeds_beside_each_other_have_nothing_in_common(stride: int) -> None:
    games = [GameDice(1, number * stride).roll(2) + GameDice(number * stride, 1).roll(2) for number in range(6_000)]
    pairs = Counter(chain(games, (a[:2] + b[:2] for a, b in pairwise(games))))
    assert deviation(np.array([pairs[roll] for roll in product(range(1, 7), repeat=4)]), 6**-4) < 4


def deviation(seen: npt.NDArray[np.int64], chance: float) -> float:
    """How far counts of equally likely outcomes are off, in standard deviations of chi-square."""
    expected = seen.sum() * chance
    freedom = seen.size - 1
    return abs(float(((seen - expected) ** 2 / expected).sum()) - freedom) / sqrt(2 * freedom)


def random_games(rules: Rules, bots: Sequence[Bot], games: int, seed: int) -> tuple[list[float], list[float]]:
    """The share of the first seat and the turns of every game, dice drawn by the standard library."""
    draw = random.Random(seed).randint
    shares, turns = [], []
    for _ in range(games):
        position, count = start(rules, len(bots)), 0
        while (player := position.to_play) is not None:
            if position.phase == "roll":
                count += position.fresh
                position = apply(position, Roll(tuple(draw(1, 6) for _ in range(position.dice_left))))
            else:
                position = apply(position, bots[player].choose(position))
        shares.append((0 in position.winners) / len(position.winners))
        turns.append(float(count))
    return shares, turns


def off(found: float, sample: list[float], games: int) -> float:
    """How far the mean over ``games`` others is from that of ``sample``, in standard errors of both."""
    mean, spread = float(np.mean(sample)), float(np.std(sample, ddof=1))
    return abs(found - mean) / (spread * sqrt(1 / len(sample) + 1 / games))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_statistics_agree_with_games_of_other_dice(number: int) -> None:
    rng = random.Random(1000 + number)
    while True:
        rules, bots = known_rules(rng), some_bots(rng, most=3)
        try:
            report = simulate(rules, bots, games=20_000, seed=number)
        except IllegalAction:
            continue
        if report.turns < 600_000:
            break
    shares, turns = random_games(rules, bots, 2_000, number)
    assert off(report.bots[0].win_rate, shares, report.games) < 4
    assert off(report.turns / report.games, turns, report.games) < 4


def test_busts_come_as_often_as_they_must() -> None:
    """A bot that banks every first set-aside busts in 600 of 7776 turns, and wins at once in 1 (five dice)."""
    report = simulate(CINQ.derive(entry=0, hot_dice="may"), (Steady(0),) * 2, games=40_000, seed=4)
    assert abs(report.bots[0].busts + report.bots[1].busts - report.turns * 600 / 7776) < 4 * sqrt(
        report.turns * 0.0712
    )


# Reproducible whatever plays


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_number_of_workers_does_not_matter(workers: int) -> None:
    expected = simulate(SIX, PAIR, games=30_000, seed=12, rotate=True)
    assert simulate(SIX, PAIR, games=30_000, seed=12, rotate=True, workers=workers) == expected


def test_another_seed_is_another_result_and_a_run_can_be_split() -> None:
    whole = simulate(CINQ, PAIR, games=5_000, seed=1, rotate=True)
    assert whole != simulate(CINQ, PAIR, games=5_000, seed=2, rotate=True)
    parts = [
        simulate(CINQ, PAIR, games=games, seed=1, first=first, rotate=True)
        for first, games in ((0, 1), (1, 2_600), (2_601, 2_399))
    ]
    for place in range(2):
        for name in ("wins", "turns", "busts", "hot_dice", "opened", "at_once"):
            assert sum(getattr(part.bots[place], name) for part in parts) == getattr(whole.bots[place], name)


def test_the_core_in_processes_plays_the_same_games() -> None:
    rules = CINQ.derive(target=500, entry=0, strike=True)
    expected = simulate(rules, PAIR, games=120, seed=5)
    assert expected.engine == "core"
    assert simulate(rules, PAIR, games=120, seed=5, workers=2) == expected


def test_any_executor_does() -> None:
    class Now(Executor):
        """Plays at once, and passes everything through text as a process would."""

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            call, given = pickle.loads(pickle.dumps((fn, args)))
            future.set_result(call(*given, **kwargs))
            return future

    for core in (False, True):
        expected = simulate(CINQ, PAIR, games=150, seed=5, core=core)
        assert simulate(CINQ, PAIR, games=150, seed=5, core=core, executor=Now()) == expected
        with ThreadPoolExecutor(2) as threads:
            assert simulate(CINQ, PAIR, games=150, seed=5, core=core, executor=threads) == expected


@pytest.mark.slow
def test_a_dask_cluster_takes_the_place_of_the_local_pool() -> None:
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
        executor = client.get_executor()
        for rules, games in ((CINQ, 20_000), (CINQ.derive(target=500, takeover="always"), 300)):
            found = simulate(rules, PAIR, games=games, seed=8, executor=executor)
            assert found == simulate(rules, PAIR, games=games, seed=8)


class Told(list[tuple[int, int]]):
    """What progress was told."""

    def __call__(self, done: int, games: int) -> None:
        self.append((done, games))


def test_progress_is_told_to_the_end() -> None:
    for workers, core in ((1, False), (2, False), (1, True)):
        told = Told()
        games = 110 if core else 7_000
        simulate(CINQ, PAIR, games=games, seed=1, workers=workers, core=core, progress=told)
        assert [done for done, _ in told] == sorted({done for done, _ in told})
        assert told[-1] == (games, games)
        assert len(told) > 2


# Reports


def test_a_report_adds_up() -> None:
    report = simulate(SIX, ("steady:300", "steady:500", "steady:800"), games=4_000, seed=3, rotate=True)
    assert sum(one.wins for one in report.bots) == pytest.approx(4_000)
    assert sum(seat.wins for seat in report.seats) == pytest.approx(4_000)
    assert sum(report.rounds) == 4_000
    assert report.turns == sum(one.turns for one in report.bots)
    for one in report.bots:
        assert one.win_rate == one.wins / 4_000
        assert one.interval[0] < one.win_rate < one.interval[1]
        assert one.mean_turns == one.turns / 4_000
        assert sum(one.opening) == one.opened <= 4_000
        assert one.opening_turn == pytest.approx(
            sum(turn * games for turn, games in enumerate(one.opening, 1)) / one.opened
        )
        assert one.busts < one.turns
        assert one.best_turn >= 2500
        assert one.lost == one.passes == one.at_once == 0


def test_rotation_moves_every_bot_through_every_seat() -> None:
    """Equal bots: without rotation the first seat's advantage is the first bot's, with it nobody's."""
    still = simulate(CINQ, ("steady:350",) * 3, games=30_000, seed=6)
    assert [one.wins for one in still.bots] == [seat.wins for seat in still.seats]
    assert still.bots[0].win_rate > still.bots[2].win_rate + 0.01
    turning = simulate(CINQ, ("steady:350",) * 3, games=30_000, seed=6, rotate=True)
    assert turning.seats == still.seats
    for one in turning.bots:
        assert abs(one.win_rate - 1 / 3) < 4 * sqrt(2 / 9 / 30_000)


def test_a_tie_is_shared_in_equal_parts() -> None:
    """Exactly on the target, everybody who gets there in the round ties."""
    rules = Rules.parse("cinq-des(target=100, entry=0, exact=true, ending=finish_round)")
    shared = simulate(rules, ("steady:0",) * 7, games=300, seed=2)
    assert any(one.wins % 1 for one in shared.bots)
    assert sum(one.wins for one in shared.bots) == pytest.approx(300)
    assert shared == simulate(rules, ("steady:0",) * 7, games=300, seed=2, core=True)
    alone = simulate(rules.derive(tie="first"), ("steady:0",) * 7, games=300, seed=2)
    assert not any(one.wins % 1 for one in alone.bots)
    assert alone.seats[0].wins > shared.seats[0].wins


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(0, 10, 0, 0.27753), (5, 10, 0.23659, 0.76341), (10, 10, 0.72247, 1), (15, 148, 0.06239, 0.16049)],
)
def test_intervals_are_wilson_s(wins: int, games: int, low: float, high: float) -> None:
    """The last one is Newcombe's (1998) example."""
    assert wilson(wins, games) == pytest.approx((low, high), abs=1e-5)


def test_nineteen_intervals_of_twenty_hold_the_truth() -> None:
    rules = CINQ.derive(target=500, entry=0)
    truth = simulate(rules, PAIR, games=1_000_000, seed=1).bots[0].win_rate
    reports = [simulate(rules, PAIR, games=400, seed=2, first=400 * k) for k in range(600)]
    held = sum(report.bots[0].interval[0] <= truth <= report.bots[0].interval[1] for report in reports)
    assert abs(held - 570) < 4 * sqrt(600 * 0.05 * 0.95)


def test_json_and_csv() -> None:
    report = simulate(CINQ, PAIR, games=100, seed=18446744073709551615)
    data = json.loads(json.dumps(report.to_json()))
    assert {"rules", "bots", "seats", "games", "seed", "seconds", "turns", "engine"} <= data.keys()
    assert data["seed"] == 18446744073709551615
    for one, bot_report in zip(data["bots"], report.bots, strict=True):
        wanted = {"bot", "wins", "win_rate", "interval", "mean_turns", "mean_points", "busts"}
        assert wanted <= one.keys()
        assert one["interval"] == list(bot_report.interval)
    lines = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert [line["bot"] for line in lines] == list(PAIR)
    assert [float(line["win_rate"]) for line in lines] == [one.win_rate for one in report.bots]
    assert lines[0]["rules"] == "cinq-des"


def test_a_tournament_is_a_table() -> None:
    bots = ("steady:200", "steady:350", "steady:350", "steady:2000")
    told = Told()
    result = tournament(CINQ, bots, games_per_pair=4_000, seed=7, progress=told)
    assert result == tournament(CINQ, bots, games_per_pair=4_000, seed=7, workers=1)
    assert told[-1] == (24_000, 24_000)
    assert len(result.matches) == 6
    assert result.matches[1] == simulate(CINQ, bots[::2], games=4_000, seed=7, first=4_000, rotate=True)
    for row, column in product(range(4), repeat=2):
        one, other = result.win_rates[row][column], result.win_rates[column][row]
        if row == column:
            assert one is None
        else:
            assert one is not None
            assert other is not None
            assert one + other == pytest.approx(1)
    assert [standing.games for standing in result.standings] == [12_000] * 4
    assert sum(standing.wins for standing in result.standings) == pytest.approx(24_000)
    assert result.standings[-1].bot == "steady:2000"
    assert [one.win_rate for one in result.standings] == sorted(
        (one.win_rate for one in result.standings), reverse=True
    )
    assert json.loads(json.dumps(result.to_json()))["standings"][0]["bot"] == result.standings[0].bot
    lines = list(csv.reader(io.StringIO(result.to_csv())))
    assert lines[0] == ["bot", "1 steady:200", "2 steady:350", "3 steady:350", "4 steady:2000"]
    assert [line[place] for place, line in enumerate(lines)][1:] == [""] * 4


# Refusals


@pytest.mark.parametrize(
    ("bots", "options", "kind", "message"),
    [
        (("steady",), {}, IllegalAction, "A game has 2 to 8 players, not 1."),
        (("steady",) * 9, {}, IllegalAction, "A game has 2 to 8 players, not 9."),
        (("steady", "genius"), {}, InvalidText, "There is no bot 'genius': there are beginner"),
        (PAIR, {"games": 0}, IllegalAction, "games cannot be '0': it is a whole number from 1 to 1000000000."),
        (PAIR, {"seed": -1}, IllegalAction, "seed cannot be '-1': it is a whole number from 0"),
        (PAIR, {"seed": 1 << 64}, IllegalAction, "seed cannot be '18446744073709551616'"),
        (PAIR, {"first": -1}, IllegalAction, "first cannot be '-1'"),
        (PAIR, {"workers": 0}, IllegalAction, "workers cannot be '0': it is a whole number from 1 to 256."),
        (PAIR, {"games": 2.5}, TypeError, "float"),
        (PAIR, {"workers": 2, "executor": ThreadPoolExecutor(1)}, TypeError, "not both"),
    ],
)
def test_wrong_arguments_are_refused(
    bots: Sequence[str], options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as raised:
        simulate(CINQ, bots, **{"games": 10, "seed": 1, **options})
    assert message in str(raised.value)


def test_a_tournament_needs_two() -> None:
    with pytest.raises(IllegalAction, match="not 1"):
        tournament(CINQ, ("steady",), games_per_pair=10, seed=1)


@pytest.mark.parametrize("core", [False, True])
def test_games_without_an_end_are_given_up(core: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if core:
        monkeypatch.setattr("cinqmille.simulation.MOST_TURNS", 500)
    rules = Rules.parse("cinq-des(11111=none, scoreless_limit=1, target=20000)")
    with pytest.raises(IllegalAction, match=r"Game 7 was given up after \d+ turns: these bots never come to an end"):
        simulate(rules, ("steady:600",) * 2, games=1, seed=1, first=7, core=core)


def test_an_illegal_bot_is_named_through_processes_too() -> None:
    for workers in (1, 2):
        with pytest.raises(IllegalAction, match="Getting on the board takes 750 points"):
            simulate(CINQ, (Cheat(), Steady()), games=120, seed=1, workers=workers)


def test_a_bot_that_cannot_be_sent_plays_at_home() -> None:
    @dataclass(frozen=True)
    class Local(Steady):
        pass

    report = simulate(CINQ, (Local(), Steady()), games=600, seed=1)
    assert report.bots[0].wins + report.bots[1].wins == 600
    with pytest.raises(IllegalAction, match="The bot steady:350 cannot be sent to other processes"):
        simulate(CINQ, (Local(), Steady()), games=600, seed=1, workers=2)


@pytest.mark.parametrize(
    "error",
    [IllegalAction("no_such_seat", seat=9, seats=2), RecordError(3, 7, InvalidText("bad_dice", text="x", wrong="x"))],
)
def test_a_refusal_can_be_sent(error: CinqMilleError) -> None:
    sent = pickle.loads(pickle.dumps(error))
    assert type(sent) is type(error)
    assert str(sent) == str(error)
    assert vars(sent).keys() == vars(error).keys()
