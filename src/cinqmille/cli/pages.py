"""Help pages in the reader's language: plain text in two columns, good for a screen reader and in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cinqmille.cli.output import columns, wrapped
from cinqmille.words import Words

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions


class Pages:
    """The help formatter that cyclopts is given; what it would say in English is said by ``words``."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """Print how the command is written."""
        console.out(wrapped(self._words.say("Usage: {usage}", usage=str(usage).strip()), indent="  "), highlight=False)

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        """Print what the command does."""
        console.out("\n" + wrapped(_text(description)), highlight=False)

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print one group of commands or options."""
        if not panel.entries:
            return
        console.out(f"\n{panel.title}", style="bold", highlight=False)
        name = self._command if panel.format == "command" else self._parameter
        rows = [[name(entry), self._description(entry)] for entry in panel.entries]
        console.out(columns(rows), highlight=False)

    def _command(self, entry: HelpEntry) -> str:
        return ", ".join(entry.all_options)

    def _parameter(self, entry: HelpEntry) -> str:
        return " ".join(entry.display_labels_with_metavar)

    def _description(self, entry: HelpEntry) -> str:
        say = self._words.say
        notes = []
        if entry.choices:
            notes.append(say("one of: {choices}", choices=entry.choices))
        if entry.default is not None:
            notes.append(say("by default: {default}", default=entry.default))
        if entry.required:
            notes.append(say("required"))
        return " ".join([_text(entry.description), *(f"[{note}]" for note in notes)]).strip()


def _text(described: Any) -> str:
    """The text inside what cyclopts wraps descriptions in."""
    inside = getattr(described, "primary_renderable", described)
    return str(inside or "").strip()
