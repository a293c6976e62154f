"""What players are told about where a game stands: whose turn it is, what is needed, what is at risk, what is on offer.

Every function returns sentences in the reader's language, for whichever door shows them; nothing here asks or plays.
"""

from __future__ import annotations

from cinqmille.actions import ANNOUNCEMENTS
from cinqmille.errors import IllegalAction
from cinqmille.game import bank_problem
from cinqmille.odds import odds
from cinqmille.position import Position
from cinqmille.record import Game
from cinqmille.rules import Rules
from cinqmille.words import Words


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


def banking(position: Position, points: int, left: int, words: Words) -> str:
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
