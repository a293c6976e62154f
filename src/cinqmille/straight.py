"""Turn sweeps written out for one scoring table: several times the speed of the generic one, for long work.

The text is made from the menus alone: every option of every menu is one load, shared pairs of options are
compared once, and all lanes of a state go through straight-line code. It is deterministic, lives in a file of the
user's cache folder that carries the table's hash in its name, and is compiled once (a few seconds) and kept.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from platformdirs import user_cache_path

from cinqmille._kernels import LANES
from cinqmille._three_kernels import ABREAST
from cinqmille.tables import RuleTables

Sweep = Callable[..., None]

_SEAL = "# sha256: "


def text(tables: RuleTables, *, must: bool) -> str:
    """Return the module that sweeps this table; ``must`` keeps a bank value of its own for hot dice."""
    dice = tables.dice
    width = dice * LANES
    lines = [
        '"""Made by cinqmille.straight: one turn of one scoring table, written out."""',
        "from numba import njit",
        '@njit(cache=True, nogil=True, fastmath={"contract", "nsz", "nnan"}, error_model="numpy")',
        "def sweep(D, base, B, F, rows, start):",
        " for batch in range(D.shape[0]):",
        f"  turn = D[batch, base[batch] * {width}:]",
        "  banks = B[batch]",
        "  f = F[batch]",
        "  first = start[batch]",
        "  for t in range(rows[batch] - 1, -1, -1):",
        f"   row = turn[t * {width}:]",
    ]
    for count in range(1, dice + 1):
        keep = count % dice
        lines += [
            f"   bank = banks[t * {(1 + must) * LANES} + {min(keep, 1) * LANES if must else 0}:]",
            f"   for l in range({LANES}):",
            f"    acc = {float(tables.bust[count])!r} * f[l] + {float(tables.win[count])!r}",
        ]
        lines += [f"    {line}" for line in _menus(tables, count, width)]
        if count == dice:
            lines.append("    first[l] = acc")
        lines.append(f"    row[{keep * LANES} + l] = max(acc, bank[l])")
    return "\n".join(lines) + "\n"


def _menus(tables: RuleTables, count: int, width: int) -> list[str]:
    """Loads, shared maxima and sums for the menus of ``count`` dice."""
    options, pairs, menus = _merged(tables, count)
    lines = [f"v{i} = row[{points * width + left * LANES} + l]" for i, (points, left) in enumerate(options)]
    lines += [f"v{i} = max(v{a}, v{b})" for i, (a, b) in enumerate(pairs, len(options))]
    return lines + [f"acc += {weight!r} * v{node}" for weight, node in menus]


def _merged(
    tables: RuleTables, count: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[float, int]]]:
    """The menus of ``count`` dice with whatever they share compared once.

    Returns the options (points, left), numbered from 0; pairs of which the better is taken, numbered on from there;
    and for every menu its weight and the number of its best. Only neighbours are paired, so that of equally good
    options the same one is taken whatever is shared.
    """
    options: dict[tuple[int, int], int] = {}
    menus: list[list[int]] = []
    first = int(tables.first[count])
    weights = tables.weight[first : int(tables.first[count + 1])].tolist()
    for m in range(first, first + len(weights)):
        found = range(int(tables.begin[m]), int(tables.begin[m + 1]))
        places = [(int(tables.points[o]), int(tables.left[o])) for o in found]
        menus.append([options.setdefault(place, len(options)) for place in places])
    made: list[tuple[int, int]] = []
    while any(len(menu) > 1 for menu in menus):
        seen = Counter(pair for menu in menus for pair in pairwise(menu))
        best = min(seen, key=lambda pair: (-seen[pair], pair))
        for menu in menus:
            for i in range(len(menu) - 2, -1, -1):
                if tuple(menu[i : i + 2]) == best:
                    menu[i : i + 2] = [len(options) + len(made)]
        made.append(best)
    return list(options), made, [(weight, menu[0]) for weight, menu in zip(weights, menus, strict=True)]


def text_many(tables: RuleTables, players: int) -> str:
    """Return the module that sweeps this table for a table of so many players (see ``_three_kernels``)."""
    size = players * ABREAST
    lines = [
        '"""Made by cinqmille.straight: one turn of one scoring table, written out."""',
        "from numba import njit",
        "from cinqmille._three_kernels import bank_or_roll, fill_banked, roll_written",
    ]
    for count in range(1, tables.dice + 1):
        options, pairs, menus = _merged(tables, count)
        places = [(points * tables.dice + left) * size for points, left in options]
        chances = f"{float(tables.bust[count])!r}, {float(tables.win[count])!r}"
        lines.append(f"roll_{count} = roll_written({players}, {chances}, {places}, {pairs}, {menus})")
    lines += [
        '@njit(cache=True, nogil=True, fastmath={"contract", "nsz", "nnan"}, error_model="numpy")',
        "def sweep(channels, D, B, B_rows, F, rows, swept, ceiling, reach, slot, start):",
        f" bank_row = (slot[{tables.dice - 1}] + 1) * {size - ABREAST}",
        " for batch in range(rows.size):",
        f"  bottom = (ceiling - rows[batch]) * {tables.dice * size}",
        "  banks = batch * B_rows * bank_row",
        f"  fill_banked(D, bottom, B, banks, bank_row, swept[batch], rows[batch], reach, slot, {size})",
        "  for t in range(swept[batch] - 1, -1, -1):",
        f"   row = bottom + t * {tables.dice * size}",
        "   bank = banks + t * bank_row",
    ]
    for count in range(1, tables.dice + 1):
        left = count % tables.dice
        lines += [
            f"   roll_{count}(D, row, F, batch * {ABREAST}, start, batch * {size})",
            f"   at = bank + slot[{left}] * {size - ABREAST}",
            f"   bank_or_roll(channels, B, at, start, batch * {size}, D, row + {left * size})",
        ]
    return "\n".join(lines) + "\n"


def path(tables: RuleTables, *, must: bool) -> Path:
    """Return the file of this table's sweep, which may not exist yet."""
    return _path(tables, LANES, must)


def path_many(tables: RuleTables, players: int) -> Path:
    """Return the file of this table's sweep for so many players, which may not exist yet."""
    kernels = Path(__file__).with_name("_three_kernels.py").read_bytes()
    return _path(tables, ABREAST, players, hashlib.sha256(kernels).hexdigest())


def _path(tables: RuleTables, *details: object) -> Path:
    # Whatever the text depends on: the numbers, their layout and this file.
    digest = hashlib.sha256(Path(__file__).read_bytes())
    digest.update(repr((*details, [array.tolist() for array in tables[1:]])).encode())
    return user_cache_path("cinqmille") / "kernels" / f"sweep_{digest.hexdigest()[:16]}.py"


def compiled_before(tables: RuleTables, *, must: bool) -> bool:
    """Tell whether this table's sweep has been written out on this machine."""
    return _intact(path(tables, must=must))


def sweep(tables: RuleTables, *, must: bool) -> Sweep:
    """Return the compiled sweep ``(D, base, B, F, rows, start)`` of this table; writes its file when it is missing.

    Compiling happens at the first call ever (seconds); later starts read numba's cache.
    """
    return _loaded(path(tables, must=must), lambda: text(tables, must=must))


def sweep_many(tables: RuleTables, players: int) -> Sweep:
    """Return the compiled sweep of this table for so many players: as :func:`sweep`."""
    return _loaded(path_many(tables, players), lambda: text_many(tables, players))


def _loaded(file: Path, written: Callable[[], str]) -> Sweep:
    name = f"cinqmille_{file.stem}"
    module: ModuleType | Any = sys.modules.get(name)
    if module is None:
        if not _intact(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
                out.write(_sealed(written()))
            Path(temporary).replace(file)
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    compiled: Sweep = module.sweep
    return compiled


def _sealed(text: str) -> str:
    return f"{text}{_SEAL}{hashlib.sha256(text.encode()).hexdigest()}\n"


def _intact(file: Path) -> bool:
    """Whether the file is as it was written: what is run must not be half there, or anything else."""
    try:
        content = file.read_bytes().decode("utf-8", "replace")
    except OSError:
        return False
    text, seal, _ = content.rpartition(_SEAL)
    return bool(seal) and content == _sealed(text)
