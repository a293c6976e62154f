"""The server on the open internet: who is let in, what is read, and how much one may ask for."""

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse
from fastapi.testclient import TestClient
from pydantic import BaseModel
from starlette.requests import HTTPConnection

from cinqmille.errors import IllegalAction
from cinqmille.web import connections, guard, limits, streams
from cinqmille.web.app import Options, make_app
from cinqmille.web.bodies import json_object
from cinqmille.web.files import FOLDER, static
from cinqmille.web.limits import RELEASES, Limits, party
from cinqmille.web.refusals import Refused
from cinqmille.web.streams import EventStream

HOME, PUBLIC = "192.168.1.7", "5.0.0.1"


class Asked(BaseModel):
    """What a program sends to the address that only these tests have."""

    name: str
    number: int


def app(folder: Path, options: Options = Options()) -> FastAPI:  # noqa: B008
    """The app, with a few addresses for programs that take what was sent."""
    made = make_app(folder / "tables.sqlite3", options)
    api: FastAPI = next(vars(route)["app"] for route in made.routes if vars(route).get("path") == "/api")

    @api.post("/strict")
    async def _(request: Request) -> dict[str, Any]:
        return await json_object(request)

    @api.post("/model")
    async def _(asked: Asked) -> dict[str, Any]:
        return asked.model_dump()

    @api.post("/stale")
    async def _() -> None:
        raise IllegalAction("stale", seen=1, number=2)

    @api.get("/broken")
    async def _() -> None:
        raise RuntimeError("a secret of the server")

    @made.get("/slow")
    async def _() -> str:
        await asyncio.sleep(0.8)
        return "done"

    @made.get("/who")
    async def _(request: Request) -> PlainTextResponse:
        return PlainTextResponse(f"{request.client.host if request.client else ''} {request.url.scheme}")

    return made


@contextmanager
def opened(made: FastAPI, *, at: str = HOME, base: str = "http://testserver", **more: Any) -> Iterator[TestClient]:
    headers = {"accept-language": "en"}
    with TestClient(made, base_url=base, headers=headers, client=(at, 50_000), follow_redirects=False, **more) as one:
        yield one


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(app(tmp_path)) as one:
        yield one


def code(answer: Any) -> str:
    """The code of a refusal, which has a sentence and no trace of the program."""
    error = answer.json()["error"]
    assert error["message"].endswith(".")
    assert "Traceback" not in answer.text
    found: str = error["code"]
    return found


# Headers and cookies


def test_every_answer_keeps_strange_scripts_and_frames_out(client: TestClient) -> None:
    for path in ("/", "/nothing", "/api/nothing", "/static/app.css", "/worker.js", "/health"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"], path
        assert "'unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "strict-transport-security" not in headers, "over plain http it would mean nothing"


def test_over_https_cookies_stay_on_https_and_browsers_remember_it(tmp_path: Path) -> None:
    with opened(app(tmp_path), base="https://testserver") as client:
        answer = client.get("/")
        assert "; Secure" in answer.headers["set-cookie"]
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        answer = client.post("/language", data={"lang": "fr"}, headers={"origin": "https://testserver"})
        cookies = answer.headers.get_list("set-cookie")
        assert any(cookie.startswith("lang=fr") for cookie in cookies)
        assert all(cookie.count("; Secure") == 1 for cookie in cookies)


def test_a_device_is_known_by_its_cookie_and_a_strange_one_is_replaced(client: TestClient) -> None:
    first = client.get("/")
    cookie = first.headers["set-cookie"]
    assert re.fullmatch(r"device=[\w-]{32}; HttpOnly; Max-Age=31536000; Path=/; SameSite=lax", cookie)
    assert "set-cookie" not in client.get("/").headers
    for strange in ("short", "x" * 65, "with spaces in the middle", '"\\000aaaaaaaaaaaaaaaaaaaaaaa"'):
        assert "set-cookie" in client.get("/", headers={"cookie": f"device={strange}"}).headers
    assert "set-cookie" not in TestClient(client.app).get("/static/app.css").headers


def test_pages_are_never_kept_by_proxies_or_browsers(client: TestClient) -> None:
    assert client.get("/").headers["cache-control"] == "no-store"
    assert client.get("/api/nothing").headers["cache-control"] == "no-store"


# Other sites


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://elsewhere.example"},
        {"origin": "null"},
        {"origin": "http://testserver.elsewhere.example"},
        {"origin": "http://testserver:81"},
        {"origin": "http://["},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "cross-site", "authorization": "Bearer something"},
        {"origin": "http://elsewhere.example", "authorization": "Bearer something"},
    ],
)
def test_what_another_site_sends_is_refused_as_form_and_as_json(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.post("/language", data={"lang": "fr"}, headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.text
    assert "set-cookie" not in answer.headers
    answer = client.post("/api/strict", json={}, headers=headers)
    assert (answer.status_code, code(answer)) == (403, "other_site")
    assert client.delete("/api/strict", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer something"},
        {"origin": "http://testserver"},
        {"origin": "http://testserver", "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
    ],
)
def test_programs_and_the_own_site_are_let_in(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/api/strict", json={"a": 1}, headers=headers).json() == {"a": 1}


def test_a_page_that_came_unencrypted_cannot_act_on_the_encrypted_site(tmp_path: Path) -> None:
    with opened(app(tmp_path), base="https://testserver") as client:
        answer = client.post("/api/strict", json={}, headers={"origin": "http://testserver"})
        assert (answer.status_code, code(answer)) == (403, "other_site")


def test_the_public_address_is_the_own_site_whatever_name_a_proxy_asks_for(tmp_path: Path) -> None:
    with opened(app(tmp_path, Options(public="https://play.example"))) as client:
        headers = {"origin": "https://play.example"}
        assert client.post("/api/strict", json={}, headers=headers).status_code == 200
        assert client.post("/api/strict", json={}, headers={"origin": "http://play.example"}).status_code == 403


def test_a_server_answers_only_to_its_names(tmp_path: Path) -> None:
    with opened(app(tmp_path, Options(hosts=("play.example",)))) as client:
        for host in (
            "play.example", "PLAY.example:8000", "127.0.0.1:5000", "[::1]:5000", "192.168.1.4", "localhost:5000",
            "living-room.local:5000", "cinqmille:5000",
        ):  # fmt: skip
            assert client.get("/", headers={"host": host}).status_code == 200, host
        for host in ("elsewhere.example", "play.example.elsewhere.example", "xplay.example", "[:", "", "a b.c"):
            answer = client.get("/", headers={"host": host})
            assert answer.status_code == 421, host
            assert "--host-name" in answer.text
        answer = client.get("/api/nothing", headers={"host": "elsewhere.example", "accept-language": "fr"})
        assert code(answer) == "other_host"
        assert "ne répond pas" in answer.json()["error"]["message"]
    with opened(app(tmp_path, Options(hosts=("*",)))) as client:
        assert client.get("/", headers={"host": "elsewhere.example"}).status_code == 200


# What is sent


def test_too_much_is_refused_whatever_its_length_says(client: TestClient) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    pieces = [b"record=", *[b"x" * 65536] * 20]
    for answer in (
        client.post("/open", data={"record": "x" * (1 << 21)}),
        client.post("/open", content=iter(pieces), headers=form),
        client.post("/open", content=b"", headers=form | {"content-length": "12x"}),
    ):
        assert answer.status_code == 413
        assert "1,024 kB at most" in answer.text
        assert "Traceback" not in answer.text
    answer = client.post("/api/strict", json={"a": "x" * 65536})
    assert (answer.status_code, code(answer)) == (413, "too_large")
    assert answer.json()["error"]["kilobytes"] == 64
    pieces = [b'{"a": "', *[b"x" * 8192] * 9, b'"}']
    for path in ("/api/strict", "/api/model"):
        answer = client.post(path, content=iter(pieces), headers={"content-type": "application/json"})
        assert (answer.status_code, code(answer)) == (413, "too_large"), path
    assert client.post("/api/strict", json={"a": "x" * 60_000}).status_code == 200


@pytest.mark.parametrize("path", ["/api/strict", "/api/model"])
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\xff\xfe{}", "application/json"),
        (b'{"name": "\xff", "number": 1}', "application/json"),
        (b'{"name": ', "application/json"),
        (b'{"name": "Ana", "number": 1}x', "application/json"),
        (b"[" * 30_000, "application/json"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "application/json"),
        (b"[1, 2]", "application/json"),
        (b'"text"', "application/json"),
        (b'{"name": "Ana", "number": NaN}', "application/json"),
        (b'{"name": "Ana", "number": 1' + b"0" * 5000 + b"}", "application/json"),
        (b"name=Ana&number=1", "application/x-www-form-urlencoded"),
        (b'{"name": "Ana", "number": 1}', "text/plain"),
        (b'{"name": "Ana", "number": 1}', ""),
        (b'{"name": "Ana", "number": 1}', "multipart/form-data; boundary=x"),
    ],
)
def test_json_that_is_none_is_refused_with_a_sentence(client: TestClient, path: str, body: bytes, kind: str) -> None:
    answer = client.post(path, content=body, headers={"content-type": kind} if kind else {})
    assert 400 <= answer.status_code < 500, answer.text
    assert code(answer)


@pytest.mark.parametrize(
    ("body", "status", "expected"),
    [
        (b'{\n "a": ]}', 400, {"code": "not_json", "line": 2, "column": 7}),
        (b'{"a":' + b"[" * 25 + b"]" * 25 + b"}", 400, {"code": "too_deep", "levels": 20}),
        (b'{"a": "\\u0000"}', 400, {"code": "body_not_text"}),
        (b'{"a": "\\ud800"}', 400, {"code": "body_not_text"}),
        (b'{"\\u0000": 1}', 400, {"code": "body_not_text"}),
        (b'{"a": Infinity}', 400, {"code": "json_wrong", "key": "Infinity"}),
        (b"[]", 400, {"code": "json_wrong"}),
    ],
)
def test_a_program_is_told_what_is_wrong_with_its_json(
    client: TestClient, body: bytes, status: int, expected: dict[str, Any]
) -> None:
    answer = client.post("/api/strict", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert expected.items() <= answer.json()["error"].items()


def test_a_wrong_field_is_named_and_what_was_sent_is_not_repeated(client: TestClient) -> None:
    answer = client.post("/api/model", json={"name": "secret of a player", "number": "many"})
    assert (answer.status_code, code(answer)) == (422, "json_wrong")
    assert answer.json()["error"]["key"] == "number"
    assert "secret" not in answer.text
    assert "many" not in answer.text


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"record=\xff\xfe", "application/x-www-form-urlencoded", 400),
        (b"record=%ff%fe", "application/x-www-form-urlencoded", 400),
        (b"record=%00", "application/x-www-form-urlencoded", 400),
        (b"a=1&" * 500, "application/x-www-form-urlencoded", 400),
        (b'{"record": ""}', "application/json", 415),
        (b"record=", "text/plain", 415),
        (b"record=", "", 415),
        (
            b'--x\r\nContent-Disposition: form-data; name="record"\r\n\r\n\xff\xfe\r\n--x--',
            "multipart/form-data; boundary=x",
            400,
        ),
    ],
)  # fmt: skip
def test_a_form_that_is_none_is_refused_with_a_sentence(
    client: TestClient, body: bytes, kind: str, status: int
) -> None:
    for path in ("/open", "/new", "/language"):
        answer = client.post(path, content=body, headers={"content-type": kind} if kind else {})
        assert answer.status_code == status, answer.text
        assert "<h1" in answer.text
        assert "Traceback" not in answer.text


def test_addresses_with_controls_are_refused(client: TestClient) -> None:
    for path in ("/t/%00", "/t/a%0Ab", "/forget/%7f", "/rules/x?name=%00", "/api/%00"):
        answer = client.get(path)
        assert answer.status_code == 400, path
        assert "Traceback" not in answer.text


def test_refusals_are_json_for_programs_and_pages_for_people(client: TestClient) -> None:
    assert code(client.get("/api/nothing")) == "not_found"
    assert code(client.get("/api/strict")) == "not_this_way"
    answer = client.post("/api/stale", headers={"accept-language": "fr"})
    assert (answer.status_code, code(answer)) == (409, "stale")
    assert answer.json()["error"]["number"] == 2
    assert "entre-temps" in answer.json()["error"]["message"]
    assert "<h1" in client.get("/nothing").text


def test_a_failure_of_the_server_tells_nothing_of_it(tmp_path: Path) -> None:
    with opened(app(tmp_path), raise_server_exceptions=False) as client:
        answer = client.get("/api/broken")
        assert (answer.status_code, code(answer)) == (500, "server_failed")
        assert "secret" not in answer.text
        assert "content-security-policy" in answer.headers


# A real server on a port of its own


@contextmanager
def served(made: FastAPI, **more: Any) -> Iterator[int]:
    """The app on a port of this machine."""
    server = uvicorn.Server(uvicorn.Config(made, port=0, log_level="critical", timeout_graceful_shutdown=1, **more))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            until(lambda: server.started)
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)


def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def sent(port: int, text: str, *, then: str = "", wait: float = 0.0) -> str:
    """Everything a server answers to these bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), 10) as one:
        one.sendall(text.encode())
        if then:
            time.sleep(wait)
            one.sendall(then.encode())
        answer = b""
        while piece := one.recv(65536):
            answer += piece
    return answer.decode("utf-8", "replace")


def test_a_slow_body_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "PATIENCE", 0.4)
    head = "POST /api/strict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with served(app(tmp_path)) as port:
        begun = time.monotonic()
        for length in ("Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"):
            answer = sent(port, head + length)
            assert answer.startswith("HTTP/1.1 408")
            assert '"too_slow"' in answer
        form = head.replace("/api/strict", "/open").replace("application/json", "application/x-www-form-urlencoded")
        answer = sent(port, form + "Content-Length: 100\r\n\r\na")
        assert answer.startswith("HTTP/1.1 408")
        assert "took too long" in answer
        assert time.monotonic() - begun < 6
        # A body that nobody reads is not waited for either.
        assert "connection: close" in sent(port, head.replace("/strict", "/nothing") + "Content-Length: 100\r\n\r\n{")
        assert "connection: close" in sent(port, "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        # One that takes a moment is.
        answer = sent(port, head + "Connection: close\r\nContent-Length: 8\r\n\r\n{", then='"a": 1}', wait=0.1)
        assert answer.startswith("HTTP/1.1 200")


def test_a_connection_goes_on_after_a_body_that_nobody_read(tmp_path: Path) -> None:
    with served(app(tmp_path)) as port, socket.create_connection(("127.0.0.1", port), 10) as one:
        for path, status in (("/api/stale", b"409"), ("/nothing", b"404"), ("/api/strict", b"200")):
            head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
            one.sendall(head.encode() + b"{}")
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += one.recv(65536)
            assert answer[9:12] == status
            assert b"connection: close" not in answer
            length = re.search(rb"content-length: (\d+)", answer)
            assert length is not None
            while len(answer.partition(b"\r\n\r\n")[2]) < int(length[1]):
                answer += one.recv(65536)


def test_broken_requests_get_a_short_answer(tmp_path: Path) -> None:
    with served(app(tmp_path)) as port:
        for request in (
            "nonsense\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nCookie: " + "x" * 70_000 + "\r\n\r\n",
            "GET /" + "x" * 70_000 + " HTTP/1.1\r\nHost: a\r\n\r\n",
        ):
            assert sent(port, request).startswith(("HTTP/1.1 400", "HTTP/1.1 431")), request[:60]
        assert sent(port, "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").startswith("HTTP/1.1 200")


def test_a_proxy_is_believed_where_it_is_trusted(tmp_path: Path) -> None:
    ask = "GET /who HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
    told = f"X-Forwarded-For: 1.2.3.4, {PUBLIC}\r\nX-Forwarded-Proto: https\r\n\r\n"
    with served(app(tmp_path), forwarded_allow_ips="127.0.0.1") as port:
        answer = sent(port, ask + told)
        assert answer.endswith(f"{PUBLIC} https"), "what the client itself wrote before does not count"
        assert "; Secure" in answer
    with served(app(tmp_path), forwarded_allow_ips="10.0.0.1") as port:
        answer = sent(port, ask + told)
        assert answer.endswith("127.0.0.1 http")
        assert "; Secure" not in answer


@contextmanager
def wired(made: FastAPI) -> Iterator[int]:
    """The app on a port, its connections counted and timed as the command does it."""
    with served(made, http=connections.protocol(made.state.limits), ws="none") as port:
        yield port


def test_a_request_that_never_ends_to_be_asked_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.3)
    with wired(app(tmp_path)) as port:
        begun = time.monotonic()
        assert sent(port, "").startswith("HTTP/1.1 408")
        assert sent(port, "GET / HT").startswith("HTTP/1.1 408")
        assert sent(port, "GET / HTTP/1.1\r\nHost: a\r\n").startswith("HTTP/1.1 408")
        with socket.create_connection(("127.0.0.1", port), 10) as one:  # a letter now and then does not help
            one.settimeout(0.05)
            cut = False
            for letter in "GET / HTTP/1.1\r\nHost: " + "a" * 100:
                try:
                    one.sendall(letter.encode())
                    cut = not one.recv(100).startswith(b"HTTP/1.1 200")
                except TimeoutError:
                    continue
                except OSError:  # a letter crossed the answer on its way, and the system said that nobody listens
                    cut = True
                break
            assert cut
        # The second request of a connection has no longer either.
        both = sent(port, "GET /health HTTP/1.1\r\nHost: a\r\n\r\n", then="GET /", wait=0.1)
        assert both.startswith("HTTP/1.1 200")
        assert "HTTP/1.1 408" in both
        assert time.monotonic() - begun < 12
        # Whoever has asked may wait for ever.
        ask = "GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        assert sent(port, ask).endswith('"done"')


def refused(one: socket.socket) -> bool:
    """Whether a connection is closed without an answer."""
    try:
        one.sendall(b"GET / HTTP/1.1\r\n")
        return one.recv(100) == b""
    except ConnectionError:
        return True


def test_connections_of_an_address_are_counted_and_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CONNECTIONS_PUBLIC", 3)
    monkeypatch.setattr(limits, "party", lambda address: (address, True))
    made = app(tmp_path)
    with wired(made) as port:
        for _ in range(3):
            held = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(3)]
            until(lambda: len(made.state.limits) and made.state.limits._open["connection", "127.0.0.1"] == 3)
            with socket.create_connection(("127.0.0.1", port), 10) as one:
                assert refused(one)
            for connection in held:
                connection.close()
            until(lambda: len(made.state.limits._open) == 0)


def test_the_system_tells_when_a_listener_has_vanished(tmp_path: Path) -> None:
    set_: list[tuple[int, int, int]] = []

    class Connection:
        def setsockopt(self, level: int, option: int, value: int) -> None:
            set_.append((level, option, value))

    connections._set_up(Connection())
    assert (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1) in set_
    assert (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1) in set_
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        assert (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 60_000) in set_


# Streams


async def _streamed(pieces: AsyncGenerator[str, None], receive: Any, send: Any) -> None:
    await EventStream(pieces)({"type": "http"}, receive, send)


def test_a_stream_ends_with_its_listener_and_closes_what_it_listened_to() -> None:
    async def played() -> None:
        closed, gone = asyncio.Event(), asyncio.Event()
        heard: list[dict[str, Any]] = []

        async def events() -> AsyncGenerator[str, None]:
            try:
                yield "data: one\n\n"
                await asyncio.Event().wait()
            finally:
                closed.set()

        async def receive() -> dict[str, Any]:
            if not heard:
                return {"type": "http.request", "body": b"", "more_body": False}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            heard.append(message)

        streaming = asyncio.create_task(_streamed(events(), receive, send))
        while len(heard) < 2:
            await asyncio.sleep(0)
        assert heard[0]["headers"] == [(b"content-type", b"text/event-stream; charset=utf-8")]
        assert heard[1] == {"type": "http.response.body", "body": b"data: one\n\n", "more_body": True}
        gone.set()
        await asyncio.wait_for(streaming, 5)
        assert closed.is_set()
        assert len(heard) == 2

        # A server that stops is not mistaken for a listener that went.
        gone.clear()
        closed.clear()
        streaming = asyncio.create_task(_streamed(events(), receive, send))
        await asyncio.sleep(0.01)
        streaming.cancel()
        with pytest.raises(asyncio.CancelledError):
            await streaming
        assert closed.is_set()

    asyncio.run(played())


def test_a_listener_who_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STALLED", 0.05)

    async def played() -> None:
        async def events() -> AsyncGenerator[str, None]:
            while True:
                yield "data: one\n\n"

        async def never() -> dict[str, Any]:
            await asyncio.Event().wait()
            raise AssertionError

        async def stalled(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.body":
                await asyncio.Event().wait()

        await asyncio.wait_for(_streamed(events(), never, stalled), 5)

    asyncio.run(played())


# Limits


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def many(counted: Limits, kind: Any, who: str, most: int = 100_000) -> int:
    """How many are let through at once."""
    for number in range(most):
        try:
            counted.check(kind, who)
        except Refused:
            return number
    return most


@pytest.mark.parametrize(
    ("kind", "public", "each_second", "private"),
    [
        ("requests", 300, 50, 20_000), ("tables", 30, 0.1, 1_000), ("seats", 120, 0.5, 8_000),
        ("wrong_tokens", 20, 0.2, 1_000),
    ],
)  # fmt: skip
def test_an_address_has_its_burst_and_then_its_rate(kind: Any, public: int, each_second: float, private: int) -> None:
    clock = Clock()
    counted = Limits(clock=clock)
    assert many(counted, kind, PUBLIC) == public
    assert many(counted, kind, "5.0.0.2") == public, "one address does not pay for another"
    for home in ("127.0.0.1", "::1", HOME, "10.1.2.3", "fd00::1", ""):
        assert many(Limits(clock=clock), kind, home) == private, home
    clock.now += 10 / each_second
    assert many(counted, kind, PUBLIC) == 10
    with pytest.raises(Refused) as caught:
        counted.check(kind, PUBLIC)
    clock.now += int((caught.value.headers or {})["Retry-After"])
    counted.check(kind, PUBLIC)


def test_a_seat_has_its_own_rate_of_commands() -> None:
    clock = Clock()
    counted = Limits(clock=clock)
    assert many(counted, "commands", "table/0") == 200
    assert many(counted, "commands", "table/1") == 200
    clock.now += 0.5
    assert many(counted, "commands", "table/0") == 50


def test_limits_are_widened_and_taken_away_by_their_factor() -> None:
    assert many(Limits(2, clock=Clock()), "tables", PUBLIC) == 60
    assert many(Limits(0.5, clock=Clock()), "tables", PUBLIC) == 15
    assert many(Limits(0, clock=Clock()), "tables", PUBLIC, 5000) == 5000


def test_asking_before_a_token_is_looked_at_costs_nothing_and_refuses_even_the_right_one() -> None:
    counted = Limits(clock=Clock())
    for _ in range(100):
        counted.check("wrong_tokens", PUBLIC, 0)
    assert many(counted, "wrong_tokens", PUBLIC) == 20
    with pytest.raises(Refused):
        counted.check("wrong_tokens", PUBLIC, 0)


def test_a_home_with_ipv6_counts_once_and_addresses_are_known_in_every_spelling() -> None:
    assert party("2a01:e0a:1:2::1") == party("2a01:e0a:1:2:ffff::9") == ("2a01:e0a:1:2::", True)
    assert party("2a01:e0a:1:3::1") != party("2a01:e0a:1:2::1")
    assert party("::ffff:5.0.0.1") == party("5.0.0.1") == ("5.0.0.1", True)
    assert not party("::ffff:192.168.1.1")[1]
    assert not party("fe80::1%eth0")[1]
    assert not party("100.64.0.1")[1]


def test_the_memory_of_limits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    counted = Limits(clock=clock)
    for number in range(20_000):
        clock.now += 0.001
        counted.check("requests", f"2a01:{number // 65536:x}:{number % 65536:x}::1")
    assert len(counted) < 2_000, "a bucket that is full again is forgotten"
    monkeypatch.setattr(limits, "_MOST_BUCKETS", 500)
    counted = Limits(clock=clock)
    for number in range(5_000):
        counted.check("tables", f"2a01:{number:x}::1")
    assert len(counted) <= 1_001
    assert many(counted, "tables", f"2a01:{4_999:x}::1") == 29, "those used last are still known"


def _asking(address: str) -> HTTPConnection:
    return HTTPConnection({"type": "http", "client": (address, 1), "headers": [], RELEASES: []})


def _end(asked: HTTPConnection) -> None:
    for release in asked.scope[RELEASES]:
        release()


def test_open_streams_are_counted_by_address_and_by_seat() -> None:
    counted = Limits()
    opened = [_asking(PUBLIC) for _ in range(200)]
    for one in opened:
        counted.hold(one)
    with pytest.raises(Refused) as caught:
        counted.hold(_asking(PUBLIC))
    assert caught.value.status_code == 429
    counted.hold(_asking("5.0.0.2"))
    _end(opened.pop())
    opened.append(_asking(PUBLIC))
    counted.hold(opened[-1])
    with pytest.raises(Refused):
        counted.hold(_asking(PUBLIC))
    seats = [_asking(HOME) for _ in range(30)]
    for one in seats:
        counted.hold(one, "table/0")
    with pytest.raises(Refused):
        counted.hold(_asking(HOME), "table/0")
    counted.hold(_asking(HOME), "table/1")
    for one in (*seats, *opened):
        _end(one)
    assert len(counted) == 3, "one of another address, one of a seat and its address"


def test_a_flood_is_turned_away_in_the_readers_language(tmp_path: Path) -> None:
    made = app(tmp_path)
    with opened(made, at=PUBLIC) as client:
        for _ in range(300):
            assert client.get("/api/nothing").status_code == 404
        for _ in range(2_000):  # the bucket fills while it is emptied
            answer = client.get("/api/nothing", headers={"accept-language": "fr"})
            if answer.status_code == 429:
                break
        assert code(answer) == "too_many"
        assert answer.json()["error"]["seconds"] == int(answer.headers["retry-after"]) == 1
        assert "trop à la fois" in answer.json()["error"]["message"]
        made.state.limits.check("requests", HOME)  # the others do not notice
        assert "set-cookie" not in answer.headers


def test_tables_are_not_made_without_end(tmp_path: Path) -> None:
    made = app(tmp_path)
    new = {"preset": "cinq-des", "name-0": "Ana", "name-1": "Ben", "then": "start", "dice": "system"}
    record = "rules: cinq-des\nplayers: Ana, B{}\n"
    with opened(made, at=PUBLIC) as client:
        for number in range(30):
            path, sent = ("/new", new) if number % 2 else ("/open", {"record": record.format(number)})
            assert client.post(path, data=sent).status_code == 303, number
        answer = client.post("/open", data={"record": record.format("x")})
        assert answer.status_code == 429
        assert client.post("/new", data=new).status_code == 429
        assert client.get("/").status_code == 200, "one may go on with the tables one has"


def test_streams_are_given_back_when_a_browser_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STREAMS_PRIVATE", 3)
    made = app(tmp_path)
    with served(made) as port:
        record = "record=rules:+cinq-des%0Aplayers:+Ana,+Ben%0A"
        head = f"Host: localhost\r\nConnection: close\r\nContent-Length: {len(record)}\r\n"
        kind = "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        answer = sent(port, f"POST /open HTTP/1.1\r\n{head}{kind}{record}")
        match = re.search(r"location: (/t/[\w-]+)", answer)
        assert match is not None
        ask = f"GET {match[1]}/live HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n".encode()
        for _ in range(3):
            windows = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(3)]
            for window in windows:
                window.sendall(ask)
                text = b""
                while b"\n\n" not in text.partition(b"\r\n\r\n")[2]:
                    text += window.recv(65536)
                assert b"data: " in text, "an event is not held back, and not packed"
                assert b"x-accel-buffering: no" in text
            answer = sent(port, ask.decode().replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))
            assert answer.startswith("HTTP/1.1 429")
            for window in windows:
                window.close()
            until(lambda: len(made.state.limits._open) == 0)


def test_whoever_waits_for_events_counts_as_a_stream_until_the_answer_or_until_they_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STREAMS_PRIVATE", 2)
    made = app(tmp_path)
    secret = "a-secret-of-the-one-who-opened-it"
    body = json.dumps({"name": "Ana", "secret": secret})
    head = f"Host: localhost\r\nConnection: close\r\nAuthorization: Bearer {secret}\r\n"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with served(made) as port:
        answer = sent(port, f"POST /api/tables HTTP/1.1\r\n{head}{kind}{body}")
        id = json.loads(answer.partition("\r\n\r\n")[2])["id"]
        live, counted = made.state.tables._open[id], made.state.limits._open
        asked = f"GET /api/tables/{id}/events?wait={{}} HTTP/1.1\r\n{head}\r\n"
        for _ in range(2):
            waiting = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(2)]
            for one in waiting:
                one.sendall(asked.format(60).encode())
            until(lambda: len(live.watchers) == 2)
            assert sent(port, asked.format(1)).startswith("HTTP/1.1 429")
            assert sent(port, asked.format(0)).startswith("HTTP/1.1 200"), "nobody waits for that"
            for one in waiting:
                one.close()
            until(lambda: not live.watchers and not live.streams and not counted)
        assert sent(port, asked.format(0.1)).endswith('{"number":0,"entries":[]}')
        assert not counted


# Files


def test_an_address_of_a_file_names_its_content_and_is_kept_for_a_year(client: TestClient) -> None:
    page = client.get("/").text
    found = set(re.findall(r'(?:href|src|data-dice)="(/static/[^"#]+)', page))
    assert any("app.css?v=" in address for address in found)
    for address in found:
        answer = client.get(unescape(address))
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable", address
    assert client.get("/static/app.css").headers["cache-control"] == "no-cache"
    assert client.get("/static/app.css?v=0123456789ab").headers["cache-control"] == "no-cache"
    assert client.get("/static/../app.py").status_code == 404
    assert client.get("/static/nothing.css?v=0123456789ab").headers["cache-control"] == "no-store"


def test_no_page_names_a_file_without_its_version() -> None:
    for template in (FOLDER.parent / "templates").glob("*.html"):
        assert "/static/" not in template.read_text(encoding="utf-8"), template.name
    for script in FOLDER.glob("*.js"):
        assert "/static/" not in script.read_text(encoding="utf-8"), script.name


def test_the_service_worker_keeps_the_files_of_this_version(client: TestClient) -> None:
    text = client.get("/worker.js").text
    listed = re.search(r"LOOKS = (\[.*?\])", text)
    assert listed is not None
    assert json.loads(listed[1]) == [static(name) for name in ("app.css", "pages.css", "dice.svg", "icon.svg")]
    away = client.get("/away").text
    for address in re.findall(r'(?:rel="stylesheet" href|use href)="([^"#]+)', away):
        assert address in json.loads(listed[1])
    assert re.search(r'CACHE = "away-" \+ "[0-9a-f]{12}"', text)
