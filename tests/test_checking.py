"""The page that checks the dice of a record: as a file or pasted, and whatever was changed is refused."""

import json
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from cinqmille.errors import SENTENCES
from cinqmille.fair import verify
from cinqmille.record import replay
from cinqmille.web.app import make_app

RECORD = (Path(__file__).parent / "data" / "fair.txt").read_text(encoding="utf-8")
CRLF = RECORD.replace("\n", "\r\n")
COMMITMENT = str(verify(RECORD).commitment)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(make_app(tmp_path / "tables.sqlite3"), headers={"accept-language": "en"}) as client:
        yield client


def sent(client: TestClient, how: str, text: str, **more: str) -> tuple[int, str]:
    """The answer to a record that was pasted or sent as a file."""
    if how == "file":
        files = {"file": ("game.txt", text.encode())}
        answer = client.post("/verify", files=files, data={"record": "", **more})
    else:
        answer = client.post("/verify", data={"record": text, **more})
    return answer.status_code, unescape(answer.text)


@pytest.mark.parametrize("how", ["file", "pasted"])
@pytest.mark.parametrize(
    "text",
    [RECORD, CRLF, "\ufeff" + CRLF, RECORD.rstrip("\n"), RECORD + "\n", json.dumps(replay(RECORD).to_json())],
    ids=["as it is", "other line ends", "with a mark", "without the last line end", "with one more", "JSON"],
)
def test_a_record_is_verified_however_it_comes(client: TestClient, how: str, text: str) -> None:
    status, page = sent(client, how, text)
    assert status == 200
    assert "Verified: 8 rolls" in page
    assert COMMITMENT in page
    status, page = sent(client, how, text, commitment=f" {COMMITMENT.upper()} ")
    assert (status, "That is the commitment you noted" in page) == (200, True)


@pytest.mark.parametrize("how", ["file", "pasted"])
@pytest.mark.parametrize(
    ("text", "more", "code"),
    [
        (RECORD.replace("2026-11-30", "2026-11-31"), {}, "seal_broken"),
        (RECORD.replace("Ana: 55344>55 =100\n", "Ana: 55344>55 =100 \n"), {}, "seal_broken"),
        (RECORD.replace("\n", "\n\n", 1), {}, "seal_broken"),
        (RECORD.rstrip("\n") + " \n", {}, "seal_broken"),
        ("rules: cinq-des\nplayers: Ana, Ben\ndice: real\n", {}, "not_verifiable"),
        (RECORD, {"commitment": "ab" * 32}, "commitment_differs"),
        (RECORD, {"commitment": "abc"}, "bad_commitment"),
        ("", {}, "header_missing"),
    ],
)
def test_whatever_is_wrong_is_named(client: TestClient, how: str, text: str, more: dict[str, str], code: str) -> None:
    status, page = sent(client, how, text, **more)
    assert status == 422
    assert "Verified: " not in page
    longest = max(SENTENCES[code].replace("'", "{").replace("}", "{").split("{"), key=len)
    assert longest in page
