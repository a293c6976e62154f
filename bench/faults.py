"""Whether anything that was acknowledged can be lost: hundreds of tables played over the network while servers die.

    python bench/faults.py [PART …] [--tables 200] [--every 3] [--seed 1]

Parts, all of them unless some are named: ``sqlite`` kills the one server on an SQLite file with SIGKILL every few
seconds; ``postgresql`` does so with a random one of three servers on one PostgreSQL; ``restart`` crashes PostgreSQL
under two servers; ``full`` takes the room on the disk away and gives it back; ``slow`` has clients that read a byte a
second, never read, or never finish what they ask; ``early`` shows that this bench can fail, on a server that answers
before it stores.

How the tables are played and compared is in ``tests/storm.py``; the referee of the records and the check of the dice
share no code with the package. The exit status tells whether anything was found that should not be.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import socket
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from tables import boards_on, steady

from network import SERVE, Connection, Server, request
from postgres import Postgres, running
from storm import Storm

PARTS = ("sqlite", "postgresql", "restart", "full", "slow", "early")
# A server that answers first and stores a moment later: what this bench is there to find.
EARLY = """
import asyncio
from cinqmille.store import Store

write = Store.write

async def early(self, id, entry, **more):
    async def later():
        await asyncio.sleep(0.3)
        await write(self, id, entry, **more)
    asyncio.ensure_future(later())

Store.write = early
"""
# A server whose database gets no more room while the file named by FULL is there.
FULL = """
import os
from pathlib import Path
from sqlalchemy import Engine, event

@event.listens_for(Engine, "begin")
def room(connection):
    run = connection.exec_driver_sql
    full = Path(os.environ["FULL"]).exists()
    pages = run("PRAGMA page_count").scalar_one() if full else 4294967294
    run(f"PRAGMA max_page_count = {pages}")
"""


def changed(wrapper: str) -> tuple[str, ...]:
    """Return how the command ``serve`` is started with something changed in it."""
    return "-c", f"{wrapper}\nfrom cinqmille.cli import main\nraise SystemExit(main())", *SERVE[2:]


def stormed(
    servers: list[Server], folder: Path, tables: int, seed: int,
    trouble: Callable[[Storm], Awaitable[None]] | None,
) -> Storm:  # fmt: skip
    """Play tables on these servers in trouble; return what came of it. The servers are gone afterwards."""

    async def run() -> Storm:
        storm = Storm(servers, folder, tables, seed)
        await storm.run(None if trouble is None else lambda: trouble(storm))
        return storm

    for server in servers:
        server.start()
    try:
        return asyncio.run(run())
    finally:
        for server in servers:
            server.kill()


def killing(every: float, seed: int) -> Callable[[Storm], Awaitable[None]]:
    """Kill a random server every few seconds."""
    return lambda storm: storm.kills(every, random.Random(seed))


def crashing(postgres: Postgres, every: float) -> Callable[[Storm], Awaitable[None]]:
    """Let the database crash every few seconds."""

    async def crashes(storm: Storm) -> None:
        while not storm.over.is_set():
            await storm.pause(every)
            if not storm.over.is_set():
                storm.counts["crashes of the database"] += 1
                storm.counts["requests in flight then"] += sum(server.in_flight for server in storm.servers)
                await asyncio.to_thread(postgres.restart)

    return crashes


def filling(full: Path, every: float) -> Callable[[Storm], Awaitable[None]]:
    """Take the room of the database away and give it back; in turn, let the disk write nothing any more."""

    async def fills(storm: Storm) -> None:
        while not storm.over.is_set():
            await storm.pause(every)
            storm.counts["times without room"] += 1
            full.touch()
            await storm.pause(every / 2)
            full.unlink()
            await storm.pause(every)
            storm.counts["times without a disk"] += 1
            pid = storm.servers[0].pid
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
            await storm.pause(every / 2)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    return fills


def slow(folder: Path, database: str, seconds: float = 8) -> list[str]:
    """Play while others hold the server up as best they can; return what was found, and print what was measured."""
    server = Server(folder, database, SERVE[:-2])  # with the limits that it has by itself
    server.start()
    try:
        return asyncio.run(_slow(server, seconds))
    finally:
        server.kill()


async def _slow(server: Server, seconds: float) -> list[str]:
    await server.ready()
    boards = await boards_on([server.port], 40, 2)
    quiet = statistics.median(await steady([server.port], boards, seconds))
    before = server.memory()
    line = f"POST /api/tables/{boards[0].id}/actions HTTP/1.1\r\nhost: localhost\r\n".encode()
    body = b"content-type: application/json\r\ncontent-length: 100\r\n\r\n{"
    halves = [await _narrow(server.port, line[:40] if number % 2 else line + body) for number in range(300)]
    readers = [await _narrow(server.port, request("GET", "/rules/cinq-des")) for _ in range(100)]
    deaf = [
        await _narrow(server.port, request("GET", f"/api/tables/{board.id}/live", token=board.tokens[seat]))
        for board in boards
        for seat in (0, 1)
        for _ in range(5)
    ]
    loop = asyncio.get_running_loop()
    stop = False

    async def sip() -> None:
        while not stop:
            for reader in readers:
                with suppress(OSError):
                    reader.recv(1)
            await asyncio.sleep(1)

    sips = asyncio.ensure_future(sip())
    held = statistics.median(await steady([server.port], boards, seconds))
    middle = server.memory()
    again = statistics.median(await steady([server.port], boards, 2 * seconds))
    after = server.memory()
    stop = True
    await sips
    closed = 0
    for half in halves:
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(15):
                while await loop.sock_recv(half, 4096):
                    pass
                closed += 1
    status = 200
    extra = []
    for _ in range(40):  # more streams than one seat may have
        connection = await Connection.open(server.port)
        extra.append(connection)
        answered: asyncio.Future[int] = loop.create_future()

        def told(kind: str, _: str, answered: asyncio.Future[int] = answered) -> None:
            if not answered.done():
                answered.set_result(429 if kind == "refused" else 200)

        connection.follow(request("GET", f"/api/tables/{boards[0].id}/live", token=boards[0].tokens[0]), told)
        status = await asyncio.wait_for(answered, 10)
        if status == 429:
            break
    for one in extra:
        one.close()
    for socket_ in (*halves, *readers, *deaf):
        socket_.close()
    print(
        f"  an action waits, median: {quiet * 1e3:.1f} ms alone, {held * 1e3:.1f} and {again * 1e3:.1f} ms beside them"
    )
    print(
        f"  memory: {before >> 20} MiB alone, {middle >> 20} with them, {after >> 20} after {3 * seconds:.0f} s of it"
    )
    print(
        f"  {closed} of {len(halves)} that never finish asking were closed; stream {len(extra) + 5} of a seat: {status}"
    )
    found = []
    if held > 5 * quiet + 0.05:
        found.append(f"others wait: {held * 1e3:.0f} ms instead of {quiet * 1e3:.0f}")
    if after - middle > 32 << 20:
        found.append(f"memory grows: {(after - middle) >> 20} MiB in {2 * seconds} s")
    if closed < len(halves):
        found.append(f"{len(halves) - closed} connections that never finish asking stay open")
    if status != 429:
        found.append("a seat may open as many streams as it likes")
    for what in found:
        print(f"    {what}")
    print(f"  FOUND: {len(found)}")
    return found


async def _narrow(port: int, sent: bytes) -> socket.socket:
    """Open a connection that takes in as little as can be, and send something."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    made.setblocking(False)
    await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", port))
    await asyncio.get_running_loop().sock_sendall(made, sent)
    return made


def main() -> int:
    """Run the parts and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--every", type=float, default=3.0, help="seconds between two faults")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    tables, every, seed = options.tables, options.every, options.seed
    failed = False
    for part in options.parts or PARTS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            file = f"sqlite:///{folder / 'tables.sqlite3'}"
            print(f"== {part}", flush=True)
            match part:
                case "sqlite":
                    storm = stormed([Server(folder, file)], folder, tables, seed, killing(every, seed))
                case "postgresql":
                    with running() as postgres:
                        database = postgres.new()
                        servers = [Server(folder, database) for _ in range(3)]
                        storm = stormed(servers, folder, tables, seed, killing(every, seed))
                case "restart":
                    with running() as postgres:
                        database = postgres.new()
                        servers = [Server(folder, database) for _ in range(2)]
                        storm = stormed(servers, folder, tables, seed, crashing(postgres, 2 * every))
                case "full":
                    full = folder / "full"
                    server = Server(folder, file, changed(FULL), more={"FULL": str(full)})
                    storm = stormed([server], folder, tables, seed, filling(full, every))
                case "early":
                    server = Server(folder, file, changed(EARLY))
                    storm = stormed([server], folder, min(tables, 40), seed, killing(every, seed))
                    lost = [what for what in storm.found if "missing" in what or "another one" in what]
                    print(f"a server that answers before it stores: {len(lost)} faults found, as there should be some")
                    failed |= not lost
                    continue
                case _:
                    failed |= bool(slow(folder, file))
                    continue
            failed |= report(storm)
    return int(failed)


def report(storm: Storm) -> bool:
    """Print what was counted and found; whether anything was."""
    print(f"tables {storm.tables}, seconds {storm.counts.pop('seconds')}")
    for what, number in sorted(storm.counts.items()):
        print(f"  {what}: {number}")
    if storm.waits:
        print(f"  answers, median {statistics.median(storm.waits) * 1e3:.0f} ms")
    print(f"  FOUND: {len(storm.found)}")
    for what in storm.found[:20]:
        print(f"    {what[:600]}")
    return bool(storm.found)


if __name__ == "__main__":
    raise SystemExit(main())
