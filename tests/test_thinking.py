"""What may take long holds up nobody: no stranger makes a server solve a giant game, and thinking waits in a line."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from cinqmille import PRESETS, Game, Rules, solutions, web
from cinqmille.errors import InvalidRules, InvalidText
from cinqmille.web import make_app
from cinqmille.web.limits import Limits
from cinqmille.web.refusals import Refused
from cinqmille.web.tables import Tables
from cinqmille.web.thinking import Thinking

GIANT = "cinq-des(target=1000000)"


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setenv(solutions.MOST_SECONDS, "30")
    with TestClient(make_app(tmp_path / "tables.sqlite3"), base_url="http://cinq.test") as client:
        yield client


def test_the_server_and_the_solver_mean_the_same_limit() -> None:
    assert web.MOST_SECONDS == solutions.MOST_SECONDS


def test_games_that_take_too_long_are_not_solved_and_those_at_hand_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(solutions.MOST_SECONDS, "30")
    for players in (2, 3):
        with pytest.raises(InvalidRules) as raised:
            solutions.find(Rules.parse(GIANT), players)
        assert raised.value.code == "solving_too_long"
    assert solutions.find(PRESETS["cinq-des"])[1] == "shipped"
    assert solutions.find(Rules.parse("cinq-des(target=500)"), fresh=True)[1] in ("solved", "unkept")


def test_a_limit_that_is_no_number_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv(solutions.MOST_SECONDS, "much")
    for asked in (lambda: solutions.find(Rules.parse(GIANT)), lambda: web.serve(None, 0, browser=False)):
        with pytest.raises(InvalidText) as raised:
            asked()
        assert (raised.value.code, raised.value.params["name"]) == ("bad_number", solutions.MOST_SECONDS)


@pytest.mark.parametrize("bot", ["perfect", "best"])
def test_a_bot_that_would_solve_a_giant_game_is_refused_everywhere(client: TestClient, bot: str) -> None:
    answer = client.post("/api/tables", json={"name": "Ana", "rules": GIANT, "bots": [{"bot": bot, "name": "Robo"}]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "solving_too_long")
    form = {"preset": "cinq-des", "rule-target": "1000000", "then": "start", "name-0": "Ana", "name-1": "Robo"}
    form |= {"bot-1": bot, "dice": "system"}
    page = client.post("/new", data=form, headers={"Accept-Language": "en"}).text
    assert "Here no time is taken for solving" in page
    record = f"rules: {GIANT}\nplayers: Ana, Robo\nseats: Robo={bot}\n"
    answer = client.post("/open", data={"record": record}, headers={"Accept-Language": "en"})
    assert answer.status_code == 422
    assert "Here no time is taken for solving" in answer.text


def test_advice_that_would_solve_a_giant_game_says_why_there_is_none(client: TestClient) -> None:
    game = Game.parse(f"rules: {GIANT}\nplayers: Ana, Ben\ndice: seed 5\nAna: 11134\n")
    tables: Tables = client.app.state.tables  # type: ignore[attr-defined]
    assert client.portal is not None
    table = f"/t/{client.portal.call(tables.create, 'somebody', game)}"
    answer = client.get(f"{table}/hint", headers={"Accept-Language": "en"})
    assert answer.status_code == 200
    assert "Here no time is taken for solving" in answer.text


def test_one_thinks_eight_wait_and_the_others_are_told_while_bots_go_on() -> None:
    begun, done = threading.Event(), threading.Event()

    def slow() -> bool:
        begun.set()
        return done.wait(30)

    async def asked() -> None:
        thinking = Thinking()
        state = SimpleNamespace(limits=Limits(0))
        request: Any = SimpleNamespace(app=SimpleNamespace(state=state))
        waiting = [asyncio.ensure_future(thinking.long(request, slow)) for _ in range(9)]
        try:
            await asyncio.to_thread(begun.wait, 10)
            for _ in range(3):
                with pytest.raises(Refused) as raised:
                    await thinking.long(request, slow)
                assert (raised.value.status_code, raised.value.error.code) == (503, "busy")
            assert await thinking.step(lambda: 5) == 5
        finally:
            done.set()
        assert await asyncio.gather(*waiting) == [True] * 9
        assert await thinking.long(request, lambda: 6) == 6

    asyncio.run(asked())
