"""Plain text as a terminal shows it: streams that never fail on a letter, widths in cells, wrapped lines, columns.

Everything is the standard library's best: combining marks take no cell, wide letters two. Lines break at plain
spaces only, never at the no-break space that French writes before two-part punctuation.
"""

from __future__ import annotations

import codecs
import io
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import TextIO

# What the decomposition of Unicode does not make plain.
_PLAIN = {
    "’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-", "−": "-", "×": "x", "·": "-",
    "…": ".", "→": ">", "œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE",
}  # fmt: skip

_JOINER = "\u200d"


def usable(stream: TextIO | None, *, reading: bool = False) -> TextIO:
    """Return ``stream`` so that no letter makes it fail.

    An output shows plainly what it cannot show (``é`` as ``e``), an input reads what it cannot decode as ``�``. A
    stream that was closed (None) is replaced by an empty one.
    """
    if stream is None:
        return io.StringIO()
    if isinstance(stream, io.TextIOWrapper):
        codecs.register_error("cinqmille.plain", _plainly)
        stream.reconfigure(errors="replace" if reading else "cinqmille.plain")
    return stream


def _plainly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_plain(letter) for letter in error.object[error.start : error.end]), error.end


def _plain(letter: str) -> str:
    if letter in _PLAIN:
        return _PLAIN[letter]
    return unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode() or "?"


def printable(text: str) -> str:
    """Return ``text`` with nothing in it that steers a terminal; line breaks stay."""
    return "".join(
        letter if letter in ("\n", _JOINER) or unicodedata.category(letter)[0] != "C" else "\ufffd" for letter in text
    )


def cells(text: str) -> int:
    """Return how many columns of a terminal ``text`` takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


@cache
def _cells(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def fitted(text: str, size: int, *, right: bool = False) -> str:
    """Return ``text`` in exactly ``size`` cells: cut with ``…`` or filled up with spaces."""
    text = shortened(text, size)
    space = " " * (size - cells(text))
    return space + text if right else text + space


def shortened(text: str, most: int) -> str:
    """Return ``text`` in at most ``most`` cells, cut with ``…`` where it is longer."""
    if cells(text) <= most:
        return text
    kept, used = "", 1
    for letter in text:
        used += _cells(letter)
        if used > most:
            break
        kept += letter
    return kept + "…"


def wrapped(text: str, width: int, indent: str = "") -> str:
    """Return ``text`` in lines of at most ``width`` cells, all but the first indented; longer words are cut up."""
    return "\n".join(line for paragraph in text.split("\n") for line in _lines(paragraph, width, indent))


def _lines(paragraph: str, width: int, indent: str) -> Iterable[str]:
    stripped = paragraph.lstrip(" ")
    line = paragraph[: len(paragraph) - len(stripped)]
    empty = True
    for word in stripped.split(" "):
        if not empty and cells(line) + 1 + cells(word) > width:
            yield line.rstrip(" ")
            line, empty = indent, True
        line += word if empty else f" {word}"
        empty = False
        while cells(line) > width:
            head = _head(line, width)
            yield head
            line = indent + line[len(head) :]
    yield line.rstrip(" ")


def _head(text: str, width: int) -> str:
    used = 0
    for place, letter in enumerate(text):
        used += _cells(letter)
        if used > width:
            return text[:place]
    return text


def columns(rows: Sequence[Sequence[str]], *, right: Collection[int] = (), gap: str = "  ") -> list[str]:
    """Return rows of cells as aligned lines; the columns in ``right`` stand to the right."""
    sizes = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [
        gap.join(
            fitted(cell, size, right=place in right) for place, (cell, size) in enumerate(zip(row, sizes, strict=True))
        ).rstrip(" ")
        for row in rows
    ]
