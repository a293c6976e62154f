"""How the command prints its answers: text as wide as reads well, or one JSON object."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from cinqmille import plaintext
from cinqmille.plaintext import cells, fitted, printable

WIDEST, NARROWEST = 100, 20
GAP = "  "

Data = dict[str, object]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found: made into data or into text, whichever is asked for."""

    data: Callable[[], Data]
    text: Callable[[], str]


def print_json(data: Mapping[str, object], stream: TextIO) -> None:
    """Print one JSON object on a line, its letters escaped where ``stream`` is not UTF-8."""
    unicode = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "") == "utf8"
    print(json.dumps(data, ensure_ascii=not unicode), file=stream)


def print_text(text: str, stream: TextIO) -> None:
    """Print text; what it quotes from a file cannot steer the terminal."""
    print(printable(text), file=stream)


def print_file(text: str, stream: TextIO) -> None:
    """Print what will be a file: UTF-8 whatever the locale, unless it goes to a terminal."""
    if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
        stream.flush()
        stream.buffer.write(text.encode("utf-8", "replace"))
    else:
        stream.write(text)


def silence() -> None:
    """Let nothing more be written to a standard output that nobody reads, the interpreter's last flush included."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def width() -> int:
    """Return how wide lines may be: as the terminal, up to what reads well."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))


def wrapped(text: str, indent: str = "") -> str:
    """Return a paragraph in lines, all but the first indented."""
    return plaintext.wrapped(text, width(), indent)


def columns(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """Return rows of cells in aligned columns, a little indented; those of ``right`` stand right.

    The last column is wrapped, and stands below the others where there is no room for it beside them.
    """
    sizes = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    start = len(GAP) + sum(size + len(GAP) for size in sizes[:-1])
    beside = start + min(NARROWEST, sizes[-1]) <= width()
    lines = []
    for row in rows:
        *firsts, last = (fitted(cell, sizes[place], right=place in right) for place, cell in enumerate(row))
        front = "".join(GAP + cell for cell in firsts) + GAP
        if beside:
            lines.append(wrapped((front + last).rstrip(" "), " " * start))
        else:
            lines += [front.rstrip(" "), wrapped(GAP * 2 + last.strip(" "), GAP * 2)]
    return "\n".join(lines)
