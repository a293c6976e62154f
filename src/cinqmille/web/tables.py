"""The tables that are played on this server: a lock each, saved before shown, and word to everybody who watches.

A :class:`Live` table is in memory. A local one holds a :class:`~cinqmille.table.Table`; an online one (:class:`Far`) an
:class:`~cinqmille.online.OnlineTable`, who of its seats is there, and what happens by itself: bots, and what the table
agreed on for those who stay away. Where several servers share a database, each is told what the others stored.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import random
import secrets
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from cinqmille.errors import CinqMilleError
from cinqmille.online import Change, OnlineTable
from cinqmille.record import Game
from cinqmille.seating import Entry, Terms, opening
from cinqmille.store import Entry as Stored
from cinqmille.store import Journal, Kept, Store, StoreError
from cinqmille.table import Table
from cinqmille.web.live import FIRST_RETRY, LINGERS, Far, Live, Watcher
from cinqmille.web.thinking import Thinking

__all__ = ["LINGERS", "Far", "Live", "Tables", "Watcher", "new_id"]

_MOST_OPEN = 4000
# What other servers say about who is there holds for so many seconds, and is said again after a third of that.
_HOLDS = 30.0
# Where the moves before were another server's, that one lets the bots play; this one only when it does not.
_PATIENCE = 2.0
# So many seconds nobody looks whether a table in memory was deleted; PostgreSQL tells it.
_BELIEVED = 60.0
_LAST_RETRY = 10.0
Done = TypeVar("Done")
_log = logging.getLogger(__name__)


def new_id() -> str:
    """Return a name for a table that nobody guesses."""
    return secrets.token_urlsafe(12)


class Tables:
    """All tables of a store; those in use stay in memory."""

    def __init__(self, store: Store, thinking: Thinking | None = None) -> None:
        self.store, self._thinking = store, thinking or Thinking()
        self.server = secrets.token_hex(4)
        self._open: dict[str, Live] = {}
        self._opening: dict[str, asyncio.Task[Live | None]] = {}
        self._told: dict[str, int] = {}  # what was heard of tables while they were loaded
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = False

    def __len__(self) -> int:
        """How many tables are in memory."""
        return len(self._open)

    async def start(self) -> None:
        """Listen to the other servers of this database, and tell them who is here."""
        await self.store.listen(self._changed, self._heard, self._missed)
        if self.store.shared:
            self._spawn(self._tell_presence())

    async def stop(self) -> None:
        """Let nothing happen by itself any more, whatever is still heard of other servers."""
        self._stopped = True
        for live in self._open.values():
            if isinstance(live, Far) and live.due is not None:
                live.due.cancel()
                live.due = None
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # Local tables

    async def create(self, device: str, game: Game) -> str:
        """Store a new local table and return its name."""
        id = new_id()
        await self.store.create(id, device, game)
        return id

    async def get(self, id: str) -> Live | None:
        """Return a table, loaded where it must be; None where there is none with this name."""
        live = self._open.get(id)
        if live is None:
            if id not in self._opening:
                self._opening[id] = asyncio.ensure_future(self._load(id))
            live = await asyncio.shield(self._opening[id])
            if live is None:
                return None
        elif not await self._is_still(live):
            return None
        elif self.store.shared:
            await self._refresh(live)
        if id in self._open:
            self._open[id] = self._open.pop(id)  # the last one used stands last
        return live

    async def _is_still(self, live: Live) -> bool:
        """Whether a table in memory is in the database too: whoever runs the server may have deleted it by hand."""
        now = monotonic()
        if now - live.found > _BELIEVED:
            if not await self.store.has(live.id):
                self._drop(live.id)
                return False
            live.found = now
        return True

    async def _refresh(self, live: Live) -> None:
        """Look into the database: what another server acknowledged is to be seen here, heard of or not."""
        if isinstance(live, Far):
            async with live.lock:
                await self._catch_up(live)
        elif await self.store.since(live.id, live.table.number):
            await self._follow_local(live, 1 << 60)

    async def _load(self, id: str) -> Live | None:
        try:
            journal = await self.store.read(id)
            if journal is None:
                return None
            live: Live
            if journal.kind == "online":
                live = await self._thinking.step(partial(_unfolded, journal))  # a bot may have to get ready
            else:
                kept = await self.store.load(id)
                if kept is None:
                    return None
                live = Live(id, kept.device, await self._thinking.step(partial(_opened, kept)))
            self._open[id] = live
            self._close_idle(id)
            if isinstance(live, Far):
                self.plan(live)
            if id in self._told:
                self._changed(id, self._told[id])
            return live
        finally:
            del self._opening[id]
            self._told.pop(id, None)

    async def forget(self, id: str, device: str) -> None:
        """Take a table off a device's list; a local one is deleted."""
        if await self.store.forget(id, device) and await self.store.read(id) is None:
            self._drop(id)

    def _drop(self, id: str) -> None:
        live = self._open.pop(id, None)
        if isinstance(live, Far) and live.due is not None:
            live.due.cancel()

    def _close_idle(self, but: str) -> None:
        for id, live in list(self._open.items()):
            if len(self._open) <= _MOST_OPEN:
                break
            if id != but and not live.watchers and not live.lock.locked():
                self._drop(id)

    async def act(self, live: Live, action: Callable[[Table], Done]) -> Done:
        """Let ``action`` act on a local table, and return what it returned once that is stored and told to whoever
        watches.

        Raises what the table raises; then nothing has changed. It runs to its end even when nobody waits for it any
        more: a browser that goes away leaves no half of a move behind.
        """
        return await asyncio.shield(asyncio.ensure_future(self._act(live, action)))

    async def _act(self, live: Live, action: Callable[[Table], Done]) -> Done:
        async with live.lock:
            before = live.table
            table = copy(before)
            done = await self._thinking.local(partial(action, table))  # a bot may think for a while
            if table.game is before.game:
                return done
            # Entries are numbered one by one, however many actions each of them holds.
            table.number = before.number + 1
            try:
                await self.store.append(live.id, table.number, before.game, table.game)
            except CinqMilleError:
                await self._reload(live)  # somebody else wrote this entry, or nobody knows whether it is stored
                raise
            live.put(table)
            return done

    async def _reload(self, live: Live) -> None:
        kept = await self.store.load(live.id)
        if kept is None:
            self._drop(live.id)
        else:
            live.put(await self._thinking.step(partial(_opened, kept)))

    async def rematch(self, live: Live, device: str, game: Game) -> str:
        """Return the name of the table where a local one goes on with ``game``: a new one, unless there is one."""
        async with live.lock:
            place = f"table-{live.id}"
            known = (await self.store.recall(place, ["rematch"])).get("rematch")
            if isinstance(known, str) and await self.get(known) is not None:
                return known
            id = await self.create(device, game)
            await self.store.remember(place, "rematch", id)
            return id

    # Online tables

    async def open_far(
        self, device: str, terms: Terms, secret: str, name: str, key: str, id: str,
        first: Sequence[Callable[[OnlineTable], Change | None]] = (),
    ) -> Far:  # fmt: skip
        """Store a new online table named ``id`` with its host's seat, do the ``first`` commands, and return it.

        Raises what these raise; then there is no table.
        """
        text = opening(terms, secret, name, key)
        tried = OnlineTable.opened(id, text, time.time())
        for command in first:
            change = command(tried)
            tried = change.table if change is not None else tried
        await self.store.put(id, device, text)
        live = await self.get(id)
        assert isinstance(live, Far)
        for command in first:
            await self.command(live, command)
        self.touch(live, 0)
        return live

    async def rematch_of(self, live: Far) -> Far | None:
        """Return the table where an online one goes on, None where nobody has asked for it yet."""
        known = (await self.store.recall(f"table-{live.id}", ["rematch"])).get("rematch")
        found = await self.get(known) if isinstance(known, str) else None
        return found if isinstance(found, Far) else None

    async def command(
        self, live: Far, command: Callable[[OnlineTable], Change | None], *, holder: str | None = None,
        thinks: bool = False, seen: int = 0,
    ) -> Far:  # fmt: skip
        """Let a command act on an online table; return once it is stored and told to whoever watches.

        ``holder`` is the device that takes a seat with it, ``thinks`` says that it may take long, ``seen`` what whoever
        asks has seen. Raises what the command raises and StoreError; then nothing has changed. It runs to its end even
        when nobody waits for it any more.
        """
        return await asyncio.shield(asyncio.ensure_future(self._command(live, command, holder, thinks, seen)))

    async def _command(
        self, live: Far, command: Callable[[OnlineTable], Change | None], holder: str | None, thinks: bool, seen: int
    ) -> Far:
        async with live.lock:
            if live.doubtful or seen > live.online.number:
                await self._catch_up(live)
            while True:
                number = live.online.number
                try:
                    return await self._stored(live, command, holder, thinks)
                except CinqMilleError as error:
                    if error.code == "table_gone":
                        self._drop(live.id)
                    elif live.doubtful or self.store.shared:
                        await self._catch_up(live)
                    # What others stored may not have been heard of here: then the command is tried on that.
                    if isinstance(error, StoreError) or live.online.number == number:
                        raise

    async def _stored(
        self, live: Far, command: Callable[[OnlineTable], Change | None], holder: str | None, thinks: bool
    ) -> Far:
        change = await self._thinking.step(partial(command, live.online)) if thinks else command(live.online)
        if change is None:
            return live
        entry = change.entry
        stored = Stored(
            entry.number, entry.at, entry.author, entry.cause, entry.kind,
            json.dumps(entry.data, ensure_ascii=False),
        )  # fmt: skip
        try:
            await self.store.write(live.id, stored, over=change.table.stage == "over", holder=holder)
        except CinqMilleError:
            # Somebody else wrote this entry, or nobody knows whether it is stored: what is stored is the truth.
            live.doubtful = True
            raise
        live.moved_here = True
        self._show(live, (entry,), change.table)
        return live

    async def entries(self, live: Far, after: int) -> tuple[Entry, ...]:
        """Return what happened at a table after entry ``after``."""
        if after > live.online.number:
            async with live.lock:
                await self._catch_up(live)
        first = live.recent[0].number if live.recent else live.online.number + 1
        if after + 1 >= first:
            return tuple(entry for entry in live.recent if entry.number > after)
        number = live.online.number
        stored = await self.store.since(live.id, after)
        return tuple(_entry(one) for one in stored if one.number <= number)

    async def _catch_up(self, live: Far) -> None:
        """Fold what others stored; whoever calls holds the lock."""
        stored = await self.store.since(live.id, live.online.number)
        entries = tuple(_entry(one) for one in stored)
        online = live.online
        for entry in entries:
            online = online.after(entry)
        live.doubtful = False
        if entries:
            live.moved_here = False
            self._show(live, entries, online)

    def _show(self, live: Far, entries: tuple[Entry, ...], online: OnlineTable) -> None:
        live.online = online
        live.recent.extend(entries)
        live.retry = FIRST_RETRY
        live.wake()
        self.plan(live)

    # Who is there

    def touch(self, live: Far, seat: int) -> None:
        """A seat has given a sign."""
        key = live.online.seats[seat].key
        new = not live.here(seat)
        live.seen[key] = time.time()
        if new:
            self._whisper(live.id, [key])
        self.plan(live)

    @contextmanager
    def present(self, live: Far, seat: int | None) -> Iterator[Watcher]:
        """Watch an online table; a seat is there for as long."""
        key = "" if seat is None else live.online.seats[seat].key
        with self.watch(live) as watcher:
            self.plan(live)  # bots that rested go on
            if seat is not None:
                self.touch(live, seat)
                live.streams[key] += 1
                live.still.discard(key)
            try:
                yield watcher
            finally:
                if key:
                    live.streams[key] -= 1
                    if not live.streams[key]:
                        del live.streams[key]
                    live.seen[key] = time.time()
                    self.plan(live)

    @contextmanager
    def watch(self, live: Live) -> Iterator[Watcher]:
        """Watch a table: the watcher is woken after every change."""
        watcher = Watcher()
        live.watchers.add(watcher)
        try:
            yield watcher
        finally:
            live.watchers.discard(watcher)

    # What happens by itself

    def plan(self, live: Far) -> None:
        """Show who is there by now, and call the table again when something is due: a bot's step, an absence."""
        live.glance()  # a moment that has just passed is no timer's business any more
        if live.due is not None:
            live.due.cancel()
            live.due = None
        delay = None if self._stopped else self._next(live)
        if delay is not None and self._open.get(live.id) is live:
            live.due = asyncio.get_running_loop().call_later(delay, self._due, live)

    def _next(self, live: Far) -> float | None:
        online, now = live.online, time.time()
        if online.stage == "over":
            return None
        if online.awaits == "bot":
            if live.deserted():
                return None
            pace = online.terms.pace / 1000
            if not live.moved_here:
                pace += _PATIENCE * (1 + random.random()) if self.store.shared else 0.05
            return max(pace - (now - online.moved), 0.0) if live.retry == FIRST_RETRY else live.retry
        moments = []
        for seat, one in enumerate(online.seats):
            if one.bot or not one.key:
                continue
            seen = live.last_seen(seat)
            if live.here(seat) and not live.streams[one.key]:
                moments.append(seen + LINGERS)
            if online.stage == "playing" and online.terms.after and not one.stand_in:
                due = (online.terms.after - online.silent_for(seat, seen, now)) + now
                moments += [due] if due > now else []
                if due <= now and seat == online.to_play and online.terms.then != "ask" and live.attended(seat):
                    moments.append(now + live.retry if live.retry > FIRST_RETRY else now)
        return max(min(moments) - now, 0.0) + 0.01 if moments else None

    def _due(self, live: Far) -> None:
        live.due = None
        task = asyncio.ensure_future(self._happen(live))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _happen(self, live: Far) -> None:
        online = live.online
        try:
            if online.awaits == "bot":
                await self.command(live, lambda table: self._bots(table, online.number), thinks=True)
            elif online.stage == "playing" and online.terms.then != "ask":
                await self.command(live, lambda table: self._absence(live, table))
        except Exception as error:
            # Another server was faster, nothing can be stored just now, or we failed: tried again, ever more slowly.
            live.retry = min(live.retry * 2, _LAST_RETRY)
            if not isinstance(error, CinqMilleError):
                _log.exception("a table does not go on by itself")
            elif error.code != "stale":
                _log.warning("a table does not go on by itself: %s", error.code)
        if live.due is None:
            self.plan(live)

    def _bots(self, online: OnlineTable, number: int) -> Change | None:
        """The step of a bot, unless another server has let it make that."""
        return online.let_bot_play(time.time()) if online.number == number else None

    def _absence(self, live: Far, online: OnlineTable) -> Change | None:
        """What the table agreed on for whoever is to play and stays away."""
        seat, now = online.to_play, time.time()
        if seat is None or not online.may_act_for(seat, live.last_seen(seat), now):
            return None
        if not live.attended(seat):
            return None  # for nobody the table need not go on
        way = online.terms.then
        if way == "remove" and sum(not one.away for one in live.game.position.seats) == 1:
            return None
        return online.act_for(None, seat, way, seen=online.number, since=live.last_seen(seat), now=now)

    # Other servers

    def _changed(self, id: str, number: int) -> None:
        live = self._open.get(id)
        if live is None:
            if id in self._opening:
                self._told[id] = max(number, self._told.get(id, 0))
        elif not number:
            live.found = -math.inf
        elif isinstance(live, Far):
            if number > live.online.number:
                self._spawn(self._follow(live, number))
        elif number > live.table.number:
            self._spawn(self._follow_local(live, number))

    async def _follow(self, live: Far, number: int) -> None:
        async with live.lock:
            if number > live.online.number:
                await self._catch_up(live)

    async def _follow_local(self, live: Live, number: int) -> None:
        async with live.lock:
            if number > live.table.number:
                await self._reload(live)

    def _missed(self) -> None:
        """The other servers could not be heard for a while: everything may have changed."""
        for id in (*self._open, *self._opening):
            self._changed(id, 1 << 60)

    def _whisper(self, id: str, keys: list[str]) -> None:
        if self.store.shared:
            self._spawn(self.store.say(json.dumps([self.server, [[id, key[:16]] for key in keys]])))

    def _heard(self, word: str) -> None:
        server, there = json.loads(word)
        if server == self.server:
            return
        for id, short in there:
            live = self._open.get(id)
            if isinstance(live, Far):
                for one in live.online.seats:
                    if one.key[:16] == short:
                        # Said again every third of the time it holds: until then the seat counts as there.
                        live.seen[one.key] = time.time() + _HOLDS - LINGERS
                        self.plan(live)

    async def _tell_presence(self) -> None:
        while True:
            await asyncio.sleep(_HOLDS / 3)
            there = [
                [live.id, key[:16]] for live in list(self._open.values()) if isinstance(live, Far)
                for key in list(live.streams)
            ]  # fmt: skip
            for first in range(0, len(there), 150):
                try:
                    await self.store.say(json.dumps([self.server, there[first : first + 150]]))
                except StoreError:
                    break  # said again in a moment

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        if self._stopped:
            work.close()
            return
        task = asyncio.ensure_future(_quiet(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _quiet(work: Coroutine[Any, Any, None]) -> None:
    """Let something run that nobody waits for; that the database cannot be reached is known to whoever plays."""
    try:
        await work
    except StoreError as error:
        _log.warning("what other servers did is not known: %s", error.code)


def _entry(stored: Stored) -> Entry:
    return Entry(stored.number, stored.at, stored.author, stored.kind, json.loads(stored.content), stored.cause)


def _unfolded(journal: Journal) -> Far:
    online = OnlineTable.opened(journal.id, journal.opening, journal.opened)
    entries = tuple(_entry(one) for one in journal.entries)
    for entry in entries:
        online = online.after(entry)
    return Far(journal.id, journal.device, online, entries)


def _opened(kept: Kept) -> Table:
    return Table(kept.game, save=lambda _: None, number=kept.number)
