"""The course of a game so far: what happened, in order, how every total came about, and what lies on the table.

A page needs all of it at every change; a course follows on from the one before, so that only what is new is replayed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from cinqmille.actions import Back, Banked, Busted, Event, Fell, Kept, Leave, Rolled, RollOn, Won
from cinqmille.game import do, start
from cinqmille.patterns import Dice
from cinqmille.record import Game, Turn
from cinqmille.words import Words


@dataclass(frozen=True, slots=True)
class Rung:
    """A total of a player and the event that led to it, a bank or a fall."""

    total: int
    event: Banked | Fell


@dataclass(frozen=True, slots=True)
class Course:
    """A game, told: ``events`` in order (the current or last turn from ``turn_from`` on), ``rungs`` by seat.

    ``dice`` is the last roll of that turn, ``taken`` what was set aside of it, ``kept`` all set-asides since the last
    roll of all dice; ``busted`` and ``won`` say what the last roll came to. ``rolls`` counts those of the whole game.
    """

    game: Game
    events: tuple[Event, ...] = ()
    rungs: tuple[tuple[Rung, ...], ...] = ()
    turn_from: int = 0
    rolls: int = 0
    dice: Dice = ()
    taken: Dice = ()
    kept: tuple[Dice, ...] = ()
    busted: bool = False
    won: bool = False

    @property
    def last_turn(self) -> tuple[Event, ...]:
        """What happened in the turn in progress, or in the last one where none has begun."""
        return self.events[self.turn_from :]

    @property
    def marked(self) -> tuple[tuple[int, bool], ...]:
        """The dice of the last roll, each with whether it was set aside."""
        left = Counter(self.taken)
        found = []
        for face in self.dice:
            found.append((face, left[face] > 0))
            left[face] -= 1
        return tuple(found)


def follow(game: Game, before: Course | None = None) -> Course:
    """Return the course of ``game``; where it goes on from ``before``, only the rest is replayed."""
    done = 0
    if before is not None and before.game.rules == game.rules and before.game.players == game.players:
        done = len(before.game.actions)
        if game.actions[:done] != before.game.actions:
            done = 0
    if before is None or not done:
        before = Course(game)
        position = start(game.rules, len(game.players))
    else:
        position = before.game.position
    events, rungs = list(before.events), [list(one) for one in before.rungs] or [[] for _ in game.players]
    turn_from, rolls, dice, taken = before.turn_from, before.rolls, before.dice, before.taken
    kept, busted, won = before.kept, before.busted, before.won
    for action in game.actions[done:]:
        goes_on = isinstance(action, RollOn | Back) or (
            isinstance(action, Leave) and action.seat != position.to_play
        )  # the turn to come is not begun by any of these
        if position.fresh and not goes_on:
            turn_from, dice, taken, kept, busted = len(events), (), (), (), False
        step = do(position, action)
        for event in step.events:
            events.append(event)
            match event:
                case Rolled():
                    rolls, dice, taken = rolls + 1, event.dice, ()
                    kept = () if event.all_dice else kept
                case Kept():
                    taken, kept = event.dice, (*kept, event.dice)
                case Busted():
                    busted = True
                case Banked():
                    rungs[event.seat].append(Rung(event.total, event))
                case Fell():
                    rungs[event.seat].append(Rung(event.after, event))
                case Won():
                    won = event.how == "at_once"
                case _:
                    pass
        position = step.position
    return Course(game, tuple(events), tuple(map(tuple, rungs)), turn_from, rolls, dice, taken, kept, busted, won)


def shown_turn(
    game: Game, course: Course, entries: tuple[Turn, ...], place: int, words: Words
) -> tuple[list[str], tuple[int, ...]]:
    """Return what happened in entry ``place`` (from 1) in words, and the scores after it."""
    if not entries:
        return [], course.game.position.scores
    first, last = entries[place - 1].first_action, entries[place - 1].last_action
    told, scores = [], game.position.scores
    for count, (_, _, step) in enumerate(game.steps(), start=1):
        if first < count <= last:
            told += [words.event(event, game.players) for event in step.events]
            scores = step.position.scores
    return told, scores
