"""What the command refuses, as one sentence in the reader's language with a stable code.

What cannot be read or is not allowed comes from the package with its code and sentence; what is wrong with the
words of a command line comes from cyclopts in English and is said again here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from cinqmille.errors import CinqMilleError, RecordError
from cinqmille.plaintext import printable
from cinqmille.words import Words

if TYPE_CHECKING:
    from cyclopts import CycloptsError
    from cyclopts.argument import Argument
    from cyclopts.token import Token


@dataclass(slots=True)
class Refusal(Exception):
    """Bad usage or bad input: a code, the sentence, and where in a file it went wrong."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None

    def __post_init__(self) -> None:
        self.message = printable(re.sub(r"[\r\n]+", " ", self.message))

    def to_json(self) -> dict[str, object]:
        """Return the answer of ``--json``."""
        where = {"line": self.line, "column": self.column}
        place = {name: number for name, number in where.items() if number is not None}
        return {"error": {"code": self.code, "message": self.message, **place}}


def of_input(error: CinqMilleError, words: Words, file: str = "") -> Refusal:
    """Return the refusal of what was read, from ``file`` if it is named."""
    line, column = _place(error)
    message = words.error(error)
    if file and "file" not in error.params:
        message = words.say("{file}: {sentence}", file=file, sentence=message)
    return Refusal(error.code, message, line, column)


def _place(error: CinqMilleError) -> tuple[int | None, int | None]:
    if isinstance(error, RecordError):
        return error.line, error.column
    if error.code == "bad_toml":
        # The reader of TOML tells the place only in its sentence.
        found = re.search(r"line (\d+), column (\d+)", str(error.params.get("detail", "")))
        return (int(found[1]), int(found[2])) if found else (None, None)
    return error.params.get("line"), error.params.get("column")


def bad_choice(name: str, value: str, choices: Iterable[str], words: Words) -> Refusal:
    """Return the refusal of a value that is none of the ``choices``."""
    message = words.say(
        "{name} cannot be '{value}': it is one of {choices}.", name=name, value=value, choices=tuple(choices)
    )
    return Refusal("bad_value", message)


def no_number(name: str, value: str, words: Words) -> Refusal:
    """Return the refusal of a value that is no whole number."""
    return Refusal("bad_value", words.say("{name} cannot be '{value}': it is a whole number.", name=name, value=value))


def whole(name: str, value: str, words: Words) -> int:
    """Return the whole number that was typed for an option; raise the refusal of anything else."""
    if re.fullmatch(r"[+-]?[0-9]{1,20}", value) is None:
        raise no_number(name, value, words)
    return int(value)


def port_of(name: str, value: str, words: Words) -> int:
    """Return the port that was typed for an option; raise the refusal of what is none."""
    if (port := whole(name, value, words)) not in range(65536):
        raise Refusal(
            "bad_value",
            words.say("{name} cannot be {value}: ports are numbers from 0 to 65535.", name=name, value=value),
        )
    return port


def conflict(one: str, other: str, words: Words) -> Refusal:
    """Return the refusal of two options that ask for different answers."""
    return Refusal(
        "conflict", words.say("{one} and {other} ask for different answers: give one of them.", one=one, other=other)
    )


def of_usage(error: CycloptsError, words: Words) -> Refusal:
    """Return the refusal of a command line that cyclopts cannot make sense of."""
    import cyclopts.exceptions as wrong

    say = words.say
    help = " ".join(["cinqmille", *(error.command_chain or ()), "--help"])
    match error:
        case wrong.UnknownCommandError(unused_tokens=[str(token), *_], app=app) if app is not None:
            if token.startswith("-"):
                return _unknown_option(token, ("--help", "--version", "--lang"), words)
            known = tuple(name for name in app.resolved_commands() if not name.startswith("-"))
            message = say(
                "There is no command {command}: there are {known}.", command=_quoted(token, known, words), known=known
            )
            return Refusal("unknown_command", message)
        case wrong.UnknownOptionError(token=token, argument_collection=arguments):
            names = [name for argument in arguments if argument.show for name in argument.names]
            known = (*(name for name in names if name.startswith("--")), "--help")
            return _unknown_option(token.keyword or token.value, known, words)
        case wrong.UnusedCliTokensError(unused_tokens=[str(token), *_]):
            return Refusal(
                "too_many_words",
                say("'{word}' is one word too many: {help} shows how to write it.", word=token, help=help),
            )
        case wrong.MissingArgumentError(argument=argument) if argument is not None:
            if argument.index is not None:
                label = argument.name.lstrip("-").upper()
                return Refusal(
                    "argument_missing",
                    say("{argument} is missing: {help} shows how to write it.", argument=label, help=help),
                )
            name = error.keyword or argument.name
            example = f"{name} {argument.parameter.metavar}"
            return Refusal(
                "value_missing", say("{option} needs a value: write {example}.", option=name, example=example)
            )
        case wrong.RepeatArgumentError(token=token):
            return Refusal("repeated_option", say("'{name}' is given twice.", name=token.keyword or token.value))
        case wrong.CoercionError(argument=argument, token=token) if argument is not None and token is not None:
            return _bad_value(argument, token, words)
        case _:
            given = " ".join(error.root_input_tokens or ())
            return Refusal(
                "bad_usage",
                say("'{given}' cannot be understood: {help} shows how to write it.", given=given, help=help),
            )


def _bad_value(argument: Argument, token: Token, words: Words) -> Refusal:
    name = token.keyword or argument.name.lstrip("-").upper()
    choices = argument.get_choices(force=True)
    if choices:
        return bad_choice(name, token.value, choices, words)
    message = words.say("{name} takes no value, not '{value}' either.", name=name, value=token.value)
    return Refusal("bad_value", message)


def _unknown_option(option: str, known: tuple[str, ...], words: Words) -> Refusal:
    quoted = _quoted(option.partition("=")[0], known, words)
    return Refusal(
        "unknown_option", words.say("There is no option {option} here: there are {known}.", option=quoted, known=known)
    )


def _quoted(given: str, known: Iterable[str], words: Words) -> str:
    """The word as it was given, with the one that was perhaps meant."""
    close = get_close_matches(given, list(known), n=1, cutoff=0.75)
    return (
        words.say("'{given}' (perhaps {meant})", given=given, meant=close[0])
        if close
        else words.say("'{given}'", given=given)
    )
