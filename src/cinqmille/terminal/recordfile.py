"""The file a game is kept in: whole at every moment, and played by one process at a time.

Each write goes to a file beside the record, is forced to the disk, and then takes the record's place in one step:
whoever reads the record, after a crash too, finds the whole game as it was before or after an action. A lock
file beside it says that the game is being played; the system releases it when its process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from datetime import datetime
from itertools import count
from pathlib import Path

from platformdirs import user_data_path

from cinqmille.errors import CinqMilleError, InvalidRules
from cinqmille.plaintext import printable
from cinqmille.record import Game
from cinqmille.words import N_, Words

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class RecordProblem(Exception):
    """A record that cannot be written or played now: its path, and why as a sentence of the catalog."""

    def __init__(self, path: Path, reason: str, **params: object) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason, self.params = path, reason, params

    def sentence(self, words: Words) -> str:
        """Return what is wrong, in the reader's language."""
        return words.say(
            "{path}: {reason}.",
            path=printable(str(self.path)).replace("\n", "\ufffd"),
            reason=words.say(self.reason, **self.params),
        )


BUSY = N_("this game is being played by another program just now")
NOT_A_FILE = N_("this is not a file")
UNUSABLE = N_("this is not a path that can be used")
TAKEN = N_("there is such a file already")
CHANGED = N_("the file was changed from outside")

_REASONS = {
    errno.ENOSPC: N_("the disk is full"),
    errno.EDQUOT: N_("the disk is full"),
    errno.EFBIG: N_("the disk is full"),
    errno.EACCES: N_("writing there is not allowed"),
    errno.EPERM: N_("writing there is not allowed"),
    errno.EROFS: N_("writing there is not allowed"),
    errno.ENOENT: N_("its folder does not exist"),
    errno.ENOTDIR: N_("a part of its path is not a folder"),
    errno.ENAMETOOLONG: N_("its name is too long"),
}


class RecordFile:
    """A record being played: locked from the beginning, to be closed at the end.

    Raises RecordProblem when it is being played elsewhere or its folder cannot be written.
    """

    def __init__(self, path: Path) -> None:
        if "\ufffd" in printable(str(path)).replace("\n", "\ufffd"):  # what it is called could not be shown
            raise RecordProblem(path, UNUSABLE)
        try:
            self.path = path.expanduser().resolve()
            if self.path.exists() and not stat.S_ISREG(self.path.stat().st_mode):
                raise RecordProblem(path, NOT_A_FILE)
        except OSError as error:
            raise _problem(path, error) from None
        except (RuntimeError, ValueError):  # ~nobody, or links that lead round in a circle
            raise RecordProblem(path, UNUSABLE) from None
        if not self.path.name:
            raise RecordProblem(path, NOT_A_FILE)
        self._held: bytes | None = None  # what the file is known to hold
        self._lock_path = self._beside("lock")
        self._lock = self._locked()

    def read(self) -> Game:
        """Return the game in the file; raise InvalidRules or RecordError when it is none."""
        self._held = _content(self.path)
        return _parsed(self.path, self._held)

    def write(self, game: Game) -> None:
        """Put ``game`` in the place of what the file held, or raise RecordProblem and leave that untouched.

        What somebody else has written there since is left untouched too; a file that is gone is written again.
        """
        new, content = self._beside("new"), game.text.encode()
        try:
            if self.path.exists() and self.path.read_bytes() != self._held:
                raise RecordProblem(self.path, CHANGED)
            mode = stat.S_IMODE(self.path.stat().st_mode) if self.path.exists() else None
            with new.open("wb") as file:
                if mode is not None:
                    os.chmod(new, mode)
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, self.path)
            self._held = content
            self._settle_folder()
        except OSError as error:
            with contextlib.suppress(OSError):
                new.unlink()
            raise _problem(self.path, error) from None

    def close(self) -> None:
        """Let others play this game."""
        with contextlib.suppress(OSError):
            self._lock_path.unlink()
        with contextlib.suppress(OSError):
            os.close(self._lock)

    def _beside(self, what: str) -> Path:
        return self.path.with_name(f".{self.path.name}.{what}")

    def _locked(self) -> int:
        while True:
            try:
                descriptor = os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError as error:
                raise _problem(self.path, error) from None
            try:
                _lock(descriptor)
            except OSError as error:
                if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                    os.close(descriptor)
                    raise RecordProblem(self.path, BUSY) from None
                return descriptor  # a file system without locks
            # Who held the lock before may have removed this very file in the meantime.
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(descriptor), self._lock_path.stat()):
                    return descriptor
            os.close(descriptor)

    def _settle_folder(self) -> None:
        """Force the new name to the disk too, where folders can be opened."""
        if sys.platform == "win32":
            return
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def read(path: Path) -> Game:
    """Return the game in the file ``path``; raise InvalidRules or RecordError when it is none."""
    return _parsed(path, _content(path))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidRules("unreadable_file", file=str(path), detail=error.strerror or type(error).__name__) from None


def _parsed(path: Path, content: bytes) -> Game:
    try:
        # Line breaks of every system are read.
        text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8").read()
    except UnicodeDecodeError:
        raise InvalidRules("not_utf8", file=str(path)) from None
    return Game.parse(text)


def _problem(path: Path, error: OSError) -> RecordProblem:
    if error.errno in _REASONS:
        return RecordProblem(path, _REASONS[error.errno])
    return RecordProblem(path, "{what}", what=error.strerror or type(error).__name__)


# The folder of the user's games


def folder() -> Path:
    """Return the folder where games are kept when no path is given."""
    return user_data_path("cinqmille", appauthor=False) / "games"


def new_in_folder(now: datetime) -> RecordFile:
    """Return a new record in the user's folder, ``2026-01-31-2.txt`` for the second game of that day."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _problem(folder(), error) from None
    for number in count(1):
        path = folder() / f"{now:%Y-%m-%d}-{number}.txt"
        if path.exists():
            continue
        try:
            file = RecordFile(path)
        except RecordProblem as problem:
            if problem.reason == BUSY:
                continue
            raise
        if not file.path.exists():
            return file
        file.close()
    raise AssertionError("count() ended")


def in_folder(most: int = 30) -> Iterator[tuple[Path, Game]]:
    """Yield the games in the user's folder, the one played last first; files that are no games are passed over."""
    try:
        paths = sorted(folder().glob("*.txt"), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return
    for path in paths[:most]:
        with contextlib.suppress(CinqMilleError):
            yield path, read(path)
