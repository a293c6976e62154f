"""Can these rules be played to the end? The reason why not, found before anybody sits down.

A turn's points depend on the dice that are left, so the reachable ones are found by a walk over (points, dice
left); scores are then walked backwards from the target. Rules are refused when a player could come to a
total from which no run of turns wins, however lucky (RULES §5: dead ends, a target that cannot be
reached exactly). Combinations that win at once are left out: a game whose target only they can end is
not the game on the sheet. Sets of points are integers used as bit sets, one bit a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cinqmille.patterns import ScoringTable

Reason = tuple[str, dict[str, Any]]


def unplayable(table: ScoringTable, values: Mapping[str, Any]) -> Reason | None:
    """Return the code and parameters of what makes the rules unplayable, or None when they can be played.

    ``values`` are the parameters of ``Rules`` by name; every number of points is a multiple of the step.
    """
    step = table.step
    target, floor, exact = values["target"], values["floor"], values["exact"]
    goal = (target - floor) // step
    limit = goal if exact else max(goal, values["entry"] // step, values["min_bank"] // step)
    left, hot, busts = _turn_points(table, limit, saturate=not exact, prediction=values["prediction"])
    finish = left | hot
    bankable = left if values["hot_dice"] == "must" else finish
    most = max(0, finish.bit_length() - 1) * step
    if most < values["entry"]:
        return ("target_unreachable_exactly" if exact else "entry_unreachable"), {
            "entry": values["entry"],
            "most": most,
            "target": target,
        }
    scores = _Scores(values, step, finish, bankable)
    if not scores.can_win >> (-floor // step) & 1:
        return ("target_unreachable_exactly" if exact else "target_unreachable"), {"target": target, "most": most}
    if scores.everywhere:
        return None
    # A turn is scoreless by a bust or by passing an exact target; only a bust on all dice strikes.
    penalised = values["scoreless_limit"] and (exact or busts)
    struck = values["strike"] and table.can_bust(table.dice)
    if penalised and not isinstance(values["scoreless_penalty"], str):
        # Whoever is stuck can lose points down to the floor: is there a way to win from there?
        stuck = 0 if scores.reached(0, values["scoreless_penalty"] // step) & scores.can_win else 1
    elif penalised or struck:
        stuck = 0  # whoever is stuck can fall back to 0 and begin again
    else:
        stuck = scores.reached(-floor // step) & ~scores.can_win
    if stuck:
        total = (stuck.bit_length() - 1) * step + floor
        return "dead_end", {"total": total, "target": target, "missing": target - total}
    return None


def _turn_points(table: ScoringTable, limit: int, *, saturate: bool, prediction: bool) -> tuple[int, int, bool]:
    """Return the turn points reachable with dice left, those with all dice set aside, and whether a roll busts.

    Points above ``limit`` count as ``limit`` (saturate) or end the turn (exact games).
    """
    options: dict[int, set[tuple[int, int]]] = {}
    doubled: set[tuple[int, int]] = set()
    busts = False
    for count in range(1, table.dice + 1):
        options[count] = set()
        for sets in table.all_sets(count):
            options[count] |= {(len(dice), cover[0] // table.step) for dice, cover in sets.items()}
            if prediction and count == 2 and sets:
                best = max(cover[0] for cover in sets.values())
                if best in (50, 100, 150, 200):
                    doubled |= {(len(d), best // table.step) for d, cover in sets.items() if cover[0] == best}
    whole = (1 << limit + 1) - 1
    reached = dict.fromkeys(range(table.dice + 1), 0)
    fresh = {table.dice: 1}
    while fresh:
        found: dict[int, int] = {}
        for count, points in fresh.items():
            rolled = count or table.dice
            for taken, worth in options[rolled]:
                found[rolled - taken] = found.get(rolled - taken, 0) | _shifted(points, worth, whole, saturate)
            for taken, worth in doubled if rolled == 2 else ():
                twice = _doubled(_shifted(points, worth, whole, saturate), whole, saturate)
                found[rolled - taken] = found.get(rolled - taken, 0) | twice
        fresh = {}
        for count, points in found.items():
            new = points & ~reached[count]
            if new:
                reached[count] |= new
                fresh[count] = new
    for count in range(1, table.dice + 1):
        seen = count == table.dice or reached[count]
        busts = busts or bool(seen and table.can_bust(count))
    left = 0
    for count in range(1, table.dice):
        left |= reached[count]
    return left, reached[0], busts


def _shifted(points: int, worth: int, whole: int, saturate: bool) -> int:
    moved = points << worth
    inside = moved & whole
    return inside | (whole + 1 >> 1) if saturate and moved != inside else inside


def _doubled(points: int, whole: int, saturate: bool) -> int:
    twice = int("0".join(f"{points:b}"), 2)  # every bit at twice its place
    return _shifted(twice, 0, whole, saturate)


class _Scores:
    """The totals from which a player can still win, and those a player can come to; bit 0 is the floor."""

    def __init__(self, values: Mapping[str, Any], step: int, finish: int, bankable: int) -> None:
        self._zero: int = -values["floor"] // step
        self._goal: int = self._zero + values["target"] // step
        self._cap: int = self._goal - values["last_leg"] // step
        self._entry: int = values["entry"] // step
        self._min_bank: int = values["min_bank"] // step
        self._bankable = bankable
        exactly, most = f"{finish:b}"[::-1], finish.bit_length()
        flags = bytearray(b"0" * self._goal)  # the highest total first, as int() reads them
        self.can_win, known = 0, self._goal
        for score in range(self._goal - 1, -1, -1):
            need = self._entry if score <= self._zero else self._min_bank
            missing = self._goal - score
            if values["exact"]:
                wins = exactly[missing : missing + 1] == "1" and (score > self._zero or missing >= need)
            else:
                wins = most > max(missing, need)
            if not wins:
                if known > score + 1:
                    self.can_win, known = int(flags, 2), score + 1
                wins = bool(self._next(score) & self.can_win)
            if wins:
                flags[self._goal - 1 - score] = ord("1")
        self.can_win = int(flags, 2)
        self.everywhere = b"0" not in flags

    def _next(self, score: int) -> int:
        """The totals below the target that one banked turn from ``score`` leads to."""
        need = self._entry if score <= self._zero else self._min_bank
        totals = (self._bankable >> need << need << score) & ((1 << self._goal) - 1)
        below = totals & ((1 << self._cap + 1) - 1)
        if totals != below and score < self._cap:
            below |= 1 << self._cap
        return below & ~((1 << score + 1) - 1)

    def reached(self, start: int, loss: int = 0) -> int:
        """The totals below the target that a player at bit ``start`` can come to by banking, and by losing ``loss``."""
        reached, todo = 1 << start, [start]
        while todo:
            score = todo.pop()
            after = self._next(score) | (1 << max(0, score - loss) if loss else 0)
            new = f"{after & ~reached:b}"[::-1]
            reached |= after
            place = new.find("1")
            while place >= 0:
                todo.append(place)
                place = new.find("1", place + 1)
        return reached
