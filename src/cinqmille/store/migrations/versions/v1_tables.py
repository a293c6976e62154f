"""What the first version stored: tables, their entries, small values of devices."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "tables",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("device", sa.String(64), nullable=False, index=True),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("opened", sa.Float, nullable=False),
        sa.Column("played", sa.Float, nullable=False),
        sa.Column("over", sa.Integer, nullable=False),
    )
    op.create_table(
        "entries",
        sa.Column("table", sa.String(32), sa.ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("table", "number"),
    )
    op.create_table(
        "remembered",
        sa.Column("device", sa.String(64), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("device", "key"),
    )
