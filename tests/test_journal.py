"""The journal under every table: many writers share a commit, nobody's failure is another's; on both databases."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable

import pytest

from cinqmille.errors import IllegalAction
from cinqmille.record import Game
from cinqmille.rules import PRESETS
from cinqmille.store import BEGAN, Entry, Place, Store, StoreError

ANA, BEN, ZOE = "a" * 30, "b" * 30, "z" * 30


def entry(number: int, kind: str = "acted", content: str = "{}", at: float = 1_800_000_000.25) -> Entry:
    return Entry(number, at, number % 3 or None, "absent", kind, content)


def stored(database: str, work: Callable[[Store], Awaitable[None]]) -> None:
    """Do some work with a store."""

    async def done() -> None:
        store = await Store.open(database)
        try:
            await work(store)
        finally:
            await store.close()

    asyncio.run(asyncio.wait_for(done(), 60))


async def numbers(store: Store, id: str) -> list[int]:
    journal = await store.read(id)
    assert journal is not None
    return [entry.number for entry in journal.entries]


def test_of_two_tables_of_one_name_the_first_one_stays_as_it_is(database: str) -> None:
    async def work(store: Store) -> None:
        put = await asyncio.gather(*(store.put("one", f"{number}", f"[{number}]") for number in range(5)))
        assert sorted(put) == [False] * 4 + [True]
        journal = await store.read("one")
        assert journal is not None
        assert journal.opening == f"[{put.index(True)}]"
        assert await store.put("two", ANA, "{}")

    stored(database, work)


def test_what_is_written_is_read_to_the_last_bit(database: str) -> None:
    async def work(store: Store) -> None:
        begun = time.time()
        await store.put("one", ANA, '{"rules": "cinq-des"}')
        journal = await store.read("one")
        assert journal is not None
        assert (journal.id, journal.device, journal.kind, journal.opening) == (
            "one", ANA, "online", '{"rules": "cinq-des"}'
        )  # fmt: skip
        assert (journal.entries, journal.number, journal.over) == ((), 0, False)
        assert begun <= journal.opened == journal.played <= time.time()
        # A time with as many digits as there are, letters beyond ASCII, no author, no cause.
        written = (
            Entry(1, 1796005725.1234567, None, "", "joined", json.dumps({"name": "Zoé"}, ensure_ascii=False)),
            Entry(2, 1796005726.0000002, 0, "", "acted", '"🎲 \\u0000"'),
            Entry(3, 0.1 + 0.2, 7, "stand_in", "a kind with a rather long name", "[]"),
        )
        for one in written:
            await store.write("one", one, over=one.number == 3)
        journal = await store.read("one")
        assert journal is not None
        assert journal.entries == written
        assert (journal.number, journal.over, journal.played) == (3, True, 0.1 + 0.2)
        assert await store.since("one", 1) == written[1:]
        assert await store.since("one", 3) == ()
        assert await store.since("none", 0) == ()
        assert await store.read("none") is None

    stored(database, work)


def test_the_next_number_is_taken_once_and_none_is_left_out(database: str) -> None:
    async def work(store: Store) -> None:
        await store.put("one", ANA, "{}")
        results = await asyncio.gather(
            *(store.write("one", entry(1, content=str(place))) for place in range(20)), return_exceptions=True
        )
        assert [result is None for result in results].count(True) == 1
        refused = [result for result in results if isinstance(result, IllegalAction)]
        assert [(error.code, error.params) for error in refused] == [("stale", {"seen": 0, "number": 1})] * 19
        (first,) = await store.since("one", 0)
        assert results[int(first.content)] is None, "the one that was acknowledged is the one that is stored"
        with pytest.raises(IllegalAction) as caught:
            await store.write("one", entry(3))
        assert (caught.value.code, caught.value.params) == ("stale", {"seen": 2, "number": 1})
        await asyncio.gather(*(store.write("one", entry(number)) for number in range(2, 40)))
        assert await numbers(store, "one") == [*range(1, 40)]

    stored(database, work)


def test_many_tables_share_a_commit_and_a_table_that_is_gone_fails_alone(database: str) -> None:
    async def work(store: Store) -> None:
        ids = [f"table{place}" for place in range(60)]
        for id in ids:
            await store.put(id, ANA, "{}")
        assert await store.delete("table7")
        for number in (1, 2):
            results = await asyncio.gather(
                *(store.write(id, entry(number)) for id in ids), return_exceptions=True
            )  # fmt: skip
            for id, result in zip(ids, results, strict=True):
                if id == "table7":
                    assert isinstance(result, IllegalAction)
                    assert result.code == "table_gone"
                else:
                    assert result is None
        assert all([await numbers(store, id) == [1, 2] for id in ids if id != "table7"])

    stored(database, work)


def test_an_entry_that_no_database_takes_fails_alone(database: str) -> None:
    async def work(store: Store) -> None:
        for id in ("good", "bad", "other"):
            await store.put(id, ANA, "{}")
        results = await asyncio.gather(
            store.write("good", entry(1)),
            store.write("bad", entry(1, content="half of a letter: \ud83c")),
            store.write("other", entry(1)),
            return_exceptions=True,
        )
        assert isinstance(results[1], UnicodeError)
        assert (results[0], results[2]) == (None, None)
        assert [await numbers(store, id) for id in ("good", "bad", "other")] == [[1], [], [1]]
        await store.write("bad", entry(1))

    stored(database, work)


def test_callers_who_go_away_disturb_nobody(database: str) -> None:
    async def work(store: Store) -> None:
        ids = [f"table{place}" for place in range(40)]
        for id in ids:
            await store.put(id, ANA, "{}")
        for number in range(1, 6):
            tasks = [asyncio.create_task(store.write(id, entry(number))) for id in ids]
            await asyncio.sleep(0.0005 * (number - 1))
            for task in tasks[::2]:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert results[1::2] == [None] * 20
            # What was in the queue is written all the same.
            await store.write(ids[0], entry(number + 1)) if number == 5 else None
        for id in ids[1:]:
            assert await numbers(store, id) == [1, 2, 3, 4, 5]
        assert await numbers(store, ids[0]) == [1, 2, 3, 4, 5, 6]

    stored(database, work)


def test_a_store_that_closes_writes_what_is_waiting_and_nothing_more(database: str) -> None:
    async def work() -> None:
        store = await Store.open(database)
        await store.put("one", ANA, "{}")
        waiting = [asyncio.create_task(store.write("one", entry(number))) for number in range(1, 30)]
        await asyncio.sleep(0)
        await store.close()
        assert await asyncio.gather(*waiting) == [None] * 29
        with pytest.raises(StoreError) as caught:
            await store.write("one", entry(30))
        assert caught.value.code == "not_stored"
        store = await Store.open(database)
        assert await numbers(store, "one") == [*range(1, 30)]
        await store.close()

    asyncio.run(work())


def test_finished_tables_are_listed_in_the_order_in_which_they_ended(database: str) -> None:
    async def work(store: Store) -> None:
        for place, id in enumerate(("one", "two", "three", "four")):
            await store.put(id, ANA, "{}")
            await store.write(id, entry(1, at=1_800_000_000.25 + place), over=id != "two")
        assert await store.count_finished() == 3
        first = await store.finished(most=2)
        assert [place.id for place in first] == ["one", "three"]
        rest = await store.finished((first[-1].played, first[-1].id))
        assert [place.id for place in rest] == ["four"]
        assert await store.finished((rest[-1].played, rest[-1].id)) == []

    stored(database, work)


def test_the_list_of_a_device_has_what_it_opened_and_where_it_sits(database: str) -> None:
    async def work(store: Store) -> None:
        for place, id in enumerate(("first", "second", "third", "foreign")):
            await store.put(id, BEN if id == "foreign" else ANA, "{}")
            await store.write(id, entry(1, at=1000.0 + place), holder=ZOE if id in ("first", "foreign") else None)
        await store.create("screen", ZOE, Game.new(PRESETS["cinq-des"], ("Ana", "Ben")))
        await store.write("first", entry(2, at=2000.0), over=True, holder=ZOE)
        assert [place.id for place in await store.places(ANA, most=9)] == ["third", "second", "first"]
        places = await store.places(ZOE, most=9)
        assert [(place.id, place.kind, place.over) for place in places] == [
            ("screen", "local", False), ("foreign", "online", False), ("first", "online", True)
        ]  # fmt: skip
        assert places[2] == Place("first", "online", True, 2000.0)
        assert len(await store.places(ZOE, most=2)) == 2
        assert await store.places("nobody", most=9) == []
        await store.hold("third", ZOE)
        await store.hold("third", ZOE)
        await store.hold("deleted meanwhile", ZOE)
        assert "third" in [place.id for place in await store.places(ZOE, most=9)]
        # The functions of local tables know nothing of shared ones.
        assert [kept.id for kept in await store.of_device(ZOE)] == ["screen"]
        assert await store.load("first") is None
        assert await store.of_device(ANA) == []

    stored(database, work)


@pytest.mark.parametrize("state", ["gathering", "playing", "over"])
def test_a_shared_table_is_deleted_when_nobody_lists_it_and_it_is_not_being_played(database: str, state: str) -> None:
    async def work(store: Store) -> None:
        await store.put("one", ANA, "{}")
        await store.remember("table-one", "rematch", "two")
        await store.write("one", entry(1, kind="joined"), holder=BEN)
        if state != "gathering":
            await store.write("one", entry(2, kind=BEGAN))
        if state == "over":
            await store.write("one", entry(3), over=True)
        assert not await store.forget("one", ZOE)
        assert await store.forget("one", ANA)
        assert not await store.forget("one", ANA)
        assert await store.places(ANA, most=9) == []
        assert [place.id for place in await store.places(BEN, most=9)] == ["one"]
        assert await store.forget("one", BEN)
        assert await store.places(BEN, most=9) == []
        assert (await store.read("one") is None) == (state != "playing")
        assert await store.recall("table-one", ["rematch"]) == ({"rematch": "two"} if state == "playing" else {})
        assert len(await store.since("one", 0)) == (2 if state == "playing" else 0)

    stored(database, work)
