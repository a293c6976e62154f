"""Server processes of their own, and clients that cost little: for what can only be shown over the network.

Nothing of the package is imported here: a server is a process that is started, asked and killed.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SERVE = ("-m", "cinqmille", "serve", "--no-browser", "--limits", "0")


class Lost(Exception):
    """Nobody knows whether a request arrived."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, and what came with it."""

    status: int
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of a refusal."""
        return str(self.data["error"]["code"])


def request(method: str, path: str, body: object = None, token: str = "") -> bytes:
    """A request as it goes over the network."""
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\n"
    if token:
        head += f"authorization: Bearer {token}\r\n"
    if content:
        head += f"content-type: application/json\r\ncontent-length: {len(content)}\r\n"
    return head.encode() + b"\r\n" + content


class Connection(asyncio.Protocol):
    """A connection that stays open; one thing is asked at a time, or a stream is followed."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._answer: asyncio.Future[Answer] | None = None
        self._told: Callable[[str, str], None] | None = None
        self._begun = False
        self._event = bytearray()
        self.lost = asyncio.get_running_loop().create_future()
        self.transport: asyncio.Transport

    @classmethod
    async def open(cls, port: int) -> "Connection":
        try:
            _, made = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        except OSError as error:
            raise Lost(str(error)) from None
        return made

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.lost.done():
            self.lost.set_result(None)
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Lost("cut off"))

    async def ask(self, sent: bytes, within: float = 30) -> Answer:
        """Send a request and wait for its answer; raises Lost where none comes."""
        if self.lost.done():
            raise Lost("cut off before")
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(sent)
        try:
            return await asyncio.wait_for(self._answer, within)
        except TimeoutError:
            self.close()
            raise Lost("no answer") from None
        finally:
            self._answer = None

    def follow(self, sent: bytes, told: Callable[[str, str], None]) -> None:
        """Ask for a stream of events; ``told`` gets the kind and the data of each, or ``refused`` and the answer."""
        self._told = told
        self.transport.write(sent)

    def close(self) -> None:
        """Cut it off at once."""
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self._bytes += data
        while self._read():
            pass

    def _read(self) -> bool:
        """Read one answer, or one piece of a stream; whether there was one."""
        found = self._bytes
        if self._begun:
            return self._piece()
        end = found.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = bytes(found[:end]).lower()
        status = int(head[9:12])
        if self._told is not None and status == 200:
            del found[: end + 4]
            self._begun = True
            self._told("open", "")
            return True
        place = head.find(b"\r\ncontent-length:")
        length = int(head[place + 17 :].split(b"\r\n", 1)[0]) if place >= 0 else 0
        if len(found) < end + 4 + length:
            return False
        answer = Answer(status, bytes(found[end + 4 : end + 4 + length]))
        del found[: end + 4 + length]
        if self._told is not None:
            self._told("refused", answer.body.decode())
        elif self._answer is not None and not self._answer.done():
            self._answer.set_result(answer)
        return True

    def _piece(self) -> bool:
        found = self._bytes
        end = found.find(b"\r\n")
        if end < 0:
            return False
        length = int(found[:end], 16)
        if len(found) < end + 2 + length + 2:
            return False
        self._event += found[end + 2 : end + 2 + length]
        del found[: end + 2 + length + 2]
        while (end := self._event.find(b"\n\n")) >= 0:
            lines = bytes(self._event[:end]).decode().split("\n")
            del self._event[: end + 2]
            fields = dict(line.split(": ", 1) for line in lines if not line.startswith(":"))
            if fields and self._told is not None:
                self._told(fields["event"], fields["data"])
        return True


@dataclass
class Server:
    """A server process at one port, on one database; ``in_flight`` is what the clients wait for just now."""

    folder: Path
    database: str
    program: Sequence[str] = SERVE
    core: int | None = None
    more: dict[str, str] = field(default_factory=dict)
    port: int = 0
    in_flight: int = 0
    process: "subprocess.Popen[bytes] | None" = None

    def __post_init__(self) -> None:
        if not self.port:
            with closing(socket.create_server(("127.0.0.1", 0))) as free:
                self.port = free.getsockname()[1]

    @property
    def log(self) -> Path:
        return self.folder / f"server-{self.port}.log"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> None:
        environment = os.environ | {"CINQMILLE_DATABASE": self.database, "PYTHONUNBUFFERED": "1"} | self.more
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, *self.program, "--port", str(self.port)], env=environment,
                stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            )  # fmt: skip
        if self.core is not None:
            os.sched_setaffinity(self.process.pid, {self.core})

    async def ready(self, within: float = 60) -> None:
        """Wait until it answers."""
        async with asyncio.timeout(within):
            while True:
                assert self.process is not None
                assert self.process.poll() is None, self.log.read_text("utf-8")
                with contextlib.suppress(Lost):
                    connection = await Connection.open(self.port)
                    answer = await connection.ask(request("GET", "/health"))
                    connection.close()
                    if answer.status == 200:
                        return
                await asyncio.sleep(0.02)

    def kill(self) -> None:
        """As a power cut would: nothing is finished, nobody is told."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def memory(self) -> int:
        """What it holds in memory, in bytes."""
        with Path(f"/proc/{self.pid}/statm").open() as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def seconds(self) -> float:
        """How long it has computed."""
        with Path(f"/proc/{self.pid}/stat").open() as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def warnings(self) -> list[str]:
        """What it warned of in its log, without the times and without what differs each time."""
        lines = self.log.read_text("utf-8").splitlines() if self.log.exists() else []
        return [line.partition(" WARNING ")[2].partition(": ")[2][:60] for line in lines if " WARNING " in line]

    def failures(self) -> int:
        """How many failures of its own it wrote into its log."""
        return self.log.read_text("utf-8").count("Traceback (most recent call last)") if self.log.exists() else 0
