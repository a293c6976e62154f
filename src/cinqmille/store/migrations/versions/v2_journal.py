"""Tables that many devices share: their kind, who did what and why, who holds a seat, the number of the last entry."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Add what was missing; what is there stays as it is."""
    op.add_column("tables", sa.Column("kind", sa.String(8), nullable=False, server_default=sa.text("'local'")))
    op.add_column("tables", sa.Column("number", sa.Integer, nullable=False, server_default=sa.text("0")))
    op.execute("ALTER TABLE tables RENAME COLUMN record TO opening")
    op.execute(
        "UPDATE tables SET number = "
        '(SELECT coalesce(max(entries.number), 0) FROM entries WHERE entries."table" = tables.id)'
    )
    op.add_column("entries", sa.Column("author", sa.Integer))
    op.add_column("entries", sa.Column("cause", sa.Text, nullable=False, server_default=sa.text("''")))
    if op.get_context().dialect.name != "sqlite":  # which knows no lengths
        op.alter_column("entries", "kind", type_=sa.Text)
    op.create_table(
        "holders",
        sa.Column("device", sa.String(64), nullable=False),
        sa.Column("table", sa.String(32), sa.ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
        sa.PrimaryKeyConstraint("device", "table"),
    )
    op.create_index("ix_holders_table", "holders", ["table"])
