"""Windows of a real Chromium on tables of a real server; whatever they complain about fails the test.

Screenshots are kept in ``build/screenshots``.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

import browser
from cinqmille.record import Game
from cinqmille.store import Store

SCREENSHOTS = Path(__file__).parents[1] / "build" / "screenshots"
PHONE, SMALL, DESKTOP = (390, 844), (320, 568), (1280, 800)


class Server:
    """The web app in a process of its own, and the database it works on."""

    def __init__(self, url: str, database: Path) -> None:
        self.url, self.database = url, database

    def put(self, game: Game) -> str:
        """Store a table as it stands, in mid-turn too, and return its address."""

        async def stored() -> str:
            store = await Store.open(self.database)
            id = f"test-{os.urandom(8).hex()}"
            await store.create(id, "a-device-of-the-tests-only", game)
            await store.close()
            return f"{self.url}/t/{id}"

        with ThreadPoolExecutor(1) as apart:  # a browser's driver runs its own loop in this thread
            return apart.submit(asyncio.run, stored()).result()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the tests of a module."""
    folder = tmp_path_factory.mktemp("server")
    with browser.server(folder) as one:
        yield Server(one.address, folder / "cinqmille" / "tables.sqlite3")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A Chromium for the tests of a module."""
    with browser.chromium() as one:
        yield one


class Visit:
    """A browser's window on the app; whatever it reports on its console, or asks of other sites, fails the test."""

    def __init__(self, context: BrowserContext, page: Page) -> None:
        self.context, self.page = context, page
        self.problems: list[str] = []
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and "status of 422" not in text:  # a refusal is an answer
            self.problems.append(text)

    def keep(self, name: str, *, full: bool = False) -> None:
        """Keep a screenshot."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=full)

    def assert_accessible(self) -> None:
        """Let axe-core look at the page: nothing of WCAG 2.2 AA or its good practice may be violated."""
        found = browser.violations(self.page)
        assert not found, "\n".join(found)

    def assert_no_sideways(self) -> None:
        """Nothing reaches out of the page on the right."""
        size = self.page.viewport_size
        assert size is not None
        wide = self.page.evaluate("Math.max(document.documentElement.scrollWidth, innerWidth)") > size["width"]
        assert not wide, "the page is wider than the window"


class Visits:
    """Opens windows: ``visits(size=PHONE, lang="fr")``."""

    def __init__(self, browser: Browser, server: Server) -> None:
        self.browser, self.server = browser, server
        self.opened: list[Visit] = []

    def __call__(self, *, size: tuple[int, int] = PHONE, lang: str = "en", scripts: bool = True, **more: Any) -> Visit:
        """Return a new window of a new device."""
        phone = min(size) < 600
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]}, locale="fr-FR" if lang == "fr" else "en-GB",
            has_touch=phone, is_mobile=phone, java_script_enabled=scripts, **more,
        )  # fmt: skip
        context.set_default_timeout(15_000)
        visit = Visit(context, context.new_page())
        own = self.server.url

        def seen(request: Any) -> None:
            if not request.url.startswith((own, "data:")):
                visit.problems.append(f"asks another site: {request.url}")

        visit.page.on("request", seen)
        self.opened.append(visit)
        return visit


@pytest.fixture
def visits(chromium: Browser, server: Server) -> Iterator[Visits]:
    """Windows on the server; afterwards none of them may have had anything to complain about."""
    found = Visits(chromium, server)
    yield found
    problems = [problem for visit in found.opened for problem in visit.problems]
    for visit in found.opened:
        visit.context.close()
    assert not problems, problems
