"""What rolls are worth (RULES §2.2-2.4, §3): every roll of every sheet against the referee, and the reports."""

import itertools
import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import referee
from cinqmille import PRESETS, IllegalAction, InvalidText, Keep, Roll, Rules, keeps, score
from cinqmille.patterns import Combination
from cinqmille.scoring import format_dice, parse_dice, scored
from sheets import sheets

FACES = (1, 2, 3, 4, 5, 6)

BASIC = {"1": "100", "5": "50", "111": "1000", "AAA": "100*A"}

# Tables that no sheet has: dice, combinations, keep, blank_roll.
ODD_TABLES: dict[str, tuple[int, dict[str, str], str, int]] = {
    "pig: one die": (1, {"2": "2", "3": "3", "4": "4", "5": "5", "6": "6"}, "any", 0),
    "one die, any face": (1, {"A": "10*A"}, "any", 0),
    "a pair with any third": (3, {"1": "100", "11A": "300"}, "any", 0),
    "digits beat letters, letters beat less": (4, {"1": "10", "11AA": "500", "AABB": "300", "1122": "70"}, "any", 0),
    "times the second letter": (5, {"AAABB": "100*B", "5": "50"}, "any", 0),
    "two letters, both faces tried": (4, {"AABB": "50*A", "6": "10"}, "any", 0),
    "a none that bars a letter": (5, {**BASIC, "AAAA": "200*A", "2222": "none", "222": "none"}, "any", 0),
    "a none between letters loses": (4, {"1": "10", "AABB": "none", "AAAA": "80", "ABCD": "30"}, "any", 0),
    "all different": (6, {"ABCDEF": "2000", "ABCD": "400", "1": "50"}, "any", 0),
    "a small win in a large roll": (6, {**BASIC, "666": "win", "AABB": "250"}, "any", 0),
    "a win with a letter": (5, {**BASIC, "AAAA": "win", "1111": "1500"}, "any", 0),
    "every roll wins or scores": (3, {"A": "5*A", "ABC": "win"}, "any", 0),
    "keep as many as possible": (6, {**BASIC, "AABB": "150", "123456": "1500"}, "all", 0),
    "keep all, fewer dice are worth more": (5, {"1": "500", "12": "50", "5": "50"}, "all", 0),
    "a blank roll": (5, {**BASIC}, "any", 350),
    "a blank roll, keep all": (4, {"1": "100", "AA": "20*A"}, "all", 60),
    "cover in parts beats the whole": (6, {"1": "100", "111111": "150", "AAA": "10*A", "AABBCC": "100"}, "any", 0),
    "nothing alone": (6, {"AAA": "100*A", "12A": "90", "456": "75"}, "any", 0),
    "seven dice": (7, {**BASIC, "AABBCCD": "700", "123456": "1500"}, "any", 0),
    "eight dice": (8, {**BASIC, "AABBCCDD": "3000", "AAAAAAAA": "9999", "AAAABBBB": "4000"}, "any", 0),
    "eight dice, all kept": (8, {"1": "100", "5": "50", "AA": "20*A", "ABCDEF": "900"}, "all", 0),
    "a seventh of everything": (5, {"1": "7", "5": "14", "AAA": "21*A", "12345": "700"}, "any", 0),
    "a million": (3, {"1": "1000000", "AAA": "1000000*A"}, "any", 0),
}


def engine_rules(name: str) -> Rules:
    dice, table, keep, blank = ODD_TABLES[name]
    combinations = tuple(Combination.parse(pattern, value) for pattern, value in table.items())
    step = referee.step(referee_rules(name))
    return Rules(dice=dice, combinations=combinations, target=min(100 * step, 1_000_000), keep=keep, blank_roll=blank)


def referee_rules(name: str) -> referee.Rules:
    dice, table, keep, blank = ODD_TABLES[name]
    return referee.table_rules(dice, table, keep=keep, blank_roll=blank)


def both(name: str) -> tuple[Rules, referee.Rules]:
    """The same table for the engine and for the referee, each from its own source."""
    if name in PRESETS:
        return PRESETS[name], referee.parse_rules(name)
    return engine_rules(name), referee_rules(name)


def rolls(dice: int) -> list[tuple[int, ...]]:
    """Every roll in every order of up to five dice, and every set of six; some of seven and eight."""
    found: list[tuple[int, ...]] = []
    for count in range(1, dice + 1):
        if count <= 5:
            found += itertools.product(FACES, repeat=count)
        elif count == 6:
            found += itertools.combinations_with_replacement(FACES, count)
        else:
            rng = random.Random(count)
            found += [tuple(rng.choices(FACES, k=count)) for _ in range(60)]
            found += [tuple(rng.choices(rng.sample(FACES, 2), k=count)) for _ in range(40)]
    return found


ALL_TABLES = [*PRESETS, *ODD_TABLES]


@pytest.mark.parametrize("name", ALL_TABLES)
def test_every_roll_has_the_set_asides_that_brute_force_finds(name: str) -> None:
    """§2.3, §3: the set of (dice set aside, points), the wins and the busts, for all rolls in all orders."""
    rules, judge = both(name)
    assert rules.dice == judge["dice"]
    for roll in rolls(rules.dice):
        found = scored(rules, roll)
        ordered = tuple(sorted(roll))
        expected = {} if referee.wins(judge, ordered) else referee.brute_keeps(judge, ordered)
        assert found.wins == referee.wins(judge, ordered), roll
        assert found.bust == (not found.wins and not expected), roll
        if roll == ordered:
            assert {keep.dice: keep.points for keep in found.keeps} == expected, roll
            assert len(found.keeps) == len(expected), roll
            assert found.by_dice == {keep.dice: keep for keep in found.keeps}, roll
            assert found.full == (found.wins or ordered in expected), roll
            best = max(expected.values(), default=None)
            assert (found.best.points if found.best else None) == best, roll
        else:
            assert found.keeps is scored(rules, ordered).keeps, roll
            assert (found.dice, found.full) == (roll, scored(rules, ordered).full), roll


@pytest.mark.parametrize("name", ALL_TABLES)
def test_the_combinations_told_make_up_every_set_aside(name: str) -> None:
    """§2.3: the melds of a keep are combinations of the table, take just its dice, and add up to its points."""
    rules, judge = both(name)
    for count in range(1, min(rules.dice, 6) + 1):
        for roll in itertools.combinations_with_replacement(FACES, count):
            for keep in scored(rules, roll).keeps:
                assert keep.melds, keep
                assert sum(meld.points for meld in keep.melds) == keep.points, keep
                assert Counter(face for meld in keep.melds for face in meld.dice) == Counter(keep.dice), keep
                if [meld.pattern for meld in keep.melds] == ["blank"]:
                    assert (keep.dice, keep.points) == (roll, rules.blank_roll)
                    continue
                for meld in keep.melds:
                    assert referee._combination(judge["table"], meld.dice) == meld.points, (keep, meld)
                    assert referee._readings(meld.pattern), meld
                    assert meld.dice in [dice for dice, _ in referee._readings(meld.pattern)], (keep, meld)


def covers(judge: referee.Rules, dice: tuple[int, ...]) -> list[tuple[int, int]]:
    """Every way to cover all the dice: its points and its number of combinations."""
    if not dice:
        return [(0, 0)]
    found = []
    for size in range(len(dice)):
        for chosen in itertools.combinations(range(1, len(dice)), size):
            value = referee._combination(judge["table"], (dice[0], *(dice[i] for i in chosen)))
            if value is not None and value != float("inf"):
                rest = tuple(die for i, die in enumerate(dice) if i and i not in chosen)
                found += [(int(value) + points, 1 + number) for points, number in covers(judge, rest)]
    return found


@pytest.mark.parametrize("name", ["six-des", "cover in parts beats the whole", "all different"])
def test_among_covers_of_equal_points_the_one_with_the_fewest_combinations_is_told(name: str) -> None:
    rules, judge = both(name)
    for roll in itertools.combinations_with_replacement(FACES, 5):
        for keep in scored(rules, roll).keeps:
            ways = covers(judge, keep.dice)
            most = max(points for points, _ in ways)
            assert (keep.points, len(keep.melds)) == (most, min(n for points, n in ways if points == most))


@given(text=sheets(), data=st.data())
def test_random_sheets_score_as_brute_force_does(text: str, data: st.DataObject) -> None:
    rules, judge = Rules.parse(text), referee.parse_rules(text)
    assert rules.step == referee.step(judge)
    count = data.draw(st.integers(1, rules.dice))
    for _ in range(5):
        roll = tuple(data.draw(st.lists(st.sampled_from(FACES), min_size=count, max_size=count)))
        assert score(rules, roll).wins == referee.wins(judge, roll)
        if not referee.wins(judge, roll):
            assert {keep.dice: keep.points for keep in keeps(rules, roll)} == referee.brute_keeps(judge, roll)


# The facts of RULES §3 and of reference_values.json ("busts").


@pytest.mark.parametrize(
    ("name", "busts", "full", "means"),
    [
        ("cinq-des", (4, 16, 60, 204, 600), (2, 4, 12, 48, 432), ("25.00", "50.00", "86.81", "141.32", None)),
        (
            "six-des",
            (4, 16, 60, 204, 600, 1080),
            (2, 4, 12, 52, 236, 3636),
            ("25.00", "50.00", "86.81", "143.52", "225.79", "420.33"),
        ),
    ],
)
def test_the_facts_of_the_sheets(
    name: str, busts: tuple[int, ...], full: tuple[int, ...], means: tuple[str | None, ...]
) -> None:
    """§3: busts, rolls in which every die can be set aside, and the mean best value, over all ordered rolls."""
    rules = PRESETS[name]
    for count in range(1, rules.dice + 1):
        found = [scored(rules, roll) for roll in itertools.product(FACES, repeat=count)]
        assert sum(one.bust for one in found) == busts[count - 1]
        assert sum(one.full for one in found) == full[count - 1]
        mean = Fraction(sum(one.best.points for one in found if one.best), 6**count)
        expected = means[count - 1]
        assert expected is None or f"{float(mean):.2f}" == expected


def test_five_dice_are_worth_259_28_on_average_with_the_five_ones_counted_1200() -> None:
    """§3: the mean best value of five dice of `cinq-des`."""
    rules = PRESETS["cinq-des"]
    best = [scored(rules, roll).best for roll in itertools.product(FACES, repeat=5)]
    total = sum(1200 if one is None and roll == (1,) * 5 else one.points if one else 0
                for one, roll in zip(best, itertools.product(FACES, repeat=5), strict=True))  # fmt: skip
    assert f"{total / 6**5:.2f}" == "259.28"


@pytest.mark.parametrize(
    ("count", "name", "chance"),
    [
        (1, "six-des", "2/3"), (2, "six-des", "4/9"), (3, "six-des", "5/18"), (4, "six-des", "17/108"),
        (5, "six-des", "25/324"), (6, "six-des", "5/216"), (6, "farkle-minimal", "5/162"),
    ],
)  # fmt: skip
def test_the_chance_of_a_bust(count: int, name: str, chance: str) -> None:
    """reference_values.json: busts, with three pairs scoring and without."""
    rolls = list(itertools.product(FACES, repeat=count))
    assert Fraction(sum(scored(PRESETS[name], roll).bust for roll in rolls), len(rolls)) == Fraction(chance)


# RULES §3, row by row: each column of the table, written out again by hand.

ROWS = [
    ("cinq-des", "1", 100), ("cinq-des", "5", 50), ("six-des", "1", 100), ("six-des", "5", 50),
    ("cinq-des", "111", 1000), ("six-des", "111", 1000),
    *((name, face * 3, 100 * int(face)) for name in ("cinq-des", "six-des") for face in "23456"),
    ("cinq-des", "1111", 1100), ("cinq-des", "5555", 550), ("cinq-des", "2222", None),
    ("six-des", "1111", 2000), *(("six-des", face * 4, 200 * int(face)) for face in "23456"),
    ("cinq-des", "11111", "win"), ("cinq-des", "55555", 5000), ("cinq-des", "44444", None),
    ("six-des", "11111", 4000), *(("six-des", face * 5, 400 * int(face)) for face in "23456"),
    ("six-des", "111111", 8000), *(("six-des", face * 6, 800 * int(face)) for face in "23456"),
    ("cinq-des", "12345", 1500), ("cinq-des", "23456", 1500), ("six-des", "12345", None), ("six-des", "123456", 1500),
    ("six-des", "223344", 1500), ("six-des", "115566", 1500), ("six-des", "444422", None), ("six-des", "222333", 2500),
    ("six-des", "111555", 2500),
]  # fmt: skip


@pytest.mark.parametrize(("name", "dice", "worth"), ROWS)
def test_the_printed_table(name: str, dice: str, worth: int | str | None) -> None:
    """§3: what all these dice are worth together; None where they cannot all be set aside."""
    found = score(PRESETS[name], dice)
    if worth == "win":
        assert (found.wins, found.keeps, found.bust, found.full, found.best) == (True, (), False, True, None)
    else:
        all_of_them = found.by_dice.get(parse_dice(dice))
        assert (all_of_them.points if all_of_them else None) == worth


def best(rules: str, roll: str) -> int | None:
    found = score(Rules.parse(rules), roll).best
    return found.points if found else None


def legal(rules: str, roll: str) -> dict[str, int]:
    return {format_dice(keep.dice): keep.points for keep in keeps(Rules.parse(rules), roll)}


def test_c001_four_and_a_pair_is_three_pairs_only_where_the_sheet_says_so() -> None:
    """C001 and §3: a lettered pattern wants different faces; both answers are one option apart."""
    zonk = "farkle-minimal(AABBCC=750)"
    assert best(zonk, "433343") == 300
    assert legal(zonk, "433343") == {"333": 300}
    assert best("farkle-minimal(AABBCC=750, AAAABB=750)", "433343") == 750
    assert best("farkle-minimal(AABBCC=750, AAAA=200*A)", "433343") == 600
    assert legal("six-des", "444422") == {"444": 400, "4444": 800}


def test_c002_a_figure_of_six_dice_needs_six_dice_of_one_roll() -> None:
    """C002: three pairs are never seen in two or four dice."""
    assert legal("six-des(AABBCC=1000)", "11") == {"1": 100, "11": 200}
    assert legal("six-des(AABBCC=1000)", "1122") == {"1": 100, "11": 200}


@pytest.mark.parametrize(("roll", "points"), [("123455", 550), ("112345", 600), ("234565", 800)])
def test_c004_a_short_straight_leaves_the_sixth_die_to_score_alone(roll: str, points: int) -> None:
    """C004: straight and extra single, all six dice used."""
    found = score(PRESETS["kingdom-come"], roll)
    assert found.full
    assert found.best == Keep(tuple(sorted(map(int, roll))), points)


def test_c007_the_fourth_five_is_worth_a_single_five() -> None:
    assert best("greed-kata", "55552") == 550


@pytest.mark.parametrize(("roll", "points"), [("12225", 350), ("25551", 600)])
def test_c009_a_triple_takes_its_own_dice(roll: str, points: int) -> None:
    assert best("greed-kata", roll) == points
    assert {best("greed-kata", format_dice(p)) for p in itertools.permutations(map(int, roll))} == {points}


def test_c011_which_scoring_dice_must_be_set_aside_is_a_parameter() -> None:
    """C011: any subset, or as many as possible."""
    assert legal("six-des", "155346")["1"] == 100
    assert legal("six-des(keep=all)", "155346") == {"155": 200}


def test_c012_a_pair_of_a_broken_triple_scores_nothing() -> None:
    assert legal("six-des", "222533") == {"222": 200, "5": 50, "2225": 250}


def test_c016_the_straight_is_worth_what_the_sheet_lists() -> None:
    """C016: the listed combinations are the ones that score, for every sheet."""
    for name, rules in PRESETS.items():
        for combination in rules.combinations:
            if combination.digits == len(combination.pattern) and combination.kind == "points":
                cover = rules.table.cover(tuple(map(int, combination.pattern)))
                assert cover is not None
                assert cover[0] >= combination.points, (name, combination)
    assert best("six-des", "123456") == 1500
    assert best("six-des(123456=none)", "123456") == 150


def test_c065_more_dice_than_the_game_has_are_refused() -> None:
    with pytest.raises(IllegalAction, match="1115555") as refusal:
        score(PRESETS["six-des"], "1115555")
    assert refusal.value.code == "too_many_dice"
    assert refusal.value.params == {"dice": (1, 1, 1, 5, 5, 5, 5), "count": 7, "most": 6}


def test_any_part_of_a_combination_that_scores_may_be_set_aside() -> None:
    """§2.3: one 1 of 1-1-1, three of a four of a kind, the 1 alone of a straight."""
    assert legal("cinq-des", "11146") == {"1": 100, "11": 200, "111": 1000}
    assert legal("six-des", "333326") == {"333": 300, "3333": 600}
    assert legal("six-des", "123456") == {"1": 100, "5": 50, "15": 150, "123456": 1500}


def test_a_canonical_string_changes_the_table() -> None:
    """§3: three pairs at 750, four and a pair as three pairs, two triplets as their sum."""
    text = "six-des(AABBCC=750, AAAABB=1500, AAABBB=none)"
    assert (best(text, "223344"), best(text, "444422"), best(text, "222333")) == (750, 1500, 500)


def test_an_exact_pattern_beats_a_lettered_one_even_when_it_is_worth_less() -> None:
    """§3."""
    assert best("six-des(222222=300, 2222=none, 22222=none)", "222222") == 400  # as two triples, not as AAAAAA
    assert best("cinq-des(222=none)", "22234") is None
    assert best("cinq-des(222=50)", "22234") == 50


def test_of_equal_patterns_the_larger_value_counts() -> None:
    assert best("cinq-des(AABB=50*A)", "66222") == 300
    assert best("cinq-des(AABB=50*A, 1=none, 5=none, AAA=none)", "3366") == 300


def test_a_blank_roll_is_worth_its_points_with_all_dice_only() -> None:
    """The sheet `zilch`: a roll of six dice in which nothing scores is worth 500 and rolls again."""
    assert legal("zilch", "223446") == {"223446": 500}
    assert score(PRESETS["zilch"], "22346").bust
    assert score(PRESETS["zilch"], "223446").full


# Reading and writing dice.


@pytest.mark.parametrize("text", ["15534", "1 5 5 3 4", "1,5,5,3,4", " 1;5 5\t3 4\n"])
def test_dice_are_read_with_or_without_separators(text: str) -> None:
    assert parse_dice(text) == (1, 5, 5, 3, 4)
    assert Roll.parse(text) == Roll((1, 5, 5, 3, 4))
    assert str(Roll.parse(text)) == "15534"


@pytest.mark.parametrize("text", ["", " ", "0", "7", "15x", "1-", "-1", "1--5", "1.5", "１５", "²", "٣", "15\x0034"])
def test_text_that_is_not_dice_is_refused_with_what_was_written(text: str) -> None:
    with pytest.raises(InvalidText) as refusal:
        parse_dice(text)
    assert refusal.value.code == "bad_dice"
    assert repr(text.strip())[1:-1] in repr(str(refusal.value))


@pytest.mark.parametrize("faces", [(0,), (7,), (-1,), (1, 2, 10**30)])
def test_faces_that_no_die_has_are_refused(faces: tuple[int, ...]) -> None:
    with pytest.raises(InvalidText) as refusal:
        score(PRESETS["cinq-des"], faces)
    assert refusal.value.code == "bad_dice"


def test_no_dice_at_all_are_no_roll() -> None:
    with pytest.raises(IllegalAction, match="0"):
        score(PRESETS["cinq-des"], ())


@pytest.mark.parametrize("faces", [(1.0, 2), ("1",), (None,)])
def test_faces_that_are_not_whole_numbers_never_reach_a_score(faces: tuple[int, ...]) -> None:
    with pytest.raises(TypeError):
        score(PRESETS["cinq-des"], faces)


def test_keeps_come_with_most_points_first_each_once_and_print_both_ways() -> None:
    found = keeps(PRESETS["six-des"], "1 5 5 3 4 6")
    assert [str(keep) for keep in found] == ["155=200", "15=150", "55=100", "1=100", "5=50"]
    assert all(Keep.parse(str(keep)) == keep for keep in found)


@pytest.mark.parametrize("text", ["", "155", "155=", "=200", "157=200", "155=-5", "155=1e3", "111111111=5"])
def test_text_that_is_not_a_set_aside_is_refused(text: str) -> None:
    with pytest.raises(InvalidText) as refusal:
        Keep.parse(text)
    assert refusal.value.code == "bad_keep"
