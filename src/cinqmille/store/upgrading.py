"""A database brought to what this version stores: the steps of ``migrations`` that it has not seen, in one transaction.

Databases of the first version bear no mark; they are known by their tables. One of a newer version is refused.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from cinqmille.store.database import Database, StoreError, detail_of, patiently, shown

HEAD = "2"
_FIRST = "1"
_MIGRATIONS = Path(__file__).parent / "migrations"
_LONGEST = 300  # seconds
_LOCK = 5000_5000  # the number under which servers that start at once take turns


def upgrade(database: Database) -> None:
    """Make or upgrade the tables; raises StoreError where the database cannot be used or is of a newer version."""
    try:
        with database.engine.connect() as connection:
            done = _version(connection) == HEAD
        if not done:
            # Another server may be at it, for longer than an entry would wait for its lock.
            patiently(lambda: _upgraded(database), _LONGEST)
    except DBAPIError as error:
        raise StoreError("database_unusable", database=shown(database.address), detail=detail_of(error)) from error


def _upgraded(database: Database) -> None:
    with database.writing.begin() as connection:
        _upgrade(connection, database)


def _version(connection: Connection) -> str | None:
    """The mark of the last step that was taken; None where there is no mark."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    return found


def _upgrade(connection: Connection, database: Database) -> None:
    # Only here: whoever finds its database as it should be starts without it.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    if database.shared:
        connection.execute(text(f"SET LOCAL lock_timeout = '{_LONGEST}s'"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {step.revision for step in ScriptDirectory.from_config(config).walk_revisions()}
    version = _version(connection)
    if version is not None and version not in known:
        raise StoreError("database_newer", database=shown(database.address))
    if version is None and inspect(connection).has_table("tables"):
        command.stamp(config, _FIRST)
    command.upgrade(config, HEAD)
