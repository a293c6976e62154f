"""What simulated games came to: tallies that add up, and reports with 95 % intervals that people and programs read.

A tally is whole numbers only, so that it is the same in whatever order its parts were added; wins are counted in
parts of a whole that 1 to 8 winners share evenly.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from cinqmille import _sim_kernels as kernels
from cinqmille.rules import Rules
from cinqmille.tables import Ints

OPENING_TURNS = 32
ROUNDS = 256


class Tally(NamedTuple):
    """What games came to, in whole numbers; ``endless`` is a game that was given up, or -1."""

    totals: Ints
    opening: Ints
    rounds: Ints
    seat_wins: Ints
    endless: int = -1

    def plus(self, other: Tally) -> Tally:
        """Return both together."""
        totals = self.totals + other.totals
        totals[:, kernels.BEST] = np.maximum(self.totals[:, kernels.BEST], other.totals[:, kernels.BEST])
        return Tally(
            totals, self.opening + other.opening, self.rounds + other.rounds, self.seat_wins + other.seat_wins,
            max(self.endless, other.endless),
        )  # fmt: skip


def empty_tally(players: int) -> Tally:
    """Return the tally of no games."""
    shapes = (players, kernels.COLUMNS), (players, OPENING_TURNS), (ROUNDS,), (players,)
    totals, opening, rounds, seat_wins = (np.zeros(shape, dtype=np.int64) for shape in shapes)
    return Tally(totals, opening, rounds, seat_wins)


@dataclass(frozen=True, slots=True)
class BotReport:
    """How one bot did, whatever its seat.

    ``interval`` is the 95 % Wilson interval of ``win_rate``; ``at_once`` counts wins by a roll that wins.
    ``mean_turns`` are its turns a game, ``mean_points`` what a turn added to its score (points that a last leg
    cut off are left out), ``passes`` turns that passed an exact target, ``hot_dice`` how often all dice were set
    aside, ``lost`` the points that falls took, ``best_turn`` the most points banked in one turn. ``opened`` counts
    the games in which it got on the board, on average in its turn ``opening_turn``; ``opening[k]`` counts those
    in which that was turn k + 1 (the last entry of 32: or later).
    """

    bot: str
    wins: float
    win_rate: float
    interval: tuple[float, float]
    at_once: int
    turns: int
    mean_turns: float
    mean_points: float
    busts: int
    passes: int
    hot_dice: int
    best_turn: int
    lost: int
    opened: int
    opening_turn: float | None
    opening: tuple[int, ...]

    def to_row(self) -> dict[str, object]:
        """Return the fields by name as a line of a table has them: the interval as two, the distribution left out."""
        row = asdict(self)
        low, high = row.pop("interval")
        del row["opening"]
        return {**row, "low": low, "high": high}


@dataclass(frozen=True, slots=True)
class SeatReport:
    """How often the player of one seat won, whichever bot that was."""

    wins: float
    win_rate: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Report:
    """What games number ``first`` to ``first + games`` under ``seed`` came to.

    ``rounds[k]`` counts the games that took k + 1 rounds (the last entry of 256: or more). ``seconds`` and ``engine``
    (``kernel`` or ``core``) say how it was found and do not count when reports are compared.
    """

    rules: str
    fingerprint: str
    bots: tuple[BotReport, ...]
    seats: tuple[SeatReport, ...]
    games: int
    seed: int
    first: int
    rotate: bool
    turns: int
    rounds: tuple[int, ...]
    seconds: float = field(compare=False)
    engine: str = field(compare=False)

    def to_json(self) -> dict[str, object]:
        """Return the fields by name, as JSON has them."""
        return asdict(self)

    def to_csv(self) -> str:
        """Return one line a bot under a line of names; distributions are left out."""
        run = {"rules": self.rules, "games": self.games, "seed": self.seed}
        return _csv([{**run, **one.to_row()} for one in self.bots])


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's wins over all its games of a tournament; the interval is the 95 % Wilson interval."""

    bot: str
    games: int
    wins: float
    win_rate: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Tournament:
    """Every bot against every other: one report a pair, in the order (1, 2), (1, 3), ..., (2, 3), ..."""

    rules: str
    fingerprint: str
    bots: tuple[str, ...]
    matches: tuple[Report, ...]
    games_per_pair: int
    seed: int
    rotate: bool
    seconds: float = field(compare=False)

    @property
    def win_rates(self) -> tuple[tuple[float | None, ...], ...]:
        """How often the bot of the row beats the bot of the column; None on the diagonal."""
        count = len(self.bots)
        rates: list[list[float | None]] = [[None] * count for _ in range(count)]
        for (a, b), match in zip(combinations(range(count), 2), self.matches, strict=True):
            rates[a][b], rates[b][a] = (one.win_rate for one in match.bots)
        return tuple(map(tuple, rates))

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The bots, most wins first."""
        games = self.games_per_pair * (len(self.bots) - 1)
        wins = [0.0] * len(self.bots)
        for pair, match in zip(combinations(range(len(self.bots)), 2), self.matches, strict=True):
            for place, one in zip(pair, match.bots, strict=True):
                wins[place] += one.wins
        table = [
            Standing(name, games, won, won / games, wilson(won, games))
            for name, won in zip(self.bots, wins, strict=True)
        ]
        return tuple(sorted(table, key=lambda standing: -standing.wins))

    def to_json(self) -> dict[str, object]:
        """Return the table, the standings and every match by name, as JSON has them."""
        return {**asdict(self), "win_rates": self.win_rates, "standings": [asdict(one) for one in self.standings]}

    def to_csv(self) -> str:
        """Return the table of win rates, a line a bot; a bot does not meet itself."""
        # A bot may take part twice: numbers keep the columns apart.
        names = [f"{place} {name}" for place, name in enumerate(self.bots, 1)]
        rows = zip(names, self.win_rates, strict=True)
        return _csv([{"bot": name, **dict(zip(names, rates, strict=True))} for name, rates in rows])


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a rate; shared wins make it a little too wide."""
    z = 1.959963984540054
    rate = wins / games
    middle = rate + z * z / (2 * games)
    half = z * (rate * (1 - rate) / games + z * z / (4 * games * games)) ** 0.5
    whole = 1 + z * z / games
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def report(rules: Rules, names: Sequence[str], tally: Tally, *, games: int, **run: Any) -> Report:
    """Return the report of a tally; ``run`` are the fields that say how it came about."""
    bots = tuple(
        _bot_report(rules, name, row, opening, games)
        for name, row, opening in zip(names, tally.totals.tolist(), tally.opening.tolist(), strict=True)
    )
    seats = tuple(SeatReport(*_rate(parts, games)) for parts in tally.seat_wins.tolist())
    turns, rounds = sum(one.turns for one in bots), _trimmed(tally.rounds.tolist())
    return Report(rules.canonical, rules.fingerprint, bots, seats, games, turns=turns, rounds=rounds, **run)


def _bot_report(rules: Rules, name: str, row: list[int], opening: list[int], games: int) -> BotReport:
    step, turns, opened = rules.step, row[kernels.TURNS], row[kernels.OPENED]
    gained = (row[kernels.FINAL] + row[kernels.LOST]) * step
    return BotReport(
        name,
        *_rate(row[kernels.WINS], games),
        at_once=row[kernels.AT_ONCE],
        turns=turns,
        mean_turns=turns / games,
        mean_points=gained / turns if turns else 0.0,
        busts=row[kernels.BUSTS],
        passes=row[kernels.PASSES],
        hot_dice=row[kernels.HOT],
        best_turn=row[kernels.BEST] * step,
        lost=row[kernels.LOST] * step,
        opened=opened,
        opening_turn=row[kernels.OPENING] / opened if opened else None,
        opening=_trimmed(opening),
    )


def _rate(parts: int, games: int) -> tuple[float, float, tuple[float, float]]:
    wins = parts / kernels.WHOLE
    return wins, wins / games, wilson(wins, games)


def _csv(rows: list[dict[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _trimmed(counts: list[int]) -> tuple[int, ...]:
    while counts and not counts[-1]:
        counts.pop()
    return tuple(counts)
