"""The command ``cinqmille`` as it is typed: answers, JSON keys to the letter, refusals, both languages, streams.

What depends on a process of its own (streams, signals, locales, imports) runs in one; the rest calls ``main``.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pexpect
import pytest
from babel.messages.extract import extract_from_dir

import cinqmille
from cinqmille import PARAMETERS, PRESETS, Rules, keeps, odds, replay
from cinqmille.cli import main
from cinqmille.fair import record_text, verify
from cinqmille.words import Words
from fairgames import played
from forging import forged
from results import Result

DATA = Path(__file__).parent / "data"
GAMES = DATA / "games"
EXPECTED: dict[str, dict[str, Any]] = json.loads((GAMES / "expected.json").read_text(encoding="utf-8"))
RECORDS = [json.loads(line) for line in (DATA / "records.jsonl").read_text(encoding="utf-8").splitlines()]
COMMANDS = ("serve", "play", "rules", "score", "odds", "advise", "solve", "simulate", "replay", "verify", "tables",
            "completion")  # fmt: skip
LANGUAGES = ("en", "fr")


@dataclass(frozen=True)
class Cli:
    """Calls ``main`` in this process."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> Result:
        self.capsys.readouterr()
        status = main(arguments)
        out, err = self.capsys.readouterr()
        return Result(status, out, err)

    def data(self, *arguments: str) -> dict[str, Any]:
        """The JSON answer of a run that must succeed."""
        result = self(*arguments, "--json")
        assert (result.status, result.err) == (0, "")
        return result.json


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("CINQMILLE_DEBUG", raising=False)
    return Cli(capsys)


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHONIO"))}
    return {**kept, "COLUMNS": "80", "LC_ALL": "C.UTF-8", **changes}


def process(*arguments: str | bytes, stdin: bytes = b"", changes: Mapping[str, str] | None = None) -> Result:
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "cinqmille", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=60, env=environment(**(changes or {})))
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


# Rules


def test_rules_lists_the_sheets(cli: Cli) -> None:
    data = cli.data("rules")
    assert list(data) == ["presets"]
    assert [set(preset) for preset in data["presets"]] == [{"id", "title"}] * len(PRESETS)
    assert [preset["id"] for preset in data["presets"]] == list(PRESETS)
    assert data["presets"][0] == {"id": "cinq-des", "title": "5000 with five dice"}
    french = cli.data("rules", "--lang", "fr")
    assert french["presets"][0] == {"id": "cinq-des", "title": "5000 à cinq dés"}
    text = cli("rules").out
    assert all(re.search(rf"^  {name} +\S", text, re.MULTILINE) for name in PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_rules_tells_every_parameter(cli: Cli, name: str) -> None:
    data = cli.data("rules", name)
    rules = PRESETS[name]
    assert {p.name for p in PARAMETERS} | {"combinations", "canonical", "fingerprint"} <= set(data)
    assert {p.name: data[p.name] for p in PARAMETERS} == rules.values()
    assert (data["canonical"], data["fingerprint"], data["step"]) == (rules.canonical, rules.fingerprint, rules.step)
    assert {pattern: str(value) for pattern, value in data["combinations"].items()} == {
        combination.pattern: combination.value for combination in rules.combinations
    }


@pytest.mark.parametrize("source", [*PRESETS, "cinq-des(entry=500, AAAA=200*A, takeover=always)"])
def test_a_sheet_printed_as_toml_is_read_back(cli: Cli, tmp_path: Path, source: str) -> None:
    file = tmp_path / "maison.toml"
    printed = cli("rules", source, "--toml")
    assert (printed.status, printed.err) == (0, "")
    file.write_text(printed.out, encoding="utf-8")
    data = cli.data("rules", str(file))
    assert data["fingerprint"] == Rules.parse(source).fingerprint
    assert data["id"] == "maison"


@pytest.mark.parametrize(("lang", "title"), [("en", "5000 with five dice"), ("fr", "5000 à cinq dés")])
def test_rules_in_sentences(cli: Cli, lang: str, title: str) -> None:
    text = cli("rules", "cinq-des", "--lang", lang).out
    assert text.startswith(f"{title}\n")
    assert "750" in text
    assert max(map(len, text.splitlines())) <= 80


# Score


def test_score_to_the_letter(cli: Cli) -> None:
    assert cli("score", "15534", "--json").out == (
        '{"rules": "cinq-des", "roll": "15534", "bust": false, "wins": false, "keeps": '
        '[{"dice": "155", "points": 200}, {"dice": "15", "points": 150}, {"dice": "55", "points": 100}, '
        '{"dice": "1", "points": 100}, {"dice": "5", "points": 50}], "best": {"dice": "155", "points": 200}}\n'
    )


@pytest.mark.parametrize("roll", [("15534",), ("1", "5", "5", "3", "4"), ("1 5 5 3 4",), ("155", "34"), ("1,5,5,3,4",)])
def test_dice_are_written_in_one_word_or_several(cli: Cli, roll: Sequence[str]) -> None:
    assert cli.data("score", *roll) == cli.data("score", "15534")
    assert cli.data("score", "--rules", "six-des", *roll) == cli.data("score", *roll, "--rules=six-des")


@pytest.mark.parametrize("roll", ["2", "44", "15534", "222533", "111155", "222333", "123456"])
def test_every_keep_once_most_points_first(cli: Cli, roll: str) -> None:
    data = cli.data("score", roll, "--rules", "six-des")
    found = keeps(PRESETS["six-des"], roll)
    assert data["keeps"] == [{"dice": "".join(map(str, keep.dice)), "points": keep.points} for keep in found]
    assert data["best"] == (data["keeps"][0] if data["keeps"] else None)
    assert len({keep["dice"] for keep in data["keeps"]}) == len(data["keeps"])


def test_a_bust_and_a_win(cli: Cli) -> None:
    bust = cli.data("score", "22346")
    assert (bust["bust"], bust["wins"], bust["keeps"], bust["best"]) == (True, False, [], None)
    assert "no die scores" in cli("score", "22346").out
    win = cli.data("score", "11111")
    assert (win["bust"], win["wins"], win["keeps"], win["best"]) == (False, True, [], None)
    assert "wins the game at once" in cli("score", "11111").out


def test_score_for_people(cli: Cli) -> None:
    assert cli("score", "222552", "--rules", "six-des", "--lang", "fr").out.splitlines()[:7] == [
        "Lancer 222552, règles six-des",
        "",
        "  de côté  points  figures",
        "  222255      500  2222 (quatre dés identiques) = 400, 5 = 50, 5 = 50",
        "  22225       450  2222 (quatre dés identiques) = 400, 5 = 50",
        "  2222        400  quatre dés identiques",
        "  22255       300  222 (trois dés identiques) = 200, 5 = 50, 5 = 50",
    ]
    assert "hot dice are possible" in cli("score", "55").out
    assert "hot dice" not in cli("score", "53").out


def test_a_dispute_is_settled(cli: Cli) -> None:
    data = cli.data("score", "222533", "--rules", "six-des", "--keep", "2225")
    assert data["keep"] == {
        "dice": "2225",
        "points": 250,
        "combinations": [
            {"pattern": "AAA", "dice": "222", "points": 200},
            {"pattern": "5", "dice": "5", "points": 50},
        ],
    }
    assert "250 points" in cli("score", "222533", "--rules", "six-des", "--keep", "5 2 2 2").out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("15534", "--keep", "34"), "does_not_count"),
        (("15534", "--keep", "66"), "not_in_roll"),
        (("22346", "--keep", "2"), "nothing_to_keep"),
        (("11111", "--keep", "1"), "wins_alone"),
        (("15534", "--keep", "x"), "bad_dice"),
        (("15534", "--keep", ""), "bad_dice"),
        (("15534", "--keep", "1", "--rules", "greed-kata"), "keep_all_due"),
    ],
)
def test_a_dispute_that_is_lost_says_why(cli: Cli, arguments: Sequence[str], code: str) -> None:
    refused(cli("score", *arguments, "--json"), code)


# Odds


def test_odds_are_exact(cli: Cli) -> None:
    data = cli.data("odds")
    assert (data["rules"], list(data["odds"])) == ("cinq-des", ["1", "2", "3", "4", "5"])
    assert data["odds"]["1"] == {
        "dice": 1,
        "bust": 2 / 3, "bust_exact": "2/3",
        "full": 1 / 3, "full_exact": "1/3",
        "wins": 0.0, "wins_exact": "0",
        "mean_best": 25.0, "mean_best_exact": "25",
        "points": {
            "0": {"chance": 2 / 3, "exact": "2/3"},
            "50": {"chance": 1 / 6, "exact": "1/6"},
            "100": {"chance": 1 / 6, "exact": "1/6"},
        },
    }  # fmt: skip


@pytest.mark.parametrize("name", ["cinq-des", "six-des"])
def test_odds_agree_with_the_library(cli: Cli, name: str) -> None:
    data = cli.data("odds", "--rules", name)["odds"]
    for count in range(1, PRESETS[name].dice + 1):
        found, expected = data[str(count)], odds(PRESETS[name], count)
        assert Fraction(found["bust_exact"]) == expected.bust
        assert Fraction(found["full_exact"]) == expected.full
        assert Fraction(found["mean_best_exact"]) == expected.mean_best
        law = {int(points): Fraction(entry["exact"]) for points, entry in found["points"].items()}
        assert law == expected.points
        assert sum(law.values()) + Fraction(found["wins_exact"]) == 1
    assert cli.data("odds", "--rules", name, "--dice", "3") == {"rules": name, "odds": {"3": data["3"]}}


def test_odds_for_people(cli: Cli) -> None:
    assert cli("odds", "--lang", "fr").out.splitlines()[:4] == [
        "Chances d'un lancer, règles cinq-des",
        "",
        "  dés  lancer nul          main pleine        moyenne du meilleur",
        "    1     66,67 %     2/3      33,33 %   1/3                25,00",
    ]
    assert "0.01%, 1/7,776" in cli("odds").out
    assert "33.33%" in cli("odds", "--dice", "2").out


# Replay

SUMMARY = ["rules", "players", "to_play", "phase", "turn_points", "dice_left", "last_roll", "winners"]


def check_replay(result: Result, expected: dict[str, Any]) -> None:
    """A replay with ``--json`` came out as ``expected`` says: totals and winners, or an error at its line."""
    if "error_line" in expected:
        assert result.status == 2
        assert result.json["error"]["line"] == expected["error_line"]
        assert result.json["error"]["column"] >= 1
        return
    assert (result.status, result.err) == (0, "")
    data = result.json
    assert list(data) == SUMMARY
    assert all(list(player) == ["name", "score", "history", "scoreless"] for player in data["players"])
    assert [player["score"] for player in data["players"]] == expected["scores"]
    assert (data["to_play"], data["winners"]) == (expected["to_play"], expected["winners"])


@pytest.mark.parametrize("case", RECORDS, ids=lambda case: case["name"])
def test_the_common_records(cli: Cli, tmp_path: Path, case: dict[str, Any]) -> None:
    file = tmp_path / "partie.txt"
    file.write_text(case["record"], encoding="utf-8")
    check_replay(cli("replay", str(file), "--json"), case.get("expect", case))


@pytest.mark.parametrize("name", sorted(EXPECTED)[::9])
def test_recorded_games(cli: Cli, name: str) -> None:
    check_replay(cli("replay", str(GAMES / name), "--json"), EXPECTED[name])


def test_a_record_changes_its_form(cli: Cli, tmp_path: Path) -> None:
    record = GAMES / "v06-prediction-doubles.txt"
    game = replay(record.read_text(encoding="utf-8"))
    as_json = tmp_path / "partie.json"
    as_json.write_text(cli("replay", str(record), "--to", "json").out, encoding="utf-8")
    assert replay(as_json.read_text(encoding="utf-8")) == game
    assert cli.data("replay", str(as_json)) == cli.data("replay", str(record))
    assert cli("replay", str(as_json), "--to", "text").out == game.text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_turns_are_told(cli: Cli, lang: str) -> None:
    game = replay((GAMES / "v06-prediction-doubles.txt").read_text(encoding="utf-8"))
    result = cli("replay", str(GAMES / "v06-prediction-doubles.txt"), "--turns", "--lang", lang)
    data = cli.data("replay", str(GAMES / "v06-prediction-doubles.txt"), "--turns", "--lang", lang)
    assert list(data) == [*SUMMARY, "turns"]
    told = [Words(lang).event(event, game.players) for _, _, step in game.steps() for event in step.events]
    assert [sentence for turn in data["turns"] for sentence in turn["told"]] == told
    assert all(sentence in re.sub(r"[ \n]+", " ", result.out) for sentence in told)


def test_a_record_from_the_standard_input() -> None:
    record = RECORDS[0]["record"].encode()
    assert process("replay", "-", "--json", stdin=record).json["players"][0]["score"] == 1000
    wrong = process("replay", "-", stdin=RECORDS[1]["record"].encode())
    assert (wrong.status, wrong.err.startswith("the standard input: line 3, column 16: ")) == (2, True)


# Fair dice


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a finished game online."""
    game, deal = played(3, names=("Zoé", "Ben"), absent=0.2)
    file = tmp_path_factory.mktemp("fair") / "partie.txt"
    file.write_text(record_text(game, deal), encoding="utf-8")
    return file


def test_verify_tells_what_was_found(cli: Cli, sealed: Path) -> None:
    found = verify(sealed.read_text(encoding="utf-8"))
    data = cli.data("verify", str(sealed))
    assert list(data) == [
        "verified",
        "kind",
        "rules",
        "players",
        "rolls",
        "seats",
        "table",
        "commitment",
        "seal",
        "compared",
    ]
    assert data["verified"] is True
    assert (data["kind"], data["rules"], data["players"]) == ("fair-1", found.rules.canonical, ["Zoé", "Ben"])
    assert (data["rolls"], data["table"], data["commitment"]) == (found.rolls, found.table, found.commitment)
    assert data["seats"] == [
        {"name": seat.name, "rolls": seat.rolls, "own": seat.own, "alone": seat.alone} for seat in found.seats
    ]
    compared = cli.data("verify", str(sealed), "--commitment", f" {data['commitment'].upper()} ")
    assert (data["compared"], compared) == ([], data | {"compared": ["commitment"]})
    for lang, word in (("en", "Verified"), ("fr", "Vérifié")):
        text = re.sub(r"\s+", " ", cli("verify", str(sealed), "--lang", lang).out)
        assert text.startswith(word)
        assert data["commitment"] in text
        assert all(f"{seat.rolls} " in text and f" {seat.own} " in text for seat in found.seats)
        noted = cli("verify", str(sealed), "--lang", lang, "--commitment", data["commitment"]).out
        assert re.sub(r"\s+", " ", noted) != text


def test_verify_tells_a_forged_game_by_the_seal_that_was_noted(cli: Cli, sealed: Path, tmp_path: Path) -> None:
    data, other = cli.data("verify", str(sealed)), tmp_path / "forged.txt"
    other.write_text(forged(sealed.read_text(encoding="utf-8")), encoding="utf-8")
    alone = re.sub(r"\s+", " ", cli("verify", str(other), "--commitment", data["commitment"]).out)
    assert "follow from the secrets in this record" in alone
    assert "This alone does not show that it is the game that was played" in alone
    assert "were drawn" not in alone
    refused(cli("verify", str(other), "--seal", data["seal"], "--json"), "seal_differs")
    true = re.sub(r"\s+", " ", cli("verify", str(sealed), "--seal", f" {data['seal'].upper()} ").out)
    assert "this is the game that ended with it" in true
    assert "does not show" not in true


def test_verify_reads_json_and_the_standard_input(cli: Cli, sealed: Path, tmp_path: Path) -> None:
    as_json = tmp_path / "game.json"
    as_json.write_text(cli("replay", str(sealed), "--to", "json").out, encoding="utf-8")
    assert cli.data("verify", str(as_json)) == cli.data("verify", str(sealed))
    crlf = sealed.read_bytes().replace(b"\n", b"\r\n")
    assert process("verify", "-", "--json", stdin=b"\xef\xbb\xbf" + crlf).json == cli.data("verify", str(sealed))
    wrong = process("verify", "-", stdin=crlf.replace(b"Ben", b"Eve"))
    assert (wrong.status, wrong.out, wrong.err.startswith("the standard input: ")) == (2, "", True)


def test_verify_checks_dice_of_a_seed(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "seeded.txt"
    file.write_text("rules: cinq-des\nplayers: Ana, Ben\ndice: seed 42\nAna: 15443>5\n", encoding="utf-8")
    assert refused(cli("verify", str(file), "--json"), "roll_differs")["line"] == 4
    file.write_text("rules: cinq-des\nplayers: Ana, Ben\ndice: seed 42\nAna: 15444>444\n", encoding="utf-8")
    data = cli.data("verify", str(file))
    assert (data["kind"], data["rolls"], data["table"], data["commitment"]) == ("seed", 1, None, None)
    assert "seed" in cli("verify", str(file)).out
    refused(cli("verify", str(file), "--commitment", "ab" * 32, "--json"), "no_commitment")
    refused(cli("verify", str(file), "--seal", "ab" * 32, "--json"), "no_seal")


@pytest.mark.parametrize(
    ("change", "options", "code"),
    [
        (lambda text: text.replace("Ben", "Eve"), (), "seal_broken"),
        (lambda text: re.sub(r" secret=.*", "", text), (), "secret_not_shown"),
        (lambda text: re.sub(r"(?m)^dice: .*", "dice: real", text), (), "not_verifiable"),
        (lambda text: text, ("--commitment", "ab" * 32), "commitment_differs"),
        (lambda text: text, ("--commitment", "ab" * 31), "bad_commitment"),
        (lambda text: text, ("--commitment", ""), "bad_commitment"),
        (lambda text: text, ("--seal", "ab" * 32), "seal_differs"),
        (lambda text: text, ("--seal", "ab" * 31), "bad_seal"),
    ],
)
def test_verify_refuses(
    cli: Cli, sealed: Path, tmp_path: Path, change: Callable[[str], str], options: tuple[str, ...], code: str
) -> None:
    file = tmp_path / "wrong.txt"
    file.write_text(change(sealed.read_text(encoding="utf-8")), encoding="utf-8")
    error = refused(cli("verify", str(file), *options, "--json"), code)
    assert error["message"].startswith(str(file)) == (not code.startswith("bad_"))
    assert cli("verify", str(file), *options, "--lang", "fr").err != f"{error['message']}\n"


def test_a_game_online_that_is_not_over_goes_on_only_there(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(record_text(*played(1, most=12)), encoding="utf-8")
    result = process("play", str(file))
    assert result.status == 2
    assert "online" in result.err
    assert cli.data("replay", str(file))["to_play"]
    header = dict(replay(file.read_text(encoding="utf-8")).headers)["dice"]
    fresh = tmp_path / "fresh.txt"
    result = process("play", str(fresh), "--rules", "cinq-des", "--players", "Ana,Ben", "--dice", header)
    assert (result.status, fresh.exists()) == (2, False)


def test_a_finished_game_online_is_shown_in_the_terminal(sealed: Path) -> None:
    result = process("play", str(sealed))
    assert result.status == 0
    assert "Zoé" in result.out


# Reports of other programs' players


@pytest.mark.parametrize(
    ("rules", "roll", "best"),
    [
        pytest.param("six-des(AABBCC=750, AAAABB=750, AAAA=none, 1111=none)", "433343", 750, id="C001-on"),
        pytest.param("six-des(AABBCC=750, AAAA=none, 1111=none)", "433343", 300, id="C001-off"),
        pytest.param("six-des(AABBCC=750)", "433343", 600, id="C001-off-doubling"),
        pytest.param("six-des(AABBCC=1000)", "11", 200, id="C002-two-dice"),
        pytest.param("six-des(AABBCC=1000)", "1122", 200, id="C002-four-dice"),
        pytest.param("kingdom-come", "123455", 550, id="C004"),
        pytest.param("kingdom-come", "112345", 600, id="C004-one"),
        pytest.param("kingdom-come", "234565", 800, id="C004-five"),
        pytest.param("greed-kata", "55552", 550, id="C007"),
        pytest.param("greed-kata", "12225", 350, id="C009"),
        pytest.param("greed-kata", "25551", 600, id="C009-fives"),
    ],
)
def test_reported_scores(cli: Cli, rules: str, roll: str, best: int) -> None:
    assert cli.data("score", roll, "--rules", rules)["best"]["points"] == best


def test_c011_a_keep_is_a_matter_of_the_table(cli: Cli) -> None:
    free = cli.data("score", "155346", "--rules", "six-des", "--keep", "1")
    assert free["keep"]["points"] == 100
    refused(cli("score", "155346", "--rules", "six-des(keep=all)", "--keep", "1", "--json"), "keep_all_due")


def test_c012_each_die_kept_must_score(cli: Cli) -> None:
    data = cli.data("score", "222533", "--rules", "six-des")
    assert {keep["dice"]: keep["points"] for keep in data["keeps"]} == {"222": 200, "5": 50, "2225": 250}
    for dice in ("2", "22", "3", "33", "225"):
        refused(cli("score", "222533", "--rules", "six-des", "--keep", dice, "--json"), "does_not_count")


def test_c016_the_straight_is_worth_what_the_rules_say(cli: Cli) -> None:
    assert cli.data("rules", "six-des")["combinations"]["123456"] == 1500
    assert cli.data("score", "123456", "--rules", "six-des")["best"] == {"dice": "123456", "points": 1500}
    assert re.search(r"straight.*1,500", cli("rules", "six-des").out)


def test_c017_the_page_follows_the_rules_given(cli: Cli) -> None:
    assert "650" in cli("rules", "cinq-des(entry=650)").out
    assert "650" not in cli("rules", "cinq-des").out


def test_c065_seven_dice_are_refused(cli: Cli) -> None:
    refused(cli("score", "1115555", "--rules", "six-des", "--json"), "too_many_dice")


# Play


def test_bots_play_a_game_that_can_be_replayed_and_repeated(tmp_path: Path) -> None:
    records = [tmp_path / "one.txt", tmp_path / "two.txt"]
    options = ("--players", "Ana=steady:350,Ben=steady:500", "--rules", "six-des(target=2000)")
    assert process("play", str(records[0]), *options, "--seed", "7").status == 0
    assert process("play", str(records[1]), *options, "--dice", "seed 7").status == 0
    games = [replay(record.read_text(encoding="utf-8")) for record in records]
    assert games[0].position.phase == "over"
    assert games[0].actions == games[1].actions
    assert games[0].seats == {0: "steady:350", 1: "steady:500"}
    assert games[0].rules == Rules.parse("six-des(target=2000)")


def test_play_asks_for_what_is_not_given(tmp_path: Path) -> None:
    result = process("play", "--lang", "fr", changes={"XDG_DATA_HOME": str(tmp_path)})
    assert (result.status, result.err) == (0, "")
    assert "Quelles règles" in result.out


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--dice", "bogus"], "bogus"),
        (["--seed", "x y"], "seed x y"),
        (["--players", "Ana,Ben=foo"], "foo"),
        (["--players", "Ana,Ben="], "steady"),
        (["--players", "Ana"], "2 to 8"),
        (["--players", "Ana,Ana"], "Ana"),
        (["--rules", "six"], "six"),
        (["--dice", "system", "--seed", "3"], "--seed"),
    ],
    ids=" ".join,
)
def test_play_refuses_what_cannot_be(tmp_path: Path, options: list[str], named: str) -> None:
    given = dict(zip(options[::2], options[1::2], strict=True))
    others = {"--rules": "cinq-des", "--players": "Ana,Ben"}
    rest = [word for name, value in others.items() if name not in given for word in (name, value)]
    result = process("play", str(tmp_path / "game.txt"), *options, *rest)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert named in result.err
    assert not (tmp_path / "game.txt").exists()


# Refusals


def refused(result: Result, code: str, status: int = 2) -> dict[str, Any]:
    """The error of a refusal: its object on the standard output, the same sentence on the other stream."""
    error = result.json["error"]
    assert result.status == status
    assert isinstance(error, dict)
    assert {"code", "message"} <= set(error) <= {"code", "message", "line", "column"}
    assert error["code"] == code, error
    assert result.err == f"{error['message']}\n"
    return error


FILES = {
    "folder": None,
    "binary.toml": b"\x00\xff\xfe\x80",
    "syntax.toml": b"dice = 5\nentry 500\n",
    "parameter.toml": b"entri = 500\n",
    "value.toml": b'base = "cinq-des"\nentry = "much"\n',
    "pattern.toml": b"[combinations]\n1X = 100\n",
    "nothing.toml": b"",
    "binary.txt": b"\x00\xff\xfe\x80",
    "empty.txt": b"",
    "header.txt": b"players: Ana, Ben\nAna: =450\n",
    "token.txt": b"rules: cinq-des\nplayers: Ana, Ben\nAna: 15534>155 oops\n",
    "bank.txt": b"rules: cinq-des\nplayers: Ana, Ben\nAna: 15534>155 =200\n",
    "broken.json": b'{"rules": "cinq-des",\n "players": [}',
    "wrong.json": b'{"rules": "cinq-des"}',
}

BAD: dict[tuple[str, ...], tuple[str, str]] = {
    # what was typed: the code, and what the sentence must name
    ("scor", "15534"): ("unknown_command", "score"),
    ("play!",): ("unknown_command", "play!"),
    ("--foo",): ("unknown_option", "--foo"),
    ("--jsno", "score"): ("unknown_option", "--jsno"),
    ("score", "15534", "--ruels", "six-des"): ("unknown_option", "--rules"),
    ("score", "15534", "--foo=3"): ("unknown_option", "--foo"),
    ("play", "--pace", "3"): ("unknown_option", "--pace"),
    ("score",): ("argument_missing", "cinqmille score --help"),
    ("replay",): ("argument_missing", "cinqmille replay --help"),
    ("odds", "--dice"): ("value_missing", "--dice"),
    ("score", "15534", "--rules"): ("value_missing", "--rules"),
    ("odds", "--dice", "x"): ("bad_value", "x"),
    ("odds", "--dice", "2.5"): ("bad_value", "2.5"),
    ("odds", "--dice", "3", "--dice", "4"): ("repeated_option", "--dice"),
    ("odds", "3"): ("too_many_words", "3"),
    ("rules", "cinq-des", "six-des"): ("too_many_words", "six-des"),
    ("odds", "--dice", "0"): ("odds_dice", "0"),
    ("odds", "--dice", "6"): ("odds_dice", "6"),
    ("odds", "--dice", "0x3"): ("bad_value", "0x3"),
    ("rules", "--lang", "de"): ("bad_value", "de"),
    ("rules", "--lang"): ("bad_value", "--lang"),
    ("replay", "@/bank.txt", "--to", "xml"): ("bad_value", "xml"),
    ("replay", "@/bank.txt", "--to", "text"): ("conflict", "--to"),
    ("rules", "cinq-des", "--toml"): ("conflict", "--toml"),
    ("rules", "six-dés"): ("rules_syntax", "six-dés"),
    ("rules", "six"): ("unknown_preset", "six"),
    ("rules", ""): ("rules_syntax", "''"),
    ("rules", 300 * "x"): ("unknown_preset", "xxx"),
    ("rules", "cinq-des(entri=500)"): ("misspelt_parameter", "entri"),
    ("rules", "cinq-des(entry=5x)"): ("bad_number", "5x"),
    ("rules", "cinq-des(entry=525)"): ("not_a_multiple", "525"),
    ("rules", "cinq-des(exact=maybe)"): ("bad_flag", "maybe"),
    ("rules", "cinq-des(entry=500"): ("rules_syntax", "cinq-des(entry=500"),
    ("score", "15534", "--rules", "six"): ("unknown_preset", "six"),
    ("score", "15534", "--rules", "@/missing.toml"): ("unreadable_file", "missing.toml"),
    ("rules", "@/missing.toml"): ("unreadable_file", "missing.toml"),
    ("rules", "@/folder/"): ("unreadable_file", "folder"),
    ("rules", "@/binary.toml"): ("not_utf8", "binary.toml"),
    ("rules", "@/syntax.toml"): ("bad_toml", "syntax.toml"),
    ("rules", "@/parameter.toml"): ("misspelt_parameter", "parameter.toml"),
    ("rules", "@/value.toml"): ("bad_number", "value.toml"),
    ("rules", "@/pattern.toml"): ("bad_pattern", "1X"),
    ("rules", "@/nothing.toml"): ("no_combinations", "nothing.toml"),
    ("score", "7"): ("bad_dice", "7"),
    ("score", "15a34"): ("bad_dice", "15a34"),
    ("score", "-5"): ("bad_dice", "-5"),
    ("score", ""): ("bad_dice", "''"),
    ("score", "155341"): ("too_many_dice", "155341"),
    ("verify",): ("argument_missing", "cinqmille verify --help"),
    ("verify", "@/missing.txt"): ("unreadable_file", "missing.txt"),
    ("verify", "@/binary.txt"): ("not_utf8", "binary.txt"),
    ("verify", "@/bank.txt"): ("below_entry", "550"),
    ("verify", "@/broken.json"): ("not_json", "broken.json"),
    ("replay", "@/missing.txt"): ("unreadable_file", "missing.txt"),
    ("replay", "@/folder"): ("unreadable_file", "folder"),
    ("replay", "@/binary.txt"): ("not_utf8", "binary.txt"),
    ("replay", "@/empty.txt"): ("header_missing", "empty.txt"),
    ("replay", "@/header.txt"): ("header_missing", "rules"),
    ("replay", "@/token.txt"): ("bad_token", "oops"),
    ("replay", "@/bank.txt"): ("below_entry", "550"),
    ("replay", "@/broken.json"): ("not_json", "broken.json"),
    ("replay", "@/wrong.json"): ("json_wrong", "fingerprint"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("files")
    for name, content in FILES.items():
        if content is None:
            (made / name).mkdir()
        else:
            (made / name).write_bytes(content)
    return made


@pytest.mark.parametrize("typed", BAD, ids=" ".join)
def test_bad_input_is_refused_in_one_sentence(cli: Cli, folder: Path, typed: Sequence[str]) -> None:
    code, named = BAD[tuple(typed)]
    arguments = [word.replace("@", str(folder), 1) for word in typed]
    error = refused(cli(*arguments, "--json"), code)
    if "--lang" in typed:
        return
    english, french = cli(*arguments, "--lang", "en"), cli(*arguments, "--lang=fr")
    if code != "conflict":
        assert (english.status, english.out, english.err) == (2, "", f"{error['message']}\n")
        assert (french.status, french.out) == (2, "")
        assert french.err != english.err
        for sentence in (english.err, french.err):
            assert named.replace("'", "") in sentence
            assert sentence.count("\n") == 1
            assert re.search(r"[.?]$", sentence.rstrip())
            assert not re.search(r"[{}]|None|Traceback", sentence)


@pytest.mark.parametrize(
    ("name", "line", "column"),
    [("token.txt", 3, 16), ("bank.txt", 3, 16), ("header.txt", 1, 1), ("broken.json", 2, 14)],
)
def test_a_mistake_in_a_record_has_its_place(cli: Cli, folder: Path, name: str, line: int, column: int) -> None:
    error = cli("replay", str(folder / name), "--json").json["error"]
    assert (error["line"], error["column"]) == (line, column)
    assert f"line {line}, column {column}" in error["message"]


def test_a_mistake_in_a_rule_sheet_has_its_place(cli: Cli, folder: Path) -> None:
    error = cli("rules", str(folder / "syntax.toml"), "--json").json["error"]
    assert (error["line"], error["column"]) == (2, 7)


def test_a_failure_of_ours_is_said_in_one_sentence(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("cinqmille.cli.answers.odds", fail)
    result = cli("odds")
    assert (result.status, result.out, result.err.count("\n")) == (1, "", 1)
    assert "ZeroDivisionError: a fault" in result.err
    refused(cli("odds", "--json"), "internal", status=1)
    monkeypatch.setenv("CINQMILLE_DEBUG", "1")
    assert "Traceback" in cli("odds").err


def test_what_a_file_says_cannot_steer_the_terminal(cli: Cli, tmp_path: Path) -> None:
    sheet, record = tmp_path / "sheet.toml", tmp_path / "record.txt"
    sheet.write_text('title = "\\u001b[31mred"\nbase = "cinq-des"\n', encoding="utf-8")
    record.write_text("rules: cinq-des\nplayers: Ana, Ben\nAna: \x1b[31mred\n", encoding="utf-8")
    assert "\x1b" not in cli("rules", str(sheet)).out
    assert "\x1b" not in cli("replay", str(record)).err
    refused(cli("score", "1\n2", "x\ny", "--json"), "bad_dice")


# Languages


def test_the_language_is_given_anywhere_or_taken_from_the_locale(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    french = cli("score", "22346", "--lang", "fr").out
    assert "Lancer nul" in french
    for typed in (
        ("--lang", "fr", "score", "22346"),
        ("score", "--lang=fr", "22346"),
        ("--lang=en", "score", "22346", "--lang=fr"),
    ):
        assert cli(*typed).out == french
    monkeypatch.setenv("LC_ALL", "fr_CA.UTF-8")
    assert cli("score", "22346").out == french
    assert "bust" in cli("score", "22346", "--lang", "en").out


def sentences() -> Iterator[tuple[str, ...]]:
    """Every English sentence of the command, as the catalog's script finds them."""
    source = Path(cinqmille.__file__).parent / "cli"
    for _, _, found, _, _ in extract_from_dir(source, [("**.py", "python")], keywords={"say": (1,), "count": (1, 2)}):
        yield (found,) if isinstance(found, str) else tuple(found)


SAME_IN_BOTH = {"points", "POINTS", "chance", "total", "Options", "OPTIONS", "Arguments", "SHELL"}


def test_every_sentence_has_its_french() -> None:
    catalog = Words("fr")._catalog
    found = [forms for forms in sentences() if forms[0] not in SAME_IN_BOTH]
    assert len(found) > 60
    for forms in found:
        french = catalog.ngettext(*forms, 2) if len(forms) == 2 else catalog.gettext(forms[0])
        assert french != forms[-1]
        assert sorted(re.findall(r"{\w+}", french)) == sorted(re.findall(r"{\w+}", forms[-1]))
        assert not re.search(r"(?<! )[ ](?=[:;!?»])|«[ ]", french), "a no-break space is missing"


@pytest.mark.parametrize("page", [(), *((command,) for command in COMMANDS)], ids=" ".join)
def test_help_in_both_languages(cli: Cli, page: Sequence[str]) -> None:
    english, french = cli(*page, "--help"), cli(*page, "--help", "--lang", "fr")
    assert (english.status, english.err, french.status, french.err) == (0, "", 0, "")
    assert english.out.startswith("Usage: cinqmille")
    assert french.out.startswith("Utilisation\u00a0: cinqmille")
    assert cli(*page, "-h").out == english.out
    flat = " ".join(french.out.split())
    for form in (form for forms in sentences() for form in forms if form not in SAME_IN_BOTH):
        # Single words are keys of JSON too.
        parts = [re.escape(part.strip()) for part in re.split(r"{\w+}", form) if " " in part.strip()]
        assert not parts or not all(re.search(part, flat) for part in parts), form
    words_of_cyclopts = (
        r"Usage|Commands?\b|Parameters|default|required|choices|Display|message|version and|COMMAND\b|ARGS"
    )
    assert not re.search(words_of_cyclopts, re.sub(r"mean_best|--\S+", "", french.out))
    assert max(map(len, (english.out + french.out).splitlines())) <= 80


def test_help_lists_every_command(cli: Cli) -> None:
    page = cli("--help").out
    assert [word for word in COMMANDS if not re.search(rf"^  {word} ", page, re.MULTILINE)] == []


@pytest.mark.parametrize("columns", ["1", "30", "300"])
def test_pages_fit_the_terminal(cli: Cli, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for typed in (("--help",), ("score", "--help"), ("score", "222555", "--rules", "six-des"), ("odds",)):
        result = cli(*typed)
        assert result.status == 0
        assert max(map(len, result.out.splitlines())) <= max(int(columns), 80)


# Advice


def test_advice_by_scores_and_dice(cli: Cli) -> None:
    short = ("advise", "--scores", "500,700", "--me", "1", "--turn-points", "300", "--dice-left", "4")
    data = cli.data(*short)
    assert list(data) == ["plans", "exact", "reason"]
    assert [list(plan) for plan in data["plans"]] == [["keep", "then", "win", "turn_mean"]] * 2
    assert [(plan["keep"], plan["then"]) for plan in data["plans"]] == [(None, "roll"), (None, "bank")]
    assert (data["exact"], data["reason"]) == (True, None)
    assert data["plans"][1]["turn_mean"] == 300
    line = "scores=500/700 phase=decide points=300 left=4"
    assert cli.data("advise", "--position", f"{line} rules=cinq-des") == data
    assert cli.data("advise", "--position", line, "--rules", "cinq-des") == data


def test_advice_after_a_roll_tells_the_dice(cli: Cli) -> None:
    plans = cli.data("advise", "--scores", "500,700", "--me", "1", "--roll", "1 5 5 3 4")["plans"]
    assert {plan["keep"] for plan in plans} == {"1", "5", "15", "55", "155"}
    assert {plan["then"] for plan in plans} == {"bank", "roll"}
    assert [plan["win"] for plan in plans] == sorted((plan["win"] for plan in plans), reverse=True)


@pytest.mark.parametrize(
    ("line", "then"),
    [
        ("scores=1000/800 player=2 phase=start offer=550x2@1 rules=cinq-des(takeover=always)", {"takeover", "roll"}),
        (
            "scores=500/700 phase=decide points=300 left=2 rules=cinq-des(prediction=true)",
            {"bank", "roll", "announce 50", "announce 100", "announce 150", "announce 200"},
        ),
        ("scores=900/0 phase=choose left=5 roll=15534 rules=cinq-des(target=1000, exact=true)",
         {"bank", "roll", None}),
    ],
)  # fmt: skip
def test_what_then_is_a_plain_word(cli: Cli, line: str, then: set[str | None]) -> None:
    assert {plan["then"] for plan in cli.data("advise", "--position", line)["plans"]} == then


def test_an_estimate_says_why(cli: Cli) -> None:
    asked = ("advise", "--scores", "500,700,0,300", "--me", "3")
    data = cli.data(*asked)
    assert data["exact"] is False
    assert data["reason"].startswith("These chances are estimates: a whole game of 4 players")
    french = cli.data(*asked, "--lang", "fr")
    assert french["reason"].startswith("Ces chances sont des estimations")
    assert french["plans"] == data["plans"]


def test_advice_in_words(cli: Cli) -> None:
    asked = ("advise", "--scores", "500,700", "--me", "1", "--turn-points", "300", "--dice-left", "4")
    english, french = cli(*asked), cli(*asked, "--lang", "fr")
    assert (english.status, english.err, french.status, french.err) == (0, "", 0, "")
    assert "Roll 4 dice: 15.7% to lose everything on this roll (300 points)" in english.out
    assert "1.  relancer 4 dés" in french.out
    assert max(map(len, (english.out + french.out).splitlines())) <= 80


def test_what_short_options_leave_open_is_said(cli: Cli) -> None:
    rules = "cinq-des(target=1000, entry=200, scoreless_limit=3, takeover=always)"
    told = cli("advise", "--scores", "500,700", "--me", "1", "--rules", rules).out
    assert "Taken for granted: nobody has turns without points so far; no turn is there to be taken over." in (
        " ".join(told.split())
    )


@pytest.mark.parametrize(
    ("typed", "code", "named"),
    [
        ((), "option_missing", "--scores"),
        (("--scores", "500,700"), "option_missing", "--me"),
        (("--scores", "500,x", "--me", "1"), "bad_value", "'x'"),
        (("--scores", "500,", "--me", "1"), "bad_value", "--scores"),
        (("--scores", "500,700", "--me", "one"), "bad_value", "--me"),
        (("--scores", "500,700", "--me", "3"), "no_such_seat", "3"),
        (("--scores", "500,700", "--me", "0"), "no_such_seat", "0"),
        (("--scores", "500", "--me", "1"), "players_number", "1"),
        (("--scores", "-50,700", "--me", "1"), "score_below_floor", "50"),
        (("--scores", "510,700", "--me", "1"), "points_not_a_multiple", "510"),
        (("--scores", "500,5000", "--me", "1"), "score_has_won", "5,000"),
        (("--scores", "500,700", "--me", "1", "--roll", "22346"), "roll_is_bust", "22346"),
        (("--scores", "500,700", "--me", "1", "--roll", "15"), "roll_begins_turn", "15"),
        (("--scores", "500,700", "--me", "1", "--roll", "155341"), "too_many_dice", "155341"),
        (("--scores", "500,700", "--me", "1", "--roll", "1x5"), "bad_dice", "1x5"),
        (("--scores", "500,700", "--me", "1", "--dice-left", "3"), "points_at_risk_missing", "3"),
        (("--scores", "500,700", "--me", "1", "--turn-points", "300"), "dice_missing", "300"),
        (("--scores", "500,700", "--me", "1", "--turn-points", "1e3"), "bad_value", "1e3"),
        (
            ("--scores", "500,700", "--me", "1", "--turn-points", "300", "--roll", "155", "--dice-left", "2"),
            "wrong_number_of_dice",
            "155",
        ),
        (("--position", "scores=500/700 rules=cinq-des", "--me", "1"), "conflict", "--me"),
        (("--position", "scores=500/700 rules=cinq-des", "--rules", "six-des"), "conflict", "--rules"),
        (("--position", "scores=500/700"), "position_part_missing", "rules="),
        (("--position", "scores=5000/700 phase=over winners=1 rules=cinq-des"), "game_over", "over"),
        (("--scores", "500,700", "--me", "1", "--rules", "cinq"), "unknown_preset", "cinq"),
    ],
)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_advice_cannot_read_is_refused(cli: Cli, typed: tuple[str, ...], code: str, named: str, lang: str) -> None:
    result = cli("advise", *typed, "--json", "--lang", lang)
    assert result.status == 2
    error = result.json["error"]
    assert error["code"] == code
    assert result.err == error["message"] + "\n"
    if lang == "en":
        assert named in error["message"]


# The process


def test_version() -> None:
    assert re.fullmatch(r"cinqmille \d+\.\d+\.\d+\n", process("--version").out)


def test_alone_without_a_terminal_it_shows_its_help() -> None:
    assert process().out == process("--help").out


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of Unix")
@pytest.mark.parametrize("how_it_stops", ["Ctrl-C", "hangup"])
def test_alone_at_a_terminal_it_serves_the_game_until_it_is_stopped(tmp_path: Path, how_it_stops: str) -> None:
    changes = {"XDG_DATA_HOME": str(tmp_path), "BROWSER": "true"}
    child = pexpect.spawn(sys.executable, ["-m", "cinqmille"], env=environment(**changes), encoding="utf-8", timeout=30)
    child.expect(r"http://127\.0\.0\.1:\d+/")
    with urlopen(str(child.after)) as page:
        assert page.status == 200
    assert (tmp_path / "cinqmille" / "tables.sqlite3").exists()
    if how_it_stops == "Ctrl-C":
        child.sendintr()
        child.expect(pexpect.EOF)
    child.close()
    assert how_it_stops == "hangup" or child.exitstatus in (0, 130)


def test_a_reader_that_leaves_early_gets_no_traceback() -> None:
    command = [sys.executable, "-m", "cinqmille", "rules"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    with running, running.stderr:
        assert running.stderr.read() == b""
    assert running.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_a_failure_without_traceback() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "cinqmille", "odds"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=60, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("The answer cannot be written: ")


def test_control_c_leaves_without_traceback() -> None:
    command = [sys.executable, "-m", "cinqmille", "replay", "-"]
    running = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        # Whoever runs the tests in the background may have taught them to ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (130, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="shells of Unix")
def test_closed_streams_do_no_harm() -> None:
    line = f'"{sys.executable}" -m cinqmille score 15534'
    for closed in (">&-", "2>&-", "<&-"):
        assert subprocess.run(f"{line} {closed}", shell=True, capture_output=True, env=environment()).returncode == 0


@pytest.mark.parametrize(
    "changes",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
    ids=["ascii", "C locale"],
)
def test_a_terminal_without_accents_shows_plain_letters(changes: dict[str, str]) -> None:
    text = process("score", "22555", "--lang", "fr", changes=changes)
    assert (text.status, text.err) == (0, "")
    assert text.out.isascii()
    assert "Lancer 22555, regles cinq-des" in text.out
    assert "?" not in text.out
    data = process("rules", "--json", "--lang", "fr", changes=changes)
    assert data.out.isascii()
    assert data.json["presets"][0]["title"] == "5000 à cinq dés"
    assert process("scor", "--lang", "fr", changes=changes).err.isascii()
    assert 'title = "5000 à cinq dés"' in process("rules", "cinq-des", "--toml", "--lang", "fr", changes=changes).out


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are bytes on Unix only")
def test_arguments_that_are_no_text_are_refused() -> None:
    result = process("score", b"\xff15", "--json")
    refused(result, "bad_dice")
    assert process("replay", b"/nonexistent/\xff").status == 2


def test_the_light_commands_load_no_numbers_and_no_other_door() -> None:
    script = "import sys; from cinqmille.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    for typed in (["--help"], ["score", "15534"], ["replay", str(GAMES / "win-after-hot-dice.txt")]):
        done = subprocess.run([sys.executable, "-c", script, *typed], capture_output=True, text=True, env=environment())
        loaded = set(done.stderr.split())
        assert "cinqmille.cli" in loaded
        assert not {"numpy", "numba", "sqlalchemy", "cinqmille.terminal", "cinqmille.web"} & loaded


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_can_be_read_by_their_shells(cli: Cli, tmp_path: Path, shell: str) -> None:
    for lang in LANGUAGES:
        result = cli("completion", shell, "--lang", lang)
        assert (result.status, result.err) == (0, "")
        assert all(command in result.out for command in (*COMMANDS, "cinqmille"))
        script = tmp_path / f"completion.{lang}"
        script.write_text(result.out, encoding="utf-8")
        if shutil.which(shell):
            read = subprocess.run([shell, "-n", script], capture_output=True, env=environment())
            assert (read.returncode, read.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("sc", ["score"]), ("score 15534 --rules six", ["six-des"]), ("rules mai", ["maison.toml"])],
)
def test_completion_completes(cli: Cli, tmp_path: Path, typed: str, expected: list[str]) -> None:
    script = tmp_path / "completion.bash"
    script.write_text(cli("completion", "bash").out, encoding="utf-8")
    (tmp_path / "maison.toml").touch()
    words = f"cinqmille {typed}"
    ask = f"source {script}; COMP_WORDS=({words}); COMP_CWORD={words.count(' ')}; _cinqmille; echo ${{COMPREPLY[@]}}"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    found = subprocess.check_output(["bash", "-c", ask], text=True, cwd=tmp_path, env=environment(PATH=path))
    assert found.split() == expected


# The README


def examples() -> Iterator[list[str]]:
    """The commands of the README's table that answer at once."""
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    for line in re.findall(r"^\| `cinqmille (.+?)` \|", readme, re.MULTILINE):
        if not line.startswith("play"):
            file = DATA / "fair.txt" if line.startswith("verify") else GAMES / "win-after-hot-dice.txt"
            yield line.replace("FILE", str(file)).split()


@pytest.mark.parametrize("typed", list(examples()), ids=" ".join)
def test_the_examples_of_the_readme(cli: Cli, typed: Sequence[str]) -> None:
    result = cli(*typed)
    assert (result.status, result.err) == (0, "")
    assert result.out


TIDY = {
    "rules": ["cinq-des"], "score": ["15534"], "odds": [],
    "advise": ["--scores", "500,700", "--me", "1", "--turn-points", "300", "--dice-left", "4"],
    "solve": ["--rules", "cinq-des(target=500)"], "simulate": ["--bots", "steady,beginner", "--games", "20"],
    "replay": [str(GAMES / "win-after-hot-dice.txt")], "verify": [str(DATA / "fair.txt")], "tables": ["list"],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_json_answer_is_one_object_with_nothing_beside_it(command: str, tmp_path: Path) -> None:
    """Report C031: on a new machine, with all warnings on, where things are compiled, waited for and cleared away."""
    if command not in TIDY:
        assert "--json" not in process(command, "--help").out, "a command that answers in JSON belongs here"
        return
    changes = {
        "PYTHONWARNINGS": "always", "CINQMILLE_DEBUG": "1", "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_DATA_HOME": str(tmp_path / "data"), "NUMBA_CACHE_DIR": str(tmp_path / "compiled"),
    }  # fmt: skip
    if command == "tables":
        database = str(tmp_path / "tables.sqlite3")
        asyncio.run(_old_table(database))
        changes["CINQMILLE_DATABASE"] = database
        assert process("tables", "prune", "--days", "1", "--json", changes=changes).json["deleted"] == ["old"]
    for wrong, status in ((), 0), (("--wrong",), 2):
        result = process(command, *TIDY[command], *wrong, "--json", changes=changes)
        assert result.status == status, result.err
        assert ("error" in result.json) == bool(wrong)


async def _old_table(database: str) -> None:
    from cinqmille.store import Store

    store = await Store.open(database)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", lambda: 1_000_000_000.0)
        await store.create("old", "somebody", replay("rules: cinq-des\nplayers: Ana, Ben\ndice: real\nAna: =800\n"))
    await store.close()


def test_damaged_compiled_code_is_compiled_again(tmp_path: Path) -> None:
    compiled = tmp_path / "compiled"
    changes = {"NUMBA_CACHE_DIR": str(compiled), "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "cinqmille", "solve", "--rules", "cinq-des(target=500)", "--fresh", "--json"]

    def solved() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(command, capture_output=True, text=True, env=environment(**changes), check=False)

    before = solved()
    assert before.returncode == 0, before.stderr
    files = sorted(compiled.rglob("*.nbi"))
    assert files
    for file in files:
        file.write_bytes(b"\x11 damaged")
    after = solved()
    assert after.returncode == 0, after.stderr
    assert json.loads(after.stdout)["win"] == json.loads(before.stdout)["win"]
