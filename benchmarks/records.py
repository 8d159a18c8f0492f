"""
Records: blocks and typed transactions, decoded, encoded again and hashed.

The peers are pyrlp's ``Serializable`` with the same fields and ethereum-rlp with the
dataclasses of the execution specs.  The blocks are those of mainnet from the published
vectors, if ``HEXARY_VECTORS`` or ``../shared/vectors`` has them; the transactions are
made up.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import ethereum_rlp
import rlp as pyrlp
from ethereum.forks.byzantium.blocks import Block as SpecBlock
from ethereum.forks.cancun.transactions import FeeMarketTransaction as SpecTransaction
from measurement import Row
from rlp import sedes

from hexary import Address, Bytes, Hash, keccak256, rlp
from hexary.chain import AccessListEntry, Block, FeeMarketTransaction

__all__ = ["rows"]

ADDRESS, ROOT, NUMBER = sedes.Binary(20), sedes.Binary(32), sedes.big_endian_int
RECIPIENT = sedes.Binary(20, allow_empty=True)


class PeerHeader(pyrlp.Serializable):
    """The same header for pyrlp."""

    fields = (
        ("parent_hash", ROOT),
        ("ommers_hash", ROOT),
        ("coinbase", ADDRESS),
        ("state_root", ROOT),
        ("transactions_root", ROOT),
        ("receipts_root", ROOT),
        ("logs_bloom", sedes.Binary(256)),
        ("difficulty", NUMBER),
        ("number", NUMBER),
        ("gas_limit", NUMBER),
        ("gas_used", NUMBER),
        ("timestamp", NUMBER),
        ("extra_data", sedes.binary),
        ("mix_hash", ROOT),
        ("nonce", sedes.Binary(8)),
    )


class PeerTransaction(pyrlp.Serializable):
    """The same transaction for pyrlp."""

    fields = (
        ("nonce", NUMBER),
        ("gas_price", NUMBER),
        ("gas", NUMBER),
        ("to", RECIPIENT),
        ("value", NUMBER),
        ("data", sedes.binary),
        ("v", NUMBER),
        ("r", NUMBER),
        ("s", NUMBER),
    )


class PeerBlock(pyrlp.Serializable):
    """The same block for pyrlp."""

    fields = (
        ("header", PeerHeader),
        ("transactions", sedes.CountableList(PeerTransaction)),
        ("ommers", sedes.CountableList(PeerHeader)),
    )


class PeerAccessEntry(pyrlp.Serializable):
    """The same entry for pyrlp."""

    fields = (("address", ADDRESS), ("storage_keys", sedes.CountableList(ROOT)))


class PeerFeeMarketTransaction(pyrlp.Serializable):
    """The same transaction for pyrlp."""

    fields = (
        ("chain_id", NUMBER),
        ("nonce", NUMBER),
        ("max_priority_fee_per_gas", NUMBER),
        ("max_fee_per_gas", NUMBER),
        ("gas", NUMBER),
        ("to", RECIPIENT),
        ("value", NUMBER),
        ("data", sedes.binary),
        ("access_list", sedes.CountableList(PeerAccessEntry)),
        ("y_parity", sedes.boolean),
        ("r", NUMBER),
        ("s", NUMBER),
    )


def ours(encoded: list[bytes], kind: type[rlp.Record]) -> list[tuple[bytes, bytes]]:
    """Decode, encode and hash with hexary."""
    made = []
    for data in encoded:
        again = rlp.decode(kind, data).rlp()
        made.append((again, keccak256(again)))
    return made


def pyrlps(encoded: list[bytes], kind: type, skip: int) -> list[tuple[bytes, bytes]]:
    """Decode, encode and hash with pyrlp; it knows no type byte, so *skip* it."""
    made = []
    for data in encoded:
        value = pyrlp.decode(data[skip:], kind)
        # It would return the bytes that it has read, which is no encoding.
        value._cached_rlp = None
        again = data[:skip] + pyrlp.encode(value)
        made.append((again, keccak256(again)))
    return made


def specs(encoded: list[bytes], kind: type, skip: int) -> list[tuple[bytes, bytes]]:
    """Decode, encode and hash with ethereum-rlp."""
    made = []
    for data in encoded:
        value = ethereum_rlp.decode_to(kind, data[skip:])
        again = data[:skip] + ethereum_rlp.encode(value)
        made.append((again, keccak256(again)))
    return made


def mainnet_blocks() -> dict[str, list[bytes]]:
    """Return the blocks of the published vectors, ``{}`` if they are not there."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "vectors"
    folder = Path(os.environ.get("HEXARY_VECTORS", beside)) / "rlp/besu-mainnet-blocks"
    files = {
        "mainnet blocks 0 to 999": ["1000.blocks"],
        "4 mainnet blocks, 200 transactions": [
            "block_1200000.blocks",
            "block_4400000.blocks",
            "block_4400001.blocks",
            "block_4400002.blocks",
        ],
    }
    if not folder.is_dir():
        return {}
    return {
        name: [
            rlp.encode(item)
            for file in names
            for item in rlp.decode_concatenated((folder / file).read_bytes())
        ]
        for name, names in files.items()
    }


def transactions(count: int) -> list[bytes]:
    """Return made-up transactions with call data, one in four with an access list."""
    made = []
    for number in range(count):
        seed = keccak256(number.to_bytes(4, "big"))
        entry = AccessListEntry(Address(seed[12:]), (Hash(seed), Hash(keccak256(seed))))
        transaction = FeeMarketTransaction(
            chain_id=1,
            nonce=number,
            max_priority_fee_per_gas=10**9,
            max_fee_per_gas=30 * 10**9,
            gas_limit=21_000 + 1_000 * number,
            to=Address(seed[:20]),
            value=int.from_bytes(seed[:8], "big"),
            data=Bytes(seed * (number % 8)),
            access_list=() if number % 4 else (entry,),
            y_parity=number % 2,
            r=int.from_bytes(seed, "big"),
            s=int.from_bytes(seed[::-1], "big") >> 1,
        )
        made.append(transaction.rlp())
    return made


def row(
    name: str,
    encoded: list[bytes],
    kinds: tuple[type[rlp.Record], type, type],
    skip: int,
) -> Row:
    """Return the row for *encoded*, once all agree on it."""
    kind, peer, spec = kinds
    contestants: dict[str, Callable[[], list[tuple[bytes, bytes]]]] = {
        "hexary": lambda: ours(encoded, kind),
        "rlp": lambda: pyrlps(encoded, peer, skip),
        "ethereum-rlp": lambda: specs(encoded, spec, skip),
    }
    for who, run in contestants.items():
        if [again for again, _ in run()] != encoded:
            raise SystemExit(f"{who} encodes {name} differently")
    # A third of the time of the faster peer.
    peers = {who: run for who, run in contestants.items() if who != "hexary"}
    return Row(
        f"records: {name}: decode, encode, hash",
        contestants,
        goal=1 / 3,
        goal_peer=faster(peers),
    )


def faster(peers: dict[str, Callable[[], object]]) -> str:
    """Return which of *peers* takes less time."""
    from time import perf_counter

    times = {}
    for who, run in peers.items():
        start = perf_counter()
        run()
        times[who] = perf_counter() - start
    return min(times, key=lambda who: times[who])


def rows() -> Iterator[Row]:
    """Yield blocks, then transactions."""
    for name, encoded in mainnet_blocks().items():
        yield row(name, encoded, (Block, PeerBlock, SpecBlock), 0)
    kinds = (FeeMarketTransaction, PeerFeeMarketTransaction, SpecTransaction)
    yield row("200 typed transactions", transactions(200), kinds, 1)
