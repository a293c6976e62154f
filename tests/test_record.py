"""Games written down (RULES §6): the recorded games, text and JSON both ways, strictness with line and column."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cinqmille import (
    CinqMilleError,
    Game,
    IllegalAction,
    InvalidText,
    Leave,
    Points,
    Position,
    RecordError,
    Roll,
    RollOn,
    Rules,
    SetAside,
    Skip,
    replay,
    start,
)
from cinqmille.errors import SENTENCES
from cinqmille.exchange import position_from_json, position_to_json
from playing import NAMES, games
from referee import random_record
from sheets import random_sheet, sheets

DATA = Path(__file__).parent / "data"
GAMES = DATA / "games"
EXPECTED: dict[str, Any] = json.loads((GAMES / "expected.json").read_text(encoding="utf-8"))
RECORDS = [json.loads(line) for line in (DATA / "records.jsonl").read_text(encoding="utf-8").splitlines()]
SRC = Path(__file__).parents[1] / "src" / "cinqmille"

HEAD = "rules: cinq-des\nplayers: Ana, Ben\n"


def result(record: str) -> dict[str, Any]:
    try:
        game = replay(record)
    except RecordError as error:
        return {"error_line": error.line}
    seats = game.position.seats
    return {
        "scores": [seat.score for seat in seats],
        "ladders": [list(seat.ladder) for seat in seats],
        "to_play": None if game.position.to_play is None else game.players[game.position.to_play],
        "winners": [game.players[seat] for seat in game.position.winners],
    }


def refused(record: str) -> RecordError:
    with pytest.raises(RecordError) as error:
        replay(record)
    return error.value


# The recorded games.


@pytest.mark.parametrize("case", RECORDS, ids=[case["name"] for case in RECORDS])
def test_given_records(case: dict[str, Any]) -> None:
    expected = case.get("expect", {"error_line": case.get("error_line")})
    found = result(case["record"])
    assert {key: found.get(key) for key in expected} == expected


@pytest.mark.parametrize("name", EXPECTED)
def test_games_worked_out_by_hand(name: str) -> None:
    """Each file cites the sentence of RULES.md that it proves."""
    record = (GAMES / name).read_text(encoding="utf-8")
    found = result(record)
    assert {key: found.get(key) for key in EXPECTED[name]} == EXPECTED[name]
    if "error_line" not in found:
        game = replay(record)
        assert replay(game.text) == game
        assert Game.from_json(json.dumps(game.to_json())) == game


# Both ways.


@given(sheets(), st.integers(0, 10**6))
@settings(max_examples=50)
def test_a_game_reads_back_from_its_text_and_from_its_json(text: str, seed: int) -> None:
    rng = random.Random(seed)
    *_, game = games(rng, Rules.parse(text), rng.randint(2, 5), rng.choice((3, 30, 150)), table=0.08)
    assert Game.from_json(json.dumps(game.to_json())) == game
    assert Game.from_json(game.to_json()) == game
    written = replay(game.text)
    assert written.text == game.text
    if game.actions and isinstance(game.actions[-1], RollOn):  # the text has no word for a roll not yet made
        game = game.cut(len(game.actions) - 1)
    assert (written.actions, written.position) == (game.actions, game.position)


@given(sheets(), st.integers(0, 10**6))
@settings(max_examples=50)
def test_records_of_another_hand_read_back(text: str, seed: int) -> None:
    """Records with headers, comments, optional numbers: reading and writing settles after once."""
    rng = random.Random(seed)
    game = replay(random_record(rng, text, NAMES[: rng.randint(2, 5)], 25))
    again = replay(game.text)
    assert again == game
    assert again.text == game.text


def test_the_text_of_a_game() -> None:
    """§6, as it stands there."""
    record = (
        "rules: cinq-des(entry=500, prediction=true, takeover=always)\n"
        "players: Ana, Ben\n"
        "Ana: 15534>155 24>-\n"
        "Ben: 11123>111 =1000\n"
        "Ana: 11264>11 125>1 ?50 53>5 =700\n"
        "Ben: + 1>1 =800\n"
    )
    game = replay(record)
    assert game.text == record
    assert [turn.text for turn in game.turns()] == [line.partition(": ")[2] for line in record.splitlines()[2:]]
    assert [turn.player for turn in game.turns()] == [0, 1, 0, 1]
    assert replay(record.replace("=1000", "=").replace("=700", "=").replace("=800", "=")) == game


def test_comments_and_unknown_headers_are_kept() -> None:
    record = (
        "rules: cinq-des\nplayers: Ana, Ben\nplace: chez Ben, 3 rue du Lac\nround: 3\ndate: 2031-02-03\n"
        "# a first word\nAna: =0  # unlucky\n# then\n#\nBen: =1000\n#: last = 15534>155\n"
    )
    game = replay(record)
    assert game.headers == (("place", "chez Ben, 3 rue du Lac"), ("round", "3"), ("date", "2031-02-03"))
    assert game.text == record
    assert Game.from_json(json.dumps(game.to_json())) == game


def test_headers_may_stand_in_any_order_and_comments_between_them() -> None:
    game = replay("# begins\ndate: today\nplayers: Ana, Ben\n\nrules: cinq-des # ours\nAna: =0\n")
    assert (game.rules, game.players) == (Rules.parse("cinq-des"), ("Ana", "Ben"))
    assert [comment.text for comment in game.comments] == [" begins", " ours"]
    assert replay(game.text) == game


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace(": ", ":").replace(" 24", "\t24"),
        lambda text: text.replace(": ", ":\t\t").replace("\n", "   \t\n"),
        lambda text: text.rstrip("\n"),
        lambda text: "\n\n" + text.replace("\n", "\n\n"),
        lambda text: "\n".join(f"  {line}" for line in text.splitlines()),
    ],
)
def test_line_ends_blanks_and_byte_order_marks_do_not_matter(change: Callable[[str], str]) -> None:
    record = HEAD + "Ana: 15534>155 24>-\nBen: 11123>111 =1000\n"
    assert replay(change(record)) == replay(record)
    assert replay("\ufeff" + json.dumps(replay(record).to_json())) == replay(record)


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    """A form feed or a Unicode line separator within a comment begins no new line."""
    error = refused(HEAD + "# one\x0b\x0c\x1c\x85\u2028two\nAna: 15534>155 =200\n")
    assert (error.line, error.column) == (4, 16)


ODD_NAMES = [
    "Zoë", "Jean-Luc", "Ana María", "李", "o'Neil", "a=b", "=5", "+", "skip", "15534", "b>c", "?", "{x}", "Ana  B",
    "date de fin", "😀", "%s", "leave", "<i>",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES)
def test_players_may_have_any_printable_name(name: str) -> None:
    for players in ((name, "Ben"), ("Ben", name)):
        game = Game.new(Rules.parse("cinq-des"), players, {"seats": f"{name}=steady:350"})
        for points in (0, 1000, 0):
            game = game.play(Points(points))
        assert replay(game.text) == game
        assert Game.from_json(json.dumps(game.to_json())) == game
        assert game.seats == {players.index(name): "steady:350"}


@pytest.mark.parametrize(
    "name", ["", " ", "a:b", "a,b", "a#b", "a\nb", "a\tb", "a\x00", "\u200b", "\u2028", "a\u202eb"]
)
def test_names_that_could_not_be_read_back_are_refused(name: str) -> None:
    with pytest.raises(InvalidText) as refusal:
        Game.new(Rules.parse("cinq-des"), ("Ana", name))
    assert (refusal.value.code, refusal.value.params["name"]) == ("bad_name", name.strip())


@pytest.mark.parametrize("name", ["rules", "players", "seats", "date", "dice"])
def test_a_name_that_begins_a_header_is_refused(name: str) -> None:
    """A player named `date` could not be told from the header."""
    with pytest.raises(InvalidText) as refusal:
        Game.new(Rules.parse("cinq-des"), ("Ana", name))
    assert refusal.value.code == "name_is_header"
    assert name in str(refusal.value)


@pytest.mark.parametrize(
    "name",
    ["Jean\u00a0Paul", "\U0001f469\u200d\U0001f4bb", "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", "Date", "O'Neill"],
)
def test_any_other_name_is_free_text_rules_6(name: str) -> None:
    game = Game.new(Rules.parse("cinq-des"), (name, "Ben")).play(Points(1000))
    assert replay(game.text).players == (name, "Ben")


@pytest.mark.parametrize("value", ["12345", "skip", "+ 33 1 23", "1 or 2"])
def test_other_headers_are_kept_as_they_are_rules_6(value: str) -> None:
    text = f"rules: cinq-des\nplayers: Ana, Ben\nTable: {value}\nAna: =1000\n"
    assert replay(text).headers == (("Table", value),)
    assert replay(text).text == text


def test_digits_of_other_scripts_are_no_points() -> None:
    assert refused("rules: cinq-des\nplayers: Ana, Ben\nAna: =\u0664\u0665\u0660\n").code == "bad_token"


def test_a_player_named_like_a_header_of_the_record_is_refused_where_the_header_stands() -> None:
    error = refused("rules: cinq-des\nplace: Lyon\nplayers: place, Ben\nplace: =0\n")
    assert (error.code, error.line) == ("name_is_header", 2)


HEADERS_THAT_CANNOT_BE_READ_BACK = [
    ("rules", "six-des", "repeated_header"), ("players", "Eve", "repeated_header"), ("Ana", "x", "name_is_header"),
    ("x", "y\nAna: =0", "record_line"), ("x", "y\r", "record_line"), ("x\ny", "z", "record_line"),
    ("", "z", "record_line"), ("x", "a#b", "record_line"), ("#x", "a", "record_line"), ("a:b", "c", "record_line"),
    (" x", "a", "record_line"), ("x", " a ", "record_line"), ("Anna", "15534>155 24>-", "unknown_player"),
    ("Anna", "=450", "unknown_player"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value", "code"), HEADERS_THAT_CANNOT_BE_READ_BACK)
def test_headers_that_could_not_be_read_back_are_refused(key: str, value: str, code: str) -> None:
    """Nothing of the record may turn into something else when it is read again."""
    with pytest.raises(InvalidText) as refusal:
        Game.new(Rules.parse("cinq-des"), ("Ana", "Ben"), {key: value})
    assert refusal.value.code == code
    data = {**Game.new(Rules.parse("cinq-des"), ("Ana", "Ben")).to_json(), "headers": {key: value}}
    with pytest.raises(InvalidText):
        Game.from_json(data)


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=12), max_size=3))
def test_every_header_that_is_accepted_reads_back(headers: dict[str, str]) -> None:
    try:
        game = Game.new(Rules.parse("cinq-des"), ("Ana", "Ben"), headers).play(Points(0))
    except CinqMilleError:
        return
    assert replay(game.text) == game


OTHER_HEADERS = [
    ("round", "3"), ("place", "backyard"), ("phone", "+33 1"), ("note", "skip day"), ("dice", "15534"), ("code", "155"),
    ("sum", "1+1=2"), ("note", ""), ("note", "a: b: c"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value"), OTHER_HEADERS)
def test_other_headers_are_kept_as_they_are(key: str, value: str) -> None:
    game = replay(f"rules: cinq-des\nplayers: Ana, Ben\n{key}: {value}\nAna: =0\n")
    assert game.headers == ((key, value),)
    assert replay(game.text) == game


def test_the_seats_header_names_the_bots() -> None:
    game = replay("rules: cinq-des\nplayers: Ana, Ben, Ben=x\nseats: Ben=steady:350, Ben=x=steady\n")
    assert game.seats == {1: "steady:350", 2: "steady"}
    assert Game.new(Rules.parse("cinq-des"), ("Ana", "Ben")).seats == {}


@pytest.mark.parametrize("seats", ["Eve=steady", "Ben", "Ben=", "Ben=steady, Ben=steady", "=steady", "Ben:steady"])
def test_seats_of_nobody_are_refused(seats: str) -> None:
    error = refused(f"rules: cinq-des\nplayers: Ana, Ben\nseats: {seats}\n")
    assert (error.code, error.line, error.column) == ("bad_seats", 3, 8)


# Everything that is wrong, with line and column.

WRONG: list[tuple[str, str, int, int]] = [
    ("header_missing", "", 1, 1),
    ("header_missing", "rules: cinq-des\n", 1, 1),
    ("header_missing", "players: Ana, Ben\nAna: =0\n", 1, 1),
    ("unknown_preset", "rules: sept-des\nplayers: Ana, Ben\n", 1, 8),
    ("rules_syntax", "rules:   cinq-des(\nplayers: Ana, Ben\n", 1, 10),
    ("unknown_parameter", "players: Ana, Ben\nrules: cinq-des(colour=3)\n", 2, 8),
    ("players_number", "rules: cinq-des\nplayers: Ana\n", 2, 10),
    ("players_number", "rules: cinq-des\nplayers: A, B, C, D, E, F, G, H, I\n", 2, 10),
    ("bad_name", "rules: cinq-des\nplayers: Ana,\n", 2, 10),
    ("name_twice", "rules: cinq-des\nplayers: Ana, Ana\n", 2, 10),
    ("name_is_header", "rules: cinq-des\nplayers: Ana, date\n", 2, 10),
    ("repeated_header", "rules: cinq-des\nrules: cinq-des\nplayers: Ana, Ben\n", 2, 1),
    ("record_line", HEAD + "  Ana 15534>155\n", 3, 3),
    ("unknown_player", HEAD + "Anna: 15534>155 24>-\n", 3, 1),
    ("unknown_player", HEAD + "Ana: =0\nBenn: =0\n", 4, 1),
    ("unknown_player", HEAD + "Ana: =0\n date: today\n", 4, 2),
    ("out_of_turn", HEAD + "Ben: =0\n", 3, 1),
    ("out_of_turn", HEAD + "Ana: =0\n  Ana: =0\n", 4, 3),
    ("turn_is_over", HEAD + "Ana: 22346>- 15534>155\n", 3, 14),
    ("turn_is_over", HEAD + "Ana: 11123>111 =1000 =\n", 3, 22),
    ("turn_is_over", HEAD + "Ana: =0 =0\n", 3, 9),
    ("turn_is_over", HEAD + "Ana: skip skip\n", 3, 11),
    ("turn_not_finished", HEAD + "Ana: 15534>155\nBen: =0\n", 3, 15),
    ("bad_token", HEAD + "Ana: 15534>155 24<-\n", 3, 16),
    ("bad_token", HEAD + "Ana: =1000000000\n", 3, 6),
    ("bad_token", HEAD + "Ana: bank\n", 3, 6),
    ("bad_token", HEAD + "Ana: =-50\n", 3, 6),
    ("bad_token", HEAD + "Ana: >155\n", 3, 6),
    ("points_missing", HEAD + "Ana: =\n", 3, 6),
    ("points_missing", HEAD + "Ana:\n", 3, 1),
    ("points_missing", HEAD + "Ana: =0\nBen:   # nothing yet\nAna: =0\n", 4, 1),
    ("set_aside_missing", HEAD + "Ana: 15534 24>-\n", 3, 6),
    ("set_aside_missing", HEAD + "Ana: 15534\nBen: =0\n", 3, 6),
    ("wrong_gain", HEAD + "Ana: 11123>111 =950\n", 3, 16),
    ("wins_alone", HEAD + "Ana: 11111>11111\n", 3, 6),
    ("wins_alone", HEAD + "Ana: 11111>-\n", 3, 6),
    ("not_a_bust", HEAD + "Ana: 15534>-\n", 3, 6),
    ("is_a_bust", HEAD + "Ana: 22346>2\n", 3, 6),
    ("is_a_bust", HEAD + "Ana: 22346\nBen: =0\n", 3, 6),
    ("bad_dice", HEAD + "Ana: 15734>15\n", 3, 6),
    ("bad_dice", HEAD + "Ana: 15534>157\n", 3, 6),
    ("bad_dice", HEAD + "Ana: 00000>-\n", 3, 6),
    ("wrong_number_of_dice", HEAD + "Ana: 1553>155\n", 3, 6),
    ("wrong_number_of_dice", HEAD + "Ana: " + "1" * 5000 + "\n", 3, 6),
    ("not_in_roll", HEAD + "Ana: 15534>11\n", 3, 6),
    ("does_not_count", HEAD + "Ana:  15534>13\n", 3, 7),
    ("below_entry", HEAD + "Ana: 15534>155 =200\n", 3, 16),
    ("below_entry", HEAD + "Ana: =700\n", 3, 6),
    ("points_not_a_multiple", HEAD + "Ana: =760\n", 3, 6),
    ("points_not_scoreless", HEAD + "Ana: =800*\n", 3, 6),
    ("points_not_scoreless", HEAD + "Ana: 11123>111 =1000*\n", 3, 16),
    ("takeover_never", HEAD + "Ana: =1000\nBen: + 15>15\n", 4, 6),
    ("prediction_off", HEAD + "Ana: 11123>111 ?50\n", 3, 16),
    ("game_over", HEAD + "Ana: 11111\nBen: =0\n", 4, 1),
    ("game_over", HEAD + "Ana: =5000\nBen: leave\n", 4, 1),
    ("already_away", HEAD.replace("Ben", "Ben, Cleo") + "Ben: leave\nBen: leave\n", 4, 6),
    ("not_away", HEAD + "Ben: back\n", 3, 6),
    ("last_player_stays", HEAD + "Ana: leave\nBen: leave\n", 4, 6),
    ("bad_seats", HEAD + "seats: Eve=steady\n", 3, 8),
]  # fmt: skip


@pytest.mark.parametrize(("code", "record", "line", "column"), WRONG, ids=[row[0] for row in WRONG])
def test_what_is_wrong_is_told_with_line_and_column(code: str, record: str, line: int, column: int) -> None:
    error = refused(record)
    assert (error.code, error.line, error.column) == (code, line, column)
    assert str(error).startswith(f"line {line}, column {column}: ")
    assert error.cause.code == code
    assert str(error).endswith(str(error.cause))
    assert isinstance(error, ValueError)


def test_every_code_of_records_has_its_case() -> None:
    source = (SRC / "record.py").read_text(encoding="utf-8")
    codes = set(re.findall(r"\"([a-z]+(?:_[a-z]+)+)\"", source)) & set(SENTENCES)
    elsewhere = {"no_such_entry", "not_json", "json_wrong", "other_rules", "position_part_wrong"}
    assert codes - elsewhere <= {row[0] for row in WRONG}


def test_refusals_of_a_record_say_what_would_be_right() -> None:
    assert "155 (200)" in str(refused(HEAD + "Ana: 15534 24>-\n"))
    assert "155 (200)" in str(refused(HEAD + "Ana: 15534>-\n"))
    assert "Ana" in str(refused(HEAD + "Ben: =0\n"))
    assert "Ana, Ben" in str(refused(HEAD + "Anna: =0\n"))
    assert "22346>-" in str(refused(HEAD + "Ana: 22346\nBen: =0\n"))
    assert "1000" in str(refused(HEAD + "Ana: 11123>111 =950\n"))


def test_the_set_asides_that_a_right_prediction_leaves_are_told() -> None:
    record = "rules: cinq-des(prediction=true, entry=0)\nplayers: Ana, Ben\nAna: 11123>111 ?150 15"
    assert refused(f"{record} =\n").params["legal"] == refused(f"{record}>-\n").params["legal"]
    assert [str(keep) for keep in refused(f"{record} =\n").params["legal"]] == ["15=150"]


# Chance: whatever is done to a record, it is read whole or refused with a place.


def corrupted(rng: random.Random, record: str) -> str:
    for _ in range(rng.choice((1, 1, 1, 2, 5, 30))):
        at = rng.randrange(len(record) + 1)
        match rng.randrange(6):
            case 0:
                record = record[:at] + record[at + rng.randrange(1, 6) :]
            case 1:
                record = record[:at] + rng.choice("0123456789=>-+?*#:,() \n\r\t\0\x85\u2028é😀aZ") + record[at:]
            case 2:
                other = rng.randrange(len(record) + 1)
                record = record[:at] + record[other : other + rng.randrange(20)] + record[at:]
            case 3:
                record = (
                    record[:at]
                    + rng.choice(("9" * 5000, "=" * 300, " " * 9999, "\ufeff", "﹕", "²", "٣"))
                    + record[at:]
                )
            case 4:
                lines = record.splitlines(keepends=True)
                rng.shuffle(lines)
                record = "".join(lines)
            case _:
                record = record[:at]
    return record


def test_a_corrupted_record_is_read_whole_or_refused_with_a_place() -> None:
    """§6: nothing of the file is half used, and nothing but a RecordError is raised."""
    rng = random.Random("corruption")
    verdicts = {"read": 0, "refused": 0}
    for number in range(1200):
        if number % 12 == 0:
            text = random_sheet(rng) if number % 24 else "cinq-des"
            record = random_record(rng, text, NAMES[: rng.randint(2, 4)], 12)
        worse = corrupted(rng, record)
        error: RecordError | None = None
        try:
            game = replay(worse)
        except RecordError as refusal:
            error = refusal
        if error is None:
            verdicts["read"] += 1
            assert replay(game.text) == game
        else:
            verdicts["refused"] += 1
            lines = re.split("\r\n|\r|\n", worse)
            assert 1 <= error.line <= len(lines)
            assert 1 <= error.column <= len(lines[error.line - 1]) + 1
            assert str(error)
    assert min(verdicts.values()) > 50


@given(st.text(max_size=200))
def test_no_text_whatever_is_more_than_refused(text: str) -> None:
    for record in (
        text,
        HEAD + text,
        HEAD + "Ana: " + text,
        HEAD.replace("Ben", text),
        f"rules: {text}\nplayers: A, B\n",
    ):
        try:
            game = replay(record)
        except (RecordError, InvalidText):
            continue
        assert replay(game.text) == game


def test_very_long_lines_and_huge_numbers_are_read_or_refused_at_once() -> None:
    long_turn = "Ana: " + "12345>12345 " * 20_000 + "=" + str(1500 * 20_000) + "\n"
    assert replay(HEAD.replace("cinq-des", "cinq-des(target=50000)") + long_turn).position.winners == (0,)
    assert refused(HEAD + "Ana: =" + "9" * 100_000 + "\n").code == "bad_token"
    assert refused(HEAD.replace("cinq-des", "cinq-des(entry=" + "9" * 100_000 + ")") + "Ana: =0\n").code == "bad_number"
    top = replay(HEAD.replace("cinq-des", "cinq-des(target=1000000)") + "Ana: =500000\nBen: =0\nAna: =999999950\n")
    assert Position.parse(str(top.position)) == top.position
    assert replay(top.text) == top


# JSON.


def json_of(**changes: object) -> dict[str, object]:
    game = replay(HEAD + "Ana: 15534>155 24>-  # so\nBen: =1000\n")
    return {key: value for key, value in {**game.to_json(), **changes}.items() if value != "missing"}


WRONG_JSON: list[tuple[str, dict[str, object]]] = [
    ("json_wrong", {"rules": "missing"}), ("json_wrong", {"fingerprint": "missing"}),
    ("json_wrong", {"players": "missing"}), ("json_wrong", {"headers": "missing"}),
    ("json_wrong", {"actions": "missing"}), ("json_wrong", {"comments": "missing"}),
    ("json_wrong", {"rules": 3}), ("json_wrong", {"players": "Ana, Ben"}), ("json_wrong", {"players": [1, 2]}),
    ("json_wrong", {"headers": []}), ("json_wrong", {"headers": {"a": 1}}), ("json_wrong", {"actions": [1]}),
    ("json_wrong", {"comments": [[0]]}), ("json_wrong", {"comments": 3}),
    ("json_wrong", {"comments": [["0", "x", True]]}),
    ("json_wrong", {"comments": [[0, "x\ny", False]]}), ("json_wrong", {"comments": [[99, "x", False]]}),
    ("json_wrong", {"comments": [[-1, "x", False]]}), ("json_wrong", {"comments": [[2, "x", False], [0, "y", False]]}),
    ("json_wrong", {"comments": [[0, 5, False]]}), ("json_wrong", {"comments": [[1.0, "x", False]]}),
    ("other_rules", {"fingerprint": "0" * 16}), ("other_rules", {"rules": "cinq-des(entry=500)"}),
    ("unknown_preset", {"rules": "sept-des"}), ("name_twice", {"players": ["Ana", "Ana"]}),
    ("players_number", {"players": ["Ana"]}), ("bad_seats", {"headers": {"seats": "Eve=steady"}}),
    ("bad_action", {"actions": ["dance"]}), ("game_over", {"actions": ["11111", "=0"]}),
    ("below_entry", {"actions": ["=0", "=50"]}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "changes"), WRONG_JSON)
def test_json_that_is_not_such_a_game_is_refused(code: str, changes: dict[str, object]) -> None:
    with pytest.raises(CinqMilleError) as refusal:
        Game.from_json(json.dumps(json_of(**changes)))
    assert refusal.value.code == code
    if isinstance(refusal.value, RecordError):
        actions = changes["actions"]
        assert isinstance(actions, list)
        assert refusal.value.line == len(actions), "the number of the action"


NO_JSON = [
    "", "{", "[]", "null", "3", '{"a": }', "{" * 100_000, '{"a":' + "[" * 100_000, '{"a":' + "9" * 5000 + "}",
    "{\x00}", '{"rules": NaN}',
]  # fmt: skip


@pytest.mark.parametrize("text", NO_JSON, ids=[text[:20] for text in NO_JSON])
def test_text_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidText) as refusal:
        Game.from_json(text)
    assert refusal.value.code in ("not_json", "json_wrong")
    with pytest.raises(InvalidText):
        position_from_json(text)


def test_the_json_keeps_a_roll_that_was_decided_on() -> None:
    game = replay(HEAD + "Ana: 15534>155\n").play(RollOn())
    assert Game.from_json(game.to_json()) == game
    assert replay(game.text).position.phase == "decide"


@given(sheets(), st.integers(0, 10**6))
@settings(max_examples=40)
def test_positions_read_back_from_their_json(text: str, seed: int) -> None:
    for game in games(random.Random(seed), Rules.parse(text), 3, 60, table=0.1):
        data = json.dumps(position_to_json(game.position))
        assert position_from_json(data) == game.position


WRONG_POSITIONS: list[dict[str, object]] = [
    {"to_play": 2}, {"to_play": -1}, {"to_play": True}, {"to_play": "0"}, {"to_play": None}, {"seats": []},
    {"seats": [1]}, {"opener": 1},
    {"seats": [{"ladder": [0], "scoreless": 0, "away": False}] * 2}, {"seats": [{"ladder": [], "scoreless": 0}] * 2},
    {"seats": [{"ladder": [50.0], "scoreless": 0, "away": False}] * 2}, {"seats": [{"ladder": []}] * 9},
    {"phase": "dance"}, {"phase": "choose", "roll": [9] * 5}, {"phase": "choose", "roll": ["1"] * 5}, {"roll": [1.0]},
    {"turn_points": True}, {"turn_points": 1.5}, {"dice_left": 3}, {"dice_left": "5"}, {"announced": 50}, {"opener": 0},
    {"opener": "x"}, {"offer": {"points": 100}}, {"offer": 7}, {"offer": {"points": 100, "dice": 2, "by": 9}},
    {"winners": [0]}, {"winners": "Ana"}, {"fingerprint": "x"}, {"rules": "x"}, {"rules": None},
]  # fmt: skip


@pytest.mark.parametrize("changes", WRONG_POSITIONS, ids=str)
def test_json_that_is_no_position_is_refused(changes: dict[str, object]) -> None:
    data = {**position_to_json(start(Rules.parse("cinq-des"))), **changes}
    with pytest.raises(CinqMilleError):
        position_from_json(data)


# Undo, correction, replay (C056-C067 where a record shows them).


def test_a_game_is_cut_and_stepped_through() -> None:
    """C064: any number of actions can be undone; what is recomputed is what a replay says."""
    game = replay(HEAD + "Ana: 15534>155 24>-\nBen: 11123>111 =1000\nAna: =0\n")
    positions = [step.position for _, _, step in game.steps()]
    for count in range(len(game.actions) + 1):
        part = game.cut(count)
        assert part.actions == game.actions[:count]
        assert part.position == (positions[count - 1] if count else start(game.rules))
    assert game.cut(99) == game
    assert [action for _, action, _ in game.steps()] == list(game.actions)
    assert [before for before, _, _ in game.steps()] == [start(game.rules), *positions[:-1]]


def test_a_step_tells_what_happened_and_refuses_what_is_not_allowed() -> None:
    game = Game.new(Rules.parse("cinq-des"), ("Ana", "Ben"))
    after, events = game.step(Roll.parse("22346"))
    assert (after.actions, len(events)) == ((Roll.parse("22346"),), 3)
    with pytest.raises(IllegalAction):
        game.step(SetAside((1,)))
    assert game.actions == ()


def test_a_roll_decided_on_but_not_made_is_taken_back_by_another_action() -> None:
    game = replay(HEAD + "Ana: 11123>111\n").play(RollOn()).play(Skip())
    assert game.actions[-1] == Skip()
    assert game.text.endswith("Ana: 11123>111 skip\n")


def test_a_roll_may_be_followed_by_a_skip_or_a_leave() -> None:
    """Nobody has set anything aside, and the table passes the turn: the record says so and reads back."""
    for action in (Skip(), Leave(0)):
        game = replay(HEAD + "Ana: 15534\n").play(action)
        assert replay(game.text) == game


def test_any_line_can_be_corrected_and_everything_after_it_is_played_again() -> None:
    """C064: totals and falls are recomputed."""
    game = replay("rules: cinq-des(equal_scores=fall)\nplayers: Ana, Ben\nAna: =900\nBen: =800\nAna: =0\nBen: =100\n")
    assert game.position.scores == (0, 900)
    assert game.corrected(1, "=950").position.scores == (950, 900)
    assert game.corrected(2, "11123>111 =").position.scores == (900, 1100)
    with pytest.raises(RecordError) as error:
        game.corrected(2, "22346>-")
    assert (error.value.line, error.value.code) == (4, "below_entry")
    with pytest.raises(RecordError) as error:
        game.corrected(3, "")
    assert (error.value.line, error.value.code) == (3, "out_of_turn")
    for number in (0, -1, 5):
        with pytest.raises(IllegalAction) as refusal:
            game.corrected(number, "=0")
        assert refusal.value.code == "no_such_entry"


def test_comments_stay_with_their_lines_when_a_line_is_corrected() -> None:
    record = HEAD + "# begin\nAna: =1000  # one\nBen: =0  # two\n# between\nAna: =50  # three\n# end\n"
    game = replay(record)
    assert game.corrected(1, "11123>111 =").text == record.replace("=1000", "11123>111 =1000")
    assert game.corrected(3, "15534>155 24>-").text == record.replace("=50", "15534>155 24>-")
    shorter = game.corrected(3, "")
    assert shorter.text == HEAD + "# begin\nAna: =1000  # one\nBen: =0  # two\n# between\n# three\n# end\n"
    for changed in (game.corrected(2, "22346>-"), shorter):
        assert replay(changed.text) == changed


@given(sheets(), st.integers(0, 10**6))
@settings(max_examples=30)
def test_a_correction_is_a_replay_of_the_changed_text(text: str, seed: int) -> None:
    rng = random.Random(seed)
    game = replay(random_record(rng, text, ("Ana", "Ben"), 12))
    turns = game.turns()
    for number in range(1, len(turns) + 1):
        assert game.corrected(number, turns[number - 1].text) == game
        changed = [turn.text for turn in turns]
        changed[number - 1] = rng.choice(("=0", "=0*", "=1000", "skip", "15534>1 2346>-"))
        lines = [f"{game.players[turn.player]}: {words}" for turn, words in zip(turns, changed, strict=True)]
        head = f"rules: {game.rules.canonical}\nplayers: Ana, Ben\n"
        try:
            expected: object = replay(head + "\n".join(lines) + "\n").position
        except RecordError as error:
            expected = (error.code, error.line - 2, error.column)
        try:
            found: object = game.corrected(number, changed[number - 1]).position
        except RecordError as error:
            found = (error.code, error.line, error.column)
        assert found == expected


def test_typed_points_are_kept_as_what_they_added() -> None:
    """§5.7, §6: a turn over the stop is written with what it added, and reads back."""
    game = replay("rules: cinq-des(target=1500, last_leg=500)\nplayers: Ana, Ben\nAna: =1150\n")
    assert game.actions == (Points(1000),)
    assert replay(game.text) == game


def test_the_summary_is_what_the_command_prints() -> None:
    game = replay(HEAD + "Ana: 11123>111 =1000\nBen: 15534>155\n")
    assert game.summary() == {
        "rules": "cinq-des",
        "players": [
            {"name": "Ana", "score": 1000, "history": [1000], "scoreless": 0},
            {"name": "Ben", "score": 0, "history": [], "scoreless": 0},
        ],
        "to_play": "Ben",
        "phase": "decide",
        "turn_points": 200,
        "dice_left": 2,
        "last_roll": "15534",
        "winners": [],
    }
    assert Game.new(Rules.parse("cinq-des"), ("Ana", "Ben")).summary()["last_roll"] is None
