"""Where a game stands, as one frozen value that carries its rules, and as one line of text.

The line reads ``scores=500<1200/0 player=2 phase=decide points=300 left=2 rules=cinq-des``: ladders of totals
by seat, the player to play (numbered from 1 in text, from 0 in Python), and what the turn has come to.
What is zero or empty is left out. It appears in errors and logs and parses back to an equal position.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cinqmille.actions import ANNOUNCEMENTS
from cinqmille.errors import InvalidText
from cinqmille.patterns import Dice
from cinqmille.rules import Rules
from cinqmille.scoring import format_dice, scored

PHASES = ("start", "roll", "choose", "decide", "over")
FEWEST_PLAYERS, MOST_PLAYERS = 2, 8


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's standing: the ladder of totals, scoreless turns in a row, and whether the seat is passed over."""

    ladder: tuple[int, ...] = ()
    scoreless: int = 0
    away: bool = False

    @property
    def score(self) -> int:
        """The points that are safe."""
        return self.ladder[-1] if self.ladder else 0


@dataclass(frozen=True, slots=True)
class Offer:
    """A turn banked ``by`` a seat that the next player may go on with: its points and the dice left (0 to 7)."""

    points: int
    dice: int
    by: int


@dataclass(frozen=True, slots=True)
class Position:
    """Everything that matters for what comes next; it carries its rules.

    ``dice_left`` are the dice to roll (phases ``start`` and ``roll``), on the table (``choose``) or left after
    setting aside (``decide``; 0 for hot dice). ``roll`` is the last roll of this turn. ``announced`` is a
    prediction not yet settled. ``opener`` is the seat that first banked the target while others still play.
    """

    rules: Rules
    seats: tuple[Seat, ...]
    to_play: int | None
    phase: str
    turn_points: int
    dice_left: int
    roll: Dice = ()
    announced: int | None = None
    opener: int | None = None
    offer: Offer | None = None
    winners: tuple[int, ...] = ()

    @property
    def scores(self) -> tuple[int, ...]:
        """The safe points by seat."""
        return tuple(seat.score for seat in self.seats)

    @property
    def fresh(self) -> bool:
        """Whether a turn is about to begin: nothing rolled or taken over yet."""
        return self.phase == "start" or (self.phase == "roll" and self.turn_points == 0)

    @property
    def score(self) -> int:
        """The safe points of the player to play; 0 when the game is over."""
        return 0 if self.to_play is None else self.seats[self.to_play].score

    @property
    def may_take_over(self) -> bool:
        """Whether the player to play is offered the previous player's turn (RULES §5.8)."""
        offer, rules = self.offer, self.rules
        if offer is None or self.to_play is None or offer.by == self.to_play:
            return False
        if rules.takeover == "opened" and self.score <= 0:
            return False
        return not (rules.exact and self.score + offer.points >= rules.target)

    def __str__(self) -> str:
        parts = {
            "scores": "/".join("<".join(map(str, seat.ladder)) or "0" for seat in self.seats),
            "scoreless": "/".join(str(seat.scoreless) for seat in self.seats) if self._any("scoreless") else "",
            "away": ",".join(str(place + 1) for place, seat in enumerate(self.seats) if seat.away),
            "reached": "" if self.opener is None else str(self.opener + 1),
            "player": "" if self.to_play is None else str(self.to_play + 1),
            "phase": self.phase,
            "points": str(self.turn_points or ""),
            "left": "" if self.fresh else str(self.dice_left),
            "roll": format_dice(self.roll),
            "announced": str(self.announced or ""),
            "offer": "" if self.offer is None else f"{self.offer.points}x{self.offer.dice}@{self.offer.by + 1}",
            "winners": ",".join(str(place + 1) for place in self.winners),
            "rules": self.rules.canonical,
        }
        return " ".join(f"{name}={text}" for name, text in parts.items() if text)

    def _any(self, name: str) -> bool:
        return any(getattr(seat, name) for seat in self.seats)

    @classmethod
    def parse(cls, line: str) -> Position:
        """Return the position written as one line; raise InvalidText naming the part that cannot be.

        ``scores`` and ``rules`` are required; ``player`` is 1, ``phase`` ``roll`` and all dice are left
        unless something else is written.
        """
        front, found, rules_text = line.strip().partition("rules=")
        if not found:
            raise InvalidText("position_part_missing", part="rules")
        rules = Rules.parse(rules_text)
        parts: dict[str, str] = {}
        for word in front.split():
            name, equals, value = word.partition("=")
            if name not in _PARTS or not equals or name in parts:
                raise InvalidText("position_part_unknown", part=word, known=_PARTS)
            parts[name] = value
        if "scores" not in parts:
            raise InvalidText("position_part_missing", part="scores")
        read = _Reader(parts)
        ladders = [read.ladder(text) for text in parts["scores"].split("/")]
        scoreless = read.numbers("scoreless", "/") or (0,) * len(ladders)
        away = read.seats("away")
        if len(scoreless) != len(ladders):
            raise read.wrong("scoreless")
        seats = tuple(
            Seat(ladder, count, place in away)
            for place, (ladder, count) in enumerate(zip(ladders, scoreless, strict=True))
        )
        phase = parts.get("phase", "roll")
        offer = tuple(int(number) for number in read.matched("offer", r"(\d{1,12})x(\d)@(\d)"))
        left = read.numbers("left", "+")
        player = read.seats("player") or ((0,) if phase != "over" else ())
        reached = read.seats("reached")
        position = cls(
            rules=rules,
            seats=seats,
            to_play=player[0] if player else None,
            phase=phase,
            turn_points=sum(read.numbers("points", "+")),
            dice_left=left[0] if left else rules.dice,
            roll=tuple(int(face) for face in read.matched("roll", r"([1-6]+)")[0]) if "roll" in parts else (),
            announced=sum(read.numbers("announced", "+")) or None,
            opener=reached[0] if reached else None,
            offer=Offer(offer[0], offer[1], offer[2] - 1) if offer else None,
            winners=read.seats("winners"),
        )
        wrong = position.inconsistency()
        if wrong is not None:
            raise read.wrong(wrong)
        return position

    def inconsistency(self) -> str | None:
        """Return the part (by its name in the text line) that cannot be as it is, or None when all fits.

        Whoever makes a position from outside asks this; positions that the game leads to always fit.
        """
        rules, step = self.rules, self.rules.step
        count = len(self.seats)
        if not FEWEST_PLAYERS <= count <= MOST_PLAYERS:
            return "scores"
        if self.to_play is not None and not 0 <= self.to_play < count:
            return "player"
        present = [place for place, seat in enumerate(self.seats) if not seat.away]
        totals = [rung for seat in self.seats for rung in seat.ladder]
        below_top = [rung for seat in self.seats for rung in seat.ladder[:-1]]
        live = [seat.score for seat in self.seats if 0 < seat.score < rules.cap]
        rising = all(a < b for seat in self.seats for a, b in zip(seat.ladder, seat.ladder[1:], strict=False))
        over = self.phase == "over"
        decided = self.phase in ("choose", "decide")
        turn_total = self.score + self.turn_points
        left_range = {
            "start": (rules.dice, rules.dice),
            "roll": (1 if self.turn_points else rules.dice, rules.dice),
            "choose": (len(self.roll), len(self.roll)),
            "decide": (0, rules.dice - 1),
            "over": (0, rules.dice),
        }.get(self.phase, (1, 0))
        capped = rules.last_leg and any(rules.cap < total < rules.target for total in totals)
        reached = [place for place, seat in enumerate(self.seats) if seat.score >= rules.target]
        checks: dict[str, bool] = {
            "scores": rising
            and not capped
            and not any(seat.ladder[:1] == (0,) for seat in self.seats)
            and all(total < rules.target for total in below_top)
            and (rules.equal_scores == "allowed" or len(live) == len(set(live)))
            and all(total % step == 0 and (total >= rules.floor) for total in totals)
            and not (rules.exact and any(total > rules.target for total in totals)),
            "phase": self.phase in PHASES
            and (self.may_take_over if self.phase == "start" else not (self.phase == "roll" and self.may_take_over)),
            "player": (over and self.to_play is None) or (not over and self.to_play in present),
            "away": bool(present),
            "scoreless": all(
                seat.scoreless >= 0 and not 0 < rules.scoreless_limit <= seat.scoreless for seat in self.seats
            ),
            "points": self.turn_points >= 0
            and self.turn_points % step == 0
            and (self.phase != "decide" or self.turn_points > 0)
            and (self.phase != "start" or self.turn_points == 0)
            and not (rules.exact and not over and turn_total > rules.target),
            "left": left_range[0] <= self.dice_left <= left_range[1],
            "roll": len(self.roll) <= rules.dice
            and all(1 <= face <= 6 for face in self.roll)
            and (self.phase != "choose" or bool(self.roll and scored(rules, self.roll).keeps))
            and (over or decided or not self.roll),
            "announced": self.announced is None
            or (
                rules.prediction
                and self.announced in ANNOUNCEMENTS
                and self.dice_left == 2
                and self.phase in ("roll", "choose")
                and self.turn_points > 0
            ),
            "offer": self.offer is None
            or (
                rules.takeover != "never"
                and self.fresh
                and self.offer.points > 0
                and self.offer.points % step == 0
                and 0 <= self.offer.dice < rules.dice
                and 0 <= self.offer.by < count
            ),
            "reached": over
            or (not reached if self.opener is None else self.opener in reached and rules.ending != "first"),
            "winners": bool(self.winners) == over and all(0 <= place < count for place in self.winners),
        }
        return next((name for name, fits in checks.items() if not fits), None)


_PARTS = (
    "scores", "scoreless", "away", "reached", "player", "phase", "points", "left", "roll", "announced", "offer",
    "winners",
)  # fmt: skip


class _Reader:
    """Reads the values of a position line; a value that is none names its part."""

    def __init__(self, parts: dict[str, str]) -> None:
        self._parts = parts

    def wrong(self, part: str) -> InvalidText:
        return InvalidText("position_part_wrong", part=part, value=self._parts.get(part, ""))

    def matched(self, part: str, pattern: str) -> tuple[str, ...]:
        if part not in self._parts:
            return ()
        match = re.fullmatch(pattern, self._parts[part])
        if match is None:
            raise self.wrong(part)
        return match.groups()

    def numbers(self, part: str, separator: str) -> tuple[int, ...]:
        if part not in self._parts:
            return ()
        texts = self._parts[part].split(separator)
        if not all(re.fullmatch(r"[0-9]{1,12}", text) for text in texts):
            raise self.wrong(part)
        return tuple(int(text) for text in texts)

    def seats(self, part: str) -> tuple[int, ...]:
        return tuple(number - 1 for number in self.numbers(part, ","))

    def ladder(self, text: str) -> tuple[int, ...]:
        rungs = text.split("<")
        if not all(re.fullmatch(r"-?[0-9]{1,12}", rung) for rung in rungs):
            raise self.wrong("scores")
        ladder = tuple(int(rung) for rung in rungs)
        return () if ladder == (0,) else ladder
