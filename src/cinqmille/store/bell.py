"""What servers on one PostgreSQL tell each other: which table is at which number now, and words of their own.

They hear it on a connection that does nothing else. Whenever it was lost and is back, something may have been missed:
then whoever listens is told that there was a gap.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text

from cinqmille.store.database import CONNECTED, Database
from cinqmille.store.writer import CHANNEL

if TYPE_CHECKING:
    from psycopg import AsyncConnection, Notify

_WORDS = "cinqmille_word"
_QUIET = 20.0  # seconds of silence after which the connection is tried
_FIRST_WAIT, _LONGEST_WAIT = 0.2, 10.0
# A word is not kept, so nobody waits for the disk to hear it.
_SAY = text("SELECT set_config('synchronous_commit', 'off', true), pg_notify(:channel, :word)")
_DELETED = text("SELECT pg_notify(:channel, :word)")
_log = logging.getLogger("cinqmille.store")


class Bell:
    """Listens on one database until it is closed."""

    def __init__(
        self, database: Database, changed: Callable[[str, int], None], word: Callable[[str], None],
        gap: Callable[[], None],
    ) -> None:  # fmt: skip
        self._database, self._changed, self._word, self._gap = database, changed, word, gap
        self._task: asyncio.Task[None] | None = None
        self._heard = asyncio.Event()

    async def start(self) -> None:
        """Begin to listen; return when it does, or when the first attempt has failed and others will follow."""
        self._task = asyncio.create_task(self._always())
        await self._heard.wait()

    async def close(self) -> None:
        """Listen no more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _always(self) -> None:
        import psycopg

        wait, before = _FIRST_WAIT, False
        while True:
            try:
                connection = await self._connected()
                async with connection:
                    if before:
                        self._told(self._gap)
                    wait, before = _FIRST_WAIT, True
                    self._heard.set()
                    await self._listen(connection)
            except (psycopg.Error, OSError) as error:
                _log.warning("listening to the other servers again soon: %s", " ".join(str(error).split()))
            before = True  # what was said since this server began to listen, or wanted to, is not known
            self._heard.set()
            await asyncio.sleep(wait * random.uniform(0.5, 1.0))
            wait = min(2 * wait, _LONGEST_WAIT)

    async def _connected(self) -> AsyncConnection:
        import psycopg

        _, arguments = self._database.engine.dialect.create_connect_args(self._database.address)
        arguments = {**CONNECTED, **arguments}
        connection = await psycopg.AsyncConnection.connect(autocommit=True, **arguments)
        try:
            for channel in (CHANNEL, _WORDS):
                await connection.execute(f"LISTEN {channel}")
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _listen(self, connection: AsyncConnection) -> None:
        while True:
            async for notify in connection.notifies(timeout=_QUIET):
                self._hear(notify)
            await connection.execute("SELECT 1")

    def _hear(self, notify: Notify) -> None:
        if notify.channel == _WORDS:
            self._told(self._word, notify.payload)
            return
        id, _, number = notify.payload.rpartition(" ")
        if number.isdecimal():
            self._told(self._changed, id, int(number))

    def _told(self, hearer: Callable[..., None], *what: object) -> None:
        try:
            hearer(*what)
        except Exception:  # a fault of the one who hears must not make this server deaf
            _log.exception("what another server said could not be heard")


def deleted(connection: Connection, ids: Sequence[str]) -> None:
    """Tell every server that tables are gone: their number is 0 from now on."""
    if ids:
        connection.execute(_DELETED, [{"channel": CHANNEL, "word": f"{id} 0"} for id in ids])


def say(connection: Connection, word: str) -> None:
    """Say a word to every server that listens, this one too."""
    connection.execute(_SAY, {"channel": _WORDS, "word": word})
