"""The dice of all finished games of a server, counted one game after the other beside what players do, and kept.

Only what is stored is counted. A game around one screen that is taken up again after its end is counted anew.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass

from cinqmille.errors import CinqMilleError
from cinqmille.online import OnlineTable
from cinqmille.record import Game
from cinqmille.seating import Entry
from cinqmille.store import Journal, Place, Store, StoreError
from cinqmille.tallies import Tally, by_seat, together

_log = logging.getLogger(__name__)
_BATCH = 50
# Seconds between two games: players come first.
_PAUSE = 0.02


@dataclass(frozen=True, slots=True)
class Count:
    """What is counted so far: ``games`` of them, ``left`` to go, and the dice of everybody at them."""

    games: int
    left: int
    dice: Tally


class Counting:
    """Counts the dice of the finished games of a store, whenever somebody asks for them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._dice = Tally()
        self._games = 0
        self._last = (0.0, "")
        # Which games were looked at, and when each had ended.
        self._known: dict[str, float] = {}
        # What a local game gave, to be taken out again where it was played on and ended anew.
        self._local: dict[str, Tally] = {}
        self._task: asyncio.Task[None] | None = None

    async def count(self) -> Count:
        """Return what is counted by now, and let the counting go on; raises StoreError."""
        left = max(0, await self._store.count_finished() - len(self._known))
        new = left or await self._store.finished(self._last, most=1)
        if new and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._all())
        return Count(self._games, left, self._dice)

    async def stop(self) -> None:
        """Count no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _all(self) -> None:
        try:
            # Clocks of several servers differ, so that a game may end before one that was counted already.
            for start in (self._last, (0.0, "")):
                await self._from(start)
                if await self._store.count_finished() <= len(self._known):
                    break
        except StoreError as error:
            _log.warning("the dice of this server are not counted to the end: %s", error.code)

    async def _from(self, start: tuple[float, str]) -> None:
        while places := await self._store.finished(start, most=_BATCH):
            for place in places:
                start = place.played, place.id
                if self._known.get(place.id) != place.played:
                    await self._one(place)
                    self._known[place.id] = place.played
                    await asyncio.sleep(_PAUSE)
            self._last = max(self._last, start)

    async def _one(self, place: Place) -> None:
        journal = await self._store.read(place.id)
        if journal is None or not journal.over:
            return
        try:
            kept = await self._store.load(place.id) if journal.kind == "local" else None
            tally = await asyncio.to_thread(_dice_of, journal, None if kept is None else kept.game)
        except StoreError:
            raise
        except CinqMilleError:
            return  # written under rules that this version does not play
        if tally is None:
            return
        again = self._local.pop(place.id, None)
        if again is None:
            self._games += 1
        else:
            self._dice = _without(self._dice, again)
        self._dice += tally
        if journal.kind == "local":
            self._local[place.id] = tally


def _dice_of(journal: Journal, local: Game | None) -> Tally | None:
    """The dice of a game, None where they are not the program's."""
    game = local
    if game is None:
        table = OnlineTable.opened(journal.id, journal.opening, journal.opened)
        for one in journal.entries:
            table = table.after(Entry(one.number, one.at, one.author, one.kind, json.loads(one.content), one.cause))
        game = table.game
    if game is None or (local is not None and dict(game.headers).get("dice", "real") == "real"):
        return None
    return together(by_seat(game))


def _without(all: Tally, one: Tally) -> Tally:
    return Tally(
        tuple(many - few for many, few in zip(all.faces, one.faces, strict=True)), all.rolls - one.rolls,
        all.busts - one.busts, all.expected - one.expected, all.variance - one.variance,
    )  # fmt: skip
