"""The commands that docs/operate.md gives for backups, tried on databases that are written to at that very moment."""

import asyncio
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import make_url

from cinqmille.store import Store
from postgres import PASSWORD, USER, Postgres
from test_journal import ANA, entry

PAGE = Path(__file__).parents[1] / "docs" / "operate.md"
TABLES = [f"table{place}" for place in range(8)]


def commands(heading: str) -> list[str]:
    """The shell commands below a heading of the page."""
    (block,) = re.findall(
        rf"^#+ {heading}\n.*?```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    return [line for line in block.splitlines() if line and not line.startswith("#")]


def copied(database: str, copy: Callable[[], object]) -> dict[str, int]:
    """Copy a database while entries are written; return what had been acknowledged before the copy began."""

    async def work() -> dict[str, int]:
        store = await Store.open(database)
        acknowledged = dict.fromkeys(TABLES, 0)
        stop = False

        async def writer(id: str) -> None:
            while not stop:
                await store.write(id, entry(acknowledged[id] + 1, content='"' + "x" * 500 + '"'))
                acknowledged[id] += 1

        for id in TABLES:
            await store.put(id, ANA, "{}")
        writers = [asyncio.create_task(writer(id)) for id in TABLES]
        while min(acknowledged.values()) < 40:
            await asyncio.sleep(0.005)
        before = dict(acknowledged)
        await asyncio.to_thread(copy)
        after = dict(acknowledged)
        stop = True
        await asyncio.gather(*writers)
        assert sum(after.values()) > sum(before.values()), "writing went on while the copy was made"
        await store.close()
        return before

    return asyncio.run(asyncio.wait_for(work(), 60))


def whole(database: str, before: dict[str, int]) -> None:
    """The copy holds at least what was acknowledged before it was made, without a gap, and can be played on."""

    async def work() -> None:
        store = await Store.open(database, new=False)
        for id, least in before.items():
            journal = await store.read(id)
            assert journal is not None
            assert [one.number for one in journal.entries] == [*range(1, journal.number + 1)]
            assert journal.number >= least
            await store.write(id, entry(journal.number + 1))
        await store.close()

    asyncio.run(work())


def run(command: str, folder: Path, **environment: str) -> None:
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def test_a_file_is_copied_while_it_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite3"
    (backup,) = commands("Backup of SQLite")
    before = copied(f"sqlite:///{path}", lambda: run(backup, tmp_path))
    (copy,) = set(tmp_path.glob("*.sqlite3")) - {path}
    # Put back beside the remains of a server that was killed.
    for name in ("tables.sqlite3-wal", "tables.sqlite3-shm"):
        (tmp_path / name).write_bytes(b"of another time")
    for command in commands("Restore of SQLite"):
        run(command, tmp_path, COPY=copy.name)
    whole(f"sqlite:///{path}", before)


def test_a_postgresql_is_copied_while_it_is_written_to(postgres: Postgres, tmp_path: Path) -> None:
    urls = {"source": postgres.new(), "target": postgres.new()}
    names = {name: make_url(url).database or "" for name, url in urls.items()}
    # The page names a server and a database of its own; here they are those of the tests.
    server = {"PGPASSWORD": PASSWORD, "PGHOST": "127.0.0.1", "PGPORT": str(postgres.port), "PGUSER": USER}
    path = f"{postgres.programs}:{os.environ['PATH']}"

    def there(command: str, name: str) -> None:
        words = [names[name] if word == "cinqmille" else word for word in shlex.split(command)]
        run(shlex.join(words), tmp_path, PATH=path, **server)

    (backup,) = commands("Backup of PostgreSQL")
    before = copied(urls["source"], lambda: there(backup, "source"))
    for command in commands("Restore of PostgreSQL"):
        if not command.startswith("createdb"):  # the tests made it
            there(command, "target")
    whole(urls["target"], before)
