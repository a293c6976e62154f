"""Where tables are kept: an append-only journal of what happened at each, in SQLite or any database SQLAlchemy knows.

A table is its opening record and numbered entries; an entry holds the actions it added, or the whole record where
something was taken back or corrected. Loading replays them, so nothing is stored that could contradict the game. An
entry is on disk when :meth:`Store.append` returns; one with a number that is taken already is refused.

A *device* is a browser: a random name in its cookie. It owns the tables it opened, its usual names and its own rule
sheets.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path
from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    delete,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from cinqmille.actions import format_action, parse_action
from cinqmille.errors import CinqMilleError, IllegalAction
from cinqmille.record import Game

_MOST_LISTED = 1000
_metadata = MetaData()
_tables = Table(
    "tables",
    _metadata,
    Column("id", String(32), primary_key=True),
    Column("device", String(64), nullable=False, index=True),
    Column("record", Text, nullable=False),
    Column("opened", Float, nullable=False),
    Column("played", Float, nullable=False),
    Column("over", Integer, nullable=False, default=0),
)
_entries = Table(
    "entries",
    _metadata,
    Column("table", ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Column("kind", String(8), nullable=False),
    Column("content", Text, nullable=False),
    PrimaryKeyConstraint("table", "number"),
)
_remembered = Table(
    "remembered",
    _metadata,
    Column("device", String(64), nullable=False),
    Column("key", String(64), nullable=False),
    Column("content", Text, nullable=False),
    PrimaryKeyConstraint("device", "key"),
)


@dataclass(frozen=True, slots=True)
class Kept:
    """A table as it is stored: its game, the number of its last entry, when it was opened and last played (seconds)."""

    id: str
    device: str
    game: Game
    number: int
    opened: float
    played: float


def default_url() -> str:
    """Return the address of the database in the user's data folder, which is made."""
    folder = user_data_path("cinqmille", ensure_exists=True)
    return f"sqlite+aiosqlite:///{folder / 'tables.sqlite3'}"


class Store:
    """The tables of one database; made by :meth:`open`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        # Games that were listed, so that a list does not replay what has not moved since.
        self._listed: dict[str, Kept] = {}

    @classmethod
    async def open(cls, url: str | Path) -> Store:
        """Return the store at ``url`` (or the SQLite file at a path), its tables made where they are missing."""
        address = f"sqlite+aiosqlite:///{url}" if isinstance(url, Path) else url
        engine = create_async_engine(address)
        if engine.dialect.name == "sqlite":
            event.listen(engine.sync_engine, "connect", _durable)
        async with engine.begin() as connection:
            await connection.run_sync(_metadata.create_all)
        return cls(engine)

    async def close(self) -> None:
        """Let go of the database."""
        await self._engine.dispose()

    async def create(self, id: str, device: str, game: Game) -> None:
        """Store a new table with its game so far."""
        now = time.time()
        async with self._engine.begin() as connection:
            row = {
                "id": id, "device": device, "record": json.dumps(game.to_json()), "opened": now, "played": now,
                "over": game.position.phase == "over",
            }  # fmt: skip
            await connection.execute(insert(_tables).values(row))

    async def append(self, id: str, number: int, before: Game, after: Game) -> None:
        """Store what led from one game to the next as entry ``number``; raise IllegalAction where it is taken."""
        done = len(before.actions)
        if after.actions[:done] == before.actions and after.headers == before.headers:
            kind, content = "actions", json.dumps([format_action(action) for action in after.actions[done:]])
        else:
            kind, content = "record", json.dumps(after.to_json())
        now = time.time()
        entry = {"table": id, "number": number, "at": now, "kind": kind, "content": content}
        changes = {"played": now, "over": int(after.position.phase == "over")}
        try:
            async with self._engine.begin() as connection:
                await connection.execute(insert(_entries).values(entry))
                await connection.execute(update(_tables).where(_tables.c.id == id).values(changes))
        except IntegrityError:
            raise IllegalAction("stale", seen=number - 1, number=number) from None

    async def load(self, id: str) -> Kept | None:
        """Return a table as it stands, or None where there is none with this name."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(select(_tables).where(_tables.c.id == id))).one_or_none()
            if row is None:
                return None
            entries = select(_entries).where(_entries.c.table == id).order_by(_entries.c.number)
            game, number = Game.from_json(row.record), 0
            for entry in await connection.execute(entries):
                game, number = _replayed(game, entry.kind, entry.content), entry.number
        return Kept(id, row.device, game, number, row.opened, row.played)

    async def of_device(self, device: str, *, most: int = 50) -> list[Kept]:
        """Return the tables a device opened, unfinished ones first, then by when they were last played."""
        wanted = (
            select(_tables.c.id, _tables.c.played)
            .where(_tables.c.device == device)
            .order_by(_tables.c.over, _tables.c.played.desc())
            .limit(most)
        )
        async with self._engine.connect() as connection:
            rows = (await connection.execute(wanted)).all()
        found = []
        for id, played in rows:
            kept = self._listed.get(id)
            if kept is None or kept.played != played:
                try:
                    kept = await self.load(id)
                except CinqMilleError:
                    continue  # written under rules that this version does not play; it stays in the database
            if kept is not None:
                found.append(kept)
                self._listed.pop(id, None)
                self._listed[id] = kept
        for id in list(self._listed)[:-_MOST_LISTED]:
            del self._listed[id]
        return found

    async def forget(self, id: str, device: str) -> bool:
        """Delete a table of this device; tell whether there was one."""
        async with self._engine.begin() as connection:
            own = (_tables.c.id == id) & (_tables.c.device == device)
            if (await connection.execute(select(_tables.c.id).where(own))).one_or_none() is None:
                return False
            await connection.execute(delete(_entries).where(_entries.c.table == id))
            await connection.execute(delete(_tables).where(own))
        return True

    async def remember(self, device: str, key: str, value: object) -> None:
        """Keep a small value (of JSON) for a device."""
        upsert = (sqlite if self._engine.dialect.name == "sqlite" else postgresql).insert(_remembered)
        row = upsert.values(device=device, key=key, content=json.dumps(value))
        row = row.on_conflict_do_update(index_elements=["device", "key"], set_={"content": row.excluded.content})
        async with self._engine.begin() as connection:
            await connection.execute(row)

    async def recall(self, device: str, keys: Sequence[str]) -> dict[str, object]:
        """Return what is kept for a device under these keys."""
        wanted = select(_remembered).where((_remembered.c.device == device) & _remembered.c.key.in_(keys))
        async with self._engine.connect() as connection:
            return {row.key: json.loads(row.content) for row in await connection.execute(wanted)}


def _replayed(game: Game, kind: str, content: str) -> Game:
    if kind == "record":
        return Game.from_json(content)
    for text in json.loads(content):
        game = game.play(parse_action(text))
    return game


def _durable(connection: DBAPIConnection, _record: object) -> None:
    """An entry that is written stays written, whatever happens to the process or the power."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
