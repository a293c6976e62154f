"""Golden data: every sheet has a census of all its rolls and one whole recorded game, and both still come out so.

``scripts/golden`` is the only writer. A difference means that a score or a rule has changed: look at it first.
"""

import itertools
import json
import re
from collections import Counter
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

from cinqmille import PRESETS, replay
from referee import brute_keeps, parse_rules, referee, wins

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "data" / "golden"


def script() -> ModuleType:
    spec = spec_from_loader("golden", SourceFileLoader("golden", str(ROOT / "scripts" / "golden")))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GOLDEN = script()


def test_every_sheet_has_its_census_and_its_game_and_nothing_else_lies_there() -> None:
    expected = {f"{preset}.{kind}.txt" for preset in PRESETS for kind in ("census", "game")}
    assert {path.name for path in FOLDER.glob("*.*.txt")} == expected


@pytest.mark.parametrize("preset", PRESETS)
def test_the_census_has_not_changed(preset: str) -> None:
    assert GOLDEN.census(preset) == (FOLDER / f"{preset}.census.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("preset", PRESETS)
def test_the_game_has_not_changed(preset: str) -> None:
    assert GOLDEN.game(preset) == (FOLDER / f"{preset}.game.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("preset", PRESETS)
def test_the_census_is_what_brute_force_counts(preset: str) -> None:
    """The file itself, without the package: busts, full rolls, wins and the law of the best points."""
    rules = parse_rules(preset)
    text = (FOLDER / f"{preset}.census.txt").read_text(encoding="utf-8")
    blocks = re.findall(r"(\d) dice: (\d+) rolls, (\d+) busts, (\d+) full, (\d+) win\n((?:  best.*\n)*)", text)
    assert [int(block[0]) for block in blocks] == list(range(1, rules["dice"] + 1))
    for dice, rolls, *numbers, law in blocks:
        counted, best = Counter[str](), Counter[int]()
        for roll in itertools.combinations_with_replacement(range(1, 7), int(dice)):
            ways = len(set(itertools.permutations(roll))) if len(roll) < 6 else orders(roll)
            winning = wins(rules, roll)
            keeps = {} if winning else brute_keeps(rules, roll)
            counted["busts"] += ways * (not winning and not keeps)
            counted["full"] += ways * (winning or roll in keeps)
            counted["win"] += ways * winning
            if not winning:
                best[max(keeps.values(), default=0)] += ways
        assert int(rolls) == 6 ** int(dice)
        assert [int(number) for number in numbers] == [counted["busts"], counted["full"], counted["win"]]
        listed = {int(points): int(ways) for points, ways in re.findall(r"best +(\d+): (\d+)", law)}
        assert listed == {points: ways for points, ways in best.items() if ways}


def orders(roll: tuple[int, ...]) -> int:
    """In how many orders these dice can fall, die by die: choose where each face lies."""
    ways, places = 1, len(roll)
    for face in set(roll):
        count = roll.count(face)
        ways *= len(list(itertools.combinations(range(places), count)))
        places -= count
    return ways


@pytest.mark.parametrize("preset", PRESETS)
def test_the_game_ends_as_it_says_for_package_and_referee(preset: str) -> None:
    text = (FOLDER / f"{preset}.game.txt").read_text(encoding="utf-8")
    expected = json.loads(text.splitlines()[1].removeprefix("# end: "))
    game = replay(text)
    assert game.position.phase == "over"
    assert expected == {
        "scores": list(game.position.scores),
        "winners": [game.players[seat] for seat in game.position.winners],
    }
    judged = referee(text)
    assert {key: judged[key] for key in expected} == expected
    assert judged["ladders"] == [list(seat.ladder) for seat in game.position.seats]
