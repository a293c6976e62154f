"""House rules as one frozen value: every parameter once, presets, canonical string, fingerprint.

A :class:`Rules` is data, never a class per variant (RULES §3-5). Each field carries its range and its help, and
``PARAMETERS`` is read off the fields, so that command line, rule page, validation and documentation come
from this one place. Rules that cannot be played never exist: making them raises InvalidRules with the
reason. The text forms are the canonical string (``cinq-des(entry=500)``: a preset and what differs) and a
TOML file that a player can write.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from cinqmille.errors import InvalidRules
from cinqmille.patterns import Combination, ScoringTable, merge, scoring_table
from cinqmille.playable import unplayable

MOST_POINTS = 1_000_000


@dataclass(frozen=True, slots=True)
class Parameter:
    """One house rule: its name, kind, default, range and a sentence of help.

    ``kind`` is ``count`` (a number of dice or turns), ``points`` (a multiple of the table's step), ``flag``,
    ``choice``, or ``choice or points``.
    """

    name: str
    kind: Literal["count", "points", "flag", "choice", "choice or points"]
    default: Any
    help: str
    low: int = 0
    high: int = MOST_POINTS
    choices: tuple[str, ...] = ()

    def read(self, value: object) -> int | bool | str:
        """Return ``value`` (a Python value or its text) as this parameter's; raise InvalidRules otherwise."""
        text = str(value).lower() if isinstance(value, bool) else str(value).strip()
        if self.kind == "flag":
            if text in ("true", "false"):
                return text == "true"
            raise InvalidRules("bad_flag", name=self.name, value=text)
        if text in self.choices and not isinstance(value, bool):
            return text
        if self.kind == "choice":
            raise InvalidRules("bad_choice", name=self.name, value=text, choices=self.choices)
        if re.fullmatch(r"-?[0-9]{1,9}", text) and self.low <= int(text) <= self.high:
            return int(text)
        if self.kind == "choice or points":
            raise InvalidRules(
                "bad_choice_or_number", name=self.name, value=text, choices=self.choices, low=self.low, high=self.high
            )
        raise InvalidRules("bad_number", name=self.name, value=text, low=self.low, high=self.high)


def _rule(kind: str, default: object, help: str, **limits: object) -> Any:
    return field(default=default, metadata={"kind": kind, "help": help, **limits})


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything that decides a game except its players and its dice.

    Equal rules are equal objects with the same ``fingerprint`` whatever preset they were derived from;
    ``base`` only says against which preset ``canonical`` is written. Raises InvalidRules when a value is out
    of range or when the rules as a whole cannot be played.
    """

    dice: int = _rule("count", 5, "Number of dice.", low=1, high=8)
    combinations: tuple[Combination, ...] = ()
    target: int = _rule("points", 5000, "Points that end the game.", low=1)
    entry: int = _rule("points", 0, "Points needed in one turn to get on the board (with a score of 0 or less).")
    ending: str = _rule(
        "choice",
        "first",
        "What follows when a player banks the target: that player wins at once (first), each other player has one "
        "last turn (last_turns), or the round is finished (finish_round).",
        choices=("first", "last_turns", "finish_round"),
    )
    tie: str = _rule(
        "choice",
        "shared",
        "Equal totals at the top: all win (shared) or who stood there first (first).",
        choices=("shared", "first"),
    )
    min_bank: int = _rule("points", 0, "Points needed in one turn to bank, once on the board.")
    equal_scores: str = _rule(
        "choice",
        "allowed",
        "Arriving on another's total: nothing happens (allowed), or the other falls to the previous total (fall).",
        choices=("allowed", "fall"),
    )
    hot_dice: str = _rule(
        "choice",
        "may",
        "With all dice set aside a player may roll them again (may) or must (must), unless the target is reached.",
        choices=("may", "must"),
    )
    keep: str = _rule(
        "choice",
        "any",
        "Which scoring dice are set aside: at least one (any) or as many as possible (all).",
        choices=("any", "all"),
    )
    blank_roll: int = _rule(
        "points",
        0,
        "Worth of a roll of all dice in which nothing scores; it then counts as all dice set aside (0: a bust).",
    )
    scoreless_limit: int = _rule(
        "count", 0, "Turns in a row without gain after which the penalty falls due (0: never).", high=100
    )
    scoreless_penalty: int | str = _rule(
        "choice or points",
        "zero",
        "The penalty: fall to zero (zero), to the previous total (previous), or lose so many points (a number).",
        choices=("zero", "previous"),
        low=1,
    )
    floor: int = _rule(
        "points", 0, "Total below which a loss of points never pushes a score.", low=-MOST_POINTS, high=0
    )
    strike: bool = _rule("flag", False, "A bust on a roll of all dice strikes the player's last banked turn.")
    prediction: bool = _rule(
        "flag",
        False,
        "With three of five dice set aside one may announce the score of the other two; if right, the turn doubles.",
    )
    last_leg: int = _rule("points", 0, "The last points, which must be made in one turn (0: no such rule).")
    takeover: str = _rule(
        "choice",
        "never",
        "The next player may go on with a banked turn, points and dice: never, once on the board (opened), always.",
        choices=("never", "opened", "always"),
    )
    exact: bool = _rule("flag", False, "The target must be hit exactly; a turn that passes it ends with nothing.")
    base: str = field(default="", compare=False)
    table: ScoringTable = field(init=False, compare=False, repr=False)
    fingerprint: str = field(init=False, compare=False, repr=False)
    _canonical: str = field(init=False, default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        for parameter in PARAMETERS:
            object.__setattr__(self, parameter.name, parameter.read(getattr(self, parameter.name)))
        object.__setattr__(self, "combinations", merge((), _fitting(self.combinations, self.dice)))
        if not self.base:
            object.__setattr__(self, "base", "six-des" if self.dice >= 6 else "cinq-des")
        if self.base not in PRESETS:
            raise InvalidRules("unknown_preset", name=str(self.base), known=tuple(PRESETS))
        table = scoring_table(self.dice, self.combinations, self.keep == "all", self.blank_roll)
        object.__setattr__(self, "table", table)
        self._check_points()
        if self.prediction and self.dice != 5:
            raise InvalidRules("prediction_needs_five_dice", dice=self.dice)
        if self.last_leg > self.target:
            raise InvalidRules("last_leg_too_long", last_leg=self.last_leg, target=self.target)
        described = [[p.name, getattr(self, p.name)] for p in PARAMETERS]
        described.append(["combinations", [[c.pattern, c.value] for c in self.combinations]])
        digest = hashlib.sha256(json.dumps(described).encode()).hexdigest()
        object.__setattr__(self, "fingerprint", digest[:16])
        reason = _unplayable(self)
        if reason is not None:
            raise InvalidRules(reason[0], **reason[1])

    def _check_points(self) -> None:
        step = self.table.step
        if not any(meld is not None for meld in self.table.melds.values()):
            raise InvalidRules("no_points")
        for parameter in PARAMETERS:
            value = getattr(self, parameter.name)
            if "points" in parameter.kind and isinstance(value, int) and value % step:
                below = value - value % step
                raise InvalidRules(
                    "not_a_multiple", name=parameter.name, value=value, step=step, below=below, above=below + step
                )

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __str__(self) -> str:
        return self.canonical

    def __repr__(self) -> str:
        return f"Rules.parse({self.canonical!r})"

    @property
    def step(self) -> int:
        """The points of which every score is a multiple."""
        return self.table.step

    @property
    def cap(self) -> int:
        """The total where the last leg begins; the target itself without a last leg (RULES §5.7)."""
        return self.target - self.last_leg

    @property
    def canonical(self) -> str:
        """The text form: the preset ``base`` and what differs, e.g. ``cinq-des(entry=500)``."""
        if not self._canonical:  # every line and every view of a position has it
            object.__setattr__(self, "_canonical", self._written())
        return self._canonical

    def _written(self) -> str:
        base = PRESETS[self.base]
        ours = self.values()
        differing = [
            f"{name}={_text(ours[name])}" for name, value in base.values().items() if _text(ours[name]) != _text(value)
        ]
        theirs = {c.pattern: c.value for c in base.combinations if len(c.pattern) <= self.dice}
        mine = {c.pattern: c.value for c in self.combinations}
        changed = [c for c in self.combinations if theirs.get(c.pattern) != c.value]
        changed += [self._stand_in(pattern) for pattern in theirs if pattern not in mine]
        differing += [f"{c.pattern}={c.value}" for c in sorted(changed, key=Combination.sort_key)]
        return f"{self.base}({', '.join(differing)})" if differing else self.base

    def _stand_in(self, pattern: str) -> Combination:
        """What a combination of the preset that is not listed here must be written as, to change nothing here."""
        melds = self.table.melds
        dice = tuple(int(symbol) for symbol in pattern if symbol.isdigit())
        if len(dice) < len(pattern) or dice not in melds:
            return Combination(pattern, "none")
        meld = melds[dice]
        return Combination(pattern, "win") if meld is None else Combination(pattern, "points", meld.points)

    def values(self) -> dict[str, int | bool | str]:
        """Return every parameter with its value, in the order of the table; the combinations are not in it."""
        return {parameter.name: getattr(self, parameter.name) for parameter in PARAMETERS}

    def derive(self, **changes: object) -> Rules:
        """Return these rules with parameters changed by name; combinations may be given by pattern too.

        ``PRESETS["six-des"].derive(entry=0, AAABBB="none")``. Raises InvalidRules as the constructor does.
        """
        return _derive(self, changes)

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Return the rules written as a preset's name or a canonical string.

        Raises InvalidRules with the legal names when a word is unknown.
        """
        match = re.fullmatch(r"\s*([A-Za-z0-9_-]+)\s*(?:\((.*)\)\s*)?", text, re.DOTALL)
        if match is None:
            raise InvalidRules("rules_syntax", text=text.strip())
        if match[1] not in PRESETS:
            raise InvalidRules("unknown_preset", name=match[1], known=tuple(PRESETS))
        changes: dict[str, object] = {}
        for item in (match[2] or "").split(","):
            name, equals, value = (part.strip() for part in item.partition("="))
            if not name and not equals and not (match[2] or "").strip():
                continue
            if not name or not equals or not value:
                raise InvalidRules("rules_syntax", text=item.strip() or text.strip())
            if name in changes:
                raise InvalidRules("repeated_parameter", name=name)
            changes[name] = value
        return _derive(PRESETS[match[1]], changes)

    @classmethod
    def load(cls, source: str) -> Rules:
        """Return the rules named by a preset, a canonical string or the path of a TOML file.

        Raises InvalidRules; a file that cannot be read is told by its path.
        """
        return Sheet.load(source).rules

    def to_toml(self, title: str = "", say: Callable[[str], str] = str) -> str:
        """Return a TOML rule sheet with every parameter and its help, which :meth:`load` reads back.

        ``say`` puts the comments into the reader's language (``Words.say``).
        """
        change = say("A rule sheet: change any value, then use this file wherever rules are asked for.")
        lines = [
            f"# {title or self.canonical}",
            f"# {change}",
            f"title = {json.dumps(title or self.canonical, ensure_ascii=False)}",
        ]
        for parameter in PARAMETERS:
            value = getattr(self, parameter.name)
            lines += ["", f"# {say(parameter.help)}", f"{parameter.name} = {_toml(value)}"]
        pattern = say("A digit is that face, a letter any face (different letters, different faces).")
        lines += ["", f"# {pattern}"]
        values = say('The value: points, "100*A" (so many times the face), "win", or "none".')
        lines += [f"# {values}", "[combinations]"]
        lines += [f"{c.pattern} = {_toml(int(c.value) if c.value.isdigit() else c.value)}" for c in self.combinations]
        return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parameter(field: Field[Any]) -> Parameter:
    return Parameter(name=field.name, default=field.default, **field.metadata)


PARAMETERS: tuple[Parameter, ...] = tuple(_parameter(f) for f in fields(Rules) if f.metadata)

_BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


@lru_cache(maxsize=64)
def _unplayable(rules: Rules) -> tuple[str, dict[str, Any]] | None:
    return unplayable(rules.table, rules.values())


def _fitting(combinations: Iterable[Combination], dice: int) -> Iterator[Combination]:
    """Pass on the combinations that so many dice can show; a longer one is refused, unless it is ``none``."""
    for combination in combinations:
        length = len(combination.pattern)
        if length <= dice:
            yield combination
        elif combination.kind != "none":
            raise InvalidRules("pattern_too_long", pattern=combination.pattern, length=length, dice=dice)


def _unknown(name: str, known: Iterable[str]) -> InvalidRules:
    """The refusal of a rule that does not exist, with the one that may have been meant."""
    close = get_close_matches(name.lower(), known, 1)
    if close:
        return InvalidRules("misspelt_parameter", name=name, closest=close[0], known=tuple(_BY_NAME))
    return InvalidRules("unknown_parameter", name=name, known=tuple(_BY_NAME))


def _derive(base: Rules, changes: Mapping[str, object]) -> Rules:
    parameters: dict[str, Any] = {}
    combinations: dict[str, Combination] = {}
    for name, value in changes.items():
        if name in _BY_NAME:
            parameters[name] = _BY_NAME[name].read(value)
        elif re.fullmatch(r"[1-6A-F]+", name):
            combination = Combination.parse(name, value if isinstance(value, int) else str(value))
            if combination.pattern in combinations:
                raise InvalidRules("repeated_parameter", name=name)
            combinations[combination.pattern] = combination
        else:
            raise _unknown(name, _BY_NAME)
    dice = int(parameters.get("dice", base.dice))
    # With fewer dice than the preset has, its longer combinations can never be rolled: they go silently,
    # while one that is asked for by name is refused.
    inherited = [c for c in base.combinations if len(c.pattern) <= dice]
    return replace(base, combinations=merge(inherited, _fitting(combinations.values(), dice)), **parameters)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A rule sheet as people know it: its rules with a title, a source and notes, by language (``fr``, ``en``)."""

    id: str
    rules: Rules
    title: Mapping[str, str]
    source: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, source: str) -> Sheet:
        """Return the sheet of a preset, a canonical string or a TOML file; raise InvalidRules otherwise."""
        text = source.strip()
        if text in PRESETS:
            return PRESETS.sheet(text)
        if text.endswith(".toml") or "/" in text or "\\" in text:
            return cls.from_toml(_read(text), name=Path(text).stem, source=text)
        rules = Rules.parse(text)
        return cls(rules.canonical, rules, {}, PRESETS.sheet(rules.base).source, {})

    @classmethod
    def from_toml(cls, text: str, *, name: str, source: str = "") -> Sheet:
        """Return the sheet written in a TOML text; raise InvalidRules naming what is wrong in it.

        ``base = "cinq-des"`` starts from a preset; without it only the combinations listed score and the
        other parameters have their defaults.
        """
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidRules("bad_toml", file=source or name, detail=str(error)) from None
        except (RecursionError, ValueError):  # lists within lists without end, numbers of thousands of digits
            raise InvalidRules("bad_toml", file=source or name, detail="Invalid value") from None
        words: dict[str, dict[str, str]] = {}
        for word in ("title", "notes"):
            value = content.pop(word, {})
            words[word] = value if isinstance(value, dict) else {"fr": str(value), "en": str(value)}
        origin = str(content.pop("source", ""))
        base = content.pop("base", None)
        combinations = content.pop("combinations", None)
        if base is not None and not (isinstance(base, str) and base in PRESETS):
            raise InvalidRules("unknown_preset", name=str(base), known=tuple(PRESETS))
        nothing_scores = base is None and combinations is None
        combinations = {} if combinations is None else combinations
        if not isinstance(combinations, dict):
            raise InvalidRules("bad_toml", file=source or name, detail="[combinations] must be a table")
        for key in combinations:
            if key in _BY_NAME:
                raise InvalidRules("rule_among_combinations", name=key)
            if not re.fullmatch(r"[1-6A-F]+", key):
                raise InvalidRules("bad_pattern", pattern=key)
        for key in content:
            if key not in _BY_NAME:
                raise _unknown(key, (*_BY_NAME, "title", "notes", "source", "base", "combinations"))
        if nothing_scores:
            raise InvalidRules("no_combinations", file=source or name)
        if base is not None:
            rules = _derive(PRESETS[base], {**content, **combinations})
        else:
            listed: dict[str, Combination] = {}
            for pattern, value in combinations.items():
                combination = Combination.parse(pattern, value)
                if combination.pattern in listed:
                    raise InvalidRules("repeated_parameter", name=pattern)
                listed[combination.pattern] = combination
            rules = Rules(combinations=tuple(listed.values()), **content)
        return cls(name, rules, words["title"], origin or source, words["notes"])


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidRules("unreadable_file", file=path, detail=error.strerror or type(error).__name__) from None
    except UnicodeDecodeError:
        raise InvalidRules("not_utf8", file=path) from None
    except ValueError as error:  # a path with a zero character
        raise InvalidRules("unreadable_file", file=path, detail=str(error)) from None


class _Presets(Mapping[str, Rules]):
    """The presets by name, the two ground sheets first; each is read from its file when first asked for."""

    @staticmethod
    @cache
    def _files() -> dict[str, Any]:
        folder = resources.files("cinqmille") / "presets"
        names = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
        names.sort(key=lambda name: ("cinq-des", "six-des", name).index(name))
        return {name: folder / f"{name}.toml" for name in names}

    @staticmethod
    @cache
    def sheet(name: str) -> Sheet:
        sheet = Sheet.from_toml(_Presets._files()[name].read_text(encoding="utf-8"), name=name)
        rules = replace(sheet.rules, base=name)
        return replace(sheet, rules=rules)

    def __getitem__(self, name: str) -> Rules:
        return self.sheet(name).rules

    def __iter__(self) -> Iterator[str]:
        return iter(self._files())

    def __len__(self) -> int:
        return len(self._files())

    def __contains__(self, name: object) -> bool:
        return name in self._files()


PRESETS = _Presets()
