"""Two players solved exactly: published and computed values, and a second opinion on every bounded rule."""

import sys
from pathlib import Path

import numpy as np
import pytest

from cinqmille import PRESETS, InvalidRules, Rules, solvable, solve, straight
from cinqmille.solvable import SETTLED
from cinqmille.solver import solve_two, turn_values
from cinqmille.tables import rule_tables
from exact import Game

# The programs behind some computed values scored five and six of a kind at three and four times the triple.
THREE_FOUR = "AAAAA=300*A, 11111=3000, AAAAAA=400*A, 111111=4000"


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("cinq-des", 0.525753384),
        ("cinq-des(target=2000)", 0.536268693),
        ("cinq-des(target=2000, prediction=true)", 0.539013303),
        (f"six-des({THREE_FOUR})", 0.542207324),
    ],
)
def test_computed_values_to_eight_digits(spec: str, value: float) -> None:
    solution = solve_two(Rules.parse(spec), written_out=False)
    assert solution.win[0] == pytest.approx(value, abs=1e-9)
    assert solution.residual < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("cinq-des(target=10000)", 0.519538570),
        (f"six-des(target=10000, ending=first, {THREE_FOUR})", 0.532325692),
        ("farkle-facebook", 0.5348702618),  # Busche 2016 prints 53.487 %
        ("farkle-minimal", 0.5369530318),  # Busche and Neller 2017
    ],
)
def test_published_values_of_long_games(spec: str, value: float) -> None:
    solution = solve_two(Rules.parse(spec))
    assert solution.win[0] == pytest.approx(value, abs=1e-9)
    assert solution.residual < 1e-12


def test_pig_is_a_game_of_one_die_with_the_value_of_neller_and_presser() -> None:
    pig = Rules.parse("cinq-des(dice=1, target=100, entry=0, 1=none, 2=2, 3=3, 4=4, 5=5, 6=6, 111=none, 222=none)")
    assert solve_two(pig).win[0] == pytest.approx(0.530592725, abs=1e-9)


def test_the_fairest_head_start_of_minimal_farkle_is_200_points_as_published() -> None:
    solution = solve(PRESETS["farkle-minimal"])
    chances = {50 * head: solution.values[0, 0, head, 0, 0] for head in range(10)}
    assert min(chances, key=lambda head: abs(chances[head] - 0.5)) == 200
    assert chances[200] == pytest.approx(0.504002, abs=1e-6)


@pytest.mark.parametrize(("spec", "chance"), [("cinq-des", 324 / 349), ("six-des(ending=first)", 216 / 221)])
def test_last_point_the_mover_wins_with_one_over_one_plus_the_chance_of_a_bust(spec: str, chance: float) -> None:
    solution = solve_two(Rules.parse(spec).derive(target=100, entry=50), written_out=False)
    assert solution.values[0, 1, 1, 0, 0] == pytest.approx(chance, abs=1e-12)


TINY = "dice=3, target=300, entry=100"
VARIANTS = {
    "min_bank": "min_bank=150",
    "must": "hot_dice=must",
    "loss": "scoreless_limit=2, scoreless_penalty=100",
    "zero": "scoreless_limit=2, scoreless_penalty=zero",
    "floor": "scoreless_limit=2, scoreless_penalty=100, floor=-100",
    "last_leg": "last_leg=150",
    "takeover": "takeover=always",
    "opened": "takeover=opened",
    "exact": "exact=true",
    "last_turns": "ending=last_turns",
    "finish_round": "ending=finish_round",
    "first_ties": "ending=last_turns, tie=first",
    "keep_all": "keep=all",
}


def _agree(spec: str) -> None:
    assert solve_two(Rules.parse(spec), written_out=False).win[0] == pytest.approx(Game(spec).solve(), abs=1e-10)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=list(VARIANTS))
def test_every_bounded_rule_agrees_with_plain_iteration(variant: str) -> None:
    # Last turns look far above the target: a smaller one will do.
    _agree(f"cinq-des({TINY.replace('300', '150') if 'ending' in variant else TINY}, {variant})")


def test_announcements_agree_with_plain_iteration() -> None:
    _agree("cinq-des(target=200, entry=100, prediction=true, 12345=none, 23456=none, 55555=none)")


def test_penalties_that_hold_everybody_down_are_settled_all_the_same() -> None:
    # Both players fall back to 0 nearly every turn; sweeps alone would need tens of thousands.
    stuck = "hot_dice=must, keep=all, scoreless_limit=1, takeover=opened"
    assert solve_two(Rules.parse(f"cinq-des(dice=2, target=1000, {stuck})")).residual < SETTLED
    _agree(f"cinq-des(dice=2, target=200, entry=100, {stuck})")


@pytest.mark.slow
@pytest.mark.parametrize(
    "others",
    [
        "takeover=always",
        "ending=last_turns",
        "takeover=always, ending=last_turns",
        "takeover=opened, ending=finish_round",
    ],
)
def test_announcements_with_other_rules_agree_with_plain_iteration(others: str) -> None:
    _agree(f"cinq-des(target=100, entry=50, prediction=true, 12345=none, 23456=none, 55555=none, {others})")


def _pairs() -> list[str]:
    names = list(VARIANTS)
    found = []
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            keys = [part.split("=")[0] for part in f"{VARIANTS[first]}, {VARIANTS[second]}".split(", ")]
            if len(keys) == len(set(keys)):
                found.append(f"{VARIANTS[first]}, {VARIANTS[second]}")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("pair", _pairs())
def test_every_pair_of_bounded_rules_agrees_with_plain_iteration(pair: str) -> None:
    _agree(f"cinq-des({TINY.replace('300', '150' if 'ending' in pair else '250')}, {pair})")


def test_the_written_out_kernel_gives_the_values_of_the_generic_one() -> None:
    for spec in ("cinq-des(target=1000)", "six-des(target=1000, hot_dice=must)"):
        rules = Rules.parse(spec)
        generic, written = (solve_two(rules, written_out=flag) for flag in (False, True))
        assert np.abs(generic.values - written.values).max() < 1e-12


@pytest.mark.parametrize("damage", ["", "def sweep(*given): pass\n", "not Python"])
def test_a_damaged_sweep_of_a_table_is_written_anew(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rules = Rules.parse("cinq-des(dice=2, target=500, entry=100)")
    file = straight.path(rule_tables(rules), must=False)
    file.parent.mkdir(parents=True)
    file.write_text(damage)
    generic, written = (solve_two(rules, written_out=flag) for flag in (False, True))
    sys.modules.pop(f"cinqmille_{file.stem}")
    assert np.abs(generic.values - written.values).max() < 1e-12


def test_values_that_are_no_chances_are_neither_returned_nor_read() -> None:
    for wrong in (np.nan, np.inf, -0.5, 1.5):
        with pytest.raises(ArithmeticError):
            solvable.verify_chances(np.array([0.5, wrong]))


@pytest.mark.parametrize(
    "spec",
    ["cinq-des", "cinq-des(target=1000, takeover=always)", "cinq-des(target=1000, scoreless_limit=3, floor=-200, "
     "scoreless_penalty=100)", "six-des(target=1000)", "cinq-des(target=1000, exact=true)"],
)  # fmt: skip
def test_a_turn_recomputed_begins_with_the_stored_value(spec: str) -> None:
    solution = solve_two(Rules.parse(spec), written_out=False)
    for mine, theirs in ((0, 0), (3, 7), (12, 5), (15, 15)):
        at = solution.zero + mine, solution.zero + theirs
        turn = turn_values(solution, side=0, mine=at[0], theirs=at[1])
        assert turn.rolled[0, solution.rules.dice] == pytest.approx(solution.values[0, at[0], at[1], 0, 0], abs=1e-11)


@pytest.mark.parametrize("rule", ["equal_scores=fall", "strike=true", "scoreless_limit=3, scoreless_penalty=previous"])
def test_rules_that_remember_histories_are_refused_by_name(rule: str) -> None:
    with pytest.raises(InvalidRules) as refusal:
        solve_two(Rules.parse(f"cinq-des({rule})"))
    assert refusal.value.code == "not_solvable"
    assert refusal.value.params["name"] in rule


def test_a_rule_the_kernels_do_not_know_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvable, "_KNOWN", solvable._KNOWN - {"hot_dice"})
    assert solvable.unsolvable(Rules.parse("cinq-des(hot_dice=must)")) == "hot_dice"
    assert solvable.unsolvable(PRESETS["cinq-des"]) is None
