"""What one server carries: actions a second, waiting times, seats that only listen, and how soon events are heard.

    python bench/tables.py [PART …] [--rounds 3] [--seconds 8] [--reference PATH]

Parts, all of them unless some are named: ``actions`` (as many as are accepted, and how long each waits at a steady
200 a second), ``delivery`` (from sending an action to the last of eight streams that hears of it), ``idle`` (memory of
seats that only listen, and of tables that nobody watches), ``start`` (until the first answer, with an empty database
and with one of 10,000 tables), ``postgresql`` (the same for two servers that share one database).

The server runs on one core, the load comes from another. ``--reference`` is the folder of another version of the
project, which is then measured in turn with this one. Prints the median of the rounds, what is asked, and by how much
it is missed; the load of the machine stands beside it, for whatever else runs takes from the numbers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from network import Connection, Server, request
from postgres import running

ROOT = Path(__file__).parents[1]
PARTS = ("actions", "delivery", "idle", "start", "postgresql")
RULES = "cinq-des(entry=0, target=100000, 11111=5000)"  # a game that does not end while it is measured
STEADY, TABLES, SEATS, IDLE, KEPT, PLAYED = 200, 200, 8, 2000, 500, 30
# What is asked of one process on SQLite: at least, or at most.
LEAST = {"actions a second": 500.0}
MOST = {"steady p99 ms": 50.0, "steady, all listen: p99 ms": 50.0, "memory with 2,000 idle seats, MiB": 500.0}
Found = dict[str, float]


@dataclass
class Board:
    """A table, and what its programs need to play on at it."""

    id: str
    tokens: list[str]
    state: Any
    heard: dict[int, list[float]] = field(default_factory=dict)

    def next(self) -> bytes:
        """The next action of whoever is to play, as a request."""
        state = self.state
        legal = state["legal"]
        if state["keeps"]:
            action = max(state["keeps"], key=lambda keep: keep["points"])["action"]
        else:
            action = "=" if "=" in legal else legal[0]
        body = {"seen": state["number"], "actions": [action]}
        return request("POST", f"/api/tables/{self.id}/actions", body, self.tokens[state["to_play"]])

    async def act(self, connection: Connection) -> float:
        """Play once; return when it was answered."""
        answer = await connection.ask(self.next())
        done = time.perf_counter()
        assert answer.status == 200, answer.body
        self.state = answer.data
        return done


async def opened(connection: Connection, number: int, seats: int, *, begun: bool = True) -> Board:
    """Open a table whose seats are all held by programs."""
    tokens = [f"secret-{number:06}-{seat}-of-a-program" for seat in range(seats)]
    body = {"name": "P0", "rules": RULES, "secret": tokens[0]}
    answer = await connection.ask(request("POST", "/api/tables", body))
    assert answer.status == 201, answer.body
    id = answer.data["id"]
    for seat in range(1, seats):
        answer = await connection.ask(
            request("POST", f"/api/tables/{id}/seats", {"name": f"P{seat}", "secret": tokens[seat]})
        )
        assert answer.status == 200, answer.body
    if begun:
        answer = await connection.ask(request("POST", f"/api/tables/{id}/start", token=tokens[0]))
    return Board(id, tokens, answer.data)


async def boards_on(ports: list[int], tables: int, seats: int) -> list[Board]:
    """Open many tables, a few at a time."""
    boards: list[Board] = []

    async def some(first: int) -> None:
        connection = await Connection.open(ports[first % len(ports)])
        boards.extend([await opened(connection, number, seats) for number in range(first, tables, 16)])
        connection.close()

    await asyncio.gather(*(some(first) for first in range(16)))
    return boards


async def listened(ports: list[int], boards: list[Board], *, stamped: bool) -> list[Connection]:
    """Let every seat listen; ``stamped`` keeps when each entry was heard."""
    connections = []
    waits = []
    for board in boards:
        for seat, token in enumerate(board.tokens):
            connection = await Connection.open(ports[seat % len(ports)])
            ready = asyncio.get_running_loop().create_future()
            waits.append(ready)

            def told(kind: str, data: str, board: Board = board, ready: asyncio.Future[None] = ready) -> None:
                if not ready.done():
                    ready.set_result(None)
                if kind == "entry" and stamped:
                    board.heard.setdefault(json.loads(data)["number"], []).append(time.perf_counter())
                assert kind != "refused", data

            path = f"/api/tables/{board.id}/live?after={board.state['number']}"
            connection.follow(request("GET", path, token=token), told)
            connections.append(connection)
            if len(waits) % 50 == 0:
                await asyncio.gather(*waits)
    await asyncio.gather(*waits)
    return connections


def quantiles(name: str, waits: list[float]) -> Found:
    """Return p50, p95, p99 in milliseconds."""
    waits = sorted(waits)
    return {f"{name} p{part} ms": waits[min(len(waits) - 1, len(waits) * part // 100)] * 1e3 for part in (50, 95, 99)}


async def flat_out(ports: list[int], boards: list[Board], seconds: float) -> float:
    """Return accepted actions a second when every table plays as fast as it is answered."""
    until = time.perf_counter() + seconds
    done = 0

    async def plays(number: int, board: Board) -> None:
        nonlocal done
        connection = await Connection.open(ports[number % len(ports)])
        while await board.act(connection) < until:
            done += 1
        connection.close()

    await asyncio.gather(*(plays(number, board) for number, board in enumerate(boards)))
    return done / seconds


async def steady(ports: list[int], boards: list[Board], seconds: float) -> list[float]:
    """Return how long each action waited from when it was due, so many a second."""
    waits: list[float] = []
    connections = [await Connection.open(ports[number % len(ports)]) for number in range(len(boards))]
    begun = time.perf_counter()
    tasks = set()

    async def act(number: int, due: float) -> None:
        board = boards[number]
        waits.append(await board.act(connections[number]) - due)
        free.put_nowait(number)

    free: asyncio.Queue[int] = asyncio.Queue()
    for number in range(len(boards)):
        free.put_nowait(number)
    for count in range(int(seconds * STEADY)):
        due = begun + count / STEADY
        if (left := due - time.perf_counter()) > 0:
            await asyncio.sleep(left)
        tasks.add(asyncio.create_task(act(await free.get(), due)))
    await asyncio.gather(*tasks)
    for connection in connections:
        connection.close()
    return waits


async def actions(servers: list[Server], seconds: float) -> Found:
    """Accepted actions a second, and waits at a steady rate: alone, and while every seat listens."""
    ports = [server.port for server in servers]
    boards = await boards_on(ports, TABLES, 2)
    await flat_out(ports, boards, 1)
    spent = [server.seconds() for server in servers]
    found = {"actions a second": await flat_out(ports, boards, seconds)}
    used = sum(server.seconds() for server in servers) - sum(spent)
    found["processor ms an action"] = used / (found["actions a second"] * seconds) * 1e3
    found |= quantiles("steady", await steady(ports, boards, seconds))
    connections = await listened(ports, boards, stamped=False)
    found |= quantiles("steady, all listen:", await steady(ports, boards, seconds))
    for connection in connections:
        connection.close()
    return found


async def delivery(servers: list[Server], seconds: float) -> Found:
    """From sending an action to the last of eight seats that hear of it, quiet and at a steady rate elsewhere."""
    ports = [server.port for server in servers]
    found: Found = {}
    others = await boards_on(ports, TABLES, 2)
    for name in ("heard by 8, quiet:", "heard by 8, busy:"):
        (board,) = await boards_on(ports, 1, SEATS)
        connections = await listened(ports, [board], stamped=True)
        load = asyncio.ensure_future(steady(ports, others, seconds)) if "busy" in name else None
        connection = await Connection.open(ports[0])
        sent: dict[int, float] = {}
        until = time.perf_counter() + seconds * 0.9
        while time.perf_counter() < until:
            begun = time.perf_counter()
            await board.act(connection)
            sent[board.state["number"]] = begun
            await asyncio.sleep(0.03)
        if load is not None:
            await load
        await asyncio.sleep(0.5)
        heard = {number: board.heard.get(number, []) for number in sent}
        assert all(len(times) == SEATS for times in heard.values()), "some seat was not told, or twice"
        found |= quantiles(name, [max(times) - sent[number] for number, times in heard.items()])
        for one in (*connections, connection):
            one.close()
    return found


async def idle(servers: list[Server], seconds: float) -> Found:
    """Memory: of 2,000 seats that listen, four at a table; of a table that nobody watches."""
    (server,) = servers
    await boards_on([server.port], 20, 4)
    empty = server.memory()
    played = await boards_on([server.port], KEPT, 4)

    async def play(first: int) -> None:
        connection = await Connection.open(server.port)
        for board in played[first::16]:
            for _ in range(PLAYED):
                await board.act(connection)
        connection.close()

    await asyncio.gather(*(play(first) for first in range(16)))
    await asyncio.sleep(1)
    kept = server.memory()
    boards = await boards_on([server.port], IDLE // 4, 4)
    begun = server.memory()
    connections = await listened([server.port], boards, stamped=False)
    await asyncio.sleep(seconds)
    full = server.memory()
    for connection in connections:
        connection.close()
    return {
        "memory of the server alone, MiB": empty / 2**20,
        f"memory of a table, {PLAYED} actions, KiB": (kept - empty) / KEPT / 2**10,
        "memory of a listening seat, KiB": (full - begun) / IDLE / 2**10,
        "memory with 2,000 idle seats, MiB": (full - kept + empty) / 2**20,
    }


async def start(servers: list[Server], seconds: float) -> Found:
    """Until the first answer: with an empty database, and with 10,000 tables."""
    (server,) = servers
    found: Found = {}
    for name in ("start, empty, s", "start, 10,000 tables, s"):
        if "10,000" in name:
            board = (await boards_on([server.port], 1, 4))[0]
            connection = await Connection.open(server.port)
            for _ in range(100):
                await board.act(connection)
            connection.close()
            server.kill()
            multiplied(Path(server.database.removeprefix("sqlite:///")), board.id, 10_000)
        server.kill()
        begun = time.perf_counter()
        server.start()
        await server.ready()
        found[name] = time.perf_counter() - begun
    return found


def multiplied(file: Path, id: str, times: int) -> None:
    """Put copies of a table into a database."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for table, key in (("tables", "id"), ("entries", "table")):
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            wanted = ", ".join(f'"{name}"' for name in names)
            copied = ", ".join("? || copies.value" if name == key else f'"{name}"' for name in names)
            connection.execute(
                f"WITH RECURSIVE copies(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM copies WHERE value < ?) "
                f'INSERT INTO {table} ({wanted}) SELECT {copied} FROM {table}, copies WHERE "{key}" = ?',
                (times, f"{id}-", id),
            )


WHAT: dict[str, Callable[[list[Server], float], Awaitable[Found]]] = {
    "actions": actions, "delivery": delivery, "idle": idle, "start": start,
}  # fmt: skip


@contextmanager
def served(version: Path, database: str, number: int, folder: Path) -> Iterator[list[Server]]:
    """So many servers of a version on one database, one on a core."""
    cores = sorted(os.sched_getaffinity(0))
    servers = [
        Server(folder, database, core=cores[place % len(cores)], more={"PYTHONPATH": str(version / "src")})
        for place in range(number)
    ]
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.kill()


def measured(version: Path, part: str, seconds: float, postgres: Callable[[], str] | None) -> Found:
    """Measure a part on fresh servers."""

    async def run(servers: list[Server]) -> Found:
        for server in servers:
            await server.ready()
        return await WHAT[part](servers, seconds)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = f"sqlite:///{folder / 'tables.sqlite3'}" if postgres is None else postgres()
        with served(version, database, 1 if postgres is None else 2, folder) as servers:
            return asyncio.run(run(servers))


def main() -> int:
    """Measure in rounds and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--reference", type=Path, metavar="PATH", help="the folder of another version")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if options.reference and not (options.reference / "src" / "cinqmille").is_dir():
        parser.error(f"{options.reference} is not the folder of a version: it has no src/cinqmille")
    versions = {"now": ROOT} | ({"before": options.reference.resolve()} if options.reference else {})
    cores = sorted(os.sched_getaffinity(0))
    missed = 0
    print(f"{platform.machine()}, {len(cores)} cores; load of the machine before: {os.getloadavg()[0]:.1f}")
    with ExitStack() as stack:
        if "postgresql" in (options.parts or PARTS):
            server = stack.enter_context(running())
        for part in options.parts or PARTS:
            found: dict[str, dict[str, list[float]]] = {name: {} for name in versions}
            works = [(part, None)] if part in WHAT else [("actions", server.new), ("delivery", server.new)]
            for _ in range(options.rounds):
                for name, version in versions.items():
                    for work, postgres in works:
                        # The load keeps off the server's core where there is one server alone.
                        os.sched_setaffinity(0, cores[1:] or cores if postgres is None else cores)
                        for what, value in measured(version, work, options.seconds, postgres).items():
                            found[name].setdefault(what, []).append(value)
                        os.sched_setaffinity(0, cores)
            servers = "two servers on PostgreSQL" if part == "postgresql" else "one server on SQLite"
            missed += shown(f"{part}: {servers}, {options.rounds} rounds", found, asked=part in WHAT)
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")
    return int(missed > 0)


def shown(title: str, found: dict[str, dict[str, list[float]]], *, asked: bool) -> int:
    """Print the medians, the ratio of the versions, what is asked and by how much it is missed; how many are."""
    print(f"\n{title}")
    print(
        f"{'':36}" + "".join(f"{name:>10}" for name in found) + ("     ratio" if len(found) > 1 else "") + "     asked"
    )
    missed = 0
    for what in found["now"]:
        values = [statistics.median(one[what]) for one in found.values()]
        line = f"{what:36}" + "".join(f"{value:10.2f}" for value in values)
        if len(values) > 1:
            line += f"{values[0] / values[1]:10.2f}"
        if asked and what in LEAST:
            line += f"  >= {LEAST[what]:.0f}: {values[0] / LEAST[what]:.2f} of it"
            missed += values[0] < LEAST[what]
        if asked and what in MOST:
            line += f"  <= {MOST[what]:.0f}: {values[0] / MOST[what]:.2f} of it"
            missed += values[0] > MOST[what]
        print(line, flush=True)
    return missed


if __name__ == "__main__":
    raise SystemExit(main())
