"""Every sentence a person reads, in French and English, made from codes, events and parameters.

English sentences are the keys of the gettext catalogs in ``locale/``; ``scripts/words`` collects them from the
source and compiles the French. :class:`Words` is one reader's language: numbers and lists in its form, dice as
one word, names and the words of the rule sheets as they are written. The rule page is the next module's.
"""

from __future__ import annotations

import gettext
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import assert_never

from cinqmille.actions import (
    Action,
    Announce,
    Announced,
    Back,
    Bank,
    Banked,
    Busted,
    CameBack,
    Doubled,
    Event,
    Fell,
    Kept,
    Leave,
    Overshot,
    Points,
    Predicted,
    Roll,
    Rolled,
    RollOn,
    Scoreless,
    SetAside,
    Skip,
    Skipped,
    TakeOver,
    TargetReached,
    TookOver,
    WentAway,
    Won,
)  # fmt: skip
from cinqmille.errors import DICE_PARAMS, SENTENCES, CinqMilleError, RecordError
from cinqmille.rules import Rules
from cinqmille.scoring import Keep, format_dice

LANGUAGES = ("fr", "en")


def N_(sentence: str) -> str:  # noqa: N802 - the customary name, which scripts/words looks for
    """Return ``sentence`` and mark it for the catalog; it is said later."""
    return sentence


def language(environment: Mapping[str, str] | None = None) -> str:
    """Return the language of the environment's locale: ``fr`` when it is French, else ``en``."""
    environment = os.environ if environment is None else environment
    for variable in ("LC_ALL", "LC_MESSAGES", "LANGUAGE", "LANG"):
        value = environment.get(variable, "")
        if value:
            return "fr" if value.lower().startswith("fr") else "en"
    return "en"


@cache
def _catalog(lang: str) -> gettext.NullTranslations:
    if lang == "en":
        return gettext.NullTranslations()
    path = resources.files("cinqmille") / "locale" / lang / "LC_MESSAGES" / "cinqmille.mo"
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


class Words:
    """The words of one language, ``fr`` or ``en``."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._catalog = _catalog(lang)

    def say(self, sentence: str, /, **params: object) -> str:
        """Return ``sentence`` (the English key) in this language, its parameters rendered."""
        return self._fill(self._catalog.gettext(sentence), params)

    def translated(self, text: str) -> str:
        """Return a text that stands in the catalog in this language, any other as it is; nothing is filled in."""
        return self._catalog.gettext(text)

    def count(self, one: str, many: str, number: int, /, **params: object) -> str:
        """Return the form of a sentence that fits ``number``; it is the parameter ``n`` of the sentence."""
        return self._fill(self._catalog.ngettext(one, many, number), {"n": number, **params})

    def number(self, value: int) -> str:
        """Return a whole number as this language writes it: 5,000 or 5 000 (narrow no-break space)."""
        separated = f"{abs(value):,}"
        sign = "\u2212" if value < 0 else ""
        return sign + (separated if self.lang == "en" else separated.replace(",", "\u202f"))

    def percent(self, value: float, digits: int = 1) -> str:
        """Return a probability as a percentage: 7.7% or 7,7 % (narrow no-break space)."""
        text = f"{100 * value:.{digits}f}"
        return f"{text}%" if self.lang == "en" else f"{text.replace('.', ',')}\u202f%"

    def decimal(self, value: float, digits: int) -> str:
        """Return a number with so many decimals as this language writes it: 1,234.5 or 1 234,5."""
        whole, _, part = f"{abs(value):.{digits}f}".partition(".")
        mark = "." if self.lang == "en" else ","
        return ("\u2212" if value < 0 else "") + self.number(int(whole)) + (mark + part if part else "")

    def counted(self, number: int) -> str:
        """Return a small number as a word (two, deux); one, and whatever is above eight, in figures."""
        return self.say(_COUNTS[number]) if number in _COUNTS else self.number(number)

    def points(self, number: int) -> str:
        """Return ``1,500 points``."""
        return self.count("{n} point", "{n} points", number)

    def dice(self, number: int) -> str:
        """Return ``1 die`` or ``3 dice``."""
        return self.count("{n} die", "{n} dice", number)

    def all_of(self, items: Iterable[str]) -> str:
        """Return ``a, b and c``."""
        *first, last = items
        return self.say("{first} and {last}", first=", ".join(first), last=last) if first else last

    def one_of(self, items: Iterable[str]) -> str:
        """Return ``a, b or c``."""
        *first, last = items
        return self.say("{first} or {last}", first=", ".join(first), last=last) if first else last

    def series(self, items: Iterable[str]) -> str:
        """Return ``a; b; c``, for items that have commas of their own."""
        return ("; " if self.lang == "en" else "\u00a0; ").join(items)

    def value(self, value: object, name: str = "") -> str:
        """Return the parameter ``name`` of a sentence as text: a word that someone wrote stays as it was written."""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return self.number(value)
        if isinstance(value, Keep):
            return f"{format_dice(value.dice)} ({self.number(value.points)})"
        if isinstance(value, tuple):
            if name in DICE_PARAMS:
                return format_dice(value)
            if not value:
                return ""
            items = [self.value(item) for item in value]
            return self.one_of(items) if name in _ALTERNATIVES else self.all_of(items)
        return self._detail(str(value)) if name == "detail" else str(value)

    def _fill(self, sentence: str, params: Mapping[str, object]) -> str:
        return sentence.format(**{name: self.value(value, name) for name, value in params.items()})

    # Refusals

    def error(self, error: CinqMilleError) -> str:
        """Return the sentence of a refusal, with line and column when it has them."""
        sentence = self.refusal(error.code, **error.params)
        if isinstance(error, RecordError):
            return self.say(
                "line {line}, column {column}: {sentence}", line=error.line, column=error.column, sentence=sentence
            )
        return sentence

    def refusal(self, code: str, /, **params: object) -> str:
        """Return the sentence of a code with its parameters, such as ``bank_problem`` answers."""
        return self.say(SENTENCES[code], **params)

    def _detail(self, text: str) -> str:
        """What the operating system or the TOML reader said, as the end of a sentence."""
        match = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", text, re.DOTALL)
        if match is None:
            return self._foreign(text)
        if match[2] is None:
            return self.say("{what}, at the end of the file", what=self._foreign(match[1]))
        return self.say(
            "{what}, at line {line}, column {column}",
            what=self._foreign(match[1]),
            line=int(match[2]),
            column=int(match[3]),
        )

    def _foreign(self, text: str) -> str:
        for pattern, sentence in _FOREIGN:
            match = re.fullmatch(pattern, text, re.DOTALL)
            if match:
                return self.say(sentence, **match.groupdict())
        return self.say("the system says \u201c{text}\u201d", text=text)

    # The game

    def event(self, event: Event, names: Sequence[str]) -> str:
        """Return what happened as one says it at the table; ``names`` are the players' by seat."""
        say = self.say
        if isinstance(event, Won):
            return self._won(event, names)
        player = names[event.seat]
        match event:
            case Rolled():
                return say("{player} rolls {faces}.", player=player, faces=" ".join(map(str, event.dice)))
            case Busted():
                if not event.lost:
                    return say("Farkle: nothing scores for {player}.", player=player)
                return self.count(
                    "Farkle: nothing scores for {player}; {n} point is lost.",
                    "Farkle: nothing scores for {player}; {n} points are lost.",
                    event.lost,
                    player=player,
                )
            case Kept():
                return self._kept(event, player)
            case Announced():
                return say("{player} announces {points} with the last two dice.", player=player, points=event.points)
            case Predicted():
                if event.right:
                    return say("The prediction is right: {player} announced {points}.", player=player, points=event.announced)  # fmt: skip
                return say(
                    "The prediction is wrong: {player} announced {announced}, the best of this roll is {best}.",
                    player=player,
                    announced=event.announced,
                    best=event.best,
                )
            case Doubled():
                return say("The whole turn doubles: {player} now has {points} points at risk.", player=player, points=event.turn_points)  # fmt: skip
            case TookOver():
                return self.count(
                    "{player} takes over the previous turn: {points} points, {n} die to roll.",
                    "{player} takes over the previous turn: {points} points, {n} dice to roll.",
                    event.dice,
                    player=player,
                    points=event.points,
                )
            case Overshot():
                return say(
                    "{player} passes the target with {total}: the turn ends, its {lost} points are lost.",
                    player=player,
                    total=event.total,
                    lost=event.lost,
                )
            case Banked():
                if event.gain < event.points:
                    return say(
                        "{player} banks {points}, but the total stops at {total}, where the last leg begins.",
                        player=player,
                        points=event.points,
                        total=event.total,
                    )
                return say("{player} banks {points}: {total} in all.", player=player, points=event.points, total=event.total)  # fmt: skip
            case Scoreless():
                return self._scoreless(event, player)
            case Fell():
                return self._fell(event, names)
            case TargetReached():
                return say(_GOES_ON[event.ending], player=player, total=event.total)
            case Skipped():
                if not event.lost:
                    return say("{player} misses a turn.", player=player)
                return self.count(
                    "{player} misses a turn; {n} point is lost.",
                    "{player} misses a turn; {n} points are lost.",
                    event.lost,
                    player=player,
                )
            case WentAway():
                if not event.lost:
                    return say("{player} leaves the table.", player=player)
                return self.count(
                    "{player} leaves the table; {n} point is lost.",
                    "{player} leaves the table; {n} points are lost.",
                    event.lost,
                    player=player,
                )
            case CameBack():
                return say("{player} is back at the table.", player=player)
            case _:
                assert_never(event)

    def _kept(self, event: Kept, player: str) -> str:
        params = {"player": player, "dice": event.dice, "points": event.points, "turn": event.turn_points}
        if event.turn_points == event.points:
            sentence = self.say("{player} sets {dice} aside: {points}.", **params)
        else:
            sentence = self.say("{player} sets {dice} aside: {points}, which makes {turn} this turn.", **params)
        return sentence if event.dice_left else " ".join((sentence, self.say("Hot dice: all dice are set aside.")))

    def _scoreless(self, event: Scoreless, player: str) -> str:
        if event.due:
            return self.count(
                "{player} has scored nothing this turn: the penalty falls due.",
                "{player} has scored nothing for {n} turns in a row: the penalty falls due.",
                event.in_a_row,
                player=player,
            )
        return self.count(
            "{player} scores nothing this turn.",
            "{player} scores nothing, for {n} turns in a row now.",
            event.in_a_row,
            player=player,
        )

    def _fell(self, event: Fell, names: Sequence[str]) -> str:
        return self.say(
            _FALLS[event.cause],
            player=names[event.seat],
            before=event.before,
            after=event.after,
            author=names[event.by],
        )

    def _won(self, event: Won, names: Sequence[str]) -> str:
        winners = [names[seat] for seat in event.winners]
        how = "at_risk" if event.turn_points else event.how
        points = self.points(event.turn_points)
        return self.say(_WINS[how], player=winners[0], players=self.all_of(winners), points=points)

    def action(self, action: Action, names: Sequence[str] = ()) -> str:
        """Return what one may do as a short phrase: ``set 155 aside``, ``roll again``."""
        match action:
            case Roll():
                return self.say("roll {dice}", dice=action.dice)
            case SetAside():
                return self.say("set {dice} aside", dice=action.dice)
            case Bank():
                return self.say("bank")
            case RollOn():
                return self.say("roll the dice")
            case TakeOver():
                return self.say("take over the previous turn")
            case Announce():
                return self.say("announce {points} and roll", points=action.points)
            case Points():
                return self.say("a turn of {points} points", points=action.points)
            case Skip():
                return self.say("miss a turn")
            case Leave():
                return self.say("{player} leaves", player=names[action.seat])
            case Back():
                return self.say("{player} comes back", player=names[action.seat])
            case _:
                assert_never(action)

    def phase(self, phase: str) -> str:
        """Return what a phase of the game awaits, as a short phrase."""
        return self.say(_PHASES[phase])

    # Rules

    def parameter_label(self, name: str) -> str:
        """Return the short name of a house rule: ``entry``, ``ouverture``."""
        return self.say(_LABELS[name])

    def choice_label(self, name: str, choice: str) -> str:
        """Return one choice of a house rule in plain language."""
        return self.say(_CHOICES[name, choice])

    def bot(self, name: str) -> str:
        """Return a kind of bot in plain language: ``beginner``, ``débutant``; one without a word by its own name."""
        return self.say(_BOTS[name]) if name in _BOTS else name

    def setting(self, name: str, value: int | bool | str) -> str:
        """Return the value of a house rule in plain language: a number, yes or no, or its choice."""
        if isinstance(value, bool):
            return self.say("yes") if value else self.say("no")
        if isinstance(value, str):
            return self.choice_label(name, value)
        return self.number(value)

    def rule(self, rules: Rules, name: str) -> str:
        """Return a house rule with its value, ``entry: 750``."""
        value = getattr(rules, name)
        return self.say("{name}: {value}", name=self.parameter_label(name), value=self.setting(name, value))

    def combination(self, pattern: str) -> str:
        """Return the name of a combination from its pattern: ``three 1s``, ``three different pairs``."""
        digits = [symbol for symbol in pattern if symbol.isdigit()]
        sizes = Counter(Counter(symbol for symbol in pattern if symbol.isalpha()).values())
        faces = sorted(set(digits))
        steps = [int(face) - int(faces[0]) for face in faces]
        if len(pattern) == len(faces) >= 3 and steps == list(range(len(faces))):
            return self.say("straight from {first} to {last}", first=faces[0], last=faces[-1])
        named = [self._equal_faces(digits.count(face), face) for face in faces]
        named += [self._groups(size, sizes[size], pattern) for size in sorted(sizes, reverse=True)]
        return self.all_of(named)

    def _equal_faces(self, number: int, face: str) -> str:
        if number == 1:
            return self.say("a {face}", face=face)
        return self.say("{count} {face}s", count=self.counted(number), face=face)

    def _groups(self, size: int, groups: int, pattern: str) -> str:
        """So many groups of ``size`` equal dice, each of another face; ``pattern`` is what they are part of."""
        alone = size * groups == len(pattern)
        if size == 1 and groups == 1:
            beside_letters = not alone and not pattern[0].isdigit()
            return self.say("another die") if beside_letters else self.say("any die")
        if groups > 1:
            return self.say(_SEVERAL[size], count=self.counted(groups))
        if size in _GROUP and not alone:
            return self.say(_GROUP[size])
        return self.say("a pair") if size == 2 else self.say("{size} of a kind", size=self.counted(size))


DECIDED_BY = {
    "below_entry": "entry",
    "below_min_bank": "min_bank",
    "hot_dice_must_roll": "hot_dice",
    "keep_all_due": "keep",
    "last_leg_needs_target": "last_leg",
    "points_pass_target": "exact",
    "prediction_must_keep": "prediction",
    "prediction_needs_two_dice": "prediction",
    "prediction_off": "prediction",
    "takeover_never": "takeover",
    "takeover_not_opened": "takeover",
    "takeover_passes_target": "exact",
}
"""The house rule that decides a refusal, by its code; the other refusals are those of every table."""

# Parameters of sentences that list what one may choose from; other lists say what there is.
_ALTERNATIVES = ("choices", "legal")

_COUNTS = {
    2: N_("two"),
    3: N_("three"),
    4: N_("four"),
    5: N_("five"),
    6: N_("six"),
    7: N_("seven"),
    8: N_("eight"),
}

_GROUP = {2: N_("a pair"), 3: N_("a triplet"), 4: N_("a four of a kind")}

# No more than eight dice, so no two groups of five.
_SEVERAL = {
    1: N_("{count} different dice"),
    2: N_("{count} different pairs"),
    3: N_("{count} different triplets"),
    4: N_("{count} different fours of a kind"),
}

_GOES_ON = {
    "last_turns": N_("{player} reaches the target with {total}: one last turn for each of the others."),
    "finish_round": N_("{player} reaches the target with {total}: the round is played to its end."),
}

_FALLS = {
    "equal": N_("{player} falls from {before} to {after}: {author} arrives on the same total."),
    "strike": N_("{player} falls from {before} to {after}: a bust on all dice strikes the last banked turn."),
    "scoreless": N_("{player} falls from {before} to {after}: the penalty for turns without points."),
}

_WINS = {
    "at_once": N_("{player} wins at once with this roll!"),
    "at_risk": N_("{player} wins at once with this roll! The turn had {points}."),
    "target": N_("{player} wins: the target is reached!"),
    "highest": N_("{player} wins with the highest total!"),
    "shared": N_("{players} win together, with the same highest total!"),
}

_PHASES = {
    "start": N_("roll all dice, or take over the previous turn"),
    "roll": N_("dice to roll"),
    "choose": N_("dice to set aside"),
    "decide": N_("bank or roll again"),
    "over": N_("game over"),
}

_LABELS = {
    "dice": N_("number of dice"),
    "target": N_("target"),
    "entry": N_("entry"),
    "ending": N_("end of the game"),
    "tie": N_("tie at the top"),
    "min_bank": N_("minimum to bank"),
    "equal_scores": N_("equal totals"),
    "hot_dice": N_("hot dice"),
    "keep": N_("dice to set aside"),
    "blank_roll": N_("worth of a blank roll"),
    "scoreless_limit": N_("turns without points before a penalty"),
    "scoreless_penalty": N_("penalty"),
    "floor": N_("lowest total after a loss"),
    "strike": N_("strike after a bust on all dice"),
    "prediction": N_("prediction"),
    "last_leg": N_("last leg"),
    "takeover": N_("taking over"),
    "exact": N_("exact target"),
}

_CHOICES = {
    ("ending", "first"): N_("whoever reaches the target first wins"),
    ("ending", "last_turns"): N_("one last turn for each of the others"),
    ("ending", "finish_round"): N_("the round is played to its end"),
    ("tie", "shared"): N_("all at the top win"),
    ("tie", "first"): N_("whoever stood there first wins"),
    ("equal_scores", "allowed"): N_("nothing happens"),
    ("equal_scores", "fall"): N_("the other one falls to the previous total"),
    ("hot_dice", "may"): N_("may be rolled again"),
    ("hot_dice", "must"): N_("must be rolled again"),
    ("keep", "any"): N_("at least one"),
    ("keep", "all"): N_("as many as possible"),
    ("scoreless_penalty", "zero"): N_("back to 0"),
    ("scoreless_penalty", "previous"): N_("back to the previous total"),
    ("takeover", "never"): N_("never"),
    ("takeover", "opened"): N_("once on the board"),
    ("takeover", "always"): N_("always"),
}

_BOTS = {
    "beginner": N_("beginner"),
    "gambler": N_("daring"),
    "cautious": N_("cautious"),
    "steady": N_("steady"),
    "table": N_("by the book"),
    "greedy": N_("points hunter"),
    "best": N_("master"),
    "perfect": N_("perfect"),
}

# What the operating system and the TOML reader say, and how it ends a sentence of ours.
_FOREIGN = (
    (r"No such file or directory", N_("there is no such file")),
    (r"Permission denied", N_("reading it is not permitted")),
    (r"Is a directory", N_("it is a folder")),
    (r"Not a directory", N_("a part of its path is not a folder")),
    (r"File name too long", N_("its name is too long")),
    (r"Too many levels of symbolic links", N_("its links lead round in a circle")),
    (r"Input/output error", N_("the disk cannot read it")),
    (r"\[combinations\] must be a table", N_("[combinations] must head a list of combinations, such as AAA = 100")),
    (r"Invalid statement", N_("a line that cannot be read")),
    (r"Expected newline or end of document after a statement", N_("something after the end of a value")),
    (r"Expected '=' after a key in a key/value pair", N_("an equals sign is missing after a name")),
    (r"Expected '\]' at the end of a table declaration", N_("a closing ] is missing")),
    (r"Expected '\]\]' at the end of an array declaration", N_("a closing ]] is missing")),
    (r"Expected (?P<sign>.+)", N_("{sign} is missing")),
    (r"Invalid initial character for a key part", N_("a name is missing or begins with a wrong character")),
    (r"Invalid value", N_("a value that cannot be read (text stands between quotation marks)")),
    (r"Invalid (?:date or datetime|hex value)", N_("a value that cannot be read")),
    (r"Cannot overwrite a value|Cannot declare .+ twice|Duplicate inline table key .+", N_("a name that is given twice")),
    (r"Cannot (?:mutate immutable|redefine) namespace .+", N_("a group that is given twice")),
    (r"Unclosed array", N_("a list that is not closed by ]")),
    (r"Unclosed inline table", N_("a group that is not closed by }}")),
    (r"Unterminated string", N_("a text that is not closed by its quotation mark")),
    (r"Unescaped '\\+' in a string|Escaped character is not .+", N_("a backslash in a text: write it twice")),
    (r"(?:Illegal|Found invalid) character .+", N_("a character that is not allowed there")),
)  # fmt: skip
