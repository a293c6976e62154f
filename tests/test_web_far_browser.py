"""Tables far apart in real browsers: three devices through a crash of the server, cut lines, people who stay away,
another phone, no scripts; axe-core looks at every stage."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import segno
from playwright.sync_api import Browser, Page, expect

import browser
from cinqmille.fair import verify
from forging import forged
from visits import DESKTOP, PHONE, SMALL, Server, Visit, Visits, chromium, server, visits  # noqa: F401

SHORT = "cinq-des(entry=0, target=1000)"
LONGER = "cinq-des(entry=0, target=2500)"
CALM = "document.documentElement.matches('.js') && !document.body.matches('.busy, .settling')"

NOTICED = """id => {
  const notice = document.getElementById(id);
  notice.hidden = false;
  if (notice.dataset.text) notice.textContent = notice.dataset.text;
}"""
# The buttons, chips and dice that lie below a notice.
COVERED = """id => {
  const notice = document.getElementById(id), r = notice.getBoundingClientRect();
  return [...document.querySelectorAll("#table button, #table .chip, #table label.die")].filter((one) => {
    const q = one.getBoundingClientRect();
    return q.width && q.top < r.bottom && q.bottom > r.top && q.left < r.right && q.right > r.left;
  }).map((one) => one.id || one.textContent);
}"""


def calm(page: Page) -> None:
    """Wait until nothing is under way and taps count again."""
    browser.until(lambda: page.evaluate(CALM), page)


def invite(visit: Visit, url: str, name: str = "Ana", *, robot: bool = False, rules: str = SHORT, **fields: str) -> str:
    """Open a table from the form of a new game, as a person does; returns its link as the page shows it."""
    page = visit.page
    page.goto(f"{url}/new?rules={rules}")
    page.locator("#field-name-0").fill(name)
    if not robot:
        page.locator("#field-bot-1").select_option("")
    if fields:
        page.locator("#far-terms summary").click()
    for field, value in fields.items():
        page.locator(f"#far-{field}").select_option(value)
    page.wait_for_timeout(400)  # the form answers every change
    page.locator("#invite").click()
    page.wait_for_url(re.compile("/t/"))
    return page.locator("#invitation").inner_text()


def join(visit: Visit, link: str, name: str) -> Page:
    visit.page.goto(link)
    visit.page.locator("#name").fill(name)
    visit.page.locator("#sit").click()
    expect(visit.page.locator(".people .plate.me")).to_be_visible()
    return visit.page


def start(host: Page, *others: Page) -> None:
    """Start when everybody's device has given its share."""
    expect(host.locator(".people .own")).to_have_count(1 + len(others))
    host.locator("#start").click()
    for page in (host, *others):
        expect(page.locator(".felt")).to_be_visible()


def forgiven(problems: list[str]) -> list[str]:
    """What a browser complains about besides the line that was cut on purpose."""
    return [one for one in problems if not re.search("ERR_|network error|Failed to fetch|status (of )?50", one)]


def mine(page: Page) -> bool:
    return page.locator("#state[data-mine=yes]").count() > 0


def over(page: Page) -> bool:
    return page.locator(".winner").count() > 0


def step(page: Page) -> None:
    """One decision in the own turn: the most points aside, and banked."""
    calm(page)
    if page.locator(".quick .chip").count():
        if page.locator(".quick .chip[aria-pressed=true]").count() == 0:
            page.locator(".quick .chip").first.click()
        bank = page.locator("#bank:not([aria-disabled=true])")
        (bank if bank.count() else page.locator("#roll")).click()
    elif page.locator("#bank:not([aria-disabled=true])").count():
        page.locator("#bank").click()
    else:
        page.locator("#roll").click()
    calm(page)


def play_on(*pages: Page, steps: int = 400) -> None:
    for _ in range(steps):
        if over(pages[0]):
            return
        for page in pages:
            if mine(page):
                step(page)
                break
        else:
            pages[0].wait_for_timeout(50)
    assert steps < 400, "the game does not end"


def record(page: Page, link: str) -> str:
    return page.request.get(f"{link}/record").text()


def test_three_devices_play_through_a_crash_in_mid_turn(tmp_path: Path, chromium: Browser) -> None:  # report C081
    with browser.server(tmp_path) as first:
        seen = Visits(chromium, Server(first.address, tmp_path / "cinqmille" / "tables.sqlite3"))
        ana, ben, cleo = seen(size=DESKTOP), seen(size=DESKTOP, lang="fr"), seen(size=PHONE)
        link = invite(ana, first.address, rules=LONGER)
        pages = ana.page, join(ben, link, "Ben"), join(cleo, link, "Cléo")
        expect(ana.page.locator(".people li")).to_have_count(3)
        expect(ana.page.locator("#say")).to_contain_text("Ana, Ben and Cléo")
        start(*pages)
        expect(ana.page).to_have_title("● Your turn · Ana, Ben, Cléo · Cinq Mille")
        expect(ben.page).to_have_title(re.compile("^À Ana de jouer"))
        expect(ben.page.locator("#play")).to_have_count(0)
        play_on(*pages, steps=3)
        while not pages[0].locator(".choosing").count():  # until Ana has dice before her
            play_on(*pages, steps=1)
            if over(pages[0]):
                pytest.fail("the game was over before the crash")
        dice = pages[0].locator(".choosing input")
        faces = [dice.nth(place).get_attribute("data-face") for place in range(dice.count())]
        for other in pages[1:]:  # everybody sees them, and nobody else can touch them
            expect(other.locator(".still[id] .die")).to_have_count(len(faces))
        dice.first.check(force=True)
        first.process.kill()
        first.process.wait()
        expect(ana.page.locator("#trouble")).to_be_visible(timeout=10_000)
        ana.keep("far-trouble")
        with browser.server(tmp_path, int(first.address.rpartition(":")[2])) as second:
            assert second.address == first.address
            for page in pages:
                expect(page.locator("#trouble")).to_be_hidden(timeout=10_000)
            assert dice.first.is_checked(), "what was chosen stays chosen"
            assert [dice.nth(place).get_attribute("data-face") for place in range(dice.count())] == faces
            play_on(*pages)
            expect(cleo.page.locator(".winner")).to_be_visible()
            text = record(ana.page, link)
            assert [(one.name, one.alone) for one in verify(text).seats] == [("Ana", 0), ("Ben", 0), ("Cléo", 0)]
            ben.page.goto(f"{link}/verify")
            expect(ben.page.locator("#noted.news")).to_be_visible()
            expect(ben.page.locator("#verdict")).to_contain_text("Vérifié")
            expect(ben.page.locator("#sealed.news")).to_be_visible()
            ben.assert_accessible()
            cleo.page.locator("#again").click()
            cleo.page.wait_for_url(lambda url: link not in url)
            expect(ana.page.locator(".over")).to_contain_text("The rematch is open")
            ana.page.locator("#again").click()
            ana.page.wait_for_url(cleo.page.url)
            expect(cleo.page.locator(".people li")).to_have_count(2)
        problems = [one for visit in seen.opened for one in forgiven(visit.problems)]
        for visit in seen.opened:
            visit.context.close()
    assert not problems, problems


def test_whoever_was_there_is_told_that_a_record_is_not_the_game_that_was_played(
    server: Server, visits: Visits
) -> None:
    """Forged from the true record, it has the table, the commitment and the links of the game, and other dice."""
    ana, ben, eve = visits(size=DESKTOP), visits(size=SMALL), visits(size=PHONE)
    link = invite(ana, server.url)
    pages = ana.page, join(ben, link, "Ben")
    start(*pages)
    play_on(*pages)
    expect(ben.page.locator(".winner")).to_be_visible()
    true = record(ana.page, link)
    seal = verify(true).seal
    for page in pages:
        expect(page.locator("#end-seal summary")).to_contain_text(str(seal)[:8])
        page.locator("#end-seal summary").click()
        expect(page.locator("#end-seal code")).to_have_text(str(seal))
    ben.assert_accessible()
    ben.assert_no_sideways()
    ben.keep("seal-end", full=True)
    false = forged(true)
    for visit, text, css, headline in (
        (ana, true, "news", "Verified: "), (ben, true, "news", "Verified: "), (eve, true, "", "Verified: "),
        (ana, false, "refusal", "This is not the game"), (ben, false, "refusal", "This is not the game"),
        (eve, false, "", "Verified: "),
    ):  # fmt: skip
        visit.page.goto(f"{server.url}/verify")
        visit.page.locator("#record").fill(text)
        visit.page.locator("form.stack button").click()
        expect(visit.page.locator("#verdict")).to_contain_text(headline)
        expect(visit.page.locator("#sealed")).to_have_attribute("class", css) if css else None
        visit.assert_accessible()
        visit.assert_no_sideways()
        shown = visit.page.locator(".verdict").inner_text()
        if css == "news":
            assert "this is the game that was played" in shown
        elif css:
            assert "This is NOT the game that was played" in shown
            assert "Verified" not in shown
            assert "same commitment" not in shown
            visit.keep(f"seal-forged-{visit.page.viewport_size['width']}", full=True)  # type: ignore[index]
        else:
            assert "This alone does not show that it is the game that was played" in shown


@pytest.mark.parametrize(("lang", "scheme"), [("en", "light"), ("fr", "dark")])
def test_every_stage_is_accessible_and_fits(server: Server, visits: Visits, lang: str, scheme: str) -> None:
    host = visits(size=DESKTOP, lang=lang, color_scheme=scheme)
    guest = visits(size=SMALL, lang=lang, color_scheme=scheme)
    third = visits(size=PHONE, lang=lang, color_scheme=scheme)

    def look(name: str, *who: Visit) -> None:
        for visit in who:
            visit.page.wait_for_timeout(550)  # dice tumble, and colours are measured
            visit.assert_accessible()
            visit.assert_no_sideways()
            visit.keep(f"far-{name}-{lang}-{visit.page.viewport_size['width']}", full=True)  # type: ignore[index]

    link = invite(host, server.url, "Ana la Très Longue de la Rue du Bois Joli")
    guest.page.goto(link)
    look("invited", host, guest)
    third.page.goto(f"{server.url}/new")
    look("new", third)
    # A device whose answers do not get through holds the others up; they may begin without it.
    guest.page.route(
        "**/share", lambda route: route.abort() if "link=" in (route.request.post_data or "") else route.continue_()
    )
    join(guest, link, "ليلى")
    join(third, link, "Wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww")
    expect(host.page.locator(".people .own")).to_have_count(3)
    host.page.locator("#bot-seat summary").click()
    third.page.locator("#seal summary").click()
    look("gathered", host, guest, third)
    host.page.locator("#start").click()
    expect(third.page.locator("#begin")).to_have_attribute("aria-disabled", "true")
    look("sealing", guest, third)
    expect(third.page.locator("#begin:not([aria-disabled])")).to_be_visible(timeout=15_000)
    third.page.locator("#begin").click()
    expect(guest.page.locator(".felt")).to_be_visible()
    guest.problems = forgiven(guest.problems)
    look("begun", host, guest, third)
    for details in ("#shares", "#settings"):
        third.page.locator(f"{details} summary").click()
    look("details", third)
    calm(host.page)
    host.page.locator("#roll").click()
    expect(third.page.locator(".dice")).to_be_visible()
    look("rolled", host, guest, third)
    for where in ("/seat", "/rejoin", "/dice"):
        third.page.goto(link + where)
        look(where[1:], third)
    for where in ("/", "/dice", "/verify"):
        guest.page.goto(server.url + where)
        look(f"page{where.replace('/', '-')}", guest)


def test_who_stays_away_is_played_for_skipped_and_left_out_and_comes_back(server: Server, visits: Visits) -> None:
    """Reports C082 and C084, in real time."""
    ana, ben, cleo = visits(size=DESKTOP), visits(), visits()
    link = invite(ana, server.url, rules=LONGER, after="30")
    pages = ana.page, join(ben, link, "Ben"), join(cleo, link, "Cleo")
    start(*pages)
    ana.page.goto("about:blank")
    ben.page.goto("about:blank")
    expect(cleo.page.locator(".board .gone")).to_have_count(2, timeout=25_000)
    expect(cleo.page.locator(".waits")).to_contain_text("Ana is away at the moment")
    expect(cleo.page.locator("#absent-0-skip")).to_be_visible(timeout=40_000)
    cleo.assert_accessible()
    cleo.keep("far-absent")
    cleo.page.locator("#absent-0-skip").click()
    expect(cleo.page.locator("#turn")).to_have_text("Ben to play")
    calm(cleo.page)
    cleo.page.locator("#absent-1-bot").click()
    expect(cleo.page.locator("#turn")).to_have_text(re.compile("A robot plays for Ben|Your turn"))
    expect(cleo.page.locator("#absent-0-remove")).to_be_visible(timeout=30_000)
    expect(cleo.page.locator("#turn")).to_have_text("Your turn", timeout=30_000)
    calm(cleo.page)
    cleo.page.locator("#absent-0-remove").click()
    expect(cleo.page.locator(".board")).to_contain_text("has left")
    ben.page.goto(link)
    expect(ben.page.locator(".board")).not_to_contain_text("a robot plays on")
    expect(cleo.page.locator(".board")).not_to_contain_text("a robot plays on")
    ana.page.goto(link)
    expect(ana.page.locator(".apart")).to_contain_text("You have left")
    ana.assert_accessible()
    ana.page.locator("#back").click()
    expect(ana.page.locator("#back")).to_have_count(0)
    play_on(*pages, steps=6)
    expect(cleo.page.locator(".board .gone")).to_have_count(0)


def test_the_dice_that_are_chosen_stay_chosen_when_somebody_goes(server: Server, visits: Visits) -> None:
    ana, ben = visits(size=DESKTOP), visits()
    link = invite(ana, server.url, rules=LONGER)
    join(ben, link, "Ben")
    start(ana.page, ben.page)
    while not ana.page.locator(".choosing").count():
        play_on(ana.page, ben.page, steps=1)
    ana.page.locator(".choosing input").first.check(force=True)
    label = ana.page.locator("#roll").inner_text()
    ben.page.goto("about:blank")
    expect(ana.page.locator(".board .gone")).to_be_visible(timeout=25_000)
    assert ana.page.locator(".choosing input").first.is_checked()
    assert ana.page.locator("#roll").inner_text() == label


def test_what_the_database_did_not_take_is_said_and_sent_again_at_a_tap(server: Server, visits: Visits) -> None:
    ana = visits(size=PHONE)
    link = invite(ana, server.url, rules=LONGER, robot=True)
    page = ana.page
    page.goto(link)
    start(page)
    calm(page)
    number = int(page.locator("#state").get_attribute("data-number") or 0)
    with closing(sqlite3.connect(server.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # somebody else is at the file, for longer than is waited for
        with page.expect_response("**/play") as answer:
            page.locator("#roll").click()
        other.execute("ROLLBACK")
    assert answer.value.status == 503
    assert answer.value.headers["retry-after"] == "1"
    expect(page.locator("#table .refusal")).to_have_text(re.compile("could not be stored just now"))
    expect(page.locator("#unsent")).to_be_visible()
    expect(page.locator("#trouble")).to_be_hidden()
    ana.assert_accessible()
    ana.keep("far-not-stored")
    assert page.locator("#state").get_attribute("data-number") == str(number)
    with page.expect_response("**/play") as answer:
        page.locator("#unsent button").click()
    assert answer.value.ok
    expect(page.locator("#unsent")).to_be_hidden()
    expect(page.locator("#table .refusal")).to_have_count(0)
    assert int(page.locator("#state").get_attribute("data-number") or 0) > number
    ana.problems = forgiven(ana.problems)


def test_another_phone_takes_the_seat_with_its_share(server: Server, visits: Visits) -> None:
    ana, ben, phone = visits(size=DESKTOP), visits(), visits()
    link = invite(ana, server.url)
    join(ben, link, "Ben")
    start(ana.page, ben.page)
    ana.page.locator("#another").click()
    expect(ana.page.locator("#seat-link")).to_have_text(re.compile(r"#[0-9a-f]{64}\.[0-9a-f]{64}$"))
    secret = ana.page.locator("#seat-link").inner_text()
    ana.page.goto("about:blank")
    asked: list[str] = []
    phone.page.on("request", lambda request: asked.append(request.url))
    phone.page.goto(secret)
    phone.page.wait_for_url(link)
    assert not [url for url in asked if secret.partition("#")[2][:20] in url], "no server sees the secret in an address"
    expect(phone.page.locator(".plate.me")).to_be_visible()
    play_on(phone.page, ben.page)
    assert [one.alone for one in verify(record(phone.page, link)).seats] == [0, 0]


def test_a_command_that_is_lost_is_sent_again_at_a_tap_and_counts_once(server: Server, visits: Visits) -> None:
    ana, ben = visits(size=PHONE), visits()
    link = invite(ana, server.url, rules=LONGER)
    join(ben, link, "Ben")
    start(ana.page, ben.page)
    page = ana.page
    calm(page)
    # The answer is lost, not the command: the worst case.
    page.route("**/play", lambda route: (route.fetch(), route.abort()), times=1)
    page.locator("#roll").click()
    expect(ben.page.locator(".dice")).to_be_visible()
    expect(page.locator("#unsent")).to_be_hidden(timeout=10_000)  # the stream has told what came of it
    while not mine(page):
        play_on(ben.page, page, steps=1)
    number = page.locator("#state").get_attribute("data-number")
    page.context.set_offline(True)
    if page.locator(".quick .chip").count():
        page.locator(".quick .chip").first.click()
    calm(page)
    page.locator("#roll").click()
    expect(page.locator("#unsent")).to_be_visible()
    ana.assert_accessible()
    ana.keep("far-unsent")
    page.context.set_offline(False)
    page.locator("#unsent button").click()
    expect(page.locator("#state")).not_to_have_attribute("data-number", number or "")
    expect(page.locator("#unsent")).to_be_hidden()
    expect(page.locator("#trouble")).to_be_hidden()
    assert int(page.locator("#state").get_attribute("data-number") or 0) == int(number or 0) + 1
    ana.problems = forgiven(ana.problems)
    play_on(page, ben.page)
    assert [one.alone for one in verify(record(page, link)).seats] == [0, 0]


@pytest.mark.parametrize("size", [SMALL, PHONE])
def test_what_is_wrong_with_the_line_is_seen_by_whoever_has_scrolled(
    server: Server, visits: Visits, size: tuple[int, int]
) -> None:
    ana, ben = visits(size=size, lang="fr"), visits(size=size)
    link = invite(ana, server.url, rules=LONGER)
    join(ben, link, "Ben")
    start(ana.page, ben.page)
    page = ana.page
    while not page.locator(".quick .chip").count():
        step(page if mine(page) else ben.page)
        browser.until(lambda: mine(page) or mine(ben.page), page)
    page.evaluate("scrollTo(0, 140)")
    page.wait_for_timeout(100)
    place = "document.querySelector('.felt').getBoundingClientRect().top"
    before = page.evaluate(place)
    for id in ("trouble", "unsent"):
        page.evaluate(NOTICED, id)
        page.wait_for_timeout(100)
        expect(page.locator(f"#{id}")).to_be_in_viewport(ratio=1)
        covered = page.evaluate(COVERED, id)
        assert covered == [], id
        assert abs(page.evaluate(place) - before) < 1, id
        assert browser.too_wide(page) == 0
        page.evaluate("id => { document.getElementById(id).hidden = true; }", id)
        page.wait_for_timeout(100)


def test_another_commitment_than_the_first_one_is_told_loudly(server: Server, visits: Visits) -> None:
    ana = visits()
    link = invite(ana, server.url)
    id = link.rpartition("/")[2]
    expect(ana.page.locator("#cheat")).to_be_hidden()
    ana.page.evaluate("id => localStorage.setItem('cinqmille-fair-commitment-' + id, '0'.repeat(64))", id)
    ana.page.reload()
    expect(ana.page.locator("#cheat")).to_be_visible()


def test_links_go_out_with_rolls_and_with_nothing_else(server: Server, visits: Visits) -> None:
    ana = visits(size=DESKTOP)
    link = invite(ana, server.url, robot=True)
    page = ana.page
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or "") if "/play" in request.url else None)
    start(page)
    for _ in range(60):
        if over(page):
            break
        if mine(page):
            step(page)
        else:
            page.wait_for_timeout(100)
    rolls = [one for one in sent if "then=roll" in one]
    others = [one for one in sent if "then=bank" in one]
    assert rolls
    assert others
    assert all(re.search("link=[0-9a-f]{64}", one) for one in rolls)
    assert not any(re.search("link=[0-9a-f]", one) for one in others)
    assert link in page.url


def test_the_game_and_its_invitation_need_no_scripts(server: Server, visits: Visits) -> None:
    ana, ben = visits(scripts=False), visits(scripts=False, lang="fr")
    page = ana.page
    page.goto(f"{server.url}/new?rules={SHORT}")
    page.locator("#field-name-0").fill("Ana")
    page.locator("#field-bot-1").select_option("")
    page.locator("#invite").click()
    link = page.locator("#invitation").inner_text()
    assert "cinqmille serve --lan" in page.locator("main").inner_text()  # no phone reaches this address
    ben.page.goto(link)
    ben.page.locator("#name").fill("Ben")
    ben.page.locator("#sit").click()
    assert "Sans scripts" in ben.page.locator("main").inner_text()
    page.reload()
    page.locator("#start").click()
    for _ in range(200):
        if over(page):
            break
        for one in (page, ben.page):
            one.goto(link)
            if one.locator("#play").count():
                boxes = one.locator(".choosing input")
                text = one.locator("#choices").text_content() if boxes.count() else ""
                wanted = list((re.search(r'"dice": "(\d+)"', text or "") or [""] * 2)[1])
                for place in range(boxes.count()):
                    if (face := boxes.nth(place).get_attribute("data-face")) in wanted:
                        wanted.remove(face or "")
                        boxes.nth(place).check(force=True)
                banks = '"banks": true' in (text or "")
                one.locator("#bank" if banks else "#roll").click()
    assert over(page)
    assert [one.own for one in verify(record(page, link)).seats] == [0, 0]


def test_friends_are_invited_and_sit_down_by_keys_alone(server: Server, visits: Visits) -> None:  # report C036
    ana, ben = visits(size=DESKTOP), visits(size=DESKTOP)
    page = ana.page
    page.goto(f"{server.url}/new")
    page.locator("#field-name-0").focus()
    page.keyboard.type("Ana")
    page.locator("#invite").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/t/"))
    link = page.locator("#invitation").inner_text()
    ben.page.goto(link)
    ben.page.locator("#name").focus()
    ben.page.keyboard.type("Ben")
    ben.page.keyboard.press("Enter")
    expect(ben.page.locator(".plate.me")).to_be_visible()
    expect(page.locator(".people .own")).to_have_count(2)
    page.locator("#start").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".felt.yours")).to_be_visible()
    calm(page)
    page.keyboard.press("r")
    expect(ben.page.locator(".dice")).to_be_visible()


def test_what_is_typed_stays_when_somebody_sits_down(server: Server, visits: Visits) -> None:
    ana, ben, cleo = visits(size=DESKTOP), visits(), visits()
    link = invite(ana, server.url)
    ana.page.locator("#bot-seat summary").click()
    ana.page.locator("#bot-name").fill("Robespierre")
    ana.page.locator("#which-bot").select_option("table")
    ben.page.goto(link)
    ben.page.locator("#name").fill("Benj")
    join(cleo, link, "Cleo")
    expect(ana.page.locator(".people li")).to_have_count(2)
    expect(ben.page.locator(".people li")).to_have_count(2)
    assert ana.page.locator("#bot-name").input_value() == "Robespierre"
    assert ana.page.locator("#which-bot").input_value() == "table"
    assert ben.page.locator("#name").input_value() == "Benj"
    ana.page.locator("#seat-bot").click()
    expect(cleo.page.locator(".people")).to_contain_text("Robespierre")


def test_who_watches_is_counted_and_sees_everything(server: Server, visits: Visits) -> None:
    ana, eye = visits(size=DESKTOP), visits()
    link = invite(ana, server.url, robot=True)
    eye.page.goto(link)
    expect(ana.page.locator(".gather")).to_contain_text("1 person watches")
    start(ana.page)
    calm(ana.page)
    ana.page.locator("#roll").click()
    expect(eye.page.locator(".dice .die")).to_have_count(5)
    expect(eye.page.locator("#play, #another, #leave")).to_have_count(0)
    expect(eye.page.locator(".more")).to_contain_text("You watch this game")
    eye.page.goto("about:blank")
    expect(ana.page.locator("main")).not_to_contain_text("watches")


def test_the_code_made_in_the_browser_is_that_of_the_standard(server: Server, visits: Visits) -> None:
    ana = visits()
    link = invite(ana, server.url)
    ana.page.goto(f"{link}/seat")
    expect(ana.page.locator("#seat-note")).to_be_hidden()
    ana.assert_accessible()
    # As long as each version takes, so that every square is one of the text's or of its corrections.
    for version, length in enumerate((134, 154, 192, 230, 271, 321, 367, 425, 458, 520), start=6):
        text = ("https://example.org/t/" + "aZ09-_.#" * 80)[:length]
        found = ana.page.evaluate("text => window.cinqmilleQr.code(text)", text)
        expected = segno.make(
            text, micro=False, version=version, error="l", mode="byte", mask=found["mask"], boost_error=False
        )  # fmt: skip
        assert found["version"] == version
        assert found["rows"] == [list(row) for row in expected.matrix]
    assert ana.page.evaluate("window.cinqmilleQr.code('x'.repeat(521))") is None
