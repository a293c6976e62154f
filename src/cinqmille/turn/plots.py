"""Pictures of one turn, as PNG, SVG or whatever the ending of the file asks for; they need the extra ``plots``.

Each function writes a file and returns its path. The same picture is the same bytes on one machine, and its words are
arguments, so that a door can say them in the reader's language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cinqmille.turn.best import Reach, Turn
from cinqmille.turn.law import TurnLaw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, told apart by all eyes, and a dash for each in case there is no colour.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
_DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True, slots=True)
class Labels:
    """The words in the pictures."""

    points: str = "points of the turn"
    at_risk: str = "points at risk"
    dice: str = "dice to roll next"
    chance: str = "chance"
    at_least: str = "chance to bank at least so many points"
    bust: str = "bust {bust:.1%}"
    best: str = "played for just that"
    bank_from: str = "points from which to bank"
    gain: str = "gain of rolling over banking, points"


def plot_law(
    laws: TurnLaw | Iterable[TurnLaw],
    path: str | Path,
    *,
    up_to: int = 3000,
    title: str = "",
    labels: Labels | None = None,
) -> Path:
    """Draw the chances of a turn's points, for one or several laws; what is above ``up_to`` points is left out."""
    words = labels or Labels()
    with _picture(path, title, words.points, words.chance) as axes:
        shown = [laws] if isinstance(laws, TurnLaw) else list(laws)
        width = 0.8 * min((law.rules.step for law in shown), default=1) / max(1, len(shown))
        for place, law in enumerate(shown):
            inside = law.points <= up_to
            name = f"{law.policy} ({words.bust.format(bust=law.bust)})"
            offset = (place - (len(shown) - 1) / 2) * width
            axes.bar(law.points[inside] + offset, law.chance[inside], width, color=_colour(place), label=name)
        axes.legend(frameon=False)
    return Path(path)


def plot_reach(
    chances: Reach, path: str | Path, *, laws: Iterable[TurnLaw] = (), title: str = "", labels: Labels | None = None
) -> Path:
    """Draw the chances to reach k points, played for just that, and those of other ways to play beside them."""
    words = labels or Labels()
    with _picture(path, title, words.points, words.at_least) as axes:
        axes.step(chances.points, chances.chance, color=_colour(0), label=words.best)
        for place, law in enumerate(laws, start=1):
            reached = [law.at_least(points) for points in chances.points.tolist()]
            axes.step(chances.points, reached, _DASHES[place % len(_DASHES)], color=_colour(place), label=law.policy)
        axes.set_ylim(0.0, 1.0)
        axes.set_xlim(0.0)
        axes.legend(frameon=False)
    return Path(path)


def plot_bank_from(
    turns: Turn | Iterable[Turn], path: str | Path, *, title: str = "", labels: Labels | None = None
) -> Path:
    """Draw from how many points on to bank, by the dice to roll next, for one or several rules; never is no mark."""
    words = labels or Labels()
    shown = [turns] if isinstance(turns, Turn) else list(turns)
    with _picture(path, title, words.dice, words.bank_from) as axes:
        for place, turn in enumerate(shown):
            lines = [line for line in turn.bank_from if line.points is not None]
            dice, points = [line.dice for line in lines], [line.points for line in lines]
            style = "o" + _DASHES[place % len(_DASHES)]
            axes.semilogy(dice, points, style, color=_colour(place), label=turn.rules.canonical)
            for line in lines:
                spot = (line.dice, line.points or 0)
                lift = (0, -14 if place % 2 else 6)
                axes.annotate(
                    str(line.points), spot, lift, textcoords="offset points", ha="center", color=_colour(place)
                )
        axes.set_xticks(range(1, max((turn.rules.dice for turn in shown), default=1) + 1))
        axes.margins(0.08, 0.12)
        axes.yaxis.set_major_formatter("{x:.0f}")
        axes.legend(frameon=False)
    return Path(path)


def plot_gain(
    turn: Turn, path: str | Path, *, up_to: int = 2000, title: str = "", labels: Labels | None = None
) -> Path:
    """Draw what rolling is worth above the points at risk, by those points, a line for each number of dice."""
    words = labels or Labels()
    with _picture(path, title or turn.rules.canonical, words.at_risk, words.gain) as axes:
        points = np.arange(turn.rules.step, up_to + 1, turn.rules.step)
        for place, line in enumerate(turn.bank_from):
            gain = [turn.rolling(at_risk, line.dice) - at_risk for at_risk in points.tolist()]
            dash = _DASHES[place % len(_DASHES)]
            axes.plot(points, gain, dash, color=_colour(place), label=str(line.dice))
        axes.axhline(0.0, color="#444444", linewidth=0.8)
        axes.legend(frameon=False, title=words.dice)
    return Path(path)


def _colour(place: int) -> str:
    return _COLOURS[place % len(_COLOURS)]


@contextmanager
def _picture(path: str | Path, title: str, x: str, y: str) -> Iterator[Axes]:
    """Axes to draw on; the file is written at the end."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            f"cinqmille.turn.plots needs matplotlib ({error}): install it with  pip install 'cinqmille[plots]'",
            name=error.name,
        ) from error
    # In an SVG no ids made by chance, and text that stays text.
    with rc_context({"svg.hashsalt": "cinqmille", "svg.fonttype": "none", "font.size": 9.0}):
        figure = Figure(figsize=(7.0, 4.2), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(title)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        yield axes
        dateless = {"Date": None} if Path(path).suffix.lower() == ".svg" else None
        figure.savefig(path, dpi=150, metadata=dateless)
