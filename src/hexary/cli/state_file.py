"""The files that tell a state: allocs, genesis files, dumps, and stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hexary.errors import FixtureError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.state.account import Account
    from hexary.state.alloc import Alloc
    from hexary.state.world import State
    from hexary.typed import Address, Hash

__all__ = ["StateFile", "put_account", "read_alloc", "read_state_file"]


class StateFile(NamedTuple):
    """
    What a file tells.

    Attributes:
        accounts: addresses and accounts; of a dump, read while one iterates.
        total: how many there are, ``None`` if that is not known.
        state_root: the root that the file itself tells, ``None`` if it does not.
    """

    accounts: Iterable[tuple[Address, Account]]
    total: int | None
    state_root: Hash | None


def read_state_file(path: str) -> StateFile:
    """
    Read a genesis file, an alloc, or a dump of geth's (a document, or lines).

    Raises:
        FixtureError: if it is none of them, or malformed.
    """
    from hexary.chain.genesis import Genesis, is_genesis
    from hexary.state.dump import StateDump, has_dump_lines, is_dump
    from hexary.state.json_file import load_json

    if has_dump_lines(path):
        dump = StateDump(path)
        return StateFile(dump.accounts(), None, dump.declared_state_root)
    document = load_json(path)
    if is_dump(document):
        dump = StateDump.from_json(document, file=path)
        return StateFile(dump.accounts(), None, dump.declared_state_root)
    if is_genesis(document):
        genesis = Genesis.from_json(document, file=path)
        alloc, told = genesis.alloc, genesis.declared_state_root
    else:
        alloc, told = read_alloc(document, path), None
    return StateFile(alloc.items(), len(alloc), told)


def put_account(state: State, address: Address, account: Account, file: str) -> None:
    """
    Put an account of a file into a state that has only those before it.

    Raises:
        FixtureError: if the file has it twice.
    """
    if address in state:
        rule = "the account is there twice"
        raise FixtureError(rule, file=file, field=str(address))
    state.create_account(address, account)


def read_alloc(document: object, name: str) -> Alloc:
    """
    Read the JSON document of an alloc, or of an object that holds one as ``alloc``.

    Args:
        document: the document.
        name: the file's name, for messages.

    Raises:
        FixtureError: if it is neither, or malformed.
    """
    from hexary.state.alloc import Alloc

    if isinstance(document, dict) and document.keys() == {"alloc"}:
        document = document["alloc"]
    elif not _is_alloc(document):
        rule = "neither a genesis file nor an alloc: no key in it is an address"
        raise FixtureError(rule, file=name)
    return Alloc.from_json(document, file=name)


def _is_alloc(document: object) -> bool:
    """Return whether a document may be meant as an alloc, well formed or not."""
    if not isinstance(document, dict) or not document:
        return True
    digits = set("0123456789abcdef")
    return any(digits.issuperset(key.lower().removeprefix("0x")) for key in document)
