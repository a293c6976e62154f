"""The pages around the table in a real Chromium: axe, keyboard, small screens, print, and a server that is away."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from browser import Server, chromium, server, too_wide, until, violations

OVER = "rules: cinq-des(target=1000, entry=0)\nplayers: Ana, Ben\nAna: 15534>155 =\nBen: =1000\n"
BROKEN = "rules: cinq-des\nplayers: Ana, Ben\nAna: 15534>177 =\n"
HOUSE = (
    "/new?rules=cinq-des(entry=500,AAAA=none,equal_scores=fall,scoreless_penalty=500,scoreless_limit=3)&title=Maison"
)
PAGES = (
    "/", "/new", HOUSE, "/new?rules=nonsense", "/rules", "/rules/cinq-des", "/rules/six-des", "/odds/cinq-des?now=1",
    "/odds/six-des?now=1", "/odds/cinq-des(target=1000000)?now=1", "/open", "/history", "/away", "/nothing",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(tmp_path_factory.mktemp("data")) as site:
        yield site


def page_of(browser: Browser, site: Server, width: int = 1280, *, lang: str = "en", **options: object) -> Page:
    context = browser.new_context(
        base_url=site.address, viewport={"width": width, "height": 900}, locale=lang, **options  # type: ignore[arg-type]
    )  # fmt: skip
    context.set_default_timeout(8000)
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    return page


def with_games(page: Page) -> Page:
    """A device that has kept sheets, a game that is over, one that goes on, and one against a robot."""
    page.goto("/open")
    page.fill("#record", OVER)
    page.click("main button")
    page.goto(HOUSE)
    page.click("#keep summary")
    page.click("#save")
    expect(page.locator(".news")).to_contain_text("Maison")
    page.fill("#field-name-0", "Zoé")
    page.click("button.first")
    page.wait_for_url("**/t/*")
    return page


@pytest.mark.parametrize(("width", "lang", "scheme"), [(320, "fr", "light"), (1280, "en", "dark")])
def test_axe_finds_nothing_and_nothing_is_scrolled_sideways(
    browser: Browser, site: Server, width: int, lang: str, scheme: str
) -> None:
    page = with_games(page_of(browser, site, width, lang=lang, color_scheme=scheme))
    page.goto("/")
    game = page.locator(".games a").last.get_attribute("href")
    over = page.locator(".games").last.locator("a").first.get_attribute("href")
    for address in (*PAGES, str(game), f"{over}/turns", f"{over}/turns?turn=1"):
        page.goto(address)
        assert violations(page) == [], address
        assert too_wide(page) == 0, address
        assert page.locator("html").get_attribute("lang") == lang
    page.goto("/open")
    page.fill("#record", BROKEN)
    page.click("main button")
    expect(page.locator("mark")).to_be_visible()
    assert violations(page) == []
    page.goto("/new")
    page.fill("#field-name-0", "a:b")
    page.fill("#field-name-1", "Zoé")
    page.click("button.first")
    expect(page.locator("#wrong-name-0")).to_be_visible()
    assert violations(page) == []
    assert too_wide(page) == 0
    page.context.close()


def test_at_200_percent_nothing_is_lost(browser: Browser, site: Server) -> None:
    # Zoomed to 200 %, a window of 1280 pixels has 640 of them; a phone has 390.
    page = page_of(browser, site, 640, device_scale_factor=2)
    for address in PAGES:
        page.goto(address)
        for width in (640, 390):
            page.set_viewport_size({"width": width, "height": 700})
            assert too_wide(page) == 0, f"{address} {width}"
    # Text alone twice as large.
    for address in ("/", HOUSE, "/rules/six-des", "/odds/cinq-des?now=1"):
        page.set_viewport_size({"width": 640, "height": 700})
        page.goto(address)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert too_wide(page) == 0, address
    page.context.close()


def test_the_sheet_follows_every_change_and_nothing_typed_is_lost(browser: Browser, site: Server) -> None:
    page = page_of(browser, site, service_workers="block")
    page.goto("/new")
    page.click("#house summary")
    page.fill("#field-target", "7000")
    page.press("#field-target", "Tab")
    expect(page.locator(".sheet")).to_contain_text("7,000")
    # An answer that comes late finds what was typed since: held back, then let go.
    held: list[Route] = []
    page.route("**/new", lambda route: held.append(route) if route.request.method == "POST" else route.continue_())
    page.fill("#field-entry", "500")
    page.press("#field-entry", "Tab")
    until(lambda: held, page)
    page.fill("#field-name-0", "Zoé")
    page.locator("#field-name-1").focus()
    page.keyboard.type("Be")
    held[0].continue_()
    page.unroute("**/new")
    expect(page.locator(".sheet")).to_contain_text("500")
    page.keyboard.type("n")
    page.wait_for_timeout(600)
    assert page.input_value("#field-name-0") == "Zoé"
    assert page.input_value("#field-name-1") == "Ben"
    assert page.evaluate("document.activeElement.id") == "field-name-1"
    page.fill("#field-entry", "33")
    page.press("#field-entry", "Tab")
    expect(page.locator("#wrong-entry")).to_contain_text("multiple of 50")
    assert page.input_value("#field-entry") == "33"
    page.reload()
    assert page.input_value("#field-entry") == "33"
    assert page.input_value("#field-name-0") == "Zoé"
    page.context.close()


def test_a_new_game_by_keyboard_alone(browser: Browser, site: Server) -> None:
    page = page_of(browser, site)
    page.goto("/new")

    def tab_to(selector: str) -> None:
        for _ in range(120):
            page.keyboard.press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(selector)

    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to("#sheet-cinq-des")
    page.keyboard.press("ArrowRight")
    expect(page.locator("input[name=shown]")).to_have_value("six-des")
    tab_to("#field-name-0")
    page.keyboard.type("Zoé")
    page.keyboard.press("Enter")  # shows the form again, adds nobody and begins nothing
    page.wait_for_timeout(400)
    assert page.evaluate("document.activeElement.id") == "field-name-0"
    assert page.locator(".seats li").count() == 2
    tab_to("#add")
    page.keyboard.press("Enter")
    expect(page.locator(".seats li")).to_have_count(3)
    expect(page.locator("#field-name-2")).to_be_focused()
    page.keyboard.type("Ben")
    tab_to("#up-2")
    page.keyboard.press("Space")
    expect(page.locator("#field-name-1")).to_have_value("Ben")
    tab_to("button.first")
    page.keyboard.press("Enter")
    page.wait_for_url("**/t/*")
    assert "Zoé, Ben" in page.title()
    page.context.close()


def test_a_double_tap_starts_one_game(browser: Browser, site: Server) -> None:
    page = page_of(browser, site)
    page.goto("/new")
    page.wait_for_load_state()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.evaluate("for (const later of [0, 2]) setTimeout(() => document.querySelector('button.first').click(), later)")
    page.wait_for_url("**/t/*")
    assert len([url for url in sent if url.endswith("/new")]) == 1
    page.goto("/")
    assert page.locator(".games li").count() == 1
    page.context.close()


def test_a_record_is_leafed_through_by_arrow_keys(browser: Browser, site: Server) -> None:
    page = page_of(browser, site)
    page.goto("/open")
    page.fill("#record", OVER)
    page.click("main button")
    page.wait_for_load_state()
    expect(page.locator("#turn")).to_contain_text("Turn 2 of 2: Ben")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#turn")).to_contain_text("Turn 1 of 2: Ana")
    page.wait_for_load_state()
    assert page.locator(".thrown svg").count() == 5
    assert page.locator(".thrown .kept").count() == 3
    page.keyboard.press("End")
    expect(page.locator("#turn")).to_contain_text("Turn 2 of 2: Ben")
    page.context.close()


def test_everything_works_without_scripts(browser: Browser, site: Server) -> None:
    page = page_of(browser, site, java_script_enabled=False)
    page.goto("/new")
    page.click("#house summary")
    page.fill("#field-entry", "500")
    page.click("#add")
    assert page.locator(".seats li").count() == 3
    assert page.input_value("#field-entry") == "500"
    page.click("noscript button")
    assert "500 points" in page.locator(".sheet").inner_text()
    page.click("#keep summary")
    page.fill("#field-title", "Ours")
    page.click("#save")
    page.click("button.first")
    page.wait_for_url("**/t/*")
    page.goto("/")
    page.click(".games .remove")
    page.click("button.danger")
    assert page.locator(".games").count() == 0
    page.goto("/odds/zilch")
    page.wait_for_url("**/odds/zilch?now=1")
    assert page.locator("rect").count() > 10
    page.goto("/rules")
    page.click("text=Ours")
    assert "Ours" in page.locator(".sheet h2").inner_text()
    page.context.close()


def test_the_odds_come_by_themselves(browser: Browser, site: Server) -> None:
    page = page_of(browser, site)
    page.goto("/odds/cinq-des(entry=850)")
    expect(page.locator(".bars")).to_have_count(4)
    page.select_option("#rules", "six-des")
    page.wait_for_url("**/odds/six-des")
    page.context.close()


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_two_ground_sheets_print_on_one_page(browser: Browser, site: Server, lang: str) -> None:
    page = page_of(browser, site, lang=lang)
    for sheet in ("cinq-des", "six-des"):
        page.goto(f"/rules/{sheet}")
        printed = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type /Page\b(?!s)", printed)) == 1, sheet
        page.emulate_media(media="print")
        assert not page.locator(".top").is_visible()
        assert page.locator(".drawn svg").first.is_visible()
        page.emulate_media(media="null")
    page.context.close()


def test_a_link_is_copied_to_share_the_rules(browser: Browser, site: Server) -> None:
    page = page_of(browser, site, permissions=["clipboard-read", "clipboard-write"])
    page.goto("/rules/cinq-des(entry=500)")
    page.evaluate("Object.defineProperty(navigator, 'share', {value: undefined})")
    page.click("[data-share]")
    expect(page.locator(".shared")).to_have_text("The link is copied.")
    page.goto(page.evaluate("navigator.clipboard.readText()"))
    assert page.input_value("#field-entry") == "500"
    page.context.close()


def test_when_the_server_is_away_a_page_says_so_in_the_language_read_last(browser: Browser, tmp_path: Path) -> None:
    with server(tmp_path) as site:
        page = page_of(browser, site)
        page.goto("/")
        page.evaluate("navigator.serviceWorker.ready.then(() => null)")
        page.reload()
        page.click("button[lang=fr]")
        page.wait_for_timeout(500)
        site.stop()
        page.goto("/rules")
        expect(page.locator("h1")).to_have_text("Le serveur ne répond pas")
        # With its looks, and with the way back to where one was.
        assert page.evaluate("getComputedStyle(document.querySelector('.button')).borderRadius") == "999px"
        assert page.url.endswith("/rules")
        assert violations(page) == []
        port = int(site.address.rpartition(":")[2])
        with server(tmp_path, port):
            page.click("main a.button")
            expect(page.locator("h1")).not_to_have_text("Le serveur ne répond pas")
        page.context.close()
