"""Every sentence a person reads, in French and English, made from codes, events and parameters.

English sentences are the keys of the gettext catalogs in ``locale/``; ``scripts/words`` collects them from the
source and compiles the French. :class:`Words` is one reader's language: numbers in its form, dice as one
word, names as given.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Mapping
from functools import cache
from importlib import resources

from cinqmille.errors import DICE_PARAMS, SENTENCES, CinqMilleError, RecordError
from cinqmille.scoring import Keep, format_dice

LANGUAGES = ("fr", "en")


def language(environment: Mapping[str, str] | None = None) -> str:
    """Return the language of the environment's locale: ``fr`` when it is French, else ``en``."""
    environment = os.environ if environment is None else environment
    for variable in ("LC_ALL", "LC_MESSAGES", "LANGUAGE", "LANG"):
        value = environment.get(variable, "")
        if value:
            return "fr" if value.lower().startswith("fr") else "en"
    return "en"


@cache
def _catalog(lang: str) -> gettext.NullTranslations:
    if lang == "en":
        return gettext.NullTranslations()
    path = resources.files("cinqmille") / "locale" / lang / "LC_MESSAGES" / "cinqmille.mo"
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


class Words:
    """The words of one language, ``fr`` or ``en``."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._catalog = _catalog(lang)

    def say(self, sentence: str, /, **params: object) -> str:
        """Return ``sentence`` (the English key) in this language, its parameters rendered."""
        return self._fill(self._catalog.gettext(sentence), params)

    def count(self, one: str, many: str, number: int, /, **params: object) -> str:
        """Return the form of a sentence that fits ``number``; it is the parameter ``n`` of the sentence."""
        return self._fill(self._catalog.ngettext(one, many, number), {"n": number, **params})

    def number(self, value: int) -> str:
        """Return a whole number as this language writes it: 5,000 or 5 000 (narrow no-break space)."""
        separated = f"{abs(value):,}"
        sign = "\u2212" if value < 0 else ""
        return sign + (separated if self.lang == "en" else separated.replace(",", "\u202f"))

    def percent(self, value: float, digits: int = 1) -> str:
        """Return a probability as a percentage: 7.7% or 7,7 % (narrow no-break space)."""
        text = f"{100 * value:.{digits}f}"
        return f"{text}%" if self.lang == "en" else f"{text.replace('.', ',')}\u202f%"

    def error(self, error: CinqMilleError) -> str:
        """Return the sentence of a refusal, with line and column when it has them."""
        sentence = self.say(SENTENCES[error.code], **error.params)
        if isinstance(error, RecordError):
            return self.say(
                "line {line}, column {column}: {sentence}", line=error.line, column=error.column, sentence=sentence
            )
        return sentence

    def value(self, value: object, name: str = "") -> str:
        """Return a parameter of a sentence as text."""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return self.number(value)
        if isinstance(value, Keep):
            return f"{format_dice(value.dice)} ({self.number(value.points)})"
        if isinstance(value, tuple):
            return format_dice(value) if name in DICE_PARAMS else ", ".join(self.value(item) for item in value)
        return str(value)

    def _fill(self, sentence: str, params: Mapping[str, object]) -> str:
        return sentence.format(**{name: self.value(value, name) for name, value in params.items()})
