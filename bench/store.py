"""How fast entries are stored: accepted writes a second from many writers at once, and how long one alone waits.

    python bench/store.py [--rounds 5] [--writers 300] [--each 20] [--postgresql URL]

Every writer has a table of its own and goes on when its entry is on disk, as a table on a server does. ``alone`` is one
writer with nobody else about; ``busy`` the same while the server's thread computes most of the time, as it does when it
makes pages. PostgreSQL is measured too where an address is given, or where the tests can start one. Prints the median
of interleaved rounds. A disk waits as long as it waits: the waits for it a second are printed for comparison.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from cinqmille.errors import CinqMilleError
from cinqmille.store import Entry, Store

CONTENT = '{"actions": ["15534", ">155", "roll"], "link": "' + 64 * "0" + '"}'
ALONE = 300


def entry(number: int) -> Entry:
    """Return an entry as long as those of a game."""
    return Entry(number, time.time(), 0, "", "acted", CONTENT)


async def together(store: Store, ids: list[str], first: int, each: int) -> float:
    """Return accepted writes a second."""

    async def writer(id: str) -> None:
        for number in range(first, first + each):
            await store.write(id, entry(number))

    begun = time.perf_counter()
    await asyncio.gather(*(writer(id) for id in ids))
    return len(ids) * each / (time.perf_counter() - begun)


async def alone(store: Store, id: str, first: int, *, busy: bool) -> list[float]:
    """Return the seconds that each write took."""
    stop = False

    async def computing() -> None:
        while not stop:
            until = time.perf_counter() + 0.002
            while time.perf_counter() < until:
                pass
            await asyncio.sleep(0.0005)

    other = asyncio.create_task(computing()) if busy else None
    took = []
    for number in range(first, first + ALONE):
        begun = time.perf_counter()
        await store.write(id, entry(number))
        took.append(time.perf_counter() - begun)
    stop = True
    if other is not None:
        await other
    return took


async def measured(url: str, round_number: int, writers: int, each: int) -> dict[str, float]:
    """Return what one round finds on one database."""
    store = await Store.open(url)
    ids = [f"r{round_number}w{place}" for place in range(writers)]
    for id in ids:
        await store.put(id, "bench", "{}")
    await together(store, ids, 1, 2)  # warm
    rate = await together(store, ids, 3, each)
    begun = time.process_time()
    quiet = sorted(await alone(store, ids[0], 3 + each, busy=False))
    spent = (time.process_time() - begun) / ALONE
    loaded = sorted(await alone(store, ids[1], 3 + each, busy=True))
    begun = time.perf_counter()
    journal = await store.read(ids[0])
    read = time.perf_counter() - begun
    assert journal is not None
    assert journal.number == 2 + each + ALONE
    await store.close()
    return {
        "accepted writes a second": rate,
        "alone, p50 ms": statistics.median(quiet) * 1e3,
        "alone, p99 ms": quiet[int(len(quiet) * 0.99)] * 1e3,
        "alone, processor ms a write": spent * 1e3,
        "busy, p50 ms": statistics.median(loaded) * 1e3,
        "busy, p99 ms": loaded[int(len(loaded) * 0.99)] * 1e3,
        f"reading {journal.number} entries, ms": read * 1e3,
    }


def waits_a_second(folder: Path) -> float:
    """Return how often a second this disk can be waited for."""
    with (folder / "waits").open("wb") as file:
        begun, count = time.perf_counter(), 0
        while time.perf_counter() - begun < 1:
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            count += 1
    return count / (time.perf_counter() - begun)


@contextmanager
def postgresql() -> Iterator[str]:
    """A PostgreSQL as the tests start it."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from postgres import running

    with running() as server:
        yield server.new()


def main() -> None:
    """Measure in rounds and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--writers", type=int, default=300)
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--postgresql", metavar="URL")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        other = options.postgresql or stack.enter_context(postgresql())
        urls = {"SQLite": f"sqlite:///{folder / 'tables.sqlite3'}", "PostgreSQL": other}
        found: dict[str, dict[str, list[float]]] = {name: {} for name in urls}
        waits = []
        for number in range(options.rounds):
            waits.append(waits_a_second(folder))
            for name, url in urls.items():
                try:
                    one = asyncio.run(measured(url, number, options.writers, options.each))
                except CinqMilleError as error:
                    parser.error(f"{name}: {error}")
                for what, value in one.items():
                    found[name].setdefault(what, []).append(value)
    print(f"{options.writers} writers; median of {options.rounds} rounds")
    print(f"{'what':32}" + "".join(f"{name:>12}" for name in urls))
    for what in found["SQLite"]:
        print(f"{what:32}" + "".join(f"{statistics.median(found[name][what]):12.2f}" for name in urls))
    print(f"{'waits for the disk a second':32}{statistics.median(waits):12.0f}")


if __name__ == "__main__":
    main()
