"""The one who writes entries: all that are waiting, of all tables, in one transaction; each caller goes on after it.

While a transaction is on its way to the disk the next entries gather, so that the busier the server is the more of
them share one wait for the disk; alone, an entry waits for nobody.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Connection, text

from cinqmille.errors import CinqMilleError, IllegalAction
from cinqmille.store.database import Database, StoreError
from cinqmille.store.schema import Entry

CHANNEL = "cinqmille"
_MOST_AT_ONCE = 500
_COLUMNS = 7


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    id: str
    entry: Entry
    over: bool
    holder: str | None
    done: asyncio.Future[None]


class Writer:
    """The queue of what waits to be written to one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Waiting] = []
        self._work: asyncio.Task[None] | None = None
        self._closed = False

    async def write(self, id: str, entry: Entry, *, over: bool, holder: str | None) -> None:
        """Return when the entry is on disk.

        Raises IllegalAction where its number is not the next one or the table is gone, StoreError where it could not be
        written. A caller that is cancelled takes nothing back: what stood in the queue is written.
        """
        if self._closed:
            raise StoreError("not_stored")
        done = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(id, entry, over, holder, done))
        if self._work is None:
            self._work = asyncio.create_task(self._all())
        await done

    async def close(self) -> None:
        """Write what is waiting, and nothing more."""
        self._closed = True
        if self._work is not None:
            await self._work

    async def _all(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:_MOST_AT_ONCE], self._waiting[_MOST_AT_ONCE:]
                await self._together(batch)
        finally:
            self._work = None

    async def _together(self, batch: Sequence[_Waiting]) -> None:
        try:
            outcomes = await self._database.write(lambda connection: _written(connection, batch))
        except StoreError as error:
            for one in batch:
                _answer(one, StoreError(error.code, **error.params))
        except Exception as error:
            if len(batch) == 1:
                _answer(batch[0], error)
            else:  # one of them cannot be written by any database: the others do not pay for it
                for one in batch:
                    await self._together([one])
        else:
            for one, outcome in zip(batch, outcomes, strict=True):
                _answer(one, outcome)


def _answer(one: _Waiting, outcome: Exception | None) -> None:
    if one.done.done():  # nobody waits any more
        return
    if outcome is None:
        one.done.set_result(None)
    else:
        one.done.set_exception(outcome)


def _written(connection: Connection, batch: Sequence[_Waiting]) -> list[CinqMilleError | None]:
    """Write what can be written of a batch; return for each of it why it could not be, or None."""
    postgresql = connection.dialect.name == "postgresql"
    ids = sorted({one.id for one in batch})
    last = _numbers_on_postgresql(connection, ids) if postgresql else _numbers_on_sqlite(connection, ids)
    outcomes: list[CinqMilleError | None] = []
    accepted: list[_Waiting] = []
    for one in batch:
        known, number = last.get(one.id), one.entry.number
        if known is None:
            outcomes.append(IllegalAction("table_gone"))
        elif number != known + 1:
            outcomes.append(IllegalAction("stale", seen=number - 1, number=known))
        else:
            last[one.id] = number
            accepted.append(one)
            outcomes.append(None)
    if accepted:
        (_add_to_postgresql if postgresql else _add_to_sqlite)(connection, accepted)
        for one in accepted:
            if one.holder:
                hold(connection, one.holder, one.id)
    return outcomes


def hold(connection: Connection, device: str, id: str) -> None:
    """Note that a device holds a seat at a table; once is enough."""
    connection.execute(_HOLDS, {"device": device, "table": id})


_HOLDS = text(
    'INSERT INTO holders (device, "table") SELECT CAST(:device AS VARCHAR), id FROM tables WHERE id = :table '
    "ON CONFLICT DO NOTHING"
)


# Each statement goes to SQLite with all its rows at once: between two of them the thread may have to wait for its turn
# to run, and on a busy server that would be the time that writing takes.


def _numbers_on_sqlite(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    found = connection.exec_driver_sql(
        "SELECT json_group_object(id, number) FROM tables WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids),),
    ).scalar_one()
    numbers: dict[str, int] = json.loads(found)
    return numbers


def _add_to_sqlite(connection: Connection, accepted: Sequence[_Waiting]) -> None:
    values: list[object] = []
    for one in accepted:
        entry = one.entry
        values += (one.id, entry.number, entry.at, entry.kind, entry.content, entry.author, entry.cause)
    connection.exec_driver_sql(_insert_of(len(accepted)), tuple(values))
    latest = {one.id: one for one in accepted}
    changes: list[object] = []
    for one in latest.values():
        changes += (one.id, one.entry.number, one.entry.at, int(one.over))
    connection.exec_driver_sql(_update_of(len(latest)), tuple(changes))


@lru_cache(_MOST_AT_ONCE)
def _insert_of(rows: int) -> str:
    values = ", ".join([f"({', '.join('?' * _COLUMNS)})"] * rows)
    return f'INSERT INTO entries ("table", number, at, kind, content, author, cause) VALUES {values}'


@lru_cache(_MOST_AT_ONCE)
def _update_of(rows: int) -> str:
    values = ", ".join(["(?, ?, ?, ?)"] * rows)
    return (
        "UPDATE tables SET number = new.column2, played = new.column3, over = new.column4 "
        f"FROM (VALUES {values}) AS new WHERE tables.id = new.column1"
    )


# On PostgreSQL other servers write too: whoever holds the rows of tables, always taken in the same order, writes next.

_NUMBERS = text("SELECT id, number FROM tables WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE")
# In one statement, so that the server is asked once.
_ADD = text(
    'WITH added AS (INSERT INTO entries ("table", number, at, kind, content, author, cause) SELECT * FROM unnest('
    "CAST(:id AS text[]), CAST(:number AS int[]), CAST(:at AS float8[]), CAST(:kind AS text[]), "
    "CAST(:content AS text[]), CAST(:author AS int[]), CAST(:cause AS text[]))), "
    "new (id, number, played, over) AS (SELECT * FROM unnest(CAST(:last_id AS text[]), CAST(:last_number AS int[]), "
    "CAST(:played AS float8[]), CAST(:over AS int[]))), "
    "moved AS (UPDATE tables SET number = new.number, played = new.played, over = new.over "
    "FROM new WHERE tables.id = new.id) "
    "SELECT pg_notify(:channel, new.id || ' ' || new.number) FROM new"
)


def _numbers_on_postgresql(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    return {row.id: row.number for row in connection.execute(_NUMBERS, {"ids": list(ids)})}


def _add_to_postgresql(connection: Connection, accepted: Sequence[_Waiting]) -> None:
    written = [one.entry for one in accepted]
    latest = list({one.id: one for one in accepted}.values())
    connection.execute(
        _ADD,
        {
            "id": [one.id for one in accepted],
            "number": [entry.number for entry in written],
            "at": [entry.at for entry in written],
            "kind": [entry.kind for entry in written],
            "content": [entry.content for entry in written],
            "author": [entry.author for entry in written],
            "cause": [entry.cause for entry in written],
            "last_id": [one.id for one in latest],
            "last_number": [one.entry.number for one in latest],
            "played": [one.entry.at for one in latest],
            "over": [int(one.over) for one in latest],
            "channel": CHANNEL,
        },
    )
