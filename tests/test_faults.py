"""Nothing acknowledged is lost, whatever dies: a short version of ``bench/faults.py``, and that it can fail."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from faults import EARLY, FULL, changed, crashing, filling, killing, stormed

from network import Server
from postgres import Postgres

pytestmark = pytest.mark.slow


def test_a_server_that_is_killed_again_and_again_loses_nothing(tmp_path: Path) -> None:
    storm = stormed([Server(tmp_path, f"sqlite:///{tmp_path / 'tables'}")], tmp_path, 8, 1, killing(2.5, 1))
    assert storm.found == []
    assert storm.counts["kills"] >= 2
    assert storm.counts["records that the referee and the dice confirm"] == 8


def test_servers_that_share_a_database_are_killed_and_lose_nothing(tmp_path: Path, postgres: Postgres) -> None:
    database = postgres.new()
    storm = stormed([Server(tmp_path, database), Server(tmp_path, database)], tmp_path, 3, 2, killing(3, 2))
    assert storm.found == []
    assert storm.counts["kills"] >= 2


def test_a_database_that_crashes_takes_nothing_along(tmp_path: Path, postgres: Postgres) -> None:
    database = postgres.new()
    servers = [Server(tmp_path, database), Server(tmp_path, database)]
    storm = stormed(servers, tmp_path, 2, 1, crashing(postgres, 3))
    assert storm.found == []
    assert storm.counts["crashes of the database"] >= 1


def test_without_room_on_the_disk_nothing_is_acknowledged_and_with_room_it_goes_on(tmp_path: Path) -> None:
    full = tmp_path / "full"
    server = Server(tmp_path, f"sqlite:///{tmp_path / 'tables'}", changed(FULL), more={"FULL": str(full)})
    storm = stormed([server], tmp_path, 8, 4, filling(full, 1.5))
    assert storm.found == []
    assert storm.counts["answered 503"] > 0


def test_a_server_that_answers_before_it_stores_is_found_out(tmp_path: Path) -> None:
    server = Server(tmp_path, f"sqlite:///{tmp_path / 'tables'}", changed(EARLY))
    storm = stormed([server], tmp_path, 8, 1, killing(2, 1))
    assert any("missing" in what or "another one" in what for what in storm.found)
