"""
What every keccak backend offers, and how all of them read their input.

A backend module has its ``NAME`` and one function, ``load() -> Backend``, which raises
when the library behind it is missing or cannot hash.  It decides nothing: `hexary.hash`
probes, chooses and reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from hexary.errors import InputTypeError
from hexary.message import bytes_hint
from hexary.packed import split_packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    from hexary.packed import Offsets

__all__ = [
    "Backend",
    "HashState",
    "ReadableBuffer",
    "packed_with",
    "to_buffer",
    "to_items",
    "update_each",
]

ReadableBuffer = bytes | bytearray | memoryview
"""What can be hashed: bytes and its subclasses, bytearray, any memoryview."""


class HashState(Protocol):
    """A running hash: the part of hashlib's interface that both libraries share."""

    def update(self, data: ReadableBuffer, /) -> Any:
        """Absorb *data*."""

    def digest(self) -> bytes:
        """Return the digest of all bytes absorbed until now; more may follow."""

    def copy(self) -> HashState:
        """Return an independent state that has absorbed the same bytes."""


def update_each(states: list[HashState], pieces: list[bytes | memoryview], /) -> None:
    """Absorb the pieces one after the other."""
    for state, piece in zip(states, pieces, strict=True):
        state.update(piece)


class Backend:
    """
    One way to compute keccak: a name and the functions bound to it.

    `hexary.hash` makes them; `hexary.BACKEND` is the one in use.

    Attributes:
        name: ``"native"``, ``"hashlib"`` or ``"pycryptodome"``.
        keccak256: digest (32 bytes) of a buffer.
        keccak512: digest (64 bytes) of a buffer.
        keccak256_many: digests of an iterable of buffers, in its order.
        keccak256_packed: digests of the byte strings in one buffer, in one as well.
        start256: a fresh running Keccak-256.
        start512: a fresh running Keccak-512.
        update_many: absorbs in each running hash of a list the piece that stands at its
            place in another list.
        accelerator: the native module that also replaces the pure RLP and trie code,
            ``None`` for every backend that only hashes.

    Example:
        >>> from hexary import BACKEND, keccak256
        >>> BACKEND.keccak256(b"abc") == keccak256(b"abc")
        True
    """

    __slots__ = (
        "_describe",
        "accelerator",
        "keccak256",
        "keccak256_many",
        "keccak256_packed",
        "keccak512",
        "name",
        "start256",
        "start512",
        "update_many",
    )

    name: str
    keccak256: Callable[[ReadableBuffer], bytes]
    keccak512: Callable[[ReadableBuffer], bytes]
    keccak256_many: Callable[[Iterable[ReadableBuffer]], list[bytes]]
    keccak256_packed: Callable[..., bytes]
    start256: Callable[[], HashState]
    start512: Callable[[], HashState]
    update_many: Callable[[list[HashState], list[bytes | memoryview]], None]
    accelerator: ModuleType | None
    _describe: Callable[[], tuple[str, str]]

    def __init__(
        self,
        *,
        name: str,
        keccak256: Callable[[ReadableBuffer], bytes],
        keccak512: Callable[[ReadableBuffer], bytes],
        keccak256_many: Callable[[Iterable[ReadableBuffer]], list[bytes]],
        keccak256_packed: Callable[..., bytes],
        start256: Callable[[], HashState],
        start512: Callable[[], HashState],
        describe: Callable[[], tuple[str, str]],
        update_many: Callable[
            [list[HashState], list[bytes | memoryview]], None
        ] = update_each,
        accelerator: ModuleType | None = None,
    ) -> None:
        values = {
            "name": name,
            "keccak256": keccak256,
            "keccak512": keccak512,
            "keccak256_many": keccak256_many,
            "keccak256_packed": keccak256_packed,
            "start256": start256,
            "start512": start512,
            "update_many": update_many,
            "_describe": describe,
            "accelerator": accelerator,
        }
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)

    @property
    def version(self) -> str:
        """Version of the library that hashes, ``"3.5.4"`` for example."""
        return self._describe()[0]

    @property
    def detail(self) -> str:
        """What exactly runs, in a few words for a person."""
        return self._describe()[1]

    def __setattr__(self, attribute: str, value: object) -> None:
        """Refuse: a backend is a constant."""
        raise AttributeError(f"a Backend is frozen; cannot set {attribute!r}")

    def __delattr__(self, attribute: str) -> None:
        """Refuse: a backend is a constant."""
        raise AttributeError(f"a Backend is frozen; cannot delete {attribute!r}")

    def __repr__(self) -> str:
        return f"<Backend {self.name} {self.version}>"


def to_buffer(data: Any, argument: str = "data") -> bytes | memoryview:
    """
    Return the bytes of *data* in a form that every library reads alike.

    The libraries differ on all but plain bytes: one takes ``None`` for an empty
    message, asks a subclass for its length, or cuts a memoryview of wide items short;
    the other refuses a view that is not contiguous.  So whatever is not exactly bytes
    passes through here: a bytearray and a flat view of single bytes are handed on
    without a copy, any other view as its ``tobytes()``, and a subclass as the bytes
    that it holds, whatever its own methods make of them.

    Args:
        data: bytes or a subclass, bytearray, or a memoryview of any format and shape.
        argument: name of the argument, for the message.

    Raises:
        InputTypeError: for every other type, and for a memoryview that was released.
    """
    # By the real type: ``isinstance`` asks the value, and a mock answers as it likes.
    kind = type(data)
    if issubclass(kind, bytes):
        return bytes.__bytes__(data)
    if issubclass(kind, bytearray):
        return memoryview(data if kind is bytearray else bytearray.copy(data))
    if kind is memoryview:
        try:
            if data.itemsize == 1 and data.ndim == 1 and data.c_contiguous:
                return data  # type: ignore[no-any-return]  # a memoryview, told by its class
            return data.tobytes()  # type: ignore[no-any-return]  # a memoryview, told by its class
        except ValueError:
            rule = "a memoryview that is not released"
            raise InputTypeError(argument, rule, data) from None
    hint = bytes_hint(data)
    if not hint and not isinstance(data, (int, type(None))):
        hint = "pass memoryview(…) of an object with a buffer"
    raise InputTypeError(argument, "bytes, bytearray or memoryview", data, hint=hint)


def to_items(
    items: Iterable[Any], argument: str = "items", rule: str = "messages"
) -> Iterator[Any]:
    """
    Return an iterator over the messages to hash, whatever they are.

    Args:
        items: the messages.
        argument: name of the argument, for the message of the error.
        rule: what it is an iterable of, likewise.

    Raises:
        InputTypeError: if *items* is not iterable, or a single message or text, which
            would pass for several.
    """
    if not issubclass(type(items), (bytes, bytearray, memoryview, str)):
        try:
            return iter(items)
        except TypeError:
            pass
    raise InputTypeError(argument, f"an iterable of {rule}", items)


def packed_with(
    keccak256_many: Callable[[Iterable[ReadableBuffer]], list[bytes]],
) -> Callable[..., bytes]:
    """Return the function that hashes byte strings in one buffer, by way of a list."""

    def keccak256_packed(data: ReadableBuffer, /, *, offsets: Offsets) -> bytes:
        """Keccak-256 of the byte strings in one buffer."""
        messages = split_packed(bytes(to_buffer(data)), offsets, "data", "offsets")
        return b"".join(keccak256_many(messages))

    # The name that Python shows where an argument is missing, with every backend.
    keccak256_packed.__qualname__ = keccak256_packed.__name__
    return keccak256_packed
