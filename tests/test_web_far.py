"""Tables far apart over the wire: who may do what from which device, without scripts, and what every page says."""

import asyncio
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from cinqmille import Rules, legal_keeps
from cinqmille.actions import Bank, Roll, RollOn, SetAside
from cinqmille.fair import verify
from cinqmille.record import Game
from cinqmille.store import Store
from cinqmille.table import Table
from cinqmille.web import make_app
from cinqmille.web.app import Options
from cinqmille.web.counting import Counting
from cinqmille.web.render import isolated, written
from cinqmille.web.tables import Far
from cinqmille.words import Words
from faraway import Chain

SHORT = "cinq-des(entry=0, target=1000)"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(make_app(tmp_path / "tables.sqlite3"), base_url="http://cinq.test") as client:
        yield client


class Device:
    """A browser without scripts: it keeps cookies, follows redirects, and sends forms."""

    def __init__(self, client: TestClient, lang: str = "en") -> None:
        self.client, self.lang = client, lang
        self.cookies: dict[str, tuple[str, str]] = {}

    def ask(self, method: str, path: str, fields: Any = None, status: int = 200, *, script: bool = False) -> str:
        self.client.cookies.clear()
        sent = "; ".join(f"{name}={value}" for name, (value, under) in self.cookies.items() if path.startswith(under))
        headers = {"accept-language": self.lang, "cookie": sent} | ({"hx-request": "true"} if script else {})
        answer = self.client.request(method, path, data=fields, headers=headers, follow_redirects=False)
        for line in answer.headers.get_list("set-cookie"):
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value, morsel["path"]
        if answer.status_code == 303:
            self.path = answer.headers["location"].partition("#")[0]
            return self.ask("GET", self.path, status=status)
        assert answer.status_code == status, (answer.status_code, answer.text[:2000])
        return unescape(answer.text)

    def see(self, path: str, status: int = 200) -> str:
        return self.ask("GET", path, status=status)


def invite(client: TestClient, host: Device, **fields: str) -> str:
    """Open a table from the form of a new game; returns its path."""
    form = {
        "preset": "cinq-des",
        "rule-entry": "0",
        "rule-target": "1000",
        "name-0": "Ana",
        "bot-0": "",
        "then": "invite",
    }
    host.ask(
        "POST",
        "/new",
        form | {"name-1": "", "bot-1": ""} | {name.replace("_", "-"): text for name, text in fields.items()},
    )
    return host.path


def seated(client: TestClient, *names: str, **fields: str) -> tuple[str, list[Device]]:
    """A table with its host and others, who have joined by the link."""
    devices = [Device(client) for _ in range(len(names) + 1)]
    path = invite(client, devices[0], **fields)
    for device, name in zip(devices[1:], names, strict=True):
        device.see(path)
        device.ask("POST", f"{path}/join", {"name": name})
    return path, devices


def begun(client: TestClient, *names: str, **fields: str) -> tuple[str, list[Device]]:
    path, devices = seated(client, *names, **fields)
    devices[0].ask("POST", f"{path}/start")
    return path, devices


def number(page: str) -> str:
    match = re.search(r'id="state"[^>]*data-number="(\d+)"', page)
    assert match is not None
    return match[1]


def live(client: TestClient, path: str) -> Far:
    found = client.app.state.tables._open[path.removeprefix("/t/")]  # type: ignore[attr-defined]
    assert isinstance(found, Far)
    return found


def play(device: Device, path: str) -> str:
    """What somebody without scripts does in the own turn: tick the first dice that score, and bank or roll on."""
    page = device.see(path)
    fields = [("seen", number(page))]
    if 'name="die"' in page:
        keep = re.search(r'"dice": "(\d+)"', page)
        assert keep is not None
        wanted = list(keep[1])
        for place, face in re.findall(r'name="die" value="(\d)" data-face="(\d)"', page):
            if face in wanted:
                wanted.remove(face)
                fields.append(("die", place))
        banks = '"banks": true' in page
        fields.append(("then", "bank" if banks else "roll"))
    else:
        fields.append(("then", "roll"))
    return device.ask("POST", f"{path}/play", dict(fields) if len(fields) == 2 else _multi(fields))


def _multi(fields: list[tuple[str, str]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in fields:
        found.setdefault(name, []).append(value)
    return found


def play_on(path: str, devices: list[Device]) -> str:
    """Everybody plays until the game is over."""
    for _ in range(400):
        for device in devices:
            page = device.see(path)
            if 'class="over"' in page:
                return page
            if '<h2 class="turn" id="turn" tabindex="-1">Your turn' in page:
                play(device, path)
    raise AssertionError("the game does not end")


# Inviting


def test_the_form_of_a_new_game_opens_a_table_for_friends(client: TestClient) -> None:
    host = Device(client)
    path = invite(client, host, name_1="Robo", bot_1="steady:300", far_seats="4", far_after="600", far_absent="bot")
    page = host.see(path)
    online = live(client, path).online
    assert [(one.name, one.bot, one.host) for one in online.seats] == [("Ana", "", True), ("Robo", "steady:300", False)]
    assert (online.terms.seats, online.terms.after, online.terms.then) == (4, 600, "bot")
    assert online.terms.rules.canonical == Rules.parse(SHORT).canonical
    assert f"http://cinq.test{path}</a>" in page, "the link is shown whole: nobody needs an account (report C036)"
    assert '<svg role="img"' in page
    assert "For whoever is away at their turn for 10 minutes, a robot plays on." in page
    assert online.commitment in page
    again = host.see("/new")
    assert '<option value="600" selected>' in again, "the form is remembered"
    assert '<option value="bot" selected>' in again


def test_somebody_has_to_invite(client: TestClient) -> None:
    host = Device(client)
    page = host.ask(
        "POST", "/new", {"name-0": "", "bot-0": "steady", "name-1": "", "bot-1": "table", "then": "invite"}, 422
    )
    assert "Somebody has to invite" in page


def test_names_of_the_form_say_where_friends_sit(client: TestClient) -> None:
    host, ben, cleo = (Device(client) for _ in range(3))
    path = invite(client, host, **{"name_1": "Ben", "bot_1": "", "name_2": "Cleo", "bot_2": ""})
    cleo.ask("POST", f"{path}/join", {"name": "Cleo"})
    ben.ask("POST", f"{path}/join", {"name": "Ben"})
    assert [one.name for one in live(client, path).online.seats] == ["Ana", "Ben", "Cleo"]


def test_tables_are_counted_for_every_address(tmp_path: Path) -> None:
    with TestClient(
        make_app(tmp_path / "tables.sqlite3", Options(limits=0.001)), base_url="http://cinq.test"
    ) as client:
        form = {"name-0": "Ana", "bot-0": "", "name-1": "", "bot-1": "", "then": "invite"}
        answers = [client.post("/new", data=form, follow_redirects=False).status_code for _ in range(4)]
    assert 429 in answers


# Joining


def test_joining_twice_is_joining_once(client: TestClient) -> None:  # report C083
    path, (host, ben) = seated(client, "Ben")
    ben.ask("POST", f"{path}/join", {"name": "Ben"})
    ben.ask("POST", f"{path}/join", {"name": "Benjamin"})
    assert [one.name for one in live(client, path).online.seats] == ["Ana", "Ben"]
    assert "You have a seat" in ben.see(path)
    assert "Sit down" not in ben.see(path)
    assert "Invite your friends" in host.see(path)


def test_the_usual_name_stands_in_the_field(client: TestClient) -> None:
    path, (host,) = seated(client)
    other = invite(client, host)
    guest = Device(client)
    invite(client, guest, name_0="Zoé")
    assert 'name="name" value="Zoé"' in guest.see(path)
    assert 'name="name" value=""' in Device(client).see(other)


def test_a_name_that_is_taken_is_refused_beside_the_field(client: TestClient) -> None:
    path, _ = seated(client, "Ben")
    page = Device(client).ask("POST", f"{path}/join", {"name": "Ben"}, 422)
    assert 'role="alert"' in page
    assert "Sit down" in page
    assert len(live(client, path).online.seats) == 2


def test_scripts_in_names_are_text_and_directions_stay_inside(client: TestClient) -> None:
    path, (host, evil) = seated(client, "<script>alert(1)</script>")
    for where in (path, f"{path}/seat", "/", f"/forget/{path[3:]}"):
        self_made = client.get(where, headers={"cookie": f"device={evil.cookies['device'][0]}"}).text
        assert "<script>alert" not in self_made, where
    arabic = Device(client)
    arabic.ask("POST", f"{path}/join", {"name": "ليلى"})
    assert "<bdi>ليلى</bdi>" in host.see(path)


def test_names_from_the_right_turn_no_sentence_round_and_stay_as_they_are_in_records(client: TestClient) -> None:
    path, (host, layla) = seated(client, "ليلى", rule_target="10000")
    host.ask("POST", f"{path}/start")
    assert "<title>Ana, \u2068ليلى\u2069 · Cinq Mille</title>" in host.see(path)
    play(host, path)
    while "\u2068ليلى\u2069 to play" not in host.see(path):
        play(host, path)
    play(layla, path)
    assert "\u2068ليلى\u2069 rolls" in host.see(path)
    assert "\u2068" not in host.see(f"{path}/record")
    answer = client.get(f"/api{path.replace('/t/', '/tables/')}", headers={"accept-language": "fr"})
    assert "\u2068" not in answer.text
    assert isolated(isolated("Ana 5")) == "Ana 5"
    assert isolated(isolated("שרה")) == "\u2068שרה\u2069"


def test_an_address_of_this_computer_alone_is_no_picture_for_phones(tmp_path: Path) -> None:
    for where, lan, shown in (
        ("http://127.0.0.1:5000", "", False),
        ("http://localhost:5000", "", False),
        ("http://localhost:5000", "http://192.168.1.9:5000", True),
        ("http://cinq.test", "", True),
    ):
        with TestClient(make_app(tmp_path / "tables.sqlite3", Options(lan=lan)), base_url=where) as client:
            host = Device(client)
            page = host.see(invite(client, host))
            assert ('class="picture"' in page, "cinqmille serve --lan" in page) == (shown, not shown), (where, lan)


def test_the_lobby_says_what_house_rules_change(client: TestClient) -> None:
    _, (host,) = seated(client)
    page = host.see(host.path)
    assert "entry: 0; target: 1,000" in page or "target: 1,000; entry: 0" in page


def test_a_full_table_offers_to_watch(client: TestClient) -> None:
    path, _ = seated(client, "Ben", far_seats="2")
    page = Device(client).see(path)
    assert "All seats are taken. You can watch" in page
    assert "Sit down" not in page


# Who may do what


def test_watching_is_all_that_somebody_without_a_seat_can_do(client: TestClient) -> None:
    path, (_host, _ben) = begun(client, "Ben")
    watcher = Device(client)
    page = watcher.see(path)
    assert "You watch this game" in page
    assert 'id="play"' not in page
    before = live(client, path).online.number
    for where in ("play", "share", "start", "absent", "back", "seats", "again"):
        page = watcher.ask("POST", f"{path}/{where}", {"seen": str(before), "then": "roll", "free": "0"}, 403)
        assert "You have no seat at this table" in page
    watcher.see(f"{path}/seat", 403)
    assert live(client, path).online.number == before


def test_only_the_own_turn_has_controls(client: TestClient) -> None:
    path, (host, ben) = begun(client, "Ben")
    mine, theirs = host.see(path), ben.see(path)
    assert 'id="play"' in mine
    assert "Your turn" in mine
    assert 'id="play"' not in theirs
    assert "Ana to play" in theirs
    page = ben.ask("POST", f"{path}/play", {"seen": number(theirs), "then": "roll"}, 422)
    assert 'role="alert"' in page
    assert 'id="undo"' not in mine
    assert f"{path}/correct" not in mine


def test_only_the_host_starts_and_gives_seats(client: TestClient) -> None:
    path, (host, ben, _cleo) = seated(client, "Ben", "Cleo")
    assert 'id="start"' not in ben.see(path)
    ben.ask("POST", f"{path}/start", status=422)
    ben.ask("POST", f"{path}/seats", {"free": "2"}, 422)
    ben.ask("POST", f"{path}/seats", {"bot": "steady", "name": "Robo"}, 422)
    assert len(live(client, path).online.seats) == 3
    host.ask("POST", f"{path}/seats", {"free": "2"})
    host.ask("POST", f"{path}/seats", {"bot": "steady", "name": "Robo"})
    assert [one.name for one in live(client, path).online.seats] == ["Ana", "Ben", "Robo"]
    ben.ask("POST", f"{path}/seats", {"free": "1"})
    assert "Sit down" in ben.see(path), "who left can sit down again"


def test_what_was_done_already_is_shown_and_not_scolded(client: TestClient) -> None:
    path, (host, _ben) = begun(client, "Ben")
    seen = number(host.see(path))
    host.ask("POST", f"{path}/play", {"seen": seen, "then": "roll"})
    rolled = live(client, path).online.number
    part = host.ask("POST", f"{path}/play", {"seen": seen, "then": "roll"}, script=True)
    assert "refusal" not in part
    assert live(client, path).online.number == rolled


def test_a_refusal_keeps_the_dice_that_were_chosen(client: TestClient) -> None:
    path, (host, _ben) = begun(client, "Ben", rule_entry="1000")
    play(host, path)
    page = host.see(path)
    if 'name="die"' in page:
        refused = host.ask(
            "POST", f"{path}/play", _multi([("seen", number(page)), ("die", "0"), ("then", "none")]), 422
        )
        assert "checked" in re.search(r'id="die-\d+-0"[^>]*>', refused)[0]  # type: ignore[index]


def test_a_whole_game_without_scripts_and_its_checks(client: TestClient) -> None:
    path, devices = begun(client, "Ben")
    page = play_on(path, devices)
    assert "wins!" in page
    check = devices[1].see(f"{path}/verify")
    assert "Verified:" in check
    assert "0 with a link of the player's own" in check
    assert "The dice of this game" in devices[1].see(f"{path}/dice")
    record = client.get(f"{path}/record").text
    anybody = Device(client)
    assert "Verified:" in anybody.ask("POST", "/verify", {"record": record})
    commitment = live(client, path).online.commitment
    assert "the commitment you noted" in anybody.ask("POST", "/verify", {"record": record, "commitment": commitment})
    anybody.ask("POST", "/verify", {"record": record, "commitment": "0" * 64}, 422)
    anybody.ask("POST", "/verify", {"record": record, "commitment": "what"}, 422)
    anybody.ask("POST", "/verify", {"record": record.replace("Ana: ", "Ana:  ", 1)}, 422)
    assert "Line 3" in anybody.ask("POST", "/verify", {"record": "rules: cinq-des\nplayers: A, B\nA: 9"}, 422)


def test_a_roll_drawn_without_the_link_of_a_device_is_said_to_its_player(client: TestClient) -> None:
    """A server that claims that a link never came has the choice of two rolls: whoever rolled is told at once."""
    path, devices = seated(client, "Ben")
    chains = [Chain(), Chain()]
    for device, chain in zip(devices, chains, strict=True):
        device.ask("POST", f"{path}/share", {"anchor": chain.anchor})
    devices[0].ask("POST", f"{path}/start")
    for device, chain in zip(devices, chains, strict=True):
        device.ask("POST", f"{path}/share", {"link": chain.next()})

    def drawn(device: Device) -> bool:
        return "Your last roll was drawn without the link of your device" in device.see(path)

    def box() -> str:
        return re.search('<details id="shares">.*?</details>', devices[1].see(path), re.S)[0]  # type: ignore[index]

    page = devices[0].see(path)
    devices[0].ask("POST", f"{path}/play", {"seen": number(page), "then": "roll", "link": chains[0].links[2]})
    assert not any(map(drawn, devices))
    assert box().count("an own share in every roll") == 2
    for _ in range(200):  # nothing of the rest has a link
        before = live(client, path).online
        who = before.to_play
        assert who is not None
        play(devices[who], path)
        deal = live(client, path).online.deal
        assert deal is not None
        if deal.alone and deal.alone[-1] == deal.rolls - 1 and live(client, path).online.to_play == who:
            break
    else:
        pytest.fail("nobody rolled in 200 steps")
    assert [drawn(device) for device in devices] == [who == 0, who == 1]
    assert not drawn(Device(client))
    assert "an own share in the rolls, but for" in box()


def test_a_finished_table_shows_its_seal(client: TestClient) -> None:
    path, devices = begun(client, "Ben")
    api = f"/api{path.replace('/t/', '/tables/')}"
    assert client.get(api).json()["seal"] is None
    assert 'data-seal=""' in devices[0].see(path)
    page = play_on(path, devices)
    seal = verify(client.get(f"{path}/record").text).seal
    assert client.get(api).json()["seal"] == seal
    assert f'data-seal="{seal}"' in page
    assert f"Seal of this game: {str(seal)[:8]}…{str(seal)[-4:]}" in page


def test_nothing_is_checked_before_the_end(client: TestClient) -> None:
    path, (host, _ben) = begun(client, "Ben")
    page = host.see(f"{path}/verify", 409)
    assert "only when the game is over" in page
    assert live(client, path).online.secret not in page + host.see(path) + host.see(f"{path}/dice")


# Away and back


def gone(client: TestClient, path: str, seat: int, seconds: float) -> None:
    """Let a seat have been silent for so long."""
    table = live(client, path)
    table.loaded -= seconds
    table.still.clear()  # their pages had streams, which have ended
    table.seen[table.online.seats[seat].key] = time.time() - seconds


def test_the_others_decide_what_is_done_about_who_stays_away(client: TestClient) -> None:
    path, (host, ben, cleo) = begun(client, "Ben", "Cleo", far_after="30")
    assert "has been away for long" not in ben.see(path)
    gone(client, path, 0, 31)
    page = ben.see(path)
    assert "Ana has been away for long. What shall the table do?" in page
    assert all(way in page for way in ("Let a robot play on", "Skip this turn", "Play on without Ana"))
    assert "What shall the table do?" not in Device(client).see(path), "who watches decides nothing"
    page = ben.ask("POST", f"{path}/absent", {"seen": number(page), "seat": "0", "then": "skip"})
    assert live(client, path).online.to_play == 1
    gone(client, path, 0, 31)
    page = ben.see(path)
    assert "Skip this turn" not in page, "only whoever is to play can be skipped"
    ben.ask("POST", f"{path}/absent", {"seen": number(page), "seat": "0", "then": "remove"})
    page = cleo.see(path)
    assert "has left" in page
    page = host.see(path)
    assert "You have left: the others play on without you." in page
    host.ask("POST", f"{path}/back")
    assert "Take my seat again" not in host.see(path)


def test_before_the_delay_nobody_is_passed_over(client: TestClient) -> None:
    path, (_host, ben) = begun(client, "Ben", far_after="30")
    page = ben.see(path)
    refused = ben.ask("POST", f"{path}/absent", {"seen": number(page), "seat": "0", "then": "bot"}, 422)
    assert 'role="alert"' in refused
    assert not live(client, path).online.seats[0].stand_in


def test_coming_back_to_the_page_takes_over_from_the_robot(client: TestClient) -> None:
    path, (host, ben) = begun(client, "Ben", far_after="30")
    gone(client, path, 0, 31)
    page = ben.see(path)
    shown = ben.ask("POST", f"{path}/absent", {"seen": number(page), "seat": "0", "then": "bot"})
    assert "A robot plays for Ana" in shown
    assert "a robot plays on" in shown
    host.see(path)
    assert not live(client, path).online.seats[0].stand_in


def test_starting_twice_is_starting_once_and_beginning_without_the_others_is_another_button(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, (host, ben) = seated(client, "Ben")
    ben.ask("POST", f"{path}/share", {"anchor": Chain().anchor})
    host.ask("POST", f"{path}/start")
    monkeypatch.setattr("cinqmille.online.SEALING", 0)
    page = host.ask("POST", f"{path}/start")  # the other window of the host, or a second tap
    assert live(client, path).online.stage == "sealing"
    button = page.partition('id="begin"')[0].rpartition("<form")[2]
    assert '<input type="hidden" name="begin"' in button
    host.ask("POST", f"{path}/start", {"begin": "1"})
    assert live(client, path).online.stage == "playing"
    assert live(client, path).online.seats[1].share is None


def test_no_seat_is_given_back_once_the_game_has_begun(client: TestClient) -> None:
    """Report C035: the invitation can be refused while people gather, and is not offered any more after a throw."""
    path, (host, ben, cleo) = seated(client, "Ben", "Cleo")
    offered = 'name="free"'
    assert offered in ben.see(path)
    cleo.ask("POST", f"{path}/seats", {"free": "2"})
    assert [one.name for one in live(client, path).online.seats] == ["Ana", "Ben"]
    host.ask("POST", f"{path}/start")
    play(host, path)
    for device in (host, ben):
        assert offered not in device.see(path)
        for seat in ("0", "1"):
            page = device.ask("POST", f"{path}/seats", {"free": seat}, 422)
            assert 'role="alert"' in page
    assert [one.name for one in live(client, path).online.seats] == ["Ana", "Ben"]


def test_leaving_for_good_is_one_seats_own_decision(client: TestClient) -> None:
    path, (_host, ben, _cleo) = begun(client, "Ben", "Cleo")
    page = ben.see(path)
    assert "Yes, leave the game" in page
    ben.ask("POST", f"{path}/play", {"seen": number(page), "then": "leave-1"}, 422)
    ben.ask("POST", f"{path}/play", {"seen": number(page), "then": "leave-2"})
    game = live(client, path).game
    assert [seat.away for seat in game.position.seats] == [False, True, False]


# Another phone


def test_a_code_takes_the_seat_to_another_device(client: TestClient) -> None:
    path, (host, _ben) = begun(client, "Ben")
    page = host.see(f"{path}/seat")
    code = re.search(r'id="seat-code">([0-9a-f]+)<', page)
    assert code is not None
    assert code[1] not in host.see(path), "the secret stands on no other page"
    phone = Device(client)
    phone.see(f"{path}/rejoin")
    phone.ask("POST", f"{path}/rejoin", {"code": f" {code[1]}.{'0' * 64} "})
    assert "Your turn" in phone.see(path)
    assert "Your turn" in host.see(path), "both devices hold it"
    assert phone.cookies["seat"][1] == path
    assert "Your turn" in phone.see("/"), "the list of the other device knows whose turn it is"
    before = live(client, path).online.number
    play(phone, path)
    assert live(client, path).online.number == before + 1


def test_a_wrong_code_belongs_to_no_seat(client: TestClient) -> None:
    path, _ = begun(client, "Ben")
    phone = Device(client)
    page = phone.ask("POST", f"{path}/rejoin", {"code": "0" * 64}, 403)
    assert "belongs to no seat of this table" in page
    assert "seat" not in phone.cookies


# The list of games


def test_the_list_puts_what_waits_for_me_before_what_was_played_later(client: TestClient) -> None:
    """Report C037: several games at once, with their opponents and how long ago each was played."""
    host, guests = Device(client), [Device(client) for _ in range(3)]
    paths = []
    for name, guest in zip(("Ben", "Cleo", "Dora"), guests, strict=True):
        paths.append(invite(client, host, rule_target="5000" if name != "Dora" else "1000"))
        guest.ask("POST", f"{paths[-1]}/join", {"name": name})
        host.ask("POST", f"{paths[-1]}/start")
    waits, played, over = paths
    play_on(over, [host, guests[2]])
    for _ in range(40):  # this one is played last, and then waits for somebody else
        if live(client, played).online.to_play != 0:
            break
        play(host, played)
    assert (live(client, waits).online.to_play, live(client, played).online.to_play) == (0, 1)
    page = re.sub(r"\s+", " ", host.see("/"))
    assert page.index(waits) < page.index(played) < page.index("Finished games") < page.index(over)
    first, second = page[page.index(waits) : page.index(played)], page[page.index(played) : page.index(over)]
    assert "Your turn" in first
    assert "Your turn" not in second
    assert "Ben" in first
    assert "just now</time>" in first
    assert "Cleo to play" in second
    # For the other one it is the other way round.
    assert "Your turn" in guests[1].see("/")
    assert "Your turn" not in guests[0].see("/")
    # A move elsewhere is seen at once.
    while live(client, waits).online.to_play == 0:
        play(host, waits)
    assert "Your turn" not in host.see("/")


def test_a_game_on_this_screen_and_one_far_apart_are_kept_apart(client: TestClient) -> None:
    """Report C076: the local game is what it was, whatever happens at the other table, and goes on."""
    host, ben = Device(client), Device(client)
    host.ask("POST", "/new", {"name-0": "Ana", "bot-0": "", "name-1": "Lea", "bot-1": "", "then": "start"})
    here = host.path
    host.ask("POST", f"{here}/play", {"seen": number(host.see(here)), "then": "roll"})
    before, state = client.get(f"{here}/record").text, number(host.see(here))
    far = invite(client, host)
    ben.ask("POST", f"{far}/join", {"name": "Ben"})
    host.ask("POST", f"{far}/start")
    play_on(far, [host, ben])
    assert client.get(f"{here}/record").text == before
    page = host.see(here)
    assert number(page) == state
    assert "Lea" in page
    online = client.get(f"{far}/record").text
    host.ask("POST", f"/forget/{far.removeprefix('/t/')}")
    host.ask("POST", f"{here}/play", {"seen": state, "then": "skip"})
    assert client.get(f"{here}/record").text.startswith(before.rstrip("\n"))
    assert client.get(f"{far}/record").text == online
    assert here in host.see("/")


def test_every_date_is_utc_wherever_the_server_is(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Report C077: a game at 23:50 has one day, in records of both kinds, in the list and for every player."""
    host, ben = Device(client), Device(client)
    try:
        for zone in ("Pacific/Kiritimati", "America/Adak"):  # 14 hours before UTC, and 10 behind
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            path = invite(client, host)
            ben.ask("POST", f"{path}/join", {"name": "Ben"})
            host.ask("POST", f"{path}/start")
            host.ask("POST", "/new", {"name-0": "Ana", "bot-0": "", "name-1": "Lea", "bot-1": "", "then": "start"})
            dates = [re.search("(?m)^date: (.*)$", client.get(f"{one}/record").text) for one in (path, host.path)]
            dates.append(re.search('<time datetime="(.*?)">just now', host.see("/")))
            for found in dates:
                assert found is not None
                then = datetime.fromisoformat(found[1])
                assert then.tzinfo in (None, UTC)
                passed = datetime.now(UTC) - then.replace(tzinfo=UTC)
                assert timedelta(seconds=-1) < passed < timedelta(minutes=2), (zone, found[1])
    finally:
        monkeypatch.undo()
        time.tzset()


def test_games_that_wait_for_me_come_first_and_the_two_kinds_apart(client: TestClient) -> None:
    host = Device(client)
    first, second = invite(client, host), None
    ben = Device(client)
    ben.ask("POST", f"{first}/join", {"name": "Ben"})
    host.ask("POST", f"{first}/start")
    second = invite(client, host)
    host.ask("POST", "/new", {"name-0": "Ana", "bot-0": "", "name-1": "Lea", "bot-1": "", "then": "start"})
    page = host.see("/")
    assert page.index("With friends far away") < page.index("On this screen") < page.index("Lea")
    assert page.index(first) < page.index(second), "the game that waits comes before the one opened later"
    assert "Your turn" in page
    assert "(you)" in page
    assert "Your turn" not in ben.see("/")
    assert "Ana" in ben.see("/")


def test_taking_a_game_off_the_list_leaves_it_to_the_others(client: TestClient) -> None:
    path, (host, ben) = begun(client, "Ben")
    id = path.removeprefix("/t/")
    page = host.see(f"/forget/{id}")
    assert "The game itself stays" in page
    Device(client).see(f"/forget/{id}", 404)
    host.ask("POST", f"/forget/{id}")
    assert path not in host.see("/")
    assert path in ben.see("/")
    assert "Ana to play" in ben.see(path)


def test_a_rematch_seats_everybody_with_one_tap(client: TestClient) -> None:
    path, devices = begun(client, "Ben")
    play_on(path, devices)
    host, ben = devices
    assert "The rematch is open" not in host.see(path)
    ben.ask("POST", f"{path}/again")
    new = ben.path
    assert "The rematch is open: one tap" in host.see(path)
    watcher = Device(client).see(path)
    assert f'href="{new}">Watch the rematch' in watcher
    host.ask("POST", f"{path}/again")
    assert host.path == new
    assert [one.name for one in live(client, new).online.seats] == ["Ben", "Ana"]
    host.ask("POST", f"{path}/again")
    assert len(live(client, new).online.seats) == 2


def test_a_second_device_of_a_seat_is_told_how_it_comes_to_the_rematch(client: TestClient) -> None:
    path, devices = begun(client, "Ben")
    host, ben = devices
    code = re.search(r'id="seat-code">([0-9a-f]+)<', ben.see(f"{path}/seat"))
    assert code is not None
    second = Device(client)
    second.ask("POST", f"{path}/rejoin", {"code": code[1]})
    play_on(path, devices)
    ben.ask("POST", f"{path}/again")
    for _ in ("while people gather", "when the game has begun"):
        page = second.ask("POST", f"{path}/again", status=409)
        assert "Ben sits at the rematch already, on another device." in page
        assert f'action="{ben.path}/rejoin"' in page
        assert f'<a href="{ben.path}">Just watch</a>' in page
        host.ask("POST", f"{path}/again")
        ben.ask("POST", f"{ben.path}/start")
    code = re.search(r'id="seat-code">([0-9a-f]+)<', ben.see(f"{ben.path}/seat"))
    assert code is not None
    assert "To the rematch" not in second.ask("POST", f"{ben.path}/rejoin", {"code": code[1]})
    assert 'class="plate me"' in second.see(ben.path)


def test_the_words_of_a_turn_are_french_on_a_french_page() -> None:
    told = written("skip 15534>155 leave:2 24>- back:2 back", Words("fr"))
    assert told == "passe son tour 15534>155 quitte la table:2 24>- revient:2 revient"


# The dice of the server


def finished(target: int = 50) -> Game:
    """A game of two that is over."""
    table = Table(
        Game.new(Rules.parse(f"cinq-des(entry=0, target={target})"), ("Ana", "Ben"), {"dice": "seed 1"}),
        save=lambda _: None,
    )
    while table.position.phase != "over":
        if table.position.phase == "choose":
            table.play(SetAside(legal_keeps(table.position)[0].dice), Bank(), seen=table.number)
        else:
            table.play(RollOn(), seen=table.number)
    return table.game


def test_the_dice_of_finished_games_are_counted_once(tmp_path: Path) -> None:
    async def counted() -> None:
        store = await Store.open(tmp_path / "tables.sqlite3")
        game = finished()
        await store.create("one", "device-of-ana-and-ben", game)
        await store.create(
            "two", "device-of-ana-and-ben", Game.new(Rules.parse("cinq-des"), ("Ana", "Ben"), {"dice": "system"})
        )
        counting = Counting(store)
        assert (await counting.count()).left == 1
        for _ in range(100):
            await asyncio.sleep(0.02)
            found = await counting.count()
            if not found.left:
                break
        assert (found.games, found.left) == (1, 0)
        assert found.dice.rolls == len([one for one in game.actions if isinstance(one, Roll)])
        before = found.dice
        assert (await counting.count()).dice == before
        await counting.stop()
        await store.close()

    asyncio.run(counted())


def test_the_page_of_all_dice_says_how_far_it_is(client: TestClient) -> None:
    path, devices = begun(client, "Ben")
    play_on(path, devices)
    page = devices[0].see("/dice")
    for _ in range(100):
        if "1 finished game is counted." in page:
            break
        time.sleep(0.02)
        page = devices[0].see("/dice")
    assert "1 finished game is counted." in page
    assert "dice thrown" in page
    assert 'id="how"' in page


def test_the_pages_speak_french(client: TestClient) -> None:
    host, ben = Device(client, "fr"), Device(client, "fr")
    path = invite(client, host)
    assert "Invitez vos amis" in host.see(path)
    assert "Ana vous invite à jouer" in ben.see(path)
    ben.ask("POST", f"{path}/join", {"name": "Ben"})
    host.ask("POST", f"{path}/start")
    assert "À vous de jouer" in host.see(path)
    assert "Vérifier les dés" in host.see("/verify")
    assert "Tous les dés de ce serveur" in host.see("/dice")
    assert "Continuer sur un autre téléphone" in host.see(f"{path}/seat")
