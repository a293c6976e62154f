"""The open API: what a program can do at a table, and every refusal; the referee of the tests reads what comes out."""

import json
import random
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from cinqmille.fair import verify
from cinqmille.store import StoreError
from cinqmille.web import make_app
from cinqmille.web.app import Options
from faraway import Chain
from fitting import DESCRIBED, fields, fits

SECRETS = tuple(f"{name}-has-a-secret-of-its-own" for name in ("ana", "ben", "cleo", "dora"))
NAMES = ("Ana", "Ben", "Cleo", "Dora")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(make_app(tmp_path / "tables.sqlite3"), base_url="http://cinq.test") as client:
        yield client


class Program:
    """A program with a seat at a table."""

    def __init__(self, client: TestClient, id: str, secret: str, chain: Chain | None = None) -> None:
        self.client, self.id, self.secret, self.chain = client, id, secret, chain

    def ask(self, method: str, path: str = "", body: object = None, status: int = 200) -> Any:
        answer = self.client.request(
            method, f"/api/tables/{self.id}{path}", json=body, headers={"Authorization": f"Bearer {self.secret}"}
        )
        assert answer.status_code == status, answer.text
        fits(method, f"/tables/{self.id}{path}", answer)
        return answer.json()

    def see(self) -> Any:
        return self.ask("GET")

    def act(self, *actions: str, seen: int, status: int = 200) -> Any:
        body: dict[str, object] = {"seen": seen, "actions": list(actions)}
        if self.chain is not None and any(one in ("roll", "+") or one.startswith("?") for one in actions):
            body["link"] = self.chain.next()
        answer = self.ask("POST", "/actions", body, status)
        if status == 200 and self.chain is not None:
            self.chain.shown = answer["seats"][answer["me"]]["links"]
        return answer


def opened(client: TestClient, players: int = 2, *, chains: bool = False, **terms: object) -> list[Program]:
    """Open a table and seat everybody."""
    body: dict[str, object] = {"name": "Ana", "rules": "cinq-des(entry=0, target=1000)", "secret": SECRETS[0], **terms}
    made = [Chain(200) if chains else None for _ in range(players)]
    if made[0]:
        body["anchor"] = made[0].anchor
    answer = client.post("/api/tables", json=body)
    assert answer.status_code == 201, answer.text
    fits("POST", "/tables", answer)
    programs = [Program(client, answer.json()["id"], SECRETS[0], made[0])]
    for number in range(1, players):
        one = Program(client, programs[0].id, SECRETS[number], made[number])
        sits = {"name": NAMES[number], "secret": SECRETS[number]}
        if one.chain is not None:
            sits["anchor"] = one.chain.anchor
        one.ask("POST", "/seats", sits)
        programs.append(one)
    return programs


def begun(client: TestClient, players: int = 2, *, chains: bool = False, **terms: object) -> list[Program]:
    programs = opened(client, players, chains=chains, **terms)
    programs[0].ask("POST", "/start")
    for one in programs:
        if one.chain is not None:
            one.ask("POST", "/chain", {"opening": one.chain.next()})
            one.chain.shown = 1
    return programs


def play_on(programs: list[Program], rng: random.Random) -> Any:
    """Play until the table is over; every decision is one of those the server calls legal."""
    table = programs[0].see()
    while table["stage"] == "playing":
        one = programs[table["to_play"]]
        table = one.act(rng.choice(table["legal"]), seen=table["number"])
    return table


def refused(answer: Any, code: str) -> None:
    assert answer["error"]["code"] == code, answer
    assert answer["error"]["message"].endswith((".", "?"))


@pytest.mark.parametrize("chains", [False, True])
def test_a_whole_game_is_played_and_its_dice_are_checked(client: TestClient, chains: bool) -> None:
    programs = begun(client, 3, chains=chains)
    table = play_on(programs, random.Random(1))
    assert table["winners"]
    record = client.get(f"/api/tables/{programs[0].id}/record").text
    verified = verify(record)
    assert all((seat.alone if chains else seat.own) == 0 for seat in verified.seats)
    answer = client.post("/api/verify", json={"record": record})
    assert answer.json()["verified"] is True
    fits("POST", "/verify", answer)
    changed = record.replace("\nAna: ", "\nAna:  ", 1)
    answer = client.post("/api/verify", json={"record": changed})
    assert answer.status_code == 422
    refused(answer.json(), "seal_broken")


def test_pages_are_compressed_and_answers_to_programs_are_not(client: TestClient) -> None:
    """Compressing an answer takes longer than playing."""
    programs = begun(client)
    headers = {"Accept-Encoding": "gzip"}
    answer = client.get(f"/api/tables/{programs[0].id}", headers=headers)
    assert len(answer.content) > 500
    assert "content-encoding" not in answer.headers
    assert client.get(f"/t/{programs[0].id}", headers=headers).headers["content-encoding"] == "gzip"


def test_a_table_that_is_refused_is_not_there(client: TestClient) -> None:
    tables = client.app.state.tables  # type: ignore[attr-defined]
    assert client.portal is not None
    before = len(client.portal.call(tables.store.listed))
    bots = [{"bot": "nonsense", "name": "Robo"}], [{"bot": "steady", "name": "Ana"}], [{"bot": "steady", "name": "#"}]
    for one in bots:
        assert client.post("/api/tables", json={"name": "Ana", "bots": one}).status_code == 422
    many = [{"bot": "steady", "name": f"Robo {number}"} for number in range(3)]
    assert client.post("/api/tables", json={"name": "Ana", "seats": 3, "bots": many}).status_code == 422
    assert len(client.portal.call(tables.store.listed)) == before


def test_joining_twice_is_joining_once(client: TestClient) -> None:  # report C083
    _, ben = opened(client)
    again = ben.ask("POST", "/seats", {"name": "Ben", "secret": SECRETS[1]})
    assert again["me"] == 1
    assert [seat["name"] for seat in again["seats"]] == ["Ana", "Ben"]
    other = ben.ask("POST", "/seats", {"name": "Benjamin"})  # the token alone says who it is
    assert other["me"] == 1
    assert "token" not in other


def test_a_server_made_token_is_told_once_and_never_again(client: TestClient) -> None:
    answer = client.post("/api/tables", json={"name": "Ana"}).json()
    token = answer["token"]
    ana = Program(client, answer["id"], token)
    assert ana.see()["me"] == 0
    for path in ("", "/events", "/record"):
        text = client.get(f"/api/tables/{ana.id}{path}", headers={"Authorization": f"Bearer {token}"}).text
        assert token not in text


def test_who_missed_something_gets_it_at_any_later_time(client: TestClient) -> None:
    programs = begun(client, rules="cinq-des(entry=0, target=5000)")
    first = programs[1].ask("GET", "/events?after=0")
    assert [one["number"] for one in first["entries"]] == list(range(1, first["number"] + 1))
    play_on(programs, random.Random(2))
    whole = programs[1].ask("GET", "/events")
    rest = programs[1].ask("GET", f"/events?after={first['number']}")
    assert whole["entries"] == first["entries"] + rest["entries"]
    assert len(whole["entries"]) == whole["number"] > 64  # older ones than are kept in memory too
    assert rest["entries"][-1]["number"] == rest["number"]
    assert programs[1].ask("GET", f"/events?after={rest['number']}")["entries"] == []


def test_waiting_for_events_ends_when_something_happens(client: TestClient) -> None:
    ana, ben = begun(client)
    number = ana.see()["number"]
    found: list[Any] = []
    waits = threading.Thread(target=lambda: found.append(ben.ask("GET", f"/events?after={number}&wait=20")))
    waits.start()
    ana.act("roll", seen=number)
    waits.join(10)
    assert found[0]["entries"][0]["actions"]


def test_the_server_plays_its_bots(client: TestClient) -> None:
    (ana,) = opened(client, 1, bots=[{"bot": "steady:300", "name": "Robo"}], pace=0)
    ana.ask("POST", "/start")
    table, rng = ana.see(), random.Random(4)
    while table["stage"] != "over":
        if table["to_play"] == 0:
            table = ana.act(rng.choice(table["legal"]), seen=table["number"])
        else:
            ana.ask("GET", f"/events?after={table['number']}&wait=10")
            table = ana.see()
    verify(client.get(f"/api/tables/{ana.id}/record").text)


def test_what_is_stale_double_illegal_or_anothers_is_refused_and_changes_nothing(client: TestClient) -> None:
    ana, ben = begun(client)
    number = ana.see()["number"]
    before = ana.see()
    refused(ana.act("roll", seen=number - 1, status=409), "stale")
    refused(ana.act("roll", seen=number + 5, status=409), "stale")
    refused(ben.act("roll", seen=number, status=422), "out_of_turn")
    refused(ana.act("=", seen=number, status=422), "dice_due")
    refused(ana.act("11111", seen=number, status=422), "dice_are_drawn")
    refused(ana.act("skip", seen=number, status=422), "skip_by_others")
    refused(ana.act("leave 2", seen=number, status=403), "not_your_seat")
    refused(ana.act("dance", seen=number, status=422), "bad_action")
    assert ana.see() == before
    ana.act("roll", seen=number)
    refused(ana.act("roll", seen=number, status=409), "stale")


def test_another_seats_secret_a_wrong_one_and_none_are_told_apart(client: TestClient) -> None:
    ana, _ = begun(client)
    other, _ = begun(client)
    number = ana.see()["number"]
    stranger = Program(client, ana.id, "a-secret-that-nobody-here-has")
    refused(stranger.act("roll", seen=number, status=403), "foreign_secret")
    refused(stranger.ask("GET", status=403), "foreign_secret")
    answer = client.post(f"/api/tables/{ana.id}/actions", json={"seen": number, "actions": ["roll"]})
    assert answer.status_code == 401
    refused(answer.json(), "no_secret")
    # The same secret at another table is that table's seat only.
    assert Program(client, other.id, SECRETS[1]).see()["me"] == 1
    assert client.get(f"/api/tables/{ana.id}").json()["me"] is None
    refused(Program(client, "no-such-table", SECRETS[0]).ask("GET", status=404), "no_table")


def test_a_cookie_gives_no_seat_here(client: TestClient) -> None:
    ana, _ = begun(client)
    client.cookies.set("seat", SECRETS[0])
    answer = client.post(f"/api/tables/{ana.id}/actions", json={"seen": 0, "actions": ["roll"]})
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"), ({"name": 5}, "name"), ({"name": "Ana", "colour": "red"}, "colour"),
        ({"name": "Ana", "secret": "short"}, "secret"), ({"name": "Ana", "anchor": "xyz"}, "anchor"),
        ({"name": "Ana", "seats": "2"}, "seats"), ({"name": "Ana", "then": "sulk"}, "then"),
        ({"name": "x" * 300}, "name"), ([], ""), (None, ""),
    ],
)  # fmt: skip
def test_a_body_that_is_not_as_described_says_which_field(client: TestClient, body: object, field: str) -> None:
    answer = client.post("/api/tables", json=body)
    assert answer.status_code == 422
    refused(answer.json(), "json_wrong")
    assert field in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 50_000, b'{"name": "Ana", "name": "Ben"', b"null", b"NaN"]
)
def test_a_body_that_is_no_json_is_refused_and_never_a_traceback(client: TestClient, content: bytes) -> None:
    answer = client.post("/api/tables", content=content, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"]["message"]


def test_every_answer_is_one_json_object_whatever_else_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Report C031: stale tables are cleared away, the database fails, nothing is there; no notice comes in."""
    app = make_app(tmp_path / "tables.sqlite3", Options(limits=0))
    with TestClient(app, base_url="http://cinq.test", raise_server_exceptions=False) as client:
        assert client.portal is not None
        store = app.state.tables.store
        (gathers, _), (plays, _), (goes, _) = opened(client), begun(client), begun(client)
        over = begun(client, rules="cinq-des(entry=0, target=50)")
        play_on(over, random.Random(3))
        described = client.get("/api/openapi.json").json()["paths"]
        ids = [one.id for one in (gathers, plays, over[0], goes)] + ["no-such-table"]
        bodies: list[Any] = [None, {}, [], {"name": "Dora"}, {"seen": 0, "actions": ["roll"]}, {"record": "x"}]
        strange = [("GET", "/nothing"), ("PUT", "/tables"), ("GET", "/tables"), ("GET", "/tables/x/nothing"),
                   ("POST", ""), ("DELETE", "/verify"), ("GET", "//"), ("GET", "/tables/%00")]  # fmt: skip
        asked = [(method.upper(), path) for path, methods in described.items() for method in methods] + strange
        seen = set()

        def sweep() -> None:
            for method, path in asked:
                for id in ids:
                    for body in bodies if method == "POST" else [None]:
                        if path.endswith("/live") and id != "no-such-table":
                            continue  # a stream of events, which has no end
                        where = "/api" + (path or "/").replace("{id}", id).replace("{seat}", "1")
                        secret = {"Authorization": f"Bearer {SECRETS[0]}"}
                        answer = client.request(method, where, json=body, headers=secret)
                        if path.endswith("/record") and answer.status_code == 200:
                            continue  # which is a text
                        assert answer.headers["content-type"] == "application/json", (method, where, answer.text[:300])
                        assert isinstance(json.loads(answer.text), dict), (method, where)
                        assert answer.is_success or answer.json()["error"]["message"], (method, where)
                        seen.add(answer.status_code)

        sweep()
        # What is old is cleared away while the tables are in memory, and everybody asks for them.
        assert set(client.portal.call(store.prune, time.time() + 999)) >= {plays.id, goes.id, over[0].id}
        sweep()
        ids[:] = [begun(client)[0].id]

        async def not_there(*_: object, **__: object) -> None:
            raise StoreError("not_stored")

        async def broken(*_: object, **__: object) -> None:
            raise RuntimeError("a fault")

        for fault in (not_there, broken):
            with monkeypatch.context() as patch:
                for name in ("write", "put", "read", "since"):
                    patch.setattr(store, name, fault)
                sweep()
        assert {200, 201, 404, 405, 422, 500, 503} <= seen
    said = capfd.readouterr()
    assert said.out == "", "and nothing is printed where an answer might be"


def test_the_dice_are_the_servers_and_their_secret_nobodys_before_the_end(client: TestClient) -> None:
    """Report C015: no client can look ahead, nor bring dice of its own; the secret is told when it is of no use."""
    programs = begun(client, 3, chains=True)
    id = programs[0].id
    live = client.app.state.tables._open[id]  # type: ignore[attr-defined]
    table, rng = programs[0].see(), random.Random(9)
    commitment, told = table["commitment"], 0
    while table["stage"] == "playing":
        shown = [client.get(f"/api/tables/{id}{path}").text for path in ("", "/events", "/record")]
        shown += [client.get(f"/t/{id}{path}").text for path in ("", "/dice", "/verify", "/record", "/turns")]
        shown += [json.dumps(one.see()) for one in programs] if told < 5 else []
        assert not [text for text in shown if live.online.secret in text]
        told += 1
        one = programs[table["to_play"]]
        if told == 1:
            refused(one.act("11111", seen=table["number"], status=422), "dice_are_drawn")
        table = one.act(rng.choice(table["legal"]), seen=table["number"])
    assert told > 5
    record = client.get(f"/api/tables/{id}/record").text
    assert f"secret={live.online.secret}" in record
    assert verify(record, commitment).commitment == commitment


def test_an_invitation_is_refused_before_the_game_and_never_after_a_throw(client: TestClient) -> None:
    """Report C035: a seat is freed while people gather; later one can only leave, and the record says so."""
    ana, ben, cleo = opened(client, 3, rules="cinq-des(entry=0, target=5000)", chains=True)
    cleo.ask("DELETE", "/seats/2")
    assert [seat["name"] for seat in ana.see()["seats"]] == ["Ana", "Ben"]
    ana.ask("POST", "/start")
    refused(ben.ask("DELETE", "/seats/1", status=422), "already_begun")  # nor while links are opened
    for one in (ana, ben):
        assert one.chain is not None
        one.ask("POST", "/chain", {"opening": one.chain.next()})
        one.chain.shown = 1
    number = ana.see()["number"]
    ana.act("roll", seen=number)
    before = ana.see()
    for one in (ana, ben):
        refused(one.ask("DELETE", "/seats/0", status=422), "already_begun")
        refused(one.ask("DELETE", "/seats/1", status=422), "already_begun")
    assert ana.see() == before
    ana.act("leave 1", seen=before["number"])
    assert re.search("Ana: [1-6]{5}(>-)? leave|Ana: leave", client.get(f"/api/tables/{ana.id}/record").text)


def test_refusals_speak_the_language_that_is_asked_for(client: TestClient) -> None:
    answer = client.get("/api/tables/none", headers={"Accept-Language": "fr"})
    assert answer.json()["error"]["message"] != client.get("/api/tables/none").json()["error"]["message"]


def test_rules_that_cannot_be_are_refused_with_their_reason(client: TestClient) -> None:
    answer = client.post("/api/tables", json={"name": "Ana", "rules": "cinq-des(entre=500)"})
    assert answer.status_code == 422
    refused(answer.json(), "misspelt_parameter")


def test_the_description_names_every_path_and_the_way_to_show_a_secret(client: TestClient) -> None:
    described = client.get("/api/openapi.json").json()
    assert described["openapi"].startswith("3.")
    assert {"/tables", "/tables/{id}", "/tables/{id}/actions", "/verify"} <= set(described["paths"])
    assert described["components"]["securitySchemes"]["seat"]["scheme"] == "bearer"
    for path, methods in described["paths"].items():
        for method, one in methods.items():
            assert one["summary"], (path, method)
            assert one["description"], (path, method)


def test_a_table_survives_a_restart_of_the_server_in_mid_turn(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path / "tables.sqlite3"), base_url="http://cinq.test") as client:
        programs = begun(client, 3, chains=True)
        table = programs[0].act("roll", seen=programs[0].see()["number"])
        id = programs[0].id
        before = client.get(f"/api/tables/{id}/record").text
    with TestClient(make_app(tmp_path / "tables.sqlite3"), base_url="http://cinq.test") as client:
        for one in programs:
            one.client = client
        assert client.get(f"/api/tables/{id}/record").text == before
        now = programs[0].see()
        assert {**now, "here": None} == {**table, "here": None}
        play_on(programs, random.Random(6))
        verify(client.get(f"/api/tables/{id}/record").text)


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_the_page_of_the_api_shows_everything_that_is_described(client: TestClient, lang: str) -> None:
    page = client.get("/api", headers={"Accept-Language": lang}).text
    described = client.get("/api/openapi.json").json()
    for path, methods in described["paths"].items():
        for method, one in methods.items():
            assert f"<b>{method.upper()}</b> /api{path}</code>" in page
            assert one["summary"] in page
    for name in ("NewTable", "Join", "Chain", "Act", "Absent", "Record"):
        for field in described["components"]["schemas"][name]["properties"]:
            assert f"<code>{field}</code>" in page
    answers = page.partition('id="answers"')[2]
    for name in ("Table", "Entries", "Verified", "Error"):
        assert f'<h3 id="of-{name}">' in answers
        for _, field in fields(name):
            assert f"<code>{field}</code>" in answers
    assert ("L’API ouverte" in page) == (lang == "fr")


def test_starting_twice_is_starting_once_and_beginning_without_openings_is_asked_for(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, ben = opened(client, 2, chains=True)
    refused(ana.ask("POST", "/begin", status=422), "not_begun")
    first = ana.ask("POST", "/start")
    assert first["awaits"] == "openings"
    assert ana.ask("POST", "/start") == first
    refused(ben.ask("POST", "/begin", status=422), "not_yet")
    monkeypatch.setattr("cinqmille.online.SEALING", 0)
    assert ana.ask("POST", "/start") == first  # however late the answer was asked for again
    table = ben.ask("POST", "/begin")
    assert table["stage"] == "playing"
    assert [seat["chain"] for seat in table["seats"]] == [False, False]
    assert ana.ask("POST", "/start") == table | {"me": 0}
    assert ana.ask("POST", "/begin") == table | {"me": 0}


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
def test_a_body_that_is_not_called_json_is_refused_by_its_kind(client: TestClient, kind: str) -> None:
    answer = client.post("/api/tables", content=b'{"name": "Ana"}', headers={"Content-Type": kind})
    assert answer.status_code == 415
    refused(answer.json(), "body_kind")
    assert "application/json" in answer.json()["error"]["message"]
    named = client.post("/api/tables", content=b'{"name": "Ana"}', headers={"Content-Type": "Application/JSON; a=b"})
    assert named.status_code == 201


ONCE = {"name": "Ana", "secret": SECRETS[0], "once": "the first table", "pace": 10_000}


def test_opening_twice_with_the_same_word_is_opening_once(client: TestClient) -> None:
    body = ONCE | {"bots": [{"bot": "steady", "name": "Robo"}], "anchor": Chain(5).anchor}
    first = client.post("/api/tables", json=body)
    assert first.status_code == 201
    ben = Program(client, first.json()["id"], SECRETS[1])
    ben.ask("POST", "/seats", {"name": "Ben", "secret": SECRETS[1]})
    again = client.post("/api/tables", json=body)
    assert again.status_code == 200
    assert again.json() == ben.see() | {"me": 0}
    assert [seat["name"] for seat in again.json()["seats"]] == ["Ana", "Robo", "Ben"]
    assert "token" not in again.json()
    assert len(again.json()["id"]) == len(opened(client)[0].id)
    others = (body | {"once": "the second table"}, body | {"secret": SECRETS[1]}, {"name": "Ana"}, {"name": "Ana"})
    ids = {client.post("/api/tables", json=other).json()["id"] for other in others}
    assert len(ids | {again.json()["id"]}) == 5


def test_a_table_that_is_opened_once_needs_a_secret(client: TestClient) -> None:
    answer = client.post("/api/tables", json={"name": "Ana", "once": "the first table"})
    assert answer.status_code == 422
    refused(answer.json(), "once_without_secret")


def test_an_opening_whose_answer_was_lost_halfway_is_finished_by_asking_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = ONCE | {"bots": [{"bot": "steady", "name": f"Robo {number}"} for number in range(3)]}
    store = client.app.state.tables.store  # type: ignore[attr-defined]
    write, left = store.write, [1]

    async def fails(*args: Any, **more: Any) -> None:
        if not left:
            raise StoreError("not_stored")
        left.pop()
        await write(*args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", fails)
        assert client.post("/api/tables", json=body).status_code == 503
    table = client.post("/api/tables", json=body).json()
    assert [seat["name"] for seat in table["seats"]] == ["Ana", "Robo 0", "Robo 1", "Robo 2"]
    assert client.post("/api/tables", json=body).json() == table


def test_opening_once_at_the_same_moment_opens_one_table(client: TestClient) -> None:
    body = ONCE | {"bots": [{"bot": "steady", "name": "Robo"}]}
    answers: list[Any] = []
    asking = [
        threading.Thread(target=lambda: answers.append(client.post("/api/tables", json=body))) for _ in range(8)
    ]  # fmt: skip
    for one in asking:
        one.start()
    for one in asking:
        one.join(20)
    assert {answer.status_code for answer in answers} <= {200, 201}
    assert len(answers) == 8
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert client.post("/api/tables", json=body).json()["number"] == 1


def test_answers_hold_what_is_described_and_nothing_else(client: TestClient) -> None:
    """Every answer that a program here gets is checked; all that is described comes in these games."""
    tables: list[Any] = []
    happened: list[Any] = []
    answer = client.post("/api/tables", json={"name": "Ana"})
    fits("POST", "/tables", answer)
    tables.append(answer.json())
    left = opened(client, 3, chains=True, bots=[{"bot": "steady", "name": "Robo"}])
    tables.append(left[2].ask("DELETE", "/seats/3"))
    left[0].ask("POST", "/start")
    live = client.app.state.tables._open[left[0].id]  # type: ignore[attr-defined]
    live.online = replace(live.online, moved=live.online.moved - 60)
    tables.append(left[0].ask("POST", "/begin"))
    house = "cinq-des(entry=0, target=2000)"  # which nobody reaches with the least that counts
    ana, ben, cleo = begun(client, 3, chains=True, after=10, pace=10_000, rules=house)

    def without_ana(then: str) -> Any:
        live = client.app.state.tables._open[ana.id]  # type: ignore[attr-defined]
        live.seen[live.online.seats[0].key] -= 60
        return ben.ask("POST", "/absent", {"seen": ben.see()["number"], "seat": 0, "then": then})

    without_ana("bot")
    ana.ask("POST", "/back")
    table = ana.act("roll", seen=without_ana("bot")["number"])
    tables.append(table)
    while table["to_play"] != 0:
        program = (ana, ben, cleo)[table["to_play"]]
        table = program.act("=" if "=" in table["legal"] else table["legal"][-1], seen=table["number"])
    table = without_ana("remove")
    while table["phase"] != "choose":
        program = (ana, ben, cleo)[table["to_play"]]
        table = program.act("roll", seen=table["number"])
        tables.append(table)
    ana.ask("POST", "/back")
    tables.append(play_on([ana, ben, cleo], random.Random(5)))
    for one in (left[0], ana):
        happened.append(one.ask("GET", "/events"))
    kinds = {entry["kind"] for found in happened for entry in found["entries"]}
    assert kinds == {*DESCRIBED["components"]["schemas"]["Entry"]["discriminator"]["mapping"]}
    seen = {name for found in (tables, happened) for name in _names(found)}
    for schema in ("Table", "Entries"):
        missing = [(within, name) for within, name in fields(schema) if name not in seen]
        assert not missing


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _names(one)
