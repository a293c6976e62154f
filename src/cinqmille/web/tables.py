"""The tables that are played on this server: a lock each, saved before shown, and word to everybody who watches."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import TypeVar

from cinqmille.errors import IllegalAction
from cinqmille.record import Game
from cinqmille.store import Kept, Store
from cinqmille.story import Story, story
from cinqmille.table import Table
from cinqmille.web.course import Course, follow

_MOST_OPEN = 500
Done = TypeVar("Done")


def new_id() -> str:
    """Return a name for a table that nobody guesses."""
    return secrets.token_urlsafe(12)


@dataclass(slots=True)
class Live:
    """A table in memory: whoever holds ``lock`` may act; ``watchers`` are told its number after every change.

    ``table`` is as it is stored; it is replaced, never changed, so that whoever reads it sees one moment.
    """

    id: str
    device: str
    table: Table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[asyncio.Queue[int]] = field(default_factory=set)
    _course: Course | None = None
    _story: tuple[Game, Story] | None = None

    @property
    def game(self) -> Game:
        """The game so far."""
        return self.table.game

    @property
    def course(self) -> Course:
        """The course of the game so far; only what is new is replayed."""
        if self._course is None or self._course.game is not self.game:
            self._course = follow(self.game, self._course)
        return self._course

    @property
    def story(self) -> Story:
        """What the game was, with its statistics; worked out once."""
        if self._story is None or self._story[0] is not self.game:
            self._story = self.game, story(self.game)
        return self._story[1]


class Tables:
    """All tables of a store; those in use stay in memory."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._open: dict[str, Live] = {}
        self._opening = asyncio.Lock()

    def __len__(self) -> int:
        return len(self._open)

    async def create(self, device: str, game: Game) -> str:
        """Store a new table and return its name."""
        id = new_id()
        await self.store.create(id, device, game)
        return id

    async def get(self, id: str) -> Live | None:
        """Return a table, loaded where it must be; None where there is none with this name."""
        async with self._opening:
            if id not in self._open:
                kept = await self.store.load(id)
                if kept is None:
                    return None
                self._open[id] = Live(id, kept.device, _opened(kept))
                self._close_idle(id)
            self._open[id] = self._open.pop(id)  # the last one used stands last
            return self._open[id]

    async def forget(self, id: str, device: str) -> None:
        """Delete a table of this device, if it is one."""
        if await self.store.forget(id, device):
            self._open.pop(id, None)

    def _close_idle(self, but: str) -> None:
        for id, live in list(self._open.items()):
            if len(self._open) <= _MOST_OPEN:
                break
            if id != but and not live.watchers and not live.lock.locked():
                del self._open[id]

    async def act(self, live: Live, action: Callable[[Table], Done]) -> Done:
        """Let ``action`` act on a table, and return what it returned once that is stored and told to whoever watches.

        Raises what the table raises; then nothing has changed. It runs to its end even when nobody waits for it any
        more: a browser that goes away leaves no half of a move behind.
        """
        return await asyncio.shield(asyncio.ensure_future(self._act(live, action)))

    async def _act(self, live: Live, action: Callable[[Table], Done]) -> Done:
        async with live.lock:
            before = live.table
            table = copy(before)
            done = await asyncio.to_thread(action, table)  # a bot may think for a while
            if table.game is before.game:
                return done
            # Entries are numbered one by one, however many actions each of them holds.
            table.number = before.number + 1
            try:
                await self.store.append(live.id, table.number, before.game, table.game)
            except IllegalAction:
                await self._reload(live)  # somebody else wrote this entry, or the table was deleted
                raise
            self._tell(live, table)
            return done

    async def _reload(self, live: Live) -> None:
        kept = await self.store.load(live.id)
        if kept is None:
            self._open.pop(live.id, None)
        else:
            self._tell(live, _opened(kept))

    def _tell(self, live: Live, table: Table) -> None:
        live.table = table
        for watcher in live.watchers:
            watcher.put_nowait(table.number)

    async def rematch(self, live: Live, device: str, game: Game) -> str:
        """Return the name of the table where this one goes on with ``game``: a new one, unless there is one already."""
        async with live.lock:
            place = f"table-{live.id}"
            known = (await self.store.recall(place, ["rematch"])).get("rematch")
            if isinstance(known, str) and await self.get(known) is not None:
                return known
            id = await self.create(device, game)
            await self.store.remember(place, "rematch", id)
            return id

    @contextmanager
    def watch(self, live: Live) -> Iterator[asyncio.Queue[int]]:
        """Watch a table: the queue gets its number after every change."""
        queue: asyncio.Queue[int] = asyncio.Queue()
        live.watchers.add(queue)
        try:
            yield queue
        finally:
            live.watchers.discard(queue)


def _opened(kept: Kept) -> Table:
    return Table(kept.game, save=lambda _: None, number=kept.number)
