"""Cycles of states in which no choice is stable: with three players and more, best play may have to be mixed.

In a few states a player is torn between two plans, and whichever is chosen changes the others' plans so that the other
one would have been better. Then the plan has to be drawn by lot, with a chance that leaves the others' answers as they
are, and both plans are worth exactly the same to who draws. :func:`equilibrium` finds such a mixture among plans that
were best at some time; the solver then asks a sweep whether a plan it has not seen is better, and goes on until there
is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from cinqmille.tables import Floats

_CERTAIN = 1e-12


@dataclass(frozen=True, slots=True)
class Plan:
    """One way to play a turn: the chance that it passes, and what every player has of it otherwise."""

    passes: float
    chances: tuple[float, ...]

    def same_as(self, other: Plan) -> bool:
        """Whether the two cannot be told apart."""
        ours, theirs = (self.passes, *self.chances), (other.passes, *other.chances)
        return max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) < _CERTAIN

    def turned(self, seats: int) -> Plan:
        """The same plan played by somebody so many seats further on."""
        players = len(self.chances)
        return Plan(self.passes, tuple(self.chances[(c - seats) % players] for c in range(players)))


def plans(channels: Floats, F: Floats) -> list[Plan]:
    """Return the plan of every turn of a cycle from what a sweep found: ``channels[turn, channel]``, ``F[turn]``."""
    players = F.size
    found = []
    for turn in range(players):
        own, passes, *others = channels[turn].tolist()
        chances = [own - passes * float(F[turn]), *others]
        chances.append(1.0 - passes - sum(chances))
        found.append(Plan(passes, tuple(chances[(c - turn) % players] for c in range(players))))
    return found


def values(cycle: Sequence[Plan]) -> Floats:
    """Return ``P[turn, player]`` where every turn is played by its plan, and a pass leads to the next."""
    players = len(cycle)
    K = np.array([plan.chances for plan in cycle])
    q = np.array([plan.passes for plan in cycle])
    P = np.zeros((players, players))
    for turn in range(players - 1, -1, -1):
        P[0] = K[turn] + q[turn] * P[0]
    P[0] /= 1.0 - q.prod()
    for turn in range(players - 1, 0, -1):
        P[turn] = K[turn] + q[turn] * P[(turn + 1) % players]
    return P


def equilibrium(known: Sequence[Sequence[Plan]], players: int) -> tuple[Floats, bool] | None:
    """Return ``P[turn, player]`` in which no plan of ``known[turn]`` is better than those played, and whether some are
    mixed.

    None if none was found. Pure plans come first, then mixtures of two for as few players as possible. A cycle that
    repeats itself has fewer turns ``known`` than players, and is played alike in each repetition.
    """
    counts = [len(choice) for choice in known]
    period = len(known)
    known = [[plan.turned(t - t % period) for plan in known[t % period]] for t in range(players)]
    for supports in sorted(_supports(counts), key=lambda s: sum(map(len, s))):
        found = _solved(known, supports)
        if found is not None and _stable(known, found):
            return found, any(len(support) > 1 for support in supports)
    return None


def _supports(counts: Sequence[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    choices = [[*((k,) for k in range(n)), *combinations(range(n), 2)] for n in counts]
    yield from product(*choices)


def _solved(known: Sequence[Sequence[Plan]], supports: Sequence[tuple[int, ...]]) -> Floats | None:
    """The values with these plans, mixed so that the two of a turn are equally good for who plays it."""
    period = len(supports)
    mixers = [turn for turn, support in enumerate(supports) if len(support) == 2]

    def played(shares: Floats) -> Floats:
        cycle = []
        for turn, choice in enumerate(known):
            support = supports[turn % period]
            plan = choice[support[0]]
            if len(support) == 2:
                plan = _mixed(plan, choice[support[1]], float(shares[mixers.index(turn % period)]))
            cycle.append(plan)
        return values(cycle)

    def gaps(shares: Floats) -> Floats:
        P = played(shares)
        return np.array(
            [_worth(known[t][supports[t][0]], P, t) - _worth(known[t][supports[t][1]], P, t) for t in mixers]
        )

    shares = np.full(len(mixers), 0.5)
    for _ in range(50 if mixers else 0):
        gap = gaps(shares)
        slope = np.empty((len(mixers), len(mixers)))
        for i in range(len(mixers)):
            step = np.zeros(len(mixers))
            step[i] = 1e-4
            slope[:, i] = (gaps(shares + step) - gaps(shares - step)) / 2e-4
        if abs(np.linalg.det(slope)) < 1e-200:
            return None
        change = np.linalg.solve(slope, gap)
        shares = shares - change
        if not (np.abs(shares) < 10).all():
            return None
        if np.abs(change).max() < 1e-11:
            break
    if ((shares < 0.0) | (shares > 1.0)).any() or (mixers and np.abs(gaps(shares)).max() > _CERTAIN):
        return None
    return played(shares)


def _mixed(one: Plan, other: Plan, share: float) -> Plan:
    chances = (share * a + (1.0 - share) * b for a, b in zip(one.chances, other.chances, strict=True))
    return Plan(share * one.passes + (1.0 - share) * other.passes, tuple(chances))


def _worth(plan: Plan, P: Floats, turn: int) -> float:
    """What a plan is worth to its player where everything after a pass is worth ``P``."""
    return plan.chances[turn] + plan.passes * float(P[(turn + 1) % len(P), turn])


def _stable(known: Sequence[Sequence[Plan]], P: Floats) -> bool:
    return all(
        _worth(plan, P, turn) <= P[turn, turn] + _CERTAIN for turn, choice in enumerate(known) for plan in choice
    )
