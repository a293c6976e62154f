"""What can be said about the dice of a game, for whichever door says it: what a check shows, and what it does not.

Every function returns sentences in the reader's language.
"""

from __future__ import annotations

from cinqmille.fair import Seat, Verified
from cinqmille.words import Words


def checked(found: Verified, words: Words, *, noted: bool = False) -> list[str]:
    """Return what a verified record shows and what not; ``noted``: its commitment is the one that was known before."""
    say = words.say
    lines = [
        words.count("Verified: {n} roll, as it was drawn.", "Verified: {n} rolls, all as they were drawn.", found.rolls)
    ]
    if found.table is None or found.commitment is None:
        lines.append(say("They follow from a seed: whoever knew it before the game knew every roll."))
        return lines
    lines += [_seat(seat, words) for seat in found.seats]
    lines.append(say("Table {table}, commitment {commitment}.", table=found.table, commitment=found.commitment))
    if noted:
        lines.append(say("That is the commitment you noted: the server chose its secret before the game."))
    else:
        lines.append(
            say("Compare the commitment with the one noted before the game: a record made up afterwards has one too.")
        )
    lines.append(
        say(
            "A roll with a link was chosen neither by its player nor by the server: only the two in league could have "
            "foreseen or steered it. A roll without a link could be foreseen by the server, which also says when a "
            "link did not come."
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
