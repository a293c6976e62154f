"""How fast the readable core plays, and how quickly the command answers; asked values beside the measured ones.

    python bench/core.py [--rounds 7] [--reference PATH]

Prints the median of interleaved rounds and its ratio to what is asked, misses included. Whole games of two
threshold bots run on one core through ``apply``, dice drawn by the standard library. Machines differ and are
shared: compare ratios of one run. The compiled reference (``--reference``) has no readable core to compare with.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from cinqmille import PRESETS, Roll, Rules, apply, start
from cinqmille.bots import bot


def games_per_second(rules: Rules, seed: int, games: int = 300) -> float:
    """Whole two-player games a second between ``steady:350`` and ``steady:500``."""
    draw = random.Random(seed).random
    bots = (bot("steady:350"), bot("steady:500"))
    begun = time.perf_counter()
    for _ in range(games):
        position = start(rules, 2)
        while (player := position.to_play) is not None:
            if position.phase == "roll":
                dice = tuple([int(draw() * 6) + 1 for _ in range(position.dice_left)])
                position = apply(position, Roll(dice))
            else:
                position = apply(position, bots[player].choose(position))
    return games / (time.perf_counter() - begun)


def command_seconds(*arguments: str) -> float:
    """Seconds from starting ``cinqmille`` to its end."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "cinqmille", *arguments], check=True, capture_output=True)
    return time.perf_counter() - begun


def new_rules_seconds(seed: int) -> float:
    """Seconds to read, check and make rules that were never seen before."""
    begun = time.perf_counter()
    Rules.parse(f"six-des(AABBCC={750 + 50 * (seed % 1000)}, entry=300, exact=true)")
    return time.perf_counter() - begun


def main() -> None:
    """Measure in rounds and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--reference", type=Path)
    options = parser.parse_args()
    cinq, six = PRESETS["cinq-des"], PRESETS["six-des"]
    rates: dict[str, tuple[Callable[[int], float], float | None]] = {
        "cinq-des, games a second": (lambda seed: games_per_second(cinq, seed), 1000.0),
        "six-des, games a second": (lambda seed: games_per_second(six, seed), None),
    }
    times: dict[str, tuple[Callable[[int], float], float | None]] = {
        "cinqmille --help, seconds": (lambda _: command_seconds("--help"), 0.3),
        "cinqmille score 15534, seconds": (lambda _: command_seconds("score", "15534"), None),
        "new rules checked, seconds": (new_rules_seconds, None),
    }
    found: dict[str, list[float]] = {name: [] for name in (*rates, *times)}
    for measure, _ in (*rates.values(), *times.values()):
        measure(-1)  # warm
    for round_number in range(options.rounds):
        for name, (measure, _) in (*rates.items(), *times.items()):
            found[name].append(measure(round_number))
    print(f"{'what':34}{'median':>12}{'asked':>10}{'ratio':>8}")
    for name, (_, asked) in (*rates.items(), *times.items()):
        median = statistics.median(found[name])
        ratio = "" if asked is None else f"{median / asked if name in rates else asked / median:.2f}"
        print(f"{name:34}{median:>12.4g}{'-' if asked is None else f'{asked:g}':>10}{ratio:>8}")
    print("A ratio of 1 or more meets what is asked.")
    if options.reference is None or not options.reference.exists():
        print(
            f"reference: {'none given' if options.reference is None else f'{options.reference} is missing'};", end=" "
        )
        print("nothing here is measured against it.")
    else:
        print(f"reference: {options.reference} solves and does not play; nothing here is measured against it.")


if __name__ == "__main__":
    main()
