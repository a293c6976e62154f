"""What the terminal shows of a game: where it stands, what each choice is worth and risks, scores, ladders, disputes.

Every function returns lines in the reader's language; nothing here asks, plays or prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cinqmille.actions import Fell, SetAside
from cinqmille.errors import CinqMilleError, IllegalAction, RecordError
from cinqmille.game import bank_problem, legal_keeps, verify
from cinqmille.odds import odds
from cinqmille.patterns import Dice
from cinqmille.plaintext import cells, columns, fitted, shortened
from cinqmille.position import Position, Seat
from cinqmille.record import Game
from cinqmille.rules import Rules
from cinqmille.scoring import Keep, format_dice, score
from cinqmille.terminal.screen import WIDTH
from cinqmille.told import banking
from cinqmille.words import N_, Words

_MOST_CHOICES = 12
_LONGEST_NAME = 24


# Scores


def standings(game: Game, words: Words) -> list[str]:
    """Return all scores as a compact table, two players a line; ``>`` stands before the player to play."""
    position = game.position
    size = WIDTH // 2 - 2
    entries = []
    for seat, (name, standing) in enumerate(zip(game.players, position.seats, strict=True)):
        marker = ">" if seat == position.to_play else "*" if seat in position.winners else " "
        total = words.number(standing.score)
        if standing.away:
            total = words.say("(away) {total}", total=standing.score)
        entries.append(f"{marker} {fitted(name, size - 3 - cells(total))} {total}")
    return ["  ".join(entries[place : place + 2]) for place in range(0, len(entries), 2)]


def ladders(game: Game, words: Words) -> list[str]:
    """Return every player's totals one after another, then the falls, with the entry they happened in."""
    lines = []
    size = min(_LONGEST_NAME, max(map(cells, game.players)))
    for name, seat in zip(game.players, game.position.seats, strict=True):
        rungs = " < ".join(words.number(total) for total in seat.ladder) or "0"
        notes = [words.count("{n} turn without points", "{n} turns without points", seat.scoreless)] * (
            seat.scoreless > 0
        )
        notes += [words.say("away")] * seat.away
        lines.append(f"{fitted(name, size)}  {rungs}{''.join(f' ({note})' for note in notes)}")
    falls = list(_falls(game, words))
    return lines + ([words.say("Falls:"), *falls] if falls else [])


def _falls(game: Game, words: Words) -> Iterator[str]:
    ends = [turn.last_action for turn in game.turns()]
    for count, (_, _, step) in enumerate(game.steps(), start=1):
        for event in step.events:
            if isinstance(event, Fell):
                entry = sum(end < count for end in ends) + 1
                yield words.say("  entry {entry}: {sentence}", entry=entry, sentence=words.event(event, game.players))


def entries(game: Game) -> list[str]:
    """Return the turns of the record, numbered as ``fix`` counts them."""
    turns = game.turns()
    size = len(str(len(turns)))
    return [f"{n:>{size}}  {game.players[turn.player]}: {turn.text}" for n, turn in enumerate(turns, start=1)]


# The turn


def choices(position: Position, words: Words) -> list[str]:
    """Return every legal set-aside, numbered, with what it is worth and what it leads to."""
    keeps = legal_keeps(position)
    heads = (
        "",
        words.say("dice"),
        words.say("points"),
        words.say("at risk"),
        words.say("left"),
        words.say("bust"),
        words.say("banking"),
    )
    rows = [heads]
    for number, keep in enumerate(keeps[:_MOST_CHOICES], start=1):
        rows.append(
            (f"#{number}", format_dice(keep.dice), words.number(keep.points), *_leads_to(position, keep, words))
        )
    on_table = words.say(
        "On the table: {faces}. At risk so far: {points}.",
        faces=" ".join(map(str, position.roll)),
        points=words.points(position.turn_points),
    )
    lines = ["  " + line for line in columns(rows, right=(2, 3, 4, 5))]
    more = ", ".join(
        f"#{number} {words.value(keep)}" for number, keep in enumerate(keeps[_MOST_CHOICES:], start=_MOST_CHOICES + 1)
    )
    if more:
        lines.append("  " + words.say("and {choices}", choices=more))
    lines = [on_table, *(shortened(line, WIDTH) for line in lines[: len(rows)]), *lines[len(rows) :]]
    if position.announced is not None:
        lines.append(words.say("The prediction was right: the points at risk are doubled."))
    return lines


def _leads_to(position: Position, keep: Keep, words: Words) -> tuple[str, str, str, str]:
    """The cells of a choice: points at risk, dice left, chance of a bust with them, and banking."""
    rules = position.rules
    points = (position.turn_points + keep.points) * (1 if position.announced is None else 2)
    left = position.dice_left - len(keep.dice)
    if rules.exact and position.score + points > rules.target:
        passed = words.say("passes {target}: turn lost", target=rules.target)
        return words.number(points), "-", "-", passed
    bust = words.percent(float(odds(rules, left or rules.dice).bust))
    left_text = words.number(left) if left else words.say("all {dice}", dice=rules.dice)
    return words.number(points), left_text, bust, banking(position, points, left, words)


# Questions


def chances(rules: Rules, words: Words) -> list[str]:
    """Return the chances of a roll by the number of dice."""
    rows = [(words.say("dice"), words.say("bust"), words.say("all dice count"), words.say("mean of the best choice"))]
    for dice in range(1, rules.dice + 1):
        found = odds(rules, dice)
        rows.append(
            (
                words.number(dice),
                words.percent(float(found.bust)),
                words.percent(float(found.full)),
                words.number(round(found.mean_best)),
            )
        )
    return ["  " + line for line in columns(rows, right=range(4))]


def dispute(position: Position, dice: Dice | None, roll: Dice, words: Words) -> list[str]:
    """Return how the points of ``dice`` in ``roll`` come about, or why they do not count, and all that does.

    Of the roll on the table only that counts which may be set aside now, after a right announcement too. Without ``dice`` the best choice of the roll is explained. Raises IllegalAction for a roll this game has not.
    """
    rules = position.rules
    found = score(rules, roll)
    if found.wins:
        return [words.say("{roll} wins at once.", roll=roll)]
    if found.bust:
        return [words.say("{roll} is a bust: no die in it counts.", roll=roll)]
    if position.phase != "choose" or sorted(position.roll) != sorted(roll):
        position = Position(rules, (Seat(), Seat()), 0, "choose", 0, len(roll), roll)
    if dice is not None and (refusal := _refusal(position, dice)):
        return [words.error(refusal), *(_parts(rules, dice, words) if position.announced is None else [])]
    keeps = legal_keeps(position)
    keep = keeps[0] if dice is None else found.by_dice[dice]
    lines = [_explained(keep, format_dice(roll), words)]
    every = ", ".join(map(words.value, keeps))
    return [*lines, words.say("All that can be set aside of {roll}: {choices}.", roll=roll, choices=every)]


def _explained(keep: Keep, roll: str, words: Words) -> str:
    made = " + ".join(
        words.say("{dice}: {points} ({name})", dice=meld.dice, points=meld.points, name=_name(meld.pattern, words))
        if len(meld.dice) > 1
        else words.say("{dice}: {points}", dice=meld.dice, points=meld.points)
        for meld in keep.melds
    )
    return words.say(
        "{dice} in {whole} is worth {points}: {made}.",
        dice=keep.dice,
        whole=roll,
        points=words.points(keep.points),
        made=made,
    )


def _name(pattern: str, words: Words) -> str:
    if pattern == "blank":
        return words.say("a roll of all dice in which nothing scores")
    return words.combination(pattern)


def _refusal(position: Position, dice: Dice) -> IllegalAction | None:
    """Why ``dice`` could not be set aside of the roll, as the game itself says it; None if they could."""
    try:
        verify(position, SetAside(dice))
    except IllegalAction as refusal:
        return refusal
    return None


def _parts(rules: Rules, dice: Dice, words: Words) -> Iterable[str]:
    """Which of the dice are the ones that count for nothing, when that is clear."""
    best = max(score(rules, dice).keeps, key=lambda keep: len(keep.dice), default=None) if dice else None
    if best is None:
        return []
    idle = list(dice)
    for face in best.dice:
        idle.remove(face)
    return (
        [
            words.say(
                "Of these dice {dice} would count; {idle} would be part of no combination.",
                dice=best.dice,
                idle="".join(map(str, idle)),
            )
        ]
        if idle
        else []
    )


# Refusals

_OF_SEATS = {
    "already_away": N_("{player} has already left."),
    "not_away": N_("{player} has not left."),
    "leave_between_turns": N_("{player} can leave when the turn in progress is over."),
    "back_between_turns": N_("{player} can come back when the turn in progress is over."),
    "last_player_stays": N_("{player} is the last one present and cannot leave."),
}


def refusal(problem: CinqMilleError, names: Sequence[str], words: Words) -> str:
    """Return the sentence of a refusal, with a player's name where it has a seat."""
    cause = problem.cause if isinstance(problem, RecordError) else problem
    if cause.code in _OF_SEATS:
        return words.say(_OF_SEATS[cause.code], player=names[cause.params["seat"] - 1])
    return words.error(cause)


# What may be done


def may_bank(position: Position) -> bool:
    """Tell whether the player to play may bank now."""
    return position.phase == "decide" and bank_problem(position, position.turn_points, position.dice_left) is None


def may_announce(position: Position) -> bool:
    """Tell whether an announcement is possible now."""
    return position.rules.prediction and position.phase == "decide" and position.dice_left == 2


def example(position: Position) -> Dice:
    """Return the dice of the best choice, to show how one is typed."""
    return legal_keeps(position)[0].dice
