"""A second opinion on the value of a game: the chance to win with best play, by plain iteration.

Written from RULES.md in the most literal way, on dictionaries, for tiny games only; it imports nothing of the
package. Rolls and set-asides come from the referee. Every bounded parameter is here: minima, hot dice, last leg,
exact, announcements, taking over, scoreless turns with their penalties, all endings and ties.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from typing import Any

import referee

Menu = frozenset[tuple[int, int]]
Offer = tuple[int, int] | None
State = tuple[int, int, int, int, int]  # seat to play, its score, the other's, its scoreless turns, the other's
Law = list[tuple[Menu | str, float]]


def laws(rules: dict[str, Any]) -> dict[int, Law]:
    """For every number of dice: what a roll offers (points, dice kept), ``win`` or nothing, and how likely."""
    found: dict[int, Law] = {}
    for count in range(1, rules["dice"] + 1):
        ways: Counter[Menu | str] = Counter()
        for roll in itertools.product(range(1, 7), repeat=count):
            if referee.wins(rules, roll):
                ways["win"] += 1
            else:
                keeps = referee.brute_keeps(rules, roll)
                ways[frozenset((points, len(dice)) for dice, points in keeps.items())] += 1
        found[count] = [(menu, number / 6**count) for menu, number in ways.items()]
    return found


class Game:
    """Values of ``State`` by iteration until nothing changes."""

    def __init__(self, text: str) -> None:
        self.rules = referee.parse_rules(text)
        self.laws = laws(self.rules)
        self.dice = self.rules["dice"]
        self.target = self.rules["target"]
        self.value: dict[State, float] = defaultdict(lambda: 0.5)
        self.turns: dict[tuple[State, int | None], Turn] = {}
        self.last_turns: dict[tuple[int, int], Turn] = {}
        # Rolling on from there is never worth the risk, or hardly ever comes to pass: whoever may be followed by
        # somebody who takes the turn over had better roll on to leave few dice, however many points there are.
        far = self.rules["takeover"] != "never" and self.rules["ending"] != "first"
        self.ceiling = self.target + (3600 if far else 1200)

    def solve(self) -> float:
        """The chance of the first seat to win."""
        beginning: State = (0, 0, 0, 0, 0)
        for _ in range(2000):
            self.turns.clear()
            change = 0.0
            seen: set[State] = set()
            front = [beginning]
            order: list[State] = []
            while front:
                state = front.pop()
                if state not in seen:
                    seen.add(state)
                    order.append(state)
                    front += self.successors(state)
            # High totals first: they depend on nothing lower, penalties aside.
            for state in sorted(order, key=lambda s: (-s[1] - s[2], -s[3] - s[4])):
                self.turns.clear()
                after = self.turn(state, None).rolled(0, self.dice)
                change = max(change, abs(after - self.value[state]))
                self.value[state] = after
            if change < 1e-14:
                break
        return self.value[beginning]

    def successors(self, state: State) -> list[State]:
        seat, mine, theirs, _own, held = state
        found = [self.after_scoreless(state)]
        step = 50
        for total in range(mine + step, self.target, step):
            if not self.rules["last_leg"] or total <= self.target - self.rules["last_leg"]:
                found.append((1 - seat, theirs, total, held, 0))
        return found

    def after_scoreless(self, state: State) -> State:
        seat, mine, theirs, own, held = state
        limit, penalty = self.rules["scoreless_limit"], self.rules["scoreless_penalty"]
        own = own + 1 if limit else 0
        if limit and own == limit:
            own = 0
            lower = 0 if penalty == "zero" else max(self.rules["floor"], mine - int(penalty))
            mine = min(mine, lower)
        return (1 - seat, theirs, mine, held, own)

    def turn(self, state: State, lead: int | None) -> Turn:
        """The turn of ``state``; ``lead`` is the other's total when this is the last turn."""
        if lead is not None:  # depends on no other turn
            return self.last_turns.setdefault((state[1], lead), Turn(self, state, lead))
        key = (state, lead)
        if key not in self.turns:
            self.turns[key] = Turn(self, state, lead)
        return self.turns[key]

    def start(self, state: State, lead: int | None, offer: Offer) -> float:
        """What a turn about to begin is worth to its player, who may be offered the turn before."""
        turn = self.turn(state, lead)
        fresh = turn.rolled(0, self.dice) if lead is not None else self.value[state]
        rules, mine = self.rules, state[1]
        allowed = rules["takeover"] == "always" or (rules["takeover"] == "opened" and mine > 0)
        if offer is None or not allowed or (rules["exact"] and mine + offer[0] >= self.target):
            return fresh
        return max(fresh, turn.rolled(offer[0], offer[1] or self.dice))


class Turn:
    """The values within one turn."""

    def __init__(self, game: Game, state: State, lead: int | None) -> None:
        self.game, self.state, self.lead = game, state, lead
        self.memo: dict[tuple[int, int], float] = {}
        self.memo_after: dict[tuple[int, int], float] = {}

    def scoreless(self) -> float:
        if self.lead is not None:
            return 0.0
        return 1.0 - self.game.value[self.game.after_scoreless(self.state)]

    def rolled(self, points: int, dice: int) -> float:
        if self.lead is None and points > self.game.ceiling:
            return 0.0
        key = (points, dice)
        if key not in self.memo:
            total = 0.0
            for menu, weight in self.game.laws[dice]:
                if menu == "win":
                    total += weight
                elif not menu:
                    total += weight * self.scoreless()
                else:
                    assert not isinstance(menu, str)
                    total += weight * max(self.after(points + p, dice - k) for p, k in menu)
            self.memo[key] = total
        return self.memo[key]

    def announced(self, points: int, said: int) -> float:
        total = 0.0
        for menu, weight in self.game.laws[2]:
            if menu == "win":
                total += weight
            elif not menu:
                total += weight * self.scoreless()
            else:
                assert not isinstance(menu, str)
                if max(p for p, _ in menu) == said:
                    total += weight * max(self.after(2 * (points + p), 2 - k) for p, k in menu if p == said)
                else:
                    total += weight * max(self.after(points + p, 2 - k) for p, k in menu)
        return total

    def after(self, points: int, left: int) -> float:
        """Dice set aside: bank, roll on, or announce."""
        key = (points, left)
        if key not in self.memo_after:
            rules = self.game.rules
            if rules["exact"] and self.state[1] + points > self.game.target:
                return self.scoreless()
            banked = self.bank(points, left)
            if banked == 1.0:
                return 1.0
            choices = [self.rolled(points, left or self.game.dice)]
            if rules["prediction"] and left == 2:
                choices += [self.announced(points, said) for said in (50, 100, 150, 200)]
            if banked is not None:
                choices.append(banked)
            self.memo_after[key] = max(choices)
        return self.memo_after[key]

    def bank(self, points: int, left: int) -> float | None:
        rules, (seat, mine, theirs, _own, held) = self.game.rules, self.state
        target = self.game.target
        total = mine + points
        need = rules["entry"] if mine <= 0 else rules["min_bank"]
        exempt = rules["exact"] and total == target and mine > 0
        if points < need and not exempt:
            return None
        if total < target:
            if rules["hot_dice"] == "must" and left == 0:
                return None
            cap = target - rules["last_leg"]
            if rules["last_leg"] and total > cap:
                if mine >= cap:
                    return None
                total = cap
        if self.lead is not None:
            tie = 0.5 if rules["tie"] == "shared" else 0.0
            return 1.0 if total > self.lead else tie if total == self.lead else 0.0
        if total >= target:
            if rules["ending"] == "first" or (rules["ending"] == "finish_round" and seat == 1):
                return 1.0
            last: State = (1 - seat, theirs, total, 0, 0)
            return 1.0 - self.game.start(last, total, (points, left))
        following: State = (1 - seat, theirs, total, held, 0)
        return 1.0 - self.game.start(following, None, (points, left))
