"""The terminal game as a process: in a pipe, on a terminal of 80 columns, interrupted, and killed."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pexpect
import pytest

from cinqmille.actions import Roll
from cinqmille.plaintext import cells
from cinqmille.record import Game
from cinqmille.terminal.recordfile import BUSY
from cinqmille.words import LANGUAGES, Words
from sessions import squeezed

PLAY = [sys.executable, "-m", "cinqmille", "play"]


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A user who has never played, with everything in a folder of the test."""
    monkeypatch.chdir(tmp_path)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHONIO"))}
    return kept | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "LANG": "en_US.UTF-8"}


def run(typed: str, *options: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*PLAY, *options], input=typed, env=env, capture_output=True, encoding="utf-8", errors="replace", timeout=60
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


# A pipe


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_command_is_a_whole_game(tmp_path: Path, env: dict[str, str], lang: str) -> None:
    typed = "cinq-des(target=1000, entry=0)\nAna, Robot=steady:300\nseed 3\n" + "\nall b\n" * 60
    done = run(typed, "--lang", lang, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert squeezed(Words(lang).say("The whole game is in:")) in squeezed(done.stdout)
    (record,) = (tmp_path / "data" / "cinqmille" / "games").glob("*.txt")
    assert Game.parse(record.read_text()).position.phase == "over"


def test_an_output_that_nobody_reads(tmp_path: Path, env: dict[str, str]) -> None:
    record = tmp_path / "g.txt"
    command = " ".join([*PLAY, str(record), "--rules", "cinq-des", "--players", "Ana,Ben", "--dice", "real"])
    lines = "printf '900\\n%.0s' $(seq 1 2000)"
    done = subprocess.run(
        ["bash", "-c", f"{lines} | {command} | head -n 3"], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert Game.parse(record.read_text()).players == ("Ana", "Ben")


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full"])
def test_closed_and_full_streams(tmp_path: Path, env: dict[str, str], redirection: str) -> None:
    record = tmp_path / "g.txt"
    command = " ".join([*PLAY, str(record), "--rules", "cinq-des", "--players", "Ana,Ben", "--dice", "real"])
    done = subprocess.run(
        ["bash", "-c", f"printf '900\\n800\\n' | {command} {redirection}"],
        env=env, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == (1 if "full" in redirection else 0)
    assert Game.parse(record.read_text()).players == ("Ana", "Ben")


def test_a_terminal_without_utf8(tmp_path: Path, env: dict[str, str]) -> None:
    done = run(
        "regles\n5000\nfix 1 4000\n", "--lang", "fr", "--rules", "six-des", "--players", "Zoë,王", "--dice", "real",
        env=env | {"PYTHONIOENCODING": "ascii", "LANG": "C"},
    )  # fmt: skip
    assert done.returncode == 0
    assert "A Zo" in done.stdout


def test_two_processes_at_one_game(tmp_path: Path, env: dict[str, str]) -> None:
    record = str(tmp_path / "g.txt")
    options = [record, "--rules", "cinq-des", "--players", "Ana,Ben", "--dice", "real", "--lang", "en"]
    with subprocess.Popen([*PLAY, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as first:
        assert first.stdout is not None
        assert first.stdin is not None
        first.stdout.readline()
        second = run("900\n", record, "--lang", "en", env=env)
        assert (second.returncode, second.stdout) == (2, "")
        assert BUSY in second.stderr
        first.kill()
    third = run("900\n", record, env=env)
    assert third.returncode == 0, "the lock of a killed process holds nobody up"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["g.txt"]


# A terminal

SETUP_FR = ["", "Élodie-Marguerite de la Tour du Pin, 王小明, Robot=steady:200", ""]


def _hears_ctrl_c() -> None:
    """Tests that run in the background were told to ignore it, and their children with them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def spawned(*options: str, env: dict[str, str], pause: float = 0.0) -> pexpect.spawn[str]:
    start = (
        "import sys; from cinqmille import terminal; from cinqmille.cli import main; play = terminal.play; "
        f"terminal.play = lambda **given: play(pause={pause}, **given); sys.exit(main({['play', *options]!r}))"
    )
    child: pexpect.spawn[str] = pexpect.spawn(
        sys.executable, ["-c", start], env=env, dimensions=(24, 80), encoding="utf-8", timeout=30,
        preexec_fn=_hears_ctrl_c,
    )  # fmt: skip
    child.delaybeforesend = None
    return child


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_whole_game_on_a_terminal_of_80_columns(tmp_path: Path, env: dict[str, str], lang: str) -> None:
    child = spawned("--lang", lang, env=env)
    shown = ""
    answers = iter(["cinq-des(target=2000, entry=0, takeover=always, prediction=true)", *SETUP_FR[1:]])
    for turn in range(400):
        found = child.expect([r"\]\s?: $", r"> $", pexpect.EOF])
        shown += f"{child.before or ''}{child.after if isinstance(child.after, str) else ''}"
        if found == 2:
            break
        typed = next(answers, "") if found == 0 else ["", "all b", "r", "#1", "?50", "why"][turn % 6]
        child.sendline(typed)
    child.close()
    assert child.exitstatus == 0
    lines = shown.replace("\r\n", "\n").split("\n")
    # What is typed stands after its prompt, and a path is never broken.
    assert max(cells(line) for line in lines if not re.search(r"\]\s?: |^/", line)) <= 80
    assert squeezed(Words(lang).say("The whole game is in:")) in squeezed(shown)
    assert "Traceback" not in shown


def test_a_bot_leaves_time_to_read_on_a_terminal(tmp_path: Path, env: dict[str, str]) -> None:
    options = ("--rules", "cinq-des(target=2000)", "--dice", "seed 1", "--lang", "en", str(tmp_path / "g"))
    began = time.monotonic()
    child = spawned("--players", "Uno=steady:300,Duo=steady:300", *options, env=env, pause=0.02)
    child.expect(pexpect.EOF)
    child.close()
    rolls = sum(isinstance(action, Roll) for action in Game.parse((tmp_path / "g").read_text()).actions)
    assert time.monotonic() - began > 0.02 * rolls


@pytest.mark.parametrize("key", ["\x03", "\x04"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_ctrl_c_and_ctrl_d_save_and_leave(tmp_path: Path, env: dict[str, str], key: str, lang: str) -> None:
    record = tmp_path / "my game.txt"
    child = spawned(
        str(record), "--rules", "cinq-des", "--players", "Ana,Ben", "--dice", "real", "--lang", lang, env=env
    )
    child.expect("Ana> ")
    child.sendline("900")
    child.expect("Ben> ")
    child.send(key)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert squeezed(Words(lang).say("The game is saved. To go on:")) in squeezed(child.before or "")
    assert f"cinqmille play '{record}'" in (child.before or "").replace("\r\n", "")
    assert Game.parse(record.read_text()).position.scores == (900, 0)


def test_unfinished_games_are_offered(tmp_path: Path, env: dict[str, str]) -> None:
    for _ in range(2):
        child = spawned("--lang", "en", env=env)
        if child.expect([r"Rules \[.*\]: ", "Enter for a new game: "]) == 0:
            child.sendline("")
            child.sendline("Ana, Ben")
            child.sendline("2")
            child.sendline("900")
        else:
            child.sendline("1")
        child.expect("Ben> ")
        child.terminate(force=True)
    assert len(list((tmp_path / "data" / "cinqmille" / "games").glob("*.txt"))) == 1


# Killed at any moment


class Driven:
    """A game in a process that can be killed; what it acknowledged is written down here, outside of it."""

    def __init__(self, record: Path, env: dict[str, str], *options: str) -> None:
        self.process = subprocess.Popen(
            [*PLAY, str(record), "--lang", "en", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, bufsize=0,
        )  # fmt: skip
        self._shown = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while chunk := self.process.stdout.read(4096):
            self._shown += chunk

    @property
    def shown(self) -> str:
        return self._shown.decode("utf-8", errors="replace")

    def wait_for(self, count: int, pattern: str) -> None:
        deadline = time.monotonic() + 30
        while len(re.findall(pattern, self.shown)) < count:
            if time.monotonic() > deadline:
                pytest.fail(f"{pattern} was awaited {count} times: {self.kill()[-500:]}")
            time.sleep(0.0005)

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())

    def kill(self) -> str:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._reader.join()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        assert "Traceback" not in self.shown
        return self.shown


GIVEN = ("--rules", "cinq-des(entry=0, target=500000)", "--players", "Ana,Ben")
PROMPT = r"(?m)^(?:Ana|Ben)> "


@pytest.mark.slow
def test_typed_points_survive_every_kill(
    tmp_path: Path, env: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Points are typed as fast as they go, the process dies at a random moment: what was acknowledged is there."""
    record = tmp_path / "game.txt"
    chance = random.Random(5)
    acknowledged, typed = 0, 0
    kills, in_flight, half_written = 30, 0, 0
    for _ in range(kills):
        driven = Driven(record, env, *GIVEN, "--dice", "real")
        driven.wait_for(1, PROMPT)
        sent = chance.randrange(1, 12)
        for number in range(sent):
            driven.wait_for(number + 1 if chance.random() < 0.7 else 1, PROMPT)
            driven.type(str(50 * (1 + (typed + number) % 97)))
        time.sleep(chance.random() * 0.012)
        told = len(re.findall(r"banks [\d,]+: ", driven.kill()))
        game = Game.parse(record.read_text(encoding="utf-8"))
        stored = len(game.turns())
        assert acknowledged + told <= stored <= acknowledged + sent
        assert [turn.text for turn in game.turns()] == [f"={50 * (1 + number % 97)}" for number in range(stored)]
        in_flight += told < sent
        half_written += record.with_name(".game.txt.new").exists()
        acknowledged = typed = stored
    with capsys.disabled():
        print(
            f"\n{kills} kills, {in_flight} with entries typed but not acknowledged, {half_written} in the middle of a "
            f"write; {typed} entries stored, none lost"
        )
    assert in_flight


@pytest.mark.slow
@pytest.mark.parametrize("dice", ["system", "seed 7"])
def test_drawn_dice_survive_every_kill(
    tmp_path: Path, env: dict[str, str], dice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every roll that was shown is in the file (case C014), whenever the process dies; none is rolled again."""
    record = tmp_path / "game.txt"
    chance = random.Random(6)
    before: list[str] = []
    kills, in_flight = 20, 0
    for _ in range(kills):
        driven = Driven(record, env, *GIVEN, "--dice", dice)
        driven.wait_for(1, PROMPT)
        for number in range(chance.randrange(1, 12)):
            driven.wait_for(number + 1 if chance.random() < 0.7 else 1, PROMPT)
            driven.type(("", "all r")[number % 2])
        time.sleep(chance.random() * 0.012)
        shown = [roll.replace(" ", "") for roll in re.findall(r"(?:Ana|Ben) rolls ([1-6 ]+)\.", driven.kill())]
        game = Game.parse(record.read_text(encoding="utf-8"))
        stored = [str(action) for action in game.actions if isinstance(action, Roll)]
        assert stored[: len(before)] == before
        assert stored[len(before) : len(before) + len(shown)] == shown
        in_flight += len(stored) > len(before) + len(shown)
        before = stored
    with capsys.disabled():
        print(f"\n{kills} kills, {in_flight} between storing a roll and showing it; {len(before)} rolls, none lost")


def test_a_write_that_was_cut_off_is_passed_over(tmp_path: Path, env: dict[str, str]) -> None:
    record = tmp_path / "game.txt"
    run("900\n", str(record), *GIVEN, "--dice", "real", env=env)
    shutil.copy(record, tmp_path / ".game.txt.new")
    (tmp_path / ".game.txt.new").write_text("rules: cinq-d")
    (tmp_path / ".game.txt.lock").write_text("")
    run("800\n", str(record), env=env)
    assert Game.parse(record.read_text()).position.scores == (900, 800)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["game.txt"]
