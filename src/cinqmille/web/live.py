"""A table in memory: its lock, who watches it, and what is worked out of it once; whatever changes it is elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from time import monotonic

from cinqmille.online import PATIENCE, OnlineTable
from cinqmille.record import Game
from cinqmille.seating import Entry
from cinqmille.story import Story, story
from cinqmille.table import Table
from cinqmille.web.course import Course, follow

# So many entries of a table stay in memory for those who missed them; older ones are read from the store.
MOST_RECENT = 64
# A seat without an open stream that asked for something so many seconds ago is still there.
LINGERS = 15.0
# Whose page holds no stream is there for so many seconds longer, at a table that waits for everybody.
_STILL = 60
# Where nobody has looked for so many seconds, bots rest: some games of theirs would never end.
DESERTED = 600.0
# Seconds until what should happen by itself and failed is tried again for the first time.
FIRST_RETRY = 0.5


class Watcher:
    """Somebody who watches a table and is woken when there is something new to see."""

    def __init__(self) -> None:
        self._news = asyncio.Event()

    def wake(self) -> None:
        """There is something new."""
        self._news.set()

    async def news(self, within: float) -> bool:
        """Wait for something new; tell whether there is, False after ``within`` seconds without."""
        try:
            await asyncio.wait_for(self._news.wait(), within)
        except TimeoutError:
            return False
        self._news.clear()
        return True


class Live:
    """A table in memory: whoever holds ``lock`` may act; ``watchers`` are woken after every change.

    ``table`` is as it is stored; it is replaced, never changed, so that whoever reads it sees one moment.
    """

    def __init__(self, id: str, device: str, table: Table | None) -> None:
        self.id, self.device = id, device
        self._table = table
        self.lock = asyncio.Lock()
        self.watchers: set[Watcher] = set()
        self.found = monotonic()  # when it was known to be in the database
        self._course: Course | None = None
        self._story: tuple[Game, Story] | None = None

    @property
    def table(self) -> Table:
        """The table; an online one has none before its game begins."""
        assert self._table is not None
        return self._table

    def put(self, table: Table) -> None:
        """Replace the table by the one that is stored now, and tell everybody who watches."""
        self._table = table
        self.wake()

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

    @property
    def moment(self) -> str:
        """What changes whenever there is something new to see."""
        return str(self.table.number)

    def wake(self) -> None:
        """Tell everybody who watches."""
        for watcher in self.watchers:
            watcher.wake()


class Far(Live):
    """An online table in memory: ``online`` is as it is stored; ``recent`` are its last entries.

    ``seen`` is when each seat was last there (seconds since 1970), ``streams`` how many streams it has open here.
    """

    def __init__(self, id: str, device: str, online: OnlineTable, entries: tuple[Entry, ...]) -> None:
        super().__init__(id, device, None)
        self.online = online
        self.recent: deque[Entry] = deque(entries[-MOST_RECENT:], MOST_RECENT)
        self.seen: dict[str, float] = {}
        self.loaded = time.time()
        self.streams: Counter[str] = Counter()
        # Those whose page holds no stream: it gives no sign while they think.
        self.still: set[str] = set()
        self.doubtful = False
        self.moved_here = False
        self.due: asyncio.TimerHandle | None = None
        self.retry = FIRST_RETRY
        self._shown_here: tuple[bool, ...] = ()
        self._glances = 0

    @property
    def table(self) -> Table:
        """The table of the game."""
        assert self.online.table is not None
        return self.online.table

    @property
    def moment(self) -> str:
        """What changes whenever there is something new to see, who is there included."""
        return f"{self.online.number}.{self._glances}"

    def last_seen(self, seat: int) -> float:
        """Return when a seat was last there: now, while one of its streams is open here.

        Nobody is away because the server was: until somebody could have come back, everybody counts as there.
        """
        key, now = self.online.seats[seat].key, time.time()
        seen = now if self.streams[key] else self.seen.get(key, self.loaded)
        return min(now, seen + (PATIENCE - 1) * max(self.online.terms.after, _STILL)) if key in self.still else seen

    def here(self, seat: int) -> bool:
        """Whether a seat is there; bots always are."""
        return bool(self.online.seats[seat].bot) or time.time() - self.last_seen(seat) < LINGERS

    def attended(self, but: int) -> bool:
        """Whether anybody who plays is there, beside a seat."""
        return any(
            one.key and number != but and self.here(number) for number, one in enumerate(self.online.seats)
        )  # fmt: skip

    def deserted(self) -> bool:
        """Whether nobody has watched or been seen for so long that bots need not go on."""
        last = max((self.last_seen(seat) for seat, one in enumerate(self.online.seats) if one.key), default=0.0)
        return not self.watchers and time.time() - last > DESERTED

    def glance(self) -> None:
        """Wake who watches when who is there, or may be acted for, has changed."""
        now = time.time()
        shown = tuple(
            state
            for seat in range(len(self.online.seats))
            for state in (self.here(seat), self.online.may_act_for(seat, self.last_seen(seat), now))
        )
        if shown != self._shown_here:
            self._shown_here = shown
            self._glances += 1
            self.wake()
