"""The answers of the commands: each finding as data for programs and as text for people."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from cinqmille import sheet as pages
from cinqmille.actions import SetAside
from cinqmille.cli.output import GAP, Answer, Data, columns, width, wrapped
from cinqmille.cli.refusals import Refusal, no_number, of_input
from cinqmille.errors import CinqMilleError, IllegalAction, InvalidText
from cinqmille.game import verify
from cinqmille.odds import Odds
from cinqmille.odds import odds as chances
from cinqmille.position import Position, Seat
from cinqmille.record import Game, replay
from cinqmille.rules import PRESETS, Rules, Sheet
from cinqmille.scoring import Keep, Scored, format_dice, parse_dice
from cinqmille.scoring import score as read_roll
from cinqmille.words import Words

Found = TypeVar("Found")

# Play


def play(words: Words, *, file: Path | None, rules: str | None, players: str | None, dice: str | None) -> int:
    """Play a game in the terminal with what is given, and return the exit status."""
    from cinqmille import terminal

    names, bots = (None, None) if players is None else _seated(players)
    return terminal.play(
        words=words,
        sheet=None if rules is None else sheet(rules, words),
        players=names,
        bots=bots,
        dice=dice,
        record=file,
        stdin=sys.stdin,
        stdout=sys.stdout,
        stderr=sys.stderr,
    )


def _seated(players: str) -> tuple[list[str], dict[int, str]]:
    """The names and the bots by seat of ``Ana,Ben=steady:350``."""
    names, bots = list[str](), dict[int, str]()
    for seat, item in enumerate(players.split(",")):
        name, equals, spec = item.partition("=")
        names.append(name.strip())
        if equals:
            bots[seat] = spec
    return names, bots


# Rules


def presets(words: Words) -> Answer:
    """The rule sheets there are."""
    titles = {name: title(PRESETS.sheet(name), words) for name in PRESETS}
    return Answer(
        lambda: {"presets": [{"id": name, "title": said} for name, said in titles.items()]},
        lambda: columns(list(titles.items())),
    )


def title(sheet: Sheet, words: Words) -> str:
    """Return how a rule sheet is called in the reader's language; its canonical string when nobody named it."""
    return str(sheet.title.get(words.lang) or next(iter(sheet.title.values()), sheet.rules.canonical))


def sheet(source: str, words: Words) -> Sheet:
    """Return the rule sheet that is meant; raise a refusal that names the file if it is one."""
    try:
        return Sheet.load(source)
    except CinqMilleError as error:
        raise of_input(error, words, source if os.path.isfile(source) else "") from error


def toml(sheet: Sheet, words: Words) -> str:
    """Return a rule sheet as a TOML file."""
    return sheet.rules.to_toml(title(sheet, words), words.say)


def rules(sheet: Sheet, words: Words) -> Answer:
    """One rule sheet."""
    return Answer(
        lambda: _rules_data(sheet, words),
        lambda: pages.as_text(pages.page(sheet, words), width()).rstrip("\n"),
    )


def _rules_data(sheet: Sheet, words: Words) -> Data:
    rules = sheet.rules
    return {
        "id": sheet.id,
        "title": title(sheet, words),
        "source": sheet.source,
        "canonical": rules.canonical,
        "fingerprint": rules.fingerprint,
        "step": rules.step,
        **rules.values(),
        "combinations": {c.pattern: c.points if c.value.isdigit() else c.value for c in rules.combinations},
    }


# Score


def score(rules: Rules, roll: str, dispute: str | None, words: Words) -> Answer:
    """What a roll is worth, or one set-aside of it when that is in ``dispute``."""
    found = read_roll(rules, roll)
    keep = None if dispute is None else _disputed(rules, found, parse_dice(dispute), words)
    return Answer(
        lambda: _score_data(rules, found, keep),
        lambda: _keep_text(keep, words) if keep else _score_text(rules, found, words),
    )


def _disputed(rules: Rules, found: Scored, dice: tuple[int, ...], words: Words) -> Keep:
    if found.wins:
        raise IllegalAction("wins_alone", dice=found.dice)
    if found.bust:
        message = words.say("{roll} is a bust: nothing can be set aside.", roll=found.dice)
        raise Refusal("nothing_to_keep", message)
    position = Position(rules, (Seat(), Seat()), 0, "choose", 0, len(found.dice), found.dice)
    verify(position, SetAside(dice))
    return found.by_dice[tuple(sorted(dice))]


def _score_data(rules: Rules, found: Scored, keep: Keep | None) -> Data:
    data: Data = {
        "rules": rules.canonical,
        "roll": format_dice(found.dice),
        "bust": found.bust,
        "wins": found.wins,
        "keeps": [_keep_data(one) for one in found.keeps],
        "best": _keep_data(found.best) if found.best else None,
    }
    if keep is not None:
        melds = [{"pattern": m.pattern, "dice": format_dice(m.dice), "points": m.points} for m in keep.melds]
        data["keep"] = {**_keep_data(keep), "combinations": melds}
    return data


def _keep_data(keep: Keep) -> Data:
    return {"dice": format_dice(keep.dice), "points": keep.points}


def _score_text(rules: Rules, found: Scored, words: Words) -> str:
    lines = [words.say("{roll} under the rules {rules}", roll=found.dice, rules=rules.canonical), ""]
    if found.wins:
        return "\n".join([*lines, words.say("This roll wins the game at once.")])
    if found.best is None:
        return "\n".join([*lines, words.say("A bust: no die scores, the turn is over and its points are lost.")])
    head = [words.say("set aside"), words.say("points"), words.say("made of")]
    rows = [[format_dice(keep.dice), words.number(keep.points), _made_of(keep, words)] for keep in found.keeps]
    lines.append(columns([head, *rows], right={1}))
    best = words.say("Worth most: {dice}, {points}.", dice=found.best.dice, points=words.points(found.best.points))
    lines += ["", wrapped(best)]
    if found.full:
        lines.append(wrapped(words.say("All these dice can be set aside: hot dice are possible.")))
    return "\n".join(lines)


def _keep_text(keep: Keep, words: Words) -> str:
    return wrapped(
        words.say("{dice} may be set aside and is worth {points}: {made_of}.", dice=keep.dice,
                  points=words.points(keep.points), made_of=_made_of(keep, words))
    )  # fmt: skip


def _made_of(keep: Keep, words: Words) -> str:
    """The name of the combination that the dice are, or the several ones with their points."""
    names = [_meld_name(meld.pattern, words) for meld in keep.melds]
    if len(names) == 1:
        return names[0]
    parts = []
    for meld, name in zip(keep.melds, names, strict=True):
        named = f" ({name})" if len(meld.dice) > 1 else ""
        parts.append(f"{format_dice(meld.dice)}{named} = {words.number(meld.points)}")
    return ", ".join(parts)


def _meld_name(pattern: str, words: Words) -> str:
    return words.say("a roll in which nothing scores") if pattern == "blank" else words.combination(pattern)


# Odds


def odds(rules: Rules, dice: str | None, words: Words) -> Answer:
    """The chances of rolling so many dice, or every number of them."""
    if dice is None:
        numbers: Sequence[int] = range(1, rules.dice + 1)
    elif re.fullmatch(r"-?\d{1,9}", dice):
        numbers = (int(dice),)
    else:
        raise no_number("--dice", dice, words)
    found = [chances(rules, number) for number in numbers]
    return Answer(
        lambda: {"rules": rules.canonical, "odds": {str(one.dice): _odds_data(one) for one in found}},
        lambda: _odds_text(rules, found, words),
    )


def _odds_data(odds: Odds) -> Data:
    numbers = {"bust": odds.bust, "full": odds.full, "wins": odds.wins, "mean_best": odds.mean_best}
    data: Data = {"dice": odds.dice}
    for name, number in numbers.items():
        data |= {name: float(number), f"{name}_exact": str(number)}
    law = {str(points): {"chance": float(p), "exact": str(p)} for points, p in odds.points.items()}
    return {**data, "points": law}


def _odds_text(rules: Rules, found: Sequence[Odds], words: Words) -> str:
    say = words.say
    head = [say("dice"), say("bust"), "", say("hot dice"), "", say("mean of the best")]
    rows = [
        [str(one.dice), *_chance(one.bust, words), *_chance(one.full, words), _decimal(one.mean_best, words)]
        for one in found
    ]
    lines = [wrapped(say("Chances of one roll under the rules {rules}", rules=rules.canonical)), ""]
    lines.append(columns([head, *rows], right=range(len(head))))
    for one in found:
        if one.wins:
            lines += ["", wrapped(_wins_text(one, words))]
    if len(found) == 1:
        lines += ["", say("The best set-aside of the roll"), "", _law(found[0], words)]
    return "\n".join(lines)


def _wins_text(odds: Odds, words: Words) -> str:
    percent, exact = _chance(odds.wins, words)
    return words.say(
        "A roll of {dice} wins at once with a chance of {percent}, {exact}; in the mean it counts as 0.",
        dice=words.dice(odds.dice), percent=percent, exact=exact,
    )  # fmt: skip


def _law(odds: Odds, words: Words) -> str:
    head = [words.say("points"), words.say("chance"), "", words.say("at least so many")]
    rows = []
    for points, chance in odds.points.items():
        at_least = sum((p for more, p in odds.points.items() if more >= points), odds.wins)
        rows.append([words.number(points), *_chance(chance, words), words.percent(float(at_least), 2)])
    return columns([head, *rows], right=range(len(head)))


def _chance(chance: Fraction, words: Words) -> tuple[str, str]:
    exact = "/".join(map(words.number, chance.as_integer_ratio())) if chance.denominator > 1 else str(chance)
    return words.percent(float(chance), 2), exact


def _decimal(number: Fraction, words: Words) -> str:
    cents = round(number * 100)
    return words.number(cents // 100) + ("." if words.lang == "en" else ",") + f"{cents % 100:02}"


# Replay


def recorded(file: str, words: Words) -> Game:
    """Return the game recorded in a file, or on the standard input for ``-``; raise a refusal that names the file."""
    return of_record(file, replay, words)


def of_record(file: str, found: Callable[[str], Found], words: Words) -> Found:
    """Return what is ``found`` in the text of a record, a file or ``-``; raise a refusal that names the file."""
    try:
        return found(_read(file))
    except CinqMilleError as error:
        name = words.say("the standard input") if file == "-" else file
        raise of_input(error, words, name) from error


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise InvalidText("unreadable_file", file=file, detail=error.strerror or type(error).__name__) from None
    except UnicodeDecodeError:
        raise InvalidText("not_utf8", file=file) from None


def written(game: Game, form: str) -> str:
    """Return the record of a game as ``text`` or ``json``."""
    return game.text if form == "text" else json.dumps(game.to_json(), ensure_ascii=False, indent=1) + "\n"


def standing(game: Game, turns: bool, words: Words) -> Answer:
    """Where a recorded game stands, with its ``turns`` told if that is asked."""
    return Answer(lambda: _standing_data(game, turns, words), lambda: _standing_text(game, turns, words))


def _told(game: Game, words: Words) -> Iterator[tuple[str, str, list[str]]]:
    """Every turn: whose it is, how it is written, and what happened, in sentences."""
    steps = list(game.steps())
    for turn in game.turns():
        events = [event for _, _, step in steps[turn.first_action : turn.last_action] for event in step.events]
        yield game.players[turn.player], turn.text, [words.event(event, game.players) for event in events]


def _standing_data(game: Game, turns: bool, words: Words) -> Data:
    data = game.summary()
    if turns:
        data["turns"] = [{"player": name, "turn": turn, "told": told} for name, turn, told in _told(game, words)]
    return data


def _standing_text(game: Game, turns: bool, words: Words) -> str:
    position = game.position
    blocks = [wrapped(words.say("A game under the rules {rules}", rules=game.rules.canonical))]
    for name, turn, told in _told(game, words) if turns else ():
        blocks.append("\n".join([f"{name}: {turn}", *(wrapped(GAP + sentence, GAP * 2) for sentence in told)]))
    blocks.append(_totals(game, words))
    if position.to_play is None:
        winners = [game.players[seat] for seat in position.winners]
        over = words.count(
            "The game is over: {players} wins.", "The game is over: {players} win together.", len(winners),
            players=words.all_of(winners),
        )  # fmt: skip
        blocks.append(wrapped(over))
    else:
        player, phase = game.players[position.to_play], words.phase(position.phase)
        blocks.append(wrapped(words.say("{player} is to play: {phase}.", player=player, phase=phase)))
        blocks.append(columns(list(_turn_so_far(position, words))))
    return "\n\n".join(blocks)


def _totals(game: Game, words: Words) -> str:
    say, seats = words.say, game.position.seats
    dry = any(seat.scoreless for seat in seats)
    head = [say("player"), say("total"), *([say("turns without points")] * dry), say("totals in order")]
    rows = [
        [
            name, words.number(seat.score), *([words.number(seat.scoreless)] * dry),
            " < ".join(map(words.number, seat.ladder)) or "-",
        ]
        for name, seat in zip(game.players, seats, strict=True)
    ]  # fmt: skip
    return columns([head, *rows], right={1, 2} if dry else {1})


def _turn_so_far(position: Position, words: Words) -> Iterator[tuple[str, str]]:
    offer = position.offer
    if position.phase == "start" and offer is not None:
        dice = words.dice(offer.dice or position.rules.dice)
        yield words.say("turn to take over"), f"{words.points(offer.points)}, {dice}"
    if position.roll:
        yield words.say("last roll"), format_dice(position.roll)
    if position.turn_points:
        yield words.say("points at risk"), words.number(position.turn_points)
    yield words.say("dice left"), words.number(position.dice_left)
