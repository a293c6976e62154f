"""How alembic takes its steps: on the connection it is given, within the transaction that is open there."""

from alembic import context


def run() -> None:
    """Take the steps that were asked for."""
    context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
    with context.begin_transaction():
        context.run_migrations()


# Alembic runs this file under this name; whoever merely imports it has no steps to take.
if __name__ == "env_py":
    run()
