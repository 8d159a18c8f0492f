"""An item that is already encoded, to be placed inside others without a change."""

from __future__ import annotations

from typing import final

from hexary.errors import shorten
from hexary.rlp.decoding import DEFAULT_MAX_DEPTH, BytesLike, as_bytes, decode

__all__ = ["Raw"]


@final
class Raw:
    """
    One canonical encoding, which `encode` splices in as it is.

    Use it where a part is encoded already: a typed record, a cached node, bytes from
    the network that have to go on unchanged.  Raw items are immutable, comparable and
    hashable by their bytes.

    Args:
        encoded: exactly one canonical encoding.
        max_depth: as in `decode`.

    Attributes:
        encoded: the encoding, as `bytes`.

    Raises:
        DecodeError: *encoded* is not exactly one canonical encoding.
        InputTypeError: *encoded* is not bytes.

    Example:
        >>> from hexary import rlp
        >>> pair = Raw(rlp.encode([1, 2]))
        >>> rlp.encode([pair, b"dog"]).hex()
        'c7c2010283646f67'
    """

    __slots__ = ("encoded",)

    encoded: bytes

    def __init__(
        self, encoded: BytesLike, *, max_depth: int = DEFAULT_MAX_DEPTH
    ) -> None:
        encoded = as_bytes(encoded)
        decode(encoded, max_depth=max_depth)
        object.__setattr__(self, "encoded", encoded)

    def __init_subclass__(cls) -> None:
        """Refuse: a subclass could hold what was not checked."""
        raise TypeError("Raw has no subclasses")

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a raw item is immutable."""
        raise AttributeError(f"Raw is immutable, cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        """Refuse: a raw item is immutable."""
        raise AttributeError(f"Raw is immutable, cannot delete {name!r}")

    def __bytes__(self) -> bytes:
        """Return the encoding."""
        return self.encoded

    def __eq__(self, other: object) -> bool:
        """Whether *other* is a raw item of the same bytes."""
        if not isinstance(other, Raw):
            return NotImplemented
        return self.encoded == other.encoded

    def __hash__(self) -> int:
        """Hash the encoding."""
        return hash((Raw, self.encoded))

    def __repr__(self) -> str:
        """Show the encoding, shortened."""
        return f"Raw({shorten(self.encoded)})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle and copy as the checked encoding."""
        return _restore, (self.encoded,)


def _restore(encoded: bytes) -> Raw:
    """Rebuild a copied or unpickled raw item, which was checked when it was made."""
    raw = Raw.__new__(Raw)
    object.__setattr__(raw, "encoded", encoded)
    return raw
