"""What a game was, told afterwards: every player's totals turn by turn, and numbers on their turns and their dice.

Luck is measured against exact odds: the points of the best set-aside of every roll, less what so many dice bring on
average, and how many busts there were, less how many were to be expected.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from cinqmille.actions import Banked, Busted, Fell, Kept, Rolled, Scoreless, Won
from cinqmille.odds import odds
from cinqmille.record import Game
from cinqmille.scoring import score


@dataclass(slots=True)
class Told:
    """One player's game. ``totals`` begin with 0 and have an entry for every turn and every fall since.

    ``faces`` counts the 1s, 2s, ... of all rolls. ``luck`` are points the dice offered above (or below) the mean of
    such rolls; ``busts_expected`` is the sum of the chances p of a bust over all rolls, ``busts_variance`` the sum of
    p(1-p).
    """

    name: str
    totals: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    turns: int = 0
    banked: int = 0
    best_turn: int = 0
    busts: int = 0
    busts_expected: float = 0.0
    busts_variance: float = 0.0
    faces: list[int] = field(default_factory=lambda: [0] * 6)
    hot_dice: int = 0
    falls: int = 0
    rolls: int = 0
    luck: float = 0.0

    @property
    def mean(self) -> float:
        """Points banked by turn, on average."""
        return self.banked / self.turns if self.turns else 0.0


@dataclass(frozen=True, slots=True)
class Story:
    """A game: its players, and how many turns all of them took; the points of ``totals`` are (turn, total)."""

    players: tuple[Told, ...]
    turns: int


def story(game: Game) -> Story:
    """Return the story of a game so far."""
    players = [Told(name) for name in game.players]
    played = 0
    means: dict[int, float] = defaultdict(float)
    for count in range(1, game.rules.dice + 1):
        means[count] = float(odds(game.rules, count).mean_best)
    for _, _, step in game.steps():
        for event in step.events:
            match event:
                case Rolled(seat=seat, dice=dice):
                    one, found = players[seat], score(game.rules, dice)
                    one.rolls += 1
                    for face in dice:
                        one.faces[face - 1] += 1
                    bust = odds(game.rules, len(dice)).bust
                    one.busts_expected += float(bust)
                    one.busts_variance += float(bust * (1 - bust))
                    best = 0 if found.bust or found.wins else found.keeps[0].points
                    one.luck += 0.0 if found.wins else best - means[len(dice)]
                case Busted(seat=seat):
                    players[seat].busts += 1
                case Kept(seat=seat, dice_left=0):
                    players[seat].hot_dice += 1
                case Banked(seat=seat, points=points, gain=gain, total=total):
                    played += 1
                    one = players[seat]
                    one.turns += 1
                    one.banked += gain
                    one.best_turn = max(one.best_turn, points)
                    one.totals.append((played, total))
                case Scoreless(seat=seat):
                    played += 1
                    players[seat].turns += 1
                    players[seat].totals.append((played, players[seat].totals[-1][1]))
                case Fell(seat=seat, after=after):
                    players[seat].falls += 1
                    players[seat].totals.append((played, after))
                case Won(how="at_once", winners=(seat,)):
                    played += 1
                    players[seat].turns += 1
                    players[seat].totals.append((played, players[seat].totals[-1][1]))
                case _:
                    pass
    return Story(tuple(players), played)
