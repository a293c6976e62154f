"""The terminal game and score sheet, line by line, also in a pipe: :func:`play` is the command ``cinqmille play``."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TextIO

from cinqmille.bots import bot
from cinqmille.dice import parse_source
from cinqmille.errors import CinqMilleError, IllegalAction
from cinqmille.plaintext import usable
from cinqmille.record import Game
from cinqmille.rules import Sheet
from cinqmille.terminal import recordfile, setup
from cinqmille.terminal.recordfile import RecordFile, RecordProblem
from cinqmille.terminal.screen import Screen
from cinqmille.terminal.session import Session
from cinqmille.words import Words

__all__ = ["play"]

_DONE, _REFUSED = 0, 2


def play(
    *,
    words: Words,
    sheet: Sheet | None = None,
    players: Sequence[str] | None = None,
    bots: Mapping[int, str] | None = None,
    dice: str | None = None,
    record: Path | None = None,
    stdin: TextIO | None,
    stdout: TextIO | None,
    stderr: TextIO | None,
    pause: float = 0.5,
) -> int:
    """Play one game at the terminal and return the exit status: 0, or 2 when what is given cannot be.

    What is not given is asked for; ``bots`` are specs by seat, from 0; ``dice`` is ``system``, ``seed 42`` or ``real``.
    ``record`` is the file to keep the game in; where there is one already, its game goes on. Without it the
    game is kept in the user's data folder. ``pause`` seconds pass after a bot's roll, on a terminal only.
    """
    screen = Screen(words, stdin, stdout, pause=pause)
    try:
        _play(screen, _Given(sheet, players, bots, dice), record)
    except (CinqMilleError, RecordProblem) as refusal:
        text = refusal.sentence(words) if isinstance(refusal, RecordProblem) else words.error(refusal)
        print(text, file=usable(stderr))
        return _REFUSED
    except BrokenPipeError:
        _silence(stdout)
    except KeyboardInterrupt:  # a second one, while leaving
        pass
    return _DONE


def _play(screen: Screen, given: _Given, record: Path | None) -> None:
    try:
        session = _session(screen, given, record)
    except (EOFError, KeyboardInterrupt):
        screen.say("Nothing was begun.")
    else:
        try:
            session.run()
        finally:
            session.close()
    screen.flush()


@dataclass(frozen=True, slots=True)
class _Given:
    """What the command line says of the game; None is not said."""

    sheet: Sheet | None
    players: Sequence[str] | None
    bots: Mapping[int, str] | None
    dice: str | None

    @property
    def nothing(self) -> bool:
        return self.sheet is None and self.players is None and not self.bots and self.dice is None

    def new_game(self, screen: Screen, now: datetime) -> tuple[Game, Sheet]:
        return setup.new_game(screen, sheet=self.sheet, players=self.players, bots=self.bots, dice=self.dice, now=now)

    def checked(self, game: Game, path: Path) -> Game:
        """Return a game to go on with, once nothing that is given contradicts it."""
        headers = dict(game.headers)
        dice = parse_source(self.dice).header if self.dice is not None else None
        bots = {seat: bot(spec).spec for seat, spec in (self.bots or {}).items()}
        for name, given, found in (
            ("rules", self.sheet and self.sheet.rules.canonical, game.rules.canonical),
            ("players", self.players and ", ".join(self.players), ", ".join(game.players)),
            ("seats", bots and str(bots), str({seat: bot(spec).spec for seat, spec in game.seats.items()})),
            ("dice", dice, headers.get("dice", dice)),
        ):
            if given and given != found:
                raise IllegalAction("record_differs", file=str(path), header=name, found=headers.get(name, found))
        if dice is None or "dice" in headers:
            return game
        return replace(game, headers=(*game.headers, ("dice", dice)))


def _session(screen: Screen, given: _Given, record: Path | None) -> Session:
    now = datetime.now().astimezone()
    if record is None and given.nothing and screen.interactive:
        record = _offered(screen)
    if record is None:
        game, sheet = given.new_game(screen, now)
        return _begun(screen, game, sheet, _somewhere(screen, now))
    file = RecordFile(record)
    try:
        if not file.path.exists():
            return _begun(screen, *given.new_game(screen, now), file)
        return _gone_on_with(screen, given, file)
    except BaseException:
        file.close()
        raise


def _gone_on_with(screen: Screen, given: _Given, file: RecordFile) -> Session:
    try:
        game = given.checked(file.read(), file.path)
        if game.position.to_play is not None:
            setup.get_ready(screen, game.rules, len(game.players), game.seats)
        return Session(screen, game, file, given.sheet)
    except CinqMilleError as error:
        if "file" in error.params:
            raise
        raise RecordProblem(file.path, "{what}", what=screen.words.error(error).rstrip(".")) from None


def _begun(screen: Screen, game: Game, sheet: Sheet, file: RecordFile) -> Session:
    try:
        file.write(game)
        return Session(screen, game, file, sheet)
    except BaseException:
        file.close()
        raise


def _somewhere(screen: Screen, now: datetime) -> RecordFile:
    """A new record in the user's folder or, where that cannot be written, wherever the user says."""
    try:
        return recordfile.new_in_folder(now)
    except RecordProblem as problem:
        if not screen.interactive:
            raise
        screen.tell(problem.sentence(screen.words))
    while True:
        path = Path(screen.ask(screen.words.say("Keep the game in which file?")))
        try:
            file = RecordFile(path)
            if not file.path.exists():
                return file
            file.close()
            raise RecordProblem(path, recordfile.TAKEN)
        except RecordProblem as problem:
            screen.tell(problem.sentence(screen.words))


def _offered(screen: Screen, most: int = 5) -> Path | None:
    """Ask which unfinished game of the user's folder goes on; None for a new one."""
    words = screen.words
    found = [(path, game) for path, game in recordfile.in_folder() if game.position.to_play is not None][:most]
    if not found:
        return None
    screen.say("Unfinished games:")
    for number, (path, game) in enumerate(found, start=1):
        scores = ", ".join(
            f"{name} {words.number(seat.score)}" for name, seat in zip(game.players, game.position.seats, strict=True)
        )
        screen.tell(f"  {number}  {path.stem}  {game.rules.canonical}: {scores}", "     ")
    while answer := screen.ask(words.say("Which one goes on? A number, or Enter for a new game:")):
        if answer.isdecimal() and 1 <= int(answer) <= len(found):
            return found[int(answer) - 1][0]
    return None


def _silence(stdout: TextIO | None) -> None:
    """Let nothing more go to an output that nobody reads, the interpreter's last flush included."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())  # type: ignore[union-attr]
