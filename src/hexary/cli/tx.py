"""``hexary tx``: decode a transaction, and check it against the rules of a fork."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from hexary.cli.chain_input import read_argument
from hexary.cli.record_text import pairs_text, record_pairs
from hexary.errors import InvalidError, MissingExtraError

if TYPE_CHECKING:
    from hexary.chain import PooledTransaction, Transaction

__all__ = ["command"]

_KINDS = (
    "legacy",
    "access list, EIP-2930",
    "fee market, EIP-1559",
    "blobs, EIP-4844",
    "set code, EIP-7702",
)


@click.group("tx")
def command() -> None:
    """Decode transactions."""


@command.command("decode")
@click.argument("hex_text", required=False, metavar="[HEX]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--fork", metavar="NAME", help="Exit 1 unless this fork allows it.")
@click.option(
    "--chain-id",
    type=click.IntRange(min=0),
    metavar="ID",
    help="With --fork: exit 1 unless it is for this chain.",
)
def decode(
    hex_text: str | None, as_json: bool, fork: str | None, chain_id: int | None
) -> int:
    """
    Print what a transaction holds, its hash and its sender.

    HEX is the transaction as it is sent, also a blob transaction with its blobs;
    @FILE reads a file, - or nothing reads standard input; there it may be hex text
    or the bytes themselves.

    Exit codes: 0 done, 1 the fork refuses it, 2 it is malformed.

    \b
    hexary tx decode 0x01cb01058080808080c0808080
    hexary tx decode --fork Osaka --chain-id 1 @transaction.hex
    """  # noqa: D301 - click wants the control character
    from hexary.chain import (
        BlobTransactionWithCellProofs,
        BlobTransactionWithProofs,
        check_transaction,
        decode_pooled_transaction,
    )

    if chain_id is not None and fork is None:
        raise click.UsageError("--chain-id goes with --fork")
    sent = decode_pooled_transaction(read_argument(hex_text))
    transaction: Transaction
    if isinstance(sent, (BlobTransactionWithProofs, BlobTransactionWithCellProofs)):
        transaction = sent.transaction
    else:
        transaction = sent
    fault = ""
    if fork is not None:
        try:
            check_transaction(transaction, fork=fork, chain_id=chain_id)
            if transaction is not sent:
                sent.check()  # type: ignore[union-attr]  # not the transaction itself, so a wrapper
        except InvalidError as error:
            fault = str(error)
    sender, unknown = _sender(transaction)
    if as_json:
        found: dict[str, Any] = {
            "hash": str(transaction.hash()),
            "sender": sender,
            "transaction": transaction.to_json(),
            **_wrapper(sent),
        }
        if fork is not None:
            found |= {"ok": not fault, "fork": fork, "fault": fault or None}
        click.echo(json.dumps(found, indent=2))
    else:
        _print(transaction, sent, sender or unknown)
    if fault:
        click.echo(f"hexary: {fork} refuses it: {fault}", err=True)
    return 1 if fault else 0


def _sender(transaction: Transaction) -> tuple[str | None, str]:
    """Return the sender, or why there is none."""
    try:
        return str(transaction.sender()), ""
    except (InvalidError, MissingExtraError) as error:
        return None, f"unknown: {error}"


def _wrapper(sent: PooledTransaction) -> dict[str, Any]:
    """Return what a wrapper has beside the transaction."""
    version = getattr(sent, "version", None)
    if version is None:
        return {}
    return {"wrapperVersion": version, "blobs": len(sent.blobs)}  # type: ignore[union-attr]  # what has a version is a wrapper


def _print(transaction: Transaction, sent: PooledTransaction, sender: str) -> None:
    """Print the transaction as lines."""
    fields = {name: getattr(transaction, name) for name in transaction.__rlp_fields__}
    pairs = [
        ("type", f"{transaction.type} ({_KINDS[transaction.type]})"),
        ("hash", str(transaction.hash())),
        ("sender", sender),
    ]
    if transaction.is_creation:
        pairs.append(("to", "nobody (creates a contract)"))
    pairs += record_pairs(fields)
    for name, value in _wrapper(sent).items():
        pairs.append(("wrapper version" if name != "blobs" else name, str(value)))
    for line in pairs_text(pairs):
        click.echo(line)
    if transaction.type:
        entries = transaction.access_list  # type: ignore[union-attr]  # all with a type have one
        for entry in entries:
            click.echo(f"  access {entry.address}, {len(entry.storage_keys)} slots")
    for one in getattr(transaction, "authorization_list", ()):
        click.echo(f"  authorization for {one.address}, nonce {one.nonce}")
    for digest in getattr(transaction, "blob_versioned_hashes", ()):
        click.echo(f"  blob {digest}")
