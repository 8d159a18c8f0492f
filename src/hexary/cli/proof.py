"""``hexary proof``: verify answers to ``eth_getProof``, and make them from a store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from hexary.cli.chain_input import read_document
from hexary.cli.parameter import parse_option, parse_parameter
from hexary.cli.store_file import find_root, open_store
from hexary.cli.streams import read_whole, standard_input, tell
from hexary.errors import FixtureError
from hexary.trie.nibbles import Nibbles
from hexary.typed import Address, Hash
from hexary.typed.hexstr import encode_hex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexary.errors import ProofError
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
@click.option("--address", help="The account that each answer has to be about.")
@click.option(
    "--slot",
    "slots",
    metavar="SLOT",
    multiple=True,
    help="A slot that each answer has to be about; with it, no others. Repeatable.",
)
@click.option("--allow-extra", is_flag=True, help="Nodes may be there without need.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def verify(
    file: str,
    state_root: str | None,
    block: str | None,
    block_hash: str | None,
    address: str | None,
    slots: tuple[str, ...],
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
        parse_parameter("--state-root", state_root, Hash.from_text)
        if state_root is not None
        else _root_of(block or "", block_hash)
    )
    asked = _Asked(
        parse_option("--address", address, Address.from_text),
        _words("--slot", slots) if slots else None,
    )
    proofs = list(_proofs(_document(file), "<stdin>" if file == "-" else file, asked))
    results = []
    faults = []
    for proof in proofs:
        found = proof.faults(root, allow_extra=allow_extra)
        faults += found
        for fault in found:
            tell(f"not proven: {fault}")
        if not found:
            results.append(_facts(proof, root, allow_extra=allow_extra))
    if as_json:
        answer = {
            "ok": not faults,
            "stateRoot": str(root),
            "accounts": results,
            "failures": list(map(_failure, faults)),
        }
        click.echo(json.dumps(answer, indent=2))
    else:
        for result in results:
            _print(result)
    return 1 if faults else 0


@command.command("make", short_help="Print the answer to eth_getProof, from a store.")
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

    account = parse_parameter("ADDRESS", address, Address.from_text)
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

    expected = parse_option("--block-hash", block_hash, Hash.from_text)
    return read_header(read_document(block), block_hash=expected, file=block).state_root


class _Asked(NamedTuple):
    """
    What was asked for, which each answer has to be about.

    Attributes:
        address: the account, ``None`` for any.
        slots: the slots, ``None`` for any.
    """

    address: Address | None
    slots: list[int] | None


def _proofs(document: Any, file: str, asked: _Asked) -> Iterator[AccountProof]:
    """Yield the answers in a document, of which there has to be one."""
    from hexary.state import AccountProof

    members = document
    if isinstance(document, dict) and isinstance(document.get("accounts"), dict):
        members = document["accounts"]
    answers: list[tuple[str, str | None, Any]] = [("", None, document)]
    if isinstance(document, list):
        answers = [(f"[{index}]", None, each) for index, each in enumerate(document)]
    elif isinstance(members, dict) and members and all(map(_is_address, members)):
        answers = [(address, address, each) for address, each in members.items()]
    if not answers:
        raise FixtureError("there is no answer in it", file=file)
    for case, address, answer in answers:
        try:
            proof = AccountProof.from_json(
                answer, address=address or asked.address, slots=asked.slots
            )
            if asked.address is not None and proof.address != asked.address:
                raise FixtureError(f"is not {asked.address}", field="address")
        except FixtureError as error:
            raise FixtureError(
                error.rule, file=file, case=case, field=error.field
            ) from error
        yield proof


def _is_address(text: str) -> bool:
    """Tell whether a key is an address."""
    return len(text) == 42 and text[:2] == "0x"


def _failure(fault: ProofError) -> dict[str, Any]:
    """Return what is not proven, for JSON."""
    shown = {
        name: encode_hex(value) if isinstance(value, bytes) else str(value)
        for name in ("got", "expected")
        if (value := getattr(fault, name)) is not None
    }
    return {
        "where": fault.where,
        "reason": fault.reason.name,
        "message": str(fault),
        "depth": fault.depth,
        "path": None if fault.path is None else str(Nibbles(fault.path)),
        **shown,
    }


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


def _words(name: str, texts: tuple[str, ...]) -> list[int]:
    """
    Return the slots that are the values of an option.

    Raises:
        click.BadParameter: one is no slot.
    """
    from hexary.state.word import read_word

    def read_slot(text: str) -> int:
        return read_word(text, "slot")

    return [parse_parameter(name, text, read_slot) for text in texts]
