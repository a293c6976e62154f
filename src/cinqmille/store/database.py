"""The way to the database: its address, its connections, the threads that wait for it, and what is said when it fails.

Work is a plain function of a connection, run in a thread of its own inside one transaction, the same for SQLite and
PostgreSQL. (Measured on SQLite, an awaited statement costs three to four times as much as one in a thread.) Whatever
becomes of the caller, a transaction that was begun is finished.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from platformdirs import user_data_path
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as NoConnection

from cinqmille.errors import CinqMilleError

_READERS = 4
_WRITES = "cinqmille_writes"  # marks connections whose transactions will write
_WAIT = 5  # seconds for a lock, and for a server to answer
# How PostgreSQL is connected to where the address does not say otherwise: when it is gone that is noticed soon, also by
# those who wait for its answer. Seconds, and milliseconds for the second one.
CONNECTED: dict[str, str | int] = {
    "connect_timeout": _WAIT,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "application_name": "cinqmille",
}
_OURS = (DataError, IntegrityError, NotSupportedError, ProgrammingError)  # what was asked is wrong, not the database
_log = logging.getLogger("cinqmille.store")
_Found = TypeVar("_Found")


class StoreError(CinqMilleError):
    """The database cannot do it now, or cannot be used at all; what was to be written was not acknowledged."""


def default_url() -> str:
    """Return the address of the database: ``CINQMILLE_DATABASE``, or a file in the user's data folder (made)."""
    if given := os.environ.get("CINQMILLE_DATABASE", "").strip():
        return given
    folder = user_data_path("cinqmille", ensure_exists=True)
    return f"sqlite:///{folder / 'tables.sqlite3'}"


def address_of(url: str | Path) -> URL:
    """Return an address with its driver; a path is an SQLite file. Raises StoreError for any other kind of database."""
    if isinstance(url, Path) or "://" not in url:
        return URL.create("sqlite", database=str(url))
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):  # their words would quote the address, and the password with it
        raise StoreError("database_address") from None
    match address.drivername.partition("+")[0]:
        case "sqlite" if address.database and address.database != ":memory:":
            return address.set(drivername="sqlite")
        case "postgresql" | "postgres":
            return address.set(drivername="postgresql+psycopg")
        case _:
            raise StoreError("database_address")


def shown(address: URL) -> str:
    """Return an address as people may see it: without password, without what stands behind a question mark."""
    if address.drivername == "sqlite":
        return str(address.database)
    return address.set(drivername="postgresql", query={}).render_as_string(hide_password=True)


class Database:
    """The connections to one database."""

    def __init__(self, address: URL) -> None:
        self.address = address
        self.shared = address.drivername != "sqlite"
        self.engine = _postgresql(address) if self.shared else _sqlite(address)
        self.writing = self.engine.execution_options(**{_WRITES: True})
        self.commits = 0  # transactions that were written, for whoever counts
        # SQLite has one writer at a time: where they queue here, none of them waits for a lock.
        self._writers = ThreadPoolExecutor(_READERS if self.shared else 1, "cinqmille-write")
        self._readers = ThreadPoolExecutor(_READERS, "cinqmille-read")
        self._closed = False

    async def read(self, work: Callable[[Connection], _Found]) -> _Found:
        """Return what ``work`` finds in one transaction; raises StoreError where the database fails."""

        def run() -> _Found:
            with failing("not_loaded"), self.engine.connect() as connection:
                return work(connection)

        if self._closed:
            raise StoreError("not_loaded")
        return await asyncio.get_running_loop().run_in_executor(self._readers, run)

    async def write(self, work: Callable[[Connection], _Found]) -> _Found:
        """Return what ``work`` returned once what it wrote is on disk; raises StoreError where that failed."""

        def run() -> _Found:
            with failing("not_stored"), self.writing.begin() as connection:
                return work(connection)

        found = await self.run(run)
        self.commits += 1
        return found

    async def run(self, work: Callable[[], _Found]) -> _Found:
        """Return what ``work`` returns, which sees to its connections itself."""
        if self._closed:
            raise StoreError("not_stored")
        return await asyncio.get_running_loop().run_in_executor(self._writers, work)

    async def close(self) -> None:
        """Let what was begun end, and let go of the database."""
        self._closed = True
        await asyncio.to_thread(self.release)

    def release(self) -> None:
        """Do the same in this thread."""
        self._closed = True
        self._writers.shutdown()
        self._readers.shutdown()
        self.engine.dispose()


@contextmanager
def failing(code: str) -> Iterator[None]:
    """Turn a failure of the database into a StoreError with this code, and tell the operator's log."""
    try:
        yield
    except (DBAPIError, NoConnection) as error:
        if isinstance(error, _OURS):
            raise
        _log.warning("%s: %s", code, detail_of(error))
        raise StoreError(code) from error


def patiently(work: Callable[[], object], seconds: float) -> None:
    """Do what SQLite may refuse because another process is at the file, again and again for so long."""
    until = time.monotonic() + seconds
    while True:
        try:
            work()
            return
        except (sqlite3.OperationalError, OperationalError) as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
        time.sleep(0.02)


def detail_of(error: SQLAlchemyError) -> str:
    """Return what the database itself said, on one line."""
    said = error.orig if isinstance(error, DBAPIError) else error
    return " ".join(str(said).split()) or type(error).__name__


def _sqlite(address: URL) -> Engine:
    # Of one writer and all readers each has a connection; none is ever waited for.
    engine = create_engine(
        address, hide_parameters=True, pool_size=_READERS + 1, max_overflow=0, connect_args={"cached_statements": 512}
    )

    @event.listens_for(engine, "connect")
    def _durable(connection: DBAPIConnection, _record: object) -> None:
        """An entry that is written stays written, whatever happens to the process or the power."""
        connection.isolation_level = None  # transactions begin where it is said below
        cursor = connection.cursor()
        for pragma in (f"busy_timeout={_WAIT * 1000}", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        # Whoever comes first changes the file for good; SQLite itself does not wait for another one who is at it.
        patiently(lambda: cursor.execute("PRAGMA journal_mode=WAL"), _WAIT)
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        """Whoever will write says so at once: a transaction that read first could not wait for a lock."""
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgresql(address: URL) -> Engine:
    try:
        engine = create_engine(
            address,
            hide_parameters=True,
            pool_size=2 * _READERS,
            max_overflow=0,
            pool_pre_ping=True,  # a connection that was lost while nobody used it is nobody's trouble
            connect_args={name: value for name, value in CONNECTED.items() if name not in address.query},
        )
    except ImportError:
        raise StoreError("database_driver") from None

    @event.listens_for(engine, "connect")
    def _durable(connection: DBAPIConnection, _record: object) -> None:
        """An entry is answered when it is on disk, and nobody waits for ever behind another."""
        cursor = connection.cursor()
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', false), set_config('lock_timeout', %s, false), "
            "set_config('idle_in_transaction_session_timeout', '60s', false)",
            (f"{_WAIT}s",),
        )
        cursor.close()
        connection.commit()

    return engine
