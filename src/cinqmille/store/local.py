"""Games of one screen as journals: the opening is the game so far, an entry the actions that followed, or a whole game.

An entry holds the actions it added, or the record where something was taken back or corrected. Loading replays them,
so nothing is stored that could contradict the game.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

from cinqmille.actions import format_action, parse_action
from cinqmille.record import Game
from cinqmille.store.schema import Entry, Journal


@dataclass(frozen=True, slots=True)
class Kept:
    """A table as it is stored: its game, the number of its last entry, when it was opened and last played (seconds)."""

    id: str
    device: str
    game: Game
    number: int
    opened: float
    played: float


def opening_of(game: Game) -> str:
    """Return what a table opens with."""
    return json.dumps(game.to_json())


def entry_of(number: int, before: Game, after: Game) -> Entry:
    """Return what led from one game to the next."""
    done = len(before.actions)
    if after.actions[:done] == before.actions and after.headers == before.headers:
        kind, content = "actions", json.dumps([format_action(action) for action in after.actions[done:]])
    else:
        kind, content = "record", opening_of(after)
    return Entry(number, time.time(), None, "", kind, content)


def kept(journal: Journal) -> Kept:
    """Return the table that a journal tells of; raises CinqMilleError where this version does not play its rules."""
    game = Game.from_json(journal.opening)
    for entry in journal.entries:
        if entry.kind == "record":
            game = Game.from_json(entry.content)
            continue
        for text in json.loads(entry.content):
            game = game.play(parse_action(text))
    return Kept(journal.id, journal.device, game, journal.number, journal.opened, journal.played)
