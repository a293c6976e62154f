"""How fast two-player games are solved, against a compiled reference in the same run.

    python bench/solver.py [--rounds 3] [--reference PATH]

PATH is the folder with ``two_players.cpp`` and its menu files (or the script in it). Everything runs on one core,
warm, in interleaved rounds; printed are the medians and their ratios to the reference, with the ratio asked for, misses
included: of the sweep written out for the table, and of the generic one, which needs no compiling for a table. The last
lines show tables never seen before.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from cinqmille import Rules
from cinqmille.solver import solve_two

# The reference's menus for six dice score five and six of a kind at three and four times the triple.
SIX = "AAAAA=300*A, 11111=3000, AAAAAA=400*A, 111111=4000"
WORK = (
    ("cinq-des", ("cinq-des.menus", "5", "100", "15", "0", "0.5"), 1.0),
    ("cinq-des(target=10000)", ("cinq-des.menus", "5", "200", "15", "0", "0.5"), None),
    (f"six-des({SIX})", ("six-des.menus", "6", "100", "10", "1", "0.5"), 0.5),
    (f"six-des(target=10000, ending=first, {SIX})", ("six-des.menus", "6", "200", "10", "0", "0.5"), 0.5),
    (f"six-des(target=10000, {SIX})", ("six-des.menus", "6", "200", "10", "1", "0.5"), 0.4),
)


def built(reference: Path | None, folder: Path) -> Path | None:
    """The compiled reference, or None with a line that says why."""
    if reference is None:
        print("reference: none given (--reference PATH); seconds only.")
        return None
    home = reference if reference.is_dir() else reference.parent
    source = home / "two_players.cpp"
    if not source.exists() or shutil.which("g++") is None:
        print(f"reference: {source if not source.exists() else 'g++'} is missing; seconds only.")
        return None
    program = folder / "two"
    subprocess.run(["g++", "-O3", "-march=native", "-ffast-math", "-w", "-o", program, source], check=True)
    return program


def new_table(number: int) -> Rules:
    """Rules with a scoring table that nobody has compiled."""
    draw = random.Random(number)
    triple = 50 * draw.randint(1, 40)
    return Rules.parse(f"six-des(AABBCC={50 * draw.randint(5, 60)}, 222={triple}, AAABBB={50 * draw.randint(20, 90)})")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--reference", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = built(options.reference, Path(folder))
        home = (
            options.reference
            if options.reference and options.reference.is_dir()
            else (options.reference or Path()).parent
        )
        ours: dict[str, list[float]] = {name: [] for name, _, _ in WORK}
        generic: dict[str, list[float]] = {name: [] for name, _, _ in WORK}
        theirs: dict[str, list[float]] = {name: [] for name, _, _ in WORK}
        for name, _, _ in WORK:
            solve_two(Rules.parse(name), written_out=True)
        for _ in range(options.rounds):
            for name, arguments, _ in WORK:
                solution = solve_two(Rules.parse(name), written_out=True)
                ours[name].append(solution.seconds)
                generic[name].append(solve_two(Rules.parse(name), written_out=False).seconds)
                if program is not None:
                    told = subprocess.run(
                        [program, home / arguments[0], *arguments[1:]], capture_output=True, text=True, check=True
                    ).stdout
                    seconds, value = re.search(r"time=([\d.]+)s V\(0,0\)=([\d.]+)", told).groups()  # type: ignore[union-attr]
                    theirs[name].append(float(seconds))
                    assert abs(float(value) - solution.win[0]) < 1e-8, (name, value, solution.win)
        print(f"{'two players':44}{'seconds':>9}{'generic':>9}{'reference':>11}{'ratio':>7}{'generic':>9}{'asked':>7}")
        for name, _, asked in WORK:
            median, slower = statistics.median(ours[name]), statistics.median(generic[name])
            line = f"{name.replace(SIX, '…'):44}{median:>9.3f}{slower:>9.3f}"
            if theirs[name]:
                reference = statistics.median(theirs[name])
                line += f"{reference:>11.3f}{median / reference:>7.2f}{slower / reference:>9.2f}"
                line += f"{'-' if asked is None else f'<={asked}':>7}"
            print(line)
    seconds, first = [], time.time_ns()
    for number in range(first, first + options.rounds):
        rules = new_table(number)
        begun = time.perf_counter()
        solution = solve_two(rules, written_out=False)
        seconds.append(time.perf_counter() - begun)
        print(f"never seen: {solution.rules}: {solution.win[0]:.9f}, residual {solution.residual:.1e}")
    median = statistics.median(seconds)
    print(f"a table never seen before, from rules to answer: {median:.2f} s, {median / 3:.2f} of the 3 s asked for")


if __name__ == "__main__":
    main()
