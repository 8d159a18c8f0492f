"""
RLP, the Recursive Length Prefix encoding (Yellow Paper, appendix B).

An item is a string of bytes or a list of items.  Its encoding is a header, which says
which of the two it is and how many bytes follow, and a payload: the bytes of the
string, or the encodings of the list's items one after the other.  The first byte
tells which form it is::

    00          7f 80            b7 b8      bf c0            f7 f8      ff
    ├────────────┼────────────────┼──────────┼────────────────┼──────────┤
    │ single     │ short string   │ long     │ short list     │ long     │
    │ byte       │                │ string   │                │ list     │
    └────────────┴────────────────┴──────────┴────────────────┴──────────┘

    single byte   ┌──────┐
                  │ byte │                      a string of one byte below 0x80:
                  └──────┘                      no header at all
    short string  ┌──────────┬─────────┐
                  │ 80 + n   │ n bytes │        0 ≤ n ≤ 55
                  └──────────┴─────────┘
    long string   ┌──────────┬────────┬─────────┐
                  │ b7 + s   │ n      │ n bytes │   56 ≤ n < 2^64, in s big-endian
                  └──────────┴────────┴─────────┘   bytes, 1 ≤ s ≤ 8
    short list    ┌──────────┬─────────┐
                  │ c0 + n   │ n bytes │        0 ≤ n ≤ 55
                  └──────────┴─────────┘
    long list     ┌──────────┬────────┬─────────┐
                  │ f7 + s   │ n      │ n bytes │   56 ≤ n < 2^64, in s big-endian
                  └──────────┴────────┴─────────┘   bytes, 1 ≤ s ≤ 8

Every item has exactly one encoding: the shortest form is taken, a length has no leading
zero byte, and nothing follows the item.  Integers are the strings of their big-endian
bytes without leading zeros, so 0 is the empty string.

`encode` and its table of types are in `hexary.rlp.encoding`, `decode` and the order in
which it finds errors in `hexary.rlp.decoding`, views in `hexary.rlp.lazy`, integers and
booleans in `hexary.rlp.scalars`, records in `hexary.rlp.records`, and what their fields
can be in `hexary.rlp.fields`.
"""

from hexary.rlp.decoding import (
    DEFAULT_MAX_DEPTH,
    BytesLike,
    Item,
    decode,
    decode_concatenated,
    decode_prefix,
)
from hexary.rlp.encoding import (
    Encodable,
    encode,
    encode_bytes,
    encode_list,
    encoded_size,
    keccak256,
)
from hexary.rlp.fields import (
    BARE,
    U8,
    U16,
    U32,
    U64,
    U128,
    U256,
    Size,
    Trailing,
    TypeByte,
    Uint,
    field,
)
from hexary.rlp.lazy import View, view
from hexary.rlp.raw import Raw
from hexary.rlp.record_decorator import record
from hexary.rlp.records import Record, Spelling
from hexary.rlp.scalars import (
    bool_from_payload,
    bytes_from_payload,
    decode_bool,
    decode_bytes,
    decode_uint,
    uint_from_payload,
)
from hexary.rlp.typed_unions import TypedUnion, typed_union

__all__ = [
    "BARE",
    "DEFAULT_MAX_DEPTH",
    "U8",
    "U16",
    "U32",
    "U64",
    "U128",
    "U256",
    "BytesLike",
    "Encodable",
    "Item",
    "Raw",
    "Record",
    "Size",
    "Spelling",
    "Trailing",
    "TypeByte",
    "TypedUnion",
    "Uint",
    "View",
    "bool_from_payload",
    "bytes_from_payload",
    "decode",
    "decode_bool",
    "decode_bytes",
    "decode_concatenated",
    "decode_prefix",
    "decode_uint",
    "encode",
    "encode_bytes",
    "encode_list",
    "encoded_size",
    "field",
    "keccak256",
    "record",
    "typed_union",
    "uint_from_payload",
    "view",
]
