"""The command ``tables``, for whoever runs a server: which tables are stored, and which are deleted."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from cyclopts import App, Parameter

from cinqmille.cli.output import Answer, Data, columns
from cinqmille.cli.refusals import Refusal, conflict, whole
from cinqmille.cli.shared import PROGRAM, Lang, Shared
from cinqmille.words import Words

if TYPE_CHECKING:
    from cinqmille.store import Listed, Store

_DAY = 24 * 3600
_Found = TypeVar("_Found")


def add_tables(app: App, shared: Shared) -> None:
    """Add the command ``tables``."""
    words, say = shared.words, shared.words.say
    label = say("ID")
    what = Parameter(
        name=say("WHAT"),
        show_choices=False,
        help=say("list: every table; delete: the one named; prune: all that nobody has played for so many days."),
    )
    which = Parameter(name=label, help=say("The table to delete, as list shows it (after -- where it begins with -)."))
    old = Parameter(
        name="--days",
        metavar=say("NUMBER"),
        help=say("With prune: only tables last played longer ago than so many days."),
    )
    unbegun = shared.flag("--unbegun", say("With prune: of these only tables where the game never began."))
    database = Parameter(
        name="--database", metavar="URL", help=say("The database; CINQMILLE_DATABASE or a file of yours unless given.")
    )
    as_json = shared.json(
        "database, tables [id, kind, stage, players, opened, played, entries]; database, deleted [id]"
    )
    purpose = say("For whoever runs a server: list the stored tables, delete one, delete old ones. It asks nothing.")

    @app.command(**shared.about(10, "tables", say("WHAT"), f"[{label}]", help=purpose))
    def _(
        what: Annotated[Literal["list", "delete", "prune"], what],
        id: Annotated[str | None, which] = None,
        /,
        *,
        days: Annotated[str | None, old] = None,
        unbegun: Annotated[bool, unbegun] = False,
        database: Annotated[str | None, database] = None,
        json: Annotated[bool, as_json] = False,
        lang: Annotated[Lang, shared.lang] = None,
    ) -> Answer:
        if what != "prune" and (days is not None or unbegun):
            raise conflict(what, "--unbegun" if days is None else "--days", words)
        if what != "delete" and id is not None:
            help = f"{PROGRAM} tables --help"
            raise Refusal(
                "too_many_words",
                say("'{word}' is one word too many: {help} shows how to write it.", word=id, help=help),
            )
        match what:
            case "list":
                return _list(database, words)
            case "delete":
                return _delete(database, _given(id, label, words), words)
            case "prune":
                given = whole("--days", _given(days, "--days", words), words)
                return _prune(database, given, unbegun, words)


def _given(value: str | None, what: str, words: Words) -> str:
    if value is None:
        help = f"{PROGRAM} tables --help"
        sentence = words.say("{argument} is missing: {help} shows how to write it.", argument=what, help=help)
        raise Refusal("argument_missing", sentence)
    return value


def _asked(database: str | None, work: Callable[["Store"], Awaitable[_Found]]) -> tuple[str, _Found]:
    """Return the name of the database, and what is found in it."""
    from cinqmille.store import Store, default_url

    async def done() -> tuple[str, _Found]:
        store = await Store.open(database or default_url(), new=False)
        try:
            return store.name, await work(store)
        finally:
            await store.close()

    return asyncio.run(done())


def _list(database: str | None, words: Words) -> Answer:
    name, tables = _asked(database, lambda store: store.listed())

    def data() -> Data:
        return {"database": name, "tables": [_row(table) for table in tables]}

    def text() -> str:
        told = words.count("{name} holds {n} table.", "{name} holds {n} tables.", len(tables), name=name)
        if not tables:
            return told
        say = words.say
        head = [say("ID"), say("last played (UTC)"), say("entries"), say("state"), say("players")]
        rows = [
            [
                table.id, _shown(table.played), words.number(table.entries),
                _state(table, words), ", ".join(table.players) or "?",
            ]
            for table in tables
        ]  # fmt: skip
        return f"{told}\n\n{columns([head, *rows], right=(2,))}"

    return Answer(data, text)


def _row(table: "Listed") -> Data:
    return {
        "id": table.id, "kind": table.kind, "stage": table.stage, "players": list(table.players),
        "opened": _moment(table.opened), "played": _moment(table.played), "entries": table.entries,
    }  # fmt: skip


def _state(table: "Listed", words: Words) -> str:
    state = {
        "over": words.say("over"), "playing": words.say("being played"), "unbegun": words.say("not begun"),
    }[table.stage]  # fmt: skip
    return words.say("{state}, online", state=state) if table.kind == "online" else state


def _delete(database: str | None, id: str, words: Words) -> Answer:
    name, found = _asked(database, lambda store: store.delete(id))
    if not found:
        raise Refusal("no_such_table", words.say("There is no table '{id}' in {name}.", id=id, name=name))
    return Answer(
        lambda: {"database": name, "deleted": [id]},
        lambda: words.say("Deleted from {name}: table {id}, with everything played at it.", name=name, id=id),
    )


def _prune(database: str | None, days: int, unbegun: bool, words: Words) -> Answer:
    if days < 0:
        raise Refusal("bad_value", words.say("{name} cannot be below 0.", name="--days"))
    name, ids = _asked(database, lambda store: store.prune(time.time() - days * _DAY, unbegun=unbegun))

    def text() -> str:
        told = words.count("Deleted from {name}: {n} table.", "Deleted from {name}: {n} tables.", len(ids), name=name)
        return "\n".join([told, *(f"  {id}" for id in ids)])

    return Answer(lambda: {"database": name, "deleted": ids}, text)


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _shown(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
