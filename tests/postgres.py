"""A PostgreSQL of the tests' own, and the fixture that gives a test a fresh database of either kind.

The server runs in a temporary folder, listens on the loopback only, waits for the disk, and is gone with
the test run. PostgreSQL refuses to be run by root; then it runs as the user that its Debian package makes.
"""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

USER, PASSWORD = "cinqmille", "never:shown/@5000"
_ESCAPED = "never%3Ashown%2F%405000"
MISSING = "PostgreSQL is not installed here, and these tests need it: install the Debian package 'postgresql'."


def programs() -> Path:
    """The folder of initdb, pg_ctl and the others."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: -int(folder.parent.name))
    for folder in folders:
        if (folder / "pg_ctl").exists():
            return folder
    pytest.fail(MISSING)


def _as_its_user(command: Sequence[object]) -> list[str]:
    words = [str(word) for word in command]
    if os.geteuid() != 0:
        return words
    if shutil.which("runuser"):
        return ["runuser", "-u", "postgres", "--", *words]
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *words]


@dataclass
class Postgres:
    """A server: ``start`` and ``stop`` it, ``restart`` it as a crash would, ask it for a fresh database."""

    folder: Path
    port: int = 0
    made: int = 0
    programs: Path = field(default_factory=programs)

    def _run(self, program: str, *arguments: object) -> None:
        command = _as_its_user([self.programs / program, *arguments])
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        log = self.folder / f"{program}.log"
        with log.open("a", encoding="utf-8") as out:  # the server inherits it: a pipe would never end
            done = subprocess.run(
                command, cwd="/", env=environment | {"LC_ALL": "C"}, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                timeout=120, check=False,
            )  # fmt: skip
        assert done.returncode == 0, "\n".join(path.read_text("utf-8") for path in self.folder.glob("*.log"))

    def start(self) -> None:
        with closing(socket.create_server(("127.0.0.1", 0))) as free:
            self.port = free.getsockname()[1]
        secret = self.folder / "password"
        secret.write_text(PASSWORD, encoding="ascii")
        if os.geteuid() == 0:
            for path in (self.folder, secret):
                shutil.chown(path, "postgres")
        self._run(
            "initdb", "-D", self.folder / "data", "-U", USER, "-A", "scram-sha-256", f"--pwfile={secret}",
            "-E", "UTF8", "--locale=C", "--no-sync",
        )  # fmt: skip
        with (self.folder / "data" / "postgresql.conf").open("a", encoding="ascii") as settings:
            settings.write(
                f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n"
                "fsync = on\nsynchronous_commit = on\nmax_connections = 100\nshared_buffers = 32MB\n"
            )
        self._run("pg_ctl", "start", "-w", "-D", self.folder / "data", "-l", self.folder / "data" / "server.log")

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "-w", "-m", "fast", "-D", self.folder / "data")

    def restart(self) -> None:
        """Let it crash and recover: nothing is written back, nobody is waited for."""
        log = self.folder / "data" / "server.log"
        self._run("pg_ctl", "restart", "-w", "-m", "immediate", "-D", self.folder / "data", "-l", log)

    def url(self, name: str = "postgres") -> str:
        return f"postgresql://{USER}:{_ESCAPED}@127.0.0.1:{self.port}/{name}"

    def new(self) -> str:
        """The address of a database that is empty."""
        self.made += 1
        with self.ask() as connection:
            connection.execute(f"CREATE DATABASE t{self.made} TEMPLATE template0".encode())
        return self.url(f"t{self.made}")

    def ask(self, name: str = "postgres") -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(self.url(name), autocommit=True)


@contextmanager
def running() -> Iterator[Postgres]:
    """A server that runs until the block is left."""
    folder = Path(tempfile.mkdtemp(prefix="cinqmille-postgres-"))
    server = Postgres(folder)
    try:
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The server, for the whole test run."""
    with running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, one test for each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'tables.sqlite3'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.new()
