"""A table over the wire: every kind of command, refusals in words, stale and tampered ones, rematches, corrections."""

import asyncio
import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cinqmille.actions import Points, RollOn
from cinqmille.errors import IllegalAction, InvalidText
from cinqmille.record import Game
from cinqmille.store import Store, StoreError
from cinqmille.table import Table
from cinqmille.web.app import make_app
from cinqmille.web.commands import commands
from cinqmille.web.tables import Tables

HTMX = {"hx-request": "true"}


class At:
    """A table and its page, as a browser has it."""

    def __init__(self, client: TestClient, id: str) -> None:
        self.client, self.id = client, id

    @property
    def page(self) -> str:
        return unescape(self.client.get(f"/t/{self.id}").text)

    @property
    def number(self) -> int:
        match = re.search(r'data-number="(\d+)"', self.page)
        assert match is not None
        return int(match[1])

    @property
    def record(self) -> list[str]:
        """The turns of the record."""
        lines = self.client.get(f"/t/{self.id}/record").text.splitlines()
        return [line for line in lines if line.split(":")[0] not in ("rules", "players", "dice", "seats", "date")]

    def post(self, where: str, *, seen: int | str | None = None, script: bool = False, **fields: Any) -> Any:
        """Send a form, as it stands on the page; ``seen`` when it is another one."""
        sent = {"seen": self.number if seen is None else seen} | fields
        return self.client.post(f"/t/{self.id}/{where}", data=sent, headers=HTMX if script else {})


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(make_app(tmp_path / "tables.sqlite3"), headers={"accept-language": "en"}) as client:
        yield client


def recorded(
    *turns: str, rules: str = "cinq-des", players: str = "Ana, Ben", dice: str = "seed 5", seats: str = ""
) -> Game:
    lines = [f"rules: {rules}", f"players: {players}", f"dice: {dice}", *([f"seats: {seats}"] if seats else []), *turns]
    return Game.parse("\n".join(lines) + "\n")


def table(client: TestClient, *turns: str, **headers: str) -> At:
    """A table with these turns, stored."""
    return stored(client, recorded(*turns, **headers))


def stored(client: TestClient, game: Game) -> At:
    tables: Tables = client.app.state.tables  # type: ignore[attr-defined]
    assert client.portal is not None
    return At(client, client.portal.call(tables.create, "somebody", game))


# Every command


def test_setting_aside_and_banking_is_one_move(client: TestClient) -> None:
    at = table(client, "Ana: 11123")
    answer = at.post("play", die=["0", "1", "2"], then="bank")
    assert answer.status_code == 200
    assert at.record == ["Ana: 11123>111 =1000"]
    assert at.number == 1


def test_setting_aside_and_rolling_draws_the_dice(client: TestClient) -> None:
    at = table(client, "Ana: 11123")
    assert "Ana rolls" in unescape(at.post("play", die=["0", "1", "2"], then="roll", script=True).text)
    assert re.fullmatch(r"Ana: 11123>111 [1-6]{2}(>-)?", at.record[0])


def test_taking_over_announcing_and_rolling_afresh(client: TestClient) -> None:
    rules = "cinq-des(takeover=always, prediction=true)"
    at = table(client, "Ana: 11123>111 =1000", rules=rules)
    at.post("play", then="takeover")
    assert at.record[1].startswith("Ben: + ")
    at = table(client, "Ana: 11123>111 =1000", rules=rules)
    at.post("play", then="roll")
    assert re.fullmatch(r"Ben: [1-6]{5}(>-)?", at.record[1])
    at = table(client, "Ana: 11123", rules=rules)
    at.post("play", die=["0", "1", "2"], then="announce-50")
    assert at.record[0].startswith("Ana: 11123>111 ?50 ")


def test_people_come_and_go(client: TestClient) -> None:
    at = table(client, players="Ana, Ben, Zoé")
    for then in ("leave-3", "skip", "back-3", "leave-2"):
        assert at.post("play", then=then).status_code == 200
    assert at.record == ["Zoé: leave", "Ana: skip", "Zoé: back", "Ben: leave"]


def test_somebody_leaves_while_dice_lie_to_choose_from(client: TestClient) -> None:
    at = table(client, "Ana: 11123")
    at.post("play", then="leave-1")
    assert at.record == ["Ana: 11123 leave"]


def test_real_dice_points_and_nothing_are_typed(client: TestClient) -> None:
    at = table(client, dice="real", rules="cinq-des(strike=true)")
    at.post("play", then="dice", dice="1 1 1 2 3", points="")
    at.post("play", die=["0", "1", "2"], then="bank")
    for then, points in (("points", "1 250"), ("nothing", ""), ("nothing-all", "")):
        assert at.post("play", then=then, points=points).status_code == 200
    assert at.record == ["Ana: 11123>111 =1000", "Ben: =1250", "Ana: =0", "Ben: =0*"]
    assert "Ben falls from 1,250 to 0" in at.page


def test_an_exact_target_that_is_passed_ends_the_turn_and_nobody_else_rolls(client: TestClient) -> None:

    game = recorded("Ana: 11123>111 =1000", "Ben: 22346>-", "Ana: 55534", rules="cinq-des(target=1400, exact=true)")
    at = stored(client, game)
    answer = at.post("play", die=["0", "1", "2"], then="roll")
    assert answer.status_code == 200
    assert at.record[-1] == "Ana: 55534>555"


def test_bots_play_step_by_step_or_all_at_once(client: TestClient) -> None:
    at = table(client, "Ana: 11123>111 =1000", seats="Ben=steady:350")
    at.post("bot")
    assert len(at.record) == 2
    at.post("bot", all="1")
    assert "Ana to play" in at.page
    number = at.number
    at.post("bot")  # nobody waits for a bot: nothing happens
    assert at.number == number


# Refusals


def assert_refused(at: At, words: str, **fields: Any) -> None:
    """A move is refused in words, on the page and to a script, and nothing has changed."""
    before, number = at.record, at.number
    for script in (False, True):
        answer = at.post("play", script=script, **fields)
        assert answer.status_code == 422
        assert words in unescape(answer.text)
    assert (at.record, at.number) == (before, number)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"then": "bank"}, "No dice are chosen"),
        ({"then": "bank", "die": ["9", "-1", "x", "²"]}, "No dice are chosen"),
        ({"then": "bank", "die": ["3"]}, "not every die counts"),
        ({"then": "bank", "die": ["0"]}, "650 short"),
        ({"then": "announce-50", "die": ["0"]}, "This table makes no announcements."),
        ({"then": "announce-99999999999", "die": ["0"]}, "nothing that can be done"),
        ({"then": "takeover", "die": ["0"]}, "never takes over"),
        ({"then": "dice", "dice": "11111"}, "The program rolls the dice"),
        ({"then": "points", "points": "5000"}, "The program rolls the dice"),
        ({"then": "back-2"}, "has not left"),
        ({"then": "leave-9"}, "no seat 9"),
        ({"then": "steal"}, "'steal' is nothing that can be done here."),
        ({"then": "none"}, "Say what to do"),
        ({}, "nothing that can be done"),
        ({"then": "<script>"}, "nothing that can be done"),
    ],
)
def test_what_is_not_allowed_is_refused_with_the_reason(client: TestClient, fields: dict[str, Any], words: str) -> None:
    assert_refused(table(client, "Ana: 15534"), words, **fields)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"then": "points", "points": "many"}, "'many' is not the points of a turn"),
        ({"then": "points", "points": "475"}, "multiple of 50"),
        ({"then": "points", "points": "700"}, "50 short"),
        ({"then": "points", "points": "1" * 30}, "is not the points of a turn"),
        ({"then": "dice", "dice": ""}, "is not dice"),
        ({"then": "dice", "dice": "1123"}, "wrong number of dice"),
        ({"then": "dice", "dice": "11237"}, "is not dice"),
        ({"then": "bank"}, "Dice are awaited"),
    ],
)
def test_what_cannot_be_typed_is_refused_with_the_reason(
    client: TestClient, fields: dict[str, Any], words: str
) -> None:
    assert_refused(table(client, dice="real"), words, **fields)


def test_a_refusal_keeps_the_chosen_dice_and_the_next_roll_has_none(client: TestClient) -> None:
    at = table(client, "Ana: 15534")
    answer = at.post("play", die=["0", "1"], then="bank")
    assert re.findall(r'value="(\d)" data-face="\d"[^>]* checked', answer.text) == ["0", "1"]
    answer = at.post("play", die=["0", "1", "2"], then="roll", script=True)
    assert "checked" not in answer.text


def test_nobody_plays_for_a_robot(client: TestClient) -> None:
    assert_refused(table(client, "Ana: 11123>111 =1000", seats="Ben=steady:350"), "is a bot", then="roll")


@pytest.mark.parametrize("seen", ["0", "7", "", "x", "-1", "99999999999", "１"])
@pytest.mark.parametrize("where", ["play", "undo", "bot"])
def test_what_was_meant_for_another_moment_is_not_done_and_not_scolded(
    client: TestClient, seen: str, where: str
) -> None:
    at = table(client, "Ana: 11123>111")
    at.post("play", then="bank")
    before = at.record
    answer = at.post(where, seen=seen, then="bank", die="0", script=True)
    assert answer.status_code == 200
    assert 'class="refusal"' not in answer.text
    assert at.record == before
    assert at.post(where, seen=seen, then="bank").status_code == 200


def test_a_move_that_is_sent_twice_is_made_once(client: TestClient) -> None:
    at = table(client, "Ana: 11123>111 =1000")
    for _ in range(2):
        at.post("play", seen=0, then="roll")
    assert len(at.record) == 2
    assert at.number == 1


def test_a_table_that_does_not_exist_says_so(client: TestClient) -> None:
    for path in ("", "/turns", "/record", "/hint", "/live"):
        answer = client.get(f"/t/nobodys{path}")
        assert answer.status_code == 404
        assert "There is no such table" in answer.text
    for path in ("play", "bot", "undo", "again", "correct"):
        assert client.post(f"/t/nobodys/{path}", data={"seen": "0"}).status_code == 404
    answer = client.post("/t/nobodys/play", headers=HTMX)
    assert answer.headers["hx-refresh"] == "true"  # the page that still shows it is loaded anew


def test_a_table_deleted_under_ones_hands_is_gone(client: TestClient) -> None:
    at = table(client, "Ana: 11123>111")
    number = at.number
    tables: Tables = client.app.state.tables  # type: ignore[attr-defined]
    assert client.portal is not None
    client.portal.call(tables.store.forget, at.id, "somebody")
    assert at.client.post(f"/t/{at.id}/play", data={"seen": number, "then": "bank"}).status_code == 404


def test_other_sites_cannot_play(client: TestClient) -> None:
    at = table(client, "Ana: 11123>111")
    sent = {"seen": "0", "then": "bank"}
    answer = client.post(f"/t/{at.id}/play", data=sent, headers={"origin": "https://elsewhere.example"})
    assert answer.status_code == 403
    assert at.number == 0


def test_names_are_text(client: TestClient) -> None:
    at = table(client, "<b>Ana</b>: 11123>111 =1000", players="<b>Ana</b>, </script>")
    text = client.get(f"/t/{at.id}").text
    assert "<b>Ana" not in text
    assert "&lt;b&gt;Ana&lt;/b&gt;" in text


# Undo and correction


def test_undo_goes_back_to_the_set_aside_and_then_to_the_roll_and_no_further(client: TestClient) -> None:
    at = table(client, "Ana: 11123")
    at.post("play", die=["0", "1", "2"], then="bank")
    at.post("undo")
    assert at.record == ["Ana: 11123>111"]
    assert "Bank 1,000" in at.page
    at.post("undo")
    assert at.record == ["Ana: 11123"]
    answer = at.post("undo")
    assert answer.status_code == 422
    assert "they stay" in unescape(answer.text)


def test_an_entry_is_corrected_taken_out_and_the_correction_undone(client: TestClient) -> None:
    at = table(client, "Ana: =800", "Ben: =900", "Ana: =100", dice="real")
    assert at.post("correct", entry=1, text="=850").status_code == 200
    assert at.record == ["Ana: =850", "Ben: =900", "Ana: =100"]
    at.post("undo")
    assert at.record == ["Ana: =800", "Ben: =900", "Ana: =100"]
    answer = at.post("correct", entry=2, text="=900", then="remove")
    assert answer.status_code == 422  # Ana would play twice in a row
    assert "entry 3 (Ana: =100) would no longer be allowed" in unescape(answer.text)
    at.post("correct", entry=2, text="", last=2)
    assert at.record == ["Ana: =800"]


def test_entries_after_the_end_are_listed_before_they_are_taken_out(client: TestClient) -> None:
    at = table(client, "Ana: =800", "Ben: =900", "Ana: =100", dice="real")
    answer = at.post("correct", entry=1, text="=5000")
    text = unescape(answer.text)
    assert answer.status_code == 422
    assert "With this change the game ends before entry 2." in text
    assert "2. Ben: =900" in text
    assert 'value="=5000"' in text
    at.post("correct", entry=1, text="=5000", last=1)
    assert at.record == ["Ana: =5000"]


@pytest.mark.parametrize(
    ("entry", "text", "words"),
    [
        ("1", "=45o", "'=45o' cannot be read"),
        ("1", "=475", "multiple of 50"),
        ("9", "=450", "There is no entry 9"),
        ("x", "=450", "There is no entry"),
    ],
)
def test_a_wrong_correction_changes_nothing(client: TestClient, entry: str, text: str, words: str) -> None:
    at = table(client, "Ana: =800", dice="real")
    answer = at.post("correct", entry=entry, text=text)
    assert answer.status_code == 422
    assert words in unescape(answer.text)
    assert at.record == ["Ana: =800"]


def test_a_stale_correction_shows_the_entries_as_they_are(client: TestClient) -> None:
    at = table(client, "Ana: =800", dice="real")
    at.post("play", then="points", points="900")
    answer = at.post("correct", seen=0, entry=1, text="=1000")
    assert answer.status_code == 200
    assert at.record == ["Ana: =800", "Ben: =900"]


def test_drawn_dice_are_not_corrected(client: TestClient) -> None:
    at = table(client, "Ana: 11123>111 =1000")
    answer = at.post("correct", entry=1, text="=4000")
    assert answer.status_code == 422
    assert "nothing was typed that could be corrected" in unescape(answer.text)
    assert at.record == ["Ana: 11123>111 =1000"]


# Afterwards


def test_a_rematch_rotates_the_order_keeps_the_robots_and_is_opened_once(client: TestClient) -> None:
    at = table(client, "Ana: 11111", players="Ana, Ben, Zoé", seats="Ben=steady:350")
    first, second = (client.post(f"/t/{at.id}/again") for _ in range(2))
    assert first.url == second.url
    text = client.get(str(first.url) + "/record").text
    assert "players: Ben, Zoé, Ana" in text
    assert "seats: Ben=steady:350" in text
    assert "dice: system" in text  # the same seed would be the same game
    assert "Ben is playing" in first.text


def test_there_is_no_rematch_before_the_end(client: TestClient) -> None:
    at = table(client, "Ana: 11123>111")
    assert str(client.post(f"/t/{at.id}/again").url).endswith(at.id)


def test_the_record_comes_as_a_file_and_opens_the_same_game(client: TestClient) -> None:
    at = table(client, "Ana: 11123>111 =1000")
    answer = client.get(f"/t/{at.id}/record")
    assert "attachment" in answer.headers["content-disposition"]
    assert Game.parse(answer.text).position.scores == (1000, 0)


def test_turns_are_told_one_by_one(client: TestClient) -> None:
    at = table(client, "Ana: 11123>111 =1000", "Ben: 22346>-")
    text = unescape(client.get(f"/t/{at.id}/turns?turn=1").text)
    assert "Ana banks 1,000" in text
    assert "nothing scores for Ben" not in text
    for asked in ("0", "99", "x", ""):
        assert client.get(f"/t/{at.id}/turns?turn={asked}").status_code == 200


def test_advice_carries_the_moment_it_is_for(client: TestClient) -> None:
    at = table(client, "Ana: 11123>111")
    text = client.get(f"/t/{at.id}/hint", headers=HTMX).text
    assert 'data-number="0"' in text
    assert "bank 1,000" in text
    at.post("play", then="bank")
    assert "nothing to decide" in client.get(f"/t/{at.id}/hint").text


def test_what_another_door_decided_goes_on(client: TestClient) -> None:
    at = stored(client, recorded("Ana: 11123>111").play(RollOn()))
    assert "Roll 2 dice" in at.page
    at.post("play", then="roll")
    assert re.fullmatch(r"Ana: 11123>111 [1-6]{2}(>-)?", at.record[0])


# Commands, alone


@pytest.mark.parametrize(
    ("text", "points"),
    [("450", Points(450)), (" 1 250 ", Points(1250)), ("1,250", Points(1250)), ("1\u202f250", Points(1250)),
     ("0*", Points(0, True)), ("0", Points(0))],
)  # fmt: skip
def test_points_are_read_as_people_write_them(text: str, points: Points) -> None:
    assert commands(recorded(dice="real").position, [("then", "points"), ("points", text)]) == [points]


@pytest.mark.parametrize("text", ["", "-50", "4e3", "²", "450*0", "١٢٣", "1" * 10])
def test_other_points_are_refused(text: str) -> None:
    with pytest.raises(InvalidText) as caught:
        commands(recorded(dice="real").position, [("then", "points"), ("points", text)])
    assert caught.value.code == "bad_points"


# Stored before it is shown


def test_a_move_that_cannot_be_stored_is_not_shown_and_can_be_made_again(tmp_path: Path) -> None:
    async def played() -> None:
        store = await Store.open(tmp_path / "tables.sqlite3")
        tables = Tables(store)
        live = await tables.get(await tables.create("me", recorded("Ana: 11123>111 =1000")))
        assert live is not None
        shown = []

        async def failing(*_: Any) -> None:
            shown.append(len(live.game.actions))
            raise OSError("the disk is full")

        before = live.game
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "append", failing)
            with pytest.raises(OSError, match="full"):
                await tables.act(live, lambda table: table.play(RollOn(), seen=table.number))
        assert live.game is before
        assert shown == [len(before.actions)]  # while it was being stored, everybody still saw the former moment
        await tables.act(live, lambda table: table.play(RollOn(), seen=table.number))
        kept = await store.load(live.id)
        assert kept is not None
        assert kept.game == live.game
        await store.close()

    asyncio.run(played())


@pytest.mark.parametrize("part", [False, True])
def test_what_the_database_does_not_take_may_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: bool
) -> None:
    async def failing(*_: Any) -> None:
        raise StoreError("not_stored")

    headers = {"hx-request": "true"} if part else {}
    app = make_app(tmp_path / "tables.sqlite3")
    with TestClient(app, follow_redirects=False) as client:
        opened = client.post("/open", data={"record": recorded("Ana: =1000", dice="real").text})
        table = "/".join(opened.headers["location"].split("/")[:3])
        with monkeypatch.context() as patch:
            patch.setattr(app.state.tables.store, "append", failing)
            typed = {"seen": "0", "then": "points", "points": "800"}
            answer = client.post(f"{table}/play", data=typed, headers=headers)
            assert answer.status_code == 503
            assert answer.headers["retry-after"] == "1"
            assert "This could not be stored just now" in answer.text
            assert 'data-number="0"' in answer.text
            corrected = client.post(f"{table}/correct", data={"entry": "1", "seen": "0", "text": "=900"})
            assert corrected.status_code == 503
            assert "This could not be stored just now" in corrected.text
        assert client.post(f"{table}/play", data=typed, headers=headers).status_code == (200 if part else 303)
        wrong = client.post(f"{table}/play", data=typed | {"seen": "1", "points": "?"}, headers=headers)
        assert wrong.status_code == 422, "trying again would not help"


def test_a_browser_that_goes_away_in_mid_move_leaves_no_half_of_it(tmp_path: Path) -> None:
    async def played() -> None:
        store = await Store.open(tmp_path / "tables.sqlite3")
        tables = Tables(store)
        live = await tables.get(await tables.create("me", recorded("Ana: 11123>111 =1000")))
        assert live is not None

        def slow(table: Table) -> object:
            time.sleep(0.05)
            return table.play(RollOn(), seen=table.number)

        task = asyncio.create_task(tables.act(live, slow))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.3)
        assert live.table.number == 1
        await tables.act(live, lambda table: table.play_bot())
        kept = await store.load(live.id)
        assert kept is not None
        assert kept.game == live.game
        await store.close()

    asyncio.run(played())


def test_an_entry_that_another_server_wrote_is_shown_and_nothing_is_doubled(tmp_path: Path) -> None:
    async def played() -> None:
        store = await Store.open(tmp_path / "tables.sqlite3")
        here, there = Tables(store), Tables(store)
        id = await here.create("me", recorded("Ana: =800", dice="real"))
        one, other = await here.get(id), await there.get(id)
        assert one is not None
        assert other is not None
        with here.watch(one) as watcher:
            await there.act(other, lambda table: table.play(Points(900), seen=0 + table.number))
            with pytest.raises(IllegalAction) as caught:
                await here.act(one, lambda table: table.play(Points(1000), seen=table.number))
            assert caught.value.code == "stale"
            assert await watcher.news(0.1)
            assert one.table.number == 1
        assert one.game == other.game
        await store.close()

    asyncio.run(played())


def test_a_long_game_is_shown_quickly(client: TestClient) -> None:
    turns = [f"{name}: 15534>1 5534>5 153>1 24>-" for _ in range(150) for name in ("Ana", "Ben")]
    at = table(client, *turns, "Ana: 15534")
    client.get(f"/t/{at.id}")
    begin = time.perf_counter()
    for _ in range(5):
        client.get(f"/t/{at.id}")
    assert (time.perf_counter() - begin) / 5 < 0.2
    assert len(recorded(*turns).turns()) == 300
