"""What is said on the standard error while somebody waits: that kernels are compiled, and how far long work is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cinqmille.cli.output import wrapped
from cinqmille.plaintext import printable
from cinqmille.words import Words

# A bar that would be gone at once only flickers.
_PATIENCE = 0.7


def remark(text: str) -> None:
    """Say something that is not the answer."""
    print(wrapped(printable(text)), file=sys.stderr, flush=True)


@contextmanager
def waiting(what: str, words: Words) -> Iterator[Callable[[float], None]]:
    """Yield a function to be told the part that is done; on a terminal it is drawn as a bar, if it takes long.

    When kernels must be compiled first, which happens once on a machine, that is said in any case.
    """
    from cinqmille.compiling import telling

    def compiling() -> None:
        remark(words.say("Compiling the kernels: this happens once and takes about {seconds} seconds.", seconds=10))

    with telling(compiling), _bar(what) as progress:
        yield progress


@contextmanager
def _bar(what: str) -> Iterator[Callable[[float], None]]:
    if not sys.stderr.isatty():
        yield lambda part: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    drawn = Progress(*columns, console=Console(file=sys.stderr), transient=True)
    task, begun = drawn.add_task(printable(what), total=1.0), time.monotonic()

    def progress(part: float) -> None:
        if not drawn.live.is_started and time.monotonic() - begun > _PATIENCE:
            drawn.start()
        drawn.update(task, completed=part)

    try:
        yield progress
    finally:
        drawn.stop()
