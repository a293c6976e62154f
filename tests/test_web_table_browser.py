"""The table in a real browser: whole games, every special moment, the score sheet, without scripts, by keys alone, two
windows on one game, slow and double taps; axe-core looks at every state."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from cinqmille.actions import Announce, Roll, RollOn, SetAside
from cinqmille.record import Game
from visits import DESKTOP, PHONE, SMALL, Server, Visit, Visits, chromium, server, visits  # noqa: F401

THREE_ONES = "11123>111 =1000"
EIGHT = "Ana, Benjamin le Grand, Chloé, David, Emma, Farid, Gaëlle, Hugo"


def game(
    *turns: str, rules: str = "cinq-des", players: str = "Ana, Ben", dice: str = "seed 5", seats: str = ""
) -> Game:
    """A game of a record; dice are drawn from a seed, so that every run sees the same ones."""
    lines = [f"rules: {rules}", f"players: {players}", f"dice: {dice}", *([f"seats: {seats}"] if seats else []), *turns]
    return Game.parse("\n".join(lines) + "\n")


CALM = "document.documentElement.matches('.js') && !document.body.matches('.busy, .settling')"


def calm(page: Page) -> None:
    """Wait until nothing is under way and taps count again."""
    for _ in range(1000):
        if page.evaluate(CALM):
            return
        page.wait_for_timeout(15)
    pytest.fail("the page does not come to rest")


def go(visit: Visit, url: str) -> Page:
    visit.page.goto(url)
    calm(visit.page)
    return visit.page


def tap(page: Page, what: str) -> None:
    calm(page)
    page.locator(what).click()
    calm(page)


def over(page: Page) -> bool:
    return page.locator("#again").count() > 0


def play_on(page: Page) -> None:
    """Play to the end: the most points of every roll are set aside, and banked as soon as that is allowed."""
    for _ in range(300):
        calm(page)
        if over(page):
            return
        if page.locator("#bot-all").count():
            number = page.locator("#state").get_attribute("data-number")
            page.locator("#bot-all").click()
            expect(page.locator(f"#state[data-number='{number}']")).to_have_count(0)
        elif page.locator(".chip[data-dice]").count():
            page.locator(".chip[data-dice]").first.click()
            bank = page.locator("#bank")
            page.locator("#bank" if bank.get_attribute("aria-disabled") is None else "#roll").click()
        else:
            page.locator("#roll").click()
    pytest.fail("the game does not end")


@pytest.mark.parametrize(
    ("rules", "size", "lang", "wins"),
    [("cinq-des", PHONE, "fr", "gagne"), ("six-des", DESKTOP, "en", "wins")],
)
def test_a_whole_game_against_a_robot(
    server: Server,
    visits: Visits,
    rules: str,
    size: tuple[int, int],
    lang: str,
    wins: str,
) -> None:
    visit = visits(size=size, lang=lang)
    page = go(visit, server.put(game(rules=rules, seats="Ben=steady:350")))
    play_on(page)
    expect(page.locator(".winner")).to_contain_text(wins)
    expect(page.locator(".story svg.chart")).to_be_visible()
    visit.assert_accessible()
    visit.assert_no_sideways()
    visit.keep(f"over-{rules}-{lang}", full=True)
    page.locator("#again").click()
    expect(page.locator("#turn")).to_contain_text("Ben")  # who was second begins, and is still the robot
    expect(page.locator("#bot-next")).to_have_count(1)


MOMENTS = {
    "choose": (game(f"Ana: {THREE_ONES}", "Ben: 15534>15 234>-", "Ana: 15534"), "Tap the dice"),
    "decide": (game("Ana: 11123>111"), "Bank 1,000"),
    "not-open": (game("Ana: 15534>15"), "600 short"),
    "fall": (
        game(f"Ana: {THREE_ONES}", f"Ben: {THREE_ONES}", rules="cinq-des(equal_scores=fall)"),
        "Ana falls from 1,000 to 0",
    ),
    "strike": (
        game(f"Ana: {THREE_ONES}", "Ben: 22346>-", "Ana: 22346>-", rules="cinq-des(strike=true)"),
        "strikes the last banked turn",
    ),
    "prediction": (game("Ana: 11123>111", rules="cinq-des(prediction=true)"), "Announce"),
    "takeover": (game(f"Ana: {THREE_ONES}", rules="cinq-des(takeover=always)"), "Take it over?"),
    "last-turns": (game("Ana: 111111>111111 =8000", rules="six-des"), "8,000 points would match it"),
    "last-leg": (
        game(*[f"{name}: {THREE_ONES}" for _ in range(4) for name in ("Ana", "Ben")], rules="cinq-des(last_leg=1000)"),
        "all 1,000 points must come in one turn",
    ),
    "exact": (
        game(
            *[f"{name}: {THREE_ONES}" for _ in range(4) for name in ("Ana", "Ben")],
            "Ana: 55534>555 =500", "Ben: 22346>-", "Ana: 55512",
            rules="cinq-des(exact=true)",
        ),
        "Tap the dice",
    ),
    "must-roll": (game("Ana: 12345>12345", rules="cinq-des(hot_dice=must)"), "must be rolled again"),
    "penalty": (
        game(*["Ana: 22346>-", "Ben: 22346>-"] * 2, rules="cinq-des(scoreless_limit=3)"), "another turn without gain"
    ),
    "bust": (game(f"Ana: {THREE_ONES}", "Ben: 15534>15 234>-", players="Ana, Ben, Zoé"), "150 points are lost"),
    "eight": (
        game("Ana: 155346>1", rules="six-des", players=EIGHT),
        "400 short",
    ),
    "robot": (game(f"Ana: {THREE_ONES}", seats="Ben=steady:350"), "Ben is playing"),
    "sheet": (game(f"Ana: {THREE_ONES}", rules="cinq-des(strike=true)", dice="real"), "Which 5 dice fell?"),
    "over": (game("Ana: 11111"), "Ana wins!"),
}  # fmt: skip


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_special_moment_is_said_and_fits_a_phone(server: Server, visits: Visits, moment: str) -> None:
    one, told = MOMENTS[moment]
    url = server.put(one)
    visit = visits(size=PHONE)
    page = go(visit, url)
    expect(page.locator(".felt")).to_contain_text(told)
    visit.assert_accessible()
    visit.keep(f"{moment}-phone")
    for size in (PHONE, SMALL, (844, 390), (568, 320)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        visit.assert_no_sideways()
        if moment == "over":
            continue
        for button in page.locator(".actions .button:visible").all():
            box = button.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= size[1], f"{button.inner_text()} is out of reach at {size}"
            assert box["height"] >= 44
    visit.keep(f"{moment}-lying")
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.set_viewport_size({"width": 320, "height": 568})
    visit.assert_accessible()
    visit.keep(f"{moment}-small-dark")


def test_dice_that_are_tapped_show_what_follows_and_the_labels_do_not_lie(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(game("Ana: 15534")))
    one, five, five_too, three, _four = page.locator("label.die").all()
    bank, roll, line = page.locator("#bank"), page.locator("#roll"), page.locator("#selection")
    assert bank.get_attribute("aria-disabled") == "true"
    one.click()
    expect(line).to_contain_text("100 points for these dice, 100 at risk")
    expect(line).to_contain_text("16% risk of losing 100 points")
    expect(line).to_contain_text("Getting on the board takes 750")
    expect(bank).to_have_text("Bank: 650 short")
    expect(roll).to_have_text("Roll 4 dice again")
    three.click()
    expect(line).to_have_text("These dice do not score together")
    roll.click(force=True)  # refused without a word to the server
    assert page.locator("#state").get_attribute("data-number") == "0"
    three.click()
    five.click()
    five_too.click()
    expect(roll).to_have_text("Roll 2 dice again")
    page.reload()  # nothing is lost: the same dice lie there, and the same are chosen
    calm(page)
    assert page.locator("label.die").count() == 5
    expect(page.locator(".chip[data-dice='155']")).to_have_attribute("aria-pressed", "true")
    tap(page, "#roll")
    expect(page.locator("#log")).to_contain_text("Ana sets 155 aside: 200.")
    page.wait_for_timeout(200)
    assert page.locator(".choosing input:checked").count() == 0  # nothing of the next roll is chosen yet


def test_an_exact_target_that_is_passed_says_so_and_ends_the_turn_only(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(MOMENTS["exact"][0]))
    page.locator(".chip[data-dice='555']").click()
    expect(page.locator("#bank")).to_have_text("Bank 500 and win")
    page.locator(".chip[data-dice='1555']").click()
    expect(page.locator("#selection")).to_contain_text("5,000 would be passed: the turn is lost")
    expect(page.locator("#roll")).to_have_text("Set aside and lose the turn")
    tap(page, "#roll")
    expect(page.locator("#turn")).to_have_text("Ben to play")
    expect(page.locator("#roll")).to_have_text("Roll the 5 dice")  # and nobody rolled for Ben


def test_taking_over_and_predicting_are_questions_with_their_chances(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(game(f"Ana: {THREE_ONES}", rules="cinq-des(takeover=always, prediction=true)")))
    expect(page.locator(".question-asked")).to_contain_text("44.4%")
    tap(page, "#takeover")
    expect(page.locator("#log")).to_contain_text("Ben takes over the previous turn: 1,000 points, 2 dice to roll.")
    page.goto(server.put(MOMENTS["prediction"][0]))
    calm(page)
    expect(page.locator("#announce")).to_contain_text("50 22%")
    tap(page, "#announce-100")
    expect(page.locator("#log")).to_contain_text("Ana announces 100 with the last two dice.")


def test_what_another_door_left_in_mid_turn_goes_on_here(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(game("Ana: 11123>111").play(RollOn())))
    expect(page.locator("#roll")).to_have_text("Roll 2 dice")
    tap(page, "#roll")
    assert page.locator("#log li").count() >= 3
    one = game("Ana: 11123>111", rules="cinq-des(prediction=true)").play(Announce(50)).play(Roll((5, 2)))
    page.goto(server.put(one.play(SetAside((5,)))))
    calm(page)
    expect(page.locator("#bank")).to_have_text("Bank 2,100")
    tap(page, "#bank")
    expect(page.locator("#turn")).to_have_text("Ben to play")


def test_events_are_announced_once_and_the_focus_stays(server: Server, visits: Visits) -> None:  # report C091
    page = go(visits(size=DESKTOP), server.put(game("Ana: 11123>111")))
    expect(page.locator("#say")).to_have_text("")  # what was there before is no news
    page.evaluate(
        "window.heard = []; new MutationObserver(() => heard.push(document.querySelector('#say').textContent))"
        ".observe(document.querySelector('#say'), {childList: true, characterData: true, subtree: true})"
    )
    page.locator("#roll").focus()
    page.keyboard.press("Enter")
    calm(page)
    page.wait_for_timeout(400)  # the stream brings the same state once more
    heard = page.evaluate("heard")
    assert len(heard) == 1
    assert heard[0].startswith("Ana rolls ")
    if page.locator(".choosing").count():
        expect(page.locator(".choosing input").first).to_be_focused()
    page.goto(server.put(game("Ana: 11123>111")))
    calm(page)
    page.locator("#bank").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#say")).to_have_text("Ana banks 1,000: 1,000 in all. Ben to play.")
    expect(page.locator("#turn")).to_be_focused()  # the button is gone, the player is not lost


def test_a_game_is_played_by_keys_alone(server: Server, visits: Visits) -> None:  # report C089
    page = go(visits(size=DESKTOP), server.put(game("Ana: 15534")))
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator("#selection")).to_contain_text("100 points for these dice")
    page.keyboard.press("Enter")  # no button: nothing is sent
    page.keyboard.press("b")  # too few points: nothing is sent either
    assert page.locator("#state").get_attribute("data-number") == "0"
    page.keyboard.press("r")
    expect(page.locator("#log")).to_contain_text("Ana sets 1 aside: 100.")
    for _ in range(80):
        calm(page)
        if over(page) or page.locator("#turn").inner_text() != "Ana to play":
            break
        if page.locator(".choosing input").count():
            faces = page.locator(".chip[data-dice]").first.get_attribute("data-dice") or ""
            all_faces = [box.get_attribute("data-face") for box in page.locator(".choosing input").all()]
            for face in faces:
                place = all_faces.index(face)
                all_faces[place] = None
                page.keyboard.press(str(place + 1))
        page.keyboard.press("b" if page.locator("#bank:not([aria-disabled])").count() else "r")
    assert page.locator("#turn").inner_text() == "Ben to play"


def test_a_screen_reader_is_told_what_the_eye_sees(server: Server, visits: Visits) -> None:  # reports C090, C093
    page = go(visits(), server.put(MOMENTS["choose"][0]))
    page.locator("label.die").first.click()
    found = page.locator("#main").aria_snapshot()
    for line in (
        'heading "The table of Ana, Ben" [level=1]',
        'progressbar "Ana: 20% of the way to the target"',
        'heading "Ana to play" [level=2]',
        'group "Which dice do you set aside?"',
        'checkbox "die 1: 1" [checked]',
        'checkbox "die 5: 4"',
        "100 points for these dice, 100 at risk",
        "16% risk of losing 100 points",
        'button "Choose 155 : 200"',
        'button "Choose 1 : 100" [pressed]',
        'button "Bank 100"',
        'button "Roll 4 dice again"',
        'link "More"',
        "Farkle: nothing scores for Ben; 150 points are lost.",
    ):
        assert line in found, found
    # Dice that nobody can choose any more have the same names; those that were set aside say so.
    page.goto(server.put(game(f"Ana: {THREE_ONES}")))
    calm(page)
    said = page.locator(".ended").aria_snapshot()
    assert "die 3: 1, set aside die 4: 2 die 5: 3" in said
    page.goto(server.put(MOMENTS["over"][0]))
    calm(page)
    assert "die 4: 1 die 5: 1" in page.locator(".over").aria_snapshot()


def test_three_quick_taps_choose_three_dice_while_the_server_is_slow(server: Server, visits: Visits) -> None:
    """Report C034: nothing that is awaited, and nothing that arrives meanwhile, takes a tap away."""
    visit = visits()
    page = visit.page
    held: list[Route] = []
    page.route("**/hint", lambda route: held.append(route))
    for lists_events in (True, False):
        if not lists_events:
            page.route("**/live", lambda route: held.append(route))  # nor does the stream have to be there
        go(visit, server.put(game("Ana: 15534")))
        page.locator("#advice").click()
        boxes = [label.bounding_box() for label in page.locator("label.die").all()[:3]]
        client = visit.context.new_cdp_session(page)
        before = page.evaluate("performance.now()")
        for box in boxes:
            assert box is not None
            finger = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}]
            client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": finger})
            client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        assert page.evaluate("performance.now()") - before < 500
        expect(page.locator(".choosing input:checked")).to_have_count(3)
        assert [box.is_checked() for box in page.locator(".choosing input").all()] == [True, True, True, False, False]
        expect(page.locator("#bank")).to_have_text("Bank: 550 short")
        # The same state comes once more, and an answer of before: what is chosen stays chosen.
        page.evaluate("document.dispatchEvent(new CustomEvent('htmx:after:swap', {detail: {}, bubbles: true}))")
        assert page.locator(".choosing input:checked").count() == 3
        assert held
    # Three clicks in one moment of the script, quicker than any finger.
    page.evaluate("for (const box of [...document.querySelectorAll('.choosing input')].slice(0, 3)) box.click()")
    expect(page.locator(".choosing input:checked")).to_have_count(0)
    page.evaluate("for (const box of [...document.querySelectorAll('.choosing input')].slice(0, 3)) box.click()")
    expect(page.locator(".choosing input:checked")).to_have_count(3)
    for route in held:
        route.abort()
    visit.problems = [one for one in visit.problems if "ERR_FAILED" not in one and "fetch" not in one]


def test_a_game_is_followed_by_ear(server: Server, visits: Visits) -> None:
    """Report C094: a key for the scores and one for the turn total; whoever acted is led back to the dice."""
    page = go(visits(size=DESKTOP), server.put(game(f"Ana: {THREE_ONES}", "Ben: 22346>-", "Ana: 11123>11")))
    line = page.locator("#say")
    page.keyboard.press("s")
    expect(line).to_have_text("Ana 1,000. Ben 0.")
    page.keyboard.press("t")
    expect(line).to_have_text("Ana: 200 points at risk.")
    page.keyboard.press("t")
    expect(line).to_have_text("Ana: 200 points at risk.\u00a0")  # said again, though nothing is new
    page.keyboard.press("?")
    for told in ("hear the scores", "hear what is at risk"):
        expect(page.locator("#keys")).to_contain_text(told)
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    expect(line).to_have_text("Ana banks 200: 1,200 in all. Ben to play.")
    page.keyboard.press("s")
    expect(line).to_have_text("Ana 1,200. Ben 0.")
    page.keyboard.press("t")
    expect(line).to_have_text("Ben: 0 points at risk.")
    # After every action one is at the dice, or where there are none at whose turn it is; never nowhere.
    dice = 0
    for _ in range(30):
        calm(page)
        if over(page):
            break
        if page.locator(".choosing").count():
            faces = page.locator(".chip[data-dice]").first.get_attribute("data-dice") or ""
            all_faces = [box.get_attribute("data-face") for box in page.locator(".choosing input").all()]
            for face in faces:
                place = all_faces.index(face)
                all_faces[place] = None
                page.keyboard.press(str(place + 1))
        number = page.locator("#state").get_attribute("data-number")
        page.keyboard.press("r")
        expect(page.locator(f"#state[data-number='{number}']")).to_have_count(0)
        calm(page)
        if page.locator(".choosing").count():
            dice += 1
            expect(page.locator(".choosing input").first).to_be_focused()
        else:
            assert page.evaluate("document.activeElement.id") in ("roll", "turn", ""), "the table, or the whole page"
    assert dice >= 5
    # Whoever reads elsewhere on the page is left there when others act.
    url = server.put(game("Ana: 11123>111"))
    reader, other = go(visits(), url), go(visits(), url)
    reader.locator("#player-1 summary").focus()
    tap(other, "#roll")
    expect(reader.locator("#state[data-number='1']")).to_have_count(1)
    calm(reader)
    expect(reader.locator("#player-1 summary")).to_be_focused()


def test_whatever_has_the_focus_shows_it(server: Server, visits: Visits) -> None:
    """Report C089: along the whole table, in light and dark."""
    for scheme in ("light", "dark"):
        page = go(visits(size=DESKTOP, color_scheme=scheme), server.put(MOMENTS["choose"][0]))
        dice, seen = 0, 0
        for _ in range(60):
            page.keyboard.press("Tab")
            found = page.evaluate(
                "(() => { let one = document.activeElement; if (!one || one === document.body) return null;"
                "const die = one.closest('label.die'); const style = getComputedStyle(die || one);"
                "return [Boolean(die), style.outlineStyle, parseFloat(style.outlineWidth), one.outerHTML.slice(0, 80)];"
                "})()"
            )
            if found is None:
                break
            die, style, width, what = found
            assert style == "solid", what
            assert width >= 3, what
            dice, seen = dice + die, seen + 1
        assert dice == 5
        assert seen > 15


# Colours, measured

CONTRAST = (Path(__file__).parent / "data" / "contrast.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("look", ["light", "dark", "forced light", "forced dark"])
def test_dice_stand_out_from_whatever_they_lie_on(server: Server, visits: Visits, look: str) -> None:
    """Report C092: their edge against what is beside it, and their pips, are at 3:1 or more wherever dice are drawn."""
    more: dict[str, Any] = {"forced_colors": "active"} if "forced" in look else {}
    visit = visits(size=DESKTOP, color_scheme=look.split()[-1], reduced_motion="reduce", device_scale_factor=2, **more)
    page = visit.page
    reader = visit.context.new_page()
    ended = server.put(MOMENTS["choose"][0])
    places = (
        (ended, ".choosing .die"), (server.put(MOMENTS["bust"][0]), ".ended .die"),
        (server.put(game("Ana: 11123>111 15")), ".aside .group .face:first-child"),
        (server.put(MOMENTS["sheet"][0]), ".pad .die"), (server.put(MOMENTS["over"][0]), ".over .die"),
        (f"{ended}/turns?turn=1", ".thrown svg"), (f"{server.url}/rules/cinq-des", ".drawn svg:first-child"),
        (f"{server.url}/new", ".card svg:first-child"),
    )  # fmt: skip
    for url, what in places:
        page.goto(url)
        page.wait_for_timeout(100)
        found = page.locator(f"{what}:visible")
        assert found.count(), (url, what)
        if what == ".choosing .die":
            found.nth(1).click()
            page.wait_for_timeout(300)
        found.first.scroll_into_view_if_needed()
        boxes = [found.nth(place).bounding_box() for place in range(min(found.count(), 6))]
        picture = base64.b64encode(page.screenshot()).decode()
        visit.keep(f"dice-{look.replace(' ', '-')}-{what.strip('.').split()[0]}")
        for edge, pip in reader.evaluate(
            f"seen => {{ {CONTRAST} return edges(seen); }}", [picture, DESKTOP[0], boxes, what == ".thrown svg"]
        ):
            assert edge >= 3, (look, what, edge)
            assert pip >= 3, (look, what, pip)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_on_the_felt_can_be_read_wherever_the_page_lies(server: Server, visits: Visits, scheme: str) -> None:
    """Report C095: everything said about a throw lies on the felt, whose lightest and darkest spots give 4.5:1."""
    visit = visits(color_scheme=scheme, reduced_motion="reduce")
    page = visit.page
    for moment in MOMENTS:
        go(visit, server.put(MOMENTS[moment][0]))
        page.evaluate("document.body.style.background = 'white'")  # a snowy table
        found = page.evaluate(f"() => {{ {CONTRAST} return words(); }}")
        assert found
        assert not [(ratio, text) for ratio, text in found if ratio < 4.5], moment


def test_the_dice_of_a_game_against_a_robot_are_one_tap_away(server: Server, visits: Visits) -> None:
    """Report C086: who suspects the robot of better dice sees everybody's faces, and busts against those expected."""
    visit = visits()
    page = go(visit, server.put(game(f"Ana: {THREE_ONES}", "Ben: 22346>-", "Ana: 15534", seats="Ben=steady:350")))
    page.get_by_role("link", name="The dice of this game").click()
    for name, faces in (("Ana", "4 · 1 · 2 · 1 · 2 · 0"), ("Ben", "0 · 2 · 1 · 1 · 0 · 1")):
        section = page.locator("section", has=page.get_by_role("heading", name=name, exact=True)).inner_text()
        assert faces in section, section
        assert re.search(r"[01] busts?, where these rolls have 0\.\d on average", section), section
    visit.assert_accessible()
    page.goto(server.put(game(dice="real")))
    assert page.get_by_role("link", name="The dice of this game").count() == 0, "nobody here threw them"


def test_a_double_tap_does_one_thing(server: Server, visits: Visits) -> None:  # report C091: nor while dice are thrown
    page = go(visits(), server.put(game(f"Ana: {THREE_ONES}")))
    box = page.locator("#roll").bounding_box()
    assert box is not None
    for _ in range(3):
        page.mouse.click(box["x"] + 20, box["y"] + 20)
        page.wait_for_timeout(60)
    calm(page)
    rolls = [line for line in page.locator("#log li").all_inner_texts() if line.startswith("Ben rolls")]
    assert len(rolls) == 1
    assert page.locator("#state").get_attribute("data-number") == "1"


def test_on_a_slow_network_the_button_is_busy_and_nothing_is_sent_twice(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(game(f"Ana: {THREE_ONES}")))
    sent: list[str] = []

    def slow(route: Route) -> None:
        sent.append(route.request.post_data or "")
        page.wait_for_timeout(700)
        route.continue_()

    page.route("**/play", slow)
    page.evaluate("for (let tap = 0; tap < 4; tap++) document.querySelector('#roll').click()")
    expect(page.locator("#roll[aria-busy=true]")).to_have_count(1)
    page.keyboard.press("r")
    calm(page)
    assert len(sent) == 1
    expect(page.locator("[aria-busy]")).to_have_count(0)


def test_a_choice_outlives_turning_the_phone_and_a_game_outlives_its_tab(server: Server, visits: Visits) -> None:
    visit = visits()
    url = server.put(game("Ana: 15534"))
    page = go(visit, url)
    page.locator("label.die").first.click()
    page.set_viewport_size({"width": 844, "height": 390})
    expect(page.locator("#selection")).to_contain_text("100 points for these dice")
    expect(page.locator("#roll")).to_have_text("Roll 4 dice again")
    tap(page, "#roll")
    said = page.locator("#log li").first.inner_text()
    page.close()
    again = visit.context.new_page()
    again.goto(url)
    calm(again)
    expect(again.locator("#log li").first).to_have_text(said)


def test_two_windows_show_one_table_and_a_stale_move_is_not_made(server: Server, visits: Visits) -> None:
    url = server.put(game("Ana: 11123>111"))
    visit = visits()
    first, second = go(visit, url), visit.context.new_page()
    second.goto(url)
    calm(second)
    second.route("**/live", lambda route: route.abort())  # this one hears nothing any more
    second.evaluate("document.querySelector('#table').removeAttribute('hx-sse:connect')")
    tap(first, "#bank")
    expect(second.locator("#turn")).to_have_text("Ben to play")
    number = first.locator("#state").get_attribute("data-number")
    second.evaluate("document.querySelector('#play input[name=seen]').value = '0'")
    tap(second, "#roll")
    expect(second.locator(".refusal:visible")).to_have_count(0)  # silently what it is now
    assert second.locator("#state").get_attribute("data-number") == number
    expect(first.locator("#log li").first).to_have_text("Ana banks 1,000: 1,000 in all.")


def test_back_and_forth_shows_the_table_as_it_is(server: Server, visits: Visits) -> None:
    url = server.put(game("Ana: 11123>111"))
    page = go(visits(), url)
    tap(page, "#bank")
    page.locator("#more a[href$='/turns']").click()
    expect(page.locator("h1")).to_have_text("Turn by turn")
    page.go_back()
    calm(page)
    expect(page.locator("#turn")).to_have_text("Ben to play")
    assert page.locator("#log li").count() == 3


def test_undo_takes_a_move_back_and_says_why_not(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(game("Ana: 11123>111")))
    tap(page, "#bank")
    tap(page, "#undo")
    expect(page.locator("#bank")).to_have_text("Bank 1,000")
    expect(page.locator("#say")).to_contain_text("Taken back.")
    tap(page, "#undo")
    expect(page.locator(".chip[data-dice='111']")).to_be_visible()
    expect(page.locator("#undo")).to_have_count(0)
    expect(page.locator("#more")).to_contain_text("The program rolled these dice and they stay")


def test_people_miss_a_turn_leave_and_come_back(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(game(f"Ana: {THREE_ONES}", players="Ana, Ben, Zoé")))
    page.locator("#people summary").click()
    tap(page, "button[value='leave-3']")
    expect(page.locator("#people button[value='back-3']")).to_be_visible()  # the menu stays open
    expect(page.locator(".board li.away")).to_contain_text("Zoé")
    tap(page, "button[value='skip']")
    expect(page.locator("#turn")).to_have_text("Ana to play")
    tap(page, "button[value='back-3']")
    expect(page.locator(".board li.away")).to_have_count(0)


def test_advice_stays_while_the_table_stands_and_goes_when_it_moves_on(server: Server, visits: Visits) -> None:
    url = server.put(game("Ana: 11123>111"))
    visit = visits()
    page = go(visit, url)
    page.locator("#advice").click()
    expect(page.locator("#hint .hint")).to_contain_text("bank 1,000", timeout=90_000)
    visit.assert_accessible()
    visit.keep("advice-phone")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    other = visit.context.new_page()
    other.goto(url)
    page.wait_for_timeout(300)
    expect(page.locator("#hint .hint")).to_be_visible()
    tap(other, "#bank")
    expect(page.locator("#hint .hint")).to_have_count(0)


def test_a_daring_throw_is_asked_about_by_whoever_likes(server: Server, visits: Visits) -> None:  # report C094
    page = go(visits(), server.put(game("Ana: 11123>111")))
    page.locator("#settings summary").click()
    page.locator("#set-ask").check()
    page.locator("#roll").click()
    expect(page.locator("#daring")).to_contain_text("44% of such rolls lose them")
    page.locator("#daring button[value=no]").click()
    assert page.locator("#state").get_attribute("data-number") == "0"
    page.locator("#roll").click()
    page.locator("#daring button[value=yes]").click()
    expect(page.locator("#state[data-number='1']")).to_have_count(1)


def test_a_robot_plays_at_its_pace_and_shows_its_dice(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(game(f"Ana: {THREE_ONES}", seats="Ben=steady:350")))
    expect(page.locator(".still[id] .die").first).to_be_visible()  # by itself, after a while
    expect(page.locator("#log")).to_contain_text("Ben rolls")
    tap(page, "#bot-all")
    expect(page.locator("#turn")).to_have_text("Ana to play")
    expect(page.locator(".ended")).to_contain_text("Ben")


def test_a_server_that_is_away_is_said_and_nothing_is_lost(server: Server, visits: Visits) -> None:
    visit = visits()
    page = go(visit, server.put(game("Ana: 11123>111")))
    visit.context.set_offline(True)
    page.locator("#bank").click()
    expect(page.locator("#trouble")).to_be_visible()
    expect(page.locator("#bank")).to_have_text("Bank 1,000")
    visit.context.set_offline(False)
    tap(page, "#bank")
    expect(page.locator("#turn")).to_have_text("Ben to play")
    expect(page.locator("#trouble")).to_be_hidden()
    visit.problems = [one for one in visit.problems if "ERR_INTERNET_DISCONNECTED" not in one and "fetch" not in one]


# The score sheet


def test_the_score_sheet_takes_tapped_dice(server: Server, visits: Visits) -> None:
    visit = visits(lang="fr")
    page = go(visit, server.put(game(dice="real", rules="cinq-des(strike=true)")))
    for face in (1, 1, 6, 2):
        page.locator(f"[data-add='{face}']").click()
    expect(page.locator("#enter-dice")).to_have_text("Encore 1 à saisir")
    page.locator("#tray button").nth(2).click()  # the 6 was a slip
    for face in (1, 3):
        page.locator(f"[data-add='{face}']").click()
    visit.keep("sheet-typed")
    tap(page, "#enter-dice")
    page.locator(".chip[data-dice='111']").click()
    expect(page.locator("#bank")).to_have_text("Encaisser 1 000")
    tap(page, "#bank")
    for face in (2, 2, 3, 4, 6):
        page.locator(f"[data-add='{face}']").click()
    tap(page, "#enter-dice")
    expect(page.locator(".ended")).to_contain_text("Lancer nul pour Ben")
    tap(page, "#undo")
    expect(page.locator("#turn")).to_contain_text("Ben")


def test_what_is_typed_and_not_sent_outlives_a_reload(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(game(dice="real")))
    for face in (1, 5, 5):
        page.locator(f"[data-add='{face}']").click()
    page.reload()
    calm(page)
    expect(page.locator("#dice")).to_have_value("155")
    expect(page.locator("#tray button")).to_have_count(3)
    for face in (2, 3):
        page.locator(f"[data-add='{face}']").click()
    tap(page, "#enter-dice")
    expect(page.locator(".choosing input")).to_have_count(5)


def test_a_slow_second_tap_enters_nothing_for_the_next_player(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(game(dice="real")))
    page.locator("#mode-points").check()
    page.locator("#nothing").click()
    expect(page.locator("#state")).to_have_attribute("data-number", "1")
    page.wait_for_timeout(450)
    page.locator("#nothing").click(force=True)
    page.wait_for_timeout(300)
    assert page.locator("#state").get_attribute("data-number") == "1"


def test_the_winner_is_seen_by_whoever_had_read_further_down(server: Server, visits: Visits) -> None:
    page = go(visits(), server.put(game("Ana: 11123>111 =1000", "Ben: 22346>-", rules="cinq-des(target=2000)")))
    tap(page, "#roll")
    page.evaluate("window.scrollTo(0, 9999)")
    while not page.locator(".winner").count():
        if page.locator("#bot-next").count() or not page.locator(".choosing input").count():
            tap(page, "#roll")
            continue
        page.locator(".chip[data-dice]").first.click()
        page.evaluate("window.scrollTo(0, 9999)")
        banks = page.locator("#bank").get_attribute("aria-disabled") is None
        page.keyboard.press("b" if banks else "r")
        calm(page)
    expect(page.locator(".winner")).to_be_in_viewport()


def test_the_score_sheet_takes_points_only_and_recomputes_after_a_correction(server: Server, visits: Visits) -> None:
    visit = visits()
    page = go(visit, server.put(game(dice="real", rules="cinq-des(strike=true, equal_scores=fall)")))
    page.locator("#mode-points").check()
    for points in ("800", "900", "300", "100"):
        page.locator("#points").fill(points)
        expect(page.locator("#enter-points")).to_have_text(f"Enter {points}")
        page.keyboard.press("Enter")
        expect(page.locator("#points")).to_have_value("")
        calm(page)
    expect(page.locator(".board .score").nth(0)).to_have_text("1,100")
    tap(page, "#nothing-all")  # Ana busts on all dice: her last turn is struck
    expect(page.locator(".board .score").nth(0)).to_have_text("800")
    page.locator("#player-0 summary").click()
    expect(page.locator("#player-0 .ladder")).to_contain_text("strikes the last banked turn")
    visit.assert_accessible()
    page.locator("#points").fill("475")
    tap(page, "#enter-points")
    expect(page.locator(".refusal:visible")).to_contain_text("multiple of 50")
    expect(page.locator("#points")).to_have_value("475")  # what was typed is still there
    page.locator("#more a[href$='/turns']").click()
    visit.assert_accessible()
    page.locator("#entry-1").fill("=1200")
    page.locator("#entry-of-1 button").first.click()
    expect(page.locator("table.narrow")).to_contain_text("1,200")
    page.get_by_role("link", name="Back to the table").click()
    calm(page)
    expect(page.locator(".board .score").nth(0)).to_have_text("1,200")


def test_a_correction_that_cannot_be_says_what_is_wrong_and_keeps_what_was_typed(
    server: Server, visits: Visits
) -> None:
    visit = visits(size=DESKTOP)
    page = visit.page
    page.goto(server.put(game("Ana: =800", "Ben: =900", "Ana: =100", dice="real")) + "/turns")
    page.locator("#entry-1").fill("=45o")
    page.locator("#entry-of-1 button").first.click()
    expect(page.locator("#refused")).to_contain_text("'=45o' cannot be read")
    expect(page.locator("#entry-1")).to_have_value("=45o")
    visit.assert_accessible()
    page.locator("#entry-1").fill("=0")
    page.locator("#entry-of-1 button").first.click()
    expect(page.locator("#refused")).to_contain_text("With this change entry 3 (Ana: =100) would no longer be allowed")
    expect(page.locator("#refused li")).to_have_text(["3. Ana: =100"])
    visit.keep("correction-refused", full=True)
    page.get_by_role("button", name="Correct, and take these out").click()
    expect(page.locator(".entries li")).to_have_count(2)
    expect(page.locator("#entry-1")).to_have_value("=0")


# Without scripts


def test_a_game_needs_no_scripts(server: Server, visits: Visits) -> None:
    visit = visits(scripts=False)
    page = visit.page
    page.goto(server.put(game(rules="cinq-des(target=1500, entry=100, takeover=always)", seats="Ben=beginner")))
    visit.keep("without-scripts")

    def press(what: str) -> None:
        with page.expect_navigation():
            page.locator(what).first.click()

    for _ in range(200):
        if page.locator("#again").count():
            break
        if page.locator("#bot-all").count():
            press("#bot-all")
        elif page.locator(".choosing").count():
            faces = [box.get_attribute("data-face") for box in page.locator(".choosing input").all()]
            scoring = [place for place, face in enumerate(faces) if face in ("1", "5")]
            triple = [place for place, face in enumerate(faces) if faces.count(face) >= 3]
            for place in triple[:3] or scoring[:1] or range(len(faces)):
                page.locator(".choosing input").nth(place).check(force=True)
            press("#bank")
            if page.locator(".felt .refusal").count():  # the dice stay chosen
                assert page.locator(".choosing input:checked").count()
                press("#roll")
        else:
            press("#takeover, #roll")
    assert page.locator("#again").count()
    press("#again")
    expect(page.locator("#turn")).to_contain_text("Ben")


def test_predictions_and_the_score_sheet_need_no_scripts(server: Server, visits: Visits) -> None:
    page = visits(scripts=False).page
    page.goto(server.put(MOMENTS["prediction"][0]))
    page.locator("#announce-50").click()
    expect(page.locator("#log")).to_contain_text("Ana announces 50")
    page.goto(server.put(game(dice="real")))
    page.locator("#dice").fill("11123")
    page.locator("#enter-dice").click()
    for place in range(3):
        page.locator(".choosing input").nth(place).check(force=True)
    page.locator("#bank").click()
    page.locator("#mode-points").check()
    page.locator("#points").fill("750")
    page.locator("#enter-points").click()
    expect(page.locator(".board .score")).to_have_text(["1,000", "750"])
    page.locator("#undo").click()
    expect(page.locator(".board .score")).to_have_text(["1,000", "0"])
    page.goto(page.url.split("#")[0] + "/turns")
    page.locator("#entry-1").fill("=850")
    page.locator("#entry-of-1 button").first.click()
    expect(page.locator("table.narrow")).to_contain_text("850")


def test_the_first_load_is_small_and_the_policy_strict(server: Server, visits: Visits) -> None:
    visit = visits()
    sizes: dict[str, int] = {}
    client = visit.context.new_cdp_session(visit.page)
    client.send("Network.enable")
    names: dict[str, str] = {}
    client.on("Network.responseReceived", lambda e: names.update({e["requestId"]: e["response"]["url"]}))
    client.on("Network.loadingFinished", lambda e: sizes.update({e["requestId"]: e["encodedDataLength"]}))
    page = go(visit, server.put(MOMENTS["eight"][0]))
    page.wait_for_timeout(300)
    total = sum(sizes.values())
    assert len(sizes) >= 7, sorted(names.values())
    assert total < 150_000, {names.get(key): size for key, size in sizes.items()}
    policy = page.evaluate("fetch(location.href).then(answer => answer.headers.get('content-security-policy'))")
    assert "default-src 'none'" in policy
    assert not re.search(r"unsafe|https?:|\*", policy)


def test_zoomed_to_200_percent_a_turn_can_still_be_played(server: Server, visits: Visits) -> None:
    visit = visits(size=(640, 400), device_scale_factor=2)  # a window of 1280 by 800 at 200 %
    page = go(visit, server.put(MOMENTS["choose"][0]))
    page.locator(".chip[data-dice]").first.click()
    visit.assert_no_sideways()
    visit.keep("zoomed")
    tap(page, "#bank")
    expect(page.locator("#turn")).to_have_text("Ben to play")


def test_sounds_and_vibration_wait_until_they_are_wanted(server: Server, visits: Visits) -> None:
    page = visits().page
    page.add_init_script(
        "window.made = 0; const Real = window.AudioContext; window.AudioContext = class extends Real {"
        "constructor() { super(); window.made++; } };"
        "window.buzzed = 0; navigator.vibrate = () => { window.buzzed++; return true; };"
    )
    page.goto(server.put(game("Ana: 11123>111")))
    tap(page, "#bank")
    assert page.evaluate("[made, buzzed]") == [0, 0]
    page.locator("#settings summary").click()
    page.locator("#set-sound").check()
    page.locator("#set-buzz").check()
    tap(page, "#roll")
    made, buzzed = page.evaluate("[made, buzzed]")
    assert made == 1
    assert buzzed >= 2
