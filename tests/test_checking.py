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
from forging import forged

RECORD = (Path(__file__).parent / "data" / "fair.txt").read_text(encoding="utf-8")
CRLF = RECORD.replace("\n", "\r\n")
COMMITMENT, SEAL = str(verify(RECORD).commitment), str(verify(RECORD).seal)
FORGED = forged(RECORD)


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
        (RECORD, {"seal": "ab" * 32}, "seal_differs"),
        (RECORD, {"seal": "abc"}, "bad_seal"),
        (FORGED, {"seal": SEAL}, "seal_differs"),
        ("", {}, "header_missing"),
    ],
)
def test_whatever_is_wrong_is_named(client: TestClient, how: str, text: str, more: dict[str, str], code: str) -> None:
    status, page = sent(client, how, text, **more)
    assert status == 422
    assert "Verified: " not in page
    longest = max(SENTENCES[code].replace("'", "{").replace("}", "{").split("{"), key=len)
    assert longest in page


def test_the_page_says_which_game_it_is_only_where_the_seal_was_noted(client: TestClient) -> None:
    for text in (RECORD, FORGED):
        status, page = sent(client, "pasted", text, commitment=COMMITMENT)
        assert (status, "This alone does not show that it is the game that was played" in page) == (200, True)
        assert "this is the game that ended with it" not in page
    status, page = sent(client, "file", RECORD, seal=f" {SEAL.upper()} ")
    assert (status, "this is the game that ended with it" in page) == (200, True)
    assert "This alone does not show" not in page


def test_programs_compare_the_seal(client: TestClient) -> None:
    def asked(**body: str) -> tuple[int, dict[str, object]]:
        answer = client.post("/api/verify", json=body)
        return answer.status_code, answer.json()

    status, found = asked(record=FORGED, commitment=COMMITMENT)
    assert (status, found["compared"], found["seal"] == SEAL) == (200, ["commitment"], False)
    status, found = asked(record=FORGED, seal=SEAL)
    assert (status, "seal_differs" in str(found)) == (422, True)
    status, found = asked(record=RECORD, seal=SEAL)
    assert (status, found["compared"], found["seal"]) == (200, ["seal"], SEAL)
