"""How fast three players are solved, against the compiled reference, and what more players would cost.

    python bench/three.py [--rounds 3] [--reference PATH]

PATH is the reference's script ``run`` or its folder; its three-player program is built in a temporary folder and run in
turn with ours, so that whatever else the machine does falls on both. Printed are the medians and their ratios to
the reference, misses included; on a busy machine the ratio of processor seconds (one core) is the steadier one. Then
how time grows with the target, and the cost of four players: measured on small targets, reckoned for the full game.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from cinqmille import Rules
from cinqmille.solvable import ManySolution, cost
from cinqmille.three import solve_many

RULES = "cinq-des"
ASKED = {1: 0.6, 2: 0.33}
KNOWN = "cinq-des(target=1000, entry=150)", (0.411267890, 0.326587192, 0.262144918)


def solved(text: str, players: int, cores: int) -> tuple[ManySolution, float]:
    """A solution, and the processor seconds it took."""
    begun = time.process_time()
    solution = solve_many(Rules.parse(text), players, cores=cores)
    return solution, time.process_time() - begun


def built(reference: Path, folder: str) -> list[str]:
    """Build the three-player reference; return the command that runs it."""
    source = (reference if reference.is_dir() else reference.parent) / "three_players.cpp"
    program = f"{folder}/three"
    flags = ["-O3", "-march=native", "-ffast-math", "-w"]
    subprocess.run(["g++", *flags, "-o", program, str(source)], check=True)
    return [program, str(source.with_name("cinq-des.menus")), "5", "100", "15"]


def reference_seconds(command: list[str]) -> tuple[float, float, str]:
    """Wall and processor seconds of one run of the reference, and what it printed."""
    before = os.times()
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = os.times()
    wall = float(re.search(r"time=([\d.]+)s", output)[1])  # type: ignore[index]
    return wall, after.children_user - before.children_user, output.strip()


def compare(command: list[str] | None, rounds: int, cores: int) -> None:
    """Run reference and ours in turn, and print medians and ratios."""
    walls: dict[str, list[float]] = {}
    used: dict[str, list[float]] = {}
    seats, printed = "", ""
    for _ in range(rounds):
        if command is not None:
            wall, cpu, printed = reference_seconds(command)
            walls.setdefault("reference", []).append(wall)
            used.setdefault("reference", []).append(cpu)
        for count in range(1, cores + 1):
            solution, cpu = solved(RULES, 3, count)
            walls.setdefault(f"{count}", []).append(solution.seconds)
            used.setdefault(f"{count}", []).append(cpu)
            seats = " ".join(f"{chance:.9f}" for chance in solution.win)
            seats += f", residual {solution.residual:.1e}, {len(solution.mixed)} mixed cycles"
    print(f"{RULES}, three players: {seats}")
    if printed:
        print(f"reference: {printed}")
    print(f"{'':12}{'seconds':>10}{'processor':>11}{'ratio':>8}{'asked':>8}{'ratio of processor seconds':>28}")
    for name, found in walls.items():
        wall, cpu = statistics.median(found), statistics.median(used[name])
        line = f"{name if name == 'reference' else f'{name} core(s)':12}{wall:>10.2f}{cpu:>11.2f}"
        if command is not None and name != "reference":
            ratio, asked = wall / statistics.median(walls["reference"]), ASKED[int(name)]
            line += f"{ratio:>8.3f}{asked:>8}{cpu / statistics.median(used['reference']):>28.3f}"
            line += "" if ratio <= asked else "   missed"
        print(line)


def growth(cores: int) -> float:
    """Print how time and memory grow with the target; return the rows swept a second."""
    print(f"\nGrowth with the target, three players, {cores} core(s):")
    print(f"{'target':>8}{'states':>12}{'MB':>8}{'seconds':>10}{'sweeps a state':>16}")
    points = []
    speed = 0.0
    for target in (1000, 2000, 4000):
        text = f"{RULES}(target={target})"
        solution = solve_many(Rules.parse(text), cores=cores, written_out=True)
        work = cost(solution.rules, 3)
        sweeps = solution.passes * 16 / work.states
        points.append((math.log(target), math.log(solution.seconds)))
        speed = work.rows / 5.0 * sweeps / solution.seconds
        print(f"{target:>8}{work.states:>12}{work.bytes / 1e6:>8.1f}{solution.seconds:>10.3f}{sweeps:>16.2f}")
    slope = (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])
    print(f"time grows as target^{slope:.2f}; {speed:.3g} rows of one state a second")
    return speed


def four(cores: int) -> None:
    """Print what four players cost: measured where it is quick, reckoned for the full game."""
    print(f"\nFour players, {cores} core(s):")
    text = f"{RULES}(target=500, entry=100)"
    solution = solve_many(Rules.parse(text), 4, cores=cores)
    print(f"{text}: {' '.join(f'{chance:.9f}' for chance in solution.win)}, {solution.seconds:.2f} s")
    text = f"{RULES}(target=1500)"
    solution = solve_many(Rules.parse(text), 4, cores=cores, written_out=True)
    work = cost(solution.rules, 4)
    sweeps = solution.passes * 16 / work.states
    speed = work.rows / 5.0 * sweeps / solution.seconds
    print(f"{text}: {' '.join(f'{chance:.9f}' for chance in solution.win)}, {solution.seconds:.2f} s,", end=" ")
    print(f"{sweeps:.2f} sweeps a state, {speed:.3g} rows a second, {len(solution.mixed)} mixed cycles")
    for text in (RULES, f"{RULES}(target=10000)"):
        work = cost(Rules.parse(text), 4, sweeps=sweeps)
        print(f"{text}: {work.states:.3g} states, {work.bytes / 1e9:.1f} GB, {work.hours(speed):.2f} hours (reckoned)")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--reference", type=Path)
    options = parser.parse_args()
    cores = min(2, os.cpu_count() or 1)
    text, known = KNOWN
    solution, _ = solved(text, 3, 1)
    print(f"{text}: {solution.win}, off by {max(abs(a - b) for a, b in zip(solution.win, known, strict=True)):.1e}")
    solved(RULES + "(target=1000)", 3, 1)
    solve_many(Rules.parse(RULES + "(target=500, entry=0)"), cores=1, written_out=True)  # compile
    with tempfile.TemporaryDirectory() as folder:
        command = None
        if options.reference is None or not options.reference.exists():
            name = "none given" if options.reference is None else f"{options.reference} is missing"
            print(f"reference: {name}; nothing is compared.")
        elif shutil.which("g++") is None:
            print("reference: there is no g++ to build it; nothing is compared.")
        else:
            command = built(options.reference, folder)
        compare(command, options.rounds, cores)
    growth(cores)
    four(cores)


if __name__ == "__main__":
    main()
