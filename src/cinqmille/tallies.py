"""How dice came out against what fair dice do: faces and busts counted, for a seat, a game or many, with two tests.

The faces of ``n`` dice are compared by Pearson's chi-square, ``Σ (count - n/6)² / (n/6)``. With fair dice it follows
the chi-square law with 5 degrees of freedom, whose tail has a closed form,
``P(X ≥ x) = erfc(√(x/2)) + √(2x/π) · exp(-x/2) · (1 + x/3)``.

Every roll is a bust with an exact chance p that depends on its number of dice and on the rules. Busts less the sum of
the p have mean 0 and variance ``Σ p(1-p)`` whatever players decide, and divided by its root follow nearly the
normal law. Both laws are approximations, so that a test answers None where there is too little to go by.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import erfc, exp, pi, sqrt

from cinqmille.record import Game
from cinqmille.story import Told, story

FEWEST_DICE = 30  # five of each face to be expected, as the usual rule of thumb asks
LEAST_VARIANCE = 3.0  # of the number of busts; some 25 rolls of a usual game


@dataclass(frozen=True, slots=True)
class Tally:
    """Dice as they came out; tallies add up, ``Tally()`` is nothing.

    ``faces`` counts the 1s, 2s, … of all dice thrown. ``expected`` is the sum of the chances of a bust over all rolls,
    ``variance`` that of p(1-p). Probabilities are from 0 to 1; chance at most 1 of something at least as odd.
    """

    faces: tuple[int, ...] = (0,) * 6
    rolls: int = 0
    busts: int = 0
    expected: float = 0.0
    variance: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        """Return both together."""
        return Tally(
            tuple(one + more for one, more in zip(self.faces, other.faces, strict=True)),
            self.rolls + other.rolls,
            self.busts + other.busts,
            self.expected + other.expected,
            self.variance + other.variance,
        )

    @property
    def dice(self) -> int:
        """How many dice were thrown."""
        return sum(self.faces)

    @property
    def chi_square(self) -> float:
        """How unevenly the faces came, 5 on average with fair dice; 0.0 without dice."""
        each = self.dice / 6
        return sum((count - each) ** 2 for count in self.faces) / each if each else 0.0

    @property
    def faces_chance(self) -> float | None:
        """The chance (p-value) that fair dice come at least as unevenly; None below :data:`FEWEST_DICE` dice."""
        return chi_square_tail(self.chi_square) if self.dice >= FEWEST_DICE else None

    @property
    def busts_z(self) -> float | None:
        """Busts beyond those expected, in standard deviations; None below :data:`LEAST_VARIANCE`."""
        return (self.busts - self.expected) / sqrt(self.variance) if self.variance >= LEAST_VARIANCE else None

    @property
    def busts_chance(self) -> float | None:
        """The chance (two-sided p-value) that fair dice bust at least as far from what is expected, or None."""
        return None if self.busts_z is None else erfc(abs(self.busts_z) / sqrt(2))


def chi_square_tail(x: float) -> float:
    """Return the chance that a chi-square variable with 5 degrees of freedom is at least ``x``."""
    return min(1.0, erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3))


def of_player(one: Told) -> Tally:
    """Return the dice of one player, as the story of a game tells them."""
    return Tally(tuple(one.faces), one.rolls, one.busts, one.busts_expected, one.busts_variance)


def by_seat(game: Game) -> tuple[Tally, ...]:
    """Return the dice of every seat so far; turns typed as their points have none."""
    return tuple(map(of_player, story(game).players))


def together(tallies: Iterable[Tally]) -> Tally:
    """Return several tallies as one: of all seats, or of many games."""
    return sum(tallies, Tally())
