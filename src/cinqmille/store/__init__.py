"""Where tables are kept: an append-only journal of what happened at each, in SQLite or in PostgreSQL.

A table is what it opened with and numbered entries. An entry is on disk when :meth:`Store.write` returns; one with a
number that is taken already is refused. What the texts mean is for those to know who write them: games of one screen
(:mod:`cinqmille.store.local`), or tables that people share from afar.

A *device* is a browser: a random name in its cookie. Its list has the tables it opened or holds a seat at; it keeps its
usual names and its own rule sheets.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, case, delete, exists, func, insert, or_, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from cinqmille.errors import CinqMilleError
from cinqmille.record import Game
from cinqmille.store import local, schema
from cinqmille.store.bell import Bell, deleted, say
from cinqmille.store.database import Database, StoreError, address_of, default_url, shown
from cinqmille.store.local import Kept
from cinqmille.store.schema import Entry, Journal, Listed, Place
from cinqmille.store.upgrading import upgrade
from cinqmille.store.writer import Writer, hold

__all__ = ["BEGAN", "Entry", "Journal", "Kept", "Listed", "Place", "Store", "StoreError", "default_url", "prepare"]

# The kind of the entry with which a shared table begins to play.
BEGAN = "sealed"
_MOST_LISTED = 1000
_tables, _entries, _holders, _remembered = schema.tables, schema.entries, schema.holders, schema.remembered


def prepare(url: str | Path) -> None:
    """Make or upgrade the database at ``url``, so that whoever starts a server hears what is wrong before it does.

    Raises StoreError as :meth:`Store.open` does.
    """
    database = Database(address_of(url))
    try:
        upgrade(database)
    finally:
        database.release()


class Store:
    """The tables of one database; made by :meth:`open`. ``name`` is its address as people may see it.

    Everything that asks the database raises :class:`StoreError` where it fails: with code ``not_stored`` nothing was
    acknowledged (if the database went away in that very moment, the entry may be there all the same: read again), with
    ``not_loaded`` nothing could be read.
    """

    def __init__(self, database: Database) -> None:
        self.shared = database.shared
        self.name = shown(database.address)
        self._database = database
        self._writer = Writer(database)
        self._bells: list[Bell] = []
        # Games that were listed, so that a list does not replay what has not moved since.
        self._listed: dict[str, Kept] = {}

    @classmethod
    async def open(cls, url: str | Path, *, new: bool = True) -> Store:
        """Return the store at ``url``: ``sqlite:///PATH``, ``postgresql://USER:PASSWORD@HOST/NAME``, or a file's path.

        Its tables are made, or brought up to this version. Raises StoreError where that cannot be done, and where there
        is no such file and no ``new`` one is wanted.
        """
        address = address_of(url)
        if not new and address.drivername == "sqlite" and not Path(str(address.database)).exists():
            raise StoreError("database_missing", database=shown(address))
        database = Database(address)
        try:
            await database.run(lambda: upgrade(database))
        except BaseException:
            await database.close()
            raise
        return cls(database)

    async def close(self) -> None:
        """Write what is waiting, and let go of the database."""
        for bell in self._bells:
            await bell.close()
        await self._writer.close()
        await self._database.close()

    # Journals

    async def put(self, id: str, device: str, opening: str, *, kind: str = "online") -> bool:
        """Store a new table of a kind (``online`` or ``local``), opened by a device; ``opening`` is JSON text.

        Returns False where there is a table of this name, which stays as it is.
        """
        try:
            await self._put(id, device, opening, kind, over=False)
        except IntegrityError:
            return False
        return True

    async def _put(self, id: str, device: str, opening: str, kind: str, *, over: bool) -> None:
        now = time.time()
        row = {
            "id": id, "device": device, "opening": opening, "opened": now, "played": now, "over": int(over),
            "kind": kind, "number": 0,
        }  # fmt: skip
        await self._database.write(lambda connection: connection.execute(insert(_tables), row).close())

    async def write(self, id: str, entry: Entry, *, over: bool = False, holder: str | None = None) -> None:
        """Store the next entry of a table; return when it is on disk.

        ``over`` says whether the game is over with it, ``holder`` is a device that holds a seat from now on. Raises
        IllegalAction: ``stale`` where the number is not the next one, ``table_gone`` where there is no such table.
        A caller that is cancelled takes nothing back. Where servers share the database, they are told.
        """
        await self._writer.write(id, entry, over=over, holder=holder)

    async def read(self, id: str) -> Journal | None:
        """Return a table with all its entries, or None where there is none with this name."""

        def work(connection: Connection) -> Journal | None:
            row = connection.execute(select(_tables).where(_tables.c.id == id)).one_or_none()
            if row is None:
                return None
            entries = _entries_of(connection, id, 0)
            return Journal(id, row.device, row.kind, row.opening, entries, row.opened, row.played, bool(row.over))

        return await self._database.read(work)

    async def has(self, id: str) -> bool:
        """Return whether there is a table with this name."""
        wanted = select(exists().where(_tables.c.id == id))
        return await self._database.read(lambda connection: bool(connection.execute(wanted).scalar_one()))

    async def since(self, id: str, number: int) -> tuple[Entry, ...]:
        """Return the entries of a table after a number; none where there is no such table."""
        return await self._database.read(lambda connection: _entries_of(connection, id, number))

    async def listen(
        self, changed: Callable[[str, int], None], word: Callable[[str], None], gap: Callable[[], None]
    ) -> None:
        """Hear what servers on the same database do, this one too, until the store is closed; on SQLite nothing.

        ``changed`` gets a table and its number (0: it was deleted), ``word`` what was said with :meth:`say`; ``gap`` is
        called whenever something may have been missed. Returns when it listens, or when it has to wait for the database
        to do so.
        """
        if self.shared:
            bell = Bell(self._database, changed, word, gap)
            self._bells.append(bell)
            await bell.start()

    async def say(self, word: str) -> None:
        """Say a word of less than 8,000 bytes to every server that listens, this one too; on SQLite nothing."""
        if self.shared:
            await self._database.write(lambda connection: say(connection, word))

    @property
    def commits(self) -> int:
        """How many transactions this server has written."""
        return self._database.commits

    async def alive(self) -> None:
        """Ask the database anything; raises StoreError where it does not answer."""
        await self._database.read(lambda connection: connection.execute(select(1)).close())

    # Lists

    async def places(self, device: str, *, most: int = 50) -> list[Place]:
        """Return the tables a device opened or holds a seat at: unfinished ones first, then those played last."""
        held = select(_holders.c.table).where(_holders.c.device == device)
        return await self._places(or_(_tables.c.device == device, _tables.c.id.in_(held)), most)

    async def finished(self, after: tuple[float, str] = (0.0, ""), *, most: int = 50) -> list[Place]:
        """Return the tables whose game is over, of both kinds, by when they were last played.

        ``after`` is the moment and the name of the last one of a list before.
        """
        later = tuple_(_tables.c.played, _tables.c.id) > after
        wanted = (
            select(_tables.c.id, _tables.c.kind, _tables.c.over, _tables.c.played)
            .where((_tables.c.over == 1) & later)
            .order_by(_tables.c.played, _tables.c.id)
            .limit(most)
        )

        def work(connection: Connection) -> list[Place]:
            return [Place(row.id, row.kind, bool(row.over), row.played) for row in connection.execute(wanted)]

        return await self._database.read(work)

    async def count_finished(self) -> int:
        """Return how many tables there are whose game is over."""
        wanted = select(func.count()).select_from(_tables).where(_tables.c.over == 1)
        return await self._database.read(lambda connection: connection.execute(wanted).scalar_one())

    async def hold(self, id: str, device: str) -> None:
        """Put a shared table on the list of a device that holds a seat there too."""
        await self._database.write(lambda connection: hold(connection, device, id))

    async def _places(self, which: ColumnElement[bool], most: int) -> list[Place]:
        wanted = (
            select(_tables.c.id, _tables.c.kind, _tables.c.over, _tables.c.played)
            .where(which)
            .order_by(_tables.c.over, _tables.c.played.desc())
            .limit(most)
        )

        def work(connection: Connection) -> list[Place]:
            return [Place(row.id, row.kind, bool(row.over), row.played) for row in connection.execute(wanted)]

        return await self._database.read(work)

    async def forget(self, id: str, device: str) -> bool:
        """Take a table off the list of a device; tell whether it was on it.

        A local table is deleted. A shared one is when nobody has it on a list any more and it never began or is over.
        """

        def work(connection: Connection) -> bool:
            row = connection.execute(
                select(_tables.c.device, _tables.c.kind).where(_tables.c.id == id).with_for_update()
            ).one_or_none()
            if row is None:
                return False
            if row.kind == "local":
                return row.device == device and _delete(connection, [id]) == 1
            held = (_holders.c.table == id) & (_holders.c.device == device)
            listed = row.device == device or connection.execute(select(exists().where(held))).scalar_one()
            if listed:
                connection.execute(delete(_holders).where(held))
                if row.device == device:
                    connection.execute(update(_tables).where(_tables.c.id == id).values(device=""))
                nobodys = (_tables.c.device == "") & ~exists().where(_holders.c.table == _tables.c.id)
                unplayed = (_tables.c.over == 1) | ~_begun()
                if connection.execute(select(_tables.c.id).where((_tables.c.id == id) & nobodys & unplayed)).first():
                    _delete(connection, [id])
            return bool(listed)

        return await self._database.write(work)

    # For the operator

    async def listed(self) -> list[Listed]:
        """Return every table, the one played last first."""

        def work(connection: Connection) -> list[Listed]:
            rows = connection.execute(select(_tables, _begun().label("begun")).order_by(_tables.c.played.desc())).all()
            # Whoever plays has sat down before long, so that not every entry of every game has to be looked at.
            shared = select(_tables.c.id).where(_tables.c.kind != "local")
            seated = select(_entries.c.table, _entries.c.kind, _entries.c.content).where(
                _entries.c.table.in_(shared) & (_entries.c.number <= _SEATED_BY) & _entries.c.kind.in_(_SEATS)
            )
            named: dict[str, list[tuple[str, str]]] = {}
            for entry in connection.execute(seated.order_by(_entries.c.table, _entries.c.number)):
                named.setdefault(entry.table, []).append((entry.kind, entry.content))
            return [
                Listed(
                    row.id,
                    row.kind,
                    _players(row.opening, named.get(row.id, [])),
                    row.opened,
                    row.played,
                    row.number,
                    "over" if row.over else "playing" if row.begun else "unbegun",
                )
                for row in rows
            ]

        return await self._database.read(work)

    async def delete(self, id: str) -> bool:
        """Delete a table with everything that is known of it; tell whether there was one."""
        return await self._database.write(lambda connection: _delete(connection, [id])) == 1

    async def prune(self, before: float, *, unbegun: bool = False) -> list[str]:
        """Delete the tables last played before a moment (seconds since 1970), or of these only those that never began.

        Returns their names.
        """

        def work(connection: Connection) -> list[str]:
            old = _tables.c.played < before
            wanted = select(_tables.c.id).where(old & ~_begun() if unbegun else old).order_by(_tables.c.played)
            ids = list(connection.execute(wanted).scalars())
            _delete(connection, ids)
            return ids

        return await self._database.write(work)

    # Games of one screen

    async def create(self, id: str, device: str, game: Game) -> None:
        """Store a new table with its game so far."""
        await self._put(id, device, local.opening_of(game), "local", over=game.position.phase == "over")

    async def append(self, id: str, number: int, before: Game, after: Game) -> None:
        """Store what led from one game to the next as entry ``number``; raises what :meth:`write` raises."""
        await self.write(id, local.entry_of(number, before, after), over=after.position.phase == "over")

    async def load(self, id: str) -> Kept | None:
        """Return a local table as it stands, or None where there is none with this name."""
        journal = await self.read(id)
        return None if journal is None or journal.kind != "local" else local.kept(journal)

    async def of_device(self, device: str, *, most: int = 50) -> list[Kept]:
        """Return the local tables a device opened, unfinished ones first, then by when they were last played."""
        found = []
        for place in await self._places((_tables.c.device == device) & (_tables.c.kind == "local"), most):
            kept = self._listed.get(place.id)
            if kept is None or kept.played != place.played:
                try:
                    kept = await self.load(place.id)
                except StoreError:
                    raise
                except CinqMilleError:
                    continue  # written under rules that this version does not play; it stays in the database
            if kept is not None:
                found.append(kept)
                self._listed.pop(place.id, None)
                self._listed[place.id] = kept
        for id in list(self._listed)[:-_MOST_LISTED]:
            del self._listed[id]
        return found

    # Small values

    async def remember(self, device: str, key: str, value: object) -> None:
        """Keep a small value (of JSON) for a device."""
        upsert = (postgresql if self.shared else sqlite).insert(_remembered)
        row = upsert.values(device=device, key=key, content=json.dumps(value))
        row = row.on_conflict_do_update(index_elements=["device", "key"], set_={"content": row.excluded.content})
        await self._database.write(lambda connection: connection.execute(row).close())

    async def recall(self, device: str, keys: Sequence[str]) -> dict[str, object]:
        """Return what is kept for a device under these keys."""
        wanted = select(_remembered).where((_remembered.c.device == device) & _remembered.c.key.in_(keys))

        def work(connection: Connection) -> dict[str, object]:
            return {row.key: json.loads(row.content) for row in connection.execute(wanted)}

        return await self._database.read(work)


def _entries_of(connection: Connection, id: str, number: int) -> tuple[Entry, ...]:
    of_table = (_entries.c.table == id) & (_entries.c.number > number)
    columns = (
        _entries.c.number,
        _entries.c.at,
        _entries.c.author,
        _entries.c.cause,
        _entries.c.kind,
        _entries.c.content,
    )
    wanted = select(*columns).where(of_table).order_by(_entries.c.number)
    return tuple([Entry(*row) for row in connection.execute(wanted)])


def _begun() -> ColumnElement[bool]:
    """Whether anything was played: at a shared table people gather first."""
    began = exists().where((_entries.c.table == _tables.c.id) & (_entries.c.kind == BEGAN))
    return case((_tables.c.kind == "local", _tables.c.number > 0), else_=began)


def _delete(connection: Connection, ids: Sequence[str]) -> int:
    """Delete tables, entries and holders with them, and what was remembered for them; tell how many there were."""
    found = 0
    for start in range(0, len(ids), 500):
        part = ids[start : start + 500]
        connection.execute(delete(_remembered).where(_remembered.c.device.in_([f"table-{id}" for id in part])))
        found += connection.execute(delete(_tables).where(_tables.c.id.in_(part))).rowcount
    if connection.dialect.name == "postgresql":
        deleted(connection, ids)
    return found


# The kinds of entries of shared tables that seat somebody, or empty a seat.
_SEATS = ("joined", "bot", "left")
_SEATED_BY = 200


def _players(opening: str, seated: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    try:
        data = json.loads(opening)
        names = [one["name"] if isinstance(one, dict) else one for one in data.get("seats") or data["players"]]
        for kind, content in seated:
            change = json.loads(content)
            if kind == "left":
                del names[change["left"]]
            else:
                names.append(change["name"])
    except (ValueError, TypeError, LookupError, AttributeError):  # written by another version: not for us to read
        return ()
    return tuple(str(name) for name in names)
