"""``hexary diff``: what differs between two states."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from hexary.cli.state_file import put_account, read_state_file
from hexary.cli.store_file import find_root, is_store_file, open_store

if TYPE_CHECKING:
    from hexary.state.world import State
    from hexary.trie.store import StoreBase

__all__ = ["command"]


@click.command("diff")
@click.argument("a")
@click.argument("b")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
def command(a: str, b: str, as_json: bool) -> int:
    """
    List the values that differ between the states A and B.

    A and B are genesis files, allocs, dumps of geth's, or STORE@ROOT, where ROOT is
    a root's name or hash and may be left out with its @ if there is only one. Each
    line has the address, the field, the slot of storage, and both values.

    Exit codes: 0 the states are equal, 1 they differ, 2 the input is at fault.
    """
    from hexary.state.difference import state_differences

    stores: dict[str, StoreBase] = {}
    with ExitStack() as stack:
        first, second = _state(a, stores, stack), _state(b, stores, stack)
        differs = False
        for each in state_differences(first, second):
            differs = True
            place = str(each.address or each.hashed_address)
            slot = None
            if each.field == "storage":
                slot = str(each.hashed_slot) if each.slot is None else hex(each.slot)
            values = [_shown(value) for value in (each.before, each.after)]
            if as_json:
                facts = (place, each.field, slot, *values)
                names = ("account", "field", "slot", "a", "b")
                click.echo(json.dumps(dict(zip(names, facts, strict=True))))
            else:
                parts = (place, each.field, *([slot] if slot else []), *values)
                click.echo(" ".join(parts))
    return 1 if differs else 0


def _state(name: str, stores: dict[str, StoreBase], stack: ExitStack) -> State:
    """
    Return the state that an argument names.

    Args:
        name: the argument.
        stores: what is open by now, by path: LMDB opens a file once.
        stack: what closes the stores.
    """
    from hexary.state.world import State

    path, at, root = name.rpartition("@")
    if not at or is_store_file(name):
        path, root = name, ""
    if is_store_file(path):
        place = os.path.realpath(path)
        if place not in stores:
            stores[place] = stack.enter_context(open_store(path))
        return State(stores[place], find_root(stores[place], root or None))
    state = State()
    for address, account in read_state_file(name).accounts:
        put_account(state, address, account, name)
    return state


def _shown(value: object) -> str:
    """Return a value as text without blanks."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return "0x" + bytes.hex(value)
    return str(value)
