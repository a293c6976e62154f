"""How fast whole games are simulated, on one core and on two; asked values beside the measured ones.

    python bench/simulation.py [--rounds 9] [--games 600000] [--reference PATH]

Prints the median of interleaved rounds, the best round, and the ratio of the median to what is asked, misses included.
A turn is one player's go, whole games included: scores, minima, the end, statistics. ``cpu`` is turns a second of
processor time: on a machine that others use too it says how much of a miss is theirs. The kernel is warm; the first
line tells what warming took. The compiled reference (``--reference``) does not play, so nothing is compared with it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

from cinqmille import PRESETS, Rules
from cinqmille.simulation import simulate

PAIR = ("steady:350", "steady:500")
MATCHES = {
    "cinq-des": (PRESETS["cinq-des"], PAIR),
    "six-des": (PRESETS["six-des"], PAIR),
    "six-des, four players": (PRESETS["six-des"], PAIR * 2),
    "cinq-des(exact=true)": (Rules.parse("cinq-des(exact=true)"), PAIR),
    "farkle-facebook": (PRESETS["farkle-facebook"], PAIR),
}
ASKED_ONE, ASKED_TWO = 25e6, 1.8


def rate(rules: Rules, bots: tuple[str, ...], games: int, seed: int, workers: int) -> tuple[float, float]:
    """Turns a second of wall time and of processor time."""
    begun, busy = time.perf_counter(), time.process_time()
    report = simulate(rules, bots, games=games, seed=seed, workers=workers)
    return report.turns / (time.perf_counter() - begun), report.turns / (time.process_time() - busy)


def line(what: str, values: list[float], asked: float | None, cpu: float | None = None) -> None:
    """Print one row of the table."""
    median = statistics.median(values)
    ratio = "" if asked is None else f"{median / asked:.2f}" + ("" if median >= asked else " MISSED")
    columns = "".join(f"{plain(value):>10}" for value in (median, max(values), cpu, asked))
    print(f"{what:42}{columns}{ratio:>14}")


def plain(value: float | None) -> str:
    """A number as the table has it: millions, thousands, or a ratio."""
    if value is None:
        return "-"
    return f"{value / 1e6:.1f} M" if value >= 1e6 else f"{value / 1e3:.1f} k" if value >= 1e3 else f"{value:.2f}"


def main() -> None:
    """Measure in rounds and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--games", type=int, default=600_000)
    parser.add_argument("--reference", type=Path)
    options = parser.parse_args()
    begun = time.perf_counter()
    for rules, bots in MATCHES.values():
        rate(rules, bots, 20_000, 0, 1)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"warming: {time.perf_counter() - begun:.1f} s; cores: {cores}{load}")
    one: dict[str, list[tuple[float, float]]] = {name: [] for name in MATCHES}
    two: list[tuple[float, float]] = []
    gain: list[float] = []
    core: list[float] = []
    for number in range(options.rounds):
        for name, (rules, bots) in MATCHES.items():
            one[name].append(rate(rules, bots, options.games, number, 1))
            if name == "cinq-des" and cores > 1:
                two.append(rate(rules, bots, 2 * options.games, number, 2))
                gain.append(two[-1][0] / one[name][-1][0])
        report = simulate(*MATCHES["cinq-des"], games=100, seed=number, core=True, workers=1)
        core.append(report.turns / report.seconds)
    print(f"{'turns a second':42}{'median':>10}{'best':>10}{'cpu':>10}{'asked':>10}{'ratio':>14}")
    for name, rates in one.items():
        walls, cpus = [wall for wall, _ in rates], statistics.median(cpu for _, cpu in rates)
        line(f"{name}, one core", walls, ASKED_ONE if name == "cinq-des" else None, cpus)
        if name == "cinq-des":
            if two:
                both = statistics.median(cpu for _, cpu in two)
                line("cinq-des, two cores", [wall for wall, _ in two], None, both)
                line("  times one core of the same round", gain, ASKED_TWO)
            else:
                print("cinq-des, two cores: MISSING, there is only one core here")
    line("cinq-des, readable core, one core", core, None)
    print("A ratio of 1 or more meets what is asked.")
    if options.reference is None or not options.reference.exists():
        missing = "none given" if options.reference is None else f"{options.reference} is missing"
        print(f"reference: {missing}; nothing here is measured against it.")
    else:
        print(f"reference: {options.reference} solves and does not play; nothing here is measured against it.")


if __name__ == "__main__":
    main()
