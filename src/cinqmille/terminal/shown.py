"""What the terminal shows of a game: where it stands, what each choice is worth and risks, scores, ladders, disputes.

Every function returns lines in the reader's language; nothing here asks, plays or prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cinqmille.actions import ANNOUNCEMENTS, Fell, SetAside
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


def turn_begins(game: Game, words: Words) -> list[str]:
    """Return whose turn begins, what that player needs, and what to beware of."""
    position = game.position
    rules, score_now = position.rules, position.score
    assert position.to_play is not None
    name = game.players[position.to_play]
    lines = [
        words.say(
            "{player} to play (entry {entry}): {standing}",
            player=name,
            entry=len(game.turns()) + 1,
            standing=_to_target(position, words),
        )
    ]
    need = rules.entry if score_now <= 0 else rules.min_bank
    if need:
        lines.append(
            words.say("Getting on the board takes {need} points in one turn.", need=need)
            if score_now <= 0
            else words.say("Banking takes {need} points in one turn.", need=need)
        )
    if rules.last_leg and score_now >= rules.cap:
        lines.append(words.say("The last leg: all {need} points must come in one turn.", need=rules.target - score_now))
    lines += last_turns(game, words)
    lines += scoreless_warning(position, position.to_play, name, words)
    return lines


def last_turns(game: Game, words: Words) -> list[str]:
    """Return what the last turns are about, while they last."""
    position = game.position
    opener = position.opener
    if opener is None or position.to_play is None:
        return []
    highest = max(position.scores)
    return [
        words.say(
            "The last turns: {player} has reached the target, the highest total is {highest}. {missing} points would match it.",
            player=game.players[opener],
            highest=highest,
            missing=max(0, highest - position.score),
        )
    ]


def scoreless_warning(position: Position, seat: int, name: str, words: Words) -> list[str]:
    """Return the warning that the next turn without gain costs something; empty when it does not (yet)."""
    rules, standing = position.rules, position.seats[seat]
    if not rules.scoreless_limit or standing.scoreless != rules.scoreless_limit - 1 or position.to_play is None:
        return []
    penalty = rules.scoreless_penalty
    if isinstance(penalty, int):
        return [
            words.say(
                "Careful, {player}: another turn without gain costs {penalty} points.", player=name, penalty=penalty
            )
        ]
    return [
        words.say(
            "Careful, {player}: another turn without gain means {penalty}.",
            player=name,
            penalty=words.choice_label("scoreless_penalty", penalty),
        )
    ]


def _to_target(position: Position, words: Words) -> str:
    missing = max(0, position.rules.target - position.score)
    points = words.points(position.score)
    if position.rules.exact:
        return words.say("{points}, exactly {missing} to the target.", points=points, missing=missing)
    return words.say("{points}, {missing} to the target.", points=points, missing=missing)


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
    return words.number(points), left_text, bust, _banking(position, points, left, words)


def _banking(position: Position, points: int, left: int, words: Words) -> str:
    """What banking would come to, in a few words."""
    rules = position.rules
    problem = bank_problem(position, points, left)
    if problem is None:
        total = position.score + points
        if rules.cap < total < rules.target:
            return words.say("{total}, where it stops", total=rules.cap)
        return (
            words.say("wins")
            if total >= rules.target and rules.ending == "first"
            else words.say("total {total}", total=total)
        )
    if "missing" in problem[1]:
        return words.say("{missing} short", missing=problem[1]["missing"])
    return words.say("must roll again")


def decision(position: Position, words: Words) -> list[str]:
    """Return what is at risk, what banking would do or what is missing for it, and the risk of rolling again."""
    rules, points = position.rules, position.turn_points
    left = position.dice_left or rules.dice
    lines = [words.say("At risk: {points}.", points=words.points(points))]
    problem = bank_problem(position, points, position.dice_left)
    total = position.score + points
    if problem is not None:
        lines.append(words.error(IllegalAction(problem[0], **problem[1])))
    elif rules.cap < total < rules.target:
        lines.append(words.say("Banked now the total stops at {total}, where the last leg begins.", total=rules.cap))
    else:
        lines.append(
            words.say("Banked now that makes {total}, the target.", total=total)
            if total >= rules.target
            else words.say(
                "Banked now that makes {total}, {missing} short of the target.",
                total=total,
                missing=rules.target - total,
            )
        )
    return [*(" ".join(lines),), risk(rules, left, words), *_announcements(position, words)]


def risk(rules: Rules, dice: int, words: Words) -> str:
    """Return the chance of a bust with so many dice, as a sentence."""
    bust = words.percent(float(odds(rules, dice).bust))
    return words.count(
        "Rolling {n} die is a bust with a chance of {bust}.",
        "Rolling {n} dice is a bust with a chance of {bust}.",
        dice,
        bust=bust,
    )


def _announcements(position: Position, words: Words) -> list[str]:
    if not position.rules.prediction or position.dice_left != 2:
        return []
    law = odds(position.rules, 2).points
    chances = ", ".join(f"?{points} {words.percent(float(law.get(points, 0)))}" for points in ANNOUNCEMENTS)
    return [
        words.say(
            "Announce what the two dice will score? If right, the turn doubles. Chances: {chances}.", chances=chances
        )
    ]


def announced(position: Position, words: Words) -> list[str]:
    """Return the announcement that the next roll decides, if there is one."""
    if position.announced is None:
        return []
    return [words.say("{points} announced: if right, the turn doubles.", points=position.announced)]


def offer(game: Game, words: Words) -> list[str]:
    """Return the previous turn that may be taken over, as a question."""
    position = game.position
    found = position.offer
    assert found is not None
    rules = position.rules
    dice = found.dice or rules.dice
    asked = (
        words.count(
            "{player} banked a turn of {points} points and left {n} die. Take it over?",
            "{player} banked a turn of {points} points and left {n} dice. Take it over?",
            dice,
            player=game.players[found.by],
            points=found.points,
        )
        if found.dice
        else words.say(
            "{player} banked a turn of {points} points with hot dice: all {dice} dice would be rolled. Take it over?",
            player=game.players[found.by],
            points=found.points,
            dice=dice,
        )
    )
    return [asked, risk(rules, dice, words)] + ([risk(rules, rules.dice, words)] if dice != rules.dice else [])


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
