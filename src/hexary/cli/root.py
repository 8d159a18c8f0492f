"""``hexary root``: the state root of a genesis or alloc file, and the genesis hash."""

from __future__ import annotations

import json

import click

from hexary.cli.parameter import parse_option
from hexary.cli.streams import read_whole, standard_input, tell
from hexary.typed import Hash

__all__ = ["command"]


@click.command("root")
@click.argument("file")
@click.option("--expect", metavar="HASH", help="Exit 1 unless this is the state root.")
@click.option(
    "--expect-block", metavar="HASH", help="Exit 1 unless this is the block hash."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    file: str, expect: str | None, expect_block: str | None, as_json: bool
) -> int:
    """
    Print the state root of a genesis or alloc file.

    FILE is JSON: a genesis file of geth, besu or EELS, a chainspec of parity or
    nethermind (for these, the hash of block 0 is printed, too), an alloc alone,
    address to account, or a dump of geth's, as a document or as lines (not from
    standard input); - is standard input.

    Exit codes: 0 done, 1 a hash is not the expected one, 2 the file is at fault.
    """
    wanted_root = parse_option("--expect", expect, Hash.from_text)
    wanted_block = parse_option("--expect-block", expect_block, Hash.from_text)
    state_root, block_hash, accounts = _roots(file)
    if expect_block is not None and block_hash is None:
        raise click.UsageError("--expect-block needs a genesis, and FILE is an alloc")
    faults = [
        fault
        for fault in (
            _fault("state root", state_root, wanted_root, block_hash),
            _fault("block hash", block_hash, wanted_block, state_root),
        )
        if fault
    ]
    if as_json:
        found = {
            "ok": not faults,
            "file": file,
            "stateRoot": str(state_root),
            "block0Hash": None if block_hash is None else str(block_hash),
            "accounts": accounts,
        }
        click.echo(json.dumps(found, indent=2))
    else:
        click.echo(f"state root  {state_root}")
        if block_hash is not None:
            click.echo(f"block hash  {block_hash}")
        click.echo(f"accounts    {accounts:,}")
    for fault in faults:
        tell(fault)
    return 1 if faults else 0


def _roots(file: str) -> tuple[Hash, Hash | None, int]:
    """Return the state root, the hash of block 0 if it is a genesis, the accounts."""
    from hexary.chain.genesis import Genesis, is_genesis
    from hexary.cli.state_file import read_alloc
    from hexary.state.dump import StateDump, has_dump_lines, is_dump
    from hexary.state.json_file import load_json, parse_json
    from hexary.trie import trie_root

    name = "<stdin>" if file == "-" else file
    document: object = None
    dump = None
    if file == "-":
        document = parse_json(read_whole(standard_input(), name), file=name)
    elif has_dump_lines(file):
        dump = StateDump(file)
    else:
        document = load_json(file)
    if is_dump(document):
        dump = StateDump.from_json(document, file=name)
    if dump is not None:
        accounts = dump.trie_accounts()
        return trie_root(accounts), None, len(accounts)
    if is_genesis(document):
        genesis = Genesis.from_json(document, file=name)
        return genesis.state_root(), genesis.block_hash(), len(genesis.alloc)
    alloc = read_alloc(document, name)
    return alloc.state_root(), None, len(alloc)


def _fault(what: str, got: Hash | None, wanted: Hash | None, other: Hash | None) -> str:
    """Say how a hash differs from the expected one, ``""`` if it does not."""
    if wanted is None or got == wanted:
        return ""
    hint = ""
    if other is not None and other == wanted:
        hint = "; the other of the two hashes is the expected one"
    return f"{what}: got {got}, expected {wanted}{hint}"
