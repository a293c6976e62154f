"""What is stored, as tables of the database and as values: journals of tables, who holds them, small values of devices.

The database is brought here by the steps in ``migrations``; a test compares what they make with what is declared here.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    text,
)

metadata = MetaData()

tables = Table(
    "tables",
    metadata,
    Column("id", String(32), primary_key=True),
    # Whoever opened it; empty when that device has taken it off its list.
    Column("device", String(64), nullable=False, index=True),
    Column("opening", Text, nullable=False),
    Column("opened", Float, nullable=False),
    Column("played", Float, nullable=False),
    Column("over", Integer, nullable=False, default=0),
    Column("kind", String(8), nullable=False, server_default=text("'local'")),
    # That of the last entry: whoever writes the next one holds this row, so that no number is given twice or left out.
    Column("number", Integer, nullable=False, server_default=text("0")),
)
entries = Table(
    "entries",
    metadata,
    Column("table", ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Column("kind", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("author", Integer),
    Column("cause", Text, nullable=False, server_default=text("''")),
    PrimaryKeyConstraint("table", "number"),
)
holders = Table(
    "holders",
    metadata,
    Column("device", String(64), nullable=False),
    Column("table", ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    PrimaryKeyConstraint("device", "table"),
    Index("ix_holders_table", "table"),
)
remembered = Table(
    "remembered",
    metadata,
    Column("device", String(64), nullable=False),
    Column("key", String(64), nullable=False),
    Column("content", Text, nullable=False),
    PrimaryKeyConstraint("device", "key"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened at a table.

    ``number`` counts from 1, ``at`` is in seconds since 1970, ``author`` the seat from 0 or None for the server,
    ``cause`` says why where that needs saying, ``content`` is JSON text that ``kind`` explains.
    """

    number: int
    at: float
    author: int | None
    cause: str
    kind: str
    content: str


@dataclass(frozen=True, slots=True)
class Journal:
    """A table as it is stored: what it opened with and every entry since; times in seconds since 1970."""

    id: str
    device: str
    kind: str
    opening: str
    entries: tuple[Entry, ...]
    opened: float
    played: float
    over: bool

    @property
    def number(self) -> int:
        """That of the last entry, 0 where there is none."""
        return self.entries[-1].number if self.entries else 0


@dataclass(frozen=True, slots=True)
class Place:
    """A table on a device's list."""

    id: str
    kind: str
    over: bool
    played: float


@dataclass(frozen=True, slots=True)
class Listed:
    """A table as the operator sees it; ``players`` is empty where this version cannot read who plays."""

    id: str
    kind: str
    players: tuple[str, ...]
    opened: float
    played: float
    entries: int
    stage: str  # "unbegun", "playing" or "over"
