"""Importing is light: the package loads the standard library only, the doors of the terminal no numbers."""

import importlib.util
import subprocess
import sys

import pytest

import cinqmille

HEAVY = {"numpy", "numba", "llvmlite", "sqlalchemy"}


def packages_loaded_by(statement: str) -> set[str]:
    """The top-level names of all modules that a fresh interpreter loads for one statement."""
    script = f"import sys; old = set(sys.modules); {statement}; print(*set(sys.modules) - old)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True, timeout=60)
    return {module.partition(".")[0] for module in loaded.split()}


def test_the_package_alone_loads_only_the_standard_library() -> None:
    assert packages_loaded_by("import cinqmille") - sys.stdlib_module_names == {"cinqmille"}


@pytest.mark.parametrize("module", ["cinqmille.terminal", "cinqmille.cli"])
def test_the_doors_of_the_terminal_load_no_numbers(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"there is no {module}")
    assert not packages_loaded_by(f"import {module}") & HEAVY


@pytest.mark.parametrize("name", cinqmille.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(cinqmille, name) is not None


def test_public_names_are_listed_once() -> None:
    assert len(set(cinqmille.__all__)) == len(cinqmille.__all__)


def test_what_computes_is_loaded_when_it_is_used_and_not_before() -> None:
    assert packages_loaded_by("from cinqmille import Rules, start") & HEAVY == set()
    assert "numpy" in packages_loaded_by("from cinqmille import advise, simulate, solve")
    assert {"advise", "simulate", "solve"} <= set(dir(cinqmille))


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(AttributeError, match="'cinqmille' has no attribute 'solv'"):
        cinqmille.solv  # noqa: B018


def test_a_stored_solution_is_read_without_compiled_code() -> None:
    loaded = packages_loaded_by("from cinqmille import PRESETS, solve; solve(PRESETS['cinq-des']).win")
    assert "numpy" in loaded
    assert not loaded & {"numba", "llvmlite"}
