"""What can be said about the dice of a game, for whichever door says it: what a check shows, and what it does not.

Every function returns sentences in the reader's language.
"""

from __future__ import annotations

from math import sqrt

from cinqmille.fair import Seat, Verified
from cinqmille.tallies import Tally
from cinqmille.words import Words


def checked(found: Verified, words: Words) -> list[str]:
    """Return what a verified record shows and what not; the second sentence says whether it is the game played."""
    say = words.say
    if found.table is None or found.commitment is None:
        return [
            words.count(
                "Verified: {n} roll follows from the seed in this record.",
                "Verified: {n} rolls follow from the seed in this record.",
                found.rolls,
            ),
            say("Whoever knows the seed knows every roll, and can write other games with the same dice."),
        ]
    lines = [
        words.count(
            "Verified: {n} roll follows from the secrets in this record.",
            "Verified: {n} rolls follow from the secrets in this record.",
            found.rolls,
        )
    ]
    if "seal" in found.compared:
        lines.append(say("Its seal is the one you noted: this is the game that ended with it, to the letter."))
    else:
        lines.append(
            say(
                "This alone does not show that it is the game that was played: once a game is over its secrets are "
                "public, and anybody can write another one from them. Compare the seal with somebody who was there: "
                "{seal}.",
                seal=found.seal,
            )
        )
    lines += [_seat(seat, words) for seat in found.seats]
    lines.append(say("Table {table}, commitment {commitment}.", table=found.table, commitment=found.commitment))
    if "commitment" in found.compared:
        lines.append(say("That is the commitment you noted: the server chose its secret before the game."))
    else:
        lines.append(
            say("Compare the commitment with the one noted before the game: a record made up afterwards has one too.")
        )
    lines.append(
        say(
            "While a game is played, a roll with a link is chosen neither by its player nor by the server: only the "
            "two in league can foresee or steer it. A roll without a link can be foreseen by the server, which also "
            "says when a link did not come."
        )
    )
    return lines


def _seat(seat: Seat, words: Words) -> str:
    return words.say(
        "{player}: {rolls}, {own} with a link of the player's own, {alone} without.",
        player=seat.name,
        rolls=words.count("{n} roll", "{n} rolls", seat.rolls),
        own=seat.own,
        alone=seat.alone,
    )


ODD, HARDLY_EVER = 0.05, 0.001  # chances below which fair dice look odd, and hardly ever come


def faces(tally: Tally, words: Words) -> list[str]:
    """Return how often every face came, and how often fair dice come at least as unevenly."""
    say = words.say
    lines = [
        words.count(
            "{n} die thrown; faces from 1 to 6: {faces}, where {each} of each were to be expected.",
            "{n} dice thrown; faces from 1 to 6: {faces}, where {each} of each were to be expected.",
            tally.dice,
            faces=" · ".join(map(words.number, tally.faces)),
            each=words.decimal(tally.dice / 6, 1),
        )
    ]
    chance = tally.faces_chance
    if chance is None:
        return [*lines, say("These are too few dice for a test.")]
    return [
        *lines,
        say(
            "Fair dice come at least as unevenly in {chance} of such games (chi-square {value}, 5 degrees of freedom).",
            chance=_percent(chance, words),
            value=words.decimal(tally.chi_square, 2),
        ),
        _verdict(chance, words),
    ]


def busts(tally: Tally, words: Words) -> list[str]:
    """Return how many busts there were and were to be expected, and how often fair dice are as far from that."""
    say = words.say
    lines = [
        words.count(
            "{n} bust, where these rolls have {expected} on average.",
            "{n} busts, where these rolls have {expected} on average.",
            tally.busts,
            expected=words.decimal(tally.expected, 1),
        )
    ]
    chance = tally.busts_chance
    if chance is None:
        return [*lines, say("These are too few rolls for a test.")]
    return [
        *lines,
        say(
            "Fair dice are at least as far from it in {chance} of such games (the usual deviation is {deviation}).",
            chance=_percent(chance, words),
            deviation=words.decimal(sqrt(tally.variance), 1),
        ),
        _verdict(chance, words),
    ]


def meaning(words: Words) -> list[str]:
    """Return what such tests can show, and what they cannot."""
    say = words.say
    return [
        say(
            "What this can show: that dice are broken. A face that comes twice as often as it should stands out in a "
            "hundred dice; one that comes a tenth too often only in ten thousand."
        ),
        say(
            "What it cannot show: that nobody chose the dice, or knew them before. Whoever does takes care that the "
            "counts look right. That is shown by working out every roll again, which is what a verified record is."
        ),
        say(
            "Of fair games, one in twenty falls below {chance}: whoever looks at many games, or at every player and "
            "both tests, will find some.",
            chance=words.percent(ODD, 0),
        ),
    ]


def _percent(chance: float, words: Words) -> str:
    if chance < HARDLY_EVER:
        return words.say("less than {chance}", chance=words.percent(HARDLY_EVER))
    return words.percent(chance)


def _verdict(chance: float, words: Words) -> str:
    if chance >= ODD:
        return words.say("That is nothing unusual.")
    if chance >= HARDLY_EVER:
        return words.say("That is rather rare, but some of many fair games are like this.")
    return words.say("Fair dice hardly ever do this: check whether every roll of the record can be worked out again.")
