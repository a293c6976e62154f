"""What approximated advice gives away against perfect play, in chances to win, where perfect play is known.

    python bench/approximation.py [--games 400] [--seed 1] [--long]

One player follows approximated advice, the others play perfectly. At each of that player's decisions the exact
chance of the plan followed is compared with that of the best one. What is given away adds up to the loss from the
start, the difference of the chances to win between perfect and approximated play, without the noise of who happens
to win. The seat changes with every game.

Exact chances come from the solved games of two, three and four players. For rules that remember whole histories
they come from a brute force over all ladders of totals, which only tiny targets allow. Asked: less than 0.2 % from
the start.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cinqmille import Bank, Points, Position, Roll, Rules, Seat, SetAside, apply, can, start
from cinqmille.advice import Valued, advise, solve_turn
from cinqmille.outlook import Outlook, nearest_pair, outlook, solvable
from cinqmille.solver import solve_two
from cinqmille.tables import Floats, Ints
from cinqmille.three import solve_many

ASKED = 0.002

Outlooks = tuple[Outlook, Outlook]


@dataclass(frozen=True)
class Case:
    """Rules, players, and how to make the exact and the approximated outlook on them."""

    rules: Rules
    players: int
    outlooks: Callable[[Rules, int], Outlooks]


@dataclass(frozen=True)
class Loss:
    """Chances given away: from the start, with its standard error, and by decision."""

    total: float
    error: float
    mean: float
    worst: float
    decisions: int


def players(rules: Rules, count: int) -> Outlooks:
    """The solved game of so many players against coupled two-player games."""
    coupled = Outlook(rules, nearest_pair(rules, count))
    return Outlook(rules, coupled.pair, solve_many(rules, count)), coupled


def penalty(rules: Rules, count: int) -> Outlooks:
    """The solved two-player game against one that forgets the counts of scoreless turns."""
    return Outlook(rules, solve_two(rules)), Outlook(rules, solve_two(solvable(rules, 3)))


def taking_over(rules: Rules, count: int) -> Outlooks:
    """The solved two-player game against one in which nobody takes over."""
    return Outlook(rules, solve_two(rules)), Outlook(rules, solve_two(rules.derive(takeover="never")))


def histories(rules: Rules, count: int) -> Outlooks:
    """The brute force over all ladders of totals against the nearest rules that can be solved."""
    return Ladders(rules), outlook(rules, 2)


class Ladders(Outlook):
    """Two players whose whole histories count: ``known`` is the chance of who begins a turn, by both players' seats.

    Every state is swept again and again until no chance changes by more than 1e-10.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, outlook(rules, 2).pair)
        states = sorted(self._states(), key=lambda state: -sum(seat.score for seat in state))
        self.known = dict.fromkeys(states, 0.5)
        change = 1.0
        while change > 1e-10:
            change = 0.0
            for state in states:
                fresh = Position(rules, state, 0, "roll", 0, rules.dice)
                value = float(solve_turn(fresh, self).rolled[0, rules.dice, 0])
                change = max(change, abs(value - self.known[state]))
                self.known[state] = value

    def between(
        self, order: Sequence[int], positions: Sequence[Position], offer: tuple[Ints, int] | None = None
    ) -> Floats:
        """Return the chances of both seats, a row a position."""
        chances = np.empty((len(positions), 2))
        for row, position in enumerate(positions):
            chances[row, order[0]] = self.known[self._state(position, order[0], order[1])]
        chances[:, order[1]] = 1.0 - chances[:, order[0]]
        return chances

    def _state(self, position: Position, first: int, second: int) -> tuple[Seat, Seat]:
        counts = self.rules.scoreless_limit > 0
        one, two = (
            Seat(seat.ladder, seat.scoreless if counts else 0)
            for seat in map(position.seats.__getitem__, (first, second))
        )
        return one, two

    def _states(self) -> Iterator[tuple[Seat, Seat]]:
        rules = self.rules
        new = [(Seat(), Seat())]
        seen = set(new)
        while new:
            here = new.pop()
            yield here
            ends = [
                apply(Position(rules, here, 0, "roll", 0, rules.dice), Points(0, all_dice))
                for all_dice in (False, True)
            ]
            for points in range(rules.step, rules.target + 1, rules.step):
                decided = Position(rules, here, 0, "decide", points, 1)
                if can(decided, Bank()):
                    ends.append(apply(decided, Bank()))
            for after in ends:
                state = self._state(after, 1, 0)
                if after.phase != "over" and after.opener is None and state not in seen:
                    seen.add(state)
                    new.append(state)


def measure(case: Case, games: int, seed: int) -> Loss:
    """Play the games of a case and add up what is given away."""
    exact, approximated = case.outlooks(case.rules, case.players)
    draw = random.Random(seed)
    given: list[float] = []
    decisions, worst = 0, 0.0
    for game in range(games):
        position, lost = start(case.rules, case.players), 0.0
        while position.to_play is not None:
            if position.phase == "roll":
                dice = tuple(draw.randint(1, 6) for _ in range(position.dice_left))
                position = apply(position, Roll(dice))
                continue
            perfect = advise(position, solution=exact)
            chosen = perfect.best
            if position.to_play == game % case.players:
                followed = advise(position, solution=approximated).best.plan
                chosen = next(one for one in perfect.plans if one.plan == followed)
                loss = perfect.best.win - chosen.win
                lost, worst, decisions = lost + loss, max(worst, loss), decisions + 1
            position = follow(position, chosen)
        given.append(lost)
    error = statistics.stdev(given) / games**0.5
    return Loss(statistics.fmean(given), error, sum(given) / decisions, worst, decisions)


def follow(position: Position, chosen: Valued) -> Position:
    """Return the position after both parts of a plan."""
    if chosen.plan.keep is not None:
        position = apply(position, SetAside(chosen.plan.keep.dice))
    return position if chosen.plan.then is None else apply(position, chosen.plan.then)


def cases(*, long: bool) -> list[Case]:
    """The cases; with ``long`` also those whose exact solution takes minutes."""
    parse = Rules.parse
    found = [
        Case(parse("cinq-des(target=600, entry=100)"), 3, players),
        Case(parse("cinq-des(target=1000, entry=150)"), 3, players),
        Case(parse("cinq-des(target=2000)"), 3, players),
        Case(parse("cinq-des(target=1000, entry=150, ending=last_turns)"), 3, players),
        Case(parse("cinq-des(target=2000, ending=last_turns)"), 3, players),
        Case(parse("cinq-des(target=1000, entry=150, ending=finish_round)"), 3, players),
        Case(parse("cinq-des(target=1000, entry=150, exact=true, hot_dice=must)"), 3, players),
        Case(parse("six-des(target=1500)"), 3, players),
        Case(parse("cinq-des(target=800, entry=150)"), 4, players),
        Case(parse("cinq-des(target=1500, entry=300, scoreless_limit=3)"), 2, penalty),
        Case(parse("cinq-des(target=1500, entry=300, scoreless_limit=3, scoreless_penalty=500)"), 2, penalty),
        Case(parse("cinq-des(target=1500, entry=300, takeover=always)"), 2, taking_over),
        Case(parse("cinq-des(target=300, entry=100, equal_scores=fall)"), 2, histories),
        Case(parse("cinq-des(target=350, entry=100, strike=true)"), 2, histories),
        Case(parse("cinq-des(target=300, entry=100, scoreless_limit=2, scoreless_penalty=previous)"), 2, histories),
        Case(parse("cinq-des(target=300, entry=100, equal_scores=fall, strike=true, ending=last_turns)"), 2, histories),
    ]
    if long:
        found += [
            Case(parse("cinq-des"), 3, players),
            Case(parse("cinq-des(ending=last_turns)"), 3, players),
            Case(parse("six-des(target=3000)"), 3, players),
            Case(parse("cinq-des(target=2000)"), 4, players),
            Case(parse("cinq-des(target=400, entry=100, equal_scores=fall)"), 2, histories),
            Case(parse("cinq-des(target=400, entry=100, equal_scores=fall, ending=last_turns)"), 2, histories),
        ]
    return found


def main() -> None:
    """Measure every case and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--long", action="store_true", help="also the games whose exact solution takes minutes")
    options = parser.parse_args()
    print(f"{'given away, in % of a win':74}{'from start':>16}{'a decision':>12}{'worst':>8}{'of':>8}{'s':>6}")
    missed = 0
    for case in cases(long=options.long):
        begun = time.perf_counter()
        loss = measure(case, options.games, options.seed)
        missed += loss.total > ASKED
        title = f"{case.players}p {case.rules}"
        print(
            f"{title:74}{100 * loss.total:>8.4f} ±{100 * loss.error:.4f}"
            f"{100 * loss.mean:>12.5f}{100 * loss.worst:>8.3f}"
            f"{loss.decisions:>8}{time.perf_counter() - begun:>6.0f}",
            flush=True,
        )
    print(f"Asked: less than {100 * ASKED} % from the start; {missed or 'none'} of them missed it.")


if __name__ == "__main__":
    main()
