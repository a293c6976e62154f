"""The rule page says what is played, all of it and nothing else, in both languages."""

import re
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings

import sheets
from cinqmille import PARAMETERS, PRESETS, Rules, Sheet
from cinqmille.combinations import blank_roll
from cinqmille.odds import odds
from cinqmille.plaintext import cells
from cinqmille.scoring import parse_dice, score
from cinqmille.sheet import Page, Section, as_text, decisions, in_short, page
from cinqmille.words import LANGUAGES, Words

FR, EN = Words("fr"), Words("en")
BOTH = [*product(PRESETS, LANGUAGES)]

# Each parameter changed where it can make a difference: the rules before and after.
CHANGES: dict[str, tuple[tuple[str, str], ...]] = {
    "dice": (("cinq-des", "cinq-des(dice=4)"), ("six-des(dice=2)", "six-des(dice=1)"), ("six-des", "six-des(dice=8)")),
    "target": (("cinq-des", "cinq-des(target=10000)"), ("six-des", "six-des(target=10000)")),
    "entry": (("cinq-des", "cinq-des(entry=0)"), ("cinq-des", "cinq-des(entry=500)")),
    "ending": (
        ("cinq-des", "cinq-des(ending=last_turns)"),
        ("cinq-des", "cinq-des(ending=finish_round)"),
        ("six-des(exact=true)", "six-des(exact=true, ending=finish_round)"),
    ),
    "tie": (("six-des", "six-des(tie=first)"),),
    "min_bank": (("cinq-des", "cinq-des(min_bank=500)"), ("cinq-des(entry=0)", "cinq-des(entry=0, min_bank=500)")),
    "equal_scores": (("cinq-des", "cinq-des(equal_scores=fall)"),),
    "hot_dice": (("cinq-des", "cinq-des(hot_dice=must)"), ("cinq-des(dice=1)", "cinq-des(dice=1, hot_dice=must)")),
    "keep": (("cinq-des", "cinq-des(keep=all)"),),
    "blank_roll": (("cinq-des", "cinq-des(blank_roll=500)"),),
    "scoreless_limit": (
        ("cinq-des", "cinq-des(scoreless_limit=3)"),
        ("cinq-des(scoreless_limit=3)", "cinq-des(scoreless_limit=1)"),
    ),
    "scoreless_penalty": (
        ("cinq-des(scoreless_limit=3)", "cinq-des(scoreless_limit=3, scoreless_penalty=previous)"),
        ("cinq-des(scoreless_limit=3)", "cinq-des(scoreless_limit=3, scoreless_penalty=500)"),
    ),
    "floor": (
        (
            "cinq-des(scoreless_limit=3, scoreless_penalty=500)",
            "cinq-des(scoreless_limit=3, scoreless_penalty=500, floor=-1000)",
        ),
    ),
    "strike": (("cinq-des", "cinq-des(strike=true)"),),
    "prediction": (("cinq-des", "cinq-des(prediction=true)"),),
    "last_leg": (
        ("cinq-des", "cinq-des(last_leg=1000)"),
        ("cinq-des(last_leg=1000)", "cinq-des(last_leg=5000)"),
    ),
    "takeover": (
        ("cinq-des", "cinq-des(takeover=always)"),
        ("cinq-des(takeover=always)", "cinq-des(takeover=opened)"),
    ),
    "exact": (("cinq-des", "cinq-des(exact=true)"), ("six-des", "six-des(exact=true)")),
}

ODD = (
    "six-des(dice=8, AAAAAA=win, 11A=10*A, blank_roll=500, keep=all, 4444=none, AAAABBBB=1000)",
    "six-des(dice=1, target=1000, entry=0)",
    "cinq-des(dice=2, 1=10, 5=5, AA=20*A, entry=0, target=500, hot_dice=must)",
    "cinq-des(A=10*A, AAA=none, AABB=200, AABBC=300, ABCDE=700, 55555=none, 12A=50*A)",
    "six-des(scoreless_limit=3, scoreless_penalty=500, floor=-1000, equal_scores=fall, last_leg=1000, takeover=opened)",
    "six-des(123456=win, AAAABB=50*A, AAABBB=10*B, AB=20*A, 666=20)",
    "cinq-des(last_leg=5000, equal_scores=fall, strike=true, exact=true, min_bank=350, keep=all)",
)


def told(rules: str, words: Words) -> str:
    """The page of these rules under a title of its own, without what only repeats their text."""
    made = page(Sheet("table", Rules.parse(rules), {"fr": "Table", "en": "Table"}), words)
    return as_text(Page(made.title, made.sections[:-1]), 10_000)


def whole(source: str, words: Words) -> str:
    return as_text(page(Sheet.load(source), words), 10_000)


def section(source: str, words: Words, heading: str) -> Section:
    return next(part for part in page(Sheet.load(source), words).sections if part.heading == heading)


def sentences(section: Section) -> str:
    return " ".join((*section.paragraphs, *section.steps, *section.notes))


# Nothing left out


def test_every_parameter_is_changed_here() -> None:
    assert {*CHANGES} == {parameter.name for parameter in PARAMETERS}


@pytest.mark.parametrize(
    ("before", "after"), [pair for pairs in CHANGES.values() for pair in pairs], ids=lambda text: text
)
def test_a_change_of_the_rules_changes_the_page(before: str, after: str) -> None:
    for words in (FR, EN):
        assert told(before, words) != told(after, words)
    english = r"\b(?:the|and|is|are|of|to|with|may|must|from|when|dice|turn)\b"
    assert not re.search(english, told(after, FR)), "a sentence is said in English only"
    assert in_short(Rules.parse(before), EN) != in_short(Rules.parse(after), EN)


@pytest.mark.parametrize(("preset", "lang"), BOTH)
def test_the_page_of_a_preset_names_target_entry_and_every_combination(preset: str, lang: str) -> None:
    words, sheet = Words(lang), PRESETS.sheet(preset)
    rules, text = sheet.rules, whole(preset, words)
    assert text.startswith(sheet.title[lang])
    assert words.number(rules.target) in text
    assert words.number(rules.entry) in text or not rules.entry
    assert not sheet.notes or sheet.notes[lang] in text
    assert sheet.source in text or lang == "fr"
    rows = combination_rows(preset, words)
    assert len(rows) == len(rules.combinations) + bool(rules.blank_roll)
    for combination in rules.combinations:
        points = words.number(combination.points) if combination.kind == "points" else words.say("wins at once")
        assert any(named(combination.pattern, row[1], words) and points in row[2] for row in rows), combination


def named(pattern: str, name: str, words: Words) -> bool:
    whole = words.combination(pattern)
    return name == whole or name.startswith(f"{whole} (")


def combination_rows(source: str, words: Words) -> tuple[tuple[str, ...], ...]:
    return section(source, words, words.say("Combinations")).rows


# Nothing wrong


@pytest.mark.parametrize("source", [*PRESETS, *ODD])
def test_examples_are_worth_what_their_line_says(source: str) -> None:
    rules = Rules.parse(source)
    for example, name, value in combination_rows(source, EN):
        dice = tuple(sorted(parse_dice(example)))
        found = score(rules, dice)
        meld = rules.table.melds.get(dice)
        if value == "wins at once":
            assert found.wins
        elif value == "not a combination":
            assert dice not in rules.table.melds
        elif "hot dice" in value:
            assert dice == blank_roll(rules)
            assert [keep.dice for keep in found.keeps] == [dice]
        else:
            assert meld is not None, name
            low, _, high = value.rpartition(", so ")[2].partition(" to ")
            assert int(low.replace(",", "")) <= meld.points <= int((high or low).replace(",", ""))


@pytest.mark.parametrize("preset", PRESETS)
def test_chances_are_those_of_the_engine(preset: str) -> None:
    rules = PRESETS[preset]
    for row in section(preset, EN, "Chances of a bust").rows:
        chance = odds(rules, int(row[0])).bust
        assert Fraction(row[2].replace(",", "")) == chance
        assert row[1] == EN.percent(float(chance))


def test_chances_of_the_five_dice_sheet() -> None:
    found = section("cinq-des", FR, "Risque de lancer nul")
    assert found.rows[-1] == ("5", "7,7\u202f%", "25/324")
    assert found.notes == ("Chance qu'un lancer de tous les dés gagne aussitôt\u00a0: 0,01\u202f% (1/7\u202f776).",)


@settings(max_examples=30)
@given(sheets.sheets())
def test_any_table_has_a_page(text: str) -> None:
    rules = Rules.parse(text)
    pages = [as_text(page(rules, words)) for words in (FR, EN)]
    assert pages[0] != pages[1]
    for found in pages:
        assert not re.search(r"[{}]|\bNone\b|  {60}", found)
        assert max(map(cells, found.splitlines())) <= 78
    assert rules.canonical in whole(text, EN)


# Nothing needless

HOUSE_RULES = {
    "equal_scores": ("Equal totals", "Totaux égaux"),
    "scoreless_limit": ("Turns without points", "Tours sans gain"),
    "strike": ("Strike", "Tour rayé"),
    "prediction": ("Prediction", "Annonce"),
    "last_leg": ("Last leg", "Dernière ligne droite"),
    "takeover": ("Taking over", "Reprise du tour précédent"),
    "exact": ("Exact target", "Objectif exact"),
}


def test_a_plain_table_does_not_speak_of_rules_it_does_not_play() -> None:
    english, french = told("cinq-des", EN).lower(), told("cinq-des", FR).lower()
    needless = "penalt|strike|predict|announce|last leg|take over|exactly on|tie|equal total|open again|last turn"
    assert not re.search(needless, english)
    needless = (
        "pénalit|ray[ée]|annonc|ligne droite|repren|repris|exactement [^d]|égalité|totaux|de nouveau|dernier tour"
    )
    assert not re.search(needless, french.partition("risque de lancer nul")[0])


@pytest.mark.parametrize("name", HOUSE_RULES)
def test_a_house_rule_has_a_section_where_it_is_played(name: str) -> None:
    for place, words in enumerate((EN, FR)):
        headings = [{part.heading for part in page(Rules.parse(text), words).sections} for text in CHANGES[name][0]]
        assert HOUSE_RULES[name][place] in headings[1] - headings[0]


# All the consequences (RULES §5)


@pytest.mark.parametrize(
    ("rules", "heading", "said"),
    [
        ("equal_scores=fall", "Equal totals", ["by banking or by falling", "Who stands there falls in turn"]),
        ("equal_scores=fall", "Equal totals", ["without anyone falling: 0."]),
        (
            "equal_scores=fall, last_leg=1000, ending=last_turns",
            "Equal totals",
            ["0, 4,000 (where the last leg begins) and all from 5,000 up."],
        ),
        (
            "equal_scores=fall, scoreless_limit=3, scoreless_penalty=500, floor=-500",
            "Equal totals",
            ["without anyone falling: 0 or less."],
        ),
        ("hot_dice=must", "A turn", ["only a turn that reaches the target may be banked", "Setting fewer dice aside"]),
        (
            "scoreless_limit=3",
            "Turns without points",
            ["3 turns in a row", "whatever the cause", "falls to 0", "skips"],
        ),
        ("scoreless_limit=3", "Turns without points", ["A gain starts the count again, and so does the penalty"]),
        ("scoreless_limit=1", "Turns without points", ["After every turn without gain"]),
        (
            "scoreless_limit=3, scoreless_penalty=500, strike=true",
            "Turns without points",
            ["500 points are lost", "no loss takes a score below 0", "not below the new one are struck off"],
        ),
        ("strike=true", "Strike", ["the first roll of a turn or the one after hot dice", "to 0 from a first total"]),
        ("strike=true, scoreless_limit=3", "Strike", ["At most one fall a turn", "only the harsher one counts"]),
        ("strike=true, takeover=always", "Strike", ["Taking over a turn that ended with hot dice"]),
        ("strike=true, blank_roll=500", "Strike", ["never busts"]),
        (
            "prediction=true",
            "Prediction",
            ["exactly three dice", "50, 100, 150 or 200", "final", "the whole turn doubles"],
        ),
        ("prediction=true, exact=true", "Prediction", ["The doubled value counts"]),
        ("prediction=true, takeover=always", "Prediction", ["count among the three", "at least one"]),
        ("last_leg=1000", "Last leg", ["The last 1,000 points", "stops at 4,000", "only a turn that reaches 5,000"]),
        ("last_leg=1000, target=10000", "Last leg", ["stops at 9,000"]),
        ("last_leg=1000, min_bank=300", "Last leg", ["For the minimum the points of the turn count"]),
        (
            "takeover=always",
            "Taking over",
            ["all of them if none were", "stays with the one", "to get on the board too"],
        ),
        ("takeover=opened", "Taking over", ["The next player, if on the board,", "count like one's own."]),
        ("takeover=always, ending=last_turns", "Taking over", ["In the last turns, too"]),
        ("takeover=always, last_leg=1000", "Taking over", ["All points of the turn are handed on"]),
        ("takeover=always, exact=true", "Taking over", ["is not on offer"]),
        ("exact=true", "Exact target", ["As soon as score and turn together pass 5,000", "A smaller set-aside"]),
        ("exact=true, min_bank=300", "Minimum points", ["hits the target exactly needs no minimum, once on the board"]),
        ("min_bank=300", "Minimum points", ["750", "300", "nobody may stop there", "the winning turn too"]),
        ("min_bank=750", "Minimum points", ["from 750 points on, the first one like every other"]),
        ("strike=true", "Minimum points", ["After a fall to 0 one must open again"]),
        ("ending=last_turns", "The end", ["one last turn, in order", "does not play again", "win together"]),
        ("ending=finish_round, tie=first", "The end", ["as many turns", "the one that was reached first wins"]),
        ("keep=all", "A turn", ["as many dice as possible"]),
        ("blank_roll=500", "A turn", ["with fewer than all dice", "is worth 500 and counts as hot dice"]),
    ],
)
def test_consequences_are_told(rules: str, heading: str, said: list[str]) -> None:
    found = sentences(section(f"cinq-des({rules})", EN, heading))
    for part in said:
        assert part in found


def test_more_of_a_kind_than_the_table_knows() -> None:
    notes = section("cinq-des", EN, "Combinations").notes
    assert notes[1].replace("\u00a0", " ") == (
        "Not combinations of their own: four of a kind and five of a kind (2, 3, 4 or 6). Smaller ones count there, "
        "and other dice are left: 1 1 1 1 is worth 1,100; 2 2 2 2 is worth 200 and leaves 1 die."
    )
    assert len(section("six-des", EN, "Combinations").notes) == 1


def test_dice_that_are_worth_more_apart() -> None:
    notes = section("six-des(1111=700)", FR, "Les combinaisons").notes
    assert notes[-1].replace("\u00a0", " ").replace("\u202f", " ") == (
        "Les dés mis de côté comptent au mieux : 1 1 1 1 vaut 1 100, plus que comme combinaison (quatre 1)."
    )


def test_exact_faces_take_dice_from_lettered_lines() -> None:
    names = Counter(row[1] for row in combination_rows("six-des(222=none, 444=900, 112233=win, AABB=250)", EN))
    assert names["three of a kind (3, 5 or 6)"] == 1
    assert names["three 2s"] == 1
    assert names["three different pairs (except 1\u00a01\u00a02\u00a02\u00a03\u00a03)"] == 1


# Decisions, differences, forms


def test_decisions_are_told_where_they_matter() -> None:
    assert decisions(PRESETS["cinq-des"], EN) == ()
    assert decisions(PRESETS["six-des"], EN) == ("Players with the same highest total win together.",)
    every = "six-des(hot_dice=must, equal_scores=fall, exact=true, min_bank=300, tie=first)"
    found = decisions(Rules.parse(every), EN)
    assert [text.split()[0] for text in found] == ["With", "Totals", "A", "Of", "After"]
    assert set(found) == set(section(every, EN, "Settled before the game").notes)


def test_house_rules_are_told_by_what_differs() -> None:
    text = whole("cinq-des(entry=500, AAA=none, A=10*A, 1111=2000, 55555=none)", EN)
    assert text.startswith("5000 with five dice, house rules\n")
    assert (
        "What differs from the sheet “5000 with five dice”: entry: 500; any die: 10 × the face, so 20 to 60; three of "
        "a kind (2 to 6): not a combination; four 1s: 2,000; five 5s: not a combination."
    ) in text
    assert "Ce qui diffère" not in whole("six-des", FR)


def test_a_sheet_of_ones_own() -> None:
    text = 'title = "Chez nous"\nsource = "{grand-mère}"\ntarget = 3000\n[combinations]\n1 = 100\n5 = 50\n111 = 1000'
    for words in (FR, EN):
        found = as_text(page(Sheet.from_toml(text, name="chez-nous"), words))
        assert found.startswith("Chez nous\n=========\n")
        assert "{grand-mère}" in found
        assert words.number(3000) in found


def test_in_short() -> None:
    rules = Rules.parse("six-des(takeover=opened, exact=true)")
    assert in_short(rules, EN) == (
        "number of dice: 6; target: 5,000; entry: 500; end of the game: one last turn for each of the others; "
        "taking over: once on the board; exact target: yes"
    )


@pytest.mark.parametrize(("width", "lang"), [*product([24, 40, 78, 200], LANGUAGES)])
def test_the_text_keeps_to_its_width(width: int, lang: str) -> None:
    for source in (*ODD, "zilch", "farkle-facebook"):
        text = as_text(page(Sheet.load(source), Words(lang)), width)
        assert max(map(cells, text.splitlines())) <= width
        assert text.endswith("\n")
        assert not re.search(r" $", text, re.MULTILINE)
