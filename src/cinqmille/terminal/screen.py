"""The two streams of a terminal game: sentences out, wrapped at 80 columns, and one line in at a time."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TextIO

from cinqmille.plaintext import cells, printable, usable, wrapped
from cinqmille.words import Words

WIDTH = 80
LONGEST_LINE = 2_000


class Screen:
    """What a person sees and types, in the language of ``words``.

    What is typed into a pipe is shown after its prompt, so that a transcript reads like the game it was.
    """

    def __init__(self, words: Words, stdin: TextIO | None, stdout: TextIO | None, *, pause: float = 0.0) -> None:
        self.words = words
        self._in, self._out = usable(stdin, reading=True), usable(stdout)
        self.interactive = self._in.isatty()
        self._pause = pause if self._out.isatty() else 0.0

    def say(self, sentence: str, /, **params: object) -> None:
        """Show a sentence of the catalog."""
        self.tell(self.words.say(sentence, **params))

    def tell(self, text: str, indent: str = "") -> None:
        """Show text that is in the reader's language already; lines after the first begin with ``indent``."""
        self._out.write(wrapped(printable(text), WIDTH, indent) + "\n")

    def point(self, said: str, exact: str) -> None:
        """Show a sentence and after it, never broken so that it can be copied, a path or a command."""
        gap = " " if cells(f"{said} {exact}") <= WIDTH else "\n"
        self._out.write(f"{wrapped(said, WIDTH)}{gap}{printable(exact)}\n")

    def tell_all(self, lines: Iterable[str], indent: str = "") -> None:
        """Show several texts, each on a line of its own."""
        for line in lines:
            self.tell(line, indent)

    def ask(self, prompt: str) -> str:
        """Show ``prompt`` and return the line typed, without its spaces at both ends; raise EOFError at the end."""
        while True:
            self._out.write(wrapped(printable(prompt), WIDTH) + " ")
            self._out.flush()
            line = self._line()
            if not line:
                self._out.write("\n")
                raise EOFError
            typed = printable(line.strip())
            if not self.interactive:
                self._out.write(typed + "\n")
            if len(line) < LONGEST_LINE or line.endswith("\n"):
                return typed
            while (rest := self._line()) and not rest.endswith("\n"):
                pass
            self.say("That line was too long: nothing of it was used.")

    def _line(self) -> str:
        try:
            return self._in.readline(LONGEST_LINE)
        except OSError:  # the terminal is gone
            return ""

    def rest(self) -> None:
        """Let a person follow what a bot does; a pipe does not wait."""
        self._out.flush()
        if self._pause:
            time.sleep(self._pause)

    def flush(self) -> None:
        """Send everything out."""
        self._out.flush()
