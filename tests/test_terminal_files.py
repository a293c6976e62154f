"""The files of the terminal game and the questions before it: what is kept, resumed, refused, offered."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cinqmille.record import Game
from cinqmille.rules import PRESETS, Sheet
from cinqmille.terminal import play, recordfile
from cinqmille.words import LANGUAGES, Words
from sessions import Told, Typed, lines, resumed, session

# Files


def test_a_record_written_by_hand_keeps_its_comments(path: Path) -> None:
    path.write_text("rules: cinq-des\nplayers: Ana, Ben\nplace: the kitchen\n# a good start\nAna: =800  # lucky\n")
    told = resumed(path, lines("900", "fix 2 950"))
    text = told.path.read_text()
    assert "place: the kitchen\n# a good start\nAna: =800  # lucky\nBen: =950\n" in text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_change_from_outside_is_not_overwritten(path: Path, lang: str) -> None:
    words, other = Words(lang), path.with_name("other.txt")
    out = io.StringIO()

    class Edited(Typed):
        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            line = super().readline(size)
            if line.startswith("800"):
                path.write_text(path.read_text().replace("=900", "=950"))
            return line

    stdin = Edited(lines("900", "800", "undo", f"save {other}", "850"), out, terminal=False)
    play(words=words, sheet=Sheet.load("cinq-des"), players=("Ana", "Ben"), dice="real", record=path,
         stdin=stdin, stdout=out, stderr=out)  # fmt: skip
    assert "".join(words.say("the file was changed from outside").split()) in "".join(out.getvalue().split())
    assert "Ana: =950\n" in path.read_text()
    assert "Ben" not in path.read_text().partition("Ana: ")[2]
    assert other.read_text().endswith("Ana: =900\nBen: =850\n")
    assert resumed(path, lines("1000"), lang).turns == ["Ana: =950", "Ben: =1000"]


def test_a_file_of_windows_is_no_change_from_outside(path: Path) -> None:
    path.write_bytes(b"rules: cinq-des\r\nplayers: Ana, Ben\r\nAna: =900\r\n")
    assert resumed(path, lines("800")).turns == ["Ana: =900", "Ben: =800"]


def test_a_deleted_file_is_written_again(path: Path) -> None:
    file = recordfile.RecordFile(path)
    game = Game.new(PRESETS["cinq-des"], ("Ana", "Ben"))
    file.write(game)
    path.unlink()
    file.write(game)
    file.close()
    assert path.read_text() == game.text


def test_the_command_to_go_on_is_one_that_can_be_typed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for found, started, command in (
        ("/usr/bin/cinqmille", ".venv/bin/cinqmille", "cinqmille"),
        (None, "/a b/bin/cinqmille", "'/a b/bin/cinqmille'"),
        (None, "/lib/cinqmille/__main__.py", f"{shlex.quote(sys.executable)} -m cinqmille"),
    ):
        monkeypatch.setattr("shutil.which", lambda name, found=found: found)
        monkeypatch.setattr("sys.argv", [started])
        path.unlink(missing_ok=True)
        assert session(path, "").out.endswith(f"{command} play {path}\n")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "content",
    [
        b"nonsense\n",
        b"\xff\xfe",
        b"rules: cinq-des\nplayers: Ana, Ben\nAna: =10\n",
        b"",
        b"rules: cinq-des\nplayers: Ana, Ben\ndice: loaded\n",
        b"rules: cinq-des\nplayers: Ana, Ben\nseats: Ben=genius\n",
    ],
)
def test_a_file_that_is_no_record_is_refused_and_left_alone(path: Path, lang: str, content: bytes) -> None:
    path.write_bytes(content)
    told = resumed(path, lines("900"), lang)
    assert told.status == 2
    assert str(path) in told.err
    assert path.read_bytes() == content
    assert [entry.name for entry in path.parent.iterdir() if entry.name.startswith(".")] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_impossible_paths(tmp_path: Path, lang: str) -> None:
    for path in (tmp_path, tmp_path / "no" / "x.txt", Path("/dev/null"), tmp_path / ("x" * 300), Path("/")):
        told = session(path, lines("900"), lang=lang)
        assert (told.status, told.out) == (2, "")
        assert str(path)[:60] in told.err
        assert told.err.count("\n") == 1


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", ["\ufffd", "a\udcff.txt", "a\x1b[31m", "a\nb", "\x00"])
def test_a_path_that_cannot_be_shown_is_refused(path: Path, lang: str, name: str) -> None:
    """Whether it is the FILE of the command or typed after ``save``, where it arrives with � in it."""
    told = session(Path(name), "", lang=lang)
    shown = name.translate(dict.fromkeys(map(ord, "\udcff\x1b\n\x00"), "\ufffd"))
    unusable = Words(lang).say("{path}: {reason}.", path=shown, reason=Words(lang).say(recordfile.UNUSABLE))
    assert (told.status, told.out, told.err) == (2, "", f"{unusable}\n")
    if "\n" not in name:
        saved = session(path, lines(f"save {name}", "900"), lang=lang)
        assert saved.says("{path}: {reason}.", path=shown, reason=Words(lang).say(recordfile.UNUSABLE))
        assert saved.turns == ["Ana: =900"]
    assert {entry.name for entry in path.parent.iterdir()} <= {path.name}


def test_another_game_is_not_overwritten(path: Path) -> None:
    session(path, lines("900"))
    text = path.read_text()
    for options in (
        {"rules": "six-des"},
        {"players": "Ana, Zoë"},
        {"dice": "system"},
        {"bots": {1: "steady:350"}},
    ):
        told = session(path, lines("900"), **options)
        assert told.status == 2
        assert str(path) in told.err
    assert session(path, "").status == 0, "the same game again goes on"
    assert path.read_text() == text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_game_is_played_by_one_process_at_a_time(path: Path, lang: str) -> None:
    session(path, lines("900"))
    held = recordfile.RecordFile(path)
    told = resumed(path, lines("900"), lang)
    assert told.status == 2
    assert told.err.strip() == Words(lang).say(
        "{path}: {reason}.", path=str(path), reason=Words(lang).say(recordfile.BUSY)
    )
    held.close()
    assert resumed(path, lines("900"), lang).status == 0


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_cannot_be_saved_is_not_played(path: Path, lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = recordfile.RecordFile.write
    full = iter([False, True, True, False, False, False])

    def write(file: recordfile.RecordFile, game: Game) -> None:
        if next(full):
            raise recordfile.RecordProblem(file.path, "the disk is full")
        written(file, game)

    monkeypatch.setattr(recordfile.RecordFile, "write", write)
    other = path.with_name("other.txt")
    told = session(path, lines("900", "900", f"save {other}", "800", "quit"), lang=lang)
    assert told.says("Nothing of this was played. Try it again, or type save and the path of another file.")
    assert Game.parse(path.read_text()).actions == ()
    assert Game.parse(other.read_text()).position.scores == (800, 0)


def test_a_bot_does_not_play_what_cannot_be_saved(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = recordfile.RecordFile.write
    calls = iter(range(1_000_000))

    def write(file: recordfile.RecordFile, game: Game) -> None:
        if next(calls) in (1, 2):
            raise recordfile.RecordProblem(file.path, "the disk is full")
        written(file, game)

    monkeypatch.setattr(recordfile.RecordFile, "write", write)
    told = session(path, lines("", ""), players="Bot, Ana", bots={0: "steady:350"}, dice="seed 1")
    assert told.flat.count("the disk is full") == 2
    assert len(told.game.turns()) == 1


def test_save_does_not_overwrite(path: Path) -> None:
    other = path.with_name("other.txt")
    other.write_text("mine")
    told = session(path, lines(f"save {other}", "900"))
    assert other.read_text() == "mine"
    assert told.turns == ["Ana: =900"]


def test_a_file_is_replaced_whole_or_not_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session(path, lines("900"))
    text = path.read_text()
    file = recordfile.RecordFile(path)
    file.read()

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(recordfile.RecordProblem, match="disk is full"):
        file.write(Game.parse(text).play(Game.parse(text).actions[0]))
    assert path.read_text() == text
    file.close()
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["game.txt"]


def test_a_link_stays_a_link_and_rights_stay(path: Path) -> None:
    session(path, "")
    path.chmod(0o640)
    link = path.with_name("link.txt")
    link.symlink_to(path)
    resumed(link, lines("900"))
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert Game.parse(path.read_text()).position.scores == (900, 0)


# Setting up


@pytest.fixture
def games(tmp_path: Path) -> Iterator[Path]:
    return iter([tmp_path / "data" / "cinqmille" / "games"])


def setup(path: Path, typed: str, **options: object) -> Told:
    given: dict[str, object] = {"rules": None, "players": None, "dice": None, "record": False}
    return session(path, typed, **(given | options))  # type: ignore[arg-type]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_enter_is_an_answer_to_everything(path: Path, games: Iterator[Path], lang: str) -> None:
    told = setup(path, lines("", "", "", ""), lang=lang)
    (record,) = next(games).glob("*.txt")
    game = Game.parse(record.read_text())
    assert (game.rules.canonical, len(game.players), game.seats) == ("cinq-des", 2, {1: "steady:350"})
    assert dict(game.headers)["dice"] == "system"
    assert len(game.actions) >= 1
    assert told.points("The game is kept in:", record)


def test_every_way_to_name_rules(path: Path, games: Iterator[Path], tmp_path: Path) -> None:
    sheet = tmp_path / "ours.toml"
    sheet.write_text('base = "six-des"\nentry = 350\n')
    folder = next(games)
    for answer, canonical in (
        ("2", "six-des"),
        ("zilch", "zilch"),
        ("cinq-des( entry = 500 )", "cinq-des(entry=500)"),
        (str(sheet), "six-des(entry=350)"),
    ):
        for record in folder.glob("*.txt"):
            record.unlink()
        setup(path, lines("0", "99", "nosuch", "cinq-des(foo=1)", "/no/such.toml", "(", answer, "Ana, Ben", "2"))
        (record,) = folder.glob("*.txt")
        assert record.read_text().startswith(f"rules: {canonical}\n")


def test_names_and_bots_in_one_answer(path: Path, games: Iterator[Path]) -> None:
    wrong = (
        "Ana",
        "Ana, Ana",
        "Ana, b:c",
        "rules, Ben",
        "a,b,c,d,e,f,g,h,i",
        "Ana, Ben=genius",
        "Ana, =steady",
        "Ana#, Ben",
    )
    told = setup(
        path, lines(*wrong, "Ana, Ben = steady:500, steady:300, steady:200,", "loaded", "real"), rules="six-des"
    )
    (record,) = next(games).glob("*.txt")
    game = Game.parse(record.read_text())
    assert game.players == ("Ana", "Ben", "Robot", "Robot 2")
    assert game.seats == {1: "steady:500", 2: "steady:300", 3: "steady:200"}
    assert dict(game.headers)["dice"] == "real"
    assert told.out.count("Players [") == len(wrong) + 1


def test_leaving_before_the_game(path: Path, games: Iterator[Path]) -> None:
    for typed in ("", lines(""), lines("", "Ana, Ben")):
        told = setup(path, typed)
        assert (told.status, told.says("Nothing was begun.")) == (0, True)
    assert not next(games).exists()


def test_what_is_given_is_not_asked(path: Path) -> None:
    told = session(path, "", dice=None)
    assert told.before.rstrip().endswith("Ana>")
    assert dict(told.game.headers)["dice"] == "system"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"players": "Ana"}, "A game has 2 to 8 players"),
        ({"players": "Ana, Ana"}, "two players"),
        ({"bots": {5: "steady:350"}}, "There is no seat 6"),
        ({"bots": {1: "genius"}}, "There is no bot"),
        ({"dice": "loaded"}, "is not a way to roll"),
    ],
)
def test_options_that_cannot_be_are_refused(path: Path, options: dict[str, object], code: str) -> None:
    told = session(path, "", **options)  # type: ignore[arg-type]
    assert (told.status, told.out) == (2, "")
    assert code in told.err
    assert not path.exists()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_unfinished_games_are_offered_on_a_terminal(path: Path, games: Iterator[Path], lang: str) -> None:
    setup(path, lines("900"), rules="six-des", players="Zoë, Ben", dice="real")
    setup(path, lines("5000"), rules="cinq-des", players="Ana, Ben", dice="real")
    assert len(list(next(games).glob("*.txt"))) == 2
    told = setup(path, lines("9", "1", "500", "scores"), terminal=True, lang=lang)
    assert told.says("Unfinished games:")
    assert "Zoë 900" in told.flat
    assert told.says("{player} banks {points}: {total} in all.", player="Ben", points=500, total=500)
    fresh = setup(path, lines("", "", "", "2", "450"), terminal=True, lang=lang)
    assert "[Zoë, Ben]" in fresh.out, "the usual players are offered (case C078)"
    assert "[six-des]" in fresh.out
    assert "Zoë 900" in setup(path, "", terminal=True, lang=lang).flat


def test_a_data_folder_that_cannot_be_written(path: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    assert setup(path, lines("", "", ""), rules="cinq-des").status == 2
    told = setup(path, lines("", "", "", str(tmp_path), str(path), "900"), rules=None, terminal=True)
    assert told.says("Keep the game in which file?")
    assert path.exists()
