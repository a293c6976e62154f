"""The command that serves: what it prints, which addresses people are given, and what a camera reads in its codes."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request as Asking
from urllib.request import urlopen
from xml.etree import ElementTree

import numpy as np
import pexpect
import pytest
import segno
import zxingcpp
from fastapi import Request
from fastapi.responses import PlainTextResponse
from fastapi.testclient import TestClient

from cinqmille import web
from cinqmille.cli import main
from cinqmille.errors import InvalidText
from cinqmille.solutions import MOST_SECONDS
from cinqmille.web import addresses, thinking
from cinqmille.web.addresses import checked_proxies, checked_public, lan_address, qr_svg, qr_terminal
from cinqmille.web.app import Options, make_app
from cinqmille.web.limits import PRIVATE, PUBLIC, STREAMS_PRIVATE, STREAMS_PUBLIC
from cinqmille.words import Words

ROOT = Path(__file__).parents[1]
LAN = "192.0.2.44"
# What the phones in a room are asked to read.
URLS = ("http://192.168.1.17:5000/", "https://play.example/t/3x9Kq2mZ_1aBcD5f", "http://[fd00::1]:5000/")


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a server with its files in a folder."""
    return os.environ | {"XDG_DATA_HOME": str(folder), "PYTHONUNBUFFERED": "1"} | more


@contextmanager
def serving(folder: Path, *arguments: str, **more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and the first line it printed."""
    command = [sys.executable, "-m", "cinqmille", "serve", "--no-browser", "--port", "0", "--lang", "en", *arguments]
    process = subprocess.Popen(
        command, env=environment(folder, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


def asked(url: str, **headers: str) -> tuple[int, str]:
    """What a server answers, once it does."""
    end = time.monotonic() + 20
    asking = Asking(url, headers={name.replace("_", "-"): value for name, value in headers.items()})
    while True:
        try:
            with urlopen(asking, timeout=10) as one:
                return one.status, one.read().decode()
        except HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def read(pixels: np.ndarray[Any, Any]) -> list[str]:
    """The codes that a camera finds in a picture (True is black)."""
    picture = np.where(np.kron(pixels, np.ones((8, 8), dtype=bool)), 0, 255).astype(np.uint8)
    return [code.text for code in zxingcpp.read_barcodes(picture)]


# Codes


@pytest.mark.parametrize("url", URLS)
def test_a_camera_reads_the_address_in_the_picture_of_a_page(url: str) -> None:
    svg = ElementTree.fromstring(qr_svg(url, "Come in"))
    assert svg.attrib["class"] == "qr"
    assert svg.attrib["role"] == "img"
    assert {"width", "height", "style"}.isdisjoint(svg.attrib), "its size is a matter of the page's style"
    assert svg[0].tag == "title"
    assert svg[0].text == "Come in"
    size = int(svg.attrib["viewBox"].split()[2])
    light, dark = svg[1], svg[2]
    assert light.attrib == {"fill": "#fff", "d": f"M0 0h{size}v{size}h-{size}z"}, "white in dark pages too"
    assert dark.attrib["stroke"] == "#000"
    pixels = np.zeros((size, size), dtype=bool)
    x = y = 0.0
    for command, first, second in re.findall(r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?", dark.attrib["d"]):
        if command == "h":
            pixels[int(y), int(x) : int(x) + int(first)] = True
            x += int(first)
        elif command == "m":
            x, y = x + float(first), y + float(second)
        else:
            x, y = float(first), float(second)
    assert read(pixels) == [url]


def test_what_a_code_says_of_itself_is_text(tmp_path: Path) -> None:
    text = qr_svg("https://play.example/", "<script>Ana</script> & Ben")
    assert "<script" not in text
    assert "<title>&lt;script&gt;Ana&lt;/script&gt; &amp; Ben</title>" in text
    assert "style=" not in text


def pictured(text: str) -> np.ndarray[Any, Any]:
    """The picture that a terminal shows: half a line is a pixel, black where there is ink."""
    rows = []
    for line in text.strip("\r\n").splitlines():
        match = re.fullmatch(r"\x1b\[38;5;16;48;5;231m([ ▀▄█]+)\x1b\[0m", line.strip("\r"))
        assert match is not None, repr(line)
        rows.append([half in "▀█" for half in match[1]])
        rows.append([half in "▄█" for half in match[1]])
    return np.array(rows)


@pytest.mark.parametrize("url", URLS)
def test_a_camera_reads_the_address_in_a_terminal(url: str) -> None:
    pixels = pictured(qr_terminal(url))
    assert read(pixels) == [url]
    matrix = np.array(list(segno.make_qr(url, error="m").matrix_iter(border=4)), dtype=bool)
    assert (pixels[: len(matrix)] == matrix).all()


# Addresses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://play.example", "https://play.example"),
        ("https://Play.Example:8443/", "https://play.example:8443"),
        ("http://192.168.1.4:5000", "http://192.168.1.4:5000"),
        ("http://[fd00::1]:5000/", "http://[fd00::1]:5000"),
        ("https://dés.example", "https://xn--ds-bja.example"),
    ],
)
def test_a_public_address_is_read(text: str, expected: str) -> None:
    assert checked_public(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "play.example", "ftp://play.example", "https://", "https://play.example/path", "https://play.example?a=1",
        "https://user:secret@play.example", "https://play.example#x", "https://[::", "javascript:alert(1)",
        "https://a b", "https://play.example ", "https://play\n.example", "https://-.example", "https://a..b",
        "https://play.example:99999", "https://play.example:0", "https://[::g]", "https://a_b!.example",
    ],
)  # fmt: skip
def test_what_is_no_public_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidText) as caught:
        checked_public(text)
    assert caught.value.code == "bad_public"


def test_proxies_are_addresses_and_networks() -> None:
    assert checked_proxies("127.0.0.1, ::1,10.1.2.3/8") == ["127.0.0.1", "::1", "10.0.0.0/8"]
    assert checked_proxies("") == [], "nobody is believed"
    for text, wrong in (("abc", "abc"), ("10.0.0.1,10.0.0.0/33", "10.0.0.0/33"), ("*", "*"), ("1.2.3", "1.2.3")):
        with pytest.raises(InvalidText) as caught:
            checked_proxies(text)
        assert caught.value.code == "bad_proxy"
        assert caught.value.params == {"text": wrong}


def linked(folder: Path, options: Options, host: str, base: str = "http://testserver") -> str:
    """The address that a server gives to other people when it is asked under a name."""
    app = make_app(folder / "tables.sqlite3", options)

    @app.get("/link")
    async def _(request: Request) -> PlainTextResponse:
        return PlainTextResponse(addresses.public_url(request, "/t/x"))

    with TestClient(app, base_url=base) as client:
        return client.get("/link", headers={"host": host}).text


def test_people_are_given_the_address_they_can_reach(tmp_path: Path) -> None:
    lan = Options(lan=f"http://{LAN}:5000")
    for host in ("localhost:5000", "127.0.0.1:5000", "[::1]:5000"):
        assert linked(tmp_path, lan, host) == f"http://{LAN}:5000/t/x"
        assert linked(tmp_path, Options(), host) == f"http://{host}/t/x"
    assert linked(tmp_path, lan, "10.0.0.9:5000") == "http://10.0.0.9:5000/t/x"
    assert linked(tmp_path, Options(), "play.example", "https://play.example") == "https://play.example/t/x"


def test_a_forged_name_does_not_get_into_invitations(tmp_path: Path) -> None:
    public = Options(public="https://play.example", hosts=("play.example",))
    assert linked(tmp_path, public, "play.example") == "https://play.example/t/x"
    assert linked(tmp_path, public, "10.0.0.1") == "https://play.example/t/x"
    assert "https://play.example/t/x" not in (answer := linked(tmp_path, public, "elsewhere.example"))
    assert "elsewhere.example/t/x" not in answer
    assert linked(tmp_path, Options(public="https://play.example"), "elsewhere.example") == "https://play.example/t/x"


def test_the_address_in_the_wifi_is_asked_of_the_system_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Asked(socket.socket):
        def connect(self, address: Any) -> None:
            if self.family == socket.AF_INET:
                raise OSError("no network")

        def getsockname(self) -> Any:
            return ("fd00::7", 1)

        def send(self, *_: Any) -> int:
            raise AssertionError("nothing is sent")

        sendto = send

    monkeypatch.setattr("socket.socket", Asked)
    assert lan_address() == "fd00::7"

    class Alone(Asked):
        def connect(self, address: Any) -> None:
            raise OSError("no network")

    monkeypatch.setattr("socket.socket", Alone)
    with pytest.raises(InvalidText) as caught:
        lan_address()
    assert caught.value.code == "no_network"


# The command


def test_a_server_is_opened_to_the_room(tmp_path: Path) -> None:
    with serving(tmp_path, "--lan", "--host", "127.0.0.1") as (process, line):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", line)
        assert process.stdout is not None
        assert "Everybody in this Wi-Fi can come in" in process.stdout.readline(), "no code where no terminal is"
        assert asked(f"{line}health") == (200, '{"status":"ok"}')


def test_a_terminal_shows_a_code_that_cameras_read(tmp_path: Path) -> None:
    command = ["-m", "cinqmille", "serve", "--no-browser", "--port", "0", "--lan", "--host", "127.0.0.1"]
    variables = environment(tmp_path, TERM="xterm-256color", LC_ALL="C.UTF-8", LANG="C.UTF-8", PYTHONUTF8="1")
    for lang in ("en", "fr"):
        terminal = pexpect.spawn(
            sys.executable,
            [*command, "--lang", lang],
            env=variables,
            dimensions=(50, 100),
            encoding="utf-8",
            timeout=30,
        )
        try:
            terminal.expect(r"(http://127\.0\.0\.1:\d+/)\r\n")
            assert isinstance(terminal.match, re.Match)
            address = terminal.match[1]
            sentence = Words(lang).say("Everybody in this Wi-Fi can come in, with this address or the code.")
            terminal.expect_exact(sentence)
            assert terminal.before is not None
            assert read(pictured(terminal.before)) == [address]
            assert asked(f"{address}health")[0] == 200
        finally:
            terminal.sendintr()
            terminal.expect(pexpect.EOF)
            terminal.close()


def test_a_dumb_terminal_gets_the_address_alone(tmp_path: Path) -> None:
    command = ["-m", "cinqmille", "serve", "--no-browser", "--port", "0", "--lan", "--host", "127.0.0.1"]
    variables = environment(tmp_path, TERM="dumb", PYTHONUTF8="1")
    terminal = pexpect.spawn(sys.executable, [*command, "--lang", "en"], env=variables, encoding="utf-8", timeout=30)
    try:
        terminal.expect_exact("Everybody in this Wi-Fi")
        assert "▀" not in (terminal.before or "")
    finally:
        terminal.sendintr()
        terminal.expect(pexpect.EOF)
        terminal.close()


def test_answers_do_not_wait_for_the_other_side(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, line):
        asked(f"{line}health")
        address, _, port = line.removeprefix("http://").rstrip("/").rpartition(":")
        took = []
        with socket.create_connection((address, int(port)), 10) as one:
            for _ in range(15):
                begun = time.monotonic()
                one.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
                answer = b""
                while b'{"status":"ok"}' not in answer:
                    answer += one.recv(65536)
                took.append(time.monotonic() - begun)
        assert min(took[5:]) < 0.03, "40 milliseconds are the system's own wait"


def test_a_public_server_answers_to_its_name_and_tells_nobody_its_numbers(tmp_path: Path) -> None:
    arguments = ["--public", "https://play.example", "--host-name", "also.example", "--limits", "2"]
    with serving(tmp_path, *arguments, CINQMILLE_METRICS_TOKEN="the-operators-token") as (process, line):
        assert line == "https://play.example/"
        here = _listening(process)
        assert asked(f"{here}/health")[0] == 200
        for name, status in (("play.example", 200), ("also.example", 200), ("elsewhere.example", 421)):
            assert asked(f"{here}/", Host=name)[0] == status
        forwarded = {"X_Forwarded_For": "5.0.0.1", "X_Forwarded_Proto": "https"}
        assert asked(f"{here}/metrics", **forwarded)[0] == 404
        assert asked(f"{here}/metrics", **forwarded, Authorization="Bearer another")[0] == 404
        status, text = asked(f"{here}/metrics", **forwarded, Authorization="Bearer the-operators-token")
        assert status == 200
        assert 'cinqmille_requests_total{method="GET",route="/metrics",status="404"} 2.0' in text


def _listening(process: subprocess.Popen[str]) -> str:
    """Where a process listens, as the system knows it."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        inodes = set()
        for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
            try:
                inodes.add(os.readlink(descriptor).removeprefix("socket:[").rstrip("]"))
            except OSError:
                continue
        for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
            parts = line.split()
            if parts[3] == "0A" and parts[9] in inodes:
                return f"http://127.0.0.1:{int(parts[1].partition(':')[2], 16)}"
        time.sleep(0.05)
    raise AssertionError("it does not listen")


def test_the_database_of_the_command_line_comes_first(tmp_path: Path) -> None:
    named = tmp_path / "named.sqlite3"
    with serving(
        tmp_path, "--database", f"sqlite:///{named}", CINQMILLE_DATABASE=f"sqlite:///{tmp_path / 'other.sqlite3'}"
    ) as (_, line):
        assert asked(f"{line}health")[0] == 200
    assert named.exists()
    assert not (tmp_path / "other.sqlite3").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--public", "play.example"], "'play.example' is not the address of a server"),
        (["--public", "https://a b"], "'https://a b' is not the address of a server"),
        (["--proxy", "abc"], "'abc' is neither the address of a proxy nor a network"),
        (["--port", "99999"], "--port cannot be 99999: ports are numbers from 0 to 65535"),
        (["--port", "-1"], "--port cannot be -1"),
        (["--port", "web"], "--port cannot be 'web': it is a whole number"),
        (["--database", "mysql://ana:secret@host/base"], "This is no address of a database"),
        (["--database", "sqlite:////nowhere/at/all.sqlite3"], "/nowhere/at/all.sqlite3"),
        (["--limits", "-1"], "The limits cannot be"),
        (["--limits", "nan"], "The limits cannot be"),
    ],
)
def test_what_cannot_be_served_is_refused_in_a_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: str
) -> None:
    given = [] if "--port" in arguments else ["--port", "0"]
    assert main(["serve", "--no-browser", "--lang", "en", *given, *arguments]) == 2
    said = capsys.readouterr()
    assert code in said.err
    assert said.err.count("\n") == 1
    assert "secret" not in said.err
    assert said.out == ""


def test_a_port_that_is_given_is_taken_or_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["serve", "--no-browser", "--lang", "en", "--port", str(port)]) == 2
        said = capsys.readouterr()
        assert said.err.startswith(f"Nothing can be served at 127.0.0.1, port {port}: ")
        assert said.out == ""
        monkeypatch.setattr(web, "_PORT", port)
        with web._bound("127.0.0.1", None) as found:
            assert 0 < found.getsockname()[1] - port < 20, "the next one that is free"


def test_the_log_holds_nothing_of_what_is_asked(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, line):
        port = int(line.rstrip("/").rpartition(":")[2])
        assert asked(f"{line}?secret=secret-of-a-query", Cookie="device=secret-device-of-somebody")[0] == 200
        assert asked(f"{line}t/secret-table", Authorization="Bearer secret-token")[0] == 404
        with socket.create_connection(("127.0.0.1", port)) as one:
            one.sendall(b"secret nonsense\r\n\r\n")
            assert one.recv(100).startswith(b"HTTP/1.1 400")
        with socket.create_connection(("127.0.0.1", port)) as one:
            one.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n")
            assert one.recv(100).startswith(b"HTTP/1.1 200")
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stdout is not None
        said = process.stdout.read() + process.stderr.read()
    assert "secret" not in said
    assert "HTTP" not in said


def told(url: str, body: dict[str, Any], token: str = "") -> dict[str, Any]:
    """What the API answers to a program."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
    with urlopen(Asking(url, json.dumps(body).encode(), headers), timeout=10) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def advised(line: str) -> str:
    """A table around one screen where advice takes long: its game has to be solved first."""
    record = "rules: cinq-des(entry=450, target=20000)\nplayers: Ana, Ben\ndice: system\n"
    with urlopen(Asking(f"{line}open", urlencode({"record": record}).encode()), timeout=10) as page:
        table = str(page.url).split("/")[4]
    for seen in range(60):
        with urlopen(Asking(f"{line}t/{table}/play", urlencode({"seen": seen, "then": "roll"}).encode())) as page:
            if b'id="choices"' in page.read():
                return table
    raise AssertionError("nobody rolls anything that counts")


@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_stopped_while_much_goes_on_stops_within_two_seconds_without_a_word(
    tmp_path: Path, way: signal.Signals
) -> None:
    alone = {"XDG_CACHE_HOME": str(tmp_path / "cache")}  # no solution is known yet
    with serving(tmp_path, **alone) as (process, line):
        asked(f"{line}health")
        address, _, port = line.removeprefix("http://").rstrip("/").rpartition(":")
        bots = [{"bot": "steady:350", "name": "Ben"}, {"bot": "beginner", "name": "Cleo"}]
        table = told(f"{line}api/tables", {"name": "Ana", "bots": bots, "pace": 300})
        path = f"api/tables/{table['id']}"
        state = told(f"{line}{path}/start", {}, table["token"])
        while state["awaits"] != "bot":  # from here on the bots play
            state = told(
                f"{line}{path}/actions", {"seen": state["number"], "actions": [state["legal"][0]]}, table["token"]
            )
        asking = {
            **{f"stream {number}": f"{path}/live" for number in range(20)},
            "page": f"t/{table['id']}/live",
            "poll": f"{path}/events?wait=60&after=1000",
            "hint": f"t/{advised(line)}/hint",
        }
        open_ones = {name: socket.create_connection((address, int(port)), 10) for name in asking}
        for name, one in open_ones.items():
            one.sendall(f"GET /{asking[name]} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        for name in asking.keys() - {"poll", "hint"}:
            assert open_ones[name].recv(15).startswith(b"HTTP/1.1 200")
        time.sleep(0.8)
        assert select([open_ones["poll"], open_ones["hint"]], [], [], 0)[0] == [], "they wait"
        begun = time.monotonic()
        process.send_signal(way)
        process.wait(20)
        assert time.monotonic() - begun < 2
        assert process.stderr is not None
        assert process.stderr.read() == ""
        for name, one in open_ones.items():
            answer = b""
            while part := one.recv(65536):
                answer += part
            one.close()
            assert b"Internal Server Error" not in answer
            if name == "poll":
                assert answer.startswith(b"HTTP/1.1 200")
                assert answer.endswith(b'"entries":[]}'), "nothing has happened, and nobody waits any more"
            if name == "hint":
                assert answer.startswith(b"HTTP/1.1 503"), "it was told to ask again"
                assert b"retry-after: 2" in answer
                assert b"The server is just being started anew" in answer
    with serving(tmp_path) as (_, line), urlopen(f"{line}{path}") as answer:
        assert json.load(answer)["number"] >= state["number"], "what was acknowledged is there"


# Health and numbers


def test_health_tells_whether_the_database_answers_and_nothing_else(tmp_path: Path) -> None:
    app = make_app(tmp_path / "tables.sqlite3")
    with TestClient(app) as client:
        assert client.get("/health").json() == {"status": "ok"}
        store = app.state.tables.store

        async def broken() -> None:
            raise OSError("secret address of the database")

        store.alive = broken
        answer = client.get("/health")
        assert answer.status_code == 503
        assert "secret" not in answer.text


def test_numbers_are_for_the_operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app(tmp_path / "tables.sqlite3")
    token = {"authorization": "Bearer the-operators-token"}
    for address, allowed in (("127.0.0.1", True), ("10.0.0.5", True), ("::1", True), ("5.0.0.1", False)):
        with TestClient(app, client=(address, 1)) as client:
            assert (client.get("/metrics").status_code == 200) == allowed, address
            assert client.get("/metrics", headers=token).status_code == (200 if allowed else 404)
    with TestClient(app, client=("172.17.0.1", 1)) as client:  # a proxy that is not trusted: everybody looks like it
        assert client.get("/metrics", headers={"x-forwarded-for": "5.0.0.1"}).status_code == 404
    monkeypatch.setenv("CINQMILLE_METRICS_TOKEN", "the-operators-token")
    with TestClient(app, client=("5.0.0.1", 1)) as client:
        assert client.get("/metrics").status_code == 404
        assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404
        assert client.get("/metrics", headers={b"authorization": b"Bearer \xe9"}).status_code == 404
        assert client.get("/metrics", headers=token).status_code == 200


def test_numbers_have_few_labels_and_no_names(tmp_path: Path) -> None:
    app = make_app(tmp_path / "tables.sqlite3")
    with TestClient(app, client=("127.0.0.1", 1)) as client:
        record = "rules: cinq-des\nplayers: Zebulon, Ben\ndice: system\n"
        table = client.post("/open", data={"record": record}, follow_redirects=False).headers["location"].split("/")[2]
        for number in range(50):
            client.get(f"/nothing-{number}")
            client.get(f"/t/nobody-{number}")
            client.request(f"X{number}", "/")
            client.get(f"/static/nothing-{number}")
        client.post(f"/t/{table}/play", data={"seen": "0", "then": "roll"})
        client.post(f"/t/{table}/play", data={"seen": "7", "then": "roll"})
        client.get("/static/app.css")
        text = client.get("/metrics").text
    assert 'cinqmille_requests_total{method="GET",route="/t/{id}",status="404"} 50.0' in text
    assert 'cinqmille_requests_total{method="GET",route="none",status="404"} 50.0' in text
    assert 'cinqmille_request_seconds_count{route="/static"}' in text
    assert 'cinqmille_actions_total{result="accepted"} 1.0' in text
    assert 'cinqmille_actions_total{result="stale"} 1.0' in text
    assert "cinqmille_tables_in_memory 1.0" in text
    assert "cinqmille_open_streams 0.0" in text
    written = re.search(r"^cinqmille_commits_total (\d+)", text, re.M)
    assert written is not None
    assert int(written[1]) >= 2, "the table, and what was played"
    assert re.search(r'cinqmille_build_info\{python="[\d.]+",version="[\d.]+"\} 1.0', text)
    assert table not in text
    assert "Zebulon" not in text
    assert len(re.findall(r"^cinqmille_requests_total", text, re.M)) < 15


# The page for operators


def test_the_page_for_operators_tells_every_option_number_and_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
    assert main(["serve", "--help", "--lang", "en"]) == 0
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help", "--version"}
    assert options <= set(re.findall(r"--[a-z-]+", page))
    told = " ".join(re.findall(r"cinqmille serve [^\n]*", page))
    assert set(re.findall(r"--[a-z-]+", told)) <= {*options, "--help"}
    with TestClient(make_app(tmp_path / "tables.sqlite3"), client=("127.0.0.1", 1)) as client:
        found = set(re.findall(r"^# TYPE (cinqmille_\w+)", client.get("/metrics").text, re.M))
    assert found == set(re.findall(r"^\| `(cinqmille_\w+)` \|", page, re.M))
    labels = {
        "requests": "requests", "tables": "tables opened", "seats": "seats taken", "wrong_tokens": "wrong secrets",
        "thoughts": "games thought about: advice, bots that solve",
    }  # fmt: skip
    assert labels.keys() == PUBLIC.keys()
    for kind, label in labels.items():
        row = re.search(rf"^\| {label} \| ([\d,]+).* \| ([\d,]+).* \|$", page, re.M)
        assert row is not None, label
        assert [int(number.replace(",", "")) for number in row.groups()] == [PUBLIC[kind].burst, PRIVATE[kind].burst]
    assert MOST_SECONDS in page
    assert f"({web._SOLVING_FOR_OTHERS} for servers that are open to others, {web._SOLVING_ALONE} " in page
    assert f"{thinking._MOST_WAITING} wait" in page
    assert f"| open streams | {STREAMS_PUBLIC} | {STREAMS_PRIVATE:,} |" in page


def test_the_container_runs_as_nobody_and_keeps_its_data() -> None:
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    images = {line.split()[1] for line in lines if line.startswith("FROM ")}
    assert len(images) == 1
    (image,) = images
    assert re.fullmatch(r"python:3\.\d+-slim", image), "the plain name of an image"
    last = max(place for place, line in enumerate(lines) if line.startswith("FROM "))
    instructions = [line.split(maxsplit=1)[0] for line in lines[last:] if line[:1].isupper()]
    assert instructions.index("USER") < instructions.index("ENTRYPOINT")
    assert {"VOLUME", "HEALTHCHECK"} <= set(instructions)
    command = json.loads(next(line for line in lines if line.startswith("ENTRYPOINT")).partition(" ")[2])
    assert command[1:] == ["serve", "--no-browser", "--host", "0.0.0.0"]
    sources = [line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--from" not in line]
    copied = {name for names in sources for name in names}
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    assert copied == let_in
    assert all((ROOT / name).exists() for name in copied)


def test_the_manifest_of_the_app_names_its_files_by_content(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path / "tables.sqlite3")) as client:
        icons = json.loads(client.get("/manifest.webmanifest").text)["icons"]
        assert all("?v=" in icon["src"] for icon in icons)
