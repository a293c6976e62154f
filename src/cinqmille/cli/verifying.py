"""The command ``verify``: what was found when every roll of a record was worked out again, and what that shows."""

from __future__ import annotations

from cinqmille.attested import checked
from cinqmille.cli.answers import of_record
from cinqmille.cli.output import Answer, wrapped
from cinqmille.errors import InvalidText
from cinqmille.fair import Verified, is_link, verify
from cinqmille.words import Words


def verified(file: str, commitment: str | None, words: Words) -> Answer:
    """Check the dice of a record, and that its commitment is the one that was noted, where one was."""
    noted = None if commitment is None else commitment.strip().lower()
    if noted is not None and not is_link(noted):
        raise InvalidText("bad_commitment", text=commitment)
    found = of_record(file, lambda text: verify(text, noted), words)
    return Answer(found.to_json, lambda: _text(found, noted=noted is not None, words=words))


def _text(found: Verified, *, noted: bool, words: Words) -> str:
    return "\n".join(wrapped(line) for line in checked(found, words, noted=noted))
