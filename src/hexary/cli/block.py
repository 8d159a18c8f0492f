"""``hexary block``: decode blocks, check their roots and what a fork allows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from hexary.cli.chain_input import read_document
from hexary.cli.record_text import pairs_text, record_pairs
from hexary.errors import InvalidError, InvalidReason
from hexary.typed import Hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexary.chain import Block

__all__ = ["command"]


@click.group("block")
def command() -> None:
    """Decode blocks."""


@command.command("decode")
@click.argument("file")
@click.option("--fork", metavar="NAME", help="Check what a block of this fork may be.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def decode(file: str, fork: str | None, as_json: bool) -> int:
    """
    Print what blocks hold, and whether their roots agree with it.

    FILE is RLP, raw or as hex text, of any number of blocks one after the other; or
    JSON: one block with whole transactions, as JSON-RPC or a blockchain test has it,
    whose hash has to be the block's. - is standard input.

    Exit codes: 0 done, 1 a root or the hash is another or the fork does not allow the
    block, 2 a block is malformed.
    """
    from hexary.chain import check_block, fork_named

    if fork is not None:
        # Before anything is printed.
        fork_named(fork)
    faults = 0
    for block, told in _blocks(file):
        try:
            found = block.check() if fork is None else check_block(block, fork=fork)
            if told is not None and found != told:
                raise InvalidError(
                    InvalidReason.BLOCK_HASH, field="hash", got=told, expected=found
                )
            fault = ""
        except InvalidError as error:
            fault = str(error)
            faults += 1
        if as_json:
            click.echo(json.dumps({"ok": not fault, **block.to_json()}))
        else:
            for line in _lines(block):
                click.echo(line)
        if fault:
            click.echo(f"hexary: block {block.header.number}: {fault}", err=True)
    return 1 if faults else 0


def _blocks(file: str) -> Iterator[tuple[Block, Hash | None]]:
    """Yield the blocks in a file, and the hash that JSON says one has."""
    from hexary import rlp
    from hexary.chain import Block
    from hexary.state.json_object import read_data

    document = read_document(file)
    if isinstance(document, bytes):
        for block in rlp.decode_concatenated(Block, document):
            yield block, None
        return
    fixture = "blockHeader" in document
    block = Block.from_json(document, spelling="fixture" if fixture else "rpc")
    told = (document["blockHeader"] if fixture else document).get("hash")
    if told is None:
        # As of a pending block.
        yield block, None
    else:
        yield block, Hash(read_data(told, size=32, file="", field="hash"))


def _lines(block: Block) -> Iterator[str]:
    """Yield what is printed for a block."""
    header = block.header
    yield f"block {header.number}, {block.hash()}"
    fields: dict[str, Any] = {
        name: getattr(header, name)
        for name in type(header).__rlp_fields__
        if name != "number"
    }
    yield from pairs_text(list(record_pairs(fields)), indent=2)
    yield f"  {_count(len(block.transactions), 'transaction')}"
    for place, transaction in enumerate(block.transactions):
        to = "a new contract" if transaction.to is None else str(transaction.to)
        yield f"    {place}: type {transaction.type}, {transaction.hash()} to {to}"
    for ommer in block.ommers:
        yield f"  ommer {ommer.number}, {ommer.hash()}"
    if block.withdrawals is not None:
        yield f"  {_count(len(block.withdrawals), 'withdrawal')}"
        for one in block.withdrawals:
            yield f"    {one.index}: {one.amount} gwei to {one.address}"


def _count(number: int, what: str) -> str:
    """Return how many there are, in words."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
