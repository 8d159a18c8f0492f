"""
Every error that hexary raises, in one tree.

::

    HexaryError
    ├── BackendUnavailableError (also ImportError)
    ├── InputTypeError (also TypeError)
    ├── HexError (also ValueError)
    ├── SizeError (also ValueError)
    ├── RangeError (also ValueError, OverflowError)
    ├── EncodeError (also ValueError)
    ├── DecodeError (also ValueError)
    │   └── NodeError
    ├── MissingNodeError (also LookupError)
    ├── ProofError (also ValueError)
    ├── StoreError
    ├── InvalidError (also ValueError)
    ├── ForkError (also ValueError)
    ├── MissingExtraError (also ImportError)
    └── FixtureError (also ValueError)
        └── ExecutionNeededError

The built-in classes are mixed in where a caller of a bytes, int or codec type expects
them, so ``except ValueError`` goes on working.  Every message shows the value
(shortened), the rule and the place; the same facts are attributes, so that a program
never has to parse a message.  All of them survive pickling, with their attributes.
"""

from __future__ import annotations

import sys
from typing import Any

from hexary.message import describe, nibbles_text, path_text, requirement, shorten
from hexary.reasons import (
    DecodeReason,
    InvalidReason,
    NodeReason,
    ProofReason,
    StoreReason,
)

__all__ = [
    "BackendUnavailableError",
    "DecodeError",
    "DecodeReason",
    "EncodeError",
    "ExecutionNeededError",
    "FixtureError",
    "ForkError",
    "HexError",
    "HexaryError",
    "InputTypeError",
    "InvalidError",
    "InvalidReason",
    "MissingExtraError",
    "MissingNodeError",
    "NodeError",
    "NodeReason",
    "ProofError",
    "ProofReason",
    "RangeError",
    "SizeError",
    "StoreError",
    "StoreReason",
    "describe",
    "path_text",
    "shorten",
]


def _restore(
    cls: type[HexaryError], args: tuple[Any, ...], state: dict[str, Any]
) -> HexaryError:
    """Rebuild an unpickled error without running its keyword-only constructor."""
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class HexaryError(Exception):
    """Base of every error of this package; never raised itself."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as message and attributes (constructors take more than a message)."""
        return _restore, (type(self), self.args, self._picklable())

    def _picklable(self) -> dict[str, Any]:
        """Return the attributes in a form that can be pickled."""
        return self.__dict__


class BackendUnavailableError(HexaryError, ImportError):
    """
    The keccak backend asked for cannot be used, or no backend can.

    Attributes:
        backend: the name asked for (``"auto"`` if none was).
        rejected: backend name → why it was passed over.
        remedy: what to do about it, which the message says as well.
    """

    def __init__(
        self, reason: str, *, backend: str, rejected: dict[str, str], remedy: str = ""
    ) -> None:
        super().__init__(f"{reason}; to fix it, {remedy}" if remedy else reason)
        self.backend = backend
        self.rejected = rejected
        self.remedy = remedy


class InputTypeError(HexaryError, TypeError):
    """
    An argument is of a type that is not accepted.

    Attributes:
        argument: the argument's name.
        accepted: the accepted types, in words.
        got: the type that was passed.  Where it cannot be pickled (a local class, the
            type of generators), the unpickled error has its nearest base that can.
    """

    def __init__(
        self, argument: str, accepted: str, value: object, *, hint: str = ""
    ) -> None:
        message = f"{argument} must be {accepted}, got {describe(value)}"
        super().__init__(f"{message}; {hint}" if hint else message)
        self.argument = argument
        self.accepted = accepted
        self.got: type = type(value)

    def _picklable(self) -> dict[str, Any]:
        """Return the attributes, `got` as a type that is found under its name."""
        found = next(filter(_is_found, type.mro(self.got)), object)
        return {**self.__dict__, "got": found}


def _is_found(kind: type) -> bool:
    """Whether *kind* stands under its name in its module, where pickle looks for it."""
    if kind is type(None):
        return True
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


class HexError(HexaryError, ValueError):
    """
    Text is not the hex (or number) text that was asked for.

    Attributes:
        text: the offending text, whole.
        position: index of the first offending character, or ``None`` where the
            whole text is at fault (an odd number of digits, say).
        rule: the rule that it breaks.
    """

    def __init__(self, text: str, rule: str, *, position: int | None = None) -> None:
        where = "" if position is None else f" at position {position}"
        if position is not None and position < len(text):
            where += f" ({text[position]!r})"
        super().__init__(f"{shorten(text)}{where}: {rule}")
        self.text = text
        self.position = position
        self.rule = rule


class SizeError(HexaryError, ValueError):
    """
    A value has another number of bytes than its type holds.

    Attributes:
        type_name: name of the type.
        expected: its size in bytes.
        got: the value's size in bytes.
    """

    def __init__(
        self, type_name: str, expected: int, got: int, value: object, rule: str = ""
    ) -> None:
        rule = f"{rule or expected} bytes, got {got}: {shorten(value)}"
        super().__init__(f"{type_name} holds {rule}")
        self.type_name = type_name
        self.expected, self.got = expected, got


class RangeError(HexaryError, ValueError, OverflowError):
    """
    A number is outside its type's range, or a key is before one that it has to follow.

    Attributes:
        type_name: name of the type.
        value: the number, or the key.
        minimum: the smallest accepted value.
        maximum: the largest accepted value, ``None`` if there is none.
    """

    def __init__(
        self,
        type_name: str,
        value: object,
        minimum: int | bytes,
        maximum: int | None,
        *,
        rule: str = "",
    ) -> None:
        if not rule:  # any number of the range would do
            rule = f"at least {shorten(minimum)}"
            if maximum is not None:
                rule = f"from {shorten(minimum)} to {_bound(maximum)}"
        super().__init__(f"{type_name} must be {rule}, got {shorten(value)}")
        self.type_name = type_name
        self.value = value
        self.minimum = minimum
        self.maximum = maximum


def _bound(maximum: int) -> str:
    """Return a readable upper bound: powers of two as such."""
    bits = maximum.bit_length()
    is_mask = bits > 16 and maximum == (1 << bits) - 1
    return f"2^{bits}-1" if is_mask else shorten(maximum)


class EncodeError(HexaryError, ValueError):
    """
    An object has no encoding.

    Attributes:
        path: where in the object, as indexes and field names from the outside in.
    """

    def __init__(self, message: str, *, path: tuple[int | str, ...] = ()) -> None:
        super().__init__(f"{message} (at {path_text(path)})" if path else message)
        self.path = path


class DecodeError(HexaryError, ValueError):
    """
    Bytes are not a canonical encoding.

    Attributes:
        reason: the broken rule, a `DecodeReason` (a `NodeReason` in a `NodeError`).
        offset: index into the input of the byte where the offending item starts.
        data: up to 32 bytes of the input from that offset.
        field: path of the field being decoded, ``""`` outside records.
        detail: what exactly breaks the rule, in words, ``""`` if that is plain.
    """

    reason: DecodeReason | NodeReason

    def __init__(
        self,
        reason: DecodeReason | NodeReason,
        *,
        offset: int = 0,
        data: bytes = b"",
        field: str = "",
        detail: str = "",
    ) -> None:
        place = f"{field}: " if field else ""
        shown = f", where the bytes are {shorten(data)}" if data else ""
        rule = f"{reason.value} ({detail})" if detail else reason.value
        super().__init__(f"{place}{rule}; at offset {offset}{shown}")
        self.reason = reason
        self.offset = offset
        self.data = data
        self.field = field
        self.detail = detail


class NodeError(DecodeError):
    """
    Bytes are not a canonical trie node.

    Attributes:
        reason: the broken rule, a `NodeReason`.
        offset: index of the offending item in the node's encoding.
        data: up to 32 bytes of the node from that offset.
        node_hash: keccak-256 of the node's bytes where known, else ``None``.
        path: nibbles from the root to the node where known, else ``None``.
    """

    reason: NodeReason

    def __init__(
        self,
        reason: NodeReason,
        *,
        offset: int = 0,
        data: bytes = b"",
        node_hash: bytes | None = None,
        path: bytes | memoryview | None = None,
        detail: str = "",
    ) -> None:
        names = []
        if isinstance(path, memoryview):
            path = bytes(path)
        if node_hash is not None:
            names.append(f"node {shorten(node_hash)}")
        if path is not None:
            names.append(f"path {nibbles_text(path)}")
        super().__init__(
            reason, offset=offset, data=data, field=" at ".join(names), detail=detail
        )
        self.node_hash = node_hash
        self.path = path


class MissingNodeError(HexaryError, LookupError):
    """
    A trie refers to a node that is not available.

    It is no KeyError: whether the key is there is not known.

    Attributes:
        node_hash: keccak-256 of the missing node's encoding.
        path: nibbles from the root to the node.
    """

    def __init__(
        self, node_hash: bytes, path: bytes | memoryview = b"", *, detail: str = ""
    ) -> None:
        path = bytes(path)
        super().__init__(
            f"the node 0x{bytes.hex(node_hash)} at path {nibbles_text(path)} "
            f"is not available{f' ({detail})' if detail else ''}"
        )
        self.node_hash = bytes(node_hash)
        self.path = path


class ProofError(HexaryError, ValueError):
    """
    A proof does not prove what was asked of it.

    Where a node's bytes are at fault, the `NodeError` is the cause.

    Attributes:
        reason: why, a `ProofReason`.
        depth: the number of nodes above the place, ``None`` if it is not about one.
        path: nibbles from the root to the place, ``None`` likewise.
        got: what the proof has, ``None`` if it has nothing.
        expected: what it should have, ``None`` if that cannot be told.
        where: which of several proofs it is about, ``""`` if there is one.
    """

    def __init__(
        self,
        reason: ProofReason,
        *,
        depth: int | None = None,
        path: bytes | None = None,
        got: object = None,
        expected: object = None,
        where: str = "",
    ) -> None:
        message = f"{where}: {reason.value}" if where else reason.value
        if path is not None:
            message += f"; at depth {depth}, path {nibbles_text(path)}"
        for name, value in (("got", got), ("expected", expected)):
            if value is not None:
                message += f"; {name} {shorten(value, 80)}"
        super().__init__(message)
        self.reason = reason
        self.depth = depth
        self.path = path
        self.got = got
        self.expected = expected
        self.where = where


class StoreError(HexaryError):
    """
    A store did not do what it was asked; what it holds is what it held before.

    Attributes:
        reason: why, a `StoreReason`.
        store: the store's file, or its kind where it has none.
        node_hash: the hash of the bytes concerned, ``None`` if it is not about one.
        detail: what the storage engine said, or what exactly is wrong.
    """

    def __init__(
        self,
        reason: StoreReason,
        *,
        store: str = "",
        node_hash: bytes | None = None,
        detail: str = "",
    ) -> None:
        message = f"{store}: {reason.value}" if store else reason.value
        if node_hash is not None:
            message += f": 0x{bytes.hex(node_hash)}"
        super().__init__(f"{message} ({detail})" if detail else message)
        self.reason = reason
        self.store = store
        self.node_hash = node_hash
        self.detail = detail


class InvalidError(HexaryError, ValueError):
    """
    An object is well formed, but breaks a rule of the chain.

    Attributes:
        reason: the broken rule, an `InvalidReason`.
        field: path of the field at fault, ``""`` where the whole is.
        got: what the object has, ``None`` if that cannot be said.
        expected: what it should have, ``None`` if that is not one value.
    """

    def __init__(
        self,
        reason: InvalidReason,
        *,
        field: str = "",
        got: object = None,
        expected: object = None,
    ) -> None:
        message = f"{field}: {reason.value}" if field else reason.value
        if got is not None:
            message += f"; got {shorten(got, 70)}"
        if expected is not None:
            message += f", expected {shorten(expected, 70)}"
        super().__init__(message)
        self.reason = reason
        self.field = field
        self.got = got
        self.expected = expected


class ForkError(HexaryError, ValueError):
    """
    There is no such fork, or what is asked is not settled for it.

    Attributes:
        fork: name of the fork.
    """

    def __init__(self, fork: str, rule: str) -> None:
        super().__init__(f"{shorten(fork)}: {rule}")
        self.fork = fork


class MissingExtraError(HexaryError, ImportError):
    """
    Something needs a package that is not installed, one of an optional extra.

    Attributes:
        extra: name of the extra.
        package: name of the package.
    """

    def __init__(self, extra: str, *, package: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}: "
            f"pip install {requirement(extra, package)!r}"
        )
        self.extra = extra
        self.package = package


class FixtureError(HexaryError, ValueError):
    """
    A fixture, genesis or alloc file does not have the form it should.

    Attributes:
        rule: what is wrong.
        file: the file's name, ``""`` where the data did not come from a file.
        case: name of the case in the file, ``""`` where there is none.
        field: path of the field, ``""`` where the whole is at fault.
    """

    def __init__(
        self, rule: str, *, file: str = "", case: str = "", field: str = ""
    ) -> None:
        # Names are input, too: shown as they are, they could forge a line of output.
        place = " › ".join(
            part if part.isprintable() else ascii(part)
            for part in (file, case, field)
            if part
        )
        super().__init__(f"{place}: {rule}" if place else rule)
        self.rule = rule
        self.file = file
        self.case = case
        self.field = field


class ExecutionNeededError(FixtureError):
    """
    A file's state is the outcome of running code, which this package does not do.

    A chainspec may give an account a ``constructor`` instead of code: what the account
    then holds is known only to an EVM.  The file is well formed all the same.
    """
