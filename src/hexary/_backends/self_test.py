"""
What a backend has to get right before it is used.

The answers to a few questions are known beforehand.  They are chosen so that every part
which another build could have wrong is asked for one: digests by one block, by several
and side by side; RLP both ways, and what it refuses; leaves, extensions and branches
with paths of odd and of even length; and the trie that changes.
"""

from __future__ import annotations

from importlib.util import module_from_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from hexary._backends.backend import update_each

if TYPE_CHECKING:
    from types import ModuleType

    from hexary._backends.backend import Backend, HashState

__all__ = ["accelerator_fault", "hashing_fault"]

_EMPTY_256 = bytes.fromhex(
    "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
)
_EMPTY_512 = bytes.fromhex(
    "0eab42de4c3ceb9235fc91acffe746b29c29a8c366b7c60e4e67c466f36a4304"
    "c00fa9caf9d87976ba469bcbe06713b435f091ef2769fb160cdab33d3670680e"
)
_ONE_BLOCK_256 = bytes.fromhex(
    "a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e"
)
"""Keccak-256 of 136 letters "a", one full block: the padding is a block of its own."""

_ITEM = [b"", b"\x00", b"\x7f", b"\x80", b"cat", [[], b"d" * 56], b"e" * 256]
_ITEM_RLP = (
    bytes.fromhex("f90149")  # a list of 329 bytes
    + bytes.fromhex("80 00 7f 8180 83636174 f83b c0 b838")
    + b"d" * 56
    + bytes.fromhex("b90100")
    + b"e" * 256
)
_NOT_CANONICAL = b"\x81\x7f"
"""A byte that is its own encoding, with a header."""

_PAIRS = {
    b"": b"at the root",
    b"do": b"verb",
    b"dog": b"puppy",
    b"doge": b"coin",
    b"horse": b"stallion" * 9,
    b"\x12\x34\x56": b"a" * 31,
    b"\x12\x34\x5f": b"b" * 32,
    b"\x12\x35" + bytes(30): b"c" * 200,
    **{bytes([number, 7]): bytes([number]) * number for number in range(160, 192)},
}
_ROOT = bytes.fromhex(
    "2e552ec711da7709ce5db57010441287297b3c885016e5cb4ed4ca0baf1c6ae9"
)
_SECURE_ROOT = bytes.fromhex(
    "81431728684c20b28fd04fa6467372e684daa3b1ed456d7584e855596e666471"
)
_ROOT_OF_HALF = bytes.fromhex(
    "16658dc595db28c0baf96a5957886b9f34a87568b291b628b38defc1d9405e78"
)
"""Roots of the pairs; the last without every other one of them."""


def hashing_fault(backend: Backend) -> str:
    """
    Return what *backend* computes wrongly, ``""`` if it hashes as it should.

    Example:
        >>> from hexary import BACKEND
        >>> hashing_fault(BACKEND)
        ''
    """
    message = b"a" * 136
    state = backend.start256()
    state.update(message[:100])
    twin = state.copy()
    midway = state.digest()
    state.update(message[100:])
    twin.update(message[100:])
    many = [b"", message, *(message[:size] for size in range(1, 12))]  # 8, 4, 1 abreast
    many += [
        message * times for times in (9, 12, 10, 8, 11)
    ]  # long ones go another way
    alone = b"".join(map(backend.keccak256, many))
    several = [backend.start256(), backend.start512(), *(twin.copy() for _ in range(5))]
    pieces: list[bytes | memoryview] = [message * (1 + at % 3) for at in range(7)]
    apart = [each.copy() for each in several]
    backend.update_many(several, pieces)
    update_each(apart, pieces)
    return _first_wrong(
        ('keccak256(b"")', backend.keccak256(b""), _EMPTY_256),
        ('keccak512(b"")', backend.keccak512(b""), _EMPTY_512),
        ("keccak256 of one full block", backend.keccak256(message), _ONE_BLOCK_256),
        ("keccak256_many", b"".join(backend.keccak256_many(many)), alone),
        ("a digest taken midway", midway, backend.keccak256(message[:100])),
        ("an incremental hash", state.digest(), _ONE_BLOCK_256),
        ("a copied incremental hash", twin.digest(), _ONE_BLOCK_256),
        ("an incremental Keccak-512", backend.start512().digest(), _EMPTY_512),
        ("several incremental hashes", _digests(several), _digests(apart)),
    )


def _digests(states: list[HashState]) -> bytes:
    """Return the digests of running hashes, one after the other."""
    return b"".join(state.digest() for state in states)


def accelerator_fault(accelerator: ModuleType) -> str:
    """
    Return what the accelerator does wrongly apart from hashing, ``""`` if nothing.

    It asks another instance of the module, so that the one in use is left alone: at
    import the Python code that both are to be handed is not loaded yet.
    """
    spec: Any = accelerator.__spec__
    trial: Any = module_from_spec(spec)
    spec.loader.exec_module(trial)
    trial.use_kernel(accelerator.kernel_in_use()[0])
    trial.adopt(fault=ValueError, hash_type=bytes, hash_node=_Hidden)
    encode = _twin(trial, "hexary.rlp.encoding", "encode")
    decode = _twin(trial, "hexary.rlp.decoding", "decode")
    trie_root = _twin(trial, "hexary.trie.root", "trie_root")
    secure_trie_root = _twin(trial, "hexary.trie.root", "secure_trie_root")
    try:
        accepted = repr(decode(_NOT_CANONICAL)).encode()
    except ValueError:
        accepted = b""
    return _first_wrong(
        ("rlp.encode", encode(_ITEM), _ITEM_RLP),
        ("rlp.decode", encode(decode(_ITEM_RLP)), _ITEM_RLP),
        ("what rlp.decode refuses", accepted, b""),
        ("trie_root", trie_root(_PAIRS), _ROOT),
        ("secure_trie_root", secure_trie_root(_PAIRS), _SECURE_ROOT),
    ) or _changing_fault(_twin(trial, "hexary.trie.core", "PureCore"))


def _changing_fault(core: Any) -> str:
    """Return what tries that change do wrongly, made with the class *core*."""
    trie = core()
    for key, value in _PAIRS.items():
        trie.set(key, value)
    values = b"".join(_PAIRS.values())
    fault = _first_wrong(
        ("the root of a trie that changes", trie.root_hash(), _ROOT),
        ("the values of a trie", b"".join(map(trie.get, _PAIRS)), values),
    )
    if fault:
        return fault
    stored = core(_Hidden(_ROOT), _Nodes(trie.new_nodes()))
    read = b"".join(map(stored.get, _PAIRS))
    for key in list(_PAIRS)[::2]:
        trie.delete(key)
        stored.delete(key)
    return _first_wrong(
        ("the values of a stored trie", read, values),
        ("the root after deleting", trie.root_hash(), _ROOT_OF_HALF),
        ("the root of a stored trie", stored.root_hash(), _ROOT_OF_HALF),
    )


class _Hidden:
    """The place of a node of which only the hash is known."""

    def __init__(self, reference: bytes) -> None:
        self.reference = reference


class _Nodes:
    """Encoded nodes by their hashes."""

    def __init__(self, nodes: list[tuple[bytes, bytes]]) -> None:
        self.encodings = dict(nodes)

    def encoding(self, digest: bytes, path: object) -> bytes:  # noqa: ARG002  # a source
        if digest not in self.encodings:
            raise ValueError(f"a stored trie lacks its own node {digest.hex()}")
        return self.encodings[digest]


def _twin(accelerator: Any, module: str, name: str) -> Any:
    """Return the accelerator's twin of a function that is not loaded yet."""
    pure = SimpleNamespace(__module__=module, __qualname__=name, __doc__="")
    twin = accelerator.twin_of(pure)
    if twin is None:
        raise ImportError(f"the accelerator has no twin of {module}.{name}")
    return twin


def _first_wrong(*answers: tuple[str, bytes, bytes]) -> str:
    """Say which of *answers*, each with what it is to and the right one, is wrong."""
    for what, got, expected in answers:
        if got != expected:
            got, expected = got[-64:], expected[-64:]
            return (
                f"wrong answer for {what}: got {got.hex()}, expected {expected.hex()}"
            )
    return ""
