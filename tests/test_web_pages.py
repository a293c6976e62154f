"""The pages around the table: forms keep what is typed and say what is wrong; sheets and games are kept."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from cinqmille import PARAMETERS, PRESETS, Rules, Sheet
from cinqmille.bots import BOTS
from cinqmille.fair import verify
from cinqmille.web.app import make_app
from cinqmille.web.charts import bars
from cinqmille.web.figures import figures
from cinqmille.web.own import clean
from cinqmille.web.render import ago, drawn, isolated
from cinqmille.web.setup import Setup
from cinqmille.words import Words

EN, FR = Words("en"), Words("fr")
DATA = Path(__file__).parent / "data"
GAMES = DATA / "games"
OVER = "rules: cinq-des(target=1000, entry=0)\nplayers: Ana, Ben\nAna: =500\nBen: =1000\n"


# Exactly 500 in hundreds of which one is never left.
NOBODY_WINS = {"worth-1": "none", "worth-5": "none", "rule-target": "500", "rule-entry": "0", "rule-exact": "true"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(make_app(tmp_path / "tables.sqlite3"), headers={"accept-language": "en"}) as client:
        yield client


def form(**changes: str) -> dict[str, str]:
    """A form as a browser sends it."""
    sent = {"preset": "cinq-des", "shown": "cinq-des", "dice": "system", "then": "start", "more": "", "title": ""}
    sent |= {"name-0": "Ana", "bot-0": "", "name-1": "Ben", "bot-1": ""}
    for parameter in PARAMETERS:
        if parameter.kind != "flag":
            sent[f"rule-{parameter.name}"] = str(getattr(PRESETS["cinq-des"], parameter.name))
    return sent | {name.replace("__", "-"): value for name, value in changes.items()}


def opened(client: TestClient, sent: dict[str, str]) -> str:
    """The record of the game that a form opens."""
    answer = client.post("/new", data=sent)
    assert answer.status_code == 200, answer.text
    assert "/t/" in str(answer.url), wrong(answer.text)
    return client.get(str(answer.url) + "/record").text


def wrong(page: str) -> dict[str, str]:
    """What a page says is wrong, by field."""
    found = re.findall(r'<p class="wrong" id="wrong-([^"]+)">(.*?)</p>', page)
    return {field: unescape(sentence) for field, sentence in found}


def field(page: str, name: str) -> str:
    """The value of a field on a page."""
    match = re.search(rf'<(?:input|textarea)[^>]* name="{name}"[^>]*?(?: value="([^"]*)"|>\s*([^<]*)<)', page)
    assert match is not None, name
    return unescape(match[1] or match[2] or "")


# The form of a new game


def test_a_new_game_is_opened_with_the_names_and_rules_of_the_form(client: TestClient) -> None:
    record = opened(client, form(**{"rule-entry": "500", "rule-exact": "true", "bot-1": "beginner"}))
    assert "rules: cinq-des(entry=500, exact=true)" in record
    assert "players: Ana, Ben" in record
    assert "seats: Ben=beginner" in record


def test_every_parameter_is_a_question_and_every_value_of_it_reaches_the_rules(client: TestClient) -> None:
    page = client.get("/new").text
    for parameter in PARAMETERS:
        assert f'name="rule-{parameter.name}"' in page
        assert EN.parameter_label(parameter.name).casefold() in page.casefold()
    values = {
        "ending": "last_turns", "tie": "first", "equal_scores": "fall", "hot_dice": "must", "keep": "all",
        "scoreless_limit": "3", "scoreless_penalty": "previous", "floor": "-500", "strike": "true",
        "takeover": "opened",
        "min_bank": "100", "blank_roll": "500", "last_leg": "300", "target": "3000", "entry": "200",
    }  # fmt: skip
    setup = Setup.read(form(**{f"rule-{name}": value for name, value in values.items()}).items())
    assert setup.checked(EN).rules == PRESETS["cinq-des"].derive(**values)


def test_the_questions_use_no_words_of_the_text_form(client: TestClient) -> None:
    for lang in ("en", "fr"):
        page = client.get("/new", headers={"accept-language": lang}).text
        for word in ("last_turns", "finish_round", "steady:500"):
            assert word not in re.sub(r'(?:value|id|name|for)="[^"]*"', "", page)
        assert not re.search(r"\((?:may|must|any|all|first|shared|never)\)", page)


@pytest.mark.parametrize(
    ("changes", "at", "says"),
    [
        ({"rule-entry": "75"}, "entry", "entry cannot be 75"),
        ({"rule-target": "12x"}, "target", "whole number"),
        ({"rule-target": ""}, "target", "whole number"),
        ({"rule-prediction": "true", "rule-dice": "4"}, "prediction", "five dice"),
        ({"rule-last_leg": "9000"}, "last_leg", "5,000"),
        (NOBODY_WINS, "target", "could never win"),
        ({"worth-1": "points", "points-1": "many"}, "1", "many"),
        ({"more": "AABBCCDD"}, "more", "AABBCCDD"),
        ({"more": "ZZ=100"}, "more", "ZZ"),
        ({"name-1": "Ana"}, "name-1", "two players"),
        ({"name-0": "a:b"}, "name-0", "colon"),
        ({"name-0": "rules"}, "name-0", "rules"),
        ({"rule-takeover": "opened", "rule-equal_scores": "fall", "bot-1": "perfect"}, "bot-1", "perfect"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_what_was_typed_stays(
    client: TestClient, changes: dict[str, str], at: str, says: str
) -> None:
    answer = client.post("/new", data=form(**changes))
    assert answer.status_code == 422
    problems = wrong(answer.text)
    assert says in problems[at]
    for name, value in changes.items():
        if (
            name.startswith(("rule", "name", "more", "points"))
            and value != "true"
            and f'name="{name}" value' in answer.text
        ):
            assert field(answer.text, name) == value
    # Screen readers are told which field it is, and the list at the top leads there.
    assert f'aria-describedby="wrong-{at}' in answer.text
    assert f'href="#field-{at}"' in answer.text
    assert f'id="field-{at}"' in answer.text


def test_all_that_is_wrong_is_said_at_once(client: TestClient) -> None:
    answer = client.post("/new", data=form(**{"rule-entry": "x", "rule-target": "y", "name-0": "#", "points-5": ""}))
    assert {"entry", "target", "name-0"} <= set(wrong(answer.text))


def test_a_game_that_nobody_can_win_is_refused_with_the_reason(client: TestClient) -> None:
    page = client.post("/new", data=form(**NOBODY_WINS, then="update")).text
    assert wrong(page) == {"target": "A player at 400 could never win: no turns add exactly the 100 missing to 500."}
    assert "These rules cannot be played yet" in page


def test_the_sheet_follows_the_form_for_a_script(client: TestClient) -> None:
    answer = client.post("/new", data=form(**{"rule-target": "7000", "then": ""}), headers={"hx-request": "true"})
    assert answer.status_code == 200
    assert "<html" not in answer.text
    assert "7,000" in answer.text
    assert '/rules/cinq-des%28target%3D7000%29"' in answer.text


def test_the_form_comes_back_as_it_was_left_on_this_device(client: TestClient) -> None:
    client.post("/new", data=form(**{"rule-entry": "oops", "name-0": "Zoé", "then": "update", "more": "AA="}))
    page = client.get("/new").text
    assert field(page, "rule-entry") == "oops"
    assert field(page, "name-0") == "Zoé"
    assert field(page, "more") == "AA="


def test_usual_names_are_offered_and_the_last_one_plays_first(client: TestClient) -> None:
    opened(client, form(**{"name-0": "Zoé", "bot-1": "steady:350"}))
    page = client.get("/new").text
    assert '<option value="Zoé">' in page
    assert '<option value="Ben">' not in page
    assert Setup.first("Zoé").names(EN)[0] == "Zoé"


def test_seats_are_added_moved_and_removed(client: TestClient) -> None:
    def names(**changes: str) -> list[str]:
        page = client.post("/new", data=form(**{"name-2": "Cleo", "bot-2": "", **changes})).text
        return [unescape(name) for name in re.findall(r'name="name-\d" value="([^"]*)"', page)]

    assert names(then="add") == ["Ana", "Ben", "Cleo", ""]
    assert names(then="up-2") == ["Ana", "Cleo", "Ben"]
    assert names(then="down-0") == ["Ben", "Ana", "Cleo"]
    assert names(then="remove-1") == ["Ana", "Cleo"]
    for nonsense in ("up-0", "down-2", "remove-9", "up--1", "remove-", "up-99999"):
        assert names(then=nonsense) == ["Ana", "Ben", "Cleo"]


def test_two_seats_stay_and_there_are_never_more_than_eight(client: TestClient) -> None:
    page = client.post("/new", data=form(then="remove-0")).text
    assert len(re.findall(r'name="name-\d"', page)) == 2
    seats = {f"name-{place}": f"P{place}" for place in range(12)}
    assert opened(client, form(**seats)).count("P") == 8


def test_empty_names_get_one_that_nobody_else_has(client: TestClient) -> None:
    assert "players: Player 2, Player 3\n" in opened(client, form(**{"name-0": "Player 2", "name-1": ""}))


def test_bots_are_offered_by_level_from_the_weakest_in_both_languages() -> None:
    setup = Setup.first()
    assert [spec for spec, _, _ in setup.bots(EN)] == list(BOTS)
    for (spec, english, _), (_, french, _) in zip(setup.bots(EN), setup.bots(FR), strict=True):
        assert english
        assert french
        assert spec in BOTS
        assert ":" not in english
    assert "easiest" in setup.bots(EN)[0][1]
    assert "strongest" in setup.bots(EN)[-1][1]


def test_combinations_can_be_changed_added_and_taken_out() -> None:
    changes = {
        "worth-AAA": "A",
        "points-AAA": "200",
        "worth-12345": "none",
        "points-12345": "",
        "worth-5": "win",
        "rule-entry": "800",
        "more": "aabb = 500, 1234=3×",
    }
    setup = Setup.read(form(**changes).items())
    assert setup.more == changes["more"]  # one that cannot be read keeps all of them in the field
    setup = Setup.read(form(**(changes | {"more": "aabb = 500; 11=300"})).items())
    assert setup.more == ""
    rules = setup.checked(EN).rules
    assert rules == PRESETS["cinq-des"].derive(
        AAA="200*A", **{"12345": "none", "5": "win"}, entry=800, AABB=500, **{"11": 300}
    )
    again = Setup.recalled(setup.to_json(), [])
    assert again.checked(EN).rules == rules


def test_house_rules_that_went_with_their_sheet_can_be_brought_back(client: TestClient) -> None:
    page = client.post("/new", data=form(**{"rule-entry": "500", "preset": "six-des", "then": ""})).text
    assert field(page, "rule-entry") == "500"  # the entry of that sheet
    assert field(page, "shown") == "six-des"
    aside = field(page, "aside")
    page = client.post("/new", data=form(shown="six-des", preset="six-des", aside=aside, then="restore")).text
    assert field(page, "shown") == "cinq-des"
    assert field(page, "rule-entry") == "500"
    assert field(page, "aside") == ""


def test_rules_come_by_a_link_with_their_title(client: TestClient) -> None:
    page = client.get("/new", params={"rules": "six-des(entry=0, AAABBB=none)", "title": "Chez Zoé"}).text
    assert field(page, "title") == "Chez Zoé"
    assert field(page, "rule-entry") == "0"
    assert "<h2>Chez Zoé</h2>" in page
    refused = client.get("/new", params={"rules": "six-des(entri=0)"})
    assert "entry" in refused.text
    assert 'role="alert"' in refused.text


def test_rules_of_a_link_that_nobody_can_win_stand_in_the_form_with_the_reason(client: TestClient) -> None:
    link = "cinq-des(1=none, 5=none, target=500, exact=true, entry=0)"
    page = client.get("/new", params={"rules": link}).text
    assert "could never win" in wrong(page)["target"]
    assert field(page, "rule-target") == "500"
    assert client.get("/new", params={"rules": "cinq-des(nonsense=1)"}).text.count('role="alert"') == 1


def test_points_lost_start_from_a_number_that_can_be() -> None:
    setup = Setup.read(form(**{"rule-scoreless_penalty": "points", "rule-scoreless_limit": "3"}).items())
    assert setup.checked(EN).rules == PRESETS["cinq-des"].derive(scoreless_penalty=500, scoreless_limit=3)


# Rule sheets


def keep(client: TestClient, title: str, **changes: str) -> str:
    answer = client.post("/new", data=form(title=title, then="save", **changes))
    assert f"“{isolated(title)}” is kept." in unescape(answer.text)
    match = re.search(r'name="preset" value="(\w+)" checked', answer.text)
    assert match is not None
    return match[1]


def test_own_sheets_are_kept_played_renamed_and_deleted(client: TestClient) -> None:
    key = keep(client, "Chez Zoé", **{"rule-entry": "500"})
    assert "Chez Zoé" in client.get("/rules").text
    assert "<h2>Chez Zoé</h2>" in client.get(f"/rules/{key}").text
    assert "Odds: Chez Zoé" in client.get(f"/odds/{key}?now=1").text
    sent = form(preset=key, shown=key, **{"rule-entry": "500"})
    assert "rules: cinq-des(entry=500)" in opened(client, sent)
    client.post(f"/sheets/{key}/rename", data={"title": "  Maison\u202e  bleue "})
    assert "Maison bleue" in client.get("/rules").text
    assert "Maison bleue" in client.get(f"/sheets/{key}/delete").text
    client.post(f"/sheets/{key}/delete")
    assert "Maison bleue" not in client.get("/rules").text
    assert client.get(f"/rules/{key}").status_code == 404
    # The form that stood on it still has its rules.
    assert "entry=500" in unescape(client.post("/new", data=sent | {"then": "update"}).text)


def test_a_sheet_of_the_same_name_is_replaced_and_another_name_refused_by_rename(client: TestClient) -> None:
    key = keep(client, "Nous", **{"rule-entry": "500"})
    assert keep(client, "Nous", **{"rule-entry": "300"}) == key
    other = keep(client, "Eux", **{"rule-entry": "400"})
    assert client.post(f"/sheets/{other}/rename", data={"title": "Nous"}).status_code == 422
    assert client.post(f"/sheets/{other}/rename", data={"title": " "}).status_code == 422
    assert "There is no such" in client.post("/sheets/none/rename", data={"title": "x"}).text


def test_own_sheets_are_those_of_this_device_alone(client: TestClient) -> None:
    key = keep(client, "Nous", **{"rule-entry": "500"})
    client.cookies.clear()
    assert client.get(f"/rules/{key}").status_code == 404
    assert "Nous" not in client.get("/rules").text


def test_a_sheet_goes_out_as_a_file_and_comes_back_the_same(client: TestClient) -> None:
    rules = Rules.parse("six-des(entry=0, exact=true, AAABBB=none)")
    answer = client.get("/sheet.toml", params={"rules": rules.canonical, "title": 'Été "chaud"\n[combinations]'})
    assert 'filename="ete-chaud-combinations.toml"' in answer.headers["content-disposition"]
    assert Sheet.from_toml(answer.text, name="x").rules == rules
    answer = client.post("/sheets/open", files={"file": ("x.toml", answer.text.encode())})
    assert answer.status_code == 200
    assert "Été &#34;chaud&#34; [combinations]</h2>" in answer.text
    assert rules.canonical in unescape(answer.text)


def test_a_broken_sheet_is_refused_with_its_line_and_kept_in_the_field(client: TestClient) -> None:
    text = "title = 'x'\nentry = = 5\n"
    answer = client.post("/sheets/open", data={"text": text}, files={"file": ("", b"")})
    assert answer.status_code == 422
    assert "line 2" in answer.text
    assert "entry = = 5" in unescape(answer.text)


@pytest.mark.parametrize("path", ["/etc/passwd", "../pyproject.toml", "x.toml", "..\\x", "%2e%2e/%2e%2e/etc/passwd"])
def test_no_address_reads_a_file_of_the_server(client: TestClient, path: str, tmp_path: Path) -> None:
    for start in ("/rules/", "/odds/"):
        answer = client.get(start + path)
        assert answer.status_code == 404
        assert "cannot be read as rules" in answer.text or "nothing here" in answer.text
    file = tmp_path / "secret.toml"
    file.write_text('base = "cinq-des"\ntitle = "Secret"\n')
    assert "Secret" not in client.get(f"/rules/{quote(str(file))}").text


@pytest.mark.parametrize("preset", PRESETS)
def test_every_rule_page_draws_its_combinations_and_marks_what_is_settled(client: TestClient, preset: str) -> None:
    for lang in ("en", "fr"):
        page = client.get(f"/rules/{preset}", headers={"accept-language": lang}).text
        assert page.count('class="drawn"') >= 4
        assert ('class="decided' in page) == ("⚑" in page)
    assert '<section class="decided' in client.get("/rules/six-des").text


# Odds


def test_the_page_of_odds_waits_for_a_script_and_computes_without_one(client: TestClient) -> None:
    address = "/odds/" + quote("cinq-des(entry=650)")
    first = client.get(address).text
    assert "being computed" in first
    assert f'content="0; url={address}?now=1"' in first
    part = client.get(address, headers={"hx-request": "true"}).text
    assert "<html" not in part
    assert "341.5 points" in part
    assert "being computed" not in client.get(address).text  # known by now
    assert "341,5 points" in client.get(address, headers={"accept-language": "fr"}).text


@pytest.mark.parametrize(
    "rules",
    [
        *PRESETS, "cinq-des(dice=1)", "six-des(dice=8)", "cinq-des(prediction=true)", "six-des(blank_roll=500)",
        "cinq-des(dice=7, hot_dice=must)", "cinq-des(target=1000000)", "six-des(target=50, entry=0)",
        "cinq-des(keep=all)",
        "cinq-des(dice=1, entry=0, 1=100, 2=100, 3=100, 4=100, 5=100, 6=100)",
        "cinq-des(1=1, target=1000000, entry=0)",
    ],
)  # fmt: skip
def test_every_kind_of_rules_has_its_page_of_odds(client: TestClient, rules: str) -> None:
    answer = client.get(f"/odds/{quote(rules)}?now=1")
    assert answer.status_code == 200, answer.text
    assert "<rect" in answer.text
    for bad in ("nan", "inf", "None"):
        assert not re.search(rf"\b{bad}\b", re.sub(r"<[^>]*>", "", answer.text))


def test_the_law_of_a_turn_adds_up_and_opening_is_what_the_turn_says() -> None:
    found = figures(PRESETS["cinq-des"])
    assert found.best is not None
    whole = found.best.bust + found.best.wins + sum(one.chance for one in found.best.law)
    assert whole == pytest.approx(1, abs=1e-9)
    assert found.opening == pytest.approx(0.2203, abs=1e-4)
    assert found.as_soon is not None
    assert found.opening is not None
    assert found.as_soon < found.opening
    assert [(line.dice, line.points) for line in found.best.thresholds] == [
        (1, 200),
        (2, 200),
        (3, 400),
        (4, 950),
        (5, 3400),
    ]


def test_a_bar_never_leaves_its_picture() -> None:
    chart = bars([("a label that is long", 1.0, "100.0%"), ("b", 0.0, "0%")])
    assert chart.left + chart.bars[0].length + 6 + 7 * len("100.0%") <= chart.width
    assert chart.bars[1].length == 0
    assert bars([]).bars == ()


# Games and records


def test_home_lists_those_that_wait_first_then_the_finished_with_winners(client: TestClient) -> None:
    client.post("/open", data={"record": OVER})
    opened(client, form(**{"name-0": "Waiting", "name-1": "Other"}))
    opened(client, form(**{"name-0": "Machine", "bot-0": "beginner", "name-1": "Human"}))
    page = client.get("/").text
    assert page.index("Waiting") < page.index("Machine") < page.index("Finished games")
    assert "Waiting to play" in page
    assert "Machine (robot) to play" in page
    assert "Ben won" in page
    assert "just now" in page
    assert "5000 with five dice, house rules" in page


def test_wins_are_counted_by_name_without_robots(client: TestClient) -> None:
    for number in range(3):
        client.post("/open", data={"record": OVER.replace("=500", f"={500 + 50 * number}")})
    client.post("/open", data={"record": OVER.replace("Ana: ", "seats: Ana=beginner\nAna: ", 1)})
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", client.get("/history").text))
    assert "Ben 4 4 100%" in text
    assert "Ana 0 3 0%" in text


def test_deleting_asks_first_and_works_without_scripts(client: TestClient) -> None:
    id = str(client.post("/open", data={"record": OVER}).url).split("/t/")[1].split("/")[0]
    page = client.get(f"/forget/{id}").text
    assert "Delete the game of Ana and Ben?" in page
    assert f'action="/forget/{id}"' in page
    assert "Ben won" in client.get("/").text
    client.post(f"/forget/{id}")
    assert "Ben won" not in client.get("/").text
    assert client.get(f"/forget/{id}").status_code == 404


def test_nobody_deletes_the_game_of_another_device(client: TestClient) -> None:
    id = str(client.post("/open", data={"record": OVER}).url).split("/t/")[1].split("/")[0]
    client.cookies.clear()
    assert client.get(f"/forget/{id}").status_code == 404
    client.post(f"/forget/{id}")
    assert client.get(f"/t/{id}").status_code == 200


@pytest.mark.parametrize("file", sorted(GAMES.glob("*.txt"))[:25], ids=lambda path: path.stem)
def test_any_record_opens_turn_by_turn_from_a_file(client: TestClient, file: Path) -> None:
    answer = client.post("/open", files={"file": (file.name, file.read_bytes())}, data={"record": ""})
    if answer.status_code == 422:
        assert re.search(r"line \d+, column \d+", answer.text)
    else:
        assert str(answer.url).endswith("/turns")
        assert "Turn by turn" in answer.text


def test_a_finished_game_online_is_shown_and_an_unfinished_one_goes_on_only_there(client: TestClient) -> None:
    text = (DATA / "fair.txt").read_text(encoding="utf-8")
    answer = client.post("/open", data={"record": text})
    assert answer.status_code == 200
    table = str(answer.url).removesuffix("/turns")
    assert verify(client.get(table + "/record").text) == verify(text)
    assert client.get(table).status_code == 200
    unfinished = re.sub(r"(?m) secret=.*$", "", text.rpartition("Ben: ")[0])
    answer = client.post("/open", data={"record": unfinished})
    assert answer.status_code == 422
    assert "drawn by its table online, Tq3_dTable-0" in unescape(answer.text)


def test_a_record_opened_twice_is_one_game(client: TestClient) -> None:
    assert client.post("/open", data={"record": OVER}).url == client.post("/open", data={"record": OVER}).url


def test_a_broken_record_is_refused_with_line_and_column_and_stays_in_the_field(client: TestClient) -> None:
    text = "rules: cinq-des\nplayers: Ana, Ben\nAna: 15534>177 =\n"
    answer = client.post("/open", data={"record": text})
    assert answer.status_code == 422
    assert "line 3, column " in answer.text
    assert "<mark>" in answer.text
    assert "Ana: 15534&gt;177 =" in answer.text
    french = client.post("/open", data={"record": text}, headers={"accept-language": "fr"}).text
    assert "ligne 3, colonne " in french
    assert client.post("/open", data={"record": ""}).status_code == 422


def test_a_turn_is_drawn_from_the_record() -> None:
    assert drawn("15534>155 24>- =") == [([1, 5, 5, 3, 4], [True, True, True, False, False]), ([2, 4], [False, False])]
    assert drawn("=450") == []


def test_a_list_shows_what_was_played_since_it_was_shown_last(client: TestClient) -> None:
    opened = client.post("/open", data={"record": "rules: cinq-des(entry=0)\nplayers: Ana, Ben\nAna: =500\n"})
    address = str(opened.url).removesuffix("/turns")
    assert "Ben to play" in client.get("/").text
    page = client.get(address).text
    client.post(f"{address}/play", data={"seen": field(page, "seen"), "then": "points", "points": "700"})
    home = client.get("/").text
    assert "Ana to play" in home
    assert "<b>700</b>" in home


def test_how_long_ago_is_said_in_words() -> None:
    now = 1_000_000_000.0
    said = [ago(EN, now - passed, now) for passed in (5, 60, 150, 3600, 86_400, 3 * 86_400, 90 * 86_400, -50)]
    assert said == [
        "just now", "1 minute ago", "2 minutes ago", "1 hour ago", "yesterday", "3 days ago", "3 months ago",
        "just now",
    ]  # fmt: skip
    assert ago(FR, now - 7200, now) == "il y a 2 heures"


# What is typed, and where one goes


NASTY = ["<script>alert(1)</script>", '"><img src=x>', "{{ 7*7 }}", "אבג דה", "👩‍👩‍👧 famille", "W" * 300, "a'b&c"]


@pytest.mark.parametrize("name", NASTY)
def test_names_are_shown_as_they_are_and_run_nothing(client: TestClient, name: str) -> None:
    key = keep(client, clean(name) or "x", **{"rule-entry": "500"})
    opened(client, form(**{"name-0": name}))
    for address in ("/", "/new", "/rules", f"/rules/{key}", f"/sheets/{key}/delete", f"/odds/{key}?now=1", "/history"):
        page = client.get(address).text
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "49" not in re.sub(r"<[^>]*>", "", page) or "{{" not in name
    assert clean(name)[:10] in unescape(client.get("/rules").text)


def test_signs_that_turn_the_text_are_refused_in_names_and_taken_out_of_titles(client: TestClient) -> None:
    assert "name-0" in wrong(client.post("/new", data=form(**{"name-0": "abc\u202edef"})).text)
    assert clean("a\u202eb\x00c\nd") == "abc d" or clean("a\u202eb\x00c\nd") == "abcd"


@pytest.mark.parametrize(
    "back", ["//evil.example", "/\\evil.example", "https://evil.example", "/x\r\nSet-Cookie: a=b", ""]
)
def test_the_language_switch_leads_nowhere_else(client: TestClient, back: str) -> None:
    answer = client.post("/language", data={"lang": "fr", "back": back}, follow_redirects=False)
    assert answer.headers["location"] == "/"


def test_the_language_switch_keeps_page_and_query(client: TestClient) -> None:
    address = "/new?rules=six-des%28entry%3D0%29&title=Nous"
    assert f'name="back" value="{address.replace("&", "&amp;")}"' in client.get(address).text
    answer = client.post("/language", data={"lang": "fr", "back": address})
    assert str(answer.url).endswith(address)
    assert 'lang="fr">' in answer.text


def test_too_many_fields_are_refused_and_nonsense_is_no_failure(client: TestClient) -> None:
    assert client.post("/new", data={f"name-{number}": "x" for number in range(500)}).status_code == 400
    strange = {
        "worth-<b>": "points",
        "worth-AAAAAAAAA": "win",
        "aside": "preset=six-des&x<y=1",
        "then": "restore",
    }
    assert client.post("/new", data=form(**strange)).status_code == 200
    assert client.post("/open", content=b"--x", headers={"content-type": "multipart/form-data"}).status_code == 422


def test_the_app_can_be_installed(client: TestClient) -> None:
    manifest = json.loads(client.get("/manifest.webmanifest").text)
    sizes = set()
    for icon in manifest["icons"]:
        answer = client.get(icon["src"])
        assert answer.status_code == 200
        if icon["type"] == "image/png":
            width = int.from_bytes(answer.content[16:20], "big")
            assert icon["sizes"] == f"{width}x{width}"
            sizes.add((width, icon["purpose"]))
    assert sizes == {(192, "any"), (512, "any"), (192, "maskable"), (512, "maskable")}
    worker = client.get("/worker.js").text
    for path in re.findall(r'"(/(?:static/|away)[^"]*)"', worker):
        assert client.get(path).status_code == 200
    assert client.get("/away").headers["content-language"] == "en"


# What nobody's browser sends


def test_what_is_too_large_is_refused_even_without_a_length(client: TestClient) -> None:
    many = [b"record=", *[b"x" * 65536] * 20]
    for answer in (
        client.post("/open", data={"record": "x" * (1 << 21)}),
        client.post("/open", content=iter(many), headers={"content-type": "application/x-www-form-urlencoded"}),
    ):
        assert answer.status_code == 413
        assert "1,024 kB at most" in answer.text


def test_requests_of_other_sites_are_refused_in_the_readers_language(client: TestClient) -> None:
    answer = client.post("/new", data=form(), headers={"origin": "http://elsewhere.example", "accept-language": "fr"})
    assert answer.status_code == 403
    assert "autre site" in answer.text


def test_no_page_answers_in_the_words_of_the_framework(client: TestClient) -> None:
    for path, status in (("/nothing", 404), ("/t/nobody/play", 405)):
        answer = client.get(path, headers={"accept-language": "fr"})
        assert answer.status_code == status
        assert "Il n'y a rien ici." in unescape(answer.text)
