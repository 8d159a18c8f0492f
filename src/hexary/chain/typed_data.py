r"""
Typed data to sign: structs, their types and their hashes (EIP-712).

::

    hash of the data    keccak256(0x19 0x01 | hash of the domain | hash of the message)
    hash of a struct    keccak256(hash of its type | each member in 32 bytes)
    type of a struct    "Mail(Person from,string text)Person(string name)"
                        first itself, then all that it refers to, sorted by name

A member is, in 32 bytes: a number (two's complement) or an address, on the right; bytes
of a fixed size, on the left; of text, bytes, an array or a struct, the hash.
"""

from __future__ import annotations

import re
from typing import Any

from hexary import hash as hashing
from hexary.chain.message import structured_message_hash, utf8
from hexary.errors import FixtureError, HexaryError, HexError
from hexary.integer import int_of
from hexary.state.json_object import JsonObject, describe_json
from hexary.typed import Address, Bytes, Hash
from hexary.typed.hexstr import parse_bytes, parse_quantity

__all__ = ["TypedData"]

_DOMAIN = "EIP712Domain"
_DOMAIN_MEMBERS = (
    ("name", "string"),
    ("version", "string"),
    ("chainId", "uint256"),
    ("verifyingContract", "address"),
    ("salt", "bytes32"),
)
_NUMBER = re.compile(r"(u?)int([1-9][0-9]{0,2})")
_FIXED_BYTES = re.compile(r"bytes([1-9]|[12][0-9]|3[0-2])")
_ARRAY = re.compile(r"(.+)\[([1-9][0-9]{0,8})?\]", re.DOTALL)
_MOST_DEPTH = 128
"""How deep structs and arrays may be nested."""

_MOST_TYPE_TEXT = 1 << 24
"""
Characters of the types' texts, all together.

The text of a type repeats those of all that it refers to, so that many types which
refer to many would make texts of the square of their number.
"""


class TypedData:
    """
    Typed data as wallets get them (``eth_signTypedData_v4``); immutable.

    Made by `from_json`.

    Example:
        >>> data = TypedData.from_json({
        ...     "types": {"Mail": [{"name": "text", "type": "string"}]},
        ...     "primaryType": "Mail",
        ...     "domain": {"name": "Ether Mail", "chainId": 1},
        ...     "message": {"text": "Hello, Bob!"},
        ... })
        >>> data.encode_type("Mail")
        'Mail(string text)'
        >>> data.hash()
        Hash('0x215beea118122f5004b84d42ca7a525a0751020e0630e19f6ebf4ea6908434dd')
    """

    __slots__ = (
        "_type_hashes",
        "_type_text",
        "domain",
        "message",
        "primary_type",
        "types",
    )

    _type_hashes: dict[str, bytes]
    _type_text: int
    types: dict[str, tuple[tuple[str, str], ...]]
    """Name of each struct → name and type of each member."""
    primary_type: str
    """Name of the message's type."""
    domain: dict[str, Any]
    """The members of the domain."""
    message: dict[str, Any]
    """The members of the message."""

    @classmethod
    def from_json(cls, value: object, *, file: str = "") -> TypedData:
        """
        Read the JSON object with ``types``, ``primaryType``, ``domain``, ``message``.

        The type of the domain follows from its members where it is not given.

        Args:
            value: the object.
            file: the file's name, for messages.

        Raises:
            FixtureError: if it has not that form.
        """
        top = JsonObject(value, file=file)
        data = cls.__new__(cls)
        data._type_hashes = {}
        data._type_text = 0
        data.domain = _members(top, "domain")
        data.message = _members(top, "message")
        types = top.object("types")
        if types is None:
            raise top.error("types", "is missing")
        data.types = {
            name: _struct(members, file=file, field=types.field(name))
            for name, members in _members(top, "types").items()
        }
        if _DOMAIN not in data.types:
            data.types[_DOMAIN] = tuple(
                member for member in _DOMAIN_MEMBERS if member[0] in data.domain
            )
        primary = top.get("primaryType")
        if not isinstance(primary, str) or primary not in data.types:
            raise top.error("primaryType", "is not one of the types")
        data.primary_type = primary
        return data

    def encode_type(self, name: str) -> str:
        """
        Return the text of a struct's type, with all the structs that it refers to.

        Args:
            name: the struct's name.

        Raises:
            FixtureError: if there is no such type.
        """
        found = {name}
        waiting = [name]
        while waiting:
            for _, kind in self._struct(waiting.pop()):
                base = kind.partition("[")[0]
                if base in self.types and base not in found:
                    found.add(base)
                    waiting.append(base)
        return "".join(
            f"{struct}({','.join(f'{kind} {label}' for label, kind in members)})"
            for struct in (name, *sorted(found - {name}))
            for members in (self.types[struct],)
        )

    def encode_struct(self, name: str, value: object) -> Bytes:
        """
        Return what is hashed for a struct: the hash of its type, and its members.

        Args:
            name: the struct's name.
            value: its members, as JSON has them.

        Raises:
            FixtureError: if there is no such type, or a member does not fit its own.
        """
        return Bytes(self._encode_struct(name, value, name, 0))

    def hash_struct(self, name: str, value: object) -> Hash:
        """
        Return the hash of a struct.

        Args:
            name: the struct's name.
            value: its members, as JSON has them.

        Raises:
            FixtureError: as `encode_struct` does.
        """
        return self.encode_struct(name, value).keccak256()

    def domain_separator(self) -> Hash:
        """Return the hash of the domain."""
        return self.hash_struct(_DOMAIN, self.domain)

    def hash(self) -> Hash:
        """
        Return the hash that is signed.

        Raises:
            FixtureError: if a value does not fit its type.
        """
        separator = self.domain_separator()
        if self.primary_type == _DOMAIN:
            return Hash(hashing.keccak256(b"\x19\x01" + separator))
        return structured_message_hash(
            separator, self.hash_struct(self.primary_type, self.message)
        )

    def _struct(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return the members of a struct."""
        members = self.types.get(name)
        if members is None:
            raise FixtureError("is not one of the types", field=name)
        return members

    def _type_hash(self, name: str) -> bytes:
        """Return the hash of a struct's type, which is computed once."""
        known = self._type_hashes.get(name)
        if known is None:
            text = self.encode_type(name)
            self._type_text += len(text)
            if self._type_text > _MOST_TYPE_TEXT:
                raise FixtureError("the types refer to each other too much", field=name)
            try:
                known = hashing.keccak256(utf8(text))
            except HexError as error:
                raise FixtureError(str(error), field=name) from None
            self._type_hashes[name] = known
        return known

    def _encode_struct(self, name: str, value: object, path: str, depth: int) -> bytes:
        """Return what is hashed for the struct at *path*."""
        members = self._struct(name)
        if not isinstance(value, dict):
            raise FixtureError(
                f"must be an object, got {describe_json(value)}", field=path
            )
        parts = [self._type_hash(name)]
        for label, kind in members:
            if label not in value:
                raise FixtureError("is missing", field=f"{path}.{label}")
            parts.append(
                self._encode_value(kind, value[label], f"{path}.{label}", depth + 1)
            )
        return b"".join(parts)

    def _encode_value(self, kind: str, value: object, path: str, depth: int) -> bytes:
        """Return the 32 bytes for a value of the type *kind*."""
        if depth > _MOST_DEPTH:
            raise FixtureError(f"is nested deeper than {_MOST_DEPTH}", field=path)
        if kind in self.types:
            return hashing.keccak256(self._encode_struct(kind, value, path, depth))
        array = _ARRAY.fullmatch(kind)
        if array is not None:
            if not isinstance(value, (list, tuple)):
                raise FixtureError(
                    f"must be a list, got {describe_json(value)}", field=path
                )
            if array[2] and len(value) != int(array[2]):
                raise FixtureError(
                    f"must have {array[2]} items, got {len(value)}", field=path
                )
            return hashing.keccak256(
                b"".join(
                    self._encode_value(array[1], item, f"{path}[{index}]", depth + 1)
                    for index, item in enumerate(value)
                )
            )
        try:
            return _encode_atom(kind, value)
        except HexaryError as error:
            raise FixtureError(str(error), field=path) from None


def _members(top: JsonObject, name: str) -> dict[str, Any]:
    """Return the object in a field, whose keys count with their case."""
    value = top.get(name)
    if not isinstance(value, dict):
        raise top.error(name, f"must be an object, got {describe_json(value)}")
    return dict(value)


def _struct(value: object, *, file: str, field: str) -> tuple[tuple[str, str], ...]:
    """Return the members of a struct's type."""
    if not isinstance(value, list):
        raise FixtureError(
            f"must be a list, got {describe_json(value)}", file=file, field=field
        )
    members = []
    for index, item in enumerate(value):
        member = JsonObject(item, file=file, path=f"{field}[{index}]")
        pair = member.get("name"), member.get("type")
        if not isinstance(pair[0], str) or not isinstance(pair[1], str):
            raise member.error("name", "a member has a name and a type")
        members.append((pair[0], pair[1]))
    return tuple(members)


def _encode_atom(kind: str, value: object) -> bytes:
    """Return the 32 bytes for a value that is neither an array nor a struct."""
    if kind == "string":
        if not isinstance(value, str):
            raise FixtureError(f"must be text, got {describe_json(value)}")
        return hashing.keccak256(utf8(value))
    if kind == "bool":
        if not isinstance(value, bool):
            raise FixtureError(f"must be true or false, got {describe_json(value)}")
        return value.to_bytes(32, "big")
    if kind == "address":
        return Address(_data(value)).rjust(32, b"\0")
    if kind == "bytes":
        return hashing.keccak256(_data(value))
    fixed = _FIXED_BYTES.fullmatch(kind)
    if fixed is not None:
        data = _data(value)
        if len(data) != int(fixed[1]):
            raise FixtureError(f"must be {fixed[1]} bytes, got {len(data)}")
        return data.ljust(32, b"\0")
    number = _NUMBER.fullmatch(kind)
    if number is None or int(number[2]) % 8 or int(number[2]) > 256:
        raise FixtureError(f"there is no type {kind[:64]}")
    bits = int(number[2])
    low, high = (0, 1 << bits) if number[1] else (-1 << bits - 1, 1 << bits - 1)
    integer = _integer(value)
    if not low <= integer < high:
        raise FixtureError(f"is out of the range of {kind}")
    return (integer % (1 << 256)).to_bytes(32, "big")


def _data(value: object) -> bytes:
    """Return the bytes that JSON has as hex text."""
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise FixtureError(f"must be hex text, got {describe_json(value)}")
    return parse_bytes(value)


def _integer(value: object) -> int:
    """Return the number that JSON has as such or as text."""
    number = int_of(value)
    if number is not None:
        return number
    if not isinstance(value, str):
        raise FixtureError(f"must be a number, got {describe_json(value)}")
    if value.startswith("-"):
        return -parse_quantity(value[1:])
    return parse_quantity(value)
