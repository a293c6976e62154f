"""The referee before it judges anybody: the facts of RULES.md §3, the given records, the games worked out by hand."""

from __future__ import annotations

import ast
import itertools
import json
import random
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from referee import RefereeError, Rules, brute_keeps, parse_rules, random_record, referee, step, wins

DATA = Path(__file__).parent / "data"
GAMES = DATA / "games"
EXPECTED: dict[str, Any] = json.loads((GAMES / "expected.json").read_text(encoding="utf-8"))
RECORDS = [json.loads(line) for line in (DATA / "records.jsonl").read_text(encoding="utf-8").splitlines()]

RANDOM_RULES = [
    "cinq-des",
    "six-des",
    "cinq-des(target=2000, entry=300, equal_scores=fall, strike=true, scoreless_limit=3)",
    "cinq-des(target=2000, entry=300, exact=true, takeover=always, prediction=true, min_bank=200)",
    "cinq-des(target=3000, last_leg=1000, equal_scores=fall, hot_dice=must, ending=finish_round, tie=first)",
    "six-des(target=2000, takeover=opened, strike=true, scoreless_limit=3, scoreless_penalty=500, floor=-1000)",
    "six-des(target=3000, entry=0, keep=all, blank_roll=500, exact=true, equal_scores=fall)",
    "cinq-des(target=2000, min_bank=500, equal_scores=fall, hot_dice=must, scoreless_limit=3, strike=true, "
    "scoreless_penalty=previous, prediction=true, last_leg=500, takeover=always, exact=true, ending=last_turns)",
]


def rolls(rules: Rules, count: int) -> tuple[int, int, Fraction]:
    """Busts, rolls in which every die can be set aside, and the mean best value, by enumeration."""
    busts = full = total = 0
    for roll in itertools.product(range(1, 7), repeat=count):
        keeps = brute_keeps(rules, roll)
        busts += not keeps
        full += tuple(sorted(roll)) in keeps
        total += max(keeps.values(), default=0)
    return busts, full, Fraction(total, 6**count)


@pytest.mark.parametrize(
    ("preset", "busts", "full", "means"),
    [
        ("cinq-des", (4, 16, 60, 204, 600), (2, 4, 12, 48, 432), (25.00, 50.00, 86.81, 141.32, 259.28)),
        (
            "six-des",
            (4, 16, 60, 204, 600, 1080),
            (2, 4, 12, 52, 236, 3636),
            (25.00, 50.00, 86.81, 143.52, 225.79, 420.33),
        ),
    ],
)
def test_facts(preset: str, busts: tuple[int, ...], full: tuple[int, ...], means: tuple[float, ...]) -> None:
    rules = parse_rules(preset)
    found = [rolls(rules, count) for count in range(1, rules["dice"] + 1)]
    assert tuple(b for b, _, _ in found) == busts
    assert tuple(f for _, f, _ in found) == full
    assert tuple(round(float(mean), 2) for _, _, mean in found) == means


@pytest.mark.parametrize(
    ("rules", "roll", "best"),
    [
        ("cinq-des", "11111", 1200),
        ("cinq-des", "11115", 1150),
        ("cinq-des", "55555", 5000),
        ("cinq-des", "55552", 550),
        ("cinq-des", "12225", 350),
        ("cinq-des", "22346", None),
        ("six-des", "444422", 800),
        ("six-des(AAAABB=1500)", "444422", 1500),
        ("six-des", "111133", 2000),
        ("six-des", "112233", 1500),
        ("six-des", "222333", 2500),
        ("six-des(AAABBB=none)", "222333", 500),
        ("six-des", "111222", 2500),
        ("six-des(111222=none)", "111222", 1200),
        ("six-des(AAAABB=none)", "114444", 1000),
        ("six-des(AABBCC=750)", "112255", 750),
        ("six-des(1A1A1A=4000)", "111222", 4000),
        ("six-des(111AAA=3000)", "111222", 3000),
        ("six-des(111AAA=3000, AAA222=3500)", "111222", 3500),
        ("six-des(222AAA=3000)", "222222", 3000),  # a letter may be the face of a digit
        ("six-des(111AAA=9000)", "111111", 8000),
        ("six-des(12345=500, 23456=750)", "123455", 550),
        ("six-des(12345=500, 23456=750)", "123456", 1500),
        ("six-des(blank_roll=500)", "223446", 500),
        ("six-des(blank_roll=500)", "22346", None),
    ],
)
def test_best(rules: str, roll: str, best: int | None) -> None:
    keeps = brute_keeps(parse_rules(rules), map(int, roll))
    assert max(keeps.values(), default=None) == best


def test_every_set_aside_of_a_roll() -> None:
    assert brute_keeps(parse_rules("six-des"), (2, 2, 2, 5, 3, 3)) == {
        (2, 2, 2): 200,
        (5,): 50,
        (2, 2, 2, 5): 250,
    }
    assert brute_keeps(parse_rules("six-des(keep=all)"), (2, 2, 2, 5, 3, 3)) == {(2, 2, 2, 5): 250}


def test_wins() -> None:
    rules = parse_rules("cinq-des")
    assert [roll for roll in itertools.product(range(1, 7), repeat=5) if wins(rules, roll)] == [(1,) * 5]
    assert not any(wins(parse_rules("six-des"), (face,) * 6) for face in range(1, 7))
    assert wins(parse_rules("six-des(AAAAA=win)"), (4, 4, 2, 4, 4, 4))
    assert not wins(parse_rules("six-des(AAAAA=win)"), (1, 1, 1, 1, 1, 2))  # 11111=4000 is more exact


def test_step() -> None:
    assert step(parse_rules("cinq-des")) == 50
    assert step(parse_rules("six-des(blank_roll=130)")) == 10


@pytest.mark.parametrize(
    "text",
    [
        "sept-des",
        "cinq-des(entry)",
        "cinq-des(entry=-50)",
        "cinq-des(ending=never)",
        "cinq-des(colour=3)",
        "cinq-des(111111=3)",
        "cinq-des(AAA=100*B)",
        "six-des(prediction=true)",
    ],
)
def test_rules_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"five dice|no |not a"):
        parse_rules(text)


@pytest.mark.parametrize("case", RECORDS, ids=[case["name"] for case in RECORDS])
def test_given_records(case: dict[str, Any]) -> None:
    assert judge(case["record"]) == case.get("expect", {"error_line": case.get("error_line")})


@pytest.mark.parametrize("name", EXPECTED)
def test_games_worked_out_by_hand(name: str) -> None:
    found = judge((GAMES / name).read_text(encoding="utf-8"))
    assert {key: found.get(key) for key in EXPECTED[name]} == EXPECTED[name]


def judge(record: str) -> dict[str, Any]:
    """What the given records and the games look at."""
    try:
        found = referee(record)
    except RefereeError as error:
        return {"error_line": error.line}
    keys = ["scores", "to_play", "winners"] + (["ladders"] if record.startswith("# §") else [])
    return {key: found[key] for key in keys}


def test_games_are_whole() -> None:
    assert set(EXPECTED) == {path.name for path in GAMES.glob("*.txt")}
    assert all((GAMES / name).read_text(encoding="utf-8").startswith("# ") for name in EXPECTED)
    pairs = {match[0] for name in EXPECTED if (match := re.match(r"p\d\d-\d\d", name))}
    assert pairs == {f"p{a:02}-{b:02}" for a, b in itertools.combinations(range(1, 11), 2)}
    assert {f"v{number:02}" for number in range(1, 11)} <= {name[:3] for name in EXPECTED}


VARIANTS = [
    "min_bank", "equal_scores", "hot_dice", "scoreless_limit", "strike",
    "prediction", "last_leg", "takeover", "exact", "target",
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(range(10), 2)))
def test_both_variants_of_a_pair_matter(first: int, second: int) -> None:
    """Without either variant at least one game of the pair would end otherwise."""
    names = [name for name in EXPECTED if name.startswith(f"p{first + 1:02}-{second + 1:02}")]
    for variant in (VARIANTS[first], VARIANTS[second]):
        changed = False
        for name in names:
            record = (GAMES / name).read_text(encoding="utf-8")
            without, count = re.subn(rf"(\nrules:.*[( ]){variant}=\w+", r"\1", record)
            assert count == 1
            changed |= judge(without) != judge(record)
        assert changed, variant


@pytest.mark.parametrize(
    ("turns", "phase", "turn_points", "dice_left"),
    [
        ("", "roll", 0, 5),
        ("Ana: 11123>111 =", "start", 0, 5),
        ("Ana: 11123>111 =\nBen: +", "roll", 1000, 2),
        ("Ana: 12345>12345 =\nBen: +", "roll", 1500, 5),
        ("Ana: 11523>115", "decide", 250, 2),
        ("Ana: 11523>115 ?50", "roll", 250, 2),
        ("Ana: 11523>115 15", "choose", 250, 2),
        ("Ana: 11523>115 15>15", "decide", 400, 0),
        ("Ana: 11523>115 23", "roll", 0, 5),
        ("Ana: 11111", "over", 0, 5),
    ],
)
def test_phases(turns: str, phase: str, turn_points: int, dice_left: int) -> None:
    text = f"rules: cinq-des(takeover=always, prediction=true)\nplayers: Ana, Ben\n{turns}\n"
    found = referee(text)
    assert (found["phase"], found["turn_points"], found["dice_left"]) == (phase, turn_points, dice_left)


@pytest.mark.parametrize(
    ("record", "line"),
    [
        ("", 1),
        ("players: Ana, Ben\nAna: =0\n", 2),
        ("rules: cinq-des\nplayers: Ana\n", 2),
        ("rules: cinq-des\nplayers: Ana, Ana\n", 2),
        ("rules: sept-des\nplayers: Ana, Ben\n", 1),
        ("rules: cinq-des\nplayers: Ana, Ben\nAna 15534>155\n", 3),
    ],
)
def test_headers_that_are_none(record: str, line: int) -> None:
    assert judge(record) == {"error_line": line}


@pytest.mark.parametrize("rules", RANDOM_RULES)
def test_random_records(rules: str) -> None:
    rng = random.Random(f"referee {rules}")
    phases = set()
    for number in range(150):
        record = random_record(rng, rules, ("Ana", "Ben", "Cleo", "Dora")[: 2 + number % 3], max_turns=40)
        found = referee(record)
        phases.add(found["phase"])
        assert (found["phase"] == "over") == bool(found["winners"]) == (found["to_play"] is None)
        assert found["scores"] == [ladder[-1] if ladder else 0 for ladder in found["ladders"]]
        assert all(a < b for ladder in found["ladders"] for a, b in itertools.pairwise(ladder))
        if "equal_scores=fall" in rules:
            parsed = parse_rules(rules)
            top = parsed["target"] - parsed["last_leg"]
            live = [score for score in found["scores"] if 0 < score < top]
            assert len(live) == len(set(live))
    assert {"over", "choose", "decide", "roll"} <= phases
    assert ("start" in phases) == ("takeover" in rules)


def test_rare_things_happen() -> None:
    rng = random.Random(5)
    text = "".join(random_record(rng, RANDOM_RULES[3], ("Ana", "Ben", "Cleo")) for _ in range(200))
    for thing in (r": \+ ", r"\?\d+ \d\d>", r": =\d+$", r": =0\*", "skip$", "leave$", "back$", r"\b11111$"):
        assert re.search(thing, text, re.MULTILINE), thing
    assert re.search(r">[1-6]+$", text, re.MULTILINE), "passing an exact target"


def test_the_same_dice_for_the_same_seed() -> None:
    first, second = (random_record(random.Random(7), "six-des") for _ in range(2))
    assert first == second


def test_the_referee_is_independent() -> None:
    tree = ast.parse((Path(__file__).parent / "referee.py").read_text(encoding="utf-8"))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names
