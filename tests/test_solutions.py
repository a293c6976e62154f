"""Solutions on disk: what is written reads back equal, what is not right is refused, what is known is loaded."""

import multiprocessing
import os
import re
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cinqmille import PRESETS, InvalidText, Position, Rules, advise, solve, start
from cinqmille import solutions as shelf
from cinqmille.solvable import ManySolution, Solution, unsolvable
from cinqmille.solver import solve_two
from cinqmille.three import solve_many

PAIR = Rules.parse("cinq-des(target=500, entry=100)")
TRIO = Rules.parse("cinq-des(target=300, entry=100)")
LAST = Rules.parse("cinq-des(target=200, entry=100, ending=last_turns)")
ROUND = Rules.parse("cinq-des(target=200, entry=100, ending=finish_round)")
COUNTED = PAIR.derive(scoreless_limit=3, scoreless_penalty=100)
TAKEN = Rules.parse("cinq-des(target=300, entry=100, takeover=always)")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder of the user."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "cinqmille" / "solutions"


def arrays(solution: Solution | ManySolution) -> list[np.ndarray]:
    """All numbers of a solution."""
    names = ("values", "last", "middle") if isinstance(solution, ManySolution) else ("values", "taken")
    return [getattr(solution, name) for name in names]


def same(one: Solution | ManySolution, other: Solution | ManySolution) -> bool:
    """Whether two solutions agree to the last bit."""
    told = [(each.rules, each.residual, each.passes, getattr(each, "mixed", ())) for each in (one, other)]
    pairs = zip(arrays(one), arrays(other), strict=True)
    return told[0] == told[1] and all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in pairs)


@pytest.mark.parametrize(
    ("rules", "players"),
    [(PAIR, 2), (TAKEN, 2), (ROUND, 2), (COUNTED, 2), (TRIO, 3), (LAST, 3), (ROUND, 3), (TRIO, 4)],
)  # fmt: skip
def test_a_stored_solution_reads_back_to_the_last_bit(rules: Rules, players: int) -> None:
    solution = solve_two(rules, written_out=False) if players == 2 else solve_many(rules, players, written_out=False)
    again = shelf.loads(shelf.dumps(solution), rules, players)
    assert same(again, solution)
    assert again.seconds == pytest.approx(solution.seconds, abs=1e-3)
    assert again.win == solution.win


def test_a_rounded_one_is_smaller_and_says_how_far_it_is_off() -> None:
    solution = solve_two(PAIR, written_out=False)
    data = shelf.dumps(solution, exact=False)
    rounded = shelf.loads(data, PAIR)
    off = np.abs(rounded.values - solution.values).max()
    assert 0 < off <= 2.0**-43
    assert solution.residual + 2 * off <= rounded.residual < 1e-12
    assert len(data) < 0.9 * len(shelf.dumps(solution))


def test_plans_drawn_by_lot_are_stored() -> None:
    solution = solve_many(LAST, 3, written_out=False)
    drawn = ((1, 2, 3), (0, 0, 1))
    again = shelf.loads(shelf.dumps(replace(solution, mixed=drawn)), LAST, 3)
    assert isinstance(again, ManySolution)
    assert again.mixed == drawn


@pytest.mark.parametrize("exact", [True, False])
def test_one_damaged_byte_anywhere_is_refused(exact: bool) -> None:
    data = shelf.dumps(solve_two(Rules.parse("cinq-des(target=200, entry=100)"), written_out=False), exact=exact)
    for place in [*range(0, len(data), max(1, len(data) // 200)), len(data) - 1]:
        broken = bytearray(data)
        broken[place] ^= 1
        with pytest.raises(InvalidText) as refusal:
            shelf.loads(bytes(broken), Rules.parse("cinq-des(target=200, entry=100)"))
        assert refusal.value.code in ("solution_damaged", "solution_version")


def test_what_is_cut_short_or_goes_on_is_refused() -> None:
    data = shelf.dumps(solve_two(PAIR, written_out=False))
    for wrong in (b"", data[:10], data[: len(data) // 2], data[:-1], data + b"\0", b"\n" + data):
        with pytest.raises(InvalidText) as refusal:
            shelf.loads(wrong, PAIR)
        assert refusal.value.code == "solution_damaged"


def test_a_solution_of_other_rules_players_or_version_is_refused_and_says_which() -> None:
    data = shelf.dumps(solve_two(PAIR, written_out=False))
    with pytest.raises(InvalidText, match=re.escape(f"made for {PAIR.canonical} with 2")) as refusal:
        shelf.loads(data, PAIR.derive(entry=150))
    assert refusal.value.code == "solution_foreign"
    with pytest.raises(InvalidText, match="for 3 players"):
        shelf.loads(data, PAIR, 3)
    with pytest.raises(InvalidText, match=f"format 1; this program reads format {shelf.VERSION}") as refusal:
        shelf.loads(data.replace(b"cinqmille-solution %d " % shelf.VERSION, b"cinqmille-solution 1 ", 1), PAIR)
    assert refusal.value.code == "solution_version"


@pytest.mark.parametrize(("rules", "players"), [(PAIR, 2), (TAKEN, 2), (TRIO, 3), (LAST, 3)])
def test_solved_rules_are_kept_in_the_cache_and_fresh_ignores_it(cache: Path, rules: Rules, players: int) -> None:
    solution, origin = shelf.find(rules, players)
    assert origin == "solved"
    assert [file.name for file in cache.iterdir()] == [shelf.cache_path(rules, players).name]
    kept, origin = shelf.find(rules, players)
    assert origin == "cached"
    assert same(kept, solution)
    assert same(solve(rules, players), solution)
    assert shelf.find(rules, players, fresh=True)[1] == "solved"


@pytest.mark.parametrize("spoil", [lambda data: data[:-5], lambda data: b"", lambda data: data[:40] + b"x" + data[41:]])
def test_a_damaged_file_in_the_cache_is_solved_again_and_replaced(cache: Path, spoil: Callable[[bytes], bytes]) -> None:
    shelf.find(PAIR)
    path = shelf.cache_path(PAIR)
    whole = path.read_bytes()
    path.write_bytes(spoil(whole))
    assert shelf.find(PAIR)[1] == "solved"
    assert shelf.find(PAIR)[1] == "cached"


def test_the_file_of_another_game_in_its_place_is_not_believed(cache: Path) -> None:
    other = PAIR.derive(entry=150)
    shelf.find(other)
    shelf.cache_path(other).rename(shelf.cache_path(PAIR))
    solution, origin = shelf.find(PAIR)
    assert origin == "solved"
    assert solution.rules == PAIR


def test_without_a_folder_to_write_to_the_answer_comes_all_the_same(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.parent.mkdir()
    cache.write_text("a file where the folder should be")
    solution, origin = shelf.find(PAIR)
    assert origin == "unkept"
    assert solution.win[0] == solve_two(PAIR, written_out=False).win[0]


def test_what_is_too_large_is_not_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "MOST_BYTES", 100)
    assert [shelf.find(PAIR)[1], shelf.find(PAIR)[1]] == ["unkept", "unkept"]
    assert not cache.exists()


def _write_again_and_again(path: str) -> None:
    solution = solve_two(PAIR, written_out=False)
    while True:
        shelf.save(solution, Path(path))


def test_a_writer_killed_at_any_moment_leaves_a_whole_file(cache: Path) -> None:
    path = shelf.cache_path(PAIR)
    for wait in (0.0, 0.0013, 0.0031, 0.0072, 0.011):
        writer = multiprocessing.get_context("spawn").Process(target=_write_again_and_again, args=(str(path),))
        writer.start()
        assert writer.pid is not None
        while not path.exists():
            assert writer.is_alive()
            time.sleep(0.01)
        time.sleep(wait)
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        assert shelf.loads(path.read_bytes(), PAIR).rules == PAIR
        path.unlink()


def test_a_writer_that_fails_leaves_what_was_there(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.find(PAIR)
    path = shelf.cache_path(PAIR)
    before = path.read_bytes()
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        shelf.save(solve_two(PAIR, written_out=False), path)
    assert path.read_bytes() == before
    assert list(cache.iterdir()) == [path]


# What is shipped


SHIPPED = {name for name, rules in PRESETS.items() if shelf.shipped(rules) is not None}


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_what_is_shipped_is_solved_to_a_residual_below_1e_12(name: str) -> None:
    solution, origin = shelf.find(PRESETS[name])
    assert origin == "shipped"
    assert solution.residual < 1e-12
    assert solution.rules == PRESETS[name]
    data = shelf.shipped(PRESETS[name])
    assert data is not None
    assert len(data) <= 200_000


def test_shipped_are_the_small_presets_without_penalties_and_turns_to_take_over() -> None:
    states = {
        name: (rules.target // rules.step) ** 2 * (2 if rules.ending == "finish_round" else 1)
        for name, rules in PRESETS.items()
        if not unsolvable(rules) and not rules.scoreless_limit and rules.takeover == "never"
    }
    assert {name for name, count in states.items() if count <= 50_000} == SHIPPED
    assert shelf.find(PRESETS["cinq-des"])[0].win[0] == pytest.approx(0.525753384, abs=1e-9)


# Advice with stored solutions


def test_advice_for_three_is_exact_where_their_solution_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "effort", lambda rules, players: 3600.0)
    rules = Rules.parse("cinq-des(target=500, entry=150)")
    position = Position.parse(f"scores=150/200/350 player=2 rules={rules}")
    assert not advise(position).exact
    solution = solve(rules, 3)
    advice = advise(position)
    assert advice.exact
    expected = solution.chances((4, 7, 3))
    assert advice.best.win == pytest.approx(expected[0], abs=1e-9)
    assert advice.best.chances == pytest.approx((expected[2], expected[0], expected[1]), abs=1e-9)


def test_advice_for_three_solves_what_takes_about_a_second_and_keeps_it(cache: Path) -> None:
    rules = Rules.parse("cinq-des(target=450, entry=150)")
    advice = advise(start(rules, 3))
    assert advice.exact
    assert shelf.cache_path(rules, 3).exists()
    assert advice.best.chances == pytest.approx(solve(rules, 3).win, abs=1e-9)


def test_advice_for_three_never_begins_a_long_solve() -> None:
    assert shelf.at_hand(PRESETS["cinq-des"], 3) is None
    assert shelf.at_hand(PRESETS["six-des"], 3) is None
    assert shelf.at_hand(Rules.parse("cinq-des(takeover=always, target=300, entry=100)"), 3) is None
