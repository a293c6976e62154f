"""The command ``cinqmille``: it reads what was typed, in the reader's language, and answers.

The answer goes to the standard output, as text or, with ``--json``, as exactly one JSON object; everything else
goes to the standard error. The exit status is 0, or 2 for bad usage or bad input (one sentence says what is
wrong and what would be right), or 1 for a failure of ours (``CINQMILLE_DEBUG=1`` shows where), or 130 after Ctrl-C.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

from cinqmille.cli import refusals
from cinqmille.cli.output import Answer, print_file, print_json, print_text, silence
from cinqmille.cli.refusals import Refusal
from cinqmille.plaintext import usable
from cinqmille.words import LANGUAGES, Words, language

DONE, FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with ``argv`` (what was typed after its name) and return its exit status."""
    sys.stdout, sys.stderr = usable(sys.stdout), usable(sys.stderr)
    try:
        return _answered(list(sys.argv[1:] if argv is None else argv))
    except BrokenPipeError:  # the reader has seen enough, as in `cinqmille rules | head -1`
        silence()
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED


def _answered(typed: list[str]) -> int:
    words = Words("en")
    try:
        words = Words(language())
        lang, rest = _language(typed, words)
        words = Words(lang) if lang else words
        status = _run(rest or _default(), words)
        sys.stdout.flush()
        return status
    except Refusal as refusal:
        return _refuse(refusal, typed, REFUSED)
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except OSError as error:  # what is read is refused where it is read, so this is the answer: a full disk, say
        silence()
        print(words.say("The answer cannot be written: {detail}.", detail=error.strerror or error), file=sys.stderr)
        return FAILED
    except Exception as error:
        if _mended(error):
            return _answered(typed)
        if os.environ.get("CINQMILLE_DEBUG"):
            traceback.print_exc()
        problem = f"{type(error).__name__}: {error}"
        message = words.say("cinqmille itself failed ({problem}); CINQMILLE_DEBUG=1 shows where.", problem=problem)
        return _refuse(Refusal("internal", message), typed, FAILED)


def _mended(error: Exception) -> bool:
    """Whether compiled code was damaged, and is gone now; without numba there is none."""
    if "numba" not in sys.modules:
        return False
    from cinqmille.compiling import mended

    return mended(error)


def _refuse(refusal: Refusal, typed: Sequence[str], status: int) -> int:
    if "--json" in typed:
        print_json(refusal.to_json(), sys.stdout)
    print(refusal.message, file=sys.stderr)
    return status


def _default() -> list[str]:
    """What ``cinqmille`` alone does: open the game where somebody is there to play, else tell what there is."""
    return ["serve"] if sys.stdin is not None and sys.stdin.isatty() else ["--help"]


def _language(typed: Sequence[str], words: Words) -> tuple[str, list[str]]:
    """Take ``--lang`` out of what was typed, wherever it stands; the last one counts."""
    lang, rest = "", list[str]()
    if typed[:1] == ["__complete"]:  # a shell asks how half a command line may go on
        return lang, list(typed)
    tokens = iter(typed)
    for token in tokens:
        if token == "--":
            return lang, [*rest, token, *tokens]
        name, equals, value = token.partition("=")
        if name != "--lang":
            rest.append(token)
            continue
        lang = value if equals else next(tokens, "")
        if lang not in LANGUAGES:
            raise refusals.bad_choice("--lang", lang, LANGUAGES, words)
    return lang, rest


def _run(tokens: list[str], words: Words) -> int:
    from cyclopts import CycloptsError

    from cinqmille.cli.commands import command_line
    from cinqmille.errors import CinqMilleError

    try:
        command, bound, _ = command_line(words).parse_args(tokens, exit_on_error=False, print_error=False)
        outcome = command(*bound.args, **bound.kwargs)
    except CycloptsError as error:
        raise refusals.of_usage(error, words) from error
    except CinqMilleError as error:
        raise refusals.of_input(error, words) from error
    match outcome:
        case Answer() if bound.arguments.get("json"):
            print_json(outcome.data(), sys.stdout)
        case Answer():
            print_text(outcome.text(), sys.stdout)
        case str():
            print_file(outcome, sys.stdout)
        case int():
            return outcome
        case _:  # cyclopts has printed a help page or the version itself
            pass
    return DONE
