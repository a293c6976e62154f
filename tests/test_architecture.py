"""The package is a house of five floors, and imports only go down: every import is read.

A module may import from lower floors and from earlier modules of its own floor. A new module must be given
its place in ``FLOORS``, and a new third-party package its owners in ``OWNERS``, or a test fails and names it.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "cinqmille"

FLOORS = (
    (
        "errors",
        "patterns",
        "playable",
        "rules",
        "scoring",
        "actions",
        "position",
        "situation",
        "exchange",
        "game",
        "record",
        "odds",
    ),
    (
        "compiling",
        "tables",
        "solvable",
        "_kernels",
        "_sim_kernels",
        "_three_kernels",
        "_advice_kernels",
        "straight",
        "solver",
        "turnbook",
        "turns",
        "cycles",
        "lastturns",
        "three",
        "solutions",
        "turn",
        "paces",
        "outlook",
        "advice",
    ),
    ("experts", "bots", "policies", "reports", "simulation"),
    (
        "fair",
        "dice",
        "plaintext",
        "words",
        "reasons",
        "counsel",
        "combinations",
        "sheet",
        "told",
        "story",
        "tallies",
        "attested",
        "table",
        "seating",
        "online",
        "store",
    ),
)
DOORS = ("cli", "terminal", "web", "env")

# The public names of floors 0 to 3, and `python -m cinqmille`, stand between and above them.
ORDER = {name: rank for rank, name in enumerate([*(m for floor in FLOORS for m in floor), "__init__"])}
DOOR_RANK = len(ORDER)
ORDER |= dict.fromkeys(DOORS, DOOR_RANK) | {"__main__": DOOR_RANK + 1}

# What the command starts, it imports inside the function that starts it.
OPENED_BY_CLI = {"terminal", "web"}

# Compiled loops take arrays and numbers; each file is cached by its own text, so none may depend on another.
COMPILED = {"_kernels", "_sim_kernels", "_three_kernels", "_advice_kernels"}
IMPORTS_NOTHING_OF_OURS = COMPILED

OWNERS: dict[str, set[str]] = {
    "attrs": {"cli"},
    "cyclopts": {"cli"},
    "platformdirs": {"compiling", "solutions", "store", "straight", "terminal"},
    "rich": {"cli", "terminal"},
    "dask": {"simulation"},
    "gymnasium": {"env"},
    "matplotlib": {"turn"},
    "pettingzoo": {"env"},
    "numba": COMPILED | {"compiling"},
    "llvmlite": COMPILED,
    "numpy": {*FLOORS[1], *FLOORS[2], "env"},
    "sqlalchemy": {"store"},
    "alembic": {"store"},
    "psycopg": {"store"},
    "anyio": {"web"},
    "fastapi": {"web"},
    "pydantic": {"web"},
    "starlette": {"web"},
    "jinja2": {"web"},
    "markupsafe": {"web"},
    "uvicorn": {"web"},
    "h11": {"web"},
    "prometheus_client": {"web"},
    "segno": {"web"},
}

# Floor 0 has no clock, no chance, no threads and no C: dice are arguments, and it can run in a browser.
NOT_ON_FLOOR_0 = {
    *("random", "secrets", "uuid", "time", "datetime"),
    *("threading", "_thread", "concurrent", "multiprocessing", "asyncio", "ctypes", "socket", "subprocess"),
}

LONGEST = 600
MAY_BE_LONGER = COMPILED
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b|NotImplementedError")


@dataclass(frozen=True)
class Import:
    """One import: the dotted name, its line, and whether it happens only when a function is called."""

    name: str
    line: int
    lazy: bool


def imports(tree: ast.AST, package: str, *, lazy: bool = False) -> Iterator[Import]:
    """Every import below ``tree``, relative ones resolved in ``package``, `import_module("...")` included."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(alias.name, node.lineno, lazy)
            case ast.ImportFrom(module=module, names=names, level=level):
                parts = package.split(".")[: 1 - level or None] if level else []
                origin = ".".join([*parts, *([module] if module else [])])
                modules = [alias.name for alias in names if origin == "cinqmille" and alias.name in ORDER]
                for name in modules:
                    yield Import(f"{origin}.{name}", node.lineno, lazy)
                if len(modules) < len(names):
                    yield Import(origin, node.lineno, lazy)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield Import(f"{package}{name}" if name.startswith(".") else name, node.lineno, lazy)
            case _:
                pass
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from imports(node, package, lazy=lazy or inside)


def objection(place: str, found: Import) -> str | None:
    """Why the module ``place`` may not have this import, or None."""
    top, _, rest = found.name.partition(".")
    if top == "cinqmille":
        target = rest.partition(".")[0] or "__init__"
        if target not in ORDER:
            return f"{target} has no place in FLOORS or DOORS"
        if target == place:
            return None
        if place in IMPORTS_NOTHING_OF_OURS:
            return "imports nothing of the package"
        if place == "cli" and target in OPENED_BY_CLI:
            return None if found.lazy else "the command imports another door only inside a function"
        if ORDER[target] == ORDER[place]:
            return "doors do not import each other"
        return None if ORDER[target] < ORDER[place] else "imports point down"
    if top in sys.stdlib_module_names:
        banned = place in FLOORS[0] and top in NOT_ON_FLOOR_0
        return "floor 0 has no clock, no chance, no threads and no C" if banned else None
    if place in FLOORS[0]:
        return "floor 0 imports the standard library only"
    if top not in OWNERS:
        return "a third-party package needs an owner in OWNERS"
    return None if place in OWNERS[top] else f"belongs to {', '.join(sorted(OWNERS[top]))}"


def place_of(path: Path) -> str:
    """The module, or the folder, directly below the package that a file belongs to."""
    first = path.relative_to(SRC).parts[0]
    return first.removesuffix(".py")


def complaints(place: str, source: str, package: str = "cinqmille") -> list[str]:
    """What is wrong with one module, a line each."""
    if place not in ORDER:
        return [f"{place}: has no place in FLOORS or DOORS"]
    tree = ast.parse(source)
    found = []
    if not ast.get_docstring(tree):
        found.append(f"{place}: has no docstring saying why it exists")
    length = len(source.splitlines())
    if length > LONGEST and place not in MAY_BE_LONGER:
        found.append(f"{place}: has {length} lines; split it by meaning ({LONGEST} at most)")
    for one in imports(tree, package):
        if reason := objection(place, one):
            found.append(f"{place}:{one.line} imports {one.name}: {reason}")
    return found


def test_every_module_keeps_to_its_floor() -> None:
    found = []
    for path in sorted(SRC.rglob("*.py")):
        package = ".".join(["cinqmille", *path.relative_to(SRC).parts[:-1]])
        found += complaints(place_of(path), path.read_text(encoding="utf-8"), package)
    assert not found, "\n".join(found)


def test_nothing_is_left_unfinished() -> None:
    found = []
    for path in sorted(SRC.rglob("*")):
        if path.suffix in {".mo", ".bin", ".png"} or path.parent.name == "__pycache__" or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if UNFINISHED.search(line):
                found.append(f"{path.relative_to(SRC)}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("place", "statement", "expected"),
    [
        ("game", "from cinqmille.record import dump", "imports point down"),
        ("game", "from .record import dump", "imports point down"),
        ("game", "from . import record", "imports point down"),
        ("game", "from cinqmille import odds", "imports point down"),
        ("game", "from cinqmille import keeps", "imports point down"),
        ("game", "import cinqmille", "imports point down"),
        ("game", "def f():\n    import cinqmille.solver", "imports point down"),
        ("game", "import importlib\nimportlib.import_module('cinqmille.bots')", "imports point down"),
        ("game", "import importlib as i\ni.import_module('.bots', 'cinqmille')", "imports point down"),
        ("game", "from cinqmille.stray import nothing", "stray has no place"),
        ("rules", "import random", "floor 0 has no"),
        ("odds", "from concurrent.futures import Executor", "floor 0 has no"),
        ("rules", "import rich", "floor 0 imports"),
        ("_kernels", "from cinqmille.errors import IllegalAction", "imports nothing"),
        ("solver", "import numba", "belongs to _advice_kernels"),
        ("words", "import numpy.typing as npt", "belongs to _advice_kernels"),
        ("table", "import sqlalchemy.ext.asyncio", "belongs to store"),
        ("bots", "import requests", "needs an owner"),
        ("web", "from ..terminal import play", "doors do not"),
        ("terminal", "def f():\n    from cinqmille import cli", "doors do not"),
        ("cli", "from cinqmille.terminal import play", "only inside a function"),
        ("cli", "class A:\n    from cinqmille.terminal import play", "only inside a function"),
        ("cli", "def f():\n    import cinqmille.env", "doors do not"),
        ("__init__", "from cinqmille.cli import main", "imports point down"),
    ],
)
def test_a_wrong_import_is_found(place: str, statement: str, expected: str) -> None:
    package = "cinqmille.web" if place == "web" else "cinqmille"
    (found,) = complaints(place, f'"""Why."""\n{statement}\n', package)
    assert expected in found


@pytest.mark.parametrize(
    ("place", "statement"),
    [
        ("game", "import json\nfrom cinqmille.scoring import keeps\nfrom . import rules"),
        ("solver", "import numpy as np\nimport time\nfrom cinqmille import _kernels, tables"),
        ("cli", "import cyclopts\ndef f():\n    from cinqmille.terminal import play\n    from . import web"),
        ("terminal", "from cinqmille import keeps\nfrom cinqmille.table import Table"),
        ("web", "from . import pages\nfrom .pages import form\nfrom ..store import load"),
        ("__init__", "from cinqmille.rules import Rules\nfrom cinqmille.solver import solve"),
        ("__main__", "from cinqmille.cli import main"),
    ],
)
def test_a_right_import_is_allowed(place: str, statement: str) -> None:
    package = "cinqmille.web" if place == "web" else "cinqmille"
    assert complaints(place, f'"""Why."""\n{statement}\n', package) == []


def test_other_faults_are_found() -> None:
    assert complaints("stray", '"""Why."""') == ["stray: has no place in FLOORS or DOORS"]
    assert complaints("game", "import json") == ["game: has no docstring saying why it exists"]
    assert "601 lines" in complaints("game", '"""Why."""\n' * 601)[0]
    assert complaints("_kernels", '"""Why."""\n' * 601) == []
