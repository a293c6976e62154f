"""How time and memory of exact solutions grow with the target, the dice and the players.

    python bench/growth.py [--quick] [--long]

Every solve runs in a process of its own, all cores, kernels compiled; printed are its seconds and the most memory the
process ever held (about 150 MB of it is Python with numpy and numba). Exponents are fitted by least squares. Then the
two-player games to 10000 that need the most memory, and what four players cost, reckoned from the measured speed.
``--quick`` leaves out what takes more than some seconds; ``--long`` adds turns that may be taken over, to 10000.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cinqmille import Rules
from cinqmille.solvable import cost
from cinqmille.solver import solve_two
from cinqmille.three import solve_many

GIB = 1 << 30


@dataclass(frozen=True)
class Solve:
    """What one solve took."""

    seconds: float
    peak: int
    win: tuple[float, ...]
    passes: int


def one(text: str, players: int) -> None:
    """Solve, and print what it took: the child's side of :func:`solved`."""
    rules = Rules.parse(text)
    if players == 2:
        pair = solve_two(rules)
        told = {"seconds": pair.seconds, "win": pair.win, "passes": pair.passes}
    else:
        many = solve_many(rules, players)
        told = {"seconds": many.seconds, "win": many.win, "passes": many.passes}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({**told, "peak": peak}))


def solved(text: str, players: int = 2) -> Solve:
    """Solve in a process of its own; the better of two runs where they are short."""
    found = []
    for _ in range(2):
        command = [sys.executable, __file__, "--one", text, str(players)]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        found.append(Solve(told["seconds"], told["peak"], tuple(told["win"]), told["passes"]))
        if told["seconds"] > 5:
            break
    return min(found, key=lambda run: run.seconds)


def slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    """The slope of the straight line that fits best."""
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return over / sum((x - mean_x) ** 2 for x in xs)


def table(title: str, name: str, values: Sequence[int], text: Callable[[int], str], players: int = 2) -> list[Solve]:
    """Solve for every value and print the lines of a table."""
    print(f"\n{title}\n{name:>8}{'states':>13}{'seconds':>10}{'peak MB':>9}")
    runs = []
    for value in values:
        run = solved(text(value), players)
        states = cost(Rules.parse(text(value)), players).states
        print(f"{value:>8}{states:>13,}{run.seconds:>10.3f}{run.peak / 1e6:>9.0f}", flush=True)
        runs.append(run)
    return runs


def power(values: Sequence[int], runs: Sequence[Solve]) -> float:
    """The exponent e of time ~ value ** e."""
    return slope([math.log(value) for value in values], [math.log(run.seconds) for run in runs])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.one[0], int(options.one[1]))
        return
    for sheet in ("cinq-des", "six-des"):
        targets = (2500, 5000, 10000, 20000)[: 3 if options.quick else 4]
        runs = table(f"Target: {sheet}, two players", "target", targets, lambda t, s=sheet: f"{s}(target={t})")  # type: ignore[misc]
        print(f"time grows as target^{power(targets, runs):.2f}, states and their memory as target^2")
    dice = tuple(range(3, 7 if options.quick else 9))
    runs = table("Dice: six-des(target=2000, ending=first), two players", "dice", dice, dice_rules)
    growth = math.exp(slope(dice, [math.log(run.seconds) for run in runs]))
    print(f"every die more takes {growth:.2f} times as long; the memory stays as it is")
    speed = {}
    for players, targets in ((3, (1000, 2000, 3000, 5000)), (4, (500, 1000, 1500))):
        targets = targets[: 2 if options.quick else None]
        title = f"Players: cinq-des(entry=200), {players} players"
        runs = table(title, "target", targets, lambda t: f"cinq-des(target={t}, entry=200)", players)
        print(f"time grows as target^{power(targets, runs):.2f}, states and their memory as target^{players}")
        last = Rules.parse(f"cinq-des(target={targets[-1]}, entry=200)")
        speed[players] = cost(last, players).rows / runs[-1].seconds
        print(f"{speed[players]:.3g} rows a second, as `solvable.cost` counts them (five sweeps a state)")
        print("  ".join(f"{chance:.6f}" for chance in runs[-1].win))
    print(f"\n{'Four players, reckoned':34}{'states':>14}{'GB':>7}{'hours':>8}")
    for target in (2000, 3000, 5000, 10000):
        rules = Rules.parse(f"cinq-des(target={target})")
        needed = cost(rules, 4)
        print(f"{rules!s:34}{needed.states:>14,}{needed.bytes / 1e9:>7.2f}{needed.hours(speed[4]):>8.2f}")
    memory(options.quick, options.long)


def dice_rules(dice: int) -> str:
    """A sheet that many numbers of dice can play."""
    return f"six-des(dice={dice}, target=2000, entry=0, ending=first)"


def memory(quick: bool, long: bool) -> None:
    """Print the most memory that two-player games to 10000 take."""
    work = ["cinq-des(target=10000)", "six-des(target=10000)", "six-des(target=10000, ending=finish_round)"]
    if not quick:
        work += ["cinq-des(target=10000, prediction=true)", "cinq-des(target=10000, exact=true)"]
        work += ["cinq-des(target=10000, scoreless_limit=3, scoreless_penalty=500)", "cinq-des(takeover=always)"]
    if long:
        work.append("cinq-des(target=10000, takeover=always)")
    print(f"\n{'Memory, two players':72}{'seconds':>9}{'peak MB':>9}")
    for text in work:
        run = solved(text)
        over = "" if run.peak < GIB else "   more than 1 GiB"
        print(f"{text:72}{run.seconds:>9.2f}{run.peak / 1e6:>9.0f}{over}", flush=True)


if __name__ == "__main__":
    main()
