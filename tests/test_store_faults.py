"""When the database fails: whoever asked is told, nothing is half written, nothing acknowledged is lost; it goes on."""

import asyncio
import resource
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection

from cinqmille.errors import IllegalAction
from cinqmille.store import Entry, Store, StoreError, bell
from cinqmille.store import database as databases
from postgres import Postgres
from test_journal import ANA, entry, numbers, stored


async def until(true: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for something, which has to come."""
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.005)


async def refused(work: Awaitable[object], code: str = "not_stored") -> None:
    with pytest.raises(StoreError) as caught:
        await work
    assert caught.value.code == code


def test_a_database_that_crashes_in_the_middle_of_writes_loses_nothing_acknowledged(postgres: Postgres) -> None:
    acknowledged: dict[str, int] = {}
    told: Counter[str] = Counter()
    stop = False

    async def writer(store: Store, id: str) -> None:
        number = 0
        while not stop:
            try:
                await store.write(id, entry(number + 1))
                number += 1
                acknowledged[id] = number
            except (StoreError, IllegalAction) as error:
                told[error.code] += 1
                await asyncio.sleep(0.02)
                # What became of the entry is not known before it is read: as a server, so does this.
                while True:
                    try:
                        number = max(await numbers(store, id), default=0)
                        break
                    except StoreError as again:
                        told[again.code] += 1
                        await asyncio.sleep(0.05)
                assert acknowledged.get(id, 0) <= number <= acknowledged.get(id, 0) + 1

    async def work(store: Store) -> None:
        nonlocal stop
        ids = [f"crash{place}" for place in range(25)]
        for id in ids:
            await store.put(id, ANA, "{}")
        writers = [asyncio.create_task(writer(store, id)) for id in ids]
        for _ in range(3):
            before = sum(acknowledged.values())
            await until(lambda before=before: sum(acknowledged.values()) > before + 300)  # type: ignore[misc]
            failures = told["not_stored"]
            await asyncio.to_thread(postgres.restart)
            await until(lambda failures=failures: told["not_stored"] > failures)  # type: ignore[misc]
        before = sum(acknowledged.values())
        await until(lambda: sum(acknowledged.values()) > before + 300)
        stop = True
        await asyncio.gather(*writers)
        for id in ids:
            found = await numbers(store, id)
            assert found == [*range(1, len(found) + 1)]
            assert len(found) >= acknowledged[id] > 0
        assert set(told) <= {"not_stored", "not_loaded"}

    stored(postgres.new(), work)


def test_a_database_that_is_away_is_told_and_used_again_when_it_is_back(postgres: Postgres) -> None:
    async def work(store: Store) -> None:
        await store.put("one", ANA, "{}")
        await store.alive()
        await asyncio.to_thread(postgres.stop)
        try:
            await refused(store.write("one", entry(1)))
            await refused(store.put("two", ANA, "{}"))
            await refused(store.alive(), "not_loaded")
            await refused(store.read("one"), "not_loaded")
            await refused(store.places(ANA, most=5), "not_loaded")
            await refused(store.say("hello"))
        finally:
            await asyncio.to_thread(postgres.restart)
        await store.alive()
        await store.write("one", entry(1))
        assert await numbers(store, "one") == [1]

    stored(postgres.new(), work)


@contextmanager
def full(store: Store, path: Path, how: str) -> Iterator[None]:
    """No room for more than a little, until the block is left."""
    if how == "database":
        pages = {"most": 30}

        @event.listens_for(store._database.engine, "checkout")
        def _limited(connection: DBAPIConnection, _record: object, _proxy: object) -> None:
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA max_page_count={pages['most']}")
            cursor.close()

        yield
        pages["most"] = 1_000_000
    else:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.with_name(path.name + "-wal").stat().st_size + 60_000, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("how", ["database", "file"])
def test_a_full_disk_is_told_to_the_sender_and_nothing_is_half_written(tmp_path: Path, how: str) -> None:
    path = tmp_path / "tables.sqlite3"
    acknowledged = Counter[str]()

    async def writer(store: Store, id: str) -> None:
        for number in range(1, 50):
            await store.write(id, entry(number, content='"' + "x" * 2000 + '"'))
            acknowledged[id] = number

    async def work(store: Store) -> None:
        ids = [f"table{place}" for place in range(10)]
        for id in ids:
            await store.put(id, ANA, "{}")
        with full(store, path, how):
            results = await asyncio.gather(*(writer(store, id) for id in ids), return_exceptions=True)
            assert all(isinstance(result, StoreError) and result.code == "not_stored" for result in results)
            await refused(store.write(ids[0], entry(acknowledged[ids[0]] + 1, content='"' + "x" * 200_000 + '"')))
            for id in ids:  # what was acknowledged is there, and nothing else; reading goes on
                assert await numbers(store, id) == [*range(1, acknowledged[id] + 1)]
        for id in ids:
            await store.write(id, entry(acknowledged[id] + 1))
            assert await numbers(store, id) == [*range(1, acknowledged[id] + 2)]

    stored(f"sqlite:///{path}", work)
    assert 0 < acknowledged.total() < 490
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        wrong = 'SELECT count(*) FROM tables WHERE number != (SELECT count(*) FROM entries WHERE "table" = id)'
        assert connection.execute(wrong).fetchone() == (0,)


def test_a_lock_that_somebody_else_keeps_is_told_in_time(
    database: str, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "_WAIT", 1)

    @contextmanager
    def locked() -> Iterator[None]:
        if database.startswith("sqlite"):
            with closing(sqlite3.connect(database.removeprefix("sqlite:///"), isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                yield
                other.execute("ROLLBACK")
        else:
            with postgres.ask(database.rpartition("/")[2]) as rows, rows.transaction():
                rows.execute("SELECT * FROM tables FOR UPDATE")
                yield

    async def work(store: Store) -> None:
        await store.put("one", ANA, "{}")
        loop = asyncio.get_running_loop()
        with locked():
            begun = loop.time()
            await refused(store.write("one", entry(1)))
            assert 0.5 < loop.time() - begun < 5
            assert await numbers(store, "one") == []  # reading waits for nobody
        await store.write("one", entry(1))
        with locked():
            waiting = asyncio.create_task(store.write("one", entry(2)))
            await asyncio.sleep(0.3)
            assert not waiting.done()
        await waiting  # a lock that is kept for a moment is waited for
        assert await numbers(store, "one") == [1, 2]

    stored(database, work)


def test_two_servers_on_one_postgresql_never_take_the_same_number(postgres: Postgres) -> None:
    url = postgres.new()

    async def work() -> None:
        stores = [await Store.open(url) for _ in range(3)]
        ids = [f"table{place}" for place in range(6)]
        for id in ids:
            await stores[0].put(id, ANA, "{}")
        taken: dict[tuple[str, int], int] = {}

        async def server(which: int, id: str) -> None:
            store, number = stores[which], 0
            while number < 40:
                try:
                    await store.write(id, Entry(number + 1, 1.0, which, "", "acted", "{}"))
                    assert (id, number + 1) not in taken
                    taken[id, number + 1] = which
                    number += 1
                    await asyncio.sleep(0.005)  # the next one is another server's
                except IllegalAction as error:
                    number = error.params["number"]  # only a stale one has it

        try:
            await asyncio.gather(*(server(which, id) for which in range(3) for id in ids))
            for id in ids:
                assert {entry.number: entry.author for entry in await stores[1].since(id, 0)} == {
                    number: which for (table, number), which in taken.items() if table == id
                }
        finally:
            for store in stores:
                await store.close()
        assert set(taken.values()) == {0, 1, 2}, "every server has to have written"

    asyncio.run(asyncio.wait_for(work(), 60))


# What servers tell each other


class Ear:
    """What one server hears."""

    def __init__(self) -> None:
        self.changed: list[tuple[str, int]] = []
        self.words: list[str] = []
        self.gaps = 0

    def gap(self) -> None:
        self.gaps += 1

    async def listen(self, store: Store) -> None:
        await store.listen(lambda id, number: self.changed.append((id, number)), self.words.append, self.gap)


def test_servers_hear_what_others_write_and_say(postgres: Postgres) -> None:
    url = postgres.new()

    async def work() -> None:
        here, there, ear = await Store.open(url), await Store.open(url), Ear()
        await ear.listen(here)
        await there.put("one", ANA, "{}")
        await there.write("one", entry(1))
        await there.say("Zoé is here")
        await until(lambda: bool(ear.words))
        assert ear.changed == [("one", 1)]
        assert ear.words == ["Zoé is here"]
        with pytest.raises(IllegalAction):
            await there.write("one", entry(1))
        await asyncio.gather(*(there.write("one", entry(number)) for number in range(2, 30)))
        await until(lambda: ("one", 29) in ear.changed)
        # Entries that were written together are told of once, by the last number.
        heard = [number for _, number in ear.changed]
        assert heard == sorted(set(heard))
        assert ear.gaps == 0
        await here.close()
        await there.close()

    asyncio.run(asyncio.wait_for(work(), 60))


def test_after_a_lost_connection_there_was_a_gap_and_hearing_goes_on(postgres: Postgres) -> None:
    url = postgres.new()

    async def work() -> None:
        store, ear = await Store.open(url), Ear()
        await ear.listen(store)
        await asyncio.to_thread(postgres.restart)
        await until(lambda: ear.gaps == 1)
        await store.say("again")
        await until(lambda: ear.words == ["again"])
        with postgres.ask() as other:
            everybody = "SELECT pid FROM pg_stat_activity WHERE application_name = 'cinqmille'"
            other.execute(f"SELECT pg_terminate_backend(pid) FROM ({everybody}) AS servers")
        await until(lambda: ear.gaps == 2)
        await store.say("and again")
        await until(lambda: ear.words == ["again", "and again"])
        await store.close()

    asyncio.run(asyncio.wait_for(work(), 60))


def test_nothing_is_missed_while_the_connection_is_tried(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bell, "_QUIET", 0.002)  # so that it is tried all the time
    url = postgres.new()

    async def work() -> None:
        here, there, ear = await Store.open(url), await Store.open(url), Ear()
        try:
            await ear.listen(here)
            said = [str(number) for number in range(300)]
            for word in said:
                await there.say(word)
                await asyncio.sleep(0.002)
            await until(lambda: len(ear.words) == len(said))
            assert ear.words == said
            assert ear.gaps == 0
        finally:
            await here.close()
            await there.close()

    asyncio.run(asyncio.wait_for(work(), 60))


def test_one_who_cannot_hear_does_not_make_the_server_deaf(
    postgres: Postgres, caplog: pytest.LogCaptureFixture
) -> None:
    url = postgres.new()

    async def work() -> None:
        store, words = await Store.open(url), list[str]()

        def hear(word: str) -> None:
            words.append(word)
            raise ValueError("deaf on this ear")

        await store.listen(lambda id, number: None, hear, lambda: None)
        await store.say("one")
        await store.say("two")
        await until(lambda: words == ["one", "two"])
        await store.close()

    asyncio.run(asyncio.wait_for(work(), 60))
    assert "deaf on this ear" in caplog.text


def test_a_file_has_nobody_else_to_tell(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        ear = Ear()
        assert not store.shared
        await ear.listen(store)
        await store.say("anybody there?")
        await store.put("one", ANA, "{}")
        await store.write("one", entry(1))
        assert (ear.changed, ear.words, ear.gaps) == ([], [], 0)

    stored(f"sqlite:///{tmp_path / 'tables.sqlite3'}", work)
