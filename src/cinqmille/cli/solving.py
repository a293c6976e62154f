"""The answer of ``solve``: the chances of perfect players, and what it costs to find them."""

from __future__ import annotations

from cinqmille.cli.output import Answer, Data, columns, wrapped
from cinqmille.cli.refusals import Refusal
from cinqmille.cli.waiting import remark, waiting
from cinqmille.rules import Rules
from cinqmille.solutions import Origin, find, stored
from cinqmille.solvable import SETTLED, ManySolution, Solution, cost, effort, effort_two, unsolvable, verify_many
from cinqmille.words import Words

# From so many seconds on it is asked for by name, and from so many on its cost is told before.
_LONG, _NOTABLE = 600.0, 5.0


def solve(rules: Rules, players: int, *, fresh: bool, long: bool, words: Words) -> Answer:
    """The solved game, loaded or solved now; a ``long`` solve only where it is asked for."""
    known = None if fresh else stored(rules, players)
    if known is None:
        _consider(rules, players, long=long, words=words)
        what = words.say("Solving {rules}", rules=rules.canonical)
        with waiting(what, words) as progress:
            known = find(rules, players, fresh=fresh, progress=progress)
    solution, origin = known
    return Answer(
        lambda: _data(solution, players, origin),
        lambda: _text(solution, players, origin, words),
    )


def _consider(rules: Rules, players: int, *, long: bool, words: Words) -> None:
    """Tell what a long solve will cost, and refuse it if nobody has asked for it."""
    if players == 2:
        # Rules that cannot be solved are refused later, by name.
        seconds = 0.0 if unsolvable(rules) else effort_two(rules)
    else:
        verify_many(rules, players)
        seconds = effort(rules, players)
    if seconds < _NOTABLE:
        return
    needed = cost(rules, players)
    told = {
        "rules": rules.canonical,
        "players": players,
        "states": words.number(needed.states),
        "gigabytes": words.decimal(needed.bytes / 1e9, 2),
        "time": _duration(seconds, words),
    }
    if seconds > _LONG and not long and players > 2:
        raise Refusal(
            "long_solve",
            words.say(
                "{rules} with {players} players has {states} states and takes {gigabytes} GB of memory and about "
                "{time}: add --long to solve it all the same.",
                **told,
            ),
        )
    remark(
        words.say(
            "{rules} with {players} players: {states} states, {gigabytes} GB of memory, about {time}.",
            **told,
        )
    )


def _duration(seconds: float, words: Words) -> str:
    if seconds < 100:
        return words.count("{n} second", "{n} seconds", max(1, round(seconds)))
    return words.say("{hours} hours", hours=words.decimal(seconds / 3600, 2))


def _data(solution: Solution | ManySolution, players: int, origin: Origin) -> Data:
    return {
        "rules": solution.rules.canonical,
        "players": players,
        "win": list(solution.win),
        "residual": solution.residual,
        "passes": solution.passes,
        "seconds": solution.seconds,
        "exact": solution.residual < SETTLED,
        "stored": origin,
    }


def _text(solution: Solution | ManySolution, players: int, origin: Origin, words: Words) -> str:
    say = words.say
    title = words.say(
        "{rules} with {players} players who all play perfectly", rules=solution.rules.canonical, players=players
    )
    head = [say("seat"), say("chance to win")]
    rows = [[str(seat), words.percent(chance, 4)] for seat, chance in enumerate(solution.win, 1)]
    residual = f"{solution.residual:.1e}"
    exact = say(
        "Exact: the largest residual is {residual}, after {passes} sweeps.",
        residual=residual if words.lang == "en" else residual.replace(".", ","),
        passes=words.number(solution.passes),
    )
    if solution.residual >= SETTLED:
        exact = say("Not exact: the chances still change by {residual} a sweep.", residual=residual)
    lines = [wrapped(title), "", columns([head, *rows], right={0, 1}), "", wrapped(exact)]
    if isinstance(solution, ManySolution) and solution.mixed:
        lines.append(wrapped(_mixed(len(solution.mixed), words)))
    seconds = words.decimal(solution.seconds, 2)
    match origin:
        case "shipped":
            source = say("It comes with the program; solving it took {seconds} s.", seconds=seconds)
        case "cached":
            source = say("It was solved before, in {seconds} s, and kept.", seconds=seconds)
        case "solved":
            source = say("Solved in {seconds} s, and kept for the next time.", seconds=seconds)
        case "unkept":
            source = say("Solved in {seconds} s; it could not be kept.", seconds=seconds)
    return "\n".join([*lines, wrapped(source)])


def _mixed(number: int, words: Words) -> str:
    return words.count(
        "In {n} cycle of states no choice without chance is stable: the plan is drawn by lot there.",
        "In {n} cycles of states no choice without chance is stable: the plan is drawn by lot there.",
        number,
    )
