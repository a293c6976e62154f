"""Players that are programs: the protocol, one registry, one spec string (``steady:350``).

A bot sees a position and answers with one of its legal actions; it reads the same rules as people do, so it
obeys every rule sheet. Bots never draw dice: the table does that for everybody. The ones here follow habits that a
person could name; those that compute are in ``experts`` and loaded when somebody asks for one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Protocol

from cinqmille.actions import Action, Announce, Bank, RollOn, SetAside, TakeOver
from cinqmille.errors import InvalidText
from cinqmille.game import bank_problem, legal_keeps
from cinqmille.position import Position
from cinqmille.rules import MOST_POINTS, Rules
from cinqmille.scoring import scored

_BANK, _ROLL_ON, _TAKE_OVER = Bank(), RollOn(), TakeOver()
NEVER = 2 * MOST_POINTS  # points that no turn has before it reaches the target


class Bot(Protocol):
    """A player that is a program.

    A bot that cannot play all rules has a method ``refuse(rules, players)`` too, which raises InvalidRules; see
    :func:`check_bot`.
    """

    @property
    def spec(self) -> str:
        """The text that makes this bot again, ``steady:350``."""
        ...

    def choose(self, position: Position) -> Action:
        """Return a legal action for the player to play; asked in the phases start, choose and decide only."""
        ...


@dataclass(frozen=True, slots=True)
class Mood:
    """What a bot with habits wants of a turn.

    ``bank_from``: the points from which it banks, by dice left (0: all are set aside). ``settles``: it banks whatever
    reaches the target. ``few``: as long as it does not bank it sets aside as few dice as it can; otherwise what is
    worth most.
    """

    bank_from: tuple[int, ...]
    settles: bool = True
    few: bool = False

    def banks(self, rules: Rules, score: int, points: int, left: int) -> bool:
        """Tell whether it banks, where the rules allow it."""
        return points >= self.bank_from[left] or (self.settles and score + points >= rules.target)

    def worth(self, rules: Rules, score: int, points: int, left: int) -> int:
        """Return a number that is larger the more it likes a set-aside that leads to these points and dice left."""
        steps = points // rules.step
        grows = 16 * steps - left
        if rules.exact and score + points > rules.target:
            return -1 - grows
        if not self.few:
            return grows
        if self.banks(rules, score, points, left):
            return (1 << 20) + grows
        return ((left or rules.dice) << 16) + steps


class Habit(ABC):
    """A bot whose mood depends on its own score and the best of the others; it looks at nothing else."""

    __slots__ = ()
    least_dice: ClassVar[int] = 3
    announces: ClassVar[int | None] = None

    @property
    @abstractmethod
    def spec(self) -> str:
        """The text that makes this bot again."""

    @abstractmethod
    def mood(self, rules: Rules, score: int, other: int) -> Mood:
        """Return what it wants; ``other`` is the best score of the others: at the target these are the last turns."""

    def choose(self, position: Position) -> Action:
        """Return the action that the habits name."""
        rules, score, left = position.rules, position.score, position.dice_left
        if position.phase == "start":
            offer = position.offer
            return _TAKE_OVER if offer and (offer.dice or rules.dice) >= self.least_dice else _ROLL_ON
        me = position.to_play
        mood = self.mood(rules, score, max(seat.score for at, seat in enumerate(position.seats) if at != me))
        points = position.turn_points
        if position.phase == "choose":
            times = 1 if position.announced is None else 2
            options = {(keep.points, left - len(keep.dice)): keep.dice for keep in reversed(legal_keeps(position))}
            # Of options that it likes equally, the one with the fewest points, then with the fewest dice left.
            return SetAside(
                options[max(sorted(options), key=lambda o: mood.worth(rules, score, times * (points + o[0]), o[1]))]
            )
        if bank_problem(position, points, left) is None and mood.banks(rules, score, points, left):
            return _BANK
        return Announce(self.announces) if self.announces and rules.prediction and left == 2 else _ROLL_ON


@dataclass(frozen=True, slots=True)
class Steady(Habit):
    """Sets aside what is worth most and banks as soon as the turn has ``threshold`` points.

    It rolls on below the threshold, banks whatever reaches the target, keeps less where more would pass an
    exact target, and takes over a turn when its points come with at least three dice.
    """

    threshold: int = 350

    @property
    def spec(self) -> str:
        """``steady:350``."""
        return f"steady:{self.threshold}"

    def mood(self, rules: Rules, score: int, other: int) -> Mood:
        """Return the threshold, whatever the scores."""
        return Mood((self.threshold,) * rules.dice)


@dataclass(frozen=True, slots=True)
class Beginner(Habit):
    """Looks at the dice and not at the points: it banks with one die left or none, and rolls on with more.

    It takes over whatever it may.
    """

    least_dice: ClassVar[int] = 1
    spec = "beginner"

    def bank_from(self, rules: Rules) -> tuple[int, ...]:
        """Return the table that comes to the same."""
        return tuple(0 if left <= 1 else NEVER for left in range(rules.dice))

    def mood(self, rules: Rules, score: int, other: int) -> Mood:
        """Return this table, whatever the scores."""
        return Mood(self.bank_from(rules))


@dataclass(frozen=True, slots=True)
class Table(Habit):
    """Banks from so many points on, by the dice to roll next: 1, 2, ... The last number holds for all more.

    Without numbers they are those of the turn that makes the most points on average under the rules of the game.
    """

    points: tuple[int, ...] = ()

    @property
    def spec(self) -> str:
        """``table:250/200/350`` or ``table``."""
        return "table:" + "/".join(map(str, self.points)) if self.points else "table"

    def bank_from(self, rules: Rules) -> tuple[int, ...]:
        """Return the points by dice left; with none left all dice are rolled next."""
        if not self.points:
            from cinqmille.experts import best_table

            return best_table(rules)
        return tuple(self.points[min(left or rules.dice, len(self.points)) - 1] for left in range(rules.dice))

    def mood(self, rules: Rules, score: int, other: int) -> Mood:
        """Return the table, whatever the scores."""
        return Mood(self.bank_from(rules))


@dataclass(frozen=True, slots=True)
class Cautious(Habit):
    """Would rather have a bird in the hand.

    With one or two dice left it banks whatever it may, with more from 300, and hot dice from 500; 1000 ahead of
    everybody it banks from 200. It takes over only with four dice or more, and never announces.
    """

    least_dice: ClassVar[int] = 4
    spec = "cautious"

    def mood(self, rules: Rules, score: int, other: int) -> Mood:
        """Return its mood."""
        if other >= rules.target:
            return _to_win(rules, score, other, few=False)
        hundred = hundred_of(rules)
        ahead = score - other >= 10 * hundred
        many, hot = (2 * hundred, 2 * hundred) if ahead else (3 * hundred, 5 * hundred)
        return Mood(tuple(hot if left == 0 else 0 if left <= 2 else many for left in range(rules.dice)))


@dataclass(frozen=True, slots=True)
class Gambler(Habit):
    """Likes to have many dice in the hand, and chases when behind.

    It sets aside as few dice as it can until it banks, always rolls hot dice, and banks from 500; when somebody is
    1000 ahead, from 1000, and from 2000 when it is 2000. It takes over whatever it may, and announces 100 where that
    is played.
    """

    least_dice: ClassVar[int] = 1
    announces: ClassVar[int | None] = 100
    spec = "gambler"

    def mood(self, rules: Rules, score: int, other: int) -> Mood:
        """Return its mood."""
        if other >= rules.target:
            return _to_win(rules, score, other, few=True)
        hundred = hundred_of(rules)
        behind = (other - score) // hundred
        wanted = (20 if behind >= 20 else 10 if behind >= 10 else 5) * hundred
        wanted = max(wanted, rules.entry if score <= 0 else rules.min_bank)
        return Mood((NEVER, *(wanted,) * (rules.dice - 1)), few=True)


def _to_win(rules: Rules, score: int, other: int, *, few: bool) -> Mood:
    """In the last turns nothing counts but to pass the highest total (a lead above the target is taken for it)."""
    lead = min(other - score, rules.target)
    need = max(lead + (0 if rules.tie == "shared" else rules.step), rules.entry if score <= 0 else rules.min_bank)
    if rules.exact:
        need = lead  # nobody can stand above the target
    return Mood((need,) * rules.dice, settles=False, few=few)


@lru_cache(maxsize=64)
def hundred_of(rules: Rules) -> int:
    """Return what "a hundred" is under these rules: the points of a single 1, or twice the smallest that there are."""
    one = scored(rules, (1,)).best
    return one.points if one is not None else 2 * rules.step


@dataclass(frozen=True, slots=True)
class Kind:
    """A registered kind of bot: what makes one from the text after the colon (None if it cannot), and its help."""

    make: Callable[[str], Bot | None]
    help: str


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 7 else None


def _steady(argument: str) -> Bot | None:
    if not argument:
        return Steady()
    threshold = _number(argument)
    return None if threshold is None else Steady(threshold)


def _table(argument: str) -> Bot | None:
    numbers = [_number(text.strip()) for text in argument.split("/")] if argument else []
    points = tuple(number for number in numbers if number is not None)
    return Table(points) if len(points) == len(numbers) <= 8 else None


def _alone(made: Callable[[], Bot]) -> Callable[[str], Bot | None]:
    """What makes a bot that takes no argument."""
    return lambda argument: None if argument else made()


def _greedy() -> Bot:
    from cinqmille.experts import Greedy

    return Greedy()


def _perfect() -> Bot:
    from cinqmille.experts import Perfect

    return Perfect()


def _best() -> Bot:
    from cinqmille.experts import Best

    return Best()


# From the weakest to the strongest, by and large.
BOTS: dict[str, Kind] = {
    "beginner": Kind(_alone(Beginner), "Looks at the dice only: rolls on as long as two or more are left."),
    "gambler": Kind(_alone(Gambler), "Sets aside few dice, rolls hot dice always, and chases when behind."),
    "cautious": Kind(
        _alone(Cautious), "Banks early, earlier still when ahead, and never rolls two dice if it may bank."
    ),
    "steady": Kind(_steady, "Banks as soon as the turn has so many points: steady:500 (350 unless another is given)."),
    "table": Kind(
        _table,
        "Banks from a number of points for each number of dice to roll next: table:250/250/400/1000 for 1, 2, 3, 4 and "
        "more; without numbers, from those that make the most points a turn.",
    ),
    "greedy": Kind(_alone(_greedy), "Plays every turn for the most points on average, whatever the scores."),
    "best": Kind(
        _alone(_best), "Follows the advice: any rules, 2 to 8 players; as good as perfect where that can play."
    ),
    "perfect": Kind(
        _alone(_perfect),
        "Plays perfectly, where the game is solved: two players and rules without memory of whole histories, some "
        "for three.",
    ),
}


def bot(spec: str) -> Bot:
    """Return the bot that ``spec`` names, ``steady`` or ``steady:500``; raise InvalidText with the known ones."""
    name, _, argument = spec.strip().partition(":")
    made = BOTS[name].make(argument.strip()) if name in BOTS else None
    if made is None:
        raise InvalidText("unknown_bot", spec=spec.strip(), known=(*BOTS, "steady:500"))
    return made


def check_bot(one: Bot, rules: Rules, players: int) -> None:
    """Raise InvalidRules, naming what stands in the way, when ``one`` cannot play these rules with so many players.

    Whoever seats bots asks this first. It may take seconds, and leaves the bot ready to play.
    """
    refuse = getattr(one, "refuse", None)
    if refuse is not None:
        refuse(rules, players)
