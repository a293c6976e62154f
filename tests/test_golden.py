"""Golden data: every preset has a census of its rolls and a whole recorded game, and both are as they were.

A difference is a change of a published rule sheet or of the engine: read it, then run scripts/golden.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import referee

from cinqmille import PRESETS, replay

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "data" / "golden"


def test_every_preset_has_its_census_and_its_game_and_nothing_else_does() -> None:
    expected = {f"{name}.{kind}.txt" for name in PRESETS for kind in ("census", "game")}
    assert {path.name for path in FOLDER.iterdir()} == expected


def test_the_golden_files_are_what_the_engine_makes_today() -> None:
    made = subprocess.run([sys.executable, ROOT / "scripts" / "golden", "--print"], capture_output=True, check=True)
    files = re.split(r"^== (.*)\n", made.stdout.decode(), flags=re.MULTILINE)[1:]
    for name, content in zip(files[::2], files[1::2], strict=True):
        assert (FOLDER / name).read_text(encoding="utf-8") == content, name


@pytest.mark.parametrize("name", list(PRESETS))
def test_the_recorded_game_of_a_preset_ends_as_the_referee_says(name: str) -> None:
    text = (FOLDER / f"{name}.game.txt").read_text(encoding="utf-8")
    game, judged = replay(text), referee.referee(text)
    assert game.text.split("\n", 2)[0] == f"rules: {name}"
    assert list(game.position.scores) == judged["scores"]
    assert [game.players[seat] for seat in game.position.winners] == judged["winners"] != []
    told = ", ".join(f"{player} {score}" for player, score in zip(game.players, judged["scores"], strict=True))
    assert told in text.splitlines()[0]
