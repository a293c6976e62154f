"""The form of a new game: which rules, who plays, whose dice; read from what was sent, and made from it again.

Whatever was typed stays in the form as it was typed, right or wrong; what is wrong is told at its field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlencode

from cinqmille.bots import BOTS, bot, check_bot
from cinqmille.errors import CinqMilleError, InvalidRules
from cinqmille.patterns import Combination
from cinqmille.position import FEWEST_PLAYERS, MOST_PLAYERS
from cinqmille.record import Game
from cinqmille.rules import PARAMETERS, PRESETS, Parameter, Rules
from cinqmille.seating import USUAL_AFTER, WAYS, Terms, Way
from cinqmille.web.own import Own, clean
from cinqmille.words import N_, Words

FIRST, SECOND = "cinq-des", "six-des"
LONGEST_NAME = 40
FAR_SEATS = 8
# Seconds; 0 stands for never.
DELAYS = (30, 120, 600, 86400, 0)
_MOST_TYPED = 400
_PATTERN = re.compile(r"[1-6A-F]{1,8}")
_PARAMETERS = {parameter.name: parameter for parameter in PARAMETERS}

# House rules as people look for them. A parameter that stands nowhere here comes last.
_GROUPS = (
    (N_("The end of the game"), ("target", "ending", "tie", "exact", "last_leg")),
    (N_("Points needed to bank"), ("entry", "min_bank")),
    (N_("The dice"), ("dice", "keep", "hot_dice", "blank_roll")),
    (N_("Turns without points"), ("scoreless_limit", "scoreless_penalty", "floor", "strike")),
    (N_("The other players"), ("equal_scores", "takeover", "prediction")),
)
_MORE = N_("More house rules")

# Bots that can be told a number, as they play when nobody tells them one.
_BOT_HELP = {
    "steady": N_("Banks as soon as the turn has 350 points."),
    "table": N_("Banks from the points that bring the most a turn, which depend on the number of dice left."),
}

# Which field a refusal of the rules as a whole belongs to; those that name a rule belong to it.
_FIELDS = {
    "prediction_needs_five_dice": "prediction",
    "last_leg_too_long": "last_leg",
    "entry_unreachable": "entry",
    "target_unreachable": "target",
    "target_unreachable_exactly": "target",
    "dead_end": "target",
    "no_points": "combinations",
}


@dataclass(frozen=True, slots=True)
class Question:
    """One house rule as the form asks it: ``kind`` is ``flag``, ``choice``, ``number`` or ``either``."""

    name: str
    label: str
    help: str
    kind: str
    value: str
    differs: bool
    choices: tuple[tuple[str, str], ...]
    low: int
    high: int
    step: int


@dataclass(frozen=True, slots=True)
class Group:
    """House rules that belong together; ``changed`` of them differ from the sheet."""

    title: str
    questions: tuple[Question, ...]
    changed: int


@dataclass(frozen=True, slots=True)
class Line:
    """A combination in the form: its pattern, its name, how it is worth what (``kind``) and the number typed."""

    pattern: str
    name: str
    kind: str
    points: str
    letters: tuple[str, ...]
    differs: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """What the form comes to: its rules, or what is wrong by field (``rules`` where no field is to blame)."""

    rules: Rules | None
    problems: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Setup:
    """What stands in the form.

    ``preset`` is a sheet and ``base`` its rules, ``values`` what differs from them (parameters and patterns, as text),
    ``more`` combinations typed in, ``seats`` pairs of name and bot ("" for a person), ``then`` what was pressed,
    ``title`` the name under which to keep the sheet, ``aside`` the changes of the sheet that stood there before.
    ``places``, ``after`` and ``absent`` are for a table whose seats are far apart: how many there are, after how many
    seconds the others may act for somebody who is away, and how.
    """

    preset: str
    base: Rules
    values: Mapping[str, str] = field(default_factory=dict)
    more: str = ""
    seats: tuple[tuple[str, str], ...] = ()
    dice: str = "system"
    then: str = ""
    title: str = ""
    aside: str = ""
    places: int = FAR_SEATS
    after: int = USUAL_AFTER
    absent: Way = "ask"

    @classmethod
    def first(cls, usual: str = "") -> Setup:
        """Return the form as it is first seen, with the usual name of whoever plays here."""
        return cls(FIRST, PRESETS[FIRST], seats=((usual, ""), ("", "steady:350")))

    @classmethod
    def recalled(cls, kept: object, own: Sequence[Own], usual: str = "") -> Setup:
        """Return the form as this device left it, or as it is first seen."""
        if not isinstance(kept, list):
            return cls.first(usual)
        fields = [(str(name), str(value)) for name, value in kept]
        found = cls.read(fields, own)
        return replace(found if found.seats else cls.first(usual), then="")

    @classmethod
    def read(cls, fields: Iterable[tuple[str, str]], own: Sequence[Own] = ()) -> Setup:
        """Return the form that was sent."""
        sent = dict(fields)
        sheets = {**{name: PRESETS[name] for name in PRESETS}, **{sheet.key: sheet.rules for sheet in own}}
        preset = sent.get("preset", FIRST)
        shown, then = sent.get("shown", ""), sent.get("then", "")
        preset = preset if preset in sheets else shown if shown in sheets else FIRST
        found = cls(
            preset, sheets[preset], seats=_seats(sent, then), dice="real" if sent.get("dice") == "real" else "system",
            then=then, title=clean(sent.get("title", "")), aside=sent.get("aside", "")[:4000],
            places=_one_of(sent.get("far-seats", ""), range(FEWEST_PLAYERS, MOST_PLAYERS + 1), FAR_SEATS),
            after=_one_of(sent.get("far-after", ""), DELAYS, USUAL_AFTER), absent=_way(sent.get("far-absent", "")),
        )  # fmt: skip
        if shown in ("", preset) or shown not in sheets:
            values = _values(sent, found.base, shown)
            if shown and shown not in sheets and any(name.startswith("worth-") for name in sent):
                # A sheet that has been deleted meanwhile: what stood in the form is all there is of it.
                lines = {c.pattern for c in found.base.combinations if f"worth-{c.pattern}" not in sent}
                values |= dict.fromkeys(lines, "none")
            found = replace(found, values=values, more=sent.get("more", "")[:_MOST_TYPED])
            found = found._with_more()
        else:
            # The sheet was changed for another: what had been changed in it can be taken back.
            left = _values(sent, sheets[shown], shown)
            found = replace(found, title="", aside=urlencode([("preset", shown), *left.items()]) if left else "")
        if then == "restore":
            back = dict(parse_qsl(found.aside))
            preset = back.pop("preset", "")
            back = {name: value for name, value in back.items() if name in _PARAMETERS or _PATTERN.fullmatch(name)}
            if preset in sheets:
                found = replace(found, preset=preset, base=sheets[preset], values=back, aside="")
        return found

    def with_rules(self, text: str, title: str, own: Sequence[Own] = ()) -> Setup:
        """Return the form with these rules (a preset, a canonical string, or the key of a sheet of one's own).

        Raises InvalidRules where they cannot be read.
        """
        for sheet in own:
            if text == sheet.key:
                return replace(
                    self, preset=sheet.key, base=sheet.rules, values={}, title=sheet.title, more="", aside=""
                )
        try:
            rules = Rules.parse(text)
        except InvalidRules:
            # Rules that can be read but not played stand in the form, with what is wrong at its field.
            preset, values = _read(text)
            if not values:
                raise
            return replace(
                self, preset=preset, base=PRESETS[preset], values=values, title=clean(title), more="", aside=""
            )
        base = PRESETS[rules.base]
        return replace(
            self, preset=rules.base, base=base, values=_differing(rules, base), title=clean(title), more="", aside=""
        )

    def checked(self, words: Words) -> Checked:
        """Return the rules of the form, or what is wrong with them, all of it."""
        problems: dict[str, str] = {}
        for name, value in self.values.items():
            try:
                if name in _PARAMETERS:
                    _PARAMETERS[name].read(value)
                else:
                    Combination.parse(name, value)
            except InvalidRules as error:
                problems[name] = plainly(error, words)
        if self.more:
            try:
                list(_typed(self.more, self.base))
            except InvalidRules as error:
                problems["more"] = plainly(error, words)
        if problems:
            return Checked(None, problems)
        try:
            return Checked(self.base.derive(**self.values) if self.values else self.base, {})
        except InvalidRules as error:
            return Checked(None, {_field(error, self.values): plainly(error, words)})

    def names(self, words: Words) -> tuple[str, ...]:
        """Return the names of the players; those left empty get one that nobody else has."""
        found, taken = [], {name for name, _ in self.seats}
        for place, (name, spec) in enumerate(self.seats, start=1):
            number = place
            while not name:
                free = (
                    words.say("Robot {number}", number=number) if spec else words.say("Player {number}", number=number)
                )
                name, number = "" if free in taken else free, number + 1
            taken.add(name)
            found.append(name)
        return tuple(found)

    def seat_problems(self, words: Words) -> dict[str, str]:
        """Return what is wrong with the names, by field."""
        names = self.names(words)
        problems = {}
        for place, name in enumerate(names):
            # The second of two equal names is the one to change.
            beside = next((other for other in names[:place] if other.strip() == name.strip()), "\u00a7")
            try:
                Game.new(PRESETS[FIRST], (name, beside))
            except CinqMilleError as error:
                problems[f"name-{place}"] = words.error(error)
        return problems

    def bot_problems(self, rules: Rules, words: Words) -> dict[str, str]:
        """Return which bots cannot play these rules, by field; the others are ready to play. It may take seconds."""
        problems = {}
        for place, (_, spec) in enumerate(self.seats):
            try:
                if spec:
                    check_bot(bot(spec), rules, len(self.seats))
            except CinqMilleError as error:
                problems[f"bot-{place}"] = plainly(error, words)
        return problems

    def game(self, rules: Rules, words: Words) -> Game:
        """Return the game of the form, not begun; raise CinqMilleError where it cannot be."""
        names = self.names(words)
        robots = ", ".join(f"{name}={spec}" for name, (_, spec) in zip(names, self.seats, strict=True) if spec)
        headers = {"seats": robots} if robots else {}
        headers |= {"date": today(), "dice": self.dice}
        return Game.new(rules, names, headers)

    def terms(self, rules: Rules, words: Words, date: str) -> Terms:
        """Return what a table far apart agrees on: friends who come find their place by the name that stands here."""
        robots = sum(bool(spec) for _, spec in self.seats)
        return Terms(
            rules, max(self.places, robots + 1), self.after, self.absent, date=date, order=self.names(words)
        )  # fmt: skip

    def host(self, words: Words) -> str | None:
        """Return the name of the first person, None where only robots play."""
        return next((name for name, (_, spec) in zip(self.names(words), self.seats, strict=True) if not spec), None)

    def groups(self, words: Words) -> list[Group]:
        """Return every house rule as a question, in groups."""
        named = {name for _, names in _GROUPS for name in names}
        rest = tuple(name for name in _PARAMETERS if name not in named)
        found = []
        for title, names in (*_GROUPS, *([(_MORE, rest)] if rest else [])):
            questions = tuple(self._question(_PARAMETERS[name], words) for name in names)
            found.append(Group(words.say(title), questions, sum(question.differs for question in questions)))
        return found

    def _question(self, parameter: Parameter, words: Words) -> Question:
        name, kinds = parameter.name, {"flag": "flag", "choice": "choice", "choice or points": "either"}
        default = _text(getattr(self.base, name))
        value = self.values.get(name, default)
        choices = tuple((choice, words.choice_label(name, choice)) for choice in parameter.choices)
        step = self.base.step if "points" in parameter.kind else 1
        # The help names the words of a rule sheet's text form; here the choices stand in plain words.
        words_of_text = "|".join(parameter.choices) or "-"
        help = re.sub(rf" \((?:{words_of_text})\)", "", words.say(parameter.help))
        low = -(-parameter.low // step) * step
        return Question(
            name, _upper(words.parameter_label(name)), help, kinds.get(parameter.kind, "number"),
            value, value != default, choices, low, parameter.high, step,
        )  # fmt: skip

    def lines(self, words: Words) -> list[Line]:
        """Return the combinations that can be changed."""
        given = {c.pattern: c.value for c in self.base.combinations}
        values = given | {name: value for name, value in self.values.items() if name not in _PARAMETERS}
        found = []
        for pattern in sorted(values, key=lambda pattern: (len(pattern), pattern)):
            number, _, letter = values[pattern].partition("*")
            kind = number if number in ("win", "none") else letter or "points"
            letters = tuple(sorted({sign for sign in pattern if sign.isalpha()}))
            points = "" if kind in ("win", "none") else number
            differs = values[pattern] != given.get(pattern)
            found.append(Line(pattern, _upper(words.combination(pattern)), kind, points, letters, differs))
        return found

    def bots(self, words: Words) -> list[tuple[str, str, str]]:
        """Return the bots that can be chosen, from the weakest to the strongest: spec, label, help."""
        last = len(BOTS) - 1
        found = []
        for place, (name, kind) in enumerate(BOTS.items()):
            label = words.bot(name)
            if place in (0, last):
                easy = words.say("the easiest") if place == 0 else words.say("the strongest")
                label = f"{label} ({easy})"
            found.append((name, label, words.say(_BOT_HELP.get(name, kind.help))))
        return found

    def to_json(self) -> list[list[str]]:
        """Return the form as it is remembered."""
        fields = [["preset", self.preset], ["shown", self.preset], ["dice", self.dice], ["more", self.more]]
        fields += [["title", self.title], ["aside", self.aside], ["far-seats", str(self.places)]]
        fields += [["far-after", str(self.after)], ["far-absent", self.absent]]
        for parameter in PARAMETERS:
            value = self.values.get(parameter.name, _text(getattr(self.base, parameter.name)))
            fields.append([f"rule-{parameter.name}", value])
        lines = {c.pattern: c.value for c in self.base.combinations}
        lines |= {name: value for name, value in self.values.items() if name not in _PARAMETERS}
        fields += [[f"worth-{name}", value] for name, value in lines.items()]
        for place, (name, spec) in enumerate(self.seats):
            fields += [[f"name-{place}", name], [f"bot-{place}", spec]]
        return fields

    def _with_more(self) -> Setup:
        """Make lines of the combinations that were typed, where all of them can be read."""
        try:
            return replace(self, values=dict(self.values) | dict(_typed(self.more, self.base)), more="")
        except InvalidRules:
            return self


def plainly(error: CinqMilleError, words: Words) -> str:
    """Return the sentence of a refusal in which rules, choices and bots have the names that the form gives them."""
    params = dict(error.params)
    name = params.get("name")
    if name in _PARAMETERS:
        params["name"] = words.parameter_label(name)
        labels = {choice: words.choice_label(name, choice) for choice in _PARAMETERS[name].choices}
        params["choices"] = tuple(labels.get(choice, choice) for choice in params.get("choices", ()))
        params["value"] = labels.get(str(params.get("value")), params.get("value", ""))
    if params.get("bot") in BOTS:
        params["bot"] = words.bot(params["bot"])
    return words.refusal(error.code, **params)


def _one_of(text: str, allowed: Iterable[int], usual: int) -> int:
    return next((number for number in allowed if text == str(number)), usual)


def _way(text: str) -> Way:
    return next((way for way in WAYS if way == text), "ask")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(text: str) -> str:
    """A number as it is typed, without the spaces between thousands."""
    return "".join(text.split())[:12]


def _read(text: str) -> tuple[str, dict[str, str]]:
    """The sheet and the values of a canonical string, unchecked; none where a word of it is unknown."""
    match = re.fullmatch(r"\s*([A-Za-z0-9_-]+)\s*\((.*)\)\s*", text, re.DOTALL)
    items = [item.partition("=") for item in match[2].split(",")] if match else []
    values = {name.strip(): value.strip() for name, _, value in items}
    known = all(name in _PARAMETERS or _PATTERN.fullmatch(name) for name in values)
    return (match[1], values) if match and match[1] in PRESETS and known else ("", {})


def _differing(rules: Rules, base: Rules) -> dict[str, str]:
    ours, theirs = rules.values(), base.values()
    found = {name: _text(value) for name, value in ours.items() if value != theirs[name]}
    given = {c.pattern: c.value for c in base.combinations if len(c.pattern) <= rules.dice}
    mine = {c.pattern: c.value for c in rules.combinations}
    found |= {pattern: value for pattern, value in mine.items() if given.get(pattern) != value}
    return found | {pattern: "none" for pattern in given if pattern not in mine}


def _values(sent: Mapping[str, str], base: Rules, shown: str) -> dict[str, str]:
    """What was sent and differs from the sheet."""
    values = {}
    for name, parameter in _PARAMETERS.items():
        default = _text(getattr(base, name))
        value = sent.get(f"rule-{name}", "false" if shown and parameter.kind == "flag" else default)
        if parameter.kind == "choice or points" and value == "points":
            # Who chooses points before there is a number starts from one that can be.
            value = _number(sent.get(f"points-{name}", "")) or str(10 * base.step)
        elif parameter.kind in ("count", "points"):
            value = _number(value)
        if value != default:
            values[name] = value
    given = {c.pattern: c.value for c in base.combinations}
    for key, kind in sent.items():
        pattern = key.removeprefix("worth-")
        if not key.startswith("worth-") or not _PATTERN.fullmatch(pattern):
            continue
        number = _number(sent.get(f"points-{pattern}", ""))
        value = number if kind == "points" else f"{number}*{kind}" if len(kind) == 1 and kind.isalpha() else kind[:20]
        if value != given.get(pattern):
            values[pattern] = value
    return values


def _typed(text: str, base: Rules) -> Iterable[tuple[str, str]]:
    """The combinations typed in one field, ``AABBCC=1500, 11=300``; raise InvalidRules."""
    for item in text.replace("\n", ",").replace(";", ",").split(","):
        if not item.strip():
            continue
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise InvalidRules("rules_syntax", text=item.strip())
        combination = Combination.parse(name.upper(), value.replace("×", "*").replace(" ", ""))
        if len(combination.pattern) > 8:
            raise InvalidRules("pattern_too_long", pattern=name, length=len(combination.pattern), dice=base.dice)
        yield combination.pattern, combination.value


def _field(error: InvalidRules, values: Mapping[str, str]) -> str:
    name, pattern = error.params.get("name"), error.params.get("pattern")
    if error.code in _FIELDS:
        return _FIELDS[error.code]
    if isinstance(name, str) and name in _PARAMETERS:
        return name
    return pattern if isinstance(pattern, str) and pattern in values else "rules"


def _seats(sent: Mapping[str, str], then: str) -> tuple[tuple[str, str], ...]:
    """The seats that were sent, one more or less, or in another order, as was asked."""
    places = [place for place in range(MOST_PLAYERS) if f"name-{place}" in sent]
    known = [*BOTS, ""]
    seats = []
    for place in places:
        spec = sent.get(f"bot-{place}", "").strip()[:80]
        name = sent[f"name-{place}"].strip()[:LONGEST_NAME]
        seats.append((name, spec if spec.partition(":")[0] in known else ""))
    act, _, which = then.partition("-")
    place = int(which) if which.isdecimal() and len(which) == 1 else -1
    if then == "add" and len(seats) < MOST_PLAYERS:
        seats.append(("", ""))
    elif act == "remove" and 0 <= place < len(seats) and len(seats) > FEWEST_PLAYERS:
        del seats[place]
    elif act == "up" and 0 < place < len(seats):
        seats[place - 1 : place + 1] = seats[place], seats[place - 1]
    elif act == "down" and 0 <= place < len(seats) - 1:
        seats[place : place + 2] = seats[place + 1], seats[place]
    return tuple(seats)


def today() -> str:
    """Return the date of a game that begins now, in UTC as every date that is stored or shown: one day
    for a server and all who play on it, wherever they are."""
    return datetime.now(UTC).isoformat(sep=" ", timespec="minutes").removesuffix("+00:00")
