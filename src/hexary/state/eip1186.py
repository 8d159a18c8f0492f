"""
Proofs of accounts and their storage, as clients answer ``eth_getProof`` (EIP-1186).

Clients say the same in different words: an account that does not exist with zero
hashes or with the hashes of nothing, numbers padded or not, slots as text of any
length, an account's fields in an object of their own.  All of these are read, and all
of them are claims: what counts is what the nodes prove, and a field that says something
else is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from hexary import hash as hashing
from hexary.errors import (
    DecodeError,
    HexaryError,
    InputTypeError,
    ProofError,
    ProofReason,
    shorten,
)
from hexary.integer import exact_uint
from hexary.state.account import EMPTY_CODE_HASH, TrieAccount
from hexary.state.json_object import (
    JsonObject,
    describe_json,
    read_data,
    read_quantity,
)
from hexary.state.slots import Slots
from hexary.state.storage import proven_slot
from hexary.state.word import read_slots, read_word
from hexary.trie import EMPTY_ROOT, verify_proof
from hexary.trie.input import byte_strings
from hexary.typed import Address, Hash
from hexary.typed.buffer import exact_bytes
from hexary.typed.hexstr import encode_hex, parse_bytes
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.state.word import Word
    from hexary.trie.core import PureCore

__all__ = ["AccountProof", "StorageProof", "VerifiedAccount", "make_account_proof"]

_NOTHING = Hash(bytes(32))
"""What some clients give as the hashes of an account that does not exist."""

_HASHES = (("address", Address), ("storage_root", Hash), ("code_hash", Hash))
"""What an account proof has of a size of its own."""

_NODES = "a tuple of encoded nodes"
_CLAIMS = "a tuple of claims about slots"

_BARE_DIGITS = 60
"""A slot's text without 0x of so many digits and more is a word in hex."""


class VerifiedAccount(NamedTuple):
    """
    What an account proof proves.

    Attributes:
        address: the account's address.
        account: what the state trie holds of it, ``None`` if it does not exist.
        storage: slot → what it holds; 0 for slots that are proven to hold nothing.
    """

    address: Address
    account: TrieAccount | None
    storage: Slots


@dataclass(frozen=True, slots=True)
class StorageProof:
    """
    The claim that a slot holds a value, and the nodes that prove it.

    Args:
        slot: the slot's number.
        value: what it holds, 0 for nothing.
        nodes: the encoded nodes, from the storage root on.

    Raises:
        InputTypeError, RangeError: if `slot` or `value` is no int of 256 bits.
    """

    slot: int
    value: int
    nodes: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        for name in ("slot", "value"):
            given = getattr(self, name)
            number = exact_uint(given, name, bits=256)
            if number is not given:
                object.__setattr__(self, name, number)
        if type(self.nodes) is not tuple:
            nodes = tuple(byte_strings(self.nodes, "nodes", _NODES))
            object.__setattr__(self, "nodes", nodes)

    def verify(
        self, storage_root: bytes, *, where: str = "", allow_extra: bool = False
    ) -> int:
        """
        Return what the slot holds, proven under a storage root.

        Args:
            storage_root: root of the account's storage trie, which is trusted.
            where: whose storage it is, for messages.
            allow_extra: as in `hexary.verify_proof`.

        Raises:
            ProofError: if the nodes prove nothing, or another value, or that the trie
                holds what no storage does, such as a zero.

        Example:
            >>> StorageProof(slot=5, value=0).verify(EMPTY_ROOT)
            0
        """
        place = f"slot {self.slot:#x}{f' of {where}' if where else ''}"
        found = verify_proof(
            storage_root,
            self.slot.to_bytes(32, "big"),
            self.nodes,
            secure=True,
            allow_extra=allow_extra,
            where=place,
        )
        proven = 0 if found is None else proven_slot(found, where=place)
        if proven != self.value:
            raise ProofError(
                ProofReason.WRONG_VALUE,
                got=f"{self.value:#x}",
                expected=f"{proven:#x}",
                where=place,
            )
        return proven


@dataclass(frozen=True, slots=True)
class AccountProof:
    """
    The claim that an account is so, with some slots, and the nodes that prove it.

    Args:
        address: the account's address.
        nodes: the encoded nodes, from the state root on.
        nonce: 0 for an account that does not exist, like `balance`.
        balance: in wei.
        storage_root: root of its storage's trie.
        code_hash: keccak-256 of its code.
        storage: claims about its slots.

    Raises:
        InputTypeError, RangeError, SizeError: if the address or a hash is of another
            size, `nonce` is no int of 64 bits, or `balance` none of 256.

    Example:
        >>> proof = AccountProof(Address(bytes(20)), storage=(StorageProof(1, 0),))
        >>> proof.verify(EMPTY_ROOT).storage
        Slots({1: 0})
    """

    address: Address
    nodes: tuple[bytes, ...] = ()
    nonce: int = 0
    balance: int = 0
    storage_root: Hash = EMPTY_ROOT
    code_hash: Hash = EMPTY_CODE_HASH
    storage: tuple[StorageProof, ...] = ()

    def __post_init__(self) -> None:
        for name, bits in (("nonce", 64), ("balance", 256)):
            given = getattr(self, name)
            number = exact_uint(given, name, bits=bits)
            if number is not given:
                object.__setattr__(self, name, number)
        for name, kind in _HASHES:
            given = getattr(self, name)
            if type(given) is not kind:
                object.__setattr__(self, name, kind(exact_bytes(given, name)))
        if type(self.nodes) is not tuple:
            nodes = tuple(byte_strings(self.nodes, "nodes", _NODES))
            object.__setattr__(self, "nodes", nodes)
        if type(self.storage) is not tuple:
            claims = tuple(iterate(self.storage, "storage", _CLAIMS))
            object.__setattr__(self, "storage", claims)
        for index, claim in enumerate(self.storage):
            if not isinstance(claim, StorageProof):
                raise InputTypeError(f"storage[{index}]", "a StorageProof", claim)

    @classmethod
    def from_json(
        cls,
        value: object,
        *,
        address: bytes | str | None = None,
        slots: Iterable[Word] | None = None,
        file: str = "",
    ) -> AccountProof:
        """
        Read an answer to ``eth_getProof``, or the whole response that has it.

        Args:
            value: the JSON object.
            address: the account's address, for answers that do not name it; those that
                do have to agree.
            slots: the slots that were asked for: the answer has to be about all of them
                and no others; ``None`` for those that it is about.
            file: the file's name, for messages.

        Raises:
            FixtureError: if it does not have that form.

        Example:
            >>> claim = {"address": "0x" + 40 * "0", "accountProof": []}
            >>> AccountProof.from_json(claim).verify(EMPTY_ROOT).account is None
            True
        """
        answer = _answer(JsonObject(value, file=file))
        named = answer.data("address", size=20)
        asked = named if address is None else Address(address)
        if asked is None:
            raise answer.error("address", "is missing")
        if named is not None and named != asked:
            raise answer.error("address", f"is not {encode_hex(asked)}")
        fields = answer.object("account") or answer
        root = fields.data("storageHash", size=32)
        if root is None:
            root = fields.data("storageRoot", size=32)
        code_hash = fields.data("codeHash", size=32)
        claims = answer.get("storageProof")
        if claims is not None and not isinstance(claims, (list, tuple)):
            raise answer.error(
                "storageProof", f"must be a list, got {describe_json(claims)}"
            )
        storage = tuple(
            _storage_proof(
                JsonObject(
                    claim, file=file, path=f"{answer.field('storageProof')}[{index}]"
                )
            )
            for index, claim in enumerate(claims or ())
        )
        if slots is not None:
            wanted = Slots((slot, 0) for slot in read_slots(slots)).by_word().keys()
            told = Slots((claim.slot, 0) for claim in storage).by_word().keys()
            for word in sorted(wanted ^ told):
                rule = "was not asked for" if word in told else "is missing"
                slot = int.from_bytes(word, "big")
                raise answer.error("storageProof", f"slot {slot:#x} {rule}")
        return cls(
            address=Address(asked),
            nodes=_nodes(answer, "accountProof"),
            nonce=fields.quantity("nonce", bits=64) or 0,
            balance=fields.quantity("balance") or 0,
            storage_root=EMPTY_ROOT if root is None else Hash(root),
            code_hash=EMPTY_CODE_HASH if code_hash is None else Hash(code_hash),
            storage=storage,
        )

    def to_json(self) -> dict[str, Any]:
        """
        Return the answer to ``eth_getProof``, as execution-apis spells it.

        Example:
            >>> AccountProof(Address(bytes(20))).to_json()["balance"]
            '0x0'
        """
        return {
            "address": self.address.hex(),
            "accountProof": [encode_hex(node) for node in self.nodes],
            "balance": f"{self.balance:#x}",
            "codeHash": self.code_hash.hex(),
            "nonce": f"{self.nonce:#x}",
            "storageHash": self.storage_root.hex(),
            "storageProof": [
                {
                    "key": f"0x{claim.slot:064x}",
                    "value": f"{claim.value:#x}",
                    "proof": [encode_hex(node) for node in claim.nodes],
                }
                for claim in self.storage
            ],
        }

    def verify(
        self, state_root: bytes, *, allow_extra: bool = False
    ) -> VerifiedAccount:
        """
        Return what the account is, with the slots asked for, proven under a state root.

        Args:
            state_root: the state root that is trusted.
            allow_extra: as in `hexary.verify_proof`.

        Raises:
            ProofError: at the first claim that is not proven; ``where`` tells which.
        """
        account = self._verify_account(state_root, allow_extra=allow_extra)
        root = EMPTY_ROOT if account is None else account.storage_root
        where = str(self.address)
        proven = (
            (claim.slot, claim.verify(root, where=where, allow_extra=allow_extra))
            for claim in self.storage
        )
        return VerifiedAccount(self.address, account, Slots(proven))

    def faults(
        self, state_root: bytes, *, allow_extra: bool = False
    ) -> list[ProofError]:
        """
        Return an error for each claim that is not proven, none if all are.

        Where the account is not proven, nothing can be said about its slots.

        Args:
            state_root: the state root that is trusted.
            allow_extra: as in `hexary.verify_proof`.

        Example:
            >>> [fault.where for fault in AccountProof(Address(1)).faults(bytes(32))]
            ['account 0x0000000000000000000000000000000000000001']
        """
        try:
            account = self._verify_account(state_root, allow_extra=allow_extra)
        except ProofError as error:
            return [error]
        root = EMPTY_ROOT if account is None else account.storage_root
        found = []
        for claim in self.storage:
            try:
                claim.verify(root, where=str(self.address), allow_extra=allow_extra)
            except ProofError as error:
                found.append(error)
        return found

    def _verify_account(
        self, state_root: bytes, *, allow_extra: bool
    ) -> TrieAccount | None:
        """Return what is proven of the account, if the fields say the same."""
        where = f"account {self.address}"
        found = verify_proof(
            state_root,
            self.address,
            self.nodes,
            secure=True,
            allow_extra=allow_extra,
            where=where,
        )
        if found is None:
            proven, shown = None, TrieAccount()
        else:
            try:
                proven = shown = TrieAccount.from_rlp(found)
            except DecodeError as error:
                raise ProofError(
                    ProofReason.BAD_ACCOUNT, got=found, where=where
                ) from error
        for name in ("nonce", "balance", "storage_root", "code_hash"):
            got, expected = getattr(self, name), getattr(shown, name)
            if proven is None and got == _NOTHING:
                continue
            if got != expected:
                raise ProofError(
                    ProofReason.WRONG_FIELD,
                    got=got,
                    expected=expected,
                    where=f"{where}, {name.replace('_', ' ')}",
                )
        return proven


def make_account_proof(
    core: PureCore,
    storage_core: PureCore,
    *,
    address: Address,
    account: TrieAccount | None,
    storage: Iterable[tuple[int, int]],
) -> AccountProof:
    """
    Return the proof of an account and some of its slots.

    Args:
        core: core of the state trie.
        storage_core: core of the account's storage trie.
        address: the account's address.
        account: what the state trie holds of it, ``None`` for nothing.
        storage: each slot with what it holds.

    Raises:
        MissingNodeError: if a node on the way is not available.

    Example:
        >>> from hexary.trie.core import PureCore
        >>> make_account_proof(
        ...     PureCore(), PureCore(), address=Address(1), account=None, storage=[]
        ... ) == AccountProof(Address(1))
        True
    """
    held = account or TrieAccount()
    numbers = Slots(storage)
    return AccountProof(
        address=address,
        nodes=tuple(core.proof([hashing.keccak256(address)])),
        nonce=held.nonce,
        balance=held.balance,
        storage_root=held.storage_root,
        code_hash=held.code_hash,
        storage=tuple(
            StorageProof(slot, value, tuple(storage_core.proof([key])))
            for (slot, value), key in zip(
                numbers.items(),
                hashing.keccak256_many(list(numbers.by_word())),
                strict=True,
            )
        ),
    )


def _answer(value: JsonObject) -> JsonObject:
    """Return the answer in a JSON-RPC response, or in a record of one."""
    for name in ("response", "result"):
        if value.get("accountProof") is None:
            value = value.object(name) or value
            refusal = value.get("error")
            if refusal is not None and value.get("result") is None:
                if isinstance(refusal, Mapping):
                    refusal = refusal.get("message", "")
                raise value.error("error", f"the node refuses: {shorten(refusal)}")
    return value


def _nodes(value: JsonObject, name: str) -> tuple[bytes, ...]:
    """Return the nodes in the field *name*."""
    nodes = value.get(name)
    if not isinstance(nodes, (list, tuple)):
        raise value.error(name, f"must be a list, got {describe_json(nodes)}")
    return tuple(
        read_data(node, file=value.file, field=f"{value.field(name)}[{index}]")
        for index, node in enumerate(nodes)
    )


def _storage_proof(claim: JsonObject) -> StorageProof:
    """Return the claim about one slot."""
    value = claim.get("value")
    if value is None:
        raise claim.error("value", "is missing")
    return StorageProof(
        slot=_slot(claim),
        value=read_quantity(value, file=claim.file, field=claim.field("value")),
        nodes=_nodes(claim, "proof"),
    )


def _slot(claim: JsonObject) -> int:
    """Return the number of the slot that a claim is about."""
    key = claim.get("key")
    try:
        if isinstance(key, str) and _BARE_DIGITS <= len(key) < 64:
            key = parse_bytes(key, odd="pad")
        return read_word(key, "slot")
    except HexaryError as error:
        raise claim.error("key", str(error)) from None
