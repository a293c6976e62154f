"""The command ``verify``: what was found when every roll of a record was worked out again, and what that shows."""

from __future__ import annotations

from cinqmille.attested import checked
from cinqmille.cli.answers import of_record
from cinqmille.cli.output import Answer, wrapped
from cinqmille.errors import InvalidText
from cinqmille.fair import is_link, verify
from cinqmille.words import Words


def verified(file: str, commitment: str | None, seal: str | None, words: Words) -> Answer:
    """Check the dice of a record, and that its commitment and its seal are those that were noted, where they were."""
    promise, end = _digits(commitment, "bad_commitment"), _digits(seal, "bad_seal")
    found = of_record(file, lambda text: verify(text, promise, end), words)
    return Answer(found.to_json, lambda: "\n".join(wrapped(line) for line in checked(found, words)))


def _digits(noted: str | None, code: str) -> str | None:
    digits = None if noted is None else noted.strip().lower()
    if digits is not None and not is_link(digits):
        raise InvalidText(code, text=noted)
    return digits
