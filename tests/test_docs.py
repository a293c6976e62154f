"""The documentation says what the code does: generated pages are current, and the examples run."""

import json
import os
import re
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import browser
from cinqmille import PARAMETERS, PRESETS, Rules, Sheet, replay, solutions
from cinqmille.bots import BOTS
from cinqmille.cli import main
from cinqmille.fair import verify
from cinqmille.solvable import unsolvable, unsolvable_many

ROOT = Path(__file__).parents[1]


def test_the_page_of_parameters_is_what_the_script_writes() -> None:
    made = subprocess.run([sys.executable, ROOT / "scripts" / "docs", "--print"], capture_output=True, check=True)
    assert (ROOT / "docs" / "parameters.md").read_bytes() == made.stdout
    assert all(f"`{parameter.name}`" in made.stdout.decode() for parameter in PARAMETERS)


def test_the_page_of_bots_tells_of_every_kind_and_of_the_command_that_makes_its_tables() -> None:
    page = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
    listed, tables = page.partition("## Habits")[0], page.partition("## Strength")[2].partition("## Speed")[0]
    for name in BOTS:
        assert re.search(rf"^\| `{name}[:`]", listed, re.MULTILINE), name
        assert re.search(rf"^\| `{name}[:`]", tables, re.MULTILINE), name
        assert f"**{name}" in page, name
    assert "scripts/strength --games" in tables


ONLINE = ROOT / "examples" / "online_bot.py"
ALONE = sorted({*(ROOT / "examples").glob("*.py")} - {ONLINE})


@pytest.mark.parametrize("example", ALONE, ids=lambda path: path.name)
def test_examples_run(example: Path) -> None:
    assert subprocess.run([sys.executable, example], capture_output=True, check=True).stdout


def test_the_bot_of_the_open_api_plays_and_is_the_one_in_the_documentation(tmp_path: Path) -> None:
    assert ONLINE.read_text(encoding="utf-8") in _blocks("api.md", "python")
    secret = "a-secret-of-the-one-who-opened-it"
    with browser.server(tmp_path) as server:

        def ask(path: str, body: dict[str, object] | None = None) -> Any:
            headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
            data = None if body is None else json.dumps(body).encode()
            with urllib.request.urlopen(urllib.request.Request(f"{server.address}/api{path}", data, headers)) as answer:
                return json.load(answer)

        table = ask("/tables", {"name": "Ana", "secret": secret, "rules": "cinq-des(target=1000)"})
        command = [sys.executable, str(ONLINE), f"{server.address}/t/{table['id']}", "Robo"]
        robo = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while len(table["seats"]) < 2:
            table = ask(f"/tables/{table['id']}")
        table = ask(f"/tables/{table['id']}/start", {})
        while table["stage"] != "over":  # whoever opened the table never banks
            if table["to_play"] == 0:
                action = "roll" if "roll" in table["legal"] else table["legal"][0]
                table = ask(f"/tables/{table['id']}/actions", {"seen": table["number"], "actions": [action]})
            else:
                ask(f"/tables/{table['id']}/events?after={table['number']}&wait=10")
                table = ask(f"/tables/{table['id']}")
        assert robo.communicate(timeout=20)[0].strip() == ("Won!" if table["winners"] == [1] else "Lost.")


def test_the_bot_of_the_open_api_looks_again_and_waits_where_it_is_told_to() -> None:
    table: dict[str, object] = {"stage": "playing", "to_play": 0, "number": 7, "keeps": [], "legal": ["roll"]}
    script: list[tuple[str, int, dict[str, object]]] = [
        ("/seats", 503, {}), ("/seats", 200, {"me": 0}), ("", 200, table), ("/actions", 409, {}),
        ("", 429, {}), ("", 200, table | {"number": 8, "legal": ["=", "roll"], "turn_points": 400}),
        ("/actions", 200, {}), ("", 200, {"stage": "over", "winners": [0]}),
    ]  # fmt: skip
    asked: list[tuple[str, Any]] = []

    class Scripted(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "null")
            _, status, answer = script[len(asked)]
            asked.append((self.path.removeprefix("/api/tables/ID"), sent))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Nothing is told on the terminal."""

    with HTTPServer(("127.0.0.1", 0), Scripted) as server:
        threading.Thread(target=server.serve_forever).start()
        command = [sys.executable, str(ONLINE), f"http://127.0.0.1:{server.server_port}/t/ID", "Robo"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        finally:
            server.shutdown()
    assert (done.stdout, done.stderr) == ("Won!\n", "")
    assert [path for path, _ in asked] == [path for path, _, _ in script]
    acted = [sent for path, sent in asked if path == "/actions"]
    assert acted == [{"seen": 7, "actions": ["roll"]}, {"seen": 8, "actions": ["="]}], "it has decided again"


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_rule_file_in_the_documentation_can_be_read() -> None:
    (text,) = _blocks("house-rules.md", "toml")
    expected = Rules.parse("cinq-des(entry=500, equal_scores=fall, AAAA=200*A, 1111=2000, 12345=none)")
    assert Sheet.from_toml(text, name="maison").rules == expected


def test_the_record_in_the_documentation_can_be_replayed() -> None:
    record, position = _blocks("records.md", "text")
    assert replay(record).position.scores == (700, 1800)
    assert position.startswith("scores=")


def test_the_sealed_record_in_the_documentation_is_verified() -> None:
    record = _blocks("fair.md", "text")[-1]
    assert record == (ROOT / "tests" / "data" / "fair.txt").read_text(encoding="utf-8")
    found = verify(record)
    assert f"--commitment {found.commitment}\n" in (ROOT / "docs" / "fair.md").read_text(encoding="utf-8")


def test_links_between_pages_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_page_of_exact_numbers_names_what_is_shipped_and_what_is_not() -> None:
    page = (ROOT / "docs" / "exact.md").read_text(encoding="utf-8")
    shipped, rest = page.partition("## What is shipped")[2].partition("## Where")[0].split("These do not")
    sizes = {
        name: int(size.replace(",", "")) for name, size in re.findall(r"^\| `(.+?)` \| ([\d,]+) \|$", shipped, re.M)
    }
    found = {name: solutions.shipped(rules) for name, rules in PRESETS.items()}
    assert sizes == {name: len(data) for name, data in found.items() if data is not None}
    assert set(re.findall(r"`([a-z-]+[0-9a-z-]*)`", rest.partition("`scripts")[0])) == set(PRESETS) - set(sizes)


def test_the_page_of_exact_numbers_says_what_can_be_solved() -> None:
    page = (ROOT / "docs" / "exact.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (yes|no) \| (yes|no) \| (yes|no).*\|$", page, re.MULTILINE)
    examples = {
        "all others": "",
        "`ending": "ending=last_turns",
        "`prediction": "prediction=true",
        "`takeover": "takeover=always",
        "`scoreless_limit": "scoreless_limit=3, scoreless_penalty=500",
        "`equal_scores": "strike=true",
    }
    assert len(rows) == len(examples)
    for (label, *answers), (start, rule) in zip(rows, examples.items(), strict=True):
        assert label.startswith(start)
        rules = Rules.parse(f"cinq-des({rule})")
        can = [unsolvable(rules), *(unsolvable_many(rules, players) for players in (3, 4))]
        assert answers == ["yes" if name is None else "no" for name in can]


def test_the_python_on_the_page_of_exact_numbers_runs(tmp_path: Path) -> None:
    (script,) = _blocks("exact.md", "python")
    where = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    check = "assert trio.chances((0, 0, 0)) == trio.win and advise(start(trio.rules, 3)).exact"
    subprocess.run([sys.executable, "-c", f"{script}\n{check}"], check=True, env=where)


def test_the_advice_that_is_shown_is_the_advice_that_is_given(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for page, lang in (("docs/advice.md", "en"), ("README.md", "fr")):
        text = (ROOT / page).read_text(encoding="utf-8")
        command, shown = re.findall(r"```text\n\$ cinqmille (advise [^\n]*)\n(.*?)```", text, re.DOTALL)[0]
        assert main([*command.split(), "--lang", lang] if "--lang" not in command else command.split()) == 0
        given = re.sub("[\u00a0\u202f]", " ", capsys.readouterr().out)
        assert given.startswith(shown.rstrip("\n"))
