"""Links made in a real Chromium, on plain http as in one's own Wi-Fi: those that Python makes, kept for each table."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route

import cinqmille
from browser import chromium
from cinqmille.fair import Deal, Share, follows, is_link
from cinqmille.rules import Rules
from fairgames import chain

STATIC = Path(cinqmille.__file__).parent / "web" / "static"
SCRIPTS = ("vendor/sha256-1.0.0.min.js", "fair.js")
SITE = "http://table.example/"
PAGE = "<!doctype html><title>t</title>" + "".join(f'<script src="/{name}"></script>' for name in SCRIPTS)
COMMITMENT = "0c" * 32


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(SITE)
        if name in SCRIPTS:
            route.fulfill(body=(STATIC / name).read_text(encoding="utf-8"), content_type="text/javascript")
        else:
            route.fulfill(
                body=PAGE,
                content_type="text/html",
                headers={"Content-Security-Policy": "default-src 'none'; script-src 'self'"},
            )

    context = browser.new_context()
    context.route("**/*", answer)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    complaints: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "favicon" not in message.text:
            complaints.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(SITE)
    yield page
    assert complaints == []


def asked(page: Page, call: str) -> object:
    return page.evaluate(f"cinqmilleFair.{call}")


def test_the_links_are_those_that_python_makes(page: Page) -> None:
    assert page.evaluate("[isSecureContext, typeof crypto.subtle]") == [False, "undefined"]
    anchor = asked(page, "anchor('Tq3')")
    seed = asked(page, "seed('Tq3')")
    assert isinstance(seed, str)
    links = chain(seed, 2_000)
    assert anchor == links[0]
    assert page.evaluate("Array.from({length: 2001}, (_, n) => cinqmilleFair.link('Tq3', n))") == links
    assert links[-1] == seed
    # What the server does with them.
    share = Share.opened(links[0], links[1])
    deal = Deal.begin("Tq3", "ab" * 32, Rules.parse("cinq-des"), ("Ana", "Ben"), (share, None))
    for number in range(2, 6):
        link = asked(page, f"link('Tq3', {number})")
        assert isinstance(link, str)
        deal, _ = deal.draw(0, link)
    assert deal.shares[0] == Share(links[0], links[1], links[5], 5)


def test_a_known_seed_has_known_links(page: Page) -> None:
    assert asked(page, f"adopt('Tq3', '{'00' * 32}')") == "00" * 32
    assert asked(page, "link('Tq3', 1999)") == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    assert asked(page, "anchor('Tq3')") == chain("00" * 32, 2_000)[0]


def test_a_chain_outlives_a_reload_and_is_its_tables_own(page: Page, context: BrowserContext) -> None:
    one, two = asked(page, "anchor('one')"), asked(page, "anchor('two')")
    assert one != two
    assert is_link(one)
    assert follows(str(asked(page, "link('one', 1)")), str(one))
    page.reload()
    other = context.new_page()
    other.goto(SITE)
    for where in (page, other):
        assert asked(where, "anchor('one')") == one
        assert asked(where, "anchor('two')") == two


@pytest.mark.parametrize("number", ["-1", "2001", "1.5", "'1'", "undefined", "NaN", "Infinity"])
def test_there_is_no_such_link(page: Page, number: str) -> None:
    asked(page, "anchor('Tq3')")
    assert asked(page, f"link('Tq3', {number})") is None


def test_a_link_makes_no_chain(page: Page) -> None:
    """A seat that joined without a chain has no links afterwards either."""
    assert asked(page, "link('Tq3', 1)") is None
    assert asked(page, "seed('Tq3')") is None


def test_the_first_commitment_stays(page: Page) -> None:
    assert asked(page, "commitment('Tq3')") is None
    assert asked(page, f"note('Tq3', '{COMMITMENT}')") == COMMITMENT
    assert asked(page, f"note('Tq3', '{'0d' * 32}')") == COMMITMENT
    page.reload()
    assert asked(page, "commitment('Tq3')") == COMMITMENT
    assert asked(page, "commitment('other')") is None


def test_the_first_seal_stays(page: Page) -> None:
    asked(page, f"note('Tq3', '{COMMITMENT}')")
    assert asked(page, "seal('Tq3')") is None
    assert asked(page, "noteSeal('Tq3', '')") is None
    assert asked(page, f"noteSeal('Tq3', '{'0e' * 32}')") == "0e" * 32
    assert asked(page, f"noteSeal('Tq3', '{'0f' * 32}')") == "0e" * 32
    page.reload()
    assert [asked(page, call) for call in ("seal('Tq3')", "commitment('Tq3')")] == ["0e" * 32, COMMITMENT]
    assert asked(page, "seal('other')") is None


def test_a_seed_comes_along_to_another_device(page: Page, browser: Browser) -> None:
    assert asked(page, "anchor('Tq3')") != chain("12" * 32, 2_000)[0]
    assert asked(page, f"adopt('Tq3', '{'12' * 32}')") == "12" * 32
    assert asked(page, "anchor('Tq3')") == chain("12" * 32, 2_000)[0]


@pytest.mark.parametrize("value", ["''", "'abc'", f"'{'AB' * 32}'", "null", "undefined", "{}"])
def test_what_is_no_seed_and_no_commitment_is_not_kept(page: Page, value: str) -> None:
    seed = asked(page, "anchor('Tq3') && cinqmilleFair.seed('Tq3')")
    assert asked(page, f"adopt('Tq3', {value})") is None
    assert asked(page, f"note('Tq3', {value})") is None
    assert asked(page, "seed('Tq3')") == seed


@pytest.mark.parametrize(
    "denied",
    [
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('denied', 'SecurityError'); }})",
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
        "Storage.prototype.setItem = () => {}",
    ],
)
def test_where_nothing_can_be_kept_there_is_no_chain(page: Page, denied: str) -> None:
    page.add_init_script(denied)
    page.reload()
    calls = ("anchor('Tq3')", "link('Tq3', 1)", "seed('Tq3')", "commitment('Tq3')", f"note('Tq3', '{COMMITMENT}')",
             f"adopt('Tq3', '{'12' * 32}')")  # fmt: skip
    assert [asked(page, call) for call in calls] == [None] * 6


def test_a_damaged_seed_is_replaced_when_a_seat_is_taken(page: Page) -> None:
    page.evaluate("localStorage.setItem('cinqmille-fair-seed-Tq3', 'x')")
    assert asked(page, "link('Tq3', 1)") is None
    assert is_link(asked(page, "anchor('Tq3')"))


def test_a_chain_is_made_quickly(page: Page) -> None:
    """A phone is ten times slower than this; it is made once, before somebody waits for it."""
    page.evaluate("window.began = performance.now(); cinqmilleFair.anchor('Tq3'); window.ended = performance.now()")
    elapsed = page.evaluate("ended - began")
    assert elapsed < 500
