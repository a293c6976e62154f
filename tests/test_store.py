"""The journal: what is appended is loaded, a number is taken once, and nothing that was acknowledged is ever lost."""

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Awaitable, Callable
from http.client import HTTPException
from pathlib import Path

import pytest

from cinqmille.actions import Points, RollOn
from cinqmille.errors import IllegalAction
from cinqmille.record import Game
from cinqmille.rules import Rules
from cinqmille.store import Kept, Store
from playing import games

ME, OTHER = "m" * 30, "o" * 30


def new(rules: str = "cinq-des", **headers: str) -> Game:
    return Game.new(Rules.parse(rules), ("Ana", "Ben"), {"dice": "real"} | headers)


def stored(database: str, work: Callable[[Store], Awaitable[None]]) -> None:
    """Do some work with a store."""

    async def done() -> None:
        store = await Store.open(database)
        await work(store)
        await store.close()

    asyncio.run(done())


async def loaded(store: Store, id: str) -> Kept:
    kept = await store.load(id)
    assert kept is not None
    return kept


@pytest.mark.parametrize(
    ("rules", "players"),
    [("cinq-des(takeover=always, prediction=true, equal_scores=fall, strike=true)", 3), ("six-des", 2)],
)
def test_every_action_that_is_appended_is_loaded(database: str, rules: str, players: int) -> None:
    async def work(store: Store) -> None:
        before = None
        for number, game in enumerate(games(random.Random(7), Rules.parse(rules), players, most=120, table=0.1)):
            if before is None:
                await store.create("one", ME, game)
            else:
                await store.append("one", number, before, game)
            kept = await loaded(store, "one")
            assert (kept.game, kept.number) == (game, number)
            before = game

    stored(database, work)


def test_an_entry_may_hold_several_actions_and_a_roll_not_yet_made(database: str) -> None:
    async def work(store: Store) -> None:
        game = Game.parse("rules: cinq-des\nplayers: Ana, Ben\nAna: 11123\n")
        await store.create("one", ME, game)
        after = Game.parse("rules: cinq-des\nplayers: Ana, Ben\nAna: 11123>111\n").play(RollOn())
        await store.append("one", 1, game, after)
        assert (await loaded(store, "one")).game == after

    stored(database, work)


def test_undo_and_corrections_are_entries_like_others(database: str) -> None:
    async def work(store: Store) -> None:
        first = new().play(Points(800))
        await store.create("one", ME, first)
        second = first.play(Points(900))
        await store.append("one", 1, first, second)
        await store.append("one", 2, second, first)
        assert (await loaded(store, "one")).game == first
        corrected = second.corrected(1, "=1000")
        await store.append("one", 3, first, corrected)
        kept = await loaded(store, "one")
        assert (kept.game, kept.number) == (corrected, 3)

    stored(database, work)


def test_a_number_is_taken_once(database: str) -> None:
    async def work(store: Store) -> None:
        game = new()
        await store.create("one", ME, game)
        await store.append("one", 1, game, game.play(Points(800)))
        with pytest.raises(IllegalAction) as caught:
            await store.append("one", 1, game, game.play(Points(1000)))
        assert caught.value.code == "stale"
        assert (await loaded(store, "one")).game == game.play(Points(800))
        results = await asyncio.gather(
            *(store.append("one", 2, game, game.play(Points(900 + 50 * place))) for place in range(8)),
            return_exceptions=True,
        )
        assert sum(result is None for result in results) == 1
        assert all(result is None or isinstance(result, IllegalAction) for result in results)

    stored(database, work)


def test_an_entry_of_no_table_is_refused(database: str) -> None:
    async def work(store: Store) -> None:
        with pytest.raises(IllegalAction):
            await store.append("nobodys", 1, new(), new().play(Points(800)))
        assert await store.load("nobodys") is None

    stored(database, work)


def test_tables_are_listed_by_device_unfinished_ones_first(database: str) -> None:
    async def work(store: Store) -> None:
        game = new()
        for id, device in (("over", ME), ("old", ME), ("young", ME), ("foreign", OTHER)):
            await store.create(id, device, game)
        await store.append("over", 1, game, game.play(Points(5000)))
        await store.append("young", 1, game, game.play(Points(800)))
        assert [kept.id for kept in await store.of_device(ME)] == ["young", "old", "over"]
        await store.append("old", 1, game, game.play(Points(800)))
        listed = await store.of_device(ME)
        assert [kept.id for kept in listed] == ["old", "young", "over"]
        assert listed[0].game == game.play(Points(800))

    stored(database, work)


def test_only_its_device_deletes_a_table_with_all_its_entries(database: str) -> None:
    async def work(store: Store) -> None:
        game = new()
        await store.create("one", ME, game)
        await store.append("one", 1, game, game.play(Points(800)))
        assert not await store.forget("one", OTHER)
        assert await store.load("one") is not None
        assert await store.forget("one", ME)
        assert await store.load("one") is None
        await store.create("one", ME, game)  # and none of the former entries come back
        assert (await loaded(store, "one")).number == 0

    stored(database, work)


def test_small_values_are_kept_by_device(database: str) -> None:
    async def work(store: Store) -> None:
        await store.remember(ME, "names", ["Zoé"])
        await store.remember(ME, "names", ["Zoé", "Ana"])
        assert await store.recall(ME, ["names", "setup"]) == {"names": ["Zoé", "Ana"]}
        assert await store.recall(OTHER, ["names"]) == {}

    stored(database, work)


# A server that is killed


class Killed:
    """A server that is killed again and again while a client plays; the client writes down what it was told."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.database = folder, database
        self.acknowledged = 0  # entries whose answer came
        self.in_flight = 0  # kills that met a request on its way
        self.kills = 0
        self._waiting = threading.Event()

    def start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "cinqmille", "serve", "--no-browser", "--port", "0"]
        environment = os.environ | {"CINQMILLE_DATABASE": self.database, "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.search(r"http://\S+", line)
        assert match is not None, line
        self.url = match[0].rstrip("/")
        return process

    def run(self, id: str, rng: random.Random) -> None:
        """Play until the server dies under the client's hands, some milliseconds after so many moves."""
        process = self.start()
        moves, killer = rng.randrange(6, 16), threading.Timer(rng.uniform(0.0, 0.02), self._kill, [process])
        log = (self.folder / "acknowledged").open("a", encoding="ascii")
        try:
            while True:
                seen = self._number(id)
                moves -= 1
                if not moves:
                    killer.start()
                self._waiting.set()
                self._post(id, seen)
                self._waiting.clear()
                self.acknowledged = seen + 1
                log.write(f"{self.acknowledged}\n")
                log.flush()
                os.fsync(log.fileno())
        except (OSError, HTTPException):  # the connection broke: the server is gone
            pass
        finally:
            killer.join()
            log.close()
            process.wait(10)
            assert process.stdout is not None
            process.stdout.close()
            self._waiting.clear()

    def _kill(self, process: subprocess.Popen[str]) -> None:
        self._waiting.wait(5)
        self.in_flight += self._waiting.is_set()
        process.send_signal(signal.SIGKILL)
        self.kills += 1

    def _number(self, id: str) -> int:
        with urllib.request.urlopen(f"{self.url}/t/{id}", timeout=5) as answer:
            match = re.search(r'data-number="(\d+)"', answer.read().decode())
        assert match is not None
        return int(match[1])

    def _post(self, id: str, seen: int) -> None:
        data = urllib.parse.urlencode({"seen": seen, "then": "points", "points": "50"}).encode()
        request = urllib.request.Request(f"{self.url}/t/{id}/play", data, {"HX-Request": "true"})
        with urllib.request.urlopen(request, timeout=5) as answer:
            text = answer.read().decode()
        assert f'data-number="{seen + 1}"' in text  # this is what the player saw


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(tmp_path: Path, database: str) -> None:
    game = new("cinq-des(entry=0, target=1000000)")

    async def open_table() -> None:
        store = await Store.open(database)
        await store.create("killed", ME, game)
        await store.close()

    async def look() -> Kept:
        store = await Store.open(database)
        kept = await loaded(store, "killed")
        await store.close()
        return kept

    asyncio.run(open_table())
    killed, rng = Killed(tmp_path, database), random.Random(5000)
    for _ in range(4):
        killed.run("killed", rng)
        kept = asyncio.run(look())
        # One entry more may have been written than its player was told; never one less.
        assert killed.acknowledged <= kept.number <= killed.acknowledged + 1
        assert len(kept.game.actions) == kept.number
        assert kept.game.position.scores[0] == 50 * ((kept.number + 1) // 2)
    told = [int(line) for line in (tmp_path / "acknowledged").read_text(encoding="ascii").split()]
    assert told == sorted(told)
    assert told[-1] == killed.acknowledged > 20
    assert killed.kills == 4
    assert killed.in_flight >= 3, "the kills have to meet work in flight"
