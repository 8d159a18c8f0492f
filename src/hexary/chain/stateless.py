"""
Blocks without their state: what a header, a witness and an access list tell together.

A header that has the block's hash is as good as the state root in it.  A witness has
the part of the state before that the block touches; its access list (EIP-7928) says
what the block leaves there.  So the state root after the block can be computed, and
compared with the one in the header, without running anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary import hash as hashing
from hexary.chain.header import Header
from hexary.errors import (
    FixtureError,
    InvalidError,
    InvalidReason,
    ProofError,
    ProofReason,
)
from hexary.state import State, Witness, apply_access_list
from hexary.state.json_object import JsonObject
from hexary.typed import Hash
from hexary.typed.buffer import bytes_of_buffer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hexary.chain.block_access_list import BlockAccessList

__all__ = [
    "check_post_state",
    "parent_header",
    "post_state_root",
    "read_header",
    "read_witness",
]


def read_header(
    source: Header | bytes | Mapping[str, Any],
    *,
    block_hash: bytes | None = None,
    file: str = "",
) -> Header:
    """
    Return a block's header, once it is sure that it is the one of its hash.

    Args:
        source: a header, its encoding, or a block as JSON-RPC answers with it.
        block_hash: the hash that is trusted; ``None`` for the one that JSON says, which
            guards against a slip, and not against who made it.
        file: the file's name, for messages.

    Raises:
        ProofError: if it has another hash.
        DecodeError, FixtureError: if it is no header.

    Example:
        >>> header = Header(number=5)
        >>> read_header(header.rlp(), block_hash=header.hash()).number
        5
    """
    encoding = bytes_of_buffer(source)
    expected = block_hash
    if isinstance(source, Header):
        header = source
    elif encoding is not None:
        header = Header.from_rlp(encoding)
    else:
        block = JsonObject(source, file=file)
        inner = block.get("result")
        members: Any = source if inner is None else inner
        try:
            header = Header.from_json(members)
        except FixtureError as error:
            raise FixtureError(error.rule, file=file, field=error.field) from error
        if expected is None:
            expected = JsonObject(members, file=file).data("hash", size=32)
    got = header.hash()
    if expected is not None and got != expected:
        raise ProofError(ProofReason.WRONG_HEADER, got=got, expected=bytes(expected))
    return header


def read_witness(value: object, *, file: str = "") -> Witness:
    """
    Return a witness in any of the shapes in which clients and fixtures give it.

    It is `hexary.Witness.from_json` for geth's answers as well, whose headers are JSON
    objects.

    Args:
        value: the JSON object, or one that has it as its ``result``,
            ``executionWitness`` or ``witness``.
        file: the file's name, for messages.

    Raises:
        FixtureError: if it does not have that form, or a hash is wrong.
        ProofError: if a header has another hash than it says.

    Example:
        >>> header = Header(number=4)
        >>> answer = {"state": [], "codes": [], "headers": [header.to_json()]}
        >>> read_witness(answer).headers == (header.rlp(),)
        True
    """
    return Witness.from_json(
        value, file=file, encode_header=lambda header: read_header(header).rlp()
    )


def parent_header(header: Header, witness: Witness) -> Header:
    """
    Return the header of the block before, which a witness has.

    Args:
        header: a block's header, which is trusted.
        witness: the block's witness, which is not.

    Raises:
        ProofError: if the witness does not have it.

    Example:
        >>> from hexary.state import Witness
        >>> parent = Header(number=4)
        >>> header = Header(number=5, parent_hash=parent.hash())
        >>> parent_header(header, Witness(headers=(parent.rlp(),))) == parent
        True
    """
    for encoding in witness.headers:
        if hashing.keccak256(encoding) == header.parent_hash:
            return Header.from_rlp(encoding)
    raise ProofError(ProofReason.WRONG_HEADER, expected=header.parent_hash)


def post_state_root(
    state_root: bytes, witness: Witness, access_list: BlockAccessList
) -> Hash:
    """
    Return the state root after a block.

    Args:
        state_root: the state root before it, which is trusted.
        witness: what the block needs of the state before.
        access_list: what it leaves behind.

    Raises:
        MissingNodeError: if the witness does not have a node that is needed.

    Example:
        >>> from hexary.chain import BlockAccessList
        >>> from hexary.state import Witness
        >>> from hexary.trie import EMPTY_ROOT
        >>> post_state_root(EMPTY_ROOT, Witness(), BlockAccessList()) == EMPTY_ROOT
        True
    """
    state = State.from_witness(state_root, witness)
    return apply_access_list(state, access_list).root()


def check_post_state(
    header: Header, witness: Witness, access_list: BlockAccessList
) -> Hash:
    """
    Check that a block's access list leads from the state before to the one after.

    Args:
        header: the block's header, which is trusted.
        witness: what the block needs of the state before, with the parent's header.
        access_list: what the block leaves behind.

    Returns:
        The state root, which is that of the header.

    Raises:
        InvalidError: if the access list is not the header's, or leads elsewhere.
        ProofError: if the witness does not have the parent's header.
        MissingNodeError: if it does not have a node that is needed.

    Example:
        >>> from hexary.chain import BlockAccessList
        >>> from hexary.state import Witness
        >>> parent, nothing = Header(number=4), BlockAccessList()
        >>> header = Header(
        ...     number=5,
        ...     parent_hash=parent.hash(),
        ...     base_fee_per_gas=7,
        ...     withdrawals_root=bytes(32),
        ...     blob_gas_used=0,
        ...     excess_blob_gas=0,
        ...     parent_beacon_block_root=bytes(32),
        ...     requests_hash=bytes(32),
        ...     block_access_list_hash=nothing.hash(),
        ... )
        >>> witness = Witness(headers=(parent.rlp(),))
        >>> check_post_state(header, witness, nothing) == header.state_root
        True
    """
    if header.block_access_list_hash != access_list.hash():
        raise InvalidError(
            InvalidReason.ACCESS_LIST_HASH,
            field="header.block_access_list_hash",
            got=header.block_access_list_hash,
            expected=access_list.hash(),
        )
    before = parent_header(header, witness).state_root
    found = post_state_root(before, witness, access_list)
    if found != header.state_root:
        raise ProofError(ProofReason.WRONG_ROOT, got=found, expected=header.state_root)
    return found
