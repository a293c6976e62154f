"""A game at the terminal from its first line to its last: what is typed is played, kept, and then shown."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from cinqmille import combinations, sheet, told
from cinqmille.actions import Back, Leave, Rolled, RollOn, Scoreless
from cinqmille.counsel import PATIENCE, as_text, counsel
from cinqmille.dice import RealDice
from cinqmille.errors import CinqMilleError, IllegalAction, RecordError
from cinqmille.plaintext import shortened
from cinqmille.position import Position
from cinqmille.record import Game
from cinqmille.rules import PRESETS, Sheet
from cinqmille.table import News, Table
from cinqmille.terminal import shown, typed
from cinqmille.terminal.recordfile import CHANGED, TAKEN, RecordFile, RecordProblem
from cinqmille.terminal.screen import WIDTH, Screen
from cinqmille.words import N_

_LONGEST_PROMPT = 20


class Leaving(Exception):
    """Somebody wants to leave the game."""


class Session:
    """One game, its table, its file and its screen. The game is in the file before :meth:`run`.

    ``source`` is the sheet its rules came from, where that is known: a record does not tell its title.
    """

    def __init__(self, screen: Screen, game: Game, file: RecordFile, source: Sheet | None = None) -> None:
        self._screen = screen
        self._words = screen.words
        self._file = file
        self._source = source
        self._advised = False
        self._table = Table(game, save=self._save)

    def close(self) -> None:
        """Let others play this game."""
        self._file.close()

    def run(self) -> None:
        """Play until somebody leaves, or there is nothing left to play."""
        try:
            self._welcome()
            self._show_state()
            while True:
                match self._table.awaits:
                    case "nothing":
                        self._over()
                    case "bot":
                        self._bot()
                    case _:
                        self._obey(self._screen.ask(self._prompt()))
        except (EOFError, KeyboardInterrupt, Leaving):
            self._farewell()

    @property
    def _position(self) -> Position:
        return self._table.position

    @property
    def _names(self) -> tuple[str, ...]:
        return self._table.game.players

    def _save(self, game: Game) -> None:
        self._file.write(game)

    # What is shown

    def _welcome(self) -> None:
        screen, words, game = self._screen, self._words, self._table.game
        screen.tell(sheet.page(self._source or game.rules, words).title)
        screen.tell(sheet.in_short(game.rules, words), "  ")
        if changes := tuple(combinations.changes(game.rules, PRESETS[game.rules.base], words)):
            screen.tell(words.series(changes), "  ")
        settled = sheet.decisions(game.rules, words)
        if settled:
            screen.say("Settled before the game:")
            screen.tell_all((f"- {line}" for line in settled), "  ")
        for seat, robot in self._table.bots.items():
            screen.say("{player} is a bot: {spec}.", player=game.players[seat], spec=robot.spec)
        screen.point(self._words.say("The game is kept in:"), str(self._file.path))
        if game.actions:
            screen.say("It goes on after entry {entries}.", entries=len(game.turns()))
            screen.tell_all(shown.standings(game, words))
        screen.say("help lists what can be typed, sheet shows the rules.")

    def _show_state(self) -> None:
        """Show where the game stands and what can be typed now."""
        if self._table.awaits in ("bot", "nothing"):
            return
        self._screen.tell("")
        self._screen.tell_all(self._state())
        self._screen.tell(self._options())

    def _state(self) -> list[str]:
        game, position, words = self._table.game, self._position, self._words
        match position.phase:
            case "over":
                return []
            case "start":
                return told.turn_begins(game, words) + told.offer(game, words)
            case "roll" if position.fresh:
                return told.turn_begins(game, words)
            case "roll":
                at_risk = words.say("At risk: {points}.", points=words.points(position.turn_points))
                return [
                    at_risk,
                    *told.announced(position, words),
                    told.risk(position.rules, position.dice_left, words),
                ]
            case "choose":
                return shown.choices(position, words)
            case _:
                return told.decision(position, words)

    def _options(self) -> str:
        """What can be typed now, in one or two sentences."""
        words, position, real = self._words, self._position, self._table.real
        dice = position.dice_left or position.rules.dice
        if position.to_play in self._table.bots:
            player = self._names[position.to_play]
            if self._table.awaits == "bot":
                return words.say("Enter lets {player} play.", player=player)
            return words.count(
                "Roll {n} die for {player} and type it.",
                "Roll {n} dice for {player} and type them.",
                dice,
                player=player,
            )
        match position.phase:
            case "over":
                return words.say("undo or fix corrects an entry, scores shows the totals; Enter leaves.")
            case "start" if real:
                return words.say("+ takes it over; or type the {dice} dice of a new roll.", dice=dice)
            case "start":
                return words.say("+ takes it over, r rolls all {dice} dice.", dice=dice)
            case "roll" if not real:
                return words.count("Enter rolls {n} die.", "Enter rolls {n} dice.", dice)
            case "roll" if position.fresh:
                return self._type_a_turn(dice)
            case "roll":
                return self._awaited(dice)
            case "choose":
                return self._set_aside_hint()
            case _:
                return self._decide_hint(dice)

    def _type_a_turn(self, dice: int) -> str:
        hint = self._words.count(
            "Type the {n} die rolled, or only the turn's points (450, or 0 for none).",
            "Type the {n} dice rolled, or only the turn's points (450, or 0 for none).",
            dice,
        )
        star = self._words.say("0* is a bust on a roll of all dice.") if self._position.rules.strike else ""
        return f"{hint} {star}" if star else hint

    def _set_aside_hint(self) -> str:
        best = shown.example(self._position)
        if self._table.real:
            return self._words.say("Set aside: {dice}, #1 or all; add b to bank, as in {dice} b.", dice=best)
        return self._words.say(
            "Set aside: {dice}, #1 or all; add b to bank or r to roll again, as in {dice} r.", dice=best
        )

    def _decide_hint(self, dice: int) -> str:
        count, position = self._words.count, self._position
        bank, announce = shown.may_bank(position), shown.may_announce(position)
        points = position.turn_points
        if self._table.real:
            hint = (
                count(
                    "b banks {points}; or roll {n} die and type it.",
                    "b banks {points}; or roll {n} dice and type them.",
                    dice,
                    points=points,
                )
                if bank
                else self._awaited(dice)
            )
        elif bank:
            hint = count(
                "b banks {points}, r rolls {n} die.", "b banks {points}, r rolls {n} dice.", dice, points=points
            )
        elif announce:
            hint = count("r rolls {n} die.", "r rolls {n} dice.", dice)
        else:
            hint = count("Enter rolls {n} die.", "Enter rolls {n} dice.", dice)
        how = self._words.say("?50 announces 50 and rolls.")
        return f"{hint} {how}" if announce else hint

    def _awaited(self, dice: int) -> str:
        return self._words.count("Roll {n} die and type it.", "Roll {n} dice and type them.", dice)

    def _prompt(self) -> str:
        seat = self._position.to_play
        if seat is None:
            return ">"
        return f"{shortened(self._names[seat], _LONGEST_PROMPT)}>"

    # What is typed

    def _obey(self, line: str) -> None:
        """Do what a line asks for, or say why not; nothing typed is ever an error of the program."""
        try:
            name, rest = typed.command(line)
            if name:
                self._command(name, rest)
            else:
                self._move(line)
        except typed.NotUnderstood as unknown:
            if unknown.what:
                self._screen.say("'{text}' is not understood here.", text=shortened(unknown.what, 40))
            self._screen.tell(self._options())
        except (CinqMilleError, RecordProblem) as problem:
            self._refused(problem)

    def _refused(self, problem: CinqMilleError | RecordProblem) -> None:
        """Say why something was not done, and what can be done instead."""
        if isinstance(problem, RecordProblem):
            self._screen.tell(problem.sentence(self._words))
            if problem.reason == CHANGED:
                self._screen.say(
                    "Nothing of this was played. To play on from the file, quit and resume it; to keep this game elsewhere, type save and the path of another file."
                )
                return
            self._screen.say("Nothing of this was played. Try it again, or type save and the path of another file.")
            return
        self._screen.tell(shown.refusal(problem, self._names, self._words))
        self._screen.tell(self._options())

    def _move(self, line: str) -> None:
        position, table = self._position, self._table
        if not line:
            if table.real or position.phase not in ("roll", "decide"):
                raise typed.NotUnderstood("")
            if position.phase == "decide" and (shown.may_bank(position) or shown.may_announce(position)):
                raise typed.NotUnderstood("")
            line = "r"
        moves = typed.moves(line, position, real=table.real, names=self._names)
        if not moves.actions and not moves.then_roll:
            raise typed.NotUnderstood(line)
        news = table.play(*moves.actions, seen=table.number)
        self._tell(news)
        if moves.then_roll:
            self._screen.tell(self._awaited(self._position.dice_left or position.rules.dice))
        elif news:
            self._show_state()

    def _bot(self) -> None:
        """Let a bot go one step further; where nobody else is left, only when asked."""
        fresh = self._position.fresh
        if fresh and self._nobody_left():
            self._screen.say("Only bots are left.")
            self._screen.tell(self._options())
            if not self._may_go_on():
                return
        try:
            if fresh:
                self._screen.tell("")
            news = self._table.play_bot()
        except (CinqMilleError, RecordProblem) as problem:
            self._refused(problem)
            self._may_go_on()
            return
        self._tell(news)
        if any(isinstance(event, Rolled) for one in news for event in one.events):
            self._screen.rest()
        if self._table.awaits != "bot":
            self._show_state()

    def _may_go_on(self) -> bool:
        """Ask before a bot plays: Enter lets it, anything else is obeyed."""
        line = self._screen.ask(self._prompt())
        if line:
            self._obey(line)
        return not line

    def _nobody_left(self) -> bool:
        people = [seat for place, seat in enumerate(self._position.seats) if place not in self._table.bots]
        return bool(people) and all(seat.away for seat in people)

    def _tell(self, news: tuple[News, ...]) -> None:
        """Tell what happened, and the scores whenever a turn is over."""
        words, names = self._words, self._names
        for one in news:
            for event in one.events:
                if isinstance(event, Scoreless) and event != one.events[0] and not one.position.rules.scoreless_limit:
                    continue  # what ended the turn was told, and nothing is counted
                self._screen.tell(words.event(event, names), "  ")
                if isinstance(event, Scoreless):
                    self._screen.tell_all(told.scoreless_warning(one.position, event.seat, names[event.seat], words))
        if news and _ends_a_turn(news[-1]):
            self._screen.tell_all(shown.standings(self._table.game, words))

    # Commands

    def _command(self, name: str, rest: str) -> None:
        words, screen, game = self._words, self._screen, self._table.game
        match name:
            case "leave" | "back":
                self._come_or_go(name, rest)
            case "undo":
                self._undo()
            case "fix":
                self._fix(rest)
            case "sheet":
                screen.tell(sheet.as_text(sheet.page(self._source or game.rules, words), WIDTH - 2).rstrip("\n"))
            case "odds":
                screen.tell_all(shown.chances(game.rules, words))
            case "hint":
                self._hint()
            case "scores":
                screen.tell_all(shown.ladders(game, words), "    ")
            case "record":
                screen.point(self._words.say("The game is kept in:"), str(self._file.path))
                screen.tell_all(shown.entries(game), "    ")
            case "why":
                asked = typed.dispute(rest, self._position)
                screen.tell_all(
                    [words.say(_WHY)] if asked is None else shown.dispute(self._position, *asked, words), "  "
                )
            case "help":
                self._help()
            case "save" if not rest:
                screen.say(_SAVE)
            case "save":
                self._save_as(rest)
            case _:
                raise Leaving

    def _hint(self) -> None:
        """Say what to do now, and why; numbers are loaded when somebody asks."""
        position, words = self._position, self._words
        if position.to_play is None:
            raise IllegalAction("game_over")
        if not self._advised:
            self._screen.say(PATIENCE)
            self._screen.flush()
        self._advised = True
        from cinqmille.advice import advise

        self._screen.tell(as_text(counsel(advise(position), words, self._names), words, WIDTH))

    def _come_or_go(self, name: str, rest: str) -> None:
        to_play = self._position.to_play
        if to_play is None:
            raise IllegalAction("game_over")
        if rest:
            seat = typed.seat_named(rest, self._names)
        elif name == "leave":
            seat = to_play
        else:
            away = [place for place, one in enumerate(self._position.seats) if one.away]
            if len(away) != 1:
                who = self._words.all_of([self._names[place] for place in away] or ["-"])
                self._screen.say("Who comes back? Away: {players}.", players=who)
                return
            seat = away[0]
        table = self._table
        self._tell(table.play(Leave(seat) if name == "leave" else Back(seat), seen=table.number))
        self._show_state()

    def _undo(self) -> None:
        taken = self._table.undo(seen=self._table.number)
        done = [self._words.action(action, self._names) for action in taken if not isinstance(action, RollOn)]
        if done:
            self._screen.say("Taken back: {actions}.", actions=self._words.all_of(done))
        elif not taken:
            self._screen.say("The correction is taken back.")
        self._screen.tell_all(shown.standings(self._table.game, self._words))
        self._show_state()

    def _fix(self, rest: str) -> None:
        table, words = self._table, self._words
        number_text, _, text = rest.partition(" ")
        sure, text = text.endswith("!"), text.removesuffix("!").strip()
        game, turns = table.game, table.game.turns()
        if not number_text.isdecimal() or not text:
            self._screen.tell_all(shown.entries(table.game), "    ")
            self._screen.say(
                "Type fix, the number of an entry and what it should be: fix 3 450, fix 3 15534>155 24>-. fix 3 none takes it out."
            )
            return
        number = int(number_text[:9])
        before = turns[number - 1].text if 1 <= number <= len(turns) else ""
        corrected = self._as_entry(number, text)
        out: list[str] = []
        try:
            table.correct(number, corrected, seen=table.number)
        except RecordError as error:
            place = error.line if corrected else error.line + 1
            if place == number:
                raise
            out = shown.entries(game)[place - 1 :]
            if error.code != "game_over":
                self._screen.say(
                    "With this change entry {entry} ({turn}) would no longer be allowed; nothing was changed:",
                    entry=place,
                    turn=out[0].lstrip().partition("  ")[2],
                )
                raise
            if not sure:
                self._screen.say(
                    "With this change the game ends with entry {entry}, before these; nothing was changed:",
                    entry=place - 1,
                )
                self._screen.tell_all(out, "    ")
                self._screen.point(words.say("To take them out and make the change, type:"), f"fix {number} {text} !")
                return
            table.correct(number, corrected, seen=table.number, last=place - 1)
        self._screen.say("Entry {entry} was {before}; it is corrected.", entry=number, before=before)
        if out:
            self._screen.say("Taken out:")
            self._screen.tell_all(out, "    ")
        self._screen.tell_all(shown.standings(table.game, words))
        self._show_state()

    def _as_entry(self, number: int, text: str) -> str:
        """What is typed for an entry, as the record writes it."""
        game = self._table.game
        turns = game.turns()
        if typed.plain(text) in ("none", "rien"):
            return ""
        if not self._table.real or not 1 <= number <= len(turns):
            return text
        player, (seat, text) = turns[number - 1].player, typed.named(text, self._names)
        if seat not in (None, player):
            raise IllegalAction("out_of_turn", player=self._names[seat], expected=self._names[player])
        if name := typed.come_or_go(text.strip()):
            return name
        before = game.cut(turns[number - 1].first_action)
        moves = typed.moves(text, before.position, real=True, names=self._names)
        table = Table(before, save=lambda _: None, dice=RealDice())
        table.bots.clear()
        table.play(*moves.actions, seen=table.number)
        return table.game.turns()[-1].text

    def _save_as(self, rest: str) -> None:
        try:
            file = RecordFile(Path(rest))
            try:
                if file.path.exists():
                    raise RecordProblem(file.path, TAKEN)
                file.write(self._table.game)
            except RecordProblem:
                file.close()
                raise
        except RecordProblem as problem:
            self._screen.tell(problem.sentence(self._words))
            return
        self._file.close()
        self._file = file
        self._screen.point(self._words.say("The game is kept in:"), str(file.path))

    def _help(self) -> None:
        words = self._words
        lines = [words.say(line) for line in (*_HELP, *(_HELP_REAL if self._table.real else _HELP_DRAWN))]
        self._screen.tell_all(lines, "    ")
        self._screen.tell(self._options())

    # The end

    def _over(self) -> None:
        """Show how the game ended; where real dice were typed in, a wrong entry can still be corrected."""
        self._screen.tell("")
        self._screen.tell_all(shown.ladders(self._table.game, self._words), "    ")
        if not self._table.real:
            raise Leaving
        self._screen.tell(self._options())
        while self._position.phase == "over":
            line = self._screen.ask(">")
            if not line:
                raise Leaving
            self._obey(line)

    def _farewell(self) -> None:
        path = str(self._file.path)
        if self._table.awaits == "nothing":
            self._screen.point(self._words.say("The whole game is in:"), path)
        else:
            command = f"{_program()} play {shlex.quote(path)}"
            self._screen.point(self._words.say("The game is saved. To go on:"), command)


def _program() -> str:
    """How this program is started from where it was: its name alone when that is found."""
    if shutil.which("cinqmille"):
        return "cinqmille"
    started = Path(sys.argv[0])
    return shlex.quote(str(started)) if started.stem == "cinqmille" else f"{shlex.quote(sys.executable)} -m cinqmille"


def _ends_a_turn(news: News) -> bool:
    return (news.position.fresh and not isinstance(news.action, RollOn)) or news.position.phase == "over"


_WHY = N_("why 155 in 15534: how dice score, or why they do not.")
_SAVE = N_("save PATH: keep the game in another file.")
_HELP = (
    N_("155 or #2: set dice aside. all: the best choice. b: bank. r: roll again. In one line: 155 b, 155 r."),
    N_("?50: announce 50 and roll. +: take over the previous turn. skip: miss a turn."),
    N_("leave NAME, back NAME: a player leaves, comes back."),
    N_("scores: totals and falls. odds: chances. sheet: rules. record: the turns so far."),
    N_("hint: what to do now, the chance to win of every choice, and why."),
    _WHY,
    _SAVE,
    N_("quit: leave; nothing is lost."),
)
_HELP_DRAWN = (N_("undo: take back the last thing typed, as long as no dice were rolled since."),)
_HELP_REAL = (
    N_("A whole turn: 15534>155 24>- (a bust) or 11123>111 =1000. Only its points: 450, 0."),
    N_("undo: take back the last thing typed. fix 3 450: correct entry 3."),
)
