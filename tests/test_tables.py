"""Online tables on running servers: what happens by itself, who is there, and several servers on one database."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from operator import methodcaller
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cinqmille import Position, Rules
from cinqmille.actions import Action, Bank, Roll, RollOn, SetAside, parse_action
from cinqmille.errors import IllegalAction, InvalidText
from cinqmille.fair import new_secret, verify
from cinqmille.online import PATIENCE, OnlineTable
from cinqmille.record import Game
from cinqmille.seating import Terms
from cinqmille.store import Journal, Store, StoreError
from cinqmille.web import live, tables
from cinqmille.web.counting import Counting
from cinqmille.web.live import DESERTED
from cinqmille.web.scene import scene
from cinqmille.web.tables import LINGERS, Far, Tables, new_id
from cinqmille.words import Words
from faraway import Chain
from postgres import Postgres

KEYS = ("key-of-ana", "key-of-ben", "key-of-cleo")


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A clock for the tables that can be put on."""
    ahead = [0.0]
    for one in (tables, live):
        monkeypatch.setattr(one, "time", SimpleNamespace(time=lambda: time.time() + ahead[0]))

    def put_on(seconds: float) -> None:
        ahead[0] += seconds

    return put_on


def served(database: str, servers: int, work: Callable[..., Awaitable[None]]) -> None:
    """Do some work with servers on one database."""

    async def done() -> None:
        running = []
        for _ in range(servers):
            tables = Tables(await Store.open(database))
            await tables.start()
            running.append(tables)
        try:
            await work(*running)
        finally:
            for tables in running:
                await tables.stop()
                await tables.store.close()

    asyncio.run(done())


async def gathered(tables: Tables, people: int = 2, *, bots: tuple[str, ...] = (), **terms: Any) -> Far:
    rules = Rules.parse("cinq-des(entry=0, target=1000)")
    agreed = Terms(rules, **{"pace": 0, **terms})
    live = await tables.open_far("device", agreed, new_secret(), "Ana", KEYS[0], new_id())
    for name, key in list(zip(("Ben", "Cleo"), KEYS[1:], strict=True))[: people - 1]:
        await tables.command(live, methodcaller("join", name, key, time.time()))
    for number, bot in enumerate(bots):
        await tables.command(live, methodcaller("seat_bot", 0, bot, f"Robo {number}", time.time()))
    return live


async def begun(tables: Tables, people: int = 2, *, bots: tuple[str, ...] = (), **terms: Any) -> Far:
    live = await gathered(tables, people, bots=bots, **terms)
    return await tables.command(live, lambda table: table.start(0, time.time()))


async def do(tables: Tables, live: Far, action: Action) -> None:
    """An action of whoever is to play."""
    number, seat = live.online.number, live.online.to_play
    assert seat is not None
    await tables.command(live, lambda table: table.act(seat, (action,), seen=number, link=None, now=time.time()))


async def roll(tables: Tables, live: Far) -> None:
    await do(tables, live, RollOn())


async def leave_to_a_bot(tables: Tables, live: Far) -> None:
    """A bot plays on for the first seat."""
    much = time.time() + 999
    await tables.command(live, lambda table: table.act_for(None, 0, "bot", seen=table.number, since=0, now=much))


async def until(true: Callable[[], object], seconds: float = 15.0) -> None:
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, "it does not come"
        await asyncio.sleep(0.005)


async def there(tables: Tables, live: Far) -> Far:
    """The same table on another server."""
    found = await tables.get(live.id)
    assert isinstance(found, Far)
    return found


@pytest.fixture
def shared(postgres: Postgres) -> str:
    """A database for several servers."""
    return postgres.new()


def test_bots_play_by_themselves_each_step_once(database: str) -> None:
    async def work(tables: Tables) -> None:
        live = await begun(tables, 1, bots=("steady:300", "beginner"))
        await until(lambda: live.online.awaits == "player")
        await leave_to_a_bot(tables, live)
        await until(lambda: live.online.stage == "over")
        journal = await tables.store.read(live.id)
        assert journal is not None
        assert [entry.number for entry in journal.entries] == list(range(1, live.online.number + 1))
        verify(live.online.record)

    served(database, 1, work)


def test_a_fault_while_a_bot_plays_is_logged_and_the_table_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    play, faults = OnlineTable.let_bot_play, [RuntimeError("a fault of ours")]

    def faulty(table: OnlineTable, now: float) -> Any:
        if faults:
            raise faults.pop()
        return play(table, now)

    async def work(tables: Tables) -> None:
        monkeypatch.setattr(OnlineTable, "let_bot_play", faulty)
        live = await begun(tables, 1, bots=("steady:300",))
        await leave_to_a_bot(tables, live)
        await until(lambda: live.online.stage == "over")

    served(f"sqlite:///{tmp_path / 'tables.sqlite3'}", 1, work)
    assert "a fault of ours" in caplog.text


def test_a_server_that_is_started_again_goes_on_where_a_bot_was_to_play(database: str) -> None:
    found: list[str] = []

    async def before(tables: Tables) -> None:
        live = await begun(tables, 1, bots=("steady:300",), pace=10_000)
        while live.online.awaits != "bot":
            if live.online.stage == "over":  # a lucky first turn
                live = await begun(tables, 1, bots=("steady:300",), pace=10_000)
            legal: Any = live.online.public()["legal"]
            await do(tables, live, parse_action(legal[0]))
        found.append(live.id)

    async def after(tables: Tables) -> None:
        live = await tables.get(found[0])
        assert isinstance(live, Far)
        assert live.online.awaits == "bot"
        number = live.online.number
        tables.plan(live)
        assert live.due is not None
        await tables.command(live, lambda table: table.let_bot_play(time.time()))
        assert live.online.number == number + 1

    served(database, 1, before)
    served(database, 1, after)


@pytest.mark.parametrize("way", ["bot", "skip", "remove"])
def test_what_was_agreed_on_for_the_absent_happens_by_itself(
    tmp_path_factory: pytest.TempPathFactory, later: Callable[[float], None], way: str
) -> None:  # report C029, C082
    async def work(tables: Tables) -> None:
        live = await begun(tables, 2, after=30, then=way)
        with tables.present(live, 1):
            await asyncio.sleep(0.05)
            assert live.online.to_play == 0
            assert not live.online.seats[0].stand_in
            later(31)
            tables.plan(live)
            if way == "bot":
                await until(lambda: live.online.seats[0].stand_in and live.online.to_play in (1, None))  # or it has won
            else:
                await until(lambda: live.online.to_play == 1)
            assert live.online.table is not None
            assert live.online.table.position.seats[0].away is (way == "remove")

    served(f"sqlite:///{tmp_path_factory.mktemp('away')}/tables.sqlite3", 1, work)


# Whatever is rolled, one die is 600 points.
RICH = "cinq-des(entry=0, " + ", ".join(f"{face}=600" for face in range(1, 7)) + ", target=5000)"


async def at_risk(tables: Tables, **terms: Any) -> Far:
    """A table where whoever began has 600 points at risk, and new dice to choose from."""
    agreed = Terms(Rules.parse(RICH), **{"pace": 0, **terms})
    live = await tables.open_far("device", agreed, new_secret(), "Ana", KEYS[0], new_id())
    for name, key in zip(("Ben", "Cleo"), KEYS[1:], strict=True):
        await tables.command(live, methodcaller("join", name, key, time.time()))
    live = await tables.command(live, lambda table: table.start(0, time.time()))
    await roll(tables, live)
    await do(tables, live, SetAside((live.game.position.roll[0],)))
    await roll(tables, live)
    assert (live.game.position.turn_points, live.game.position.to_play) == (600, 0)
    return live


@pytest.mark.parametrize("way", ["skip", "remove", "bot"])
def test_a_turn_that_nobody_goes_on_with_is_closed_as_agreed_and_told_in_words(
    tmp_path_factory: pytest.TempPathFactory,
    later: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    """Report C029, with points at risk: they are lost, or a robot plays on with them; a sentence says so; the next
    player is called."""

    monkeypatch.setattr("cinqmille.online.STAND_IN", "steady")  # where nothing busts, a better one wins at once

    async def work(tables: Tables) -> None:
        live = await at_risk(tables, after=30, then=way)
        with tables.present(live, 1) as watcher:
            await watcher.news(0.05)
            before = live.online.number
            later(31)
            tables.plan(live)
            await until(lambda: live.online.to_play == 1)
            assert await watcher.news(1), "the others are told"
            position = live.game.position
            assert position.scores[0] == (0 if way != "bot" else position.scores[0])
            assert way != "bot" or position.scores[0] == 0 or position.scores[0] >= 600
            for lang, skipped, gone, played in (
                ("en", "Ana misses a turn; 600 points are lost.", "Ana leaves", "Ana"),
                ("fr", "Ana passe son tour", "Ana quitte", "Ana"),
            ):
                seen = scene(live.online.table or live.table, live.course, Words(lang), mine=True)
                told = " ".join(line for _, line in seen.lines)
                assert {"skip": skipped, "remove": gone, "bot": played}[way] in told, told
                assert "{" not in told
                assert seen.playing == "Ben"
            decided = [one for one in await tables.entries(live, before) if one.cause == "absent"]
            assert len(decided) == 1, "once, however often the clock is looked at"
            public: Any = live.online.public(me=1)
            assert public["to_play"] == public["me"] == 1
            assert public["legal"]

    served(f"sqlite:///{tmp_path_factory.mktemp('closed')}/tables.sqlite3", 1, work)


def test_who_comes_back_within_the_delay_has_the_same_seat_dice_and_points(
    tmp_path_factory: pytest.TempPathFactory, later: Callable[[float], None]
) -> None:
    """Reports C081 and C084: 600 points at risk, 20 seconds without a network; the others see it, nobody is passed."""

    async def work(tables: Tables) -> None:
        live = await at_risk(tables, after=30, then="skip")
        with tables.present(live, 1) as watcher:
            with tables.present(live, 0):
                assert live.here(0)
            await watcher.news(0.1)
            before, moment = live.game.position, live.moment
            later(20)
            tables.plan(live)
            assert await watcher.news(2), "the others see that somebody is away"
            assert not live.here(0)
            assert live.moment != moment
            await asyncio.sleep(0.1)
            assert live.online.seat_of(KEYS[0]) == 0
            assert live.game.position is before, "a pause, and nothing else"
            with tables.present(live, 0):
                assert live.here(0)
                # A whole picture, not a part of one, and certainly not an empty one that looks like an end.
                public: Any = live.online.public(me=0)
                assert public["stage"] == "playing"
                assert public["to_play"] == public["me"] == 0
                assert Position.parse(public["position"]).turn_points == 600
                assert public["legal"]
                assert live.game.position.roll == before.roll
                await tables.command(
                    live,
                    lambda table: table.act(
                        0, (SetAside((before.roll[0],)), Bank()), seen=table.number, link=None, now=time.time()
                    ),
                )
                assert live.game.position.scores[0] == 1200

    served(f"sqlite:///{tmp_path_factory.mktemp('back')}/tables.sqlite3", 1, work)


def test_the_end_is_announced_once_and_the_table_is_let_go(database: str) -> None:
    """Report C071: the last bank of a game, by whoever makes it, holds no lock that somebody else waits for."""

    async def work(tables: Tables) -> None:
        live = await begun(tables, 2, bots=("steady:300",))
        with tables.present(live, 0) as ana, tables.present(live, 1) as ben:
            number = live.online.number

            async def heard(watcher: Any) -> list[str]:
                """What somebody is told who takes every entry after the last one."""
                last, stages = number, list[str]()
                while live.online.stage != "over" or last < live.online.number:
                    await watcher.news(0.5)
                    for entry in await tables.entries(live, last):
                        assert entry.number == last + 1
                        last = entry.number
                    if live.online.stage == "over" and (not stages or stages[-1] != "over"):
                        stages.append("over")
                return stages

            listening = [asyncio.ensure_future(heard(one)) for one in (ana, ben)]
            async with asyncio.timeout(60):
                while live.online.stage != "over":
                    if live.online.awaits == "bot":
                        await asyncio.sleep(0.001)
                        continue
                    legal: Any = live.online.public()["legal"]
                    action = next((one for one in legal if "=" in str(one)), legal[0])
                    seen, seat = live.online.number, live.online.to_play
                    await tables.command(
                        live,
                        lambda table, action=action, seen=seen, seat=seat: table.act(  # type: ignore[misc]
                            seat or 0, (parse_action(action),), seen=seen, link=None, now=time.time()
                        ),
                    )
                assert [await one for one in listening] == [["over"], ["over"]]
            await until(lambda: not live.lock.locked(), 5)  # others look for what is stored, and let go
            assert live.due is None, "no clock goes on"
            last = live.online.number
            ending = await tables.entries(live, last - 1)
            assert len(ending) == 1
            # Whatever is asked now is answered at once, and says that the game is over.
            for command in (
                lambda table: table.act(0, (RollOn(),), seen=table.number, link=None, now=time.time()),
                lambda table: table.come_back(0, time.time()),
            ):
                with pytest.raises(IllegalAction) as raised:
                    await asyncio.wait_for(tables.command(live, command), 5)
                assert raised.value.code == "game_over"
            await asyncio.sleep(0.05)
            assert live.online.number == last
        assert [one.id for one in await tables.store.finished()] == [live.id]

    served(database, 1, work)


def test_a_game_is_counted_when_its_end_is_stored_and_not_before(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Report C079: until the journal has the last entry, no statistics know of the end; then they have its dice."""

    async def work(tables: Tables) -> None:
        counting, write, waits, goes = Counting(tables.store), tables.store.write, asyncio.Event(), asyncio.Event()

        async def slowly(*arguments: Any, over: bool = False, **more: Any) -> None:
            if over:
                waits.set()
                await goes.wait()
            await write(*arguments, over=over, **more)

        monkeypatch.setattr(tables.store, "write", slowly)
        live = await begun(tables, 1, bots=("steady:300",))
        await until(lambda: live.online.awaits == "player")
        await leave_to_a_bot(tables, live)
        await asyncio.wait_for(waits.wait(), 30)
        for _ in range(3):
            found = await counting.count()
            await asyncio.sleep(0.02)
            assert (found.games, found.left, found.dice.rolls) == (0, 0, 0)
            assert live.online.stage == "playing", "saved, then shown"
        goes.set()
        await until(lambda: live.online.stage == "over")
        journal = await tables.store.read(live.id)
        assert journal is not None
        assert journal.over
        await counting.count()
        for _ in range(500):
            if (found := await counting.count()).games:
                break
            await asyncio.sleep(0.01)
        rolls = sum(isinstance(one, Roll) for one in live.game.actions)
        assert (found.games, found.left, found.dice.rolls) == (1, 0, rolls)
        assert found.dice.dice >= rolls > 0
        assert found.dice.expected > 0, "averages are not zero"
        await counting.stop()

    served(database, 1, work)


def test_a_game_that_is_stored_after_one_that_ended_later_is_counted_too(database: str) -> None:
    """Report C079 once more: two servers, whose clocks differ a little."""

    async def work(tables: Tables) -> None:
        counting, now = Counting(tables.store), time.time()
        won = Game.parse("rules: cinq-des\nplayers: Ana, Ben\ndice: seed 1\nAna: 11111\n")
        begun = Game.parse("rules: cinq-des\nplayers: Ana, Ben\ndice: seed 1\n")

        async def stored(id: str, at: float) -> None:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(time, "time", lambda: at)
                await tables.store.create(id, "somebody", begun)
                await tables.store.append(id, 1, begun, won)

        async def all_counted(games: int) -> None:
            for _ in range(500):
                found = await counting.count()
                if not found.left and found.games == games:
                    break
                await asyncio.sleep(0.01)
            assert (found.games, found.left, found.dice.rolls) == (games, 0, games)

        await stored("first", now)
        await all_counted(1)
        await stored("late", now - 5)
        await all_counted(2)
        await stored("later", now - 7)
        await stored("next", now + 1)
        await all_counted(4)
        await counting.stop()

    served(database, 1, work)


def test_the_others_decide_where_that_was_agreed_on_and_are_told_when_they_may(
    tmp_path_factory: pytest.TempPathFactory, later: Callable[[float], None]
) -> None:
    async def work(tables: Tables) -> None:
        live = await begun(tables, 2, after=30, then="ask")
        with tables.present(live, 1) as watcher:
            await watcher.news(0.05)
            later(LINGERS + 1)
            tables.plan(live)
            assert await watcher.news(2), "the others see that somebody is away"
            assert not live.here(0)
            later(31)
            tables.plan(live)
            assert await watcher.news(2), "the others see that they may act"
            number = live.online.number
            await asyncio.sleep(0.05)
            assert live.online.number == number, "nothing happens by itself"

    served(f"sqlite:///{tmp_path_factory.mktemp('away')}/tables.sqlite3", 1, work)


def test_a_server_that_was_down_makes_nobody_absent(
    tmp_path_factory: pytest.TempPathFactory, later: Callable[[float], None]
) -> None:
    database, found = f"sqlite:///{tmp_path_factory.mktemp('down')}/tables.sqlite3", list[str]()

    async def before(tables: Tables) -> None:
        found.append((await begun(tables, 2, after=30, then="remove")).id)

    async def after(tables: Tables) -> None:
        live = await tables.get(found[0])
        assert isinstance(live, Far)
        await asyncio.sleep(0.1)
        assert live.here(0)
        assert live.here(1)
        assert live.online.to_play == 0

    served(database, 1, before)
    later(60)  # longer than agreed, shorter than somebody who is there is waited for
    served(database, 1, after)


def test_what_one_server_stores_is_shown_by_the_others(shared: str) -> None:
    async def work(here: Tables, elsewhere: Tables) -> None:
        live = await begun(here, 2)
        other = await there(elsewhere, live)
        with elsewhere.present(other, 1) as watcher:
            await watcher.news(0.2)
            await roll(here, live)
            await until(lambda: other.online.number == live.online.number)
            assert await watcher.news(5)
        assert other.online.record == live.online.record

    served(shared, 2, work)


def test_what_is_stored_elsewhere_while_a_table_is_loaded_is_shown_too(
    shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(here: Tables, elsewhere: Tables) -> None:
        live = await begun(here, 2)
        read = elsewhere.store.read

        async def slowly(id: str) -> Journal | None:
            journal = await read(id)
            await roll(here, live)
            await asyncio.sleep(0.3)  # the word of it comes before the table is there
            return journal

        monkeypatch.setattr(elsewhere.store, "read", slowly)
        other = await there(elsewhere, live)
        await until(lambda: other.online.number == live.online.number, 3)

    served(shared, 2, work)


def test_what_a_server_has_not_heard_of_yet_is_no_reason_to_refuse(
    shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(here: Tables, elsewhere: Tables) -> None:
        live = await gathered(here, 1)
        other = await there(elsewhere, live)
        monkeypatch.setattr(elsewhere, "_follow", lambda *_: asyncio.sleep(0))  # it is deaf
        await here.command(live, methodcaller("join", "Ben", KEYS[1], time.time()))
        await elsewhere.command(other, methodcaller("join", "Cleo", KEYS[2], time.time()))
        assert [one.name for one in other.online.seats] == ["Ana", "Ben", "Cleo"]
        await until(lambda: live.online.number == other.online.number)
        chain = Chain()
        await here.command(live, methodcaller("share", 0, chain.anchor, time.time()))
        await here.command(live, methodcaller("start", 0, time.time()))
        await elsewhere.command(other, methodcaller("open_chain", 0, chain.next(), time.time()))
        assert other.online.stage == "playing"

    served(shared, 2, work)


def test_two_servers_that_act_at_once_never_both_win(shared: str) -> None:
    async def work(here: Tables, elsewhere: Tables) -> None:
        live = await begun(here, 2)
        other = await there(elsewhere, live)
        done = await asyncio.gather(roll(here, live), roll(elsewhere, other), return_exceptions=True)
        (refused,) = [one for one in done if one is not None]
        assert isinstance(refused, IllegalAction)
        assert refused.code == "stale"
        await until(lambda: other.online.number == live.online.number)
        assert other.online.record == live.online.record

    served(shared, 2, work)


def test_bots_make_each_step_once_however_many_servers_watch(shared: str) -> None:
    async def work(here: Tables, elsewhere: Tables) -> None:
        live = await begun(here, 1, bots=("steady:300", "beginner", "steady:500"))
        other = await there(elsewhere, live)
        with here.present(live, 0), elsewhere.present(other, None):
            await leave_to_a_bot(here, live)
            await until(lambda: live.online.stage == "over" and other.online.stage == "over", 60)
        assert other.online.record == live.online.record
        verify(live.online.record)

    served(shared, 2, work)


def test_bots_go_on_at_another_server_when_theirs_is_gone(shared: str) -> None:
    async def work(here: Tables, elsewhere: Tables) -> None:
        live = await begun(here, 1, bots=("steady:300",))
        other = await there(elsewhere, live)
        await leave_to_a_bot(here, live)
        await here.stop()
        with elsewhere.present(other, None):
            await until(lambda: other.online.stage == "over", 60)

    served(shared, 2, work)


def test_who_is_there_is_known_to_every_server(shared: str, later: Callable[[float], None]) -> None:
    async def work(here: Tables, elsewhere: Tables) -> None:
        live = await begun(here, 2)
        other = await there(elsewhere, live)
        later(LINGERS + 1)
        assert not other.here(1)
        with elsewhere.present(other, None) as watcher, here.present(live, 1):
            await until(lambda: other.here(1))
            assert await watcher.news(5)

    served(shared, 2, work)


def test_a_command_that_could_not_be_stored_changes_nothing_and_the_next_one_finds_the_truth(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(tables: Tables) -> None:
        live = await begun(tables, 2)
        number, write = live.online.number, tables.store.write

        async def broken(*_: object, **__: object) -> None:
            raise StoreError("not_stored")

        async def doubtful(*arguments: object, **more: object) -> None:
            await write(*arguments, **more)  # type: ignore[arg-type]
            raise StoreError("not_stored")

        monkeypatch.setattr(tables.store, "write", broken)
        with pytest.raises(StoreError):
            await roll(tables, live)
        assert live.online.number == number
        # The database went away in the very moment: whoever asks is told so, and the table shows what is stored.
        monkeypatch.setattr(tables.store, "write", doubtful)
        with pytest.raises(StoreError):
            await roll(tables, live)
        assert live.online.number == number + 1
        journal = await tables.store.read(live.id)
        assert journal is not None
        assert journal.entries[-1].number == number + 1

    served(database, 1, work)


def test_a_table_deleted_meanwhile_is_gone_for_everybody(database: str) -> None:
    async def work(tables: Tables) -> None:
        live = await begun(tables, 2)
        assert await tables.store.delete(live.id)
        with pytest.raises(IllegalAction) as raised:
            await roll(tables, live)
        assert raised.value.code == "table_gone"
        assert await tables.get(live.id) is None

    served(database, 1, work)


def test_a_table_that_was_deleted_by_hand_is_not_shown_any_more(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL tells it at once; in an SQLite file it is looked for now and then."""

    async def work(here: Tables) -> None:
        live, other = await begun(here, 2), await begun(here, 2)
        by_hand = await Store.open(database)
        assert await by_hand.delete(live.id)
        assert await by_hand.prune(0.0) == []
        await by_hand.close()
        if here.store.shared:
            await until(lambda: live.found < 0)
        else:
            assert await here.get(live.id) is live
            monkeypatch.setattr("cinqmille.web.tables._BELIEVED", 0.0)
        assert await here.get(live.id) is None
        assert await here.get(live.id) is None
        assert await here.get(other.id) is other
        assert len(here) == 1

    served(database, 1, work)


def test_a_caller_that_goes_away_leaves_no_half_of_a_move(database: str) -> None:
    async def work(tables: Tables) -> None:
        live = await begun(tables, 2)
        number = live.online.number
        task = asyncio.ensure_future(roll(tables, live))
        await asyncio.sleep(0)
        task.cancel()
        await until(lambda: live.online.number == number + 1)

    served(database, 1, work)


def test_a_table_that_everybody_has_left_does_not_go_on(
    tmp_path_factory: pytest.TempPathFactory, later: Callable[[float], None]
) -> None:
    async def work(tables: Tables) -> None:
        live = await begun(tables, 2, after=30, then="skip")
        later(60)
        number = live.online.number
        tables.plan(live)
        await asyncio.sleep(0.3)
        assert live.online.number == number
        with tables.present(live, 1):  # somebody is back: now the other one's turn is skipped, once
            await until(lambda: live.online.to_play == 1)
            await asyncio.sleep(0.2)
            assert live.online.number == number + 1

    served(f"sqlite:///{tmp_path_factory.mktemp('left')}/tables.sqlite3", 1, work)


def test_bots_rest_where_nobody_looks_and_go_on_when_somebody_does(
    tmp_path_factory: pytest.TempPathFactory, later: Callable[[float], None]
) -> None:
    async def work(tables: Tables) -> None:
        live = await begun(tables, 1, bots=("steady:300",), pace=50)
        later(DESERTED + 1)
        await leave_to_a_bot(tables, live)
        number = live.online.number
        tables.plan(live)
        await asyncio.sleep(0.3)
        assert live.online.number == number
        with tables.present(live, None):
            await until(lambda: live.online.number > number + 2)

    served(f"sqlite:///{tmp_path_factory.mktemp('rest')}/tables.sqlite3", 1, work)


def test_a_table_whose_first_commands_are_refused_is_not_opened(database: str) -> None:
    async def work(tables: Tables) -> None:
        terms, id = Terms(Rules.parse("cinq-des"), seats=2), new_id()
        same = methodcaller("seat_bot", 0, "steady", "Ana", time.time())
        with pytest.raises(InvalidText):
            await tables.open_far("device", terms, new_secret(), "Ana", KEYS[0], id, [same])
        assert await tables.get(id) is None

    served(database, 1, work)


def test_what_another_server_acknowledged_is_seen_by_whoever_asks_next(
    shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tables, "_changed", lambda *_: None)  # the bell is slow

    async def work(here: Tables, elsewhere: Tables) -> None:
        live = await gathered(here, 1)
        other = await there(elsewhere, live)
        await here.command(live, methodcaller("join", "Ben", KEYS[1], time.time()))
        assert other.online.seat_of(KEYS[1]) is None
        found = await there(elsewhere, live)
        assert found.online.seat_of(KEYS[1]) == 1

    served(shared, 2, work)


def test_whoever_thinks_before_a_page_without_a_stream_is_waited_for_as_one_who_is_there(
    tmp_path_factory: pytest.TempPathFactory, later: Callable[[float], None]
) -> None:
    async def work(tables: Tables) -> None:
        live = await begun(tables, 2, after=30, then="bot")
        live.still.add(KEYS[0])
        tables.touch(live, 0)
        with tables.present(live, 1):
            later(45)
            tables.plan(live)
            await asyncio.sleep(0.1)
            assert live.here(0)
            assert not live.online.seats[0].stand_in
            later(30 * PATIENCE)
            tables.plan(live)
            await until(lambda: live.online.seats[0].stand_in)
        with tables.present(live, 0):
            assert KEYS[0] not in live.still, "a page with a stream is there for as long as its stream"

    served(f"sqlite:///{tmp_path_factory.mktemp('still')}/tables.sqlite3", 1, work)


def test_a_server_that_stopped_lets_nothing_happen_any_more(shared: str) -> None:
    async def work(here: Tables, elsewhere: Tables) -> None:
        live = await begun(here, 1, bots=("steady:300",), pace=10)
        other = await there(elsewhere, live)
        await here.stop()
        await leave_to_a_bot(elsewhere, other)  # it is still heard of here
        with elsewhere.present(other, None):
            await until(lambda: other.online.stage == "over", 60)
        await asyncio.sleep(0.1)
        assert live.due is None
        assert not here._tasks

    served(shared, 2, work)
