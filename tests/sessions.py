"""Games at the terminal, played line by line in this process, for the tests."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path

from cinqmille.plaintext import cells
from cinqmille.record import Game
from cinqmille.rules import Sheet
from cinqmille.terminal import play
from cinqmille.words import Words


class Typed(io.StringIO):
    """What is typed, and how much had been shown when each line was asked for."""

    def __init__(self, text: str, shown: io.StringIO, *, terminal: bool) -> None:
        super().__init__(text)
        self.marks: list[int] = []
        self._shown, self._terminal = shown, terminal

    def isatty(self) -> bool:
        return self._terminal

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        self.marks.append(len(self._shown.getvalue()))
        return super().readline(-1 if size is None else size)


@dataclass
class Told:
    """What a game at the terminal came to; ``answers`` is what was shown after each line typed."""

    status: int
    before: str
    answers: list[str]
    err: str
    path: Path
    lang: str

    @property
    def out(self) -> str:
        return "".join([self.before, *self.answers])

    @property
    def flat(self) -> str:
        """The output with every break a plain space, so that wrapping does not matter."""
        return flat(self.out)

    @property
    def game(self) -> Game:
        return Game.parse(self.path.read_text(encoding="utf-8"))

    @property
    def turns(self) -> list[str]:
        return [f"{self.game.players[turn.player]}: {turn.text}" for turn in self.game.turns()]

    def says(self, sentence: str, /, **params: object) -> bool:
        """Whether a sentence of the catalog, given in English, was shown."""
        return squeezed(Words(self.lang).say(sentence, **params)) in squeezed(self.out)

    def points(self, sentence: str, path: Path) -> bool:
        """Whether a sentence was shown with a path after it, in one piece."""
        return (
            re.search(re.escape(Words(self.lang).say(sentence)) + r"\s" + re.escape(f"{path}\n"), self.out) is not None
        )


def flat(text: str) -> str:
    return " ".join(text.split())


def squeezed(text: str) -> str:
    return "".join(text.split())


def session(
    path: Path,
    typed: str,
    *,
    rules: str | None = "cinq-des",
    players: str | None = "Ana, Ben",
    bots: dict[int, str] | None = None,
    dice: str | None = "real",
    lang: str = "en",
    terminal: bool = False,
    record: bool = True,
) -> Told:
    out, err = io.StringIO(), io.StringIO()
    stdin = Typed(typed, out, terminal=terminal)
    status = play(
        words=Words(lang),
        sheet=Sheet.load(rules) if rules is not None else None,
        players=players.split(", ") if players is not None else None,
        bots=bots,
        dice=dice,
        record=path if record else None,
        stdin=stdin,
        stdout=out,
        stderr=err,
    )
    shown = out.getvalue()
    parts = [shown[start:end] for start, end in zip([0, *stdin.marks], [*stdin.marks, None], strict=True)]
    # What is typed into a pipe is shown: the rest of its line is not an answer.
    answers = parts[1:] if terminal else [part.partition("\n")[2] for part in parts[1:]]
    told = Told(status, parts[0], answers, err.getvalue(), path, lang)
    assert "Traceback" not in shown + told.err
    for line in [line for part in (parts[0], *answers) for line in part.splitlines()]:
        assert cells(line) <= 80 or line.startswith("/") or " play /" in line, line
    return told


def resumed(path: Path, typed: str, lang: str = "en") -> Told:
    return session(path, typed, rules=None, players=None, dice=None, lang=lang)


def lines(*typed: str) -> str:
    return "".join(f"{line}\n" for line in typed)
