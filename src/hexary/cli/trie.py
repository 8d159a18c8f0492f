"""``hexary trie``: what is in a store, and removing what is not needed."""

from __future__ import annotations

import json

import click

from hexary.cli.counter import running_count
from hexary.cli.parameter import parse_option, parse_parameter
from hexary.cli.store_file import find_root, open_store
from hexary.cli.streams import escaped, tell
from hexary.typed.hexstr import encode_hex, parse_bytes

__all__ = ["command"]

_ROOT = click.option(
    "--root", metavar="NAME", help="Name or hash of the root, where there are several."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group("trie", short_help="Look into a store, or prune it; root of sorted pairs.")
def command() -> None:
    """
    Look into a store of tries, or prune it; the root of sorted pairs.

    STORE is a file that SQLiteStore or LMDBStore has made.
    """


@command.command("roots")
@click.argument("store")
@_JSON
def roots(store: str, as_json: bool) -> int:
    """List the roots that have a name."""
    with open_store(store) as opened:
        named = opened.roots()
    if as_json:
        click.echo(json.dumps({name: str(root) for name, root in named.items()}))
    else:
        for name, root in named.items():
            click.echo(f"{root}  {escaped(name)}")
    return 0


@command.command("stats", short_help="Verify a trie; count nodes, depths and bytes.")
@click.argument("store")
@_ROOT
@_JSON
def stats(store: str, root: str | None, as_json: bool) -> int:
    """Count nodes, depths and bytes of a trie, all of which are read and verified."""
    from hexary.trie import Trie

    with open_store(store) as opened:
        top = find_root(opened, root)
        found = Trie(opened, top).statistics()
    if as_json:
        click.echo(json.dumps({"root": str(top), **found._asdict()}))
        return 0
    click.echo(f"root        {top}")
    for name, value in found._asdict().items():
        if name != "depths":
            click.echo(f"{name.replace('_', ' '):<11} {value:,}")
    for depth, keys in found.depths.items():
        click.echo(f"depth {depth:<5} {keys:,}")
    return 0


@command.command("get")
@click.argument("store")
@click.argument("key")
@_ROOT
@click.option("--hashed", is_flag=True, help="Look up the keccak-256 of KEY.")
def get(store: str, key: str, root: str | None, hashed: bool) -> int:
    """
    Print the value of KEY, both as hex.

    Exit codes: 0 there is one, 1 there is none, 2 the input is at fault.
    """
    from hexary import hash as hashing
    from hexary.trie import Trie

    wanted = parse_parameter("KEY", key, parse_bytes)
    with open_store(store) as opened:
        trie = Trie(opened, find_root(opened, root))
        value = trie.get(hashing.keccak256(wanted) if hashed else wanted)
    if value is None:
        return 1
    click.echo(encode_hex(value))
    return 0


@command.command("ls")
@click.argument("store")
@_ROOT
@click.option("--prefix", metavar="HEX", default="", help="Only keys that begin so.")
@click.option("--start", metavar="HEX", help="Only keys from this one on.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many.")
def ls(
    store: str, root: str | None, prefix: str, start: str | None, limit: int | None
) -> int:
    """
    List keys and values as hex, in key order.

    Where --limit ends the list, standard error says where the next one starts.
    """
    from hexary.trie import Trie

    head = parse_parameter("--prefix", prefix, parse_bytes)
    cursor = parse_option("--start", start, parse_bytes)
    left = limit
    with open_store(store) as opened:
        trie = Trie(opened, find_root(opened, root))
        while True:
            size = 1000 if left is None else min(left, 1000)
            page = trie.page(size, cursor=cursor, prefix=head)
            for key, value in page.pairs:
                click.echo(f"{encode_hex(key)} {encode_hex(value)}")
            cursor = page.cursor
            if left is not None:
                left -= len(page.pairs)
            if cursor is None:
                return 0
            if left == 0:
                tell(f"there are more: --start {encode_hex(cursor)}")
                return 0


@command.command("root")
@click.argument("file")
@click.option("--expect", metavar="HASH", help="Exit 1 unless this is the root.")
def root_of_lines(file: str, expect: str | None) -> int:
    """
    Print the root of a trie whose pairs are lines of FILE.

    A line is a key and a value, both as hex with a blank between them; keys are
    in ascending order. So 'hexary trie ls' prints them. Blank lines are passed
    over. - is standard input, and memory does not grow with its size.

    Exit codes: 0 done, 1 it is not the expected root, 2 the input is at fault.
    """
    from hexary.cli.pair_lines import read_pairs
    from hexary.trie import sorted_trie_root
    from hexary.typed import Hash

    wanted = parse_option("--expect", expect, parse_bytes)
    if wanted is not None and len(wanted) != Hash.byte_length:
        raise click.BadParameter("it is no hash", param_hint="--expect")
    found = sorted_trie_root(read_pairs(file))
    click.echo(str(found))
    if wanted is not None and found != wanted:
        tell(f"root: got {found}, expected {encode_hex(wanted)}")
        return 1
    return 0


@command.command("collect")
@click.argument("store")
@click.option(
    "--keep",
    metavar="HASH",
    multiple=True,
    help="Another root whose nodes to keep.",
)
@_JSON
def collect(store: str, keep: tuple[str, ...], as_json: bool) -> int:
    """Remove all that no named root leads to."""
    from hexary.trie import collect_garbage

    kept = [parse_parameter("--keep", text, parse_bytes) for text in keep]
    with open_store(store, write=True) as opened, running_count("kept nodes") as count:
        found = collect_garbage(opened, keep=kept, progress=count)
    if as_json:
        click.echo(json.dumps(found._asdict()))
    else:
        click.echo(
            f"kept {found.kept:,}, removed {found.removed:,} "
            f"({found.removed_size:,} bytes)"
        )
    return 0
