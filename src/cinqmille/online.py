"""A table whose seats are held by people far apart: how its game begins, who may act, and for whom a bot plays on.

An :class:`OnlineTable` is one moment of such a table. It is folded from its opening and the numbered entries of its
journal, and never changed: a command checks who asks and what is allowed, and returns a :class:`Change`, the entry to
store and the table as it is then. Whoever keeps tables stores the entry first and shows the table afterwards. A seat is
known by the SHA-256 of its holder's secret (its *key*); the secret itself is nowhere. No sockets, SQL or clock here.

A table is ``gathering`` until its host starts it, ``sealing`` while the seats reveal what they put into the dice (see
:mod:`cinqmille.fair`), then ``playing`` until it is ``over``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, Literal

from cinqmille.actions import Action, Back, Leave, Roll, RollOn, Skip, format_action, parse_action
from cinqmille.bots import bot, check_bot
from cinqmille.errors import IllegalAction, InvalidText
from cinqmille.fair import Deal, Share, commitment, follows, is_link, record_text, seal_of
from cinqmille.game import legal_actions, legal_keeps
from cinqmille.patterns import Dice
from cinqmille.position import FEWEST_PLAYERS, Position
from cinqmille.record import Game
from cinqmille.scoring import format_dice
from cinqmille.seating import Entry, Seat, Stage, Terms, freed, named
from cinqmille.table import Table

_STAGES: tuple[Stage, ...] = ("gathering", "sealing", "playing", "over")
# Somebody who is there, and to play, and does nothing, is waited for this many times longer.
PATIENCE = 3
# Seconds that everybody's device has for revealing its opening, before the others may begin without it.
SEALING = 10
# Who plays with somebody else's points plays each turn as well as it can be played, under any rules.
STAND_IN = "greedy"


@dataclass(frozen=True, slots=True)
class Change:
    """An entry to store, and the table as it is once that is done."""

    entry: Entry
    table: OnlineTable


@dataclass(slots=True)
class _Dealt:
    """The dice of one command: drawn from the deal when they are asked for, with the link that came with it."""

    deal: Deal
    seat: int
    link: str | None
    header: str = field(default="", init=False)
    drawn: bool = field(default=False, init=False)

    def roll(self, number: int, count: int) -> Dice:
        """Return the dice of roll ``number``, which is the next one of the deal."""
        assert number == self.deal.rolls
        self.deal, dice = self.deal.draw(self.seat, self.link)
        self.drawn = True
        return dice[:count]


@dataclass(frozen=True, slots=True)
class OnlineTable:
    """One moment of an online table; see the module's text.

    ``number`` is that of the last entry; ``moved`` when it last went on, in seconds; ``table`` holds the game once it
    has begun; ``barred`` are the keys of those whom the host sent away.
    """

    id: str
    terms: Terms
    secret: str = field(repr=False)
    seats: tuple[Seat, ...]
    stage: Stage = "gathering"
    number: int = 0
    moved: float = 0.0
    table: Table | None = None
    deal: Deal | None = field(default=None, repr=False)
    barred: frozenset[str] = frozenset()

    # How it begins

    @classmethod
    def opened(cls, id: str, opening: str, at: float) -> OnlineTable:
        """Return the table of an opening that :func:`opening` made."""
        data = json.loads(opening)
        seats = tuple(Seat(one["name"], one["bot"], one["key"], host=bool(one["key"])) for one in data["seats"])
        return cls(id, Terms.from_json(data["terms"]), data["secret"], seats, moved=at)

    @property
    def commitment(self) -> str:
        """The hash of the server's secret, which is shown from the first moment."""
        return commitment(self.id, self.secret)

    @property
    def game(self) -> Game | None:
        """The game, once it has begun."""
        return None if self.table is None else self.table.game

    @property
    def awaits(self) -> Literal["start", "openings", "player", "bot", "nothing"]:
        """What the table waits for."""
        if self.table is None:
            return "start" if self.stage == "gathering" else "openings"
        awaited = self.table.awaits
        assert awaited != "dice"
        return awaited

    @property
    def to_play(self) -> int | None:
        """The seat to play, None outside a game."""
        return None if self.table is None else self.table.position.to_play

    def seat_of(self, key: str) -> int | None:
        """Return the seat that a key holds, None for somebody who only watches."""
        for number, seat in enumerate(self.seats):
            if key and seat.key == key:
                return number
        return None

    @property
    def host(self) -> int | None:
        """The seat of whoever may start the game and manage the seats."""
        return next((number for number, seat in enumerate(self.seats) if seat.host), None)

    def silent_for(self, seat: int, seen: float, now: float) -> float:
        """Return for how many seconds a seat has given no sign that counts.

        ``seen`` is when its holder was last there. Who is there and to play and does nothing counts too, but is
        waited for :data:`PATIENCE` times longer.
        """
        away = now - max(seen, 0.0)
        if seat == self.to_play:
            away = max(away, (now - self.moved) / PATIENCE)
        return away

    def may_act_for(self, seat: int, seen: float, now: float) -> bool:
        """Tell whether the others may act for this seat by now."""
        one = self.seats[seat]
        return bool(
            self.stage == "playing" and self.terms.after and not one.bot and not one.stand_in
            and self.silent_for(seat, seen, now) >= self.terms.after
        )  # fmt: skip

    # Commands of the seats

    def join(self, name: str, key: str, now: float) -> Change | None:
        """Let somebody sit down; None where this key has a seat already, so that joining twice is joining once.

        Raises IllegalAction when the game has begun or all seats are taken, InvalidText for a name that cannot be.
        """
        if self.seat_of(key) is not None:
            return None
        self._check_stage("gathering")
        if key in self.barred:
            raise IllegalAction("sent_away")
        if len(self.seats) >= self.terms.seats:
            raise IllegalAction("table_full", seats=len(self.seats))
        return self._change(now, None, "joined", {"name": self._named(name), "key": key})

    def seat_bot(self, by: int, spec: str, name: str, now: float) -> Change:
        """Give a seat to a bot; only the host may. May take seconds for bots that play solved games."""
        self._check_host(by)
        self._check_stage("gathering")
        if len(self.seats) >= self.terms.seats:
            raise IllegalAction("table_full", seats=len(self.seats))
        check_bot(bot(spec), self.terms.rules, max(FEWEST_PLAYERS, len(self.seats) + 1))
        return self._change(now, by, "bot", {"name": self._named(name), "bot": spec.strip()})

    def leave(self, by: int, seat: int, now: float) -> Change:
        """Free a seat before the game: one's own, or as the host anybody's."""
        self._check_stage("gathering")
        self._check_seat(seat)
        if seat != by:
            self._check_host(by)
        if sum(not one.bot for one in self.seats) == 1 and not self.seats[seat].bot:
            raise IllegalAction("last_person_stays")
        return self._change(now, by, "left", {"left": seat})

    def share(self, by: int, anchor: str, now: float) -> Change | None:
        """Take the anchor of a seat's chain, or another one in its place, while people gather."""
        if not is_link(anchor):
            raise InvalidText("bad_link", text=str(anchor)[:80])
        share = self.seats[by].share
        if share is not None and share.anchor == anchor:
            return None
        self._check_stage("gathering")
        return self._change(now, by, "shared", {"anchor": anchor})

    def start(self, by: int, now: float, *, host_away: bool = False) -> Change | None:
        """Close the seats; the game begins at once, or when every chain is opened. The host does it, or while the host
        is away (``host_away``) anybody seated."""
        if self.stage != "gathering":
            return None
        if not host_away:
            self._check_host(by)
        if len(self.seats) < FEWEST_PLAYERS:
            raise IllegalAction("players_number", players=len(self.seats))
        for one in self.seats:
            if one.bot:
                check_bot(bot(one.bot), self.terms.rules, len(self.seats))
        return self._change(now, by, "sealed", {})

    def open_chain(self, by: int, link: str, now: float) -> Change | None:
        """Reveal the first link of a seat's chain; None where that is done already."""
        share = self.seats[by].share
        if share is not None and share.opening == link:
            return None
        self._check_stage("sealing")
        if share is None:
            raise IllegalAction("no_chain", player=self.seats[by].name)
        if not follows(link, share.anchor):
            raise InvalidText("opening_wrong")
        return self._change(now, by, "opened", {"link": link})

    def begins_in(self, now: float) -> int:
        """Return the seconds until one may begin without the openings that are missing."""
        return max(0, ceil(SEALING - (now - self.moved))) if self.stage == "sealing" else 0

    def begin(self, by: int, now: float) -> Change | None:
        """Begin without what was not revealed in time; anybody seated may, :data:`SEALING` seconds after the start."""
        if self.stage in ("playing", "over"):
            return None
        self._check_stage("sealing")
        if self.begins_in(now):
            raise IllegalAction("not_yet", seconds=self.begins_in(now))
        missing = [number for number, one in enumerate(self.seats) if one.share is not None and not one.share.opening]
        return self._change(now, by, "began", {"without": missing})

    def act(self, by: int, actions: tuple[Action, ...], *, seen: int, link: str | None, now: float) -> Change:
        """Play for one's seat. ``link`` is the next one of its chain; without it the server alone draws.

        Raises IllegalAction; then nothing has changed.
        """
        table = self._playing(seen)
        for action in actions:
            if isinstance(action, Skip):
                raise IllegalAction("skip_by_others", player=self.seats[by].name)
            if isinstance(action, Leave | Back) and action.seat != by:
                raise IllegalAction("not_your_seat", player=self.seats[by].name)
            if isinstance(action, Leave) and self.seats[by].came_back:
                # Coming and going between two turns, over and over, would never let the others act in time.
                raise IllegalAction("stays_a_turn", player=self.seats[by].name)
        if link is not None and not is_link(link):
            raise InvalidText("bad_link", text=str(link)[:80])
        if self.seats[by].stand_in:
            table = self._with_bots(table, by, stand_in=False)
        return self._played(table, by, actions, link, now, author=by, returned=self.seats[by].stand_in)

    def come_back(self, by: int, now: float) -> Change | None:
        """Take one's seat over again: from the bot that stood in, or after one was removed; None where one has it.

        Between turns a seat that was removed plays again at once, in mid-turn when that turn is over.
        """
        table = self._playing()
        one = self.seats[by]
        if table.position.seats[by].away and not one.returning:
            if not table.position.fresh:
                return self._change(now, by, "returned", {"later": True})
            return self._played(self._table(), by, (Back(by),), None, now, author=by, returned=one.stand_in)
        return self._change(now, by, "returned", {}) if one.stand_in else None

    def act_for(self, by: int | None, seat: int, way: str, *, seen: int, since: float, now: float) -> Change:
        """Let a bot play on for a seat that is away, skip its turn, or remove it; the order never shifts.

        ``by`` is who asks, None for the table itself; ``since`` when the seat was last there. Raises IllegalAction
        before the delay that the table agreed on has passed.
        """
        table = self._playing(seen)
        self._check_seat(seat)
        one = self.seats[seat]
        if one.bot or one.stand_in:
            raise IllegalAction("bot_plays", player=one.name)
        if way not in ("bot", "skip", "remove"):
            raise InvalidText("bad_choice", name="then", value=way[:40], choices=("bot", "skip", "remove"))
        if not self.terms.after:
            raise IllegalAction("waits_for_ever")
        if not self.may_act_for(seat, since, now):
            left = self.terms.after - self.silent_for(seat, since, now)
            raise IllegalAction("still_waiting", player=one.name, seconds=max(1, round(left)))
        if way == "bot":
            return self._change(now, by, "stood_in", {"for": seat}, "absent")
        if way == "skip" and seat != self.to_play:
            raise IllegalAction("not_to_play", player=one.name)
        action: Action = Skip() if way == "skip" else Leave(seat)
        return self._played(table, None, (action,), None, now, author=by, cause="absent")

    def let_bot_play(self, now: float) -> Change | None:
        """Return the next step of a bot, None where none is to play. It may think for a while."""
        table, seat = self.table, self.to_play
        if table is None or seat is None or self.stage != "playing" or table.awaits != "bot":
            return None
        return self._played(
            table, seat, (), None, now, author=seat, cause="bot" if self.seats[seat].bot else "stand_in"
        )

    # The fold

    def after(self, entry: Entry) -> OnlineTable:
        """Return the table after an entry that was stored."""
        assert entry.number == self.number + 1
        return self._folded(entry)

    @property
    def record(self) -> str:
        """The record of the game so far; the server's secret is in it when the game is over."""
        assert self.game is not None
        assert self.deal is not None
        return record_text(self.game, self.deal)

    @property
    def seal(self) -> str | None:
        """The seal of the record, once the game is over."""
        return None if self.game is None or self.deal is None else seal_of(self.game, self.deal)

    def public(self, *, me: int | None = None) -> dict[str, object]:
        """Return the table as anybody may see it, as plain data; ``me`` is the seat of whoever asks."""
        game = self.game
        scores = game.position.seats if game is not None else None
        told: dict[str, object] = {
            "id": self.id, "stage": self.stage, "number": self.number, "rules": self.terms.rules.canonical,
            "commitment": self.commitment, "seal": self.seal, "most_seats": self.terms.seats, "after": self.terms.after,
            "then": self.terms.then, "me": me, "host": self.host, "awaits": self.awaits,
            "seats": [
                {
                    "name": one.name, "bot": one.bot or None, "stand_in": one.stand_in,
                    "removed": bool(scores and scores[number].away), "chain": one.share is not None,
                    "links": one.share.count if one.share is not None else 0,
                    "score": scores[number].score if scores else 0,
                }
                for number, one in enumerate(self.seats)
            ],
        }  # fmt: skip
        if game is not None:
            position = game.position
            last, playing = game.last_roll, self.stage == "playing"
            keeps = legal_keeps(position) if playing else ()
            told |= {
                "to_play": position.to_play,
                "phase": position.phase,
                "turn_points": position.turn_points,
                "dice_left": position.dice_left,
                "last_roll": None if last is None else str(last),
                "roll": list(position.roll) if position.phase == "choose" else [],
                "keeps": [
                    {"action": f">{format_dice(keep.dice)}", "dice": list(keep.dice), "points": keep.points}
                    for keep in keeps
                ],
                "legal": _legal(position) if playing else [],
                "winners": [] if playing else list(position.winners),
                "position": str(position),
            }
        return told

    def _folded(self, entry: Entry) -> OnlineTable:
        data, author = entry.data, entry.author
        match entry.kind:
            case "joined":
                changes = self._seated(Seat(data["name"], key=data["key"]))
            case "bot":
                changes = self._seated(Seat(data["name"], bot=data["bot"]))
            case "left":
                changes = {"seats": freed(self.seats, data["left"])}
                if author != data["left"]:
                    changes["barred"] = self.barred | {self.seats[data["left"]].key}
            case "shared":
                changes = self._with_seat(author, share=Share(data["anchor"], "", data["anchor"], 0))
            case "sealed":
                changes = {"stage": "sealing"}
            case "opened":
                assert author is not None
                share = self.seats[author].share
                assert share is not None
                changes = self._with_seat(author, share=Share.opened(share.anchor, data["link"]))
            case "began":
                seats = tuple(
                    replace(one, share=None) if number in data["without"] else one
                    for number, one in enumerate(self.seats)
                )
                changes = {"seats": seats}
            case "acted":
                return self._replayed(entry)
            case "stood_in":
                changes = self._with_seat(data["for"], stand_in=True)
                changes["table"] = self._with_bots(self._table(), data["for"], stand_in=True)
            case "returned":
                assert author is not None
                if data.get("later"):
                    changes = self._with_seat(author, returning=True)
                else:
                    changes = self._with_seat(author, stand_in=False)
                    changes["table"] = self._with_bots(self._table(), author, stand_in=False)
            case kind:
                raise InvalidText("unknown_entry", kind=kind)
        moved = self.moved if entry.kind in ("opened", "stood_in", "returned") else entry.at
        table = replace(self, number=entry.number, moved=moved, **changes)
        open_chains = any(one.share is not None and not one.share.opening for one in table.seats)
        return table._begun() if table.stage == "sealing" and not open_chains else table

    def _replayed(self, entry: Entry) -> OnlineTable:
        """Fold what was played: the actions as they are written, and the dice drawn again, which must be the same."""
        data = entry.data
        actions = [parse_action(text) for text in data["actions"]]
        table, seat = self._table(), data["seat"]
        game, deal = table.game, self.deal
        assert deal is not None
        for action in actions:
            game = game.play(action)
            if isinstance(action, Roll):
                deal, dice = deal.draw(seat, data.get("link"))
                if dice[: len(action.dice)] != action.dice:
                    raise InvalidText("dice_changed", table=self.id, entry=entry.number)
        return self._moved_on(entry, game, deal)

    def _moved_on(self, entry: Entry, game: Game, deal: Deal) -> OnlineTable:
        seats, texts, roller = list(self.seats), entry.data["actions"], entry.data["seat"]
        had_turn = game.position.fresh and not all(text.startswith(("leave", "back")) for text in texts)
        for number, one in enumerate(seats):
            returned = entry.data.get("returned") and number == entry.author
            back = format_action(Back(number)) in texts
            seats[number] = replace(
                one, share=deal.shares[number], stand_in=one.stand_in and not returned,
                returning=one.returning and game.position.seats[number].away,
                came_back=back or (one.came_back and not (had_turn and number == roller)),
            )  # fmt: skip
        table = copy(self._table())
        table.game, table.number = game, entry.number
        if entry.data.get("returned") and entry.author is not None:
            table = self._with_bots(table, entry.author, stand_in=False)
        stage: Stage = "over" if game.position.phase == "over" else "playing"
        return replace(
            self, seats=tuple(seats), number=entry.number, moved=entry.at, table=table, deal=deal, stage=stage
        )

    def _begun(self) -> OnlineTable:
        names = tuple(one.name for one in self.seats)
        headers = {"date": self.terms.date} if self.terms.date else {}
        bots = ", ".join(f"{one.name}={one.bot}" for one in self.seats if one.bot)
        game = Game.new(self.terms.rules, names, headers | ({"seats": bots} if bots else {}))
        deal = Deal.begin(self.id, self.secret, self.terms.rules, game.players, tuple(one.share for one in self.seats))
        table = Table(game, save=_nothing, dice=_Dealt(deal, 0, None), number=self.number)
        return replace(self, stage="playing", table=table, deal=deal)

    # What commands have in common

    def _played(
        self, table: Table, seat: int | None, actions: tuple[Action, ...], link: str | None, now: float, *,
        author: int | None, cause: str = "", returned: bool = False,
    ) -> Change:  # fmt: skip
        """Play actions of a seat (none: the step of a bot; seat None: what the others decided) and fold them."""
        assert self.deal is not None
        table = copy(table)
        before, roller = len(table.game.actions), table.position.to_play
        assert roller is not None
        dealt = _Dealt(self.deal, roller, link)
        table.dice, table.number = dealt, self.number
        if actions:
            table.play(*actions, seen=self.number, seat=seat)
        else:
            table.play_bot()
        if link is not None and not dealt.drawn:
            raise IllegalAction("link_without_roll")
        game = table.game
        if game.position.fresh and game.position.phase != "over":
            for number, one in enumerate(self.seats):
                if one.returning and game.position.seats[number].away:
                    game = game.play(Back(number))
        data: dict[str, Any] = {"seat": roller, "actions": [format_action(one) for one in game.actions[before:]]}
        if link is not None:
            data["link"] = link
        if returned:
            data["returned"] = True
        entry = Entry(self.number + 1, now, author, "acted", data, cause)
        return Change(entry, self._moved_on(entry, game, dealt.deal))

    def _change(self, now: float, author: int | None, kind: str, data: Mapping[str, Any], cause: str = "") -> Change:
        entry = Entry(self.number + 1, now, author, kind, data, cause)
        return Change(entry, self._folded(entry))

    def _playing(self, seen: int | None = None) -> Table:
        """The table of a game that is going on, at the number that was seen."""
        if self.table is None:
            raise IllegalAction("not_begun")
        if seen is not None and seen != self.number:
            raise IllegalAction("stale", seen=seen, number=self.number)
        if self.stage == "over":
            raise IllegalAction("game_over")
        return self.table

    def _table(self) -> Table:
        assert self.table is not None
        return self.table

    def _with_bots(self, table: Table, seat: int, *, stand_in: bool) -> Table:
        table = copy(table)
        table.bots = {number: one for number, one in table.bots.items() if number != seat}
        if stand_in:
            table.bots[seat] = bot(STAND_IN)
        return table

    def _with_seat(self, seat: int | None, **changes: Any) -> dict[str, Any]:
        assert seat is not None
        seats = list(self.seats)
        seats[seat] = replace(seats[seat], **changes)
        return {"seats": tuple(seats)}

    def _seated(self, seat: Seat) -> dict[str, Any]:
        """Put a seat where the order wants it; those without a place in it come last, as they came."""
        order = {name: place for place, name in enumerate(self.terms.order)}
        return {"seats": tuple(sorted((*self.seats, seat), key=lambda one: order.get(one.name, len(order))))}

    def _named(self, name: str) -> str:
        return named(name, tuple(one.name for one in self.seats))

    def _check_stage(self, stage: Stage) -> None:
        if self.stage != stage:
            early = _STAGES.index(self.stage) < _STAGES.index(stage)
            raise IllegalAction("not_begun" if early else "already_begun")

    def _check_host(self, by: int) -> None:
        host = self.host
        if by != host:
            raise IllegalAction("host_only", player="" if host is None else self.seats[host].name)

    def _check_seat(self, seat: int) -> None:
        if not 0 <= seat < len(self.seats):
            raise IllegalAction("no_such_seat", seat=seat + 1, seats=len(self.seats))


def _legal(position: Position) -> list[str]:
    """The actions that whoever is to play may send, as texts; each set-aside once."""
    if position.phase == "roll":
        return [format_action(RollOn())]
    return [format_action(action) for action in legal_actions(position)]


def _nothing(_: Game) -> None:
    """A table that is a moment is stored by whoever keeps its entries."""
