"""The command ``advise``: what to do now, and why, in a position given as its line or by scores and dice."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from cinqmille.cli.answers import sheet
from cinqmille.cli.output import Answer, Data, width, wrapped
from cinqmille.cli.refusals import Refusal, conflict, no_number
from cinqmille.counsel import PATIENCE, as_text, counsel, doubt
from cinqmille.errors import IllegalAction
from cinqmille.position import Position
from cinqmille.rules import Rules
from cinqmille.scoring import parse_dice
from cinqmille.situation import situation
from cinqmille.words import N_, Words

DEFAULT_RULES = "cinq-des"

# Rules that look at what a score alone does not tell.
_NEEDS_THE_LINE = {
    "scoreless_limit": N_("nobody has turns without points so far"),
    "equal_scores": N_("earlier totals are not known, a fall leads to 0"),
    "strike": N_("earlier totals are not known, a fall leads to 0"),
    "takeover": N_("no turn is there to be taken over"),
}


def advise(given: Mapping[str, str | None], words: Words) -> Answer:
    """Return the advice in the position that the options say; ``given`` are the options by name, None if not given."""
    position, taken = _position(given, words)
    if position.to_play is None:
        raise IllegalAction("game_over")
    from cinqmille.advice import advise as advice_in  # numbers are loaded when they are needed

    if sys.stderr.isatty():
        print(words.say(PATIENCE), file=sys.stderr)
    found = advice_in(position)

    def data() -> Data:
        return {**found.to_json(), "reason": doubt(found, words) or None}

    def text() -> str:
        told = as_text(counsel(found, words), words, width())
        return "\n\n".join([told, *([wrapped(taken)] if taken else [])])

    return Answer(data, text)


def _position(given: Mapping[str, str | None], words: Words) -> tuple[Position, str]:
    """The position, and what the short options leave to be assumed."""
    line = given["--position"]
    short = [name for name, value in given.items() if value is not None and name not in ("--position", "--rules")]
    if line is not None:
        if short:
            raise conflict("--position", short[0], words)
        return _of_line(line, given["--rules"], words), ""
    for name in ("--scores", "--me"):
        if given[name] is None:
            raise Refusal(
                "option_missing",
                words.say(
                    "{option} is missing: write --scores 500,700 --me 1 --turn-points 300 --dice-left 4, or the whole position after --position.",
                    option=name,
                ),
            )
    rules = sheet(given["--rules"] or DEFAULT_RULES, words).rules
    scores = [_number("--scores", item.strip(), words) for item in str(given["--scores"]).split(",")]
    roll, left = given["--roll"], given["--dice-left"]
    position = situation(
        rules,
        scores,
        _number("--me", str(given["--me"]), words) - 1,
        turn_points=_number("--turn-points", given["--turn-points"] or "0", words),
        roll=None if roll is None else parse_dice(roll),
        dice_left=None if left is None else _number("--dice-left", left, words),
    )
    return position, _assumed(rules, words)


def _of_line(line: str, rules: str | None, words: Words) -> Position:
    """The position of a line; its rules may stand in an option beside it."""
    if rules is not None:
        if "rules=" in line:
            raise conflict("--rules", "rules=", words)
        line = f"{line} rules={sheet(rules, words).rules.canonical}"
    return Position.parse(line)


def _assumed(rules: Rules, words: Words) -> str:
    values = rules.values()
    plain = {"scoreless_limit": 0, "equal_scores": "allowed", "strike": False, "takeover": "never"}
    assumed = dict.fromkeys(_NEEDS_THE_LINE[name] for name, value in plain.items() if values[name] != value)
    if not assumed:
        return ""
    return words.say(
        "Taken for granted: {assumptions}. If that is not so, give the whole position after --position.",
        assumptions=words.series(words.say(one) for one in assumed),
    )


def _number(name: str, text: str, words: Words) -> int:
    if not re.fullmatch(r"[-\u2212]?[0-9]{1,9}", text):
        raise no_number(name, text, words)
    return int(text.replace("\u2212", "-"))
