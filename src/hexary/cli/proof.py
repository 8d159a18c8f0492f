"""``hexary proof``: verify answers to ``eth_getProof``, and make them from a store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from hexary.cli.chain_input import read_document
from hexary.cli.store_file import find_root, open_store
from hexary.cli.streams import read_whole, standard_input, tell
from hexary.errors import HexaryError
from hexary.typed import Address, Hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexary.state import AccountProof

__all__ = ["command"]


@click.group("proof")
def command() -> None:
    """Verify or make proofs of accounts and their storage (EIP-1186)."""


@command.command("verify")
@click.argument("file")
@click.option("--state-root", metavar="HASH", help="The state root that is trusted.")
@click.option(
    "--block", metavar="FILE", help="The block or header that has it: JSON or RLP."
)
@click.option(
    "--block-hash", metavar="HASH", help="The hash that the block has to have."
)
@click.option("--allow-extra", is_flag=True, help="Nodes may be there without need.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def verify(
    file: str,
    state_root: str | None,
    block: str | None,
    block_hash: str | None,
    allow_extra: bool,
    as_json: bool,
) -> int:
    """
    Verify answers to eth_getProof.

    FILE is JSON: an answer, a response that has one, a list of them, or an object of
    address to answer; - is standard input. The state root comes from --state-root, or
    from the header in --block, which is hashed.

    Exit codes: 0 all proven, 1 something is not, 2 a file is at fault.
    """
    if (state_root is None) == (block is None):
        raise click.UsageError("give one of --state-root and --block")
    if block_hash is not None and block is None:
        raise click.UsageError("--block-hash needs --block")
    root = (
        _hash("--state-root", state_root)
        if state_root is not None
        else _root_of(block or "", block_hash)
    )
    proofs = list(_proofs(_document(file), "<stdin>" if file == "-" else file))
    results = []
    faults = 0
    for proof in proofs:
        found = proof.faults(root, allow_extra=allow_extra)
        faults += len(found)
        for fault in found:
            tell(f"not proven: {fault}")
        if not found:
            results.append(_facts(proof, root, allow_extra=allow_extra))
    if as_json:
        answer = {"ok": not faults, "stateRoot": str(root), "accounts": results}
        click.echo(json.dumps(answer, indent=2))
    else:
        for result in results:
            _print(result)
    return 1 if faults else 0


@command.command("make")
@click.argument("store")
@click.argument("address")
@click.argument("slots", nargs=-1, metavar="[SLOT]...")
@click.option(
    "--root",
    metavar="ROOT",
    help="The root's name or hash; without it, the only one with a name.",
)
def make(store: str, address: str, slots: tuple[str, ...], root: str | None) -> int:
    """
    Print the answer to eth_getProof about an account of a stored state.

    STORE is a file that SQLiteStore or LMDBStore has made. SLOT is 0x-hex, or a single
    digit.

    Exit codes: 0 done, 2 the store or the call is at fault.
    """
    from hexary.state import State

    try:
        account = Address.from_text(address)
    except HexaryError as error:
        raise click.BadParameter(str(error), param_hint="ADDRESS") from None
    with open_store(store) as opened:
        state = State(opened, find_root(opened, root))
        click.echo(json.dumps(state.prove(account, slots).to_json(), indent=2))
    return 0


def _document(file: str) -> Any:
    """Return the JSON of a file, or of standard input."""
    from hexary.state.json_file import load_json, parse_json

    if file == "-":
        return parse_json(read_whole(standard_input(), "<stdin>"), file="<stdin>")
    return load_json(file)


def _root_of(block: str, block_hash: str | None) -> Hash:
    """Return the state root in the header of the block in a file."""
    from hexary.chain.stateless import read_header

    expected = None if block_hash is None else _hash("--block-hash", block_hash)
    return read_header(read_document(block), block_hash=expected, file=block).state_root


def _proofs(document: Any, file: str) -> Iterator[AccountProof]:
    """Yield the answers in a document."""
    from hexary.state import AccountProof

    if isinstance(document, list):
        for answer in document:
            yield AccountProof.from_json(answer, file=file)
        return
    members = document
    if isinstance(document, dict) and isinstance(document.get("accounts"), dict):
        members = document["accounts"]
    if isinstance(members, dict) and members and all(map(_is_address, members)):
        for address, answer in members.items():
            yield AccountProof.from_json(answer, address=address, file=file)
        return
    yield AccountProof.from_json(document, file=file)


def _is_address(text: str) -> bool:
    """Tell whether a key is an address."""
    return len(text) == 42 and text[:2] == "0x"


def _facts(proof: AccountProof, root: Hash, *, allow_extra: bool) -> dict[str, Any]:
    """Return what is proven, for JSON."""
    proven = proof.verify(root, allow_extra=allow_extra)
    facts: dict[str, Any] = {
        "address": str(proven.address),
        "exists": proven.account is not None,
    }
    if proven.account is not None:
        facts |= {
            "nonce": f"{proven.account.nonce:#x}",
            "balance": f"{proven.account.balance:#x}",
            "storageHash": str(proven.account.storage_root),
            "codeHash": str(proven.account.code_hash),
        }
    facts["storage"] = {
        f"{slot:#x}": f"{value:#x}" for slot, value in proven.storage.items()
    }
    return facts


def _print(facts: dict[str, Any]) -> None:
    """Print what is proven, a line each."""
    click.echo(f"account  {facts['address']}")
    if not facts["exists"]:
        click.echo("  does not exist")
    for name, label in (
        ("nonce", "nonce"),
        ("balance", "balance"),
        ("storageHash", "storage root"),
        ("codeHash", "code hash"),
    ):
        if name in facts:
            click.echo(f"  {label:<13}{facts[name]}")
    for slot, value in facts["storage"].items():
        click.echo(f"  slot {slot}  {value}")


def _hash(name: str, text: str) -> Hash:
    """
    Return the hash that is the value of an option.

    Raises:
        click.BadParameter: it is no hash.
    """
    try:
        return Hash.from_text(text)
    except HexaryError as error:
        raise click.BadParameter(str(error), param_hint=name) from None
