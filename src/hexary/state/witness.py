"""
Witnesses: the nodes and codes of a state that a block, or any computation, needs.

Clients give them as the answer to ``debug_executionWitness``, in shapes that differ
little: ``state`` and ``codes`` are lists of bytes, or maps from hashes to them, and
``keys`` and ``headers`` may be there.  Fixtures have them as ``executionWitness``.
Headers as JSON objects, which geth gives, are for `hexary.chain.read_witness`.
Nothing in a witness is believed: all of it is found by the hashes that are computed
here, from a root that is trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hexary import hash as hashing
from hexary.errors import FixtureError, InputTypeError
from hexary.state.eip1186 import AccountProof
from hexary.state.json_object import (
    JsonObject,
    describe_json,
    join_path,
    read_data,
)
from hexary.state.live_accounts import LiveAccounts
from hexary.trie.input import byte_strings
from hexary.trie.partial import AccessRecorder
from hexary.trie.preimages import Preimages
from hexary.typed.hexstr import encode_hex
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from hexary.state.live_accounts import LiveAccount
    from hexary.state.world import State
    from hexary.trie.core import PureCore
    from hexary.typed import Address

__all__ = ["WRAPPERS", "StateRecorder", "Witness"]

WRAPPERS = ("result", "executionWitness", "witness")
"""Names under which a document may have the witness."""

_NODE_FIELDS = ("state", "states", "nodes")


@dataclass(frozen=True, slots=True)
class Witness:
    r"""
    What a computation needs to know of a state.

    Args:
        nodes: encoded nodes of the state trie and of storage tries, in any order.
        codes: codes.
        keys: addresses and slots (as 32 bytes) whose hashes are keys in the tries.
        headers: encoded headers of blocks before.

    Example:
        >>> witness = Witness.from_json({"state": ["0xc22076"], "codes": []})
        >>> witness.nodes, witness.to_json()["state"]
        ((b'\xc2 v',), ['0xc22076'])
    """

    nodes: tuple[bytes, ...] = ()
    codes: tuple[bytes, ...] = ()
    keys: tuple[bytes, ...] = ()
    headers: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        for name in ("nodes", "codes", "keys", "headers"):
            given = getattr(self, name)
            if type(given) is not tuple:
                object.__setattr__(self, name, tuple(byte_strings(given, name)))

    @classmethod
    def from_json(
        cls,
        value: object,
        *,
        file: str = "",
        encode_header: Callable[[dict[str, Any]], bytes] | None = None,
    ) -> Witness:
        """
        Read a witness in the shapes of reth, nethermind, besu, nimbus and EEST.

        For geth's, with its headers, there is `hexary.chain.read_witness`.

        Args:
            value: the JSON object, or one that has it as its ``result``,
                ``executionWitness`` or ``witness``.
            file: the file's name, for messages.
            encode_header: what returns the encoding of a header that is given as a JSON
                object; ``None`` if there is to be none.

        Raises:
            FixtureError: if it does not have that form, or a hash is wrong.
        """
        found = JsonObject(value, file=file)
        for name in WRAPPERS:
            found = found.object(name) or found
        name = next(
            (field for field in _NODE_FIELDS if found.get(field) is not None), "state"
        )
        if found.get(name) is None:
            raise found.error(name, "is missing")
        return cls(
            nodes=_blobs(found, name),
            codes=_blobs(found, "codes"),
            keys=_blobs(found, "keys"),
            headers=_headers(found, encode_header),
        )

    @classmethod
    def from_proofs(
        cls,
        proofs: Iterable[AccountProof],
        *,
        codes: Iterable[bytes] = (),
        state_root: bytes | None = None,
    ) -> Witness:
        """
        Return what several answers to ``eth_getProof`` have together.

        Answers of different blocks do no harm: what does not belong to the root that
        the witness is used with is never looked at.  It is not found either, though.

        Args:
            proofs: the answers.
            codes: codes of the accounts, which the answers do not have.
            state_root: the root under which all of them are verified here; ``None`` to
                take them as they are.

        Raises:
            ProofError: if an answer is not proven under *state_root*.

        Example:
            >>> from hexary.state import State
            >>> state = State().set_balance(bytes(20), 1)
            >>> proofs = [state.prove(bytes(20)), state.prove(bytes(19) + b"x")]
            >>> witness = Witness.from_proofs(proofs, state_root=state.root())
            >>> len(witness.nodes), len(witness.keys)
            (1, 2)
        """
        nodes: dict[bytes, None] = {}
        keys: dict[bytes, None] = {}
        for proof in iterate(proofs, "proofs", "an iterable of account proofs"):
            if not isinstance(proof, AccountProof):
                raise InputTypeError("a proof", "an AccountProof", proof)
            if state_root is not None:
                proof.verify(state_root)
            nodes.update(dict.fromkeys(proof.nodes))
            keys[bytes(proof.address)] = None
            for claim in proof.storage:
                nodes.update(dict.fromkeys(claim.nodes))
                keys[claim.slot.to_bytes(32, "big")] = None
        found = tuple(byte_strings(codes, "codes"))
        return cls(nodes=tuple(nodes), codes=found, keys=tuple(keys))

    def to_json(self, *, by_hash: bool = False) -> dict[str, Any]:
        """
        Return the answer to ``debug_executionWitness``.

        Args:
            by_hash: whether nodes, codes and keys are maps from hashes, as in the first
                versions of reth, and not lists, as they are now everywhere.

        Example:
            >>> Witness(codes=(b"",)).to_json(by_hash=True)["codes"]
            {'0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470': '0x'}
        """
        shape = _by_hash if by_hash else _listed
        return {
            "state": shape(self.nodes),
            "codes": shape(self.codes),
            "keys": shape(self.keys),
            "headers": _listed(self.headers),
        }

    def blobs(self) -> list[bytes]:
        """Return all that is found by its hash: nodes, codes and keys."""
        return [*self.nodes, *self.codes, *self.keys]


class StateRecorder:
    """
    A state, and what is needed of the one that it began as to do the same again.

    Args:
        state: where to begin; it is not changed.

    Attributes:
        state: the copy whose accesses are noted.

    Example:
        >>> from hexary.state import State
        >>> before = State().set_balance(bytes(20), 1)
        >>> recorder = before.record()
        >>> recorder.state.get_balance(bytes(20))
        1
        >>> State.from_witness(before.root(), recorder.witness()).get_balance(bytes(20))
        1
    """

    def __init__(self, state: State) -> None:
        self.state = state.copy()
        live = self.state._live
        self._nodes = AccessRecorder(live.core.source)
        self._blobs = _NotedBlobs(live.blobs)
        self._noted: dict[Address, dict[bytes, None]] = {}
        core = self._nodes.watch(live.core)
        self._nodes.hold(live.storages.values())
        self.state._live = _NotedAccounts(core, self._blobs, self._noted)
        # A commit would write what is new, but not what the copy was made of.
        self.state._nodes = None

    def witness(self, *, headers: Iterable[bytes] = ()) -> Witness:
        """
        Return exactly what the accesses so far need of the state before them.

        The root is computed for it: a witness of changes has the nodes that their root
        needs, and no others.  Its keys are the addresses and slots that were read or
        written, each address before its slots.

        Args:
            headers: encoded headers that belong to the witness: that of the block
                before, and those of older ones whose hashes were asked for.
        """
        self.state.root()
        keys: dict[bytes, None] = {}
        for address, slots in self._noted.items():
            keys[bytes(address)] = None
            keys.update(slots)
        return Witness(
            nodes=tuple(self._nodes.nodes()),
            codes=tuple(self._blobs.found.values()),
            keys=tuple(keys),
            headers=tuple(byte_strings(headers, "headers", "encoded headers")),
        )


class _NotedAccounts(LiveAccounts):
    """
    Accounts that note which of them, and of their slots, are read or written.

    Args:
        core: the state trie's core.
        blobs: codes, addresses and slot numbers by their hashes.
        noted: address → slots; noted here.
    """

    __slots__ = ("noted",)

    def __init__(
        self, core: PureCore, blobs: Preimages, noted: dict[Address, dict[bytes, None]]
    ) -> None:
        super().__init__(core, blobs)
        self.noted = noted

    def copy(self) -> LiveAccounts:
        other = _NotedAccounts(self.core.copy(), self.blobs.copy(), self.noted)
        other.storages = dict(self.storages)
        return other

    def find(self, address: Address) -> LiveAccount:
        self.noted.setdefault(address, {})
        return super().find(address)

    def slot(self, address: Address, word: bytes) -> int:
        self.noted.setdefault(address, {})[word] = None
        return super().slot(address, word)

    def settle_storage(self, address: Address, account: LiveAccount) -> None:
        self.noted.setdefault(address, {}).update(dict.fromkeys(account.dirty))
        super().settle_storage(address, account)


class _NotedBlobs(Preimages):
    """
    Codes and keys over others, that note which of the others were asked for.

    Args:
        before: what is known before anything is added.
    """

    __slots__ = ("_before", "found")

    def __init__(self, before: Preimages) -> None:
        super().__init__()
        self._before = before
        self.found: dict[bytes, bytes] = {}

    def find(self, digest: bytes) -> bytes | None:
        known = super().find(digest)
        if known is None:
            known = self._before.find(digest)
            if known is not None:
                self.found[digest] = known
        return known


def _listed(blobs: tuple[bytes, ...]) -> list[str]:
    """Return hex texts."""
    return [encode_hex(blob) for blob in blobs]


def _by_hash(blobs: tuple[bytes, ...]) -> dict[str, str]:
    """Return hash → bytes, both as hex text."""
    digests = hashing.keccak256_many(list(blobs))
    return dict(zip(map(encode_hex, digests), map(encode_hex, blobs), strict=True))


def _headers(
    value: JsonObject, encode: Callable[[dict[str, Any]], bytes] | None
) -> tuple[bytes, ...]:
    """Return the encoded headers of a list, or of a map from their hashes."""
    found = value.get("headers")
    if not isinstance(found, (list, tuple)):
        return _blobs(value, "headers")
    headers = []
    for index, header in enumerate(found):
        field = f"{value.field('headers')}[{index}]"
        if encode is not None and isinstance(header, dict):
            try:
                headers.append(encode(header))
            except FixtureError as error:
                place = join_path(field, error.field) if error.field else field
                raise FixtureError(error.rule, file=value.file, field=place) from error
        elif isinstance(header, dict):
            raise FixtureError(
                "is a JSON object, which hexary.chain.read_witness reads",
                file=value.file,
                field=field,
            )
        else:
            headers.append(read_data(header, file=value.file, field=field))
    return tuple(headers)


def _blobs(value: JsonObject, name: str) -> tuple[bytes, ...]:
    """Return the byte strings of a list, or of a map from their hashes."""
    found = value.get(name)
    if found is None:
        return ()
    place = value.field(name)
    if isinstance(found, (list, tuple)):
        return tuple(
            read_data(blob, file=value.file, field=f"{place}[{index}]")
            for index, blob in enumerate(found)
        )
    if not isinstance(found, Mapping):
        raise value.error(name, f"must be a list, got {describe_json(found)}")
    blobs = []
    for key, blob in found.items():
        if not isinstance(key, (str, bytes)):
            rule = f"hashes must be hex text, got {describe_json(key)}"
            raise value.error(name, rule)
        text = encode_hex(key) if isinstance(key, bytes) else key
        field = join_path(place, text)
        data = read_data(blob, file=value.file, field=field)
        digest = hashing.keccak256(data)
        if read_data(key, size=32, file=value.file, field=field) != digest:
            raise FixtureError(
                f"the hash of the bytes is {encode_hex(digest)}",
                file=value.file,
                field=field,
            )
        blobs.append(data)
    return tuple(blobs)
