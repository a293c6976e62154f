"""The commands ``solve`` and ``simulate`` as they are typed: numbers, JSON keys to the letter, refusals, both languages
and what is said while they work.
"""

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pexpect
import pytest

from cinqmille import Rules, simulate, solve
from cinqmille.cli import main
from cinqmille.simulation import tournament
from results import Result

QUICK = "cinq-des(target=500, entry=100)"
BOTS = "steady:350,steady:500"
SOLVED = ["rules", "players", "win", "residual", "passes", "seconds", "exact", "stored"]
PLAYED = ["rules", "bots", "games", "seed", "seconds", "turns"]
ONE_BOT = ["bot", "wins", "win_rate", "interval", "mean_turns", "mean_points", "busts"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder of the user."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "cinqmille" / "solutions"


@dataclass(frozen=True)
class Cli:
    """Calls ``main`` in this process, in English."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> Result:
        self.capsys.readouterr()
        status = main(arguments)
        out, err = self.capsys.readouterr()
        return Result(status, out, err)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, cache: Path) -> Cli:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    return Cli(capsys)


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHONIO"))}
    return {**kept, "COLUMNS": "80", "LC_ALL": "C.UTF-8", **changes}


def process(*arguments: str, **changes: str) -> Result:
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "cinqmille", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=120, env=environment(changes))
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


# Solve


def test_solve_has_these_keys_and_the_solved_numbers(cli: Cli) -> None:
    data = cli("solve", "--rules", QUICK, "--json").json
    assert list(data) == SOLVED
    rules = Rules.parse(QUICK)
    assert (data["rules"], data["players"]) == (rules.canonical, 2)
    assert data["win"] == list(solve(rules).win)
    assert sum(data["win"]) == pytest.approx(1.0)
    assert data["residual"] < 1e-12
    assert data["passes"] > 0
    assert 0 < data["seconds"] < 60
    assert data["exact"] is True
    assert data["stored"] == "solved"


def test_solve_tells_where_the_numbers_are_from_and_fresh_solves_again(cli: Cli, cache: Path) -> None:
    typed = ("solve", "--rules", QUICK, "--json")
    first, second, third = cli(*typed).json, cli(*typed).json, cli(*typed, "--fresh").json
    assert [one["stored"] for one in (first, second, third)] == ["solved", "cached", "solved"]
    assert {**second, "stored": "solved"} == {**first, "seconds": round(first["seconds"], 3)}
    assert third["win"] == first["win"]
    assert cli("solve", "--json").json["stored"] == "shipped"


def test_solve_knows_the_published_value(cli: Cli) -> None:
    for more in ([], ["--fresh"]):
        data = cli("solve", *more, "--json").json
        assert data["win"][0] == pytest.approx(0.525753384, abs=1e-9)
        assert data["residual"] < 1e-12


@pytest.mark.parametrize("players", [3, 4])
def test_solve_takes_more_players(cli: Cli, players: int) -> None:
    data = cli("solve", "--rules", "cinq-des(target=300, entry=100)", "--players", str(players), "--json").json
    assert list(data) == SOLVED
    assert data["players"] == len(data["win"]) == players
    assert data["win"] == sorted(data["win"], reverse=True)
    assert (
        cli("solve", "--rules", "cinq-des(target=300, entry=100)", "--players", str(players), "--json").json["stored"]
        == "cached"
    )


def test_solve_reads_well_in_both_languages(cli: Cli) -> None:
    english = cli("solve").out
    assert re.search(r"^ +1 +52\.5753%$", english, re.MULTILINE)
    assert re.search(r"^ +2 +47\.4247%$", english, re.MULTILINE)
    assert "It comes with the program" in english
    french = cli("solve", "--lang", "fr").out
    assert re.search("^ +1 +52,5753\u202f%$", french, re.MULTILINE)
    assert "Livré avec le programme" in french
    assert cli("solve", "--rules", QUICK).out.endswith("s, and kept for the next time.\n")


def test_solve_says_so_where_nothing_can_be_kept(cli: Cli, cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_text("a file where the folder should be")
    assert cli("solve", "--rules", QUICK, "--json").json["stored"] == "unkept"
    assert "it could not be kept" in cli("solve", "--rules", QUICK).out


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        (["--rules", "cinq-des(strike=true)"], "not_solvable", "strike=true remembers whole histories"),
        (["--rules", "cinq-des(takeover=always)", "--players", "3"], "not_solvable_many", "because of takeover=always"),
        (["--rules", "six-des", "--players", "4"], "not_solvable_many", "ending=last_turns"),
        (["--players", "8"], "solution_exceeds_memory", "states need 560,000,000 GB"),
        (["--players", "4"], "long_solve", "100,000,000 states and takes 2.40 GB of memory"),
        (["--players", "9"], "players_number", "not 9"),
        (["--players", "1"], "players_number", "not 1"),
        (["--players", "two"], "bad_value", "--players cannot be 'two': it is a whole number"),
        (["--rules", "nothing"], "unknown_preset", "'nothing'"),
    ],
)  # fmt: skip
def test_solve_refuses_in_one_sentence(cli: Cli, typed: Sequence[str], code: str, said: str) -> None:
    for lang in ("en", "fr"):
        plain = cli("solve", *typed, "--lang", lang)
        assert (plain.status, plain.out) == (2, "")
        assert plain.err.count("\n") == 1
        assert said in plain.err or lang == "fr"
        asked = cli("solve", *typed, "--lang", lang, "--json")
        assert asked.status == 2
        assert asked.json["error"]["code"] == code
        assert asked.json["error"]["message"] + "\n" == asked.err == plain.err


def test_a_solve_of_some_seconds_tells_its_cost_before(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cinqmille.cli.solving.effort", lambda rules, players: 500.0)
    result = cli("solve", "--rules", "cinq-des(target=300, entry=100)", "--players", "3")
    assert "3 players: 216 states, 0.00 GB of memory, about 0.14 hours." in " ".join(result.err.split())
    monkeypatch.setattr("cinqmille.cli.solving.effort", lambda rules, players: 7000.0)
    result = cli("solve", "--rules", "cinq-des(target=250, entry=100)", "--players", "3")
    assert (result.status, "about 1.94 hours: add --long" in result.err) == (2, True)
    assert cli("solve", "--rules", "cinq-des(target=250, entry=100)", "--players", "3", "--long").status == 0


def test_compiling_is_told_once_and_only_where_it_happens(tmp_path: Path) -> None:
    places = {"NUMBA_CACHE_DIR": str(tmp_path / "numba"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    first = process("solve", "--rules", QUICK, "--json", **places)
    assert first.status == 0
    assert first.err == "Compiling the kernels: this happens once and takes about 10 seconds.\n"
    assert first.json["seconds"] < 1.0
    second = process("solve", "--rules", QUICK, "--json", "--fresh", **places)
    assert (second.err, second.json["win"]) == ("", first.json["win"])


def _on_a_terminal(script: str) -> str:
    child = pexpect.spawn(sys.executable, ["-c", script], env=environment({"TERM": "xterm"}), encoding="utf-8")
    child.expect(pexpect.EOF)
    return str(child.before)


def test_on_a_terminal_long_work_is_drawn_as_a_bar_that_goes(cache: Path, tmp_path: Path) -> None:
    script = (
        "import sys, time; from cinqmille.cli.waiting import waiting; from cinqmille.words import Words\n"
        "with waiting('Solving', Words('en')) as progress:\n"
        " for part in range(11): progress(part / 10); time.sleep(0.12)\n"
        "print('done')"
    )
    drawn, still = (_on_a_terminal(text) for text in (script, script.replace("0.12", "0.0")))
    assert re.search(r"Solving.*100%", drawn, re.DOTALL)
    assert drawn.rstrip().endswith("done")
    assert still.rstrip() == "done"


# Simulate


def test_simulate_has_these_keys_and_the_numbers_of_the_library(cli: Cli) -> None:
    data = cli("simulate", "--bots", BOTS, "--games", "2000", "--seed", "7", "--json").json
    assert list(data) == PLAYED
    report = simulate(Rules.parse("cinq-des"), BOTS.split(","), games=2000, seed=7)
    assert (data["games"], data["seed"], data["turns"]) == (2000, 7, report.turns)
    assert [list(one) for one in data["bots"]] == [ONE_BOT, ONE_BOT]
    for told, one in zip(data["bots"], report.bots, strict=True):
        assert told == {key: getattr(one, key) if key != "interval" else list(one.interval) for key in ONE_BOT}


def test_simulate_tells_all_that_was_counted_where_details_are_asked(cli: Cli) -> None:
    typed = ("simulate", "--bots", BOTS, "--games", "500", "--seed", "7", "--rotate", "--details")
    report = simulate(Rules.parse("cinq-des"), BOTS.split(","), games=500, seed=7, rotate=True)
    data = cli(*typed, "--json").json
    expected = json.loads(json.dumps(report.to_json()))
    assert {**data, "seconds": 0} == {**expected, "seconds": 0}
    text = cli(*typed).out
    assert all(word in text for word in ("seat", "opens in turn", "best turn"))
    assert "opens in turn" not in cli(*typed[:-1]).out


def test_simulate_gives_a_table_for_spreadsheets(cli: Cli) -> None:
    result = cli("simulate", "--bots", BOTS, "--games", "500", "--seed", "7", "--csv")
    report = simulate(Rules.parse("cinq-des"), BOTS.split(","), games=500, seed=7)
    assert result.out == report.to_csv()
    assert [row["bot"] for row in csv.DictReader(io.StringIO(result.out))] == BOTS.split(",")


def test_simulate_reads_well_in_both_languages(cli: Cli) -> None:
    report = simulate(Rules.parse("cinq-des"), BOTS.split(","), games=12_000, seed=7)
    rate = 100 * report.bots[0].win_rate
    typed = ("simulate", "--bots", BOTS, "--games", "12000", "--seed", "7")
    english, french = cli(*typed).out, cli(*typed, "--lang", "fr").out
    assert re.search(rf"^  steady:350 +{rate:.2f}%", english, re.MULTILINE)
    assert re.search(rf"^  steady:350 +{f'{rate:.2f}'.replace('.', ',')}\u202f%", french, re.MULTILINE)
    assert "12,000 games" in english
    assert "12\u202f000 parties" in french
    assert all(len(line) <= 80 for line in (english + french).splitlines())


def test_a_tournament_is_every_bot_against_every_other(cli: Cli) -> None:
    bots = [*BOTS.split(","), "steady:200"]
    typed = ("simulate", "--bots", ",".join(bots), "--games", "400", "--seed", "5", "--tournament")
    table = tournament(Rules.parse("cinq-des"), bots, games_per_pair=400, seed=5)
    data = cli(*typed, "--json").json
    assert list(data) == ["rules", "bots", "win_rates", "standings", "games_per_pair", "seed", "seconds"]
    assert data["bots"] == bots
    assert data["win_rates"] == json.loads(json.dumps(table.win_rates))
    assert [one["bot"] for one in data["standings"]] == [one.bot for one in table.standings]
    assert cli(*typed, "--csv").out == table.to_csv()
    assert len(cli(*typed, "--details", "--json").json["matches"]) == 3
    assert "How often the bot of the row" in cli(*typed).out
    assert "Combien de fois" in cli(*typed, "--lang", "fr").out


def test_without_a_seed_the_answer_tells_one_that_gives_the_same_games(cli: Cli) -> None:
    data = cli("simulate", "--bots", BOTS, "--games", "300", "--json").json
    again = cli("simulate", "--bots", BOTS, "--games", "300", "--seed", str(data["seed"]), "--json").json
    assert {**again, "seconds": 0} == {**data, "seconds": 0}
    assert cli("simulate", "--bots", BOTS, "--games", "300", "--json").json["seed"] != data["seed"]


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        (["--bots", "steady"], "players_number", "not 1"),
        (["--bots", "steady,nobody"], "unknown_bot", "'nobody'"),
        (["--bots", "steady,"], "unknown_bot", "''"),
        (["--bots", ",".join(["steady"] * 9)], "players_number", "not 9"),
        (["--bots", BOTS, "--games", "0"], "bad_number", "games cannot be '0'"),
        (["--bots", BOTS, "--games", "many"], "bad_value", "--games cannot be 'many'"),
        (["--bots", BOTS, "--games", "1.5"], "bad_value", "'1.5'"),
        (["--bots", BOTS, "--seed", "-1"], "bad_number", "seed cannot be '\u22121'"),
        (["--bots", BOTS, "--workers", "0"], "bad_number", "workers cannot be '0'"),
        (["--bots", BOTS, "--tournament", "--rotate"], "conflict", "--rotate and --tournament"),
        (["--bots", BOTS, "--csv"], "conflict", "--csv and --json"),
        ([], "value_missing", "--bots needs a value"),
    ],
)  # fmt: skip
def test_simulate_refuses_in_one_sentence(cli: Cli, typed: Sequence[str], code: str, said: str) -> None:
    result = cli("simulate", *typed, "--json")
    assert result.status == 2
    assert result.json["error"]["code"] == code
    assert said in result.err
    assert result.err.count("\n") == 1


def test_bots_that_the_kernel_does_not_play_work_in_processes_from_the_command(cache: Path) -> None:
    typed = ("simulate", "--bots", "steady,steady:500", "--games", "620", "--seed", "3", "--json")
    rules = "cinq-des(takeover=always)"
    result = process(*typed, "--rules", rules, "--workers", "2")
    assert (result.status, result.err) == (0, "")
    report = simulate(Rules.parse(rules), ["steady", "steady:500"], games=620, seed=3, workers=1)
    assert report.engine == "core"
    assert result.json["turns"] == report.turns
