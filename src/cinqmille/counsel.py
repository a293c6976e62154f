"""Advice as a family reads it: where the game stands, what can be done, best first, why, and how sure that is.

The numbers are those of ``advice``, which is imported by whoever asks for it: here are only words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cinqmille.plaintext import cells, columns, wrapped
from cinqmille.position import Position
from cinqmille.reasons import Reasons
from cinqmille.words import N_, Words

if TYPE_CHECKING:
    from cinqmille.advice import Advice

_MOST_LINES = 8

PATIENCE = N_("The chances are worked out; the first time at new rules this can take a while.")
"""What to tell a person before advice is asked for."""


@dataclass(frozen=True, slots=True)
class Line:
    """One plan in words: what to do, how often it wins, the mean points of the turn, how often it scores nothing."""

    what: str
    win: str
    points: str
    nothing: str


@dataclass(frozen=True, slots=True)
class Counsel:
    """Advice in one reader's language.

    ``situation`` says where the game stands, ``lines`` are the plans, best first (``more`` tells what is left out),
    ``why`` are the reasons for the first, ``doubt`` says why the chances are estimates (empty when they are exact).
    """

    situation: str
    lines: tuple[Line, ...]
    more: str
    why: tuple[str, ...]
    doubt: str


def counsel(advice: Advice, words: Words, names: Sequence[str] = ()) -> Counsel:
    """Return ``advice`` in words; ``names`` are the players' by seat, otherwise they are numbered."""
    position, plans = advice.position, advice.plans
    names = names or [words.say("Player {number}", number=seat + 1) for seat in range(len(position.seats))]
    reasons = Reasons(advice, words, names)
    lines = [
        Line(reasons.label(one), reasons.win(one), reasons.mean(one.turn_mean), reasons.chance(1.0 - one.scored))
        for one in plans[:_MOST_LINES]
    ]
    left_out = plans[_MOST_LINES:]
    more = ""
    if left_out:
        more = words.count(
            "and {n} more choice ({win} at most)",
            "and {n} more choices ({win} at most)",
            len(left_out),
            win=reasons.win(left_out[0]),
        )
    return Counsel(
        " ".join(_situation(position, names, words)), tuple(lines), more, reasons.why(), doubt(advice, words)
    )


def as_text(counsel: Counsel, words: Words, width: int) -> str:
    """Return counsel as plain text: the situation, a table, the reasons, the doubt."""
    head = ("", words.say("what you can do"), words.say("you win"), words.say("points"), words.say("nothing"))
    rows = [head]
    rows += [
        (f"{number}.", line.what, line.win, line.points, line.nothing) for number, line in enumerate(counsel.lines, 1)
    ]
    table = columns(rows, right={0, 2, 3, 4})
    if max(map(cells, table)) > width:  # a narrow terminal: each plan in lines of its own
        table = [
            wrapped(f"{number} {what}: {win}, {points}, {nothing}", width, "   ")
            for number, what, win, points, nothing in rows[1:]
        ]
    blocks = [wrapped(counsel.situation, width), "\n".join(table)]
    if counsel.more:
        blocks[-1] += "\n" + wrapped("    " + counsel.more, width, "    ")
    blocks.append("\n".join(wrapped(sentence, width) for sentence in counsel.why))
    legend = words.say(
        "You win: so many of 100 games, if everybody plays as well as possible from here on. Points: what this turn adds to the score on average, penalties included. Nothing: so many of 100 such turns end without points."
    )
    blocks.append(wrapped(legend, width))
    if counsel.doubt:
        blocks.append(wrapped(counsel.doubt, width))
    return "\n\n".join(blocks)


def doubt(advice: Advice, words: Words) -> str:
    """Return why chances are estimates, in a sentence or two; nothing when they are exact."""
    reason = advice.reason
    if reason is None:
        return ""
    params = dict(reason.params)
    rule = words.rule(advice.position.rules, params["name"]) if "name" in params else ""
    why = words.say(_DOUBTS[reason.code], players=params.get("players", 0), rule=rule)
    rules = advice.position.rules
    told = [why]
    if rules.scoreless_limit and reason.code in ("players", "both") and params.get("name") != "scoreless_penalty":
        told.append(words.say(_NO_PENALTIES))
    cost = words.percent(_COSTS[reason.code]).rstrip("%\u202f")
    return " ".join([*told, words.say(_MEASURED, cost=cost)])


def _situation(position: Position, names: Sequence[str], words: Words) -> Iterator[str]:
    others = [
        words.say("{player} ({score})", player=names[place], score=seat.score)
        for place, seat in enumerate(position.seats)
        if place != position.to_play and not seat.away
    ]
    assert position.to_play is not None
    yield words.say(
        "Advice for {player} ({points}), against {others}.",
        player=names[position.to_play],
        points=words.points(position.score),
        others=words.all_of(others),
    )
    if position.phase == "choose":
        yield words.say("On the table: {faces}.", faces=" ".join(map(str, position.roll)))
    if position.turn_points:
        yield words.say("At risk: {points}.", points=words.points(position.turn_points))


_DOUBTS = {
    "players": N_(
        "These chances are estimates: a whole game of {players} players is too long to work out, so they are put together from games of two, which are worked out exactly."
    ),
    "memory": N_(
        "These chances are estimates: at this table the past counts ({rule}), which makes the game too long to work out; this turn and its consequences are exact, what comes later is that of the game without this rule."
    ),
    "both": N_(
        "These chances are estimates: a whole game of {players} players is too long to work out, and at this table the past counts ({rule}); this turn and its consequences are exact, what comes later is put together from games of two without this rule."
    ),
    "size": N_(
        "These chances are estimates: with turns that may be taken over this game is too long to work out; what comes later is that of the game without it."
    ),
    "last_turns": N_(
        "These chances are estimates: several players still play, and each of them is taken to play as if he were the last."
    ),
}
_NO_PENALTIES = N_("The penalty for turns without points counts in this turn, but is left out of what comes later.")
_MEASURED = N_(
    "Where it could be checked, following such advice in every turn of a game cost less than {cost} games of 100."
)
# What `bench/approximation.py` measures, rounded up.
_COSTS = {"players": 0.001, "memory": 0.003, "both": 0.003, "size": 0.001, "last_turns": 0.001}
