"""The tables that are played on this server: a lock each, saved before shown, and word to everybody who watches."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from cinqmille.record import Game
from cinqmille.store import Store
from cinqmille.table import Table

_MOST_OPEN = 500
Done = TypeVar("Done")


def new_id() -> str:
    """Return a name for a table that nobody guesses."""
    return secrets.token_urlsafe(12)


@dataclass(slots=True)
class Live:
    """A table in memory: whoever holds ``lock`` may act; ``watchers`` are told its number after every change."""

    id: str
    device: str
    table: Table
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[asyncio.Queue[int]] = field(default_factory=set)

    @property
    def game(self) -> Game:
        """The game so far."""
        return self.table.game


class Tables:
    """All tables of a store; those in use stay in memory."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._open: dict[str, Live] = {}
        self._opening = asyncio.Lock()

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
                table = Table(kept.game, save=lambda _: None, number=kept.number)
                self._open[id] = Live(id, kept.device, table)
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
        """Let ``action`` act on a table, and return what it returned once that is stored.

        Raises what the table raises; then nothing has changed. When it cannot be stored the table is forgotten here,
        so that it is loaded again as it was.
        """
        async with live.lock:
            table = live.table
            before, number = table.game, table.number
            done = action(table)
            if table.game is before:
                return done
            # Entries are numbered one by one, however many actions each of them holds.
            table.number = number + 1
            try:
                await self.store.append(live.id, table.number, before, table.game)
            except BaseException:
                self._open.pop(live.id, None)
                raise
            for watcher in live.watchers:
                watcher.put_nowait(table.number)
            return done

    @contextmanager
    def watch(self, live: Live) -> Iterator[asyncio.Queue[int]]:
        """Watch a table: the queue gets its number after every change."""
        queue: asyncio.Queue[int] = asyncio.Queue()
        live.watchers.add(queue)
        try:
            yield queue
        finally:
            live.watchers.discard(queue)
