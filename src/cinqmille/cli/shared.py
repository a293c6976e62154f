"""What several commands have in common: their language, their rules, how their options are written and explained."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict

from cyclopts import Parameter

from cinqmille.words import Words

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext

PROGRAM = "cinqmille"

Lang = Literal["fr", "en"] | None


def rule_sheets(context: "CompletionContext") -> list[str]:
    """What a shell may complete a rule sheet to: the presets, and the TOML files that begin as it does."""
    from glob import escape, glob

    from cinqmille.rules import PRESETS

    return [*PRESETS, *glob(f"{escape(context.incomplete)}*.toml")]


class About(TypedDict):
    """What cyclopts is told of a command."""

    name: str
    usage: str
    help: str
    sort_key: int


@dataclass(frozen=True, slots=True)
class Shared:
    """What several commands say in the same way."""

    words: Words

    def usage(self, *words: str) -> str:
        """Return how a command is written."""
        options = self.words.say("OPTIONS")
        return " ".join([PROGRAM, *words, f"[{options}]"])

    def about(self, sort_key: int, name: str, *arguments: str, help: str) -> About:
        """Return what a command is called, how it is written and what it is for."""
        return About(name=name, usage=self.usage(name, *arguments), help=help, sort_key=sort_key)

    @property
    def rules_help(self) -> str:
        """What rules can be given as."""
        return self.words.say("A rule sheet (six-des), a sheet and what differs (cinq-des(entry=500)), or a TOML file.")

    @property
    def rules(self) -> Parameter:
        """The option that names the rules."""
        return Parameter(name="--rules", metavar=self.words.say("RULES"), help=self.rules_help, completer=rule_sheets)

    @property
    def lang_help(self) -> str:
        """What the option for the language is for."""
        return self.words.say("The language, fr or en; unless given, that of the system.")

    @property
    def lang(self) -> Parameter:
        """The option for the language."""
        return Parameter(name="--lang", metavar="fr|en", show_choices=False, help=self.lang_help)

    def json(self, keys: str) -> Parameter:
        """Return the option that asks for JSON with these keys."""
        return self.flag("--json", self.words.say("Answer with one JSON object, for programs: {keys}.", keys=keys))

    def flag(self, name: str, help: str) -> Parameter:
        """Return an option without a value."""
        return Parameter(name=name, negative=(), show_default=False, help=help)
