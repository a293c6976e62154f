"""The form of a new game: which rules, who plays, whose dice; read from what was sent, and made from it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from cinqmille.bots import BOTS
from cinqmille.errors import CinqMilleError
from cinqmille.position import FEWEST_PLAYERS, MOST_PLAYERS
from cinqmille.record import Game
from cinqmille.rules import PARAMETERS, PRESETS, Rules, Sheet
from cinqmille.words import Words

FIRST, SECOND = "cinq-des", "six-des"


@dataclass(frozen=True, slots=True)
class Question:
    """One house rule as the form asks it: ``kind`` is ``flag``, ``choice`` or ``number``."""

    name: str
    label: str
    help: str
    kind: str
    value: str
    default: str
    choices: tuple[tuple[str, str], ...] = ()
    low: int = 0
    step: int = 1


@dataclass(frozen=True, slots=True)
class Setup:
    """What stands in the form: a preset, the values that differ from it, seats (name, bot or ""), dice."""

    preset: str = FIRST
    values: Mapping[str, str] = field(default_factory=dict)
    seats: tuple[tuple[str, str], ...] = ()
    dice: str = "system"
    changed: bool = False

    @classmethod
    def recalled(cls, kept: object, words: Words) -> Setup:
        """Return the form as this device left it, or as it is first seen."""
        first = ((words.say("Player {number}", number=1), ""), (words.say("Robot"), "steady:350"))
        if not isinstance(kept, dict):
            return cls(seats=first)
        fields = [(str(name), str(value)) for name, value in kept.get("fields", []) if name != "then"]
        return replace(cls.read(fields), changed=False)

    @classmethod
    def read(cls, fields: Iterable[tuple[str, str]]) -> Setup:
        """Return the form that was sent."""
        sent = dict(fields)
        preset = sent.get("preset", FIRST)
        preset = preset if preset in PRESETS else FIRST
        then = sent.get("then", "")
        sheet = PRESETS[preset]
        known = {parameter.name: parameter for parameter in PARAMETERS}
        values = {}
        # A sheet that was just chosen comes with its own values.
        if sent.get("shown", preset) == preset and then != f"preset-{preset}":
            for name, parameter in known.items():
                if f"rule-{name}" not in sent and parameter.kind != "flag":
                    continue
                value = sent.get(f"rule-{name}", "false").strip()
                if "shown" not in sent and parameter.kind == "flag" and f"rule-{name}" not in sent:
                    continue
                default = getattr(sheet, name)
                if value != (str(default).lower() if isinstance(default, bool) else str(default)):
                    values[name] = value
        if then.startswith("preset-") and then[7:] in PRESETS:
            preset, values = then[7:], {}
        count = sum(name.startswith("name-") for name in sent)
        seats = [
            (sent.get(f"name-{place}", "").strip()[:40], sent.get(f"bot-{place}", "").strip())
            for place in range(min(count, MOST_PLAYERS))
        ]
        if then == "add" and len(seats) < MOST_PLAYERS:
            seats.append(("", ""))
        if then.startswith("remove-") and then[7:].isdecimal() and len(seats) > FEWEST_PLAYERS:
            del seats[int(then[7:]) : int(then[7:]) + 1]
        dice = "real" if sent.get("dice") == "real" else "system"
        return cls(preset, values, tuple(seats), dice, changed=then != "start")

    def with_rules(self, text: str) -> Setup:
        """Return the form with these rules; unchanged where they cannot be read."""
        try:
            rules = Rules.parse(text)
        except CinqMilleError:
            return self
        sheet = PRESETS[rules.base]
        differing = {
            parameter.name: _text(getattr(rules, parameter.name))
            for parameter in PARAMETERS
            if getattr(rules, parameter.name) != getattr(sheet, parameter.name)
        }
        return replace(self, preset=rules.base, values=differing)

    def rules(self) -> Rules:
        """Return the rules of the form; raise InvalidRules where they cannot be."""
        return PRESETS[self.preset].derive(**self.values) if self.values else PRESETS[self.preset]

    def sheet(self) -> Sheet:
        """Return the rule sheet of the form."""
        return Sheet.load(self.rules().canonical)

    def game(self, words: Words) -> Game:
        """Return the game of the form, not begun; raise CinqMilleError where it cannot be."""
        names = []
        for place, (name, bot) in enumerate(self.seats, start=1):
            unnamed = words.say("Robot {number}", number=place) if bot else words.say("Player {number}", number=place)
            names.append(name or unnamed)
        robots = ", ".join(f"{name}={bot}" for name, (_, bot) in zip(names, self.seats, strict=True) if bot)
        headers = {"seats": robots} if robots else {}
        headers |= {"date": datetime.now().isoformat(sep=" ", timespec="minutes"), "dice": self.dice}
        return Game.new(self.rules(), tuple(names), headers)

    def questions(self, words: Words) -> list[Question]:
        """Return every house rule as a question, those that differ from the sheet marked by their default."""
        sheet = PRESETS[self.preset]
        found = []
        for parameter in PARAMETERS:
            default = _text(getattr(sheet, parameter.name))
            value = self.values.get(parameter.name, default)
            choices = [(choice, words.choice_label(parameter.name, choice)) for choice in parameter.choices]
            kind = {"flag": "flag", "choice": "choice"}.get(parameter.kind, "number")
            if parameter.kind == "choice or points":
                kind = "either"
            found.append(
                Question(
                    parameter.name,
                    words.parameter_label(parameter.name),
                    words.say(parameter.help),
                    kind,
                    value,
                    default,
                    tuple(choices),
                    parameter.low,
                    sheet.step if parameter.kind != "count" else 1,
                )
            )
        return found

    def bots(self, words: Words) -> list[tuple[str, str, str]]:
        """Return the bots that can be chosen: spec, name, help."""
        return [(name, name, words.say(kind.help)) for name, kind in BOTS.items()]

    def to_json(self) -> dict[str, Any]:
        """Return the form as it is remembered."""
        fields = [["preset", self.preset], ["shown", self.preset], ["dice", self.dice], ["then", "start"]]
        sheet = PRESETS[self.preset]
        for parameter in PARAMETERS:
            fields.append(
                [f"rule-{parameter.name}", self.values.get(parameter.name, _text(getattr(sheet, parameter.name)))]
            )
        for place, (name, bot) in enumerate(self.seats):
            fields += [[f"name-{place}", name], [f"bot-{place}", bot]]
        return {"fields": fields}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
