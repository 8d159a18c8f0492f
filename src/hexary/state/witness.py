"""
Witnesses: the nodes and codes of a state that a block, or any computation, needs.

Clients give them as the answer to ``debug_executionWitness``, in shapes that differ
little: ``state`` and ``codes`` are lists of bytes, or maps from hashes to them, and
``keys`` and ``headers`` may be there.  Fixtures have them as ``executionWitness``.
Nothing in a witness is believed: all of it is found by the hashes that are computed
here, from a root that is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hexary import hash as hashing
from hexary.errors import FixtureError
from hexary.state.json_object import (
    JsonObject,
    describe_json,
    join_path,
    read_data,
)
from hexary.state.live_accounts import LiveAccounts
from hexary.trie.partial import AccessRecorder
from hexary.trie.preimages import Preimages
from hexary.typed.hexstr import encode_hex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.state.eip1186 import AccountProof
    from hexary.state.world import State

__all__ = ["StateRecorder", "Witness"]

_WRAPPERS = ("result", "executionWitness", "witness")
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

    @classmethod
    def from_json(cls, value: object, *, file: str = "") -> Witness:
        """
        Read a witness in the shapes of geth, reth, nethermind, besu, nimbus and EEST.

        Args:
            value: the JSON object, or one that has it as its ``result``,
                ``executionWitness`` or ``witness``.
            file: the file's name, for messages.

        Raises:
            FixtureError: if it does not have that form, or a hash is wrong.
        """
        found = JsonObject(value, file=file)
        for name in _WRAPPERS:
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
            headers=_blobs(found, "headers"),
        )

    @classmethod
    def from_proofs(
        cls, proofs: Iterable[AccountProof], *, codes: Iterable[bytes] = ()
    ) -> Witness:
        """
        Return what several answers to ``eth_getProof`` under one root have together.

        Args:
            proofs: the answers, verified or not.
            codes: codes of the accounts, which the answers do not have.
        """
        nodes: dict[bytes, None] = {}
        keys: dict[bytes, None] = {}
        for proof in proofs:
            nodes.update(dict.fromkeys(proof.nodes))
            keys[bytes(proof.address)] = None
            for claim in proof.storage:
                nodes.update(dict.fromkeys(claim.nodes))
                keys[claim.slot.to_bytes(32, "big")] = None
        return cls(nodes=tuple(nodes), codes=tuple(codes), keys=tuple(keys))

    def to_json(self) -> dict[str, list[str]]:
        """Return the answer to ``debug_executionWitness``."""
        return {
            "state": [encode_hex(node) for node in self.nodes],
            "codes": [encode_hex(code) for code in self.codes],
            "keys": [encode_hex(key) for key in self.keys],
            "headers": [encode_hex(header) for header in self.headers],
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
        noted = LiveAccounts(self._nodes.watch(live.core), self._blobs)
        self._nodes.hold(live.storages.values())
        self.state._live = noted
        # A commit would write what is new, but not what the copy was made of.
        self.state._nodes = None

    def witness(self) -> Witness:
        """
        Return exactly what the accesses so far need of the state before them.

        The root is computed for it: a witness of changes has the nodes that their root
        needs, and no others.
        """
        self.state.root()
        return Witness(
            nodes=tuple(self._nodes.nodes()),
            codes=tuple(self._blobs.found.values()),
        )


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


def _blobs(value: JsonObject, name: str) -> tuple[bytes, ...]:
    """Return the byte strings of a list, or of a map from their hashes."""
    found = value.get(name)
    if found is None:
        return ()
    place = value.field(name)
    if isinstance(found, list):
        return tuple(
            read_data(blob, file=value.file, field=f"{place}[{index}]")
            for index, blob in enumerate(found)
        )
    if not isinstance(found, dict):
        raise value.error(name, f"must be a list, got {describe_json(found)}")
    blobs = []
    for key, blob in found.items():
        field = join_path(place, key)
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
