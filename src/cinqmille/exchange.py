"""Positions and rules as plain data for JSON, both ways, strictly.

A stored thing carries the canonical string and the fingerprint of its rules, and is refused when the string no longer
stands for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from cinqmille.errors import InvalidText
from cinqmille.position import Offer, Position, Seat
from cinqmille.rules import Rules


def position_to_json(position: Position) -> dict[str, object]:
    """Return a position as plain data; seats are numbered from 0."""
    offer = position.offer
    return {
        "rules": position.rules.canonical,
        "fingerprint": position.rules.fingerprint,
        "seats": [{"ladder": list(s.ladder), "scoreless": s.scoreless, "away": s.away} for s in position.seats],
        "to_play": position.to_play,
        "phase": position.phase,
        "turn_points": position.turn_points,
        "dice_left": position.dice_left,
        "roll": list(position.roll),
        "announced": position.announced,
        "opener": position.opener,
        "offer": None if offer is None else {"points": offer.points, "dice": offer.dice, "by": offer.by},
        "winners": list(position.winners),
    }


def position_from_json(source: str | Mapping[str, object]) -> Position:
    """Return the position of :func:`position_to_json`, or of its text; raise InvalidText naming the wrong key."""
    kinds: dict[str, type] = {"rules": str, "fingerprint": str, "seats": list, "phase": str}
    data = read_json(source, {**kinds, "turn_points": int, "dice_left": int, "roll": list, "winners": list})
    rules = rules_from_json(data)
    try:
        seats = tuple(
            Seat(whole_numbers(s["ladder"]), whole_number(s["scoreless"]), s["away"] is True) for s in data["seats"]
        )
        offer = data["offer"] and Offer(*(whole_number(data["offer"][key]) for key in ("points", "dice", "by")))
        maybe = {
            key: None if data[key] is None else whole_number(data[key]) for key in ("to_play", "announced", "opener")
        }
        position = Position(
            rules, seats, phase=data["phase"], turn_points=whole_number(data["turn_points"]),
            dice_left=whole_number(data["dice_left"]), roll=whole_numbers(data["roll"]), offer=offer or None,
            winners=whole_numbers(data["winners"]), **maybe,
        )  # fmt: skip
    except (KeyError, TypeError) as error:
        raise InvalidText("json_wrong", key=str(error.args[0])) from None
    wrong = position.inconsistency()
    if wrong is not None:
        raise InvalidText("position_part_wrong", part=wrong, value=str(data.get(wrong, "")))
    return position


def whole_number(value: object) -> int:
    """Return a whole number as it is; raise TypeError for anything else, true and false included."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(value)
    return value


def whole_numbers(values: list[object]) -> tuple[int, ...]:
    """Return a list of whole numbers as a tuple; raise TypeError as :func:`whole_number`."""
    return tuple(whole_number(value) for value in values)


def read_json(source: str | Mapping[str, object], keys: Mapping[str, type]) -> dict[str, Any]:
    """Return the object in ``source`` when it has ``keys`` of these types; raise InvalidText otherwise."""
    try:
        data = json.loads(source) if isinstance(source, str) else source
    except json.JSONDecodeError as error:
        raise InvalidText("not_json", line=error.lineno, column=error.colno) from None
    except (RecursionError, ValueError):  # lists within lists without end, numbers of thousands of digits
        raise InvalidText("not_json", line=1, column=1) from None
    if not isinstance(data, Mapping):
        raise InvalidText("json_wrong", key="{}")
    for key, kind in keys.items():
        if not isinstance(data.get(key), kind):
            raise InvalidText("json_wrong", key=key)
    return dict(data)


def rules_from_json(data: Mapping[str, Any]) -> Rules:
    """Return the rules a stored thing names, refusing those whose fingerprint is another (a changed preset)."""
    rules = Rules.parse(data["rules"])
    if rules.fingerprint != data["fingerprint"]:
        raise InvalidText("other_rules", rules=rules.canonical, found=rules.fingerprint, stored=data["fingerprint"])
    return rules
