"""When kernels are compiled: seconds that pass once on every machine, and that whoever waits is told about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event


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
