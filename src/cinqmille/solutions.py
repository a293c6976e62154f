"""Solved games on disk: shipped with the package for some presets, kept in the user's cache for all others.

A file holds the values of turn starts (turns are recomputed from them), compressed, under one line of JSON:
version, rules, fingerprint, shape, how the solve went, and the digest of the rest. What is damaged, of another
version or of other rules is refused; files are written beside their place and moved there, so that none is ever
half there.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zlib
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from cinqmille.errors import InvalidText
from cinqmille.rules import Rules
from cinqmille.solver import Progress, Solution, solve_two
from cinqmille.tables import Floats

VERSION = 1
# Shipped values are whole numbers of this step: a chance is off by half of it at most.
_STEP = 1.0 / (2**32 - 1)


def solve(rules: Rules, *, fresh: bool = False, progress: Progress | None = None) -> Solution:
    """Return the solved two-player game of ``rules``; :func:`find` also tells where it came from."""
    return find(rules, fresh=fresh, progress=progress)[0]


def find(rules: Rules, *, fresh: bool = False, progress: Progress | None = None) -> tuple[Solution, str]:
    """Return the solved two-player game of ``rules`` and where it came from: ``shipped``, ``cached`` or ``solved``.

    ``fresh`` ignores every stored solution. A new one is kept in the user's cache folder. Raises InvalidRules for
    rules that cannot be solved; a stored file that is damaged is solved again.
    """
    if not fresh:
        for place, data in (("shipped", shipped(rules)), ("cached", _cached(rules))):
            if data is not None:
                try:
                    return loads(data, rules), place
                except InvalidText:
                    continue
    solution = solve_two(rules, progress=progress)
    if solution.taken.size == 0:
        save(solution, cache_path(rules))
    return solution, "solved"


def dumps(solution: Solution, *, exact: bool = True) -> bytes:
    """Return the file of a solution; without ``exact`` the values are rounded to 32 bits (1.2e-10)."""
    if exact:
        payload = zlib.compress(solution.values.astype("<f8").tobytes(), 1)
    else:
        rounded = np.rint(solution.values / _STEP).astype("<u4")
        # Neighbouring values differ little; their differences compress better.
        payload = zlib.compress(np.diff(rounded, axis=2, prepend=np.uint32(0)).astype("<u4").tobytes(), 9)
    header = {
        "cinqmille_solution": VERSION,
        "rules": solution.rules.canonical,
        "fingerprint": solution.rules.fingerprint,
        "players": 2,
        "shape": solution.values.shape,
        "kind": "f8" if exact else "u4",
        "residual": solution.residual,
        "passes": solution.passes,
        "seconds": round(solution.seconds, 3),
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    return json.dumps(header).encode() + b"\n" + payload


def loads(data: bytes, rules: Rules) -> Solution:
    """Return the solution in ``data``; raise InvalidText when it is damaged or not one of these rules."""
    head, _, payload = data.partition(b"\n")
    try:
        header: dict[str, Any] = json.loads(head)
        version, fingerprint, shape = header["cinqmille_solution"], header["fingerprint"], tuple(header["shape"])
        intact = hashlib.sha256(payload).hexdigest() == header["sha256"]
    except (ValueError, KeyError, TypeError):
        raise InvalidText("solution_damaged", rules=rules.canonical) from None
    if version != VERSION or fingerprint != rules.fingerprint:
        raise InvalidText("solution_foreign", rules=rules.canonical, found=str(header.get("rules")), version=version)
    if not intact:
        raise InvalidText("solution_damaged", rules=rules.canonical)
    values: Floats
    if header["kind"] == "f8":
        values = np.frombuffer(zlib.decompress(payload), dtype="<f8").reshape(shape).copy()
        residual = float(header["residual"])
    else:
        steps = np.frombuffer(zlib.decompress(payload), dtype="<u4").reshape(shape)
        values = (np.cumsum(steps, axis=2, dtype=np.uint32) * _STEP).astype(np.float64)
        residual = max(float(header["residual"]), _STEP / 2)
    none = np.zeros((*shape[:3], shape[3], 0, rules.dice + 1))
    return Solution(rules, values, none, residual, int(header["passes"]), float(header["seconds"]))


def save(solution: Solution, path: Path, *, exact: bool = True) -> None:
    """Write a solution to ``path``, whole or not at all; raise OSError when the folder cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(dumps(solution, exact=exact))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def cache_path(rules: Rules) -> Path:
    """Return the file of the user's cache folder where a solution of ``rules`` is kept."""
    return user_cache_path("cinqmille") / "solutions" / f"two-{rules.fingerprint}-v{VERSION}.bin"


def shipped(rules: Rules) -> bytes | None:
    """Return the file that the package ships for ``rules``, or None."""
    file = resources.files("cinqmille") / "solved" / f"two-{rules.fingerprint}.bin"
    return file.read_bytes() if file.is_file() else None


def _cached(rules: Rules) -> bytes | None:
    try:
        return cache_path(rules).read_bytes()
    except OSError:
        return None
