"""Databases are brought up to date without loss, by one server of many; wrong ones are refused in a sentence."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text

from cinqmille.actions import Points
from cinqmille.record import Game
from cinqmille.rules import PRESETS
from cinqmille.store import Entry, Store, StoreError, default_url, prepare, schema, upgrading
from cinqmille.store.database import Database, address_of, shown
from postgres import PASSWORD, Postgres, programs

ME = "m" * 30
SECRET = PASSWORD.partition(":")[0]

# As the first version made them, which used no migrations.
FIRST = (
    "CREATE TABLE tables (id VARCHAR(32) NOT NULL, device VARCHAR(64) NOT NULL, record TEXT NOT NULL, "
    "opened FLOAT NOT NULL, played FLOAT NOT NULL, over INTEGER NOT NULL, PRIMARY KEY (id))",
    "CREATE INDEX ix_tables_device ON tables (device)",
    'CREATE TABLE entries ("table" VARCHAR(32) NOT NULL, number INTEGER NOT NULL, at FLOAT NOT NULL, '
    'kind VARCHAR(8) NOT NULL, content TEXT NOT NULL, PRIMARY KEY ("table", number), '
    'FOREIGN KEY("table") REFERENCES tables (id) ON DELETE CASCADE)',
    "CREATE TABLE remembered (device VARCHAR(64) NOT NULL, key VARCHAR(64) NOT NULL, content TEXT NOT NULL, "
    "PRIMARY KEY (device, key))",
)


def run(database: str, statements: Sequence[str], **values: object) -> None:
    """Do something to a database behind the store's back."""
    engine = create_engine(address_of(database))
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement), values)
    engine.dispose()


def with_connection(database: str, work: Callable[[Connection], object]) -> object:
    engine = create_engine(address_of(database))
    with engine.begin() as connection:
        found = work(connection)
    engine.dispose()
    return found


def test_a_database_of_the_first_version_is_upgraded_without_loss(database: str) -> None:
    opening = Game.new(PRESETS["cinq-des"], ("Ana", "Zoé"), {"dice": "real"})
    later = opening.play(Points(800)).play(Points(0))
    corrected = later.corrected(1, "=900")
    run(database, FIRST)
    table = "INSERT INTO tables VALUES (:id, :device, :record, 1000.5, 2000.25, 0)"
    entry = "INSERT INTO entries VALUES (:id, :number, 1500.125, :kind, :content)"
    for id in ("played", "fresh"):
        run(database, [table], id=id, device=ME, record=json.dumps(opening.to_json()))
    run(database, [entry], id="played", number=1, kind="actions", content='["=800", "=0"]')
    run(database, [entry], id="played", number=2, kind="record", content=json.dumps(corrected.to_json()))
    run(database, ["INSERT INTO remembered VALUES (:device, 'names', '[\"Zoé\"]')"], device=ME)

    async def look() -> None:
        for _ in range(2):  # the second time there is nothing left to do
            store = await Store.open(database)
            listed = {kept.id: kept for kept in await store.of_device(ME)}
            assert listed.keys() == {"played", "fresh"}
            assert (listed["played"].game, listed["played"].number) == (corrected, 2)
            assert (listed["played"].opened, listed["played"].played) == (1000.5, 2000.25)
            assert (listed["fresh"].game, listed["fresh"].number) == (opening, 0)
            assert await store.recall(ME, ["names"]) == {"names": ["Zoé"]}
            journal = await store.read("played")
            assert journal is not None
            assert (journal.kind, journal.entries[0]) == (
                "local", Entry(1, 1500.125, None, "", "actions", '["=800", "=0"]')
            )  # fmt: skip
            await store.close()
        store = await Store.open(database)
        await store.append("played", 3, corrected, corrected.play(Points(500)))
        kept = await store.load("played")
        assert kept is not None
        assert kept.game == corrected.play(Points(500))
        # A longer kind of entry than the first version knew.
        await store.put("shared", ME, "{}")
        await store.write("shared", Entry(1, 1.0, None, "", "a_kind_of_more_than_eight", "{}"))
        await store.close()

    asyncio.run(look())


def test_the_steps_lead_to_the_tables_that_are_declared(database: str) -> None:
    prepare(database)

    def differences(connection: Connection) -> object:
        # SQLite knows no lengths of texts, so there they are not changed.
        options = {"compare_type": connection.dialect.name != "sqlite"}
        return compare_metadata(MigrationContext.configure(connection, opts=options), schema.metadata)

    assert with_connection(database, differences) == []


def test_the_last_step_is_the_one_the_program_expects() -> None:
    folder = Path(upgrading.__file__).parent / "migrations"
    assert ScriptDirectory(str(folder)).get_heads() == [upgrading.HEAD]


def test_a_database_of_a_newer_version_is_refused_and_left_alone(database: str) -> None:
    prepare(database)
    run(database, ["UPDATE alembic_version SET version_num = 'next'"])
    with pytest.raises(StoreError, match="newer version") as caught:
        prepare(database)
    assert caught.value.code == "database_newer"
    assert SECRET not in str(caught.value)
    found = with_connection(database, lambda c: c.execute(text("SELECT version_num FROM alembic_version")).scalar())
    assert found == "next"


@pytest.mark.parametrize("old", [False, True], ids=["empty", "first version"])
def test_servers_that_start_at_once_upgrade_once(database: str, old: bool) -> None:
    if old:
        run(database, FIRST)
        run(database, [f"INSERT INTO tables VALUES ('t{n}', 'me', '{{}}', 1, 1, 0)" for n in range(50)])
    script = (
        "import sys, time; from cinqmille.store import prepare; from alembic import command; "
        "time.sleep(max(0, float(sys.argv[2]) - time.time())); prepare(sys.argv[1])"
    )
    moment = str(time.time() + 2.0)
    started = [
        subprocess.Popen([sys.executable, "-c", script, database, moment], stderr=subprocess.PIPE, text=True)
        for _ in range(5)
    ]
    told = [process.communicate(timeout=60)[1] for process in started]
    assert [process.returncode for process in started] == [0] * 5, told
    versions = with_connection(
        database, lambda c: list(c.execute(text("SELECT version_num FROM alembic_version")).scalars())
    )
    assert versions == [upgrading.HEAD]
    found = with_connection(
        database, lambda c: c.execute(text("SELECT count(*) FROM tables WHERE number = 0")).scalar()
    )
    assert found == (50 if old else 0)


def test_an_upgrade_that_breaks_off_leaves_the_database_as_it_was(database: str) -> None:
    run(database, FIRST)
    run(database, ["INSERT INTO tables VALUES ('one', 'me', '{}', 1, 1, 0)", "CREATE TABLE holders (odd INTEGER)"])
    with pytest.raises(StoreError) as caught:
        prepare(database)
    assert caught.value.code == "database_unusable"
    columns = with_connection(database, lambda c: list(c.execute(text("SELECT * FROM tables")).keys()))
    assert columns == ["id", "device", "record", "opened", "played", "over"]
    run(database, ["DROP TABLE holders"])
    prepare(database)


# Which database


def test_the_database_is_a_file_in_the_users_folder_unless_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("CINQMILLE_DATABASE", raising=False)
    assert default_url() == f"sqlite:///{tmp_path}/cinqmille/tables.sqlite3"
    monkeypatch.setenv("CINQMILLE_DATABASE", "postgresql://me@db/tables")
    assert default_url() == "postgresql://me@db/tables"
    monkeypatch.setenv("CINQMILLE_DATABASE", " ")
    assert default_url().startswith("sqlite:///")


@pytest.mark.parametrize(
    ("url", "driver", "name"),
    [
        ("tables.sqlite3", "sqlite", "tables.sqlite3"),
        (Path("a folder/t@b?les.sqlite3"), "sqlite", "a folder/t@b?les.sqlite3"),
        ("sqlite:////srv/tables.sqlite3", "sqlite", "/srv/tables.sqlite3"),
        ("sqlite+aiosqlite:///tables.sqlite3", "sqlite", "tables.sqlite3"),
        (
            "postgresql://me:pw@db:5433/tables?sslmode=require",
            "postgresql+psycopg",
            "postgresql://me:***@db:5433/tables",
        ),
        ("postgres://me@/tables?host=/run/postgresql&password=pw", "postgresql+psycopg", "postgresql://me@/tables"),
    ],
)
def test_addresses_are_read_and_shown_without_the_password(url: str | Path, driver: str, name: str) -> None:
    address = address_of(url)
    assert (address.drivername, shown(address)) == (driver, name)


@pytest.mark.parametrize(
    "url", ["mysql://me:geheim@db/tables", "postgresql://me:ge:heim@db:geheim/tables", "sqlite://", "://geheim"]
)
def test_other_addresses_are_refused_and_not_quoted(url: str) -> None:
    with pytest.raises(StoreError) as caught:
        prepare(url)
    assert caught.value.code == "database_address"
    seen: BaseException | None = caught.value
    while seen is not None:
        assert "geheim" not in str(seen)
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)


@pytest.mark.parametrize("wrong", ["folder", "damaged"])
def test_a_file_that_is_no_database_is_refused_by_name(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "nowhere" / "tables.sqlite3" if wrong == "folder" else tmp_path / "tables.sqlite3"
    if wrong == "damaged":
        path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError) as caught:
        asyncio.run(Store.open(path))
    assert caught.value.code == "database_unusable"
    assert str(path) in str(caught.value)


def test_the_password_is_in_no_error_and_no_log(postgres: Postgres, caplog: pytest.LogCaptureFixture) -> None:
    right = postgres.url()
    for url in (
        right.replace("/postgres", "/nowhere"),
        right.replace(f":{postgres.port}/", ":1/"),
        right.replace("@127.0.0.1", "x@127.0.0.1"),  # one letter more, which the server refuses
    ):
        with pytest.raises(StoreError) as caught:
            asyncio.run(Store.open(url))
        assert caught.value.code == "database_unusable"
        told = "".join(traceback.format_exception(caught.value))
        assert SECRET not in told + caplog.text
        assert "postgresql://cinqmille:***@127.0.0.1" in str(caught.value)


def test_without_its_driver_postgresql_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "psycopg.py").write_text("raise ImportError('there is none')", encoding="ascii")
    script = (
        "import asyncio\nfrom cinqmille.store import Store, StoreError\n"
        "try:\n    asyncio.run(Store.open('postgresql://me:geheim@127.0.0.1/tables'))\n"
        "except StoreError as error:\n    print(error)\n"
    )
    paths = os.pathsep.join([str(tmp_path), *([os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else [])])
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "pip install 'cinqmille[postgres]'" in done.stdout
    assert "geheim" not in done.stdout + done.stderr


def test_a_database_that_is_up_to_date_opens_without_the_tools_that_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite3"
    prepare(path)
    script = f"import sys; from cinqmille.store import prepare; prepare({str(path)!r}); print('alembic' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", script], text=True).strip() == "False"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_entries_wait_for_the_disk(database: str) -> None:
    made = Database(address_of(database))
    expected: dict[str, object] = (
        {"SHOW synchronous_commit": "on", "SHOW lock_timeout": "5s"}
        if made.shared
        else {"PRAGMA synchronous": 2, "PRAGMA foreign_keys": 1, "PRAGMA busy_timeout": 5000}
    )
    for engine in (made.engine, made.writing):
        with engine.connect() as connection:
            assert {asked: connection.exec_driver_sql(asked).scalar() for asked in expected} == expected
    made.release()


def test_where_postgresql_is_missing_the_tests_fail_and_name_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr(Path, "glob", lambda *_: [])
    with pytest.raises(pytest.fail.Exception, match="Debian package 'postgresql'"):
        programs()
