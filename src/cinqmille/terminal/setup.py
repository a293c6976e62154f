"""The questions before a game: which rules, who plays, whose dice. Each has an answer for whoever just presses Enter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from cinqmille.bots import BOTS, bot, check_bot
from cinqmille.dice import new_source
from cinqmille.errors import CinqMilleError, IllegalAction
from cinqmille.plaintext import columns, shortened
from cinqmille.record import Game
from cinqmille.rules import PRESETS, Rules, Sheet
from cinqmille.terminal import recordfile
from cinqmille.terminal.screen import WIDTH, Screen

_DEFAULT_BOT = "steady:350"


def new_game(
    screen: Screen,
    *,
    sheet: Sheet | None,
    players: Sequence[str] | None,
    bots: Mapping[int, str] | None,
    dice: str | None,
    now: datetime,
) -> tuple[Game, Sheet]:
    """Return a game that has not begun and its rule sheet, of what is given and, for the rest, what the answers say.

    Raises CinqMilleError when what is given cannot be.
    """
    asked = sheet is None or players is None
    last = next((game for _, game in recordfile.in_folder()), None) if asked and screen.interactive else None
    source = new_source(dice) if dice is not None else None
    sheet = sheet if sheet is not None else _ask_rules(screen, last)
    if players is None:
        names, robots = _ask_players(screen, last, sheet.rules)
        robots |= bots or {}
    else:
        names, robots = tuple(players), dict(bots or {})
    if players is not None or bots:
        get_ready(screen, sheet.rules, len(names), robots)
    if source is None and asked:
        source = new_source(_ask_dice(screen))
    headers = _seats_header(names, robots) | {
        "date": now.isoformat(sep=" ", timespec="minutes"),
        "dice": source.header if source is not None else "system",
    }
    return Game.new(sheet.rules, names, headers), sheet


def _ask_rules(screen: Screen, last: Game | None) -> Sheet:
    words = screen.words
    ids = list(PRESETS)
    titles = [PRESETS.sheet(name).title for name in ids]
    rows = [
        (str(number), name, title.get(words.lang, name))
        for number, (name, title) in enumerate(zip(ids, titles, strict=True), start=1)
    ]
    screen.say("Which rules?")
    screen.tell_all("  " + shortened(line, WIDTH - 2) for line in columns(rows, right=(0,)))
    screen.say("A number, a name, a name with changes such as cinq-des(entry=500), or the path of a rule file.")
    default = last.rules.canonical if last is not None else ids[0]
    while True:
        answer = screen.ask(words.say("Rules [{default}]:", default=default)) or default
        try:
            if answer.isdecimal() and 1 <= int(answer) <= len(ids):
                return PRESETS.sheet(ids[int(answer) - 1])
            if answer.endswith(".toml"):
                answer = str(Path(answer).expanduser())
            return Sheet.load(answer)
        except CinqMilleError as error:
            screen.tell(words.error(error))


def _ask_players(screen: Screen, last: Game | None, rules: Rules) -> tuple[tuple[str, ...], dict[int, str]]:
    words = screen.words
    first = words.say("Player {number}", number=1)
    default = _listed(last) if last is not None else f"{first}, {words.say('Robot')}={_DEFAULT_BOT}"
    screen.say("Who plays, in this order? 2 to 8 names with commas between; a bot is Name=bot:")
    screen.tell_all((f"  {kind}: {words.say(entry.help)}" for kind, entry in BOTS.items()), indent="    ")
    while True:
        answer = screen.ask(words.say("Players [{default}]:", default=default)) or default
        try:
            names, robots = _seated(answer, words.say("Robot"))
            Game.new(rules, names, _seats_header(names, robots))
            get_ready(screen, rules, len(names), robots)
            return names, robots
        except CinqMilleError as error:
            screen.tell(words.error(error))


def get_ready(screen: Screen, rules: Rules, players: int, robots: Mapping[int, str]) -> None:
    """Have the bots that compute do it now, after saying so; raise CinqMilleError for one that cannot play here."""
    waiting = [one for one in map(bot, robots.values()) if hasattr(one, "refuse")]
    if waiting:
        screen.say("The bots get ready; rules that are new to them may take a minute, once.")
        screen.flush()
    for one in waiting:
        check_bot(one, rules, players)


def _seated(answer: str, robot: str) -> tuple[tuple[str, ...], dict[int, str]]:
    """The names and bots of ``Ana, Ben=steady:500, steady:350``; a bot alone is given a name."""
    names: list[str] = []
    robots: dict[int, str] = {}
    for item in filter(None, map(str.strip, answer.split(","))):
        name, equals, spec = item.partition("=")
        if not equals and ":" in item:
            name, equals, spec = _free(robot, names), "=", item
        if equals:
            robots[len(names)] = bot(spec).spec
        names.append(name.strip())
    return tuple(names), robots


def _free(robot: str, names: Sequence[str]) -> str:
    number = 1
    while (name := robot if number == 1 else f"{robot} {number}") in names:
        number += 1
    return name


def _listed(game: Game) -> str:
    """The players of a game as the question is answered."""
    return ", ".join(
        f"{name}={game.seats[seat]}" if seat in game.seats else name for seat, name in enumerate(game.players)
    )


def _ask_dice(screen: Screen) -> str:
    words = screen.words
    screen.say("Whose dice? 1: the program rolls them. 2: you roll real dice and type them in.")
    answers = {"": "system", "1": "system", "2": "real"}
    while True:
        answer = screen.ask(words.say("Dice [1]:"))
        try:
            return new_source(answers.get(answer, answer)).header
        except CinqMilleError as error:
            screen.tell(words.error(error))


def _seats_header(names: Sequence[str], robots: Mapping[int, str]) -> dict[str, str]:
    for seat in robots:
        if not 0 <= seat < len(names):
            raise IllegalAction("no_such_seat", seat=seat + 1, seats=len(names))
    seats = ", ".join(f"{names[seat]}={bot(spec).spec}" for seat, spec in sorted(robots.items()))
    return {"seats": seats} if seats else {}
