"""The games of a device, as its lists show them: those around this screen, and those with people far apart.

The two kinds are listed apart. Of a table far apart a list shows what every seat sees of it, and whether it waits for
whoever looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from fastapi import Request

from cinqmille.errors import CinqMilleError
from cinqmille.record import Game
from cinqmille.store import Kept, StoreError
from cinqmille.web import own
from cinqmille.web.holders import device_token, key_of
from cinqmille.web.render import ago, words_of
from cinqmille.web.tables import Far, Tables
from cinqmille.words import Words

MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class Seat:
    """A player of a game in a list; ``me`` is whoever looks, at a table far apart."""

    name: str
    score: int
    plays: bool
    won: bool
    me: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A game in a list: whose turn it is (``waits``: that of a person here), when it was last played, its rules.

    ``far`` tells the two kinds apart; ``stage`` is that of a table far apart, ``playing`` who is to play.
    """

    id: str
    seats: tuple[Seat, ...]
    over: bool
    waits: bool
    playing: str
    ago: str
    when: str
    rules: str
    played: float
    far: bool = False
    stage: str = ""

    @property
    def names(self) -> str:
        """The players."""
        return ", ".join(seat.name for seat in self.seats)

    @property
    def winners(self) -> tuple[str, ...]:
        """Who won."""
        return tuple(seat.name for seat in self.seats if seat.won)


@dataclass(slots=True)
class Tally:
    """What one usual name has done in all finished games."""

    name: str
    played: int = 0
    won: int = 0


async def games(request: Request) -> tuple[list[Listed], list[Tally]]:
    """Return the games of whoever asks, those first that wait for somebody here, and who won how many."""
    tables: Tables = request.app.state.tables
    store, words, device = tables.store, words_of(request), request.state.device
    kept = await store.of_device(device, most=MOST_LISTED)
    sheets = await own.sheets(store, device)
    listed = [listed_here(one, words, sheets) for one in kept]
    tallies: dict[str, Tally] = {}
    for one in kept:
        _count(one.game, tallies)
    places = [one for one in await store.places(device, most=MOST_LISTED) if one.kind == "online"]
    seats = await store.recall(device, [_seat(one.id) for one in places])
    for place in places:
        try:
            live = await tables.get(place.id)
        except StoreError:
            raise
        except CinqMilleError:
            continue  # written under rules that this version does not play
        if isinstance(live, Far):
            key = str(seats.get(_seat(place.id), "")) or key_of(device_token(device, place.id))
            listed.append(listed_far(live, place.played, live.online.seat_of(key), words, sheets))
            if live.online.stage == "over":
                _count(live.game, tallies)
    listed.sort(key=lambda one: (one.over, not one.waits, -one.played))
    return listed, sorted(tallies.values(), key=lambda tally: (-tally.won, -tally.played, tally.name))


async def hold(request: Request, id: str, key: str) -> None:
    """Remember that this device holds a seat with a key that does not follow from its own secret."""
    tables: Tables = request.app.state.tables
    await tables.store.remember(request.state.device, _seat(id), key)


def _seat(id: str) -> str:
    return f"seat {id}"


def _count(game: Game, tallies: dict[str, Tally]) -> None:
    if game.position.phase != "over":
        return
    for seat, name in enumerate(game.players):
        # Who plays at this table, not who wrote the programs.
        if seat not in game.seats:
            tally = tallies.setdefault(name, Tally(name))
            tally.played += 1
            tally.won += seat in game.position.winners


def listed_here(kept: Kept, words: Words, sheets: list[own.Own]) -> Listed:
    """Return a table around one screen as a list shows it."""
    game, position = kept.game, kept.game.position
    waits = position.phase != "over" and position.to_play not in game.seats
    return Listed(
        kept.id, _seats(game), position.phase == "over", waits, _playing(game), ago(words, kept.played),
        _when(kept.played), own.known_as(game.rules, words, sheets), kept.played,
    )  # fmt: skip


def listed_far(live: Far, played: float, me: int | None, words: Words, sheets: list[own.Own]) -> Listed:
    """Return a table far apart as a list shows it to the holder of seat ``me``."""
    online, game = live.online, live.online.game
    if game is None:
        seats = tuple(Seat(one.name, 0, False, False, seat == me) for seat, one in enumerate(online.seats))
        waits = me is not None and me == online.host and len(seats) > 1 and online.stage == "gathering"
    else:
        seats = _seats(game, me)
        waits = online.stage == "playing" and me is not None and me == online.to_play
    return Listed(
        live.id, seats, online.stage == "over", waits, "" if game is None else _playing(game), ago(words, played),
        _when(played), own.known_as(online.terms.rules, words, sheets), played, far=True, stage=online.stage,
    )  # fmt: skip


def _seats(game: Game, me: int | None = None) -> tuple[Seat, ...]:
    position = game.position
    over = position.phase == "over"
    return tuple(
        Seat(name, position.scores[seat], seat == position.to_play, over and seat in position.winners, seat == me)
        for seat, name in enumerate(game.players)
    )


def _playing(game: Game) -> str:
    to_play = game.position.to_play
    return "" if to_play is None else game.players[to_play]


def _when(played: float) -> str:
    return datetime.fromtimestamp(played, UTC).isoformat(timespec="seconds")
