"""What the page of a table shows, worked out from the game: scores, dice, every legal set-aside with its consequences.

Templates and scripts only show it. No rule is known here: legality, points and risks are asked from the engine.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from cinqmille import told
from cinqmille.actions import ANNOUNCEMENTS, Announce, Bank, Busted, Event, Kept, Rolled, RollOn
from cinqmille.errors import IllegalAction
from cinqmille.game import bank_problem, legal_actions, legal_keeps
from cinqmille.odds import odds
from cinqmille.patterns import Dice
from cinqmille.position import Position
from cinqmille.record import Game
from cinqmille.scoring import Keep, format_dice
from cinqmille.table import Table
from cinqmille.words import Words

_MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class Player:
    """One line of the scoreboard."""

    seat: int
    name: str
    score: int
    bot: bool
    plays: bool
    away: bool
    won: bool
    ladder: tuple[int, ...]
    progress: int
    note: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal set-aside and what follows from it, in words; ``bank`` is empty where it is refused, ``why`` says why."""

    dice: str
    points: int
    at_risk: int
    bank: str
    why: str
    roll: str
    risk: str
    announce: bool
    says: str


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is shown of a table at one moment."""

    number: int
    phase: str
    awaits: str
    players: tuple[Player, ...]
    playing: str
    headline: tuple[str, ...]
    dice: Dice
    rolled: bool
    kept: tuple[Dice, ...]
    turn_points: int
    choices: tuple[Choice, ...]
    lines: tuple[str, ...]
    last: str
    buttons: tuple[tuple[str, str], ...] = ()
    why: str = ""
    risk: str = ""
    announcements: tuple[tuple[int, str], ...] = ()
    real: bool = False
    can_undo: bool = False
    winners: tuple[str, ...] = ()
    busted: bool = False
    choices_json: str = "{}"


def scene(table: Table, words: Words) -> Scene:
    """Return the scene of a table as it stands."""
    game, position = table.game, table.position
    dice, rolled, kept, busted, events = _on_the_table(game)
    lines = [words.event(event, game.players) for event in events[-_MOST_LINES:]]
    player = None if position.to_play is None else game.players[position.to_play]
    choosing = position.phase == "choose" and table.awaits == "player"
    choices = tuple(_choice(position, keep, words) for keep in legal_keeps(position)) if choosing else ()
    return Scene(
        number=table.number,
        phase=position.phase,
        awaits=table.awaits,
        players=tuple(_players(table, words)),
        playing=player or "",
        headline=tuple(_headline(table, words)),
        dice=dice,
        rolled=rolled,
        kept=kept,
        turn_points=position.turn_points,
        choices=choices,
        # Inside a script element; nothing in it may end that.
        choices_json=json.dumps({one.dice: asdict(one) for one in choices}).replace("<", "\\u003c"),
        lines=tuple(lines),
        last=lines[-1] if lines else "",
        buttons=tuple(_buttons(table, words)),
        why=_why(position, words) if table.awaits == "player" and position.phase == "decide" else "",
        risk=_risk(position, words),
        announcements=tuple(_announcements(position, words)) if table.awaits == "player" else (),
        real=table.real,
        can_undo=bool(game.actions) and table.real,
        winners=tuple(game.players[seat] for seat in position.winners),
        busted=busted,
    )


def _players(table: Table, words: Words) -> list[Player]:
    game, position = table.game, table.position
    found = []
    for place, (name, seat) in enumerate(zip(game.players, position.seats, strict=True)):
        notes = told.scoreless_warning(position, place, name, words)
        note = notes[0] if notes else words.say("away") if seat.away else ""
        found.append(
            Player(
                place, name, seat.score, place in table.bots, place == position.to_play, seat.away,
                place in position.winners, seat.ladder,
                max(0, min(100, 100 * seat.score // game.rules.target)), note,
            )
        )  # fmt: skip
    return found


def _headline(table: Table, words: Words) -> list[str]:
    game, position = table.game, table.position
    if position.phase == "over":
        return []
    if position.fresh:
        return told.turn_begins(game, words)[1:]
    return [*told.last_turns(game, words), *told.announced(position, words)]


def _on_the_table(game: Game) -> tuple[Dice, bool, tuple[Dice, ...], bool, list[Event]]:
    """The dice that lie on the table, whether they are the player's to choose from, those set aside since the last full
    roll, whether the turn before ended because they scored nothing, and all that happened.
    """
    position = game.position
    kept: list[Dice] = []
    last: Dice = ()
    busted = False
    happened: list[Event] = []
    for before, _action, step in game.steps():
        for event in step.events:
            happened.append(event)
            match event:
                case Rolled(dice=dice, all_dice=all_dice):
                    if all_dice or before.fresh:
                        kept = []
                    last, busted = dice, False
                case Busted():
                    busted = True
                case Kept(dice=dice):
                    kept.append(dice)
                case _:
                    pass
    if position.phase == "choose":
        return position.roll, True, tuple(kept), False, happened
    if position.fresh or position.phase == "over":
        return last if busted else (), False, (), busted, happened
    return (), False, tuple(kept), False, happened


def _choice(position: Position, keep: Keep, words: Words) -> Choice:
    rules = position.rules
    points = (position.turn_points + keep.points) * (1 if position.announced is None else 2)
    left = position.dice_left - len(keep.dice)
    says = words.say("{points} for these dice, {at_risk} at risk", points=words.points(keep.points), at_risk=points)
    passed = rules.exact and position.score + points > rules.target
    problem = None if passed else bank_problem(position, points, left)
    lost = words.say("passes {target}: turn lost", target=rules.target)
    return Choice(
        dice=format_dice(keep.dice),
        points=keep.points,
        at_risk=points,
        says=says,
        bank=_bank_label(position, points, words) if problem is None and not passed else "",
        why=lost if passed else "" if problem is None else words.error(IllegalAction(problem[0], **problem[1])),
        roll=lost if passed else _roll_label(left or rules.dice, words),
        risk="" if passed else _loss(position, points, left or rules.dice, words),
        announce=rules.prediction and left == 2 and not passed,
    )


def _bank_label(position: Position, points: int, words: Words) -> str:
    total = position.score + points
    if total >= position.rules.target and position.rules.ending == "first":
        return words.say("Bank {points} and win", points=points)
    return words.say("Bank {points}", points=points)


def _roll_label(dice: int, words: Words) -> str:
    return words.count("Roll {n} die again", "Roll {n} dice again", dice)


def _loss(position: Position, points: int, dice: int, words: Words) -> str:
    bust = words.percent(float(odds(position.rules, dice).bust))
    return words.say("{bust} risk of losing {points}", bust=bust, points=words.points(points))


def _buttons(table: Table, words: Words) -> list[tuple[str, str]]:
    """What may be done without choosing dice: (value of the form's field, label)."""
    position = table.position
    if table.awaits != "player":
        return []
    match position.phase:
        case "start" if position.offer is not None and position.may_take_over:
            points, dice = position.offer.points, position.offer.dice or position.rules.dice
            taking = words.count(
                "Take over {points} with {n} die", "Take over {points} with {n} dice", dice, points=points
            )
            return [("takeover", taking), ("roll", _first_roll(position.rules.dice, words))]
        case "start" | "roll" if position.fresh:
            return [("roll", _first_roll(position.rules.dice, words))]
        case "roll":
            return [("roll", _roll_label(position.dice_left, words))]
        case "decide":
            legal = legal_actions(position)
            buttons = []
            if Bank() in legal:
                buttons.append(("bank", _bank_label(position, position.turn_points, words)))
            if RollOn() in legal:
                buttons.append(("roll", _roll_label(position.dice_left or position.rules.dice, words)))
            return buttons
        case _:
            return []


def _first_roll(dice: int, words: Words) -> str:
    return words.count("Roll the die", "Roll the {n} dice", dice)


def _why(position: Position, words: Words) -> str:
    problem = bank_problem(position, position.turn_points, position.dice_left)
    return "" if problem is None else words.error(IllegalAction(problem[0], **problem[1]))


def _risk(position: Position, words: Words) -> str:
    if position.phase not in ("decide", "roll") or not position.turn_points:
        return ""
    return _loss(position, position.turn_points, position.dice_left or position.rules.dice, words)


def _announcements(position: Position, words: Words) -> list[tuple[int, str]]:
    if not position.rules.prediction or position.phase not in ("choose", "decide"):
        return []
    if position.phase == "decide" and not any(isinstance(one, Announce) for one in legal_actions(position)):
        return []
    law = odds(position.rules, 2).points
    return [(points, words.percent(float(law.get(points, 0)))) for points in ANNOUNCEMENTS]
