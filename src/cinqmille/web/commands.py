"""What the fields of a table's form ask for: the actions of a person, as far as they make sense.

Whether they are allowed is for the engine to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cinqmille.actions import Action, Announce, Back, Bank, Leave, Points, Roll, RollOn, SetAside, Skip, TakeOver
from cinqmille.errors import IllegalAction, InvalidText
from cinqmille.game import apply
from cinqmille.position import Position
from cinqmille.scoring import parse_dice


def commands(position: Position, fields: Iterable[tuple[str, str]]) -> list[Action]:
    """Return the actions a form asks for in a position.

    ``then`` says what is done; before it the dice of ``die`` (places in the roll, from 0) are set aside where dice lie
    to choose from. Raises InvalidText for what cannot be read, IllegalAction where no dice are chosen or those chosen
    cannot be set aside.
    """
    fields = list(fields)
    values = dict(fields)
    then = values.get("then", "")
    action = _action(then, values)
    if position.phase != "choose" or isinstance(action, Skip | Leave | Back | Roll | Points):
        return [action]
    places = {value for name, value in fields if name == "die"}
    faces = [face for place, face in enumerate(position.roll) if str(place) in places]
    if not faces:
        raise IllegalAction("nothing_chosen")
    aside = SetAside(tuple(faces))
    # Where setting aside ends the turn (an exact target passed) nothing can follow.
    return [aside, action] if apply(position, aside).phase == "decide" else [aside]


def _action(then: str, values: dict[str, str]) -> Action:
    match then:
        case "bank":
            return Bank()
        case "roll":
            return RollOn()
        case "takeover":
            return TakeOver()
        case "skip":
            return Skip()
        case "none":
            raise IllegalAction("nothing_asked")
        case "dice":
            return Roll(parse_dice(values.get("dice", "")))
        case "points":
            return _points(values.get("points", ""))
        case "nothing":
            return Points(0)
        case "nothing-all":
            return Points(0, all_dice=True)
        case _:
            return _named(then)


def _named(then: str) -> Action:
    """What a value with a number in it stands for."""
    if match := re.fullmatch("announce-([0-9]{1,9})", then, re.ASCII):
        return Announce(int(match[1]))
    if match := re.fullmatch("(leave|back)-([1-9])", then, re.ASCII):
        seat = int(match[2]) - 1
        return Leave(seat) if match[1] == "leave" else Back(seat)
    raise InvalidText("unknown_choice", text=then[:40])


def _points(text: str) -> Points:
    text = text.strip()
    digits = re.sub(r"[\s.,\u00a0\u202f]", "", text.removesuffix("*"))  # 1 250, 1,250 or 1.250, as people write it
    if not re.fullmatch("[0-9]{1,9}", digits, re.ASCII):
        raise InvalidText("bad_points", text=text[:40])
    return Points(int(digits), text.endswith("*"))
