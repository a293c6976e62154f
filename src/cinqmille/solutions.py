"""Solved games on disk: shipped with the package for some presets, kept in the user's cache for all others.

A file is a line that names the format, its version and the digest of all that follows; a line of JSON with the rules,
their fingerprint, the players, how the solve went and the shapes of the arrays; and the arrays. Only the values of
turn starts are in it (turns are recomputed from them), and turns that may be taken over where there are any.

Numbers are whole ones there: the bit patterns of the floats as they stand, or, where a file is to be small, the values
in steps of 2**-42. Neighbours differ little, so what is compressed are second differences, sorted by bytes: that takes
two thirds of the room, without losing a bit.

What is damaged, of another version or of another game is refused; files are written beside their place and moved there,
so that none is ever half there.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator
from importlib import resources
from math import ceil
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
from platformdirs import user_cache_path

from cinqmille.errors import InvalidRules, InvalidText
from cinqmille.rules import Rules
from cinqmille.solvable import (
    ManySolution,
    Solution,
    cores,
    effort,
    effort_two,
    unsolvable,
    unsolvable_many,
    verify_chances,
)
from cinqmille.tables import Floats

VERSION = 2
_MAGIC = b"cinqmille-solution"
# Rounded values are off by half a step at most; an equation between two of them is then off by a whole one.
_BITS = 42
_STEP = 2.0**-_BITS
# Larger ones are solved again when they are needed: only turns that may be taken over, at high targets, are so many.
MOST_BYTES = 200_000_000
# The environment says how many seconds of a core solving may take at most, about; nothing says no. Servers set it.
MOST_SECONDS = "CINQMILLE_MOST_SECONDS"

Progress = Callable[[float], None]
Origin = Literal["shipped", "cached", "solved", "unkept"]


@overload
def solve(
    rules: Rules, players: Literal[2] = 2, *, fresh: bool = False, progress: Progress | None = None
) -> Solution: ...
@overload
def solve(
    rules: Rules, players: Literal[3, 4, 5, 6, 7, 8], *, fresh: bool = False, progress: Progress | None = None
) -> ManySolution: ...
@overload
def solve(
    rules: Rules, players: int, *, fresh: bool = False, progress: Progress | None = None
) -> Solution | ManySolution: ...
def solve(
    rules: Rules, players: int = 2, *, fresh: bool = False, progress: Progress | None = None
) -> Solution | ManySolution:
    """Return the game of ``rules`` for so many players, solved exactly: ``win`` has the chance of every seat.

    Loaded where it is stored, else solved and kept in the user's cache folder; ``fresh`` solves in any case.
    ``progress`` is told the part that is done, from 0 to 1. Two players give a ``solver.Solution``, more of them a
    ``three.ManySolution``. :func:`find` also tells where a solution came from.

    Raises InvalidRules for a game that cannot be solved exactly, or not in this machine's memory.
    """
    return find(rules, players, fresh=fresh, progress=progress)[0]


def find(
    rules: Rules, players: int = 2, *, fresh: bool = False, progress: Progress | None = None
) -> tuple[Solution | ManySolution, Origin]:
    """Return what :func:`solve` does, and where it came from.

    ``shipped`` with the package; ``cached`` from the user's cache folder; ``solved`` now, and kept there; ``unkept``:
    solved now, but larger than MOST_BYTES, or the folder cannot be written. A stored file that is damaged is solved
    again.
    """
    known = None if fresh else stored(rules, players)
    if known is not None:
        return known
    _check_patience(rules, players)
    solution: Solution | ManySolution
    # Kernels are loaded only where something is to be solved: what is stored is there sooner.
    if players == 2:
        from cinqmille.solver import solve_two

        solution = solve_two(rules, progress=progress)
    else:
        from cinqmille.three import solve_many

        solution = solve_many(rules, players, progress=progress)
    if sum(array.nbytes for _, array, _ in _arrays(solution)) > MOST_BYTES:
        return solution, "unkept"
    try:
        save(solution, cache_path(rules, players))
    except OSError:
        return solution, "unkept"
    return solution, "solved"


def _check_patience(rules: Rules, players: int) -> None:
    most = os.environ.get(MOST_SECONDS, "")
    if most and unsolvable(rules) is None:
        if not re.fullmatch("[0-9]{1,9}", most):
            raise InvalidText("bad_number", name=MOST_SECONDS, value=most, low=0, high=999_999_999)
        seconds = effort_two(rules) if players == 2 else effort(rules, players) * cores()
        if seconds > int(most):
            raise InvalidRules("solving_too_long", rules=rules.canonical, players=players, minutes=ceil(seconds / 60))


def stored(rules: Rules, players: int = 2) -> tuple[Solution | ManySolution, Origin] | None:
    """Return the stored solution and where it is, or None; a damaged or foreign file counts as none."""
    places: tuple[tuple[Origin, bytes | None], ...] = (
        ("shipped", shipped(rules, players)),
        ("cached", _cached(rules, players)),
    )
    for origin, data in places:
        if data is not None:
            try:
                return loads(data, rules, players), origin
            except InvalidText:
                continue
    return None


def at_hand(rules: Rules, players: int) -> ManySolution | None:
    """Return the solved game of three players or more if it is stored, or solved in about a second; else None."""
    if players < 3 or unsolvable_many(rules, players) is not None:
        return None
    known = stored(rules, players)
    if known is None and effort(rules, players) > 1.0:
        return None
    found = known[0] if known is not None else solve(rules, players)
    assert isinstance(found, ManySolution)
    return found


def dumps(solution: Solution | ManySolution, *, exact: bool = True) -> bytes:
    """Return the file of a solution; without ``exact`` the values are rounded to steps of 2**-42 (2.3e-13)."""
    players, mixed = (solution.players, solution.mixed) if isinstance(solution, ManySolution) else (2, ())
    packer = zlib.compressobj(1 if exact else 9)
    described, payload = [], bytearray()
    for name, array, axis in _arrays(solution):
        described.append({"name": name, "shape": array.shape, "axis": axis})
        for block in _packed(array, axis, exact=exact):
            payload += packer.compress(block)
    payload += packer.flush()
    header = {
        "rules": solution.rules.canonical,
        "fingerprint": solution.rules.fingerprint,
        "players": players,
        "kind": "f8" if exact else "steps",
        "arrays": described,
        "residual": solution.residual if exact else solution.residual + _STEP,
        "passes": solution.passes,
        "seconds": round(solution.seconds, 3),
        "mixed": mixed,
    }
    body = json.dumps(header).encode() + b"\n" + payload
    return b"%s %d %s\n" % (_MAGIC, VERSION, hashlib.sha256(body).hexdigest().encode()) + body


def loads(data: bytes, rules: Rules, players: int = 2) -> Solution | ManySolution:
    """Return the solution in ``data``; raise InvalidText when it is damaged, of another version or of another game."""
    first, _, body = data.partition(b"\n")
    match first.split(b" "):
        case [magic, version, _] if magic == _MAGIC and version.isdigit() and int(version) != VERSION:
            raise InvalidText("solution_version", rules=rules.canonical, version=int(version), expected=VERSION)
        case [magic, _, digest] if magic == _MAGIC and hashlib.sha256(body).hexdigest().encode() == digest:
            head, _, payload = body.partition(b"\n")
        case _:
            raise InvalidText("solution_damaged", rules=rules.canonical)
    header: dict[str, Any] = json.loads(head)
    if header["fingerprint"] != rules.fingerprint or header["players"] != players:
        raise InvalidText(
            "solution_foreign", rules=rules.canonical, players=players, found=header["rules"],
            found_players=header["players"],
        )  # fmt: skip
    whole, arrays = memoryview(zlib.decompress(payload)), {}
    for one in header["arrays"]:
        shape = tuple(one["shape"])
        size = 8 * int(np.prod(shape))
        arrays[one["name"]] = _unpacked(whole[:size], shape, one["axis"], exact=header["kind"] == "f8")
        whole = whole[size:]
    how = float(header["residual"]), int(header["passes"])
    values, seconds = arrays["values"], float(header["seconds"])
    try:
        verify_chances(values)
    except ArithmeticError:
        raise InvalidText("solution_damaged", rules=rules.canonical) from None
    if players == 2:
        none = np.zeros((*values.shape[:4], 0, rules.dice + 1))
        return Solution(rules, values, arrays.get("taken", none), *how, seconds)
    mixed = tuple(map(tuple, header["mixed"]))
    return ManySolution(rules, players, values, arrays["last"], arrays["middle"], *how, mixed, seconds)


def _arrays(solution: Solution | ManySolution) -> Iterator[tuple[str, Floats, int]]:
    """The arrays of a solution by name, with the axis along which neighbours differ least."""
    if isinstance(solution, ManySolution):
        yield "values", solution.values, solution.players
        yield "last", solution.last, 2
        yield "middle", solution.middle, 3
    else:
        yield "values", solution.values, 2
        if solution.taken.size:
            yield "taken", solution.taken, 4


def _packed(array: Floats, axis: int, *, exact: bool) -> Iterator[bytes]:
    """The bytes of an array to compress, a block for every index of the first two axes."""
    before: npt.NDArray[np.int64] | None = None
    for block in array.reshape(-1, *array.shape[2:]):
        block = np.ascontiguousarray(block, dtype="<f8")
        whole = block.view("<i8") if exact else np.rint(block / _STEP).astype("<i8")
        change = whole if before is None else whole - before
        before = whole
        change = np.diff(change, axis=axis - 2, prepend=np.int64(0))
        # Small numbers of either sign have zeros in all their high bytes then.
        folded = np.ascontiguousarray((change << 1) ^ (change >> 63))
        yield folded.reshape(-1, 1).view(np.uint8).T.tobytes()


def _unpacked(data: memoryview, shape: tuple[int, ...], axis: int, *, exact: bool) -> Floats:
    """The array that :func:`_packed` packed."""
    array: Floats = np.empty((shape[0] * shape[1], *shape[2:]), dtype="<f8")
    before: npt.NDArray[np.int64] | np.int64 = np.int64(0)
    size = array[0].nbytes
    for number in range(len(array)):
        planes = np.frombuffer(data[number * size : (number + 1) * size], dtype=np.uint8).reshape(8, -1)
        folded = np.ascontiguousarray(planes.T).view("<u8").reshape(shape[2:])
        change = (folded >> np.uint64(1)).view("<i8") ^ -(folded & np.uint64(1)).view("<i8")
        before = before + np.cumsum(change, axis=axis - 2, dtype=np.int64)
        array[number] = before.view("<f8") if exact else before * _STEP
    return array.reshape(shape)


def save(solution: Solution | ManySolution, path: Path, *, exact: bool = True) -> None:
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


def cache_path(rules: Rules, players: int = 2) -> Path:
    """Return the file of the user's cache folder where a solution of ``rules`` is kept."""
    return user_cache_path("cinqmille") / "solutions" / f"{_name(rules, players)}-v{VERSION}.bin"


def stamp(rules: Rules, players: int) -> int:
    """Return a number that changes with the file in the user's cache folder, 0 when there is none."""
    try:
        return cache_path(rules, players).stat().st_mtime_ns
    except OSError:
        return 0


def shipped(rules: Rules, players: int = 2) -> bytes | None:
    """Return the file that the package ships for ``rules``, or None."""
    file = resources.files("cinqmille") / "solved" / f"{_name(rules, players)}.bin"
    return file.read_bytes() if file.is_file() else None


def _cached(rules: Rules, players: int) -> bytes | None:
    try:
        return cache_path(rules, players).read_bytes()
    except OSError:
        return None


def _name(rules: Rules, players: int) -> str:
    return f"{'two' if players == 2 else f'players-{players}'}-{rules.fingerprint}"
