"""Charts as SVG, drawn from numbers: lines of totals and bars of chances. Every chart stands beside a table of the same
numbers, so that it is a picture and no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 300
# Bars are as wide as a small phone, so that their text is not made smaller there.
_BARS_WIDTH, _BAR, _GAP = 340, 20, 6
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 30
# Told apart without colour, too: each line has its own dashes and its own mark at the end.
_DASHES = ("", "8 4", "2 4", "12 4 2 4", "6 2", "1 3", "10 6", "4 8")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart: its name, the class that colours it, its dashes, its points in the picture, and its end."""

    name: str
    css: str
    dashes: str
    points: str
    end: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis: where, and what it says."""

    at: float
    value: int


@dataclass(frozen=True, slots=True)
class Lines:
    """A chart of lines."""

    lines: tuple[Line, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    left: float = _LEFT
    right: float = WIDTH - _RIGHT
    bottom: float = HEIGHT - _BOTTOM
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: where it begins and how long it is, what stands before it and after it."""

    y: int
    length: float
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Bars:
    """A chart of bars that lie below each other; they begin at ``left``."""

    bars: tuple[Bar, ...]
    left: int
    height: int
    bar: int = _BAR
    width: int = _BARS_WIDTH


def bars(named: Sequence[tuple[str, float, str]]) -> Bars:
    """Return the chart of (label, value, text), values from 0; the longest bar is the largest value."""
    # Digits and letters of the text are about so wide, in the units of the picture.
    left = 10 + 7 * max((len(label) for label, _, _ in named), default=0)
    room = _BARS_WIDTH - left - 12 - 7 * max((len(text) for _, _, text in named), default=0)
    most = max((value for _, value, _ in named), default=0) or 1
    drawn = (
        Bar(_GAP + place * (_BAR + _GAP), round(room * value / most, 1), label, text)
        for place, (label, value, text) in enumerate(named)
    )
    return Bars(tuple(drawn), left, _GAP + len(named) * (_BAR + _GAP))


def lines(named: Sequence[tuple[str, Sequence[tuple[float, float]]]], *, top: float) -> Lines:
    """Return the chart of named series of (x, y); ``top`` is a value that must be in it."""
    most_x = max((x for _, points in named for x, _ in points), default=1) or 1
    most_y = max(top, *(y for _, points in named for _, y in points))
    least_y = min(0.0, *(y for _, points in named for _, y in points))

    def across(x: float) -> float:
        return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * x / most_x, 1)

    def up(y: float) -> float:
        return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * (y - least_y) / (most_y - least_y), 1)

    drawn = []
    for place, (name, points) in enumerate(named):
        text = " ".join(f"{across(x)},{up(y)}" for x, y in points)
        end = points[-1] if points else (0.0, 0.0)
        drawn.append(Line(name, f"series-{place + 1}", _DASHES[place], text, (across(end[0]), up(end[1]))))
    return Lines(
        tuple(drawn),
        tuple(Tick(across(x), round(x)) for x in _steps(0, most_x)),
        tuple(Tick(up(y), round(y)) for y in _steps(least_y, most_y)),
    )


def _steps(low: float, high: float) -> list[float]:
    """Round numbers from ``low`` to ``high``, five or so."""
    size = 1.0
    while (high - low) / size > 6:
        size *= 2.5 if str(size)[0] == "2" else 2
    first = -(-low // size)
    return [size * number for number in range(int(first), int(high // size) + 1)]
