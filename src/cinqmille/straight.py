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
from pathlib import Path
from types import ModuleType
from typing import Any

from platformdirs import user_cache_path

from cinqmille._kernels import LANES
from cinqmille.tables import RuleTables

Sweep = Callable[..., None]


def text(tables: RuleTables, *, must: bool) -> str:
    """Return the module that sweeps this table; ``must`` keeps a bank value of its own for hot dice."""
    dice = tables.dice
    width = dice * LANES
    lines = [
        '"""Made by cinqmille.straight: one turn of one scoring table, written out."""',
        "from numba import njit",
        '@njit(cache=True, nogil=True, fastmath={"contract", "nsz", "nnan"}, error_model="numpy")',
        "def sweep(D, B, F, rows, start):",
        " for batch in range(D.shape[0]):",
        "  turn = D[batch]",
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
    lines: list[str] = []
    names: dict[int, str] = {}
    menus: list[tuple[float, set[str]]] = []
    for m in range(int(tables.first[count]), int(tables.first[count + 1])):
        options = range(int(tables.begin[m]), int(tables.begin[m + 1]))
        places = [int(tables.points[o]) * width + int(tables.left[o]) * LANES for o in options]
        for place in places:
            names.setdefault(place, f"v{len(names)}")
        menus.append((float(tables.weight[m]), {names[place] for place in places}))
    lines += [f"{name} = row[{place} + l]" for place, name in names.items()]
    made = 0
    while True:
        pairs = Counter((a, b) for _, menu in menus for i, b in enumerate(sorted(menu)) for a in sorted(menu)[:i])
        if not pairs:
            break
        (a, b), _ = min(pairs.items(), key=lambda item: (-item[1], item[0]))
        lines.append(f"m{made} = max({a}, {b})")
        for _, menu in menus:
            if a in menu and b in menu:
                menu -= {a, b}
                menu.add(f"m{made}")
        made += 1
    return lines + [f"acc += {weight!r} * {next(iter(menu))}" for weight, menu in menus]


def path(tables: RuleTables, *, must: bool) -> Path:
    """Return the file of this table's sweep, which may not exist yet."""
    # Whatever the text depends on: the numbers, their layout and this file.
    digest = hashlib.sha256(Path(__file__).read_bytes())
    digest.update(repr((LANES, must, [array.tolist() for array in tables[1:]])).encode())
    return user_cache_path("cinqmille") / "kernels" / f"sweep_{digest.hexdigest()[:16]}.py"


def sweep(tables: RuleTables, *, must: bool) -> Sweep:
    """Return the compiled sweep ``(D, B, F, rows, start)`` of this table; writes its file when it is missing.

    Compiling happens at the first call ever (seconds); later starts read numba's cache.
    """
    file = path(tables, must=must)
    name = f"cinqmille_{file.stem}"
    module: ModuleType | Any = sys.modules.get(name)
    if module is None:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(text(tables, must=must))
            Path(temporary).replace(file)
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    compiled: Sweep = module.sweep
    return compiled
