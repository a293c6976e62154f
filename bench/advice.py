"""How long one piece of advice takes with a loaded solution, as ratios to the 10 ms that are asked.

    python bench/advice.py [--positions 200] [--seed 1] [--rules RULES ...]

The positions come from random games, played by the advice itself half of the time and by chance otherwise, one from
a turn, so that none of them profits from the turn that is remembered. The solution is loaded and the compiled loops
are called once before the clock starts.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

from cinqmille import Position, Roll, Rules, SetAside, apply, legal_plans, start
from cinqmille.advice import advise
from cinqmille.outlook import outlook

ASKED = 0.010
SHEETS = ("cinq-des", "cinq-des(ending=last_turns)", "six-des", "six-des(target=10000)")


def positions(rules: Rules, players: int, number: int, draw: random.Random) -> list[Position]:
    """One position from each of so many turns of random games."""
    found: list[Position] = []
    while len(found) < number:
        position = start(rules, players)
        while position.to_play is not None and len(found) < number:
            if position.fresh:
                found.append(_inside(position, draw))
            position = _on(position, draw)
    return found


def _inside(position: Position, draw: random.Random) -> Position:
    """The position itself, or another one of its turn."""
    player, last = position.to_play, position
    for _ in range(draw.randrange(4)):
        position = _on(position, draw)
        if position.to_play != player or position.fresh:
            return last
        last = position
    return position


def _on(position: Position, draw: random.Random) -> Position:
    if position.phase == "roll":
        return apply(position, Roll(tuple(draw.randint(1, 6) for _ in range(position.dice_left))))
    plan = draw.choice(legal_plans(position))
    if plan.keep is not None:
        position = apply(position, SetAside(plan.keep.dice))
    return position if plan.then is None else apply(position, plan.then)


def main() -> None:
    """Time the advice on the random positions of every case and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", nargs="*", default=SHEETS)
    options = parser.parse_args()
    print(f"{'milliseconds':44}{'mean':>8}{'median':>8}{'worst':>8}{'mean / 10 ms':>14}")
    missed = 0
    for text in options.rules:
        rules = Rules.load(text)
        for players in (2, 4):
            seen = outlook(rules, players)
            places = positions(rules, players, options.positions + 1, random.Random(options.seed))
            advise(places.pop(), solution=seen)
            taken = []
            for position in places:
                begun = time.perf_counter()
                advise(position, solution=seen)
                taken.append(time.perf_counter() - begun)
            mean = statistics.fmean(taken)
            missed += mean > ASKED
            title = f"{rules.canonical}, {players} players"
            print(
                f"{title:44}{1e3 * mean:>8.2f}{1e3 * statistics.median(taken):>8.2f}{1e3 * max(taken):>8.2f}"
                f"{mean / ASKED:>14.2f}",
                flush=True,
            )
    print(f"Asked: a mean of at most {1e3 * ASKED:.0f} ms; {missed or 'none'} of them missed it.")


if __name__ == "__main__":
    main()
