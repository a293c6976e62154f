"""Hundreds of tables played over the network while servers die, and the comparison of everything afterwards.

Programs hold several seats, some with chains; they lose connections, change servers, repeat what was acknowledged,
show secrets of other seats, and cut requests off. Every acknowledged action is written to a log outside the servers and
waited for. At the end the journals are read from the database, and the records by the referee and the check of the
dice, which share no code with the package.
"""

import asyncio
import hashlib
import json
import os
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import draws
import referee
from network import Answer, Connection, Lost, Server, request

RULES = (
    "cinq-des(entry=0, target=1000)", "cinq-des(entry=300, target=1500)", "six-des(entry=0, target=1500)",
    "zilch(entry=0, target=2000)", "greed-kata(target=1500)", "kingdom-come(target=1500)",
    "farkle-minimal(target=2000)", "wikipedia-5000(target=2000)", "zpag-5000(target=1500, entry=200)",
    "dix-mille-blog(target=2000, entry=300)",
)  # fmt: skip
NAMES = ("Ana", "Ben", "Cleo", "Dora", "Émile", "Fatou")
BOTS = ("steady:350", "beginner", "cautious", "gambler")
ROLLS = ("roll", "+", "?")
# A table at which nothing happens for so many seconds is stuck.
STUCK = 60.0
# What one hears later than so many seconds after it happened, one was not told.
LATE = 5.0


class Log:
    """What was acknowledged, on disk before anybody goes on."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab")
        self._lines: list[bytes] = []
        self._task: asyncio.Task[None] | None = None

    async def write(self, *what: object) -> None:
        self._lines.append(json.dumps(what).encode() + b"\n")
        while self._lines:
            if self._task is None or self._task.done():
                lines, self._lines = self._lines, []
                self._task = asyncio.create_task(asyncio.to_thread(self._keep, lines))
            await asyncio.shield(self._task)

    def _keep(self, lines: list[bytes]) -> None:
        self._file.writelines(lines)
        self._file.flush()
        os.fsync(self._file.fileno())

    async def close(self) -> None:
        if self._task is not None:
            await self._task
        self._file.close()


@dataclass
class Seat:
    """A seat of a program: its secret, its chain, and what it has heard of its table."""

    name: str
    secret: str
    links: list[str]
    place: int = -1
    heard: dict[int, Any] = field(default_factory=dict)


def chain_of(rng: random.Random, length: int = 400) -> list[str]:
    links = [rng.randbytes(32).hex()]
    while len(links) <= length:
        links.append(hashlib.sha256(bytes.fromhex(links[-1])).hexdigest())
    return links[::-1]


class Storm:
    """All tables, the servers they are played on, and what was found wrong."""

    def __init__(self, servers: list[Server], folder: Path, tables: int, seed: int) -> None:
        self.servers, self.tables, self.seed = servers, tables, seed
        self.path = folder / "acknowledged"
        self.log = Log(self.path)
        self.found: list[str] = []
        self.counts: Counter[str] = Counter()
        self.games: list[Game] = []
        self.waits: list[float] = []
        self.over = asyncio.Event()

    def wrong(self, what: str) -> None:
        self.found.append(what)

    async def run(self, trouble: Callable[[], Awaitable[None]] | None) -> None:
        """Play all tables to the end, in ``trouble``, and compare everything."""
        await asyncio.gather(*(server.ready() for server in self.servers))
        troubles = asyncio.ensure_future(trouble()) if trouble else None
        self.games = [Game(self, number) for number in range(self.tables)]
        begun = time.monotonic()
        await asyncio.gather(*(game.run() for game in self.games))
        self.counts["seconds"] = round(time.monotonic() - begun)
        self.over.set()
        if troubles is not None:
            await troubles
        await asyncio.gather(*(server.ready() for server in self.servers))
        for game in self.games:
            if not game.stuck:
                await game.compare()
        await self.log.close()
        await asyncio.sleep(0.05)  # connections that were cut off are let go of
        self.compare_journals()
        for server in self.servers:
            for line in server.warnings():
                self.counts[f"log: {line}"] += 1
            if failures := server.failures():
                self.wrong(f"{failures} failures in {server.log}")

    async def kills(self, every: float, rng: random.Random) -> None:
        """Kill a random server every few seconds and start it again at the same port."""
        while not self.over.is_set():
            await self.pause(every * rng.uniform(0.6, 1.4))
            if self.over.is_set():
                return
            server = rng.choice(self.servers)
            self.counts["kills"] += 1
            self.counts["kills with work in flight"] += server.in_flight > 0
            self.counts["requests in flight when killed"] += server.in_flight
            server.kill()
            await asyncio.sleep(rng.uniform(0, 0.5))
            server.start()
            with suppress(TimeoutError):
                await server.ready()

    async def pause(self, seconds: float) -> None:
        """Wait, but no longer than the games last."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.over.wait(), seconds)

    def compare_journals(self) -> None:
        """Compare what was acknowledged with what is in the database, read from it directly."""
        journals = journals_of(self.servers[0].database)
        acknowledged: dict[str, dict[int, Any]] = {}
        for line in self.path.read_text("utf-8").splitlines():
            kind, id, *what = json.loads(line)
            if id not in journals:
                self.wrong(f"{id}: an acknowledged table is missing")
            elif kind == "seat":
                if not any(entry["kind"] == "joined" and entry["data"]["name"] == what[0] for entry in journals[id]):
                    self.wrong(f"{id}: the seat of {what[0]} is missing")
            elif kind == "action":
                number, seat, actions, dice = what
                acknowledged.setdefault(id, {})[number] = (seat, actions, dice)
        for game in self.games:
            journal = journals.get(game.id, [])
            if [entry["number"] for entry in journal] != list(range(1, len(journal) + 1)):
                self.wrong(f"{game.id}: numbers are doubled or missing")
            self._compare(game, journal, acknowledged.get(game.id, {}))
            for one in game.seats:
                for number, heard in one.heard.items():
                    if number > len(journal) or told(journal[number - 1]) != heard:
                        self.wrong(f"{game.id}: {one.name} heard an entry {number} that is not in the journal")

    def _compare(self, game: "Game", journal: list[Any], acknowledged: dict[int, Any]) -> None:
        for number, (seat, actions, dice) in acknowledged.items():
            self.counts["acknowledged actions"] += 1
            if number > len(journal):
                self.wrong(f"{game.id}: acknowledged action {number} is missing")
                continue
            entry = journal[number - 1]
            if entry["kind"] != "acted" or entry["author"] != seat or not same(entry["data"]["actions"], actions, dice):
                self.wrong(f"{game.id}: acknowledged action {number} is another one: {actions}, {entry}")
        for entry in journal:
            number = entry["number"]
            if entry["kind"] != "acted" or entry["cause"] or number in acknowledged:
                continue
            if any(same(entry["data"]["actions"], actions, None) for actions in game.unknown.get(number, ())):
                self.counts["stored but never answered"] += 1
            else:
                self.wrong(f"{game.id}: action {number} was refused, or nobody sent it: {entry}")


def same(stored: list[str], sent: list[str], dice: str | None) -> bool:
    """Whether what is stored is what was sent, with the dice that were answered."""
    drawn = [word for word in stored if word.isdigit()]
    asked = [word for word in stored if not word.isdigit()]
    if dice is not None and (not drawn or drawn[-1] != dice):
        return False
    # Where there is nothing to decide about a roll, it has no word of its own beside its dice.
    return asked == sent or (sent[-1] == "roll" and asked == sent[:-1] and len(drawn) == 1)


def told(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry as the API tells it."""
    data = {name: value for name, value in entry["data"].items() if name != "key"}
    found = {"number": entry["number"], "at": round(entry["at"], 3), "seat": entry["author"], "kind": entry["kind"]}
    return found | data | ({"cause": entry["cause"]} if entry["cause"] else {})


def journals_of(database: str) -> dict[str, list[dict[str, Any]]]:
    """All journals of a database, read without the package."""
    wanted = 'SELECT "table", number, at, author, kind, content, cause FROM entries ORDER BY "table", number'
    if database.startswith("sqlite:///"):
        with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as connection:
            ids, rows = connection.execute("SELECT id FROM tables").fetchall(), connection.execute(wanted).fetchall()
    else:
        import psycopg

        with psycopg.connect(database) as connected:
            ids, rows = connected.execute("SELECT id FROM tables").fetchall(), connected.execute(wanted).fetchall()
    found: dict[str, list[dict[str, Any]]] = {id: [] for (id,) in ids}
    for id, number, at, author, kind, content, cause in rows:
        found[id].append(
            {"number": number, "at": at, "author": author, "kind": kind, "data": json.loads(content), "cause": cause}
        )
    return found


class Game:
    """One table, the programs at it, and what they know of it."""

    def __init__(self, storm: Storm, number: int) -> None:
        self.storm = storm
        self.rng = rng = random.Random(f"{storm.seed} {number}")
        self.rules = rng.choice(RULES)
        people = rng.randint(1, 4)
        self.bots = rng.randint(0 if people > 1 else 1, 2)
        self.seats = [
            Seat(name, f"{rng.randbytes(16).hex()}-{name.encode().hex()}", chain_of(rng) if rng.random() < 0.6 else [])
            for name in NAMES[:people]
        ]
        self.id = ""
        self.stuck = False
        self.number = -1
        self.moved = time.monotonic()
        self.unknown: dict[int, list[list[str]]] = {}
        self.done: list[tuple[Seat, dict[str, Any]]] = []

    async def run(self) -> None:
        """Open the table, seat everybody, play; a table at which nothing happens any more is told and left."""
        work = asyncio.ensure_future(self._run())
        while not work.done():
            await asyncio.wait([work], timeout=1)
            if time.monotonic() - self.moved > STUCK and not work.done():
                self.stuck = True
                self.storm.wrong(f"{self.id or 'a table'} ({self.rules}) is stuck at {self.number}")
                work.cancel()
        with suppress(asyncio.CancelledError):
            await work

    async def _run(self) -> None:
        programs = [Program(self, seat) for seat in self.seats]
        host = programs[0]
        bots = [{"bot": self.rng.choice(BOTS), "name": f"Bot {number}"} for number in range(self.bots)]
        body = {"rules": self.rules, "pace": self.rng.choice((0, 0, 100)), "bots": bots}
        answer = await host.surely("POST", "/api/tables", body | host.introduced)
        self.id = answer["id"]
        await self.storm.log.write("table", self.id)
        for program in programs[1:]:
            await program.surely("POST", f"/api/tables/{self.id}/seats", program.introduced)
            await self.storm.log.write("seat", self.id, program.seat.name)
        while (state := await host.see())["stage"] == "gathering":
            await host.surely("POST", f"/api/tables/{self.id}/start")
        for program in programs:
            names = [one["name"] for one in state["seats"]]
            program.seat.place = names.index(program.seat.name)
        for program in programs:
            if program.seat.links:
                await program.surely("POST", f"/api/tables/{self.id}/chain", {"opening": program.seat.links[1]})
        try:
            await asyncio.gather(*(program.play() for program in programs))
        finally:
            for program in programs:
                program.close()

    def at(self, number: int) -> None:
        """The table has this number now."""
        if number > self.number:
            self.number, self.moved = number, time.monotonic()

    async def compare(self) -> None:
        """What every server says of the game when it is over, and what the referee and the dice say of it."""
        texts = set()
        for server in self.storm.servers:
            connection = await Connection.open(server.port)
            state = (await connection.ask(request("GET", f"/api/tables/{self.id}"))).data
            texts.add((await connection.ask(request("GET", f"/api/tables/{self.id}/record"))).body.decode())
            connection.close()
            if state["stage"] != "over":
                self.storm.wrong(f"{self.id}: not over on every server")
                return
        if len(texts) != 1:
            self.storm.wrong(f"{self.id}: servers have different records")
        for text in texts:
            try:
                result = referee.referee(text)
                draws.checked(text)
            except (referee.RefereeError, draws.Refused) as error:
                self.storm.wrong(f"{self.id} ({self.rules}): {type(error).__module__} refuses the record: {error}")
                return
            winners = [state["seats"][seat]["name"] for seat in state["winners"]]
            if result["scores"] != [one["score"] for one in state["seats"]] or result["winners"] != winners:
                self.storm.wrong(f"{self.id} ({self.rules}): the referee has other scores: {result}")
            self.storm.counts["records that the referee and the dice confirm"] += 1


class Program:
    """Plays one seat over a network that nobody can rely on."""

    def __init__(self, game: Game, seat: Seat) -> None:
        self.game, self.seat, self.storm, self.rng = game, seat, game.storm, game.rng
        self._connection: Connection | None = None
        self._server = self.rng.choice(self.storm.servers)

    @property
    def introduced(self) -> dict[str, str]:
        """How the program sits down."""
        links = self.seat.links
        return {"name": self.seat.name, "secret": self.seat.secret} | ({"anchor": links[0]} if links else {})

    async def ask(self, sent: bytes, *, counted: bool = True) -> Answer:
        """Send a request to some server; raises Lost."""
        if self._connection is None or self._connection.lost.done() or self.rng.random() < 0.02:
            self.close()
            self._server = self.rng.choice(self.storm.servers)
            self._connection = await Connection.open(self._server.port)
        server = self._server
        server.in_flight += counted
        try:
            answer = await self._connection.ask(sent)
        finally:
            server.in_flight -= counted
        if answer.status >= 500 and answer.status != 503:
            self.storm.wrong(f"{answer.status}: {sent!r} -> {answer.body!r}")
        return answer

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def later(self) -> None:
        """Wait a moment after something was lost."""
        self.close()
        await asyncio.sleep(self.rng.uniform(0.05, 0.4))

    async def surely(self, method: str, path: str, body: object = None) -> Any:
        """Ask until it is answered; whatever is asked here may be asked twice."""
        while True:
            with suppress(Lost):
                answer = await self.ask(request(method, path, body, self.seat.secret))
                if answer.status in (200, 201):
                    return answer.data
                if answer.code in ("already_begun", "not_yet") and method == "POST":
                    return {}  # it was done before, by a request whose answer was lost
                if answer.status not in (503, 409, 429):
                    self.storm.wrong(f"{method} {path} -> {answer.status} {answer.body!r}")
                self.storm.counts[f"answered {answer.status}"] += 1
            await self.later()

    async def see(self) -> Any:
        """The table as it stands."""
        state = await self.surely("GET", f"/api/tables/{self.game.id}")
        self.game.at(state["number"])
        return state

    async def play(self) -> None:
        """Play the seat to the end of the game."""
        streams = self.rng.random() < 0.5
        state = await self.see()
        while state["stage"] != "over":
            if state["awaits"] == "player" and state["to_play"] == self.seat.place:
                if self.rng.random() < 0.06:
                    await self.mischief(state)
                state = await self.act(state) or await self.see()
            else:
                try:
                    await (self.stream() if streams else self.wait(state["number"]))
                except Lost:
                    self.storm.counts["connections lost"] += 1
                    await self.later()
                state = await self.see()
        with suppress(Lost):
            await self.wait(0)

    def choice(self, state: Any) -> list[str]:
        """What to play: mostly what is worth most, and no longer than needed."""
        legal, keeps = state["legal"], state["keeps"]
        if keeps:
            keep = max(keeps, key=lambda one: one["points"]) if self.rng.random() < 0.7 else self.rng.choice(keeps)
            return [keep["action"]] + ([self.rng.choice(("=", "roll"))] if self.rng.random() < 0.5 else [])
        if "=" in legal and self.rng.random() < 0.7:
            return ["="]
        return [self.rng.choice(legal)]

    async def act(self, state: Any) -> Any:
        """Play once; returns the answer, None where there was none or a refusal."""
        actions, number = self.choice(state), state["number"]
        while True:
            body: dict[str, object] = {"seen": number, "actions": actions}
            link = state["seats"][self.seat.place]["links"] + 1
            if any(one.startswith(ROLLS) for one in actions) and link < len(self.seat.links):
                body["link"] = self.seat.links[link]
            sent = request("POST", f"/api/tables/{self.game.id}/actions", body, self.seat.secret)
            if self.rng.random() < 0.02:
                await self.cut(sent)
            begun = time.perf_counter()
            try:
                answer = await self.ask(sent)
            except Lost:
                self.storm.counts["actions without an answer"] += 1
                self.game.unknown.setdefault(number + 1, []).append(actions)
                await self.later()
                return None
            if answer.status == 200:
                break
            if answer.status == 422 and len(actions) == 2:
                actions = actions[:1]  # what should follow is not allowed here
                continue
            if answer.status == 503:
                self.game.unknown.setdefault(number + 1, []).append(actions)
                await self.later()
            elif answer.status != 409 and answer.code != "game_over":
                self.storm.wrong(f"{self.game.id}: {body} -> {answer.status} {answer.body!r}, at {state}")
                await self.later()
            self.storm.counts[f"answered {answer.status}"] += 1
            return None
        self.storm.waits.append(time.perf_counter() - begun)
        after = answer.data
        rolled = any(one.startswith(ROLLS) for one in actions) and after["number"] == number + 1
        dice = after["last_roll"] if rolled else None
        await self.storm.log.write("action", self.game.id, number + 1, self.seat.place, actions, dice)
        self.game.done.append((self.seat, body))
        self.game.at(number + 1)
        return after

    async def mischief(self, state: Any) -> None:
        """What must be refused, and change nothing: old requests, other seats' secrets, no secret."""
        path, body = f"/api/tables/{self.game.id}/actions", {"seen": state["number"], "actions": self.choice(state)}
        token, expected = self.rng.choice(
            [("x" * 30, (403,)), ("", (401,))]
            + [(one.secret, (422, 409)) for one in self.game.seats if one is not self.seat]
        )
        if self.game.done and self.rng.random() < 0.5:
            seat, body = self.rng.choice(self.game.done)
            token, expected = seat.secret, (409,)
        with suppress(Lost):
            answer = await self.ask(request("POST", path, body, token))
            self.storm.counts["old and foreign requests refused"] += answer.status in expected
            if answer.status not in (*expected, 503):
                self.storm.wrong(f"{self.game.id}: not to be played: {body} -> {answer.status} {answer.body!r}")

    async def cut(self, sent: bytes) -> None:
        """Send a part of a request and go away."""
        with suppress(Lost):
            connection = await Connection.open(self.rng.choice(self.storm.servers).port)
            connection.transport.write(sent[: self.rng.randrange(1, len(sent) - 1)])
            await asyncio.sleep(0)
            connection.transport.close()
            self.storm.counts["requests cut off"] += 1

    def hear(self, entry: Any) -> None:
        """Something happened; it must follow what was heard, and be the same whoever tells it."""
        number, heard = entry["number"], self.seat.heard
        self.game.at(number)
        if heard.setdefault(number, entry) != entry:
            self.storm.wrong(f"{self.game.id}: {self.seat.name} heard two different entries {number}")
        if number > 1 and number - 1 not in heard:
            self.storm.wrong(f"{self.game.id}: {self.seat.name} missed entry {number - 1}")

    async def wait(self, number: int) -> None:
        """Wait for what happens next."""
        after = max(self.seat.heard, default=0)
        path = f"/api/tables/{self.game.id}/events?after={after}&wait={0 if after < number else 10}"
        answer = await self.ask(request("GET", path, token=self.seat.secret), counted=False)
        if answer.status == 200:
            for entry in answer.data["entries"]:
                self.hear(entry)
            if not answer.data["entries"] and after >= number:
                await self.catch_up()
        elif answer.status == 503:
            raise Lost("the database")
        else:
            self.storm.wrong(f"{path} -> {answer.status} {answer.body!r}")

    async def stream(self) -> None:
        """Follow what happens until something does."""
        connection = await Connection.open(self.rng.choice(self.storm.servers).port)
        news: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def told(kind: str, data: str) -> None:
            if kind == "entry":
                self.hear(json.loads(data))
            if kind in ("entry", "refused") and not news.done():
                news.set_result(None)

        path = f"/api/tables/{self.game.id}/live?after={max(self.seat.heard, default=0)}"
        connection.follow(request("GET", path, token=self.seat.secret), told)
        await asyncio.wait([news, connection.lost], timeout=15, return_when=asyncio.FIRST_COMPLETED)
        deaf = not news.done() and not connection.lost.done()
        connection.close()
        if deaf:
            await self.catch_up()
        elif not news.done():
            raise Lost("cut off")

    async def catch_up(self) -> None:
        """Nothing was heard for long: then nothing happened either."""
        before = set(self.seat.heard)
        await self.wait(1 << 30)
        for number in set(self.seat.heard) - before:
            if (late := time.time() - self.seat.heard[number]["at"]) > LATE:
                self.storm.wrong(f"{self.game.id}: {self.seat.name} was not told of entry {number} for {late:.1f} s")
