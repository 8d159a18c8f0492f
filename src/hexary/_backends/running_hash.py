"""Hashes of messages that arrive in pieces, one of them or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Self

from hexary._backends.backend import to_buffer, to_items
from hexary.errors import InputTypeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hexary._backends.backend import HashState, ReadableBuffer

__all__ = ["RunningHash", "update_together"]


class RunningHash:
    """What the incremental hashes share: hashlib's interface over a backend's state."""

    __slots__ = ("_state",)

    name: str
    """The function's name, as OpenSSL spells it."""

    digest_size: int
    """Bytes in a digest."""

    block_size: int
    """Bytes absorbed by one permutation (the sponge's rate)."""

    _start: Callable[[], HashState]

    def __init__(self, data: ReadableBuffer = b"", /) -> None:
        self._state = type(self)._start()
        self.update(data)

    def update(self, data: ReadableBuffer, /) -> None:
        """
        Absorb *data* after what was absorbed before.

        Raises:
            InputTypeError: if *data* is not bytes, bytearray or a memoryview.
        """
        self._state.update(data if type(data) is bytes else to_buffer(data))

    def digest(self) -> bytes:
        """Return the digest of the bytes until now; updating may go on."""
        return self._state.digest()

    def hexdigest(self) -> str:
        """Return `digest` as lower-case hex digits without 0x, as hashlib does."""
        return self.digest().hex()

    def copy(self) -> Self:
        """
        Return an independent hash that has absorbed the same bytes.

        That of a subclass is made without its ``__init__``, and does not have what else
        the instance holds: a subclass with attributes copies them itself.
        """
        other = type(self).__new__(type(self))
        other._state = self._state.copy()
        return other

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce_ex__(self, protocol: object, /) -> NoReturn:
        """Refuse, as hashlib does: the libraries keep their state to themselves."""
        raise TypeError(f"cannot pickle a {self.name} hash object")

    def __repr__(self) -> str:
        return f"<{self.name} hash object>"


def update_together(
    updates: Iterable[tuple[RunningHash, ReadableBuffer]],
    update_many: Callable[[list[HashState], list[bytes | memoryview]], None],
) -> None:
    """
    Absorb a piece of its message in each of several running hashes.

    Args:
        updates: pairs of a running hash and its piece.
        update_many: absorbs a list of pieces in a list of states.

    Raises:
        InputTypeError: if a pair is none, or holds something else; names its index,
            and no hash has absorbed anything.
    """
    # Who makes the pairs one by one may make them of one buffer.
    are_kept = isinstance(updates, (list, tuple))
    pairs = [
        _read_update(index, pair, is_kept=are_kept)
        for index, pair in enumerate(
            to_items(updates, "updates", "pairs of a running hash and its data")
        )
    ]
    states: list[HashState] = []
    pieces: list[bytes | memoryview] = []
    for running, piece in pairs:
        if type(running).update is RunningHash.update:
            states.append(running._state)
            pieces.append(piece)
        else:  # a class that does more, as those that count do, in its turn
            update_many(states, pieces)
            states, pieces = [], []
            running.update(piece)
    update_many(states, pieces)


def _read_update(
    index: int, pair: object, *, is_kept: bool
) -> tuple[RunningHash, bytes | memoryview]:
    """Return a running hash and the bytes to absorb, a copy unless they are kept."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        rule = "a pair of a running hash and its data"
        raise InputTypeError(f"updates[{index}]", rule, pair)
    running, data = pair
    if not isinstance(running, RunningHash):
        rule = "a Keccak256 or Keccak512"
        raise InputTypeError(f"updates[{index}][0]", rule, running)
    if type(data) is bytes:
        return running, data
    buffer = to_buffer(data, f"updates[{index}][1]")
    return running, buffer if is_kept else bytes(buffer)
