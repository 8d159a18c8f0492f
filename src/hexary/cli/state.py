"""``hexary state``: a state from a file into a store."""

from __future__ import annotations

import click

from hexary.cli.counter import running_count
from hexary.cli.state_file import put_account, read_state_file
from hexary.cli.store_file import open_store
from hexary.cli.streams import tell

__all__ = ["command"]

_BATCH = 10_000
"""Accounts that are committed together."""


@click.group("state")
def command() -> None:
    """Bring states into stores."""


@command.command("import")
@click.argument("file")
@click.argument("store")
@click.option(
    "--name", default="state", show_default=True, help="Name of the root in the store."
)
def import_(file: str, store: str, name: str) -> int:
    """
    Import FILE into STORE, and print the state root.

    FILE is a genesis file, an alloc, or a dump of geth's, as a document or as lines.
    STORE is made if it does not exist: LMDB's if its name ends in .mdb, else
    SQLite's. The name moves last, so an import that is stopped changes no state.

    Exit codes: 0 done, 1 the file tells another root, 2 the input is at fault.
    """
    from hexary.state.world import State

    found = read_state_file(file)
    done = 0
    with (
        open_store(store, write=True, create=True) as opened,
        running_count("accounts", found.total) as count,
    ):
        state = State(store=opened)
        for address, account in found.accounts:
            put_account(state, address, account, file)
            done += 1
            if done % _BATCH == 0:
                state.commit()
                count(done)
        root = state.root()
        if found.state_root not in (None, root):
            tell(f"state root: got {root}, the file tells {found.state_root}")
            return 1
        state.commit(name)
    click.echo(f"state root  {root}\naccounts    {done:,}")
    return 0
