"""A server of this package in a process of its own, and the Chromium that looks at it.

Without Chromium these tests fail, and say how to name one: a page nobody looked at is not tested.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

AXE = (Path(__file__).parent / "data" / "axe" / "axe-4.14.1.min.js").read_text(encoding="utf-8")
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def chromium_path() -> str:
    """The browser: the environment's CHROMIUM, or the one on the path."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        raise RuntimeError("no Chromium: install it (apt install chromium), or name one in the environment as CHROMIUM")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser."""
    path = chromium_path()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Server:
    """A running server: its address, and its process."""

    address: str
    process: subprocess.Popen[str]

    def stop(self) -> None:
        """Stop it, as somebody would."""
        self.process.terminate()
        self.process.wait(20)


@contextmanager
def server(folder: Path, port: int = 0) -> Iterator[Server]:
    """A server with a database in ``folder``, on a free port or ``port``."""
    environment = os.environ | {"XDG_DATA_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "cinqmille", "serve", "--no-browser", "--port", str(port)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.search(r"http://\S+", line)
        assert match is not None, f"the server said {line!r}"
        yield Server(match[0].rstrip("/"), process)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(20)
        assert process.stdout is not None
        process.stdout.close()


def violations(page: Page) -> list[str]:
    """What axe finds wrong on a page, as lines to read."""
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate("tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", _RULES)
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def too_wide(page: Page) -> int:
    """By how many pixels a page must be scrolled sideways."""
    width: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width


def until(condition: Callable[[], object], page: Page, seconds: float = 10.0) -> None:
    """Wait until a condition holds, and let the page go on meanwhile."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        page.wait_for_timeout(20)
