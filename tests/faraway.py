"""Online tables for the tests: devices with their chains, and a table that keeps its journal as a store would."""

import json
import random

from cinqmille import Rules, legal_plans
from cinqmille.actions import Action, Announce, RollOn, SetAside, TakeOver
from cinqmille.fair import before, new_secret
from cinqmille.online import Change, OnlineTable
from cinqmille.seating import Entry, Terms, opening

START = 1_800_000_000.0
HOUSE = "cinq-des(entry=0, target=1000)"


class Chain:
    """What a device does: a seed, its links, and which one comes next."""

    def __init__(self, length: int = 300) -> None:
        links = [new_secret()]
        while len(links) <= length:
            links.append(before(links[-1]))
        self.links = links[::-1]
        self.shown = 0

    @property
    def anchor(self) -> str:
        return self.links[0]

    def next(self) -> str:
        return self.links[self.shown + 1]


class Played:
    """A table that goes on with every command, and keeps its entries as a store would."""

    def __init__(self, rules: str = HOUSE, **terms: object) -> None:
        self.now = START
        self.opening = opening(Terms(Rules.parse(rules), **terms), new_secret(), "Ana", "key-a")  # type: ignore[arg-type]
        self.table = OnlineTable.opened("table-1", self.opening, self.now)
        self.entries: list[str] = []
        self.chains: dict[int, Chain] = {}

    def do(self, change: Change | None) -> OnlineTable:
        if change is not None:
            entry = change.entry
            self.entries.append(json.dumps([entry.number, entry.at, entry.author, entry.kind, entry.data, entry.cause]))
            self.table = change.table
        return self.table

    def reloaded(self) -> OnlineTable:
        table = OnlineTable.opened("table-1", self.opening, START)
        for text in self.entries:
            number, at, author, kind, data, cause = json.loads(text)
            table = table.after(Entry(number, at, author, kind, data, cause))
        return table

    def gather(self, *names: str, chains: bool = True) -> None:
        for name in names:
            self.do(self.table.join(name, f"key-{name[0].lower()}", self.now))
        for seat, one in enumerate(self.table.seats):
            if chains and not one.bot:
                self.chains[seat] = Chain()
                self.do(self.table.share(seat, self.chains[seat].anchor, self.now))

    def begin(self) -> None:
        self.do(self.table.start(self.table.host or 0, self.now))
        for seat, chain in self.chains.items():
            self.do(self.table.open_chain(seat, chain.next(), self.now))
            chain.shown += 1

    def act(self, *actions: Action, seat: int | None = None, seen: int | None = None) -> OnlineTable:
        seat = self.table.to_play if seat is None else seat
        assert seat is not None
        chain = self.chains.get(seat)
        rolls = any(isinstance(action, RollOn | TakeOver | Announce) for action in actions)
        link = chain.next() if chain and rolls else None
        self.now += 1
        seen = self.table.number if seen is None else seen
        table = self.do(self.table.act(seat, actions, seen=seen, link=link, now=self.now))
        share = table.seats[seat].share
        if chain and share:
            chain.shown = share.count
        return table

    def play(self, rng: random.Random) -> None:
        """One decision of whoever is to play, a bot included."""
        if self.table.awaits == "bot":
            self.do(self.table.let_bot_play(self.now))
            return
        position = self.table.table.position  # type: ignore[union-attr]
        if position.phase in ("roll", "start"):
            self.act(RollOn())
        else:
            plan = rng.choice(legal_plans(position))
            self.act(
                *([] if plan.keep is None else [SetAside(plan.keep.dice)]), *([] if plan.then is None else [plan.then])
            )

    def play_on(self, rng: random.Random, most: int = 3000) -> None:
        while self.table.stage == "playing" and most:
            self.play(rng)
            most -= 1
        assert self.table.stage == "over"
