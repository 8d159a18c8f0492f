"""
`ProvableState`: what a state has to do with proofs and witnesses.

It is the part of `State` that shows to others what the state holds, or is made of what
others have shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary.state.eip1186 import make_account_proof
from hexary.state.live_accounts import LiveAccounts
from hexary.state.word import read_slots
from hexary.trie.core import Core
from hexary.trie.partial import partial_trie
from hexary.trie.preimages import Preimages

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from hexary.state.account import TrieAccount
    from hexary.state.eip1186 import AccountProof
    from hexary.state.live_accounts import LiveAccount
    from hexary.state.witness import StateRecorder, Witness
    from hexary.state.word import Word
    from hexary.trie import NodeCache
    from hexary.trie.proof_nodes import NodesInput
    from hexary.typed import Address, Hash

__all__ = ["ProvableState"]


class ProvableState:
    """
    The part of `State` that is about proofs and witnesses.

    Example:
        >>> from hexary import State
        >>> issubclass(State, ProvableState)
        True
    """

    delete_empty: bool
    _nodes: NodeCache | None
    _base: bytes
    _live: LiveAccounts

    if TYPE_CHECKING:

        def root(self) -> Hash:
            """See `State`, like the others."""
            ...

        def account(self, address: bytes | str) -> TrieAccount | None:
            """See `State`."""
            ...

        def get_storage(self, address: bytes | str, slot: Word) -> int:
            """See `State`."""
            ...

        def _find(self, address: bytes | str) -> tuple[Address, LiveAccount]: ...

    @classmethod
    def from_witness(
        cls, root: bytes, witness: Witness | NodesInput, *, delete_empty: bool = False
    ) -> Self:
        """
        Return the state with this root of which only a witness is there.

        It can be read and changed as far as the nodes and codes go; what is not there
        is a `MissingNodeError`.

        Args:
            root: the state root that is trusted.
            witness: nodes and codes, which are all hashed: a `Witness`, a list of byte
                strings, or hash → bytes.
            delete_empty: as in the constructor.

        Example:
            >>> from hexary import Account, State
            >>> state = State({bytes(20): Account(balance=1)})
            >>> recorder = state.record()
            >>> recorder.state.get_balance(bytes(20))
            1
            >>> part = State.from_witness(state.root(), recorder.witness())
            >>> part.get_balance(bytes(20))
            1
        """
        from hexary.state.witness import Witness

        state = cls()
        state.delete_empty = delete_empty
        blobs = witness.blobs() if isinstance(witness, Witness) else witness
        trie = partial_trie(root, blobs)
        state._nodes, state._base = trie._nodes, trie._base
        state._live = LiveAccounts(trie._core, Preimages(trie.store))
        return state

    def record(self) -> StateRecorder:
        """Return a copy of the state together with what is noted of its accesses."""
        from hexary.state.witness import StateRecorder

        return StateRecorder(self)  # type: ignore[arg-type]  # a State is what this is

    def prove(self, address: bytes | str, slots: Iterable[Word] = ()) -> AccountProof:
        """
        Return the answer to ``eth_getProof`` (EIP-1186) about an account of this state.

        Args:
            address: the account's address, whether or not there is one.
            slots: slots to prove, whether or not they hold anything.

        Raises:
            InputTypeError: if *slots* is a single slot, or one of them is none.
            MissingNodeError: if a node on the way is not available.

        Example:
            >>> from hexary import Account, State
            >>> state = State({bytes(20): Account(balance=1, storage={5: 6})})
            >>> proven = state.prove(bytes(20), [5, 7]).verify(state.root())
            >>> proven.account.balance, proven.storage
            (1, Slots({5: 6, 7: 0}))
        """
        numbers = read_slots(slots)
        self.root()
        address, account = self._find(address)
        core = self._live.core
        return make_account_proof(
            core,
            Core() if account.storage is None else account.storage,
            address=address,
            account=self.account(address),
            storage=[(slot, self.get_storage(address, slot)) for slot in numbers],
        )
