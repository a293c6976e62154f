"""When kernels are compiled: seconds that pass once on every machine, and that whoever waits is told about."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from numba.core import caching, event
from platformdirs import user_cache_path


class _FirstTime(event.Listener):
    """Tells of the first compilation there is."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell: Callable[[], None] | None = tell

    def on_start(self, event: object) -> None:
        tell, self._tell = self._tell, None
        if tell is not None:
            tell()

    def on_end(self, event: object) -> None:
        pass


@contextmanager
def telling(tell: Callable[[], None]) -> Iterator[None]:
    """Call ``tell`` once, at the beginning, if anything is compiled inside; what was compiled before is only loaded."""
    with event.install_listener("numba:compile", _FirstTime(tell)):
        yield


def mended(error: Exception) -> bool:
    """Delete all compiled code of ours if ``error`` comes from reading it, and tell whether it does.

    What is damaged there is compiled again the next time it is needed.
    """
    if all(frame.filename != caching.__file__ for frame in traceback.extract_tb(error.__traceback__)):
        return False
    gone = False
    named = [Path(os.environ["NUMBA_CACHE_DIR"])] if os.environ.get("NUMBA_CACHE_DIR") else []
    for folder in (Path(__file__).parent, user_cache_path("cinqmille") / "kernels", *named):
        for file in folder.rglob("*.nb[ic]"):
            file.unlink(missing_ok=True)
            gone = True
    return gone
