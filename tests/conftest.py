"""How hypothesis searches: the same examples in every run, so that a red test is never a matter of luck.

``HYPOTHESIS_PROFILE=long`` searches far more, and elsewhere each time.
"""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from postgres import database, postgres  # noqa: F401 (fixtures for every test)

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=5_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a game can be kept; nothing goes to the user's folder or this one, and nothing waits for the disk."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
    return tmp_path / "game.txt"
