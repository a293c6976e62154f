"""House rules as one value (RULES §3-5): parameters, text forms, equality, and what is refused with which words."""

import itertools
import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import referee
from cinqmille import PARAMETERS, PRESETS, InvalidRules, RecordError, Rules, Sheet, keeps, replay
from cinqmille.errors import SENTENCES
from cinqmille.patterns import Combination
from sheets import OPTIONS, sheets

ROOT = Path(__file__).parents[1]
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}

# RULES §5 and §3: every parameter with the default that stands there first.
DEFAULTS: dict[str, object] = {
    "dice": 5, "target": 5000, "entry": 0, "ending": "first", "tie": "shared", "min_bank": 0,
    "equal_scores": "allowed", "hot_dice": "may", "keep": "any", "blank_roll": 0, "scoreless_limit": 0,
    "scoreless_penalty": "zero", "floor": 0, "strike": False, "prediction": False, "last_leg": 0,
    "takeover": "never", "exact": False,
}  # fmt: skip
CHOICES = {
    "ending": ("first", "last_turns", "finish_round"), "tie": ("shared", "first"),
    "equal_scores": ("allowed", "fall"), "hot_dice": ("may", "must"), "keep": ("any", "all"),
    "scoreless_penalty": ("zero", "previous"), "takeover": ("never", "opened", "always"),
}  # fmt: skip
RANGES = {
    "dice": (1, 8), "target": (1, 10**6), "entry": (0, 10**6), "min_bank": (0, 10**6), "blank_roll": (0, 10**6),
    "scoreless_limit": (0, 100), "scoreless_penalty": (1, 10**6), "floor": (-(10**6), 0), "last_leg": (0, 10**6),
}  # fmt: skip


# The table of parameters.


def test_the_parameters_are_those_of_the_rules_with_their_defaults() -> None:
    assert {parameter.name: parameter.default for parameter in PARAMETERS} == DEFAULTS
    assert {p.name: p.choices for p in PARAMETERS if p.choices} == CHOICES
    assert {p.name: (p.low, p.high) for p in PARAMETERS if p.kind not in ("flag", "choice")} == RANGES
    kinds = {p.name: p.kind for p in PARAMETERS}
    assert [name for name, kind in kinds.items() if kind == "flag"] == ["strike", "prediction", "exact"]


def test_every_field_of_rules_is_a_documented_parameter() -> None:
    """STYLE 2: a field that is neither a parameter nor one of the known others would be undocumented."""
    others = {"combinations", "base", "table", "fingerprint", "_canonical"}
    assert {field.name for field in fields(Rules)} == set(BY_NAME) | others
    page = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8")
    for parameter in PARAMETERS:
        assert re.fullmatch(r"[A-Z].{10,}\.", parameter.help), parameter.name
        assert f"| `{parameter.name}` |" in page, parameter.name
        assert parameter.help in page, parameter.name


@pytest.mark.parametrize("name", BY_NAME)
def test_values_are_read_from_python_and_from_text_and_others_are_refused(name: str) -> None:
    parameter = BY_NAME[name]
    good: list[object] = list(CHOICES.get(name, ()))
    bad: list[object] = ["", "maybe", None, 1.5, "1e3", [1], "1 000", "५" * 12]
    if parameter.kind == "flag":
        good += [True, False]
        bad += [0, 1, "yes"]
    else:
        bad += [True, False]
    if name in RANGES:
        low, high = RANGES[name]
        good += [low, high]
        bad += [low - 1, high + 1, 10**40]
    for value in good:
        assert parameter.read(value) == value
        assert type(parameter.read(value)) is type(value)
        assert parameter.read(f" {str(value).lower() if isinstance(value, bool) else value} ") == value
    for value in bad:
        with pytest.raises(InvalidRules) as refusal:
            parameter.read(value)
        assert refusal.value.code == {
            "flag": "bad_flag", "choice": "bad_choice", "choice or points": "bad_choice_or_number"
        }.get(parameter.kind, "bad_number")  # fmt: skip
        sentence = str(refusal.value)
        assert name in sentence
        assert (str(value).lower() if isinstance(value, bool) else str(value).strip()) in sentence
        for right in [*CHOICES.get(name, ()), *RANGES.get(name, ())]:
            assert str(right) in sentence


# What each parameter changes: the same turns under rules that differ in it alone end differently.
EFFECTS: dict[str, tuple[str, str, str]] = {
    "dice": ("farkle-minimal(dice=5)", "dice=6", "Ana: 11123>111 ="),
    "target": ("cinq-des(target=5000)", "target=1000", "Ana: 11123>111 ="),
    "entry": ("cinq-des(entry=200)", "entry=250", "Ana: 15534>155 ="),
    "ending": ("cinq-des(target=1000, ending=first)", "ending=last_turns", "Ana: 11123>111 ="),
    "tie": ("six-des(target=1000, tie=shared)", "tie=first", "Ana: 111234>111 =\nBen: 111234>111 ="),
    "min_bank": ("cinq-des(min_bank=0)", "min_bank=200", "Ana: 11123>111 =\nBen: =0\nAna: 13346>1 ="),
    "equal_scores": ("cinq-des(equal_scores=allowed)", "equal_scores=fall", "Ana: 11123>111 =\nBen: 11123>111 ="),
    "hot_dice": ("cinq-des(hot_dice=may)", "hot_dice=must", "Ana: 12345>12345 ="),
    "keep": ("cinq-des(keep=any)", "keep=all", "Ana: 11123>11"),
    "blank_roll": ("six-des(blank_roll=0)", "blank_roll=500", "Ana: 223446>-"),
    "scoreless_limit": ("cinq-des(scoreless_limit=0)", "scoreless_limit=1", "Ana: 11123>111 =\nBen: =0\nAna: =0"),
    "scoreless_penalty": (
        "cinq-des(scoreless_limit=1, scoreless_penalty=zero)",
        "scoreless_penalty=100",
        "Ana: 11123>111 =\nBen: =0\nAna: =0",
    ),
    "floor": ("cinq-des(scoreless_limit=1, scoreless_penalty=500, floor=0)", "floor=-500", "Ana: =0"),
    "strike": ("cinq-des(strike=false)", "strike=true", "Ana: 11123>111 =\nBen: =0\nAna: 23346>-"),
    "prediction": ("cinq-des(prediction=false)", "prediction=true", "Ana: 11123>111 ?50"),
    "last_leg": ("cinq-des(target=1500, last_leg=0)", "last_leg=1000", "Ana: 11123>111 ="),
    "takeover": ("cinq-des(takeover=never)", "takeover=always", "Ana: 11123>111 =\nBen: + 55>55 ="),
    "exact": ("cinq-des(target=900, exact=false)", "exact=true", "Ana: 11123>111 ="),
}


def verdict(rules: str, turns: str) -> object:
    try:
        end = replay(f"rules: {rules}\nplayers: Ana, Ben\n{turns}\n").position
    except RecordError:
        return "refused"
    return end.seats, end.phase, end.winners


@pytest.mark.parametrize("name", BY_NAME)
def test_every_parameter_changes_a_game(name: str) -> None:
    """A parameter that changes nothing is not implemented; one that no test varies has no row here."""
    assert set(EFFECTS) == set(BY_NAME), "a parameter is never varied in a test"
    text, change, turns = EFFECTS[name]
    assert change.startswith(f"{name}=")
    changed = re.sub(rf"\b{name}=[^,)]+", change, text)
    assert changed != text
    assert verdict(text, turns) != verdict(changed, turns)


def test_random_rules_vary_every_parameter() -> None:
    """The sheets made by chance, which the differential tests and the battery play, leave no parameter out."""
    assert {*OPTIONS, "dice"} == set(BY_NAME)
    for name, options in OPTIONS.items():
        given_values = {str(value) for value in options if value is not None}
        assert len(given_values) >= 2, name
        assert set(CHOICES.get(name, ())) <= given_values, name


# Text forms.


@given(sheets())
def test_the_canonical_string_reads_back_as_the_same_rules(text: str) -> None:
    rules = Rules.parse(text)
    again = Rules.parse(rules.canonical)
    assert again == rules
    assert (again.canonical, again.fingerprint, hash(again)) == (rules.canonical, rules.fingerprint, hash(rules))
    assert str(rules) == rules.canonical
    assert eval(repr(rules), {"Rules": Rules}) == rules
    assert Rules.load(rules.canonical) == rules


@given(sheets())
def test_the_canonical_string_scores_the_same_for_the_referee(text: str) -> None:
    """The text a record begins with means the same table to a second reader."""
    written, canonical = referee.parse_rules(text), referee.parse_rules(Rules.parse(text).canonical)
    assert {k: v for k, v in written.items() if k != "table"} == {k: v for k, v in canonical.items() if k != "table"}
    for count in (1, 3, written["dice"]):
        for roll in itertools.islice(itertools.combinations_with_replacement(referee.FACES, count), 0, None, 5):
            assert referee.brute_keeps(written, roll) == referee.brute_keeps(canonical, roll)
            assert referee.wins(written, roll) == referee.wins(canonical, roll)


@given(sheets())
def test_a_toml_sheet_reads_back_as_the_same_rules(text: str) -> None:
    rules = Rules.parse(text)
    sheet = Sheet.from_toml(rules.to_toml("Ours"), name="ours")
    assert sheet.rules == rules
    assert sheet.rules.fingerprint == rules.fingerprint
    assert sheet.title == {"fr": "Ours", "en": "Ours"}
    assert Rules.parse(sheet.rules.canonical) == rules, "whatever preset the string is written against"


TABLES = st.dictionaries(
    st.sampled_from(
        ["1", "5", "2", "A", "111", "AAA", "222", "11A", "AA", "11", "AB", "1111", "AAAA", "AABB", "1122", "11111",
         "AAAAA", "12345", "23456", "55555", "AAABB", "11AAA"]
    ),
    st.sampled_from(["50", "100", "200", "win", "none", "50*A", "100*A"]),
    min_size=1,
)  # fmt: skip


@given(TABLES)
@settings(max_examples=50)
def test_any_table_has_a_canonical_string_that_scores_the_same(table: dict[str, str]) -> None:
    """A preset's combination that this table lacks is taken out without barring what other patterns make of it."""
    table = {pattern: "50" if "*" in value and "A" not in pattern else value for pattern, value in table.items()}
    combinations = tuple(Combination.parse(pattern, value) for pattern, value in {**table, "6": "50"}.items())
    try:
        rules = Rules(dice=5, combinations=combinations, target=1000)
    except InvalidRules:  # every roll wins
        reject()
    again = Rules.parse(rules.canonical)
    assert again == rules
    assert again.table.melds == rules.table.melds
    judge = referee.table_rules(5, {**table, "6": "50"})
    for roll in itertools.combinations_with_replacement(referee.FACES, 5):
        assert rules.table.wins_at_once(roll) == referee.wins(judge, roll)
        if not rules.table.wins_at_once(roll):
            assert {keep.dice: keep.points for keep in keeps(rules, roll)} == referee.brute_keeps(judge, roll)


def test_a_missing_exact_pattern_is_not_barred_by_the_canonical_string() -> None:
    """Three 1s at 400 by AAA=400*A must not become 300 when the rules are stored and read again."""
    rules = Sheet.from_toml('target = 2000\n[combinations]\n1 = 100\n5 = 50\nAAA = "400*A"', name="x").rules
    assert "111=400" in rules.canonical
    assert keeps(Rules.parse(rules.canonical), "11123")[0].points == 400


def test_combinations_that_change_no_score_are_left_out() -> None:
    """What says nothing new makes no other rules."""
    plain = Rules.parse("farkle-minimal")
    assert Rules.parse("farkle-minimal(222=300)") != plain
    for text in ("AABBCC=none", "222=200", "222=200, 333=300, 666=600", "AAAA=none", "1111=none"):
        assert Rules.parse(f"farkle-minimal({text})") == plain
    assert Rules.parse("six-des(111222=2500)") == Rules.parse("six-des")
    assert Rules.parse("six-des(111222=none)") != Rules.parse("six-des")


def test_no_preset_has_a_pattern_of_digits_and_letters() -> None:
    """The canonical string can take out digits (by their value) and letters (by none), not a mixture."""
    for name, rules in PRESETS.items():
        assert all(c.digits in (0, len(c.pattern)) for c in rules.combinations), name


@given(sheets(), sheets())
def test_fingerprints_are_equal_just_for_equal_rules(first: str, second: str) -> None:
    a, b = Rules.parse(first), Rules.parse(second)
    assert (
        (a == b) == (a.fingerprint == b.fingerprint) == (a.values() == b.values() and a.combinations == b.combinations)
    )
    assert re.fullmatch(r"[0-9a-f]{16}", a.fingerprint)


def test_equal_rules_are_equal_whatever_preset_they_come_from() -> None:
    six, minimal = Rules.parse("six-des"), Rules.parse("farkle-minimal")
    changes = dict(re.findall(r"(\w+)=([^,)]+)", replace(minimal, base="six-des").canonical))
    assert six.derive(**changes) == minimal
    assert six.derive(**changes).canonical.startswith("six-des(")
    assert len({six.derive(**changes), minimal, Rules.parse("farkle-minimal()")}) == 1


@pytest.mark.parametrize("name", BY_NAME)
def test_another_value_is_another_fingerprint(name: str) -> None:
    text, change, _ = EFFECTS[name]
    assert Rules.parse(text).fingerprint != Rules.parse(re.sub(rf"\b{name}=[^,)]+", change, text)).fingerprint


def test_canonical_strings_name_only_what_differs() -> None:
    """DESIGN 2."""
    for name in PRESETS:
        assert PRESETS[name].canonical == name
        assert Rules.parse(f" {name} ( ) ") == PRESETS[name]
    rules = Rules.parse("cinq-des( entry = 500 , AAAA=none, ending=first, 23456=none )")
    assert rules.canonical == "cinq-des(entry=500, 23456=none)"
    assert Rules.parse("six-des(BBAACC=750)").canonical == "six-des(AABBCC=750)"
    assert Rules.parse("six-des(BBBAAA=50*B)").canonical == "six-des(AAABBB=50*A)"


def test_with_fewer_dice_a_preset_drops_its_longer_combinations() -> None:
    rules = Rules.parse("six-des(dice=4)")
    assert max(len(c.pattern) for c in rules.combinations) == 4
    assert rules.canonical == "six-des(dice=4)"
    assert Rules.parse("six-des(dice=4, AABBCC=none)") == rules, "what cannot be rolled needs no taking out"
    with pytest.raises(InvalidRules) as refusal:
        Rules.parse("six-des(AABBCC=750, dice=4)")
    assert refusal.value.code == "pattern_too_long"


def test_house_rules_may_start_from_a_sheet_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "chez-nous.toml"
    path.write_text(
        '\ufeffbase = "cinq-des"\ntitle = "Chez nous"\nentry = 500\n[combinations]\nAAAA = "200*A"\n', "utf-8"
    )
    sheet = Sheet.load(str(path))
    assert sheet.rules == Rules.parse("cinq-des(entry=500, AAAA=200*A)")
    assert (sheet.id, sheet.title["fr"]) == ("chez-nous", "Chez nous")
    assert Rules.load(f" {path} ") == sheet.rules


def test_every_sheet_has_a_title_and_a_source_in_both_languages() -> None:
    for name in PRESETS:
        sheet = Sheet.load(name)
        assert (sheet.id, set(sheet.title)) == (name, {"fr", "en"})
        assert sheet.source
        assert set(sheet.notes) in (set(), {"fr", "en"})
    assert list(PRESETS)[:2] == ["cinq-des", "six-des"]
    assert len(PRESETS) == len(list(PRESETS)) == len(set(PRESETS))
    assert "nothing" not in PRESETS


def test_rules_cannot_be_changed() -> None:
    rules = Rules.parse("cinq-des")
    with pytest.raises(AttributeError):
        rules.entry = 0  # type: ignore[misc]
    assert rules.derive(entry=500).entry == 500
    assert rules.entry == 750


# The two ground sheets, and the ten variants of the five-dice sheet (RULES §5).

VARIANTS: dict[str, object] = {
    "min_bank": 500, "equal_scores": "fall", "hot_dice": "must", "scoreless_limit": 3, "strike": True,
    "prediction": True, "last_leg": 1000, "takeover": "always", "exact": True, "target": 10000,
}  # fmt: skip


def test_the_two_ground_sheets() -> None:
    """§3: dice, entry, target, ending; nothing else differs from the defaults."""
    expected: dict[str, dict[str, object]] = {
        "cinq-des": {"entry": 750},
        "six-des": {"dice": 6, "entry": 500, "ending": "last_turns"},
    }
    for name, differing in expected.items():
        assert PRESETS[name].values() == {**DEFAULTS, **differing}


def test_all_combinations_of_the_ten_variants_can_be_played() -> None:
    """§5: alone, two by two (45), and all 1024 of them."""
    sheet, seen = PRESETS["cinq-des"], set()
    for number in range(11):
        for names in itertools.combinations(VARIANTS, number):
            rules = sheet.derive(**{name: VARIANTS[name] for name in names})
            assert {name for name, value in rules.values().items() if value != sheet.values()[name]} == set(names)
            seen.add(rules.fingerprint)
    assert len(seen) == 1024


# What is refused: one row for every code, with what its sentence must name.


def toml(text: str) -> Callable[[], object]:
    return lambda: Sheet.from_toml(text, name="ours", source="ours.toml")


def parsed(text: str) -> Callable[[], object]:
    return lambda: Rules.parse(text)


# With a pair of 1s set aside the third die never scores: no turn brings more than 100.
ONE_PAIR = "cinq-des(dice=3, target=1000, 1=none, 5=none, AAA=none, 111=none, 11=100"

REFUSALS: dict[str, list[tuple[Callable[[], object], tuple[str, ...]]]] = {
    "bad_pattern": [
        (toml("[combinations]\n117 = 5"), ("117", "1 to 6", "A to F")),
        (toml('[combinations]\n"AAG" = 5'), ("AAG",)),
        (toml('[combinations]\n"" = 5'), ("''",)),
        (lambda: Combination.parse("aa", 5), ("aa",)),
    ],
    "bad_combination_value": [
        (parsed("cinq-des(AAA=lots)"), ("AAA", "lots", "100*A", "win", "none")),
        (parsed("cinq-des(AAA=0)"), ("AAA", "0")),
        (parsed("cinq-des(AAA=-100)"), ("-100",)),
        (parsed("cinq-des(AAA=1000001)"), ("1000001",)),
        (parsed(f"cinq-des(AAA={'9' * 5000})"), ("9" * 5000,)),
        (toml("[combinations]\nAAA = true"), ("True",)),
        (toml("[combinations]\nAAA = 100.0"), ("100.0",)),
        (toml("[combinations]\nAAA = [1]"), ("[1]",)),
    ],
    "letter_not_in_pattern": [(parsed("cinq-des(AAA=100*B)"), ("AAA", "B")), (parsed("cinq-des(11=5*A)"), ("11", "A"))],
    "pattern_too_long": [
        (parsed("cinq-des(111111=5)"), ("111111", "6", "5")),
        (parsed(f"cinq-des({'A' * 100_000}=5)"), ("100000", "5")),
        (lambda: Rules(dice=2, combinations=(Combination.parse("AAA", 5),)), ("AAA", "3", "2")),
    ],
    "bad_flag": [(parsed("cinq-des(strike=yes)"), ("strike", "yes", "true", "false"))],
    "bad_choice": [(parsed("cinq-des(ending=never)"), ("ending", "never", "first, last_turns, finish_round"))],
    "bad_number": [
        (parsed("cinq-des(dice=9)"), ("dice", "9", "1", "8")),
        (parsed("cinq-des(target=0)"), ("target", "0", "1")),
    ],
    "bad_choice_or_number": [
        (parsed("cinq-des(scoreless_penalty=half)"), ("scoreless_penalty", "half", "zero, previous", "1", "1000000")),
    ],
    "unknown_preset": [
        (parsed("sept-des"), ("sept-des", "cinq-des, six-des")),
        (toml('base = "sept-des"'), ("sept-des",)),
        (toml('base = ["cinq-des"]'), ("cinq-des",)),
        (lambda: Rules(combinations=PRESETS["cinq-des"].combinations, base="nope"), ("nope",)),
    ],
    "unknown_parameter": [
        (parsed("cinq-des(colour=3)"), ("colour", *BY_NAME)),
        (parsed("cinq-des(base=six-des)"), ("base",)),
        (toml("colour = 3"), ("colour", *BY_NAME)),
    ],
    "misspelt_parameter": [
        (parsed("cinq-des(enrty=500)"), ("enrty", "entry", *BY_NAME)),
        (toml("Base = 3"), ("Base", "base")),
        (toml("[combinaisons]\n1 = 100"), ("combinaisons", "combinations")),
    ],
    "rule_among_combinations": [(toml("[combinations]\nentry = 500"), ("entry", "above"))],
    "no_combinations": [(toml(""), ("ours", "base")), (toml("entry = 500"), ("ours", "base"))],
    "repeated_parameter": [
        (parsed("cinq-des(entry=500, entry=500)"), ("entry",)),
        (parsed("six-des(AABBCC=750, CCBBAA=750)"), ("CCBBAA",)),
        (toml("[combinations]\nAAB = 5\nABA = 5"), ("ABA",)),
    ],
    "rules_syntax": [
        (parsed(""), ("''", "cinq-des(entry=500")),
        (parsed("cinq-des(entry=500"), ("cinq-des(entry=500",)),
        (parsed("cinq-des(entry)"), ("entry",)),
        (parsed("cinq-des(entry=)"), ("entry=",)),
        (parsed("cinq-des(entry=500,,)"), ("cinq-des(entry=500,,)",)),
        (parsed("cinq-des)("), ("cinq-des)(",)),
    ],
    "bad_toml": [
        (toml("dice = x\n"), ("ours.toml", "line 1")),
        (toml("combinations = 3"), ("ours.toml", "[combinations]")),
        (toml("dice = " + "[" * 100_000), ("ours.toml",)),
        (toml("dice = " + "1" * 5000), ("ours.toml",)),
    ],
    "unreadable_file": [
        (lambda: Rules.load("no/such/sheet.toml"), ("no/such/sheet.toml", "No such file")),
        (lambda: Rules.load(str(ROOT) + "/"), (str(ROOT),)),
        (lambda: Rules.load("a\0b.toml"), ("a\0b.toml",)),
    ],
    "not_utf8": [(lambda: Rules.load(str(ROOT / "tests" / "data" / "latin-1.toml")), ("latin-1.toml", "UTF-8"))],
    "no_points": [
        (toml("[combinations]"), ("1=100",)),
        (toml('[combinations]\n111 = "win"'), ("1=100",)),
        (parsed("farkle-minimal(1=none, 5=none, 111=none, AAA=none)"), ("1=100",)),
        (toml("blank_roll = 500\n[combinations]"), ("1=100",)),
    ],
    "not_a_multiple": [
        (parsed("cinq-des(entry=130)"), ("entry", "130", "50", "100", "150")),
        (parsed("cinq-des(floor=-130)"), ("floor", "-130", "-150", "-100")),
        (parsed("cinq-des(scoreless_limit=3, scoreless_penalty=30)"), ("scoreless_penalty", "30", "50")),
        (parsed("cinq-des(5=none, target=4950)"), ("target", "4950", "100", "4900", "5000")),
    ],
    "prediction_needs_five_dice": [(parsed("six-des(prediction=true)"), ("prediction", "five", "6"))],
    "last_leg_too_long": [(parsed("cinq-des(last_leg=5050)"), ("last_leg", "5050", "5000"))],
    "entry_unreachable": [(parsed(f"{ONE_PAIR}, entry=200)"), ("200", "100"))],
    "target_unreachable": [(parsed(f"{ONE_PAIR}, entry=0, min_bank=200)"), ("1000", "100"))],
    "target_unreachable_exactly": [
        (parsed("cinq-des(exact=true, target=500, entry=1000)"), ("500",)),
    ],
    "dead_end": [
        (parsed("farkle-minimal(exact=true, 1=none, 5=150, 111=none, target=1000)"), ("950", "50", "1000")),
    ],
}  # fmt: skip

CASES = [(code, make, named) for code, rows in REFUSALS.items() for make, named in rows]


@pytest.mark.parametrize(("code", "make", "named"), CASES, ids=[code for code, _, _ in CASES])
def test_rules_that_are_refused_say_what_is_wrong(
    code: str, make: Callable[[], object], named: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidRules) as refusal:
        make()
    assert refusal.value.code == code
    for word in named:
        assert word in str(refusal.value)


def test_every_code_for_rules_has_its_case() -> None:
    """Read off the source: a new reason to refuse rules needs a case here."""
    found: set[str] = set()
    for module in ("rules", "patterns", "playable"):
        source = (ROOT / "src" / "cinqmille" / f"{module}.py").read_text(encoding="utf-8")
        found |= set(re.findall(r"InvalidRules\(\s*\"(\w+)\"", source))
        found |= set(re.findall(r"\(?\"(\w+)\" if exact else \"(\w+)\"", source)[0]) if module == "playable" else set()
    found |= {code for code in SENTENCES if code in ("entry_unreachable", "target_unreachable", "dead_end")}
    assert found == set(REFUSALS)


def test_wrong_values_in_python_are_refused_as_in_text() -> None:
    table: dict[str, Any] = {"combinations": PRESETS["cinq-des"].combinations}
    for wrong in ({"dice": 5.0}, {"dice": True}, {"entry": None}, {"strike": 1}, {"ending": True}, {"target": [1]}):
        with pytest.raises(InvalidRules) as refusal:
            Rules(**table, **wrong)
        assert next(iter(wrong)) in str(refusal.value)
    assert Rules(**table, dice="5", strike="true") == Rules(**table, strike=True)  # type: ignore[arg-type]
