"""Room for one turn of three players or more, and the way to sweep it (see ``_kernels``)."""

from __future__ import annotations

import numpy as np

from cinqmille import _three_kernels as kernels
from cinqmille import straight
from cinqmille.rules import Rules
from cinqmille.tables import Floats, Ints, aligned, rule_tables

ABREAST = kernels.ABREAST


class Turn:
    """The rows of one turn, up to ``rows`` of them; every thread has its own.

    ``last_turns`` says that banking the target does not win yet, so that more points than there are rows are worth what
    banking in the last row is.
    """

    def __init__(self, rules: Rules, players: int, rows: int, *, last_turns: bool, written_out: bool = False) -> None:
        self.exact = rules.exact
        self.tables = rule_tables(rules)
        self.channels = (0,) * players
        self.sure = float(self.tables.bust[1:].min())
        self.ceiling = rows
        most = self.tables.most
        self.reach = -most if last_turns and not rules.exact else most
        size = players * ABREAST
        self.place = (self.tables.points * rules.dice + self.tables.left) * size
        self.D = aligned((rows + most + 1) * rules.dice * size)
        self.D.reshape(-1, rules.dice, players, ABREAST)[rows:, :, 0] = 1.0
        self.straight = straight.sweep_many(self.tables, players) if written_out and not rules.exact else None
        self.nothing: Floats = np.zeros(0)

    def sweep(
        self,
        B: Floats,
        F: Floats,
        rows: Ints,
        slot: Ints,
        limit: Ints,
        start: Floats,
        R: Floats | None = None,
        *,
        whole: bool = False,
    ) -> None:
        """One evaluation of a turn for every lane of every batch that has rows, into ``start``.

        With ``R`` (batches, rows, dice + 1, players, lanes) all rolls are recorded in the rows that have to be swept;
        with ``whole`` those are all.
        """
        exact, flat = self.exact, -1
        swept = rows if exact or whole else kernels.certain_rows(B, F, rows, self.sure)
        given = (
            self.channels, self.D, B.reshape(flat), B.shape[1], F.reshape(flat), rows, swept, self.ceiling,
            self.reach, slot,
        )  # fmt: skip
        if self.straight is not None and R is None:
            self.straight(*given, start.reshape(flat))
        else:
            kernels.sweep_many(
                *given, tuple(self.tables), self.place, exact, limit.reshape(flat), start.reshape(flat),
                self.nothing if R is None else R.reshape(flat),
            )  # fmt: skip
