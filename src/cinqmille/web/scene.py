"""What the page of a table shows, worked out from the game: scores, dice, every legal set-aside with its consequences.

Templates and scripts only show it. No rule is known here: legality, points and risks are asked from the engine.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from cinqmille import told
from cinqmille.actions import (
    ANNOUNCEMENTS,
    Announce,
    Back,
    Banked,
    Busted,
    Event,
    Fell,
    Kept,
    Leave,
    Rolled,
    Scoreless,
    Skip,
    Won,
)
from cinqmille.errors import IllegalAction
from cinqmille.game import bank_problem, can, legal_actions, legal_keeps
from cinqmille.odds import odds
from cinqmille.patterns import Dice
from cinqmille.position import Position
from cinqmille.scoring import Keep, format_dice
from cinqmille.table import Table
from cinqmille.web.course import Course, Rung
from cinqmille.words import Words

_MOST_LINES = 24
# A throw that whoever likes is asked about: so many points, or so much of the target, at such a chance to lose them.
_DARING_POINTS, _DARING_SHARE, _DARING_BUST = 1000, 3, 0.4
# Milliseconds until a bot goes on: long enough to see its dice, longer where a turn has just ended.
_PACE, _PACE_AFTER_TURN = 1100, 1900
_CHIPS = 6


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a player's ladder: the total, and how it came about; ``fell`` for falls, ``lost`` if it is gone."""

    total: int
    says: str
    fell: bool
    lost: bool


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
    ladder: tuple[Step, ...]
    progress: int
    note: str
    may_leave: bool
    may_return: bool


@dataclass(frozen=True, slots=True)
class Die:
    """A die on the table: its face, and whether it was set aside."""

    face: int
    taken: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal set-aside and what follows from it, in words.

    ``bank`` and ``roll`` are the labels of the buttons; ``banks`` tells whether banking is allowed, ``why`` why not.
    ``ask`` is the question of whoever wants to be asked before daring throws; empty where it is none.
    """

    dice: str
    points: int
    says: str
    bank: str
    banks: bool
    why: str
    roll: str
    risk: str
    ask: str
    announce: bool


@dataclass(frozen=True, slots=True)
class Button:
    """Something that can be done without choosing dice: the value that is sent, and what it says.

    ``why`` says why it cannot be done now; the button stays, so that nobody looks for it.
    """

    value: str
    label: str
    ask: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is shown of a table at one moment."""

    number: int
    phase: str
    awaits: str
    players: tuple[Player, ...]
    playing: str
    headline: tuple[str, ...]
    ended: tuple[str, ...]
    dice: tuple[Die, ...]
    fresh: bool
    rolls: int
    kept: tuple[Dice, ...]
    turn_points: int
    choices: tuple[Choice, ...]
    lines: tuple[tuple[int, str], ...]
    sound: str
    buttons: tuple[Button, ...]
    question: tuple[str, ...]
    risk: str
    announcements: tuple[tuple[int, str], ...]
    real: bool
    undo: bool
    undo_why: str
    may_skip: bool
    winners: tuple[str, ...]
    busted: bool
    won_by_roll: bool
    pace: int
    awaited_dice: int
    by_points: bool
    strike: bool
    step: int

    @property
    def chips(self) -> tuple[Choice, ...]:
        """The set-asides that are offered at a tap."""
        return self.choices[:_CHIPS]

    @property
    def choices_json(self) -> str:
        """All set-asides for the script, safe inside a script element: nothing in it ends that."""
        return json.dumps({one.dice: asdict(one) for one in self.choices}, ensure_ascii=False).replace("<", "\\u003c")


def scene(table: Table, course: Course, words: Words, *, mine: bool | None = None) -> Scene:
    """Return the scene of a table as it stands; ``course`` is that of its game.

    ``mine`` says at an online table whether the turn is that of whoever looks; a person is then awaited as ``player``,
    somebody else as ``other``. None stands for a table around one screen, where everybody may play.
    """
    game, position = table.game, table.position
    awaits: str = table.awaits
    if awaits == "player" and mine is False:
        awaits = "other"
    person = awaits == "player"
    choosing = position.phase == "choose" and person
    between = position.fresh or position.phase == "over"
    problem = table.undo_problem()
    first = max(0, len(course.events) - _MOST_LINES)
    rolls_on = person and position.phase in ("decide", "roll")
    offered = position.phase == "start" and person
    return Scene(
        number=table.number,
        phase=position.phase,
        awaits=awaits,
        players=tuple(_players(table, course, words)),
        playing="" if position.to_play is None else game.players[position.to_play],
        headline=tuple(_headline(table, words)),
        ended=tuple(_ended(course, game.players, words)) if between else (),
        dice=tuple(Die(face, taken) for face, taken in course.marked),
        fresh=between,
        rolls=course.rolls,
        kept=() if between else course.kept[:-1] if course.taken else course.kept,
        turn_points=position.turn_points,
        choices=tuple(_choice(position, keep, words) for keep in legal_keeps(position)) if choosing else (),
        lines=tuple(
            (number, words.event(event, game.players))
            for number, event in enumerate(course.events[first:], start=first + 1)
        ),
        sound=_sound(course.last_turn),
        buttons=tuple(_buttons(table, words)) if awaits != "other" else (),
        question=tuple(told.offer(game, words)) if offered else (),
        risk=_risk(position, words) if rolls_on else "",
        announcements=tuple(_announcements(position, words)) if person else (),
        real=table.real,
        undo=problem is None and mine is None,
        undo_why="" if problem is None or mine is not None else words.error(problem),
        may_skip=can(position, Skip()),
        winners=tuple(game.players[seat] for seat in position.winners),
        busted=course.busted,
        won_by_roll=course.won,
        pace=_PACE_AFTER_TURN if between and course.events else _PACE,
        awaited_dice=position.dice_left if awaits == "dice" else 0,
        by_points=table.real and position.fresh and position.to_play not in table.bots,
        strike=position.rules.strike,
        step=position.rules.step,
    )


def _players(table: Table, course: Course, words: Words) -> list[Player]:
    game, position = table.game, table.position
    found = []
    for place, (name, seat) in enumerate(zip(game.players, position.seats, strict=True)):
        # Whoever is to play reads it on the felt.
        notes = [] if place == position.to_play else told.scoreless_warning(position, place, name, words)
        note = notes[0] if notes else words.say("away") if seat.away else ""
        found.append(
            Player(
                place, name, seat.score, place in table.bots, place == position.to_play, seat.away,
                place in position.winners, tuple(_ladder(course.rungs, place, seat.ladder, game.players, words)),
                max(0, min(100, 100 * seat.score // game.rules.target)), note,
                can(position, Leave(place)), can(position, Back(place)),
            )
        )  # fmt: skip
    return found


def _ladder(
    rungs: tuple[tuple[Rung, ...], ...], place: int, standing: tuple[int, ...], names: tuple[str, ...], words: Words
) -> list[Step]:
    """How a player's total came about, the first first; totals that no longer stand are marked."""
    found: list[Step] = []
    left = list(standing)
    for rung in reversed(rungs[place] if rungs else ()):
        fell = isinstance(rung.event, Fell)
        stands = not fell and bool(left) and left[-1] == rung.total
        if stands:
            left.pop()
        says = (
            words.event(rung.event, names)
            if isinstance(rung.event, Fell)
            else words.say("+{gain}", gain=rung.event.gain)
        )
        found.append(Step(rung.total, says, fell, not fell and not stands))
    return found[::-1]


def _headline(table: Table, words: Words) -> list[str]:
    game, position = table.game, table.position
    if position.phase == "over":
        return []
    if position.fresh:
        return told.turn_begins(game, words)[1:]
    return [*told.last_turns(game, words), *told.announced(position, words)]


def _ended(course: Course, names: tuple[str, ...], words: Words) -> list[str]:
    """How the last turn ended, without the rolls and set-asides that led there, nor what a bust says already."""
    busted = any(isinstance(event, Busted) for event in course.last_turn)
    return [
        words.event(event, names)
        for event in course.last_turn
        if not isinstance(event, Rolled | Kept)
        and not (busted and isinstance(event, Scoreless) and event.in_a_row == 1 and not event.due)
    ]


def _sound(events: tuple[Event, ...]) -> str:
    for event in reversed(events):
        for kind, name in _SOUNDS:
            if isinstance(event, kind):
                return name
    return ""


_SOUNDS = ((Won, "win"), (Fell, "fall"), (Busted, "bust"), (Banked, "bank"), (Rolled, "roll"), (Kept, "keep"))


def _choice(position: Position, keep: Keep, words: Words) -> Choice:
    rules = position.rules
    points = (position.turn_points + keep.points) * (1 if position.announced is None else 2)
    left = position.dice_left - len(keep.dice)
    dice = left or rules.dice
    says = words.say("{points} for these dice, {at_risk} at risk", points=words.points(keep.points), at_risk=points)
    if rules.exact and position.score + points > rules.target:
        lost = words.say("{target} would be passed: the turn is lost", target=rules.target)
        ends = words.say("Set aside and lose the turn")
        return Choice(
            format_dice(keep.dice), keep.points, says, words.say("Bank"), False, lost, ends, "", "", False
        )  # fmt: skip
    problem = bank_problem(position, points, left)
    bank = _bank_label(position, points, words) if problem is None else _refused_label(problem[1], words)
    return Choice(
        dice=format_dice(keep.dice),
        points=keep.points,
        says=says,
        bank=bank,
        banks=problem is None,
        why="" if problem is None else _why(problem, words),
        roll=_roll_label(dice, words),
        risk=_loss(position, points, dice, words),
        ask=_daring(position, points, dice, words),
        announce=rules.prediction and left == 2,
    )


def _bank_label(position: Position, points: int, words: Words) -> str:
    rules, total = position.rules, position.score + points
    if total >= rules.target:
        if rules.ending == "first":
            return words.say("Bank {points} and win", points=points)
        return words.say("Bank {points}: the target", points=points)
    if total > rules.cap:
        return words.say("Bank {points}: stops at {total}", points=points, total=rules.cap)
    return words.say("Bank {points}", points=points)


def _refused_label(params: dict[str, Any], words: Words) -> str:
    if "missing" in params:
        return words.say("Bank: {missing} short", missing=params["missing"])
    return words.say("Bank: not yet")


def _roll_label(dice: int, words: Words) -> str:
    return words.count("Roll {n} die again", "Roll {n} dice again", dice)


def _loss(position: Position, points: int, dice: int, words: Words) -> str:
    bust = words.percent(float(odds(position.rules, dice).bust), 0)
    return words.say("{bust} risk of losing {points}", bust=bust, points=words.points(points))


def _daring(position: Position, points: int, dice: int, words: Words) -> str:
    bust = float(odds(position.rules, dice).bust)
    much = points >= _DARING_POINTS or _DARING_SHARE * points >= position.rules.target
    if not much or bust < _DARING_BUST:
        return ""
    return words.say(
        "{points} are at risk, and {bust} of such rolls lose them. Roll all the same?",
        points=words.points(points),
        bust=words.percent(bust, 0),
    )


def _buttons(table: Table, words: Words) -> list[Button]:
    """What may be done without choosing dice."""
    position = table.position
    rules, points = position.rules, position.turn_points
    if table.awaits != "player":
        return []
    match position.phase:
        case "start" if position.offer is not None:
            offer, dice = position.offer, position.offer.dice or rules.dice
            taking = words.count(
                "Take over {points} with {n} die", "Take over {points} with {n} dice", dice, points=offer.points
            )
            return [Button("takeover", taking), Button("roll", _first_roll(rules.dice, words))]
        case "start" | "roll" if position.fresh:
            return [Button("roll", _first_roll(rules.dice, words))]
        case "roll":
            # Rolling was decided elsewhere; the dice have not fallen yet.
            return [Button("roll", words.count("Roll {n} die", "Roll {n} dice", position.dice_left))]
        case "decide":
            dice, problem = position.dice_left or rules.dice, bank_problem(position, points, position.dice_left)
            if problem is None:
                bank = Button("bank", _bank_label(position, points, words))
            else:
                bank = Button("bank", _refused_label(problem[1], words), why=_why(problem, words))
            return [bank, Button("roll", _roll_label(dice, words), _daring(position, points, dice, words))]
        case _:
            return []


def _first_roll(dice: int, words: Words) -> str:
    return words.count("Roll the die", "Roll the {n} dice", dice)


def _why(problem: tuple[str, dict[str, Any]], words: Words) -> str:
    """Why banking is refused, in as few words as a small phone has room for."""
    match problem:
        case "below_entry", {"need": need}:
            return words.say("Getting on the board takes {need} points in one turn.", need=need)
        case "below_min_bank", {"need": need}:
            return words.say("Banking takes {need} points in one turn.", need=need)
        case "last_leg_needs_target", {"need": need}:
            return words.say("The last leg: all {need} points must come in one turn.", need=need)
        case code, params:
            return words.error(IllegalAction(code, **params))


def _risk(position: Position, words: Words) -> str:
    if not position.turn_points:
        return ""
    return _loss(position, position.turn_points, position.dice_left or position.rules.dice, words)


def _announcements(position: Position, words: Words) -> list[tuple[int, str]]:
    """What may be announced, with the chance of each; while dice are chosen, what could be once three are set aside."""
    rules = position.rules
    if not rules.prediction or position.phase not in ("choose", "decide"):
        return []
    if position.phase == "decide" and not any(isinstance(one, Announce) for one in legal_actions(position)):
        return []
    if position.phase == "choose" and not any(
        position.dice_left - len(keep.dice) == 2 for keep in legal_keeps(position)
    ):
        return []
    law = odds(rules, 2).points
    return [(points, words.percent(float(law.get(points, 0)), 0)) for points in ANNOUNCEMENTS]
