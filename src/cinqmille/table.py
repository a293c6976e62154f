"""A table where a game is played: seats, commands in, numbered news out; whoever shows it is a door.

A :class:`Table` holds one :class:`Game`, rolls its dice when the program does, and lets bots play their turns. A
command says which ``number`` of the table it has ``seen``; a stale or illegal one is refused with a reason and
changes nothing. Everything is stored before it is told: ``save`` gets the whole game, and when it raises the
table stays as it was. Undo and correction are replays of the record. No sockets, no files, no SQL here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cinqmille.actions import (
    Action,
    Announce,
    Back,
    Event,
    Leave,
    Points,
    Roll,
    RollOn,
    Skip,
    TakeOver,
)  # fmt: skip
from cinqmille.bots import Bot, bot, check_bot
from cinqmille.dice import DiceSource, FairDice, RealDice, parse_source
from cinqmille.errors import IllegalAction
from cinqmille.position import Position
from cinqmille.record import Game

Awaited = Literal["dice", "player", "bot", "nothing"]

_ROLLS = (RollOn, TakeOver, Announce)


@dataclass(frozen=True, slots=True)
class News:
    """What one action did: the ``number`` of the table since then, who played, what happened, where it led to."""

    number: int
    seat: int
    action: Action
    events: tuple[Event, ...]
    position: Position


class Table:
    """One game being played; see the module's text.

    ``number`` grows with every action, undo and correction; it starts at the number of actions of ``game``
    unless another is given. The dice are those of the record's ``dice:`` header (real ones where it has
    none), or ``dice``. Raises InvalidText for a header or a bot that cannot be read, and IllegalAction for a game that
    only its table online can go on with.
    """

    def __init__(
        self,
        game: Game,
        *,
        save: Callable[[Game], None],
        dice: DiceSource | None = None,
        number: int | None = None,
    ) -> None:
        header = dict(game.headers).get("dice")
        self.game = game
        self.dice = dice or (RealDice() if header is None else parse_source(header))
        if isinstance(self.dice, FairDice) and game.position.to_play is not None:
            self.dice.roll(0, game.rules.dice)
        self.bots: dict[int, Bot] = {seat: bot(spec) for seat, spec in game.seats.items()}
        for one in self.bots.values():
            check_bot(one, game.rules, len(game.players))
        self.number = len(game.actions) if number is None else number
        self._save = save
        # The games as they were before corrections, with how many actions there were after each; a tuple, so that a
        # shallow copy of a table shares nothing that changes.
        self._corrected: tuple[tuple[int, Game], ...] = ()

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.game.position

    @property
    def real(self) -> bool:
        """Whether real dice are typed in."""
        return isinstance(self.dice, RealDice)

    @property
    def awaits(self) -> Awaited:
        """Who is to act: whoever throws the real dice, the player, a bot, or nobody any more."""
        position = self.position
        if position.to_play is None:
            return "nothing"
        if self.real and position.phase == "roll":
            return "dice"
        return "bot" if position.to_play in self.bots else "player"

    def play(self, *actions: Action, seen: int, seat: int | None = None) -> tuple[News, ...]:
        """Play the actions of a person, all of them or, when one is refused, none; return what they did.

        ``seat`` is who sends them; without it anybody at the table may. Where the program rolls,
        :class:`RollOn` also asks for the first roll of a turn. Raises IllegalAction.
        """
        self._check_number(seen)
        if not self.real and any(isinstance(action, _ROLLS) for action in actions[:-1]):
            raise IllegalAction("roll_comes_last")
        game, news = self.game, list[News]()
        for action in actions:
            self._check_turn(game.position, action, seat)
            self._check_sender(game.position, action)
            game = self._step(game, action, news)
        return self._commit(game, news)

    def play_bot(self) -> tuple[News, ...]:
        """Let the bot to play make its next decision and roll what it asks for; nothing unless ``awaits`` a bot."""
        seat = self.position.to_play
        if self.awaits != "bot" or seat is None:
            return ()
        news = list[News]()
        if self.position.phase == "roll":
            action: Action = RollOn()
        else:
            action = self.bots[seat].choose(self.position)
        return self._commit(self._step(self.game, action, news), news)

    def undo(self, *, seen: int) -> tuple[Action, ...]:
        """Take back the last thing that somebody typed, with what bots did since; return the actions taken back.

        A correction is taken back as a whole: the game is again what it was before, and nothing is returned.
        Dice that the program rolled stay, and everything before them. Raises IllegalAction.
        """
        self._check_number(seen)
        game = self.game
        kept = self._kept_by_undo(game)
        if self._corrected and kept < self._corrected[-1][0]:
            self._replace(self._corrected[-1][1])
            self._corrected = self._corrected[:-1]
            return ()
        self._check_undo(kept)
        self._replace(game.cut(kept))
        return game.actions[kept:]

    def undo_problem(self) -> IllegalAction | None:
        """Return why :meth:`undo` would be refused now, or None."""
        kept = self._kept_by_undo(self.game)
        if self._corrected and kept < self._corrected[-1][0]:
            return None
        try:
            self._check_undo(kept)
        except IllegalAction as refusal:
            return refusal
        return None

    def correct(self, entry: int, text: str, *, seen: int, last: int | None = None) -> None:
        """Write entry ``entry`` of the record (from 1) anew and replay what followed; empty text takes it out.

        Entries after ``last`` are taken out in the same step; without it all stay.
        Raises IllegalAction, or RecordError (its ``line`` counts entries) when the text cannot be read or a
        later entry would no longer be allowed.
        """
        self._check_number(seen)
        if not self.real:
            raise IllegalAction("drawn_turns_stay")
        game = self.game
        if last is not None:
            game = game.cut(max((turn.last_action for turn in game.turns()[:last]), default=0))
        before, game = self.game, game.corrected(entry, text)
        self._replace(game)
        self._corrected = (*self._corrected, (len(game.actions), before))

    def _check_number(self, seen: int) -> None:
        if seen != self.number:
            raise IllegalAction("stale", seen=seen, number=self.number)

    def _check_undo(self, kept: int) -> None:
        """Refuse to go back to the first ``kept`` actions where there are none, or dice that were drawn."""
        actions = self.game.actions
        if not actions:
            raise IllegalAction("nothing_to_undo")
        if not self.real and any(isinstance(action, Roll) for action in actions[kept:]):
            raise IllegalAction("drawn_dice_stay")

    def _check_turn(self, position: Position, action: Action, seat: int | None) -> None:
        """Refuse what a seat does in the turn of another, which may have begun with what it did before."""
        player = position.to_play
        if seat is None or player is None or seat == player:
            return
        if not (isinstance(action, Leave | Back) and action.seat == seat):
            names = self.game.players
            raise IllegalAction("out_of_turn", player=names[seat], expected=names[player])

    def _check_sender(self, position: Position, action: Action) -> None:
        """Refuse dice that the program rolls itself, and decisions that are a bot's."""
        if isinstance(action, Skip | Leave | Back):
            return
        if isinstance(action, Roll | Points) and not self.real:
            raise IllegalAction("dice_are_drawn")
        if position.to_play in self.bots and not (isinstance(action, Roll) and position.phase == "roll"):
            raise IllegalAction("bot_plays", player=self.game.players[position.to_play])

    def _step(self, game: Game, action: Action, news: list[News]) -> Game:
        """Add an action, and the roll it asks for where the program rolls."""
        phase = game.position.phase
        if isinstance(action, Roll) and phase in ("start", "decide"):
            game = self._add(game, RollOn(), news)
        if not (isinstance(action, RollOn) and phase == "roll" and not self.real):
            game = self._add(game, action, news)
        position = game.position
        if isinstance(action, _ROLLS):
            number = sum(isinstance(done, Roll) for done in game.actions)
            dice = self.dice.roll(number, position.dice_left)
            if dice is not None:
                game = self._add(game, Roll(dice), news)
        return game

    def _add(self, game: Game, action: Action, news: list[News]) -> Game:
        seat = game.position.to_play
        game, events = game.step(action)
        assert seat is not None
        news.append(News(self.number + len(news) + 1, seat, action, events, game.position))
        return game

    def _kept_by_undo(self, game: Game) -> int:
        """How many actions stay when the last one that somebody typed is taken back; -1 without any."""
        kept = len(game.actions) - 1
        while kept > 0 and not self._typed(game, kept):
            kept -= 1
        if self.real and kept > 0 and isinstance(game.actions[kept - 1], RollOn) and self._decided(game, kept - 1):
            kept -= 1
        return kept

    def _typed(self, game: Game, place: int) -> bool:
        """Whether the action at ``place`` was typed by somebody, not decided by a bot."""
        action = game.actions[place]
        if isinstance(action, Roll | Skip | Leave | Back):
            return True
        rolled = isinstance(action, RollOn) and place + 1 < len(game.actions)
        return not rolled and self._decided(game, place)

    def _decided(self, game: Game, place: int) -> bool:
        """Whether the action at ``place`` is a person's."""
        return game.cut(place).position.to_play not in self.bots

    def _commit(self, game: Game, news: list[News]) -> tuple[News, ...]:
        if news:
            self._save(game)
            self.game = game
            self.number = news[-1].number
        return tuple(news)

    def _replace(self, game: Game) -> None:
        self._save(game)
        self.game = game
        self.number += 1
