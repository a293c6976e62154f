"""What can be done at a table, and what happens then: actions and events, nothing but data.

An action is what a player, the dice or the table does; it is what a record keeps. An event is what an
action made happen; it is never stored, since a replay tells it again. Seats are numbered from 0. Numbers of
another kind (1.0, "1") are a TypeError where an action is made, so that no position ever holds one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import index
from typing import assert_never

from cinqmille.errors import InvalidText
from cinqmille.patterns import Dice
from cinqmille.scoring import Roll as Roll
from cinqmille.scoring import format_dice, parse_dice

ANNOUNCEMENTS = (50, 100, 150, 200)


# Actions: what a player, the dice or the table does.


@dataclass(frozen=True, slots=True)
class SetAside:
    """Set the given scoring dice of the roll aside, in whatever order."""

    dice: Dice

    def __post_init__(self) -> None:
        object.__setattr__(self, "dice", tuple(sorted(map(index, self.dice))))


@dataclass(frozen=True, slots=True)
class Bank:
    """Take the points of the turn."""


@dataclass(frozen=True, slots=True)
class RollOn:
    """Roll the dice that are left (all of them after hot dice, or at a start without taking over)."""


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Go on with the previous player's turn: its points and its dice (RULES §5.8)."""


@dataclass(frozen=True, slots=True)
class Announce:
    """Say what the last two dice will score, and roll them (RULES §5.6)."""

    points: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", index(self.points))


@dataclass(frozen=True, slots=True)
class Points:
    """A whole turn typed as its points only; 0 is scoreless, with ``all_dice`` on a roll of all dice (RULES §6)."""

    points: int
    all_dice: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", index(self.points))


@dataclass(frozen=True, slots=True)
class Skip:
    """The table passes the turn of the player to play; it counts neither as a gain nor as scoreless."""


@dataclass(frozen=True, slots=True)
class Leave:
    """The seat is passed over from now on; the order never shifts."""

    seat: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "seat", index(self.seat))


@dataclass(frozen=True, slots=True)
class Back:
    """The seat plays again."""

    seat: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "seat", index(self.seat))


Action = Roll | SetAside | Bank | RollOn | TakeOver | Announce | Points | Skip | Leave | Back


def format_action(action: Action) -> str:
    """Return an action as one word or two; seats are numbered from 1 in text. :func:`parse_action` reads it."""
    match action:
        case Roll():
            return str(action)
        case SetAside():
            return f">{format_dice(action.dice)}"
        case Bank():
            return "="
        case RollOn():
            return "roll"
        case TakeOver():
            return "+"
        case Announce():
            return f"?{action.points}"
        case Points():
            return f"={action.points}{'*' if action.all_dice else ''}"
        case Skip():
            return "skip"
        case Leave():
            return f"leave {action.seat + 1}"
        case Back():
            return f"back {action.seat + 1}"
        case _:
            assert_never(action)


def parse_action(text: str) -> Action:
    """Return the action written by :func:`format_action`; raise InvalidText otherwise."""
    text = text.strip()
    words: dict[str, Action] = {"=": Bank(), "roll": RollOn(), "+": TakeOver(), "skip": Skip()}
    if text in words:
        return words[text]
    if re.fullmatch(r"[1-6]{1,8}", text):
        return Roll(parse_dice(text))
    if re.fullmatch(r">[1-6]{1,8}", text):
        return SetAside(parse_dice(text[1:]))
    if re.fullmatch(r"\?[0-9]{1,9}", text):
        return Announce(int(text[1:]))
    if match := re.fullmatch(r"=([0-9]{1,9})(\*?)", text):
        return Points(int(match[1]), bool(match[2]))
    if match := re.fullmatch(r"(leave|back) ([1-9])", text):
        seat = int(match[2]) - 1
        return Leave(seat) if match[1] == "leave" else Back(seat)
    raise InvalidText("bad_action", text=text)


# Events: what an action made happen, in order. Nothing in them needs to be stored: a replay tells them again.


@dataclass(frozen=True, slots=True)
class Rolled:
    """Dice fell; ``all_dice`` tells a roll of all the dice of the game."""

    seat: int
    dice: Dice
    all_dice: bool


@dataclass(frozen=True, slots=True)
class Busted:
    """No die scored; ``lost`` are the points that were at risk."""

    seat: int
    lost: int
    all_dice: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """Dice set aside; ``dice_left`` is 0 for hot dice."""

    seat: int
    dice: Dice
    points: int
    turn_points: int
    dice_left: int


@dataclass(frozen=True, slots=True)
class Announced:
    """The player said what the last two dice will score."""

    seat: int
    points: int


@dataclass(frozen=True, slots=True)
class Predicted:
    """How an announcement came out: ``best`` is the best score of the roll (0 for a bust)."""

    seat: int
    announced: int
    best: int
    right: bool


@dataclass(frozen=True, slots=True)
class Doubled:
    """A right prediction doubled the whole turn to ``turn_points``."""

    seat: int
    turn_points: int


@dataclass(frozen=True, slots=True)
class TookOver:
    """The player goes on with the previous turn: its points and so many dice to roll."""

    seat: int
    points: int
    dice: int


@dataclass(frozen=True, slots=True)
class Overshot:
    """Score and turn together passed an exact target; ``lost`` are the points of the turn."""

    seat: int
    lost: int
    total: int


@dataclass(frozen=True, slots=True)
class Banked:
    """``points`` of the turn were banked; ``gain`` is less when the last leg capped them."""

    seat: int
    points: int
    gain: int
    total: int


@dataclass(frozen=True, slots=True)
class Scoreless:
    """A turn without gain, the ``in_a_row``-th in a row; ``due`` tells that the penalty falls due."""

    seat: int
    in_a_row: int
    due: bool


@dataclass(frozen=True, slots=True)
class Fell:
    """A total fell from ``before`` to ``after``.

    ``cause`` is ``equal`` (the player of seat ``by`` arrived there), ``strike`` or ``scoreless``.
    """

    seat: int
    before: int
    after: int
    cause: str
    by: int


@dataclass(frozen=True, slots=True)
class TargetReached:
    """The target was banked and the game goes on for the turns that ``ending`` grants."""

    seat: int
    total: int
    ending: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """The turn was passed; ``lost`` are the points that were at risk."""

    seat: int
    lost: int


@dataclass(frozen=True, slots=True)
class WentAway:
    """The seat is passed over from now on; ``lost`` are the points of a turn that was given up."""

    seat: int
    lost: int


@dataclass(frozen=True, slots=True)
class CameBack:
    """The seat plays again."""

    seat: int


@dataclass(frozen=True, slots=True)
class Won:
    """The game is over; ``how`` is ``at_once`` (a winning roll), ``target``, ``highest`` or ``shared``.

    ``turn_points`` are those at risk when a roll won at once: they were set aside, but no longer matter.
    """

    winners: tuple[int, ...]
    how: str
    turn_points: int = 0


Event = (
    Rolled | Busted | Kept | Announced | Predicted | Doubled | TookOver | Overshot | Banked | Scoreless | Fell
    | TargetReached | Skipped | WentAway | CameBack | Won
)  # fmt: skip
