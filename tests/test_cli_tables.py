"""The operator's command: tables are listed and deleted in either database, in both languages, without any secret."""

import asyncio
import json
import re
import time
from pathlib import Path

import pytest

from cinqmille.actions import Points
from cinqmille.record import Game
from cinqmille.rules import PRESETS
from cinqmille.store import BEGAN, Entry, Store
from cinqmille.store.database import address_of, shown
from postgres import PASSWORD
from test_cli import Cli, cli, refused

__all__ = ["cli"]  # the fixture

DAY = 24 * 3600
KEY = "5e" * 32
OLD = time.time() - 40 * DAY


def filled(database: str) -> None:
    """A local table, and shared ones: one where people gather, one that is played, one that is over."""

    async def work() -> None:
        store = await Store.open(database)
        game = Game.new(PRESETS["cinq-des"], ("Ana", "Zoé"), {"dice": "real"})
        await store.create("screen", "device", game)
        await store.append("screen", 1, game, game.play(Points(800)))
        seats = [{"name": "Host", "bot": "", "key": KEY}]
        for id in ("gathering", "playing", "-over"):
            opening = {"rules": "cinq-des", "seats": seats, "secret": KEY}
            await store.put(id, "device", json.dumps(opening))
            changes = [
                ("joined", {"name": "Léa\x1b[31m", "key": KEY}),
                ("joined", {"name": "Max", "key": KEY}),
                ("left", {"left": 2}),
                ("bot", {"name": "Robot", "bot": "steady"}),
            ]
            if id != "gathering":
                changes.append((BEGAN, {}))
            for number, (kind, data) in enumerate(changes, start=1):
                entry = Entry(number, OLD if id != "playing" else time.time(), None, "", kind, json.dumps(data))
                await store.write(id, entry, over=id == "-over" and number == len(changes))
        await store.put("foreign", "device", '{"written by": "another version"}')
        await store.close()

    asyncio.run(work())


def test_every_table_is_listed(cli: Cli, database: str) -> None:
    filled(database)
    data = cli.data("tables", "list", "--database", database)
    assert list(data) == ["database", "tables"]
    assert data["database"] == shown(address_of(database))
    rows = {row["id"]: row for row in data["tables"]}
    assert [row["id"] for row in data["tables"]][:2] in (["foreign", "playing"], ["foreign", "screen"])
    assert {id: (row["kind"], row["stage"], row["entries"]) for id, row in rows.items()} == {
        "screen": ("local", "playing", 1),
        "gathering": ("online", "unbegun", 4),
        "playing": ("online", "playing", 5),
        "-over": ("online", "over", 5),
        "foreign": ("online", "unbegun", 0),
    }
    assert rows["screen"]["players"] == ["Ana", "Zoé"]
    assert rows["playing"]["players"] == ["Host", "Léa\x1b[31m", "Robot"]
    assert rows["foreign"]["players"] == []
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["played"]) for row in rows.values())
    assert list(rows["screen"]) == ["id", "kind", "stage", "players", "opened", "played", "entries"]


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "5 tables.*being played, online"), ("fr", "5 tables.*en cours, en ligne")]
)
def test_the_list_can_be_read_and_tells_no_secret(cli: Cli, database: str, lang: str, words: str) -> None:
    filled(database)
    result = cli("tables", "list", "--database", database, "--lang", lang)
    assert (result.status, result.err) == (0, "")
    assert re.search(words, result.out, re.DOTALL)
    assert "Host, Léa" in result.out
    assert "\x1b" not in result.out, "a name cannot steer the terminal"
    for secret in (KEY, PASSWORD, PASSWORD.partition(":")[0], "device"):
        assert secret not in result.out


def test_moments_are_in_utc_wherever_the_server_is(cli: Cli, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Report C077: a game that is played at 23:50 is of one day, in text as in JSON."""
    filled(database)
    for zone in ("Pacific/Kiritimati", "America/Adak", "UTC"):  # 14 hours before UTC, and 10 behind
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        text = cli("tables", "list", "--database", database).out
        assert "last played (UTC)" in text
        for row in cli.data("tables", "list", "--database", database)["tables"]:
            assert re.search(rf"{re.escape(row['id'])} +{row['played'][:10]} {row['played'][11:16]} ", text), zone
            assert row["played"].endswith("Z")
    monkeypatch.undo()
    time.tzset()


def test_one_table_is_deleted_by_name(cli: Cli, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(database)
    monkeypatch.setenv("CINQMILLE_DATABASE", database)
    told = cli("tables", "delete", "playing")
    assert (told.status, told.err) == (0, "")
    assert " ".join(told.out.split()).startswith(f"Deleted from {shown(address_of(database))}: table playing,")
    refused(cli("tables", "delete", "playing", "--json"), "no_such_table")
    told = cli("tables", "--database", database, "delete", "--json", "--", "-over")
    assert told.json["deleted"] == ["-over"]
    left = {row["id"] for row in cli.data("tables", "list")["tables"]}
    assert left == {"screen", "gathering", "foreign"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--days", "30"], ["-over", "gathering"]),
        (["--days", "30", "--unbegun"], ["gathering"]),
        (["--days", "50"], []),
        (["--days", "0"], ["-over", "foreign", "gathering", "playing", "screen"]),
        (["--days", "0", "--unbegun"], ["foreign", "gathering"]),
    ],
)
def test_old_tables_are_deleted(cli: Cli, database: str, options: list[str], expected: list[str]) -> None:
    filled(database)
    before = {row["id"] for row in cli.data("tables", "list", "--database", database)["tables"]}
    data = cli.data("tables", "prune", *options, "--database", database)
    assert (sorted(data["deleted"]), data["database"]) == (expected, shown(address_of(database)))
    after = {row["id"] for row in cli.data("tables", "list", "--database", database)["tables"]}
    assert after == before - set(expected)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        (["delete"], "argument_missing"),
        (["prune"], "argument_missing"),
        (["prune", "--unbegun"], "argument_missing"),
        (["prune", "--days", "soon"], "bad_value"),
        (["prune", "--days", "-1"], "bad_value"),
        (["prune", "one", "--days", "3"], "too_many_words"),
        (["list", "one"], "too_many_words"),
        (["list", "--days", "3"], "conflict"),
        (["delete", "one", "--unbegun"], "conflict"),
        (["empty"], "bad_value"),
    ],
)
def test_what_makes_no_sense_is_refused_and_deletes_nothing(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: list[str], code: str
) -> None:
    path = tmp_path / "tables.sqlite3"
    filled(str(path))
    monkeypatch.setenv("CINQMILLE_DATABASE", str(path))
    for lang in ("en", "fr"):
        refused(cli("tables", *typed, "--json", "--lang", lang), code)
    assert len(cli.data("tables", "list")["tables"]) == 5


def test_a_database_that_is_not_there_is_not_made(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite3"
    refused(cli("tables", "list", "--json", "--database", str(path)), "database_missing")
    assert not path.exists()
    refused(cli("tables", "list", "--json", "--database", "mysql://me:geheim@db/x"), "database_address")
