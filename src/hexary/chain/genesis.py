"""
Genesis files: how a chain starts, as its clients' configuration tells it.

Two layouts are read.  In the one of geth, besu, EELS and core-geth the header's values
stand at the top, the accounts in ``alloc`` and the schedule of forks in ``config``;
nimbus puts all but the last into ``genesis``.  A chainspec (parity, openethereum,
nethermind) has them in ``genesis``, ``accounts`` and ``params``.  Which fields the
header has follows from the forks that are on at block 0 (`hexary.chain.forks`); a value
for a field that the header does not have is ignored.

Where a file is silent, the header has what the clients put there: zeros; a base fee of
1 gwei; the roots and hashes of empty lists.  Only ``difficulty`` and ``gasLimit`` must
be there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.chain.forks import genesis_header_fields
from hexary.chain.header import (
    EMPTY_BLOCK_ACCESS_LIST_HASH,
    EMPTY_REQUESTS_HASH,
    AuthorityRoundHeader,
    Header,
)
from hexary.errors import ExecutionNeededError, FixtureError, shorten
from hexary.state.alloc import Alloc
from hexary.state.json_file import load_json, path_name
from hexary.state.json_object import JsonObject
from hexary.state.world import State
from hexary.trie import EMPTY_ROOT
from hexary.typed import Hash

if TYPE_CHECKING:
    import os

    from hexary.trie import NodeStore

__all__ = [
    "INITIAL_BASE_FEE",
    "Genesis",
    "is_genesis",
]

INITIAL_BASE_FEE = 1_000_000_000
"""Base fee of the first block that has one, in wei (EIP-1559)."""

_ZERO_HASH = bytes(32)


def _appended(name: str, values: JsonObject) -> Any:
    """Return the value of a field that a fork appended to the header."""
    match name:
        case "base_fee_per_gas":
            return values.quantity("baseFeePerGas")
        case "withdrawals_root":
            return EMPTY_ROOT
        case "blob_gas_used":
            return values.quantity("blobGasUsed", bits=64) or 0
        case "excess_blob_gas":
            return values.quantity("excessBlobGas", bits=64) or 0
        case "parent_beacon_block_root":
            return values.data("parentBeaconBlockRoot", size=32) or _ZERO_HASH
        case "requests_hash":
            return EMPTY_REQUESTS_HASH
        case "block_access_list_hash":
            return EMPTY_BLOCK_ACCESS_LIST_HASH
        case _:
            return values.quantity("slotNumber", bits=64) or 0


def is_genesis(document: object) -> bool:
    """
    Return whether a JSON document looks like a genesis file, well formed or not.

    Example:
        >>> is_genesis({"alloc": {}, "gasLimit": "0x1388"})
        True
        >>> is_genesis({"alloc": {}, "env": {}})
        False
    """
    if not isinstance(document, dict):
        return False
    names = _names(document)
    if isinstance(document.get("genesis"), dict):
        chainspec = names & {"accounts", "engine", "params"}
        return bool(chainspec or "alloc" in _names(document["genesis"]))
    return bool(names & {"alloc", "config"} and names & {"gaslimit", "difficulty"})


def _names(members: dict[Any, Any]) -> set[str]:
    """Return the names of an object's fields, which are compared in lower case."""
    return {key.lower() for key in members if isinstance(key, str)}


class Genesis:
    """
    The start of a chain: its accounts and block 0; immutable.

    Made by `from_json` or `from_file`.

    Attributes:
        layout: ``"geth"`` or ``"chainspec"``, after which the file is laid out.
        chain_id: the chain's id (EIP-155); ``None`` if the file does not tell.
        declared_state_root: the state root that the file itself claims, if any.
        file: the file's name; ``""`` if there is none.

    Example:
        >>> genesis = Genesis.from_file("fixtures/genesis/sepolia.json")
        >>> genesis.state_root()
        Hash('0x5eb6e371a698b8d68f665192350ffcecbbbf322916f4b51bd79bb6887da3f494')
        >>> genesis.block_hash()
        Hash('0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9')
    """

    __slots__ = (
        "_accounts",
        "_header_values",
        "_state_root",
        "chain_id",
        "declared_state_root",
        "file",
        "layout",
    )

    layout: str
    chain_id: int | None
    declared_state_root: Hash | None
    file: str
    _accounts: Alloc | ExecutionNeededError
    _header_values: dict[str, Any]
    _state_root: Hash | None

    def __init__(self) -> None:
        raise TypeError("a Genesis is made by Genesis.from_json or Genesis.from_file")

    @classmethod
    def from_file(cls, path: str | bytes | os.PathLike[str]) -> Genesis:
        """
        Read a genesis file.

        Raises:
            FixtureError: if it cannot be read, is no JSON, or no genesis.
            InputTypeError: if *path* is no path.
        """
        return cls.from_json(load_json(path), file=path_name(path))

    @classmethod
    def from_json(cls, document: object, *, file: str = "") -> Genesis:
        """
        Read the JSON document of a genesis file.

        Args:
            document: the document, as a JSON reader returns it.
            file: the file's name, for messages.

        Raises:
            FixtureError: if it is no genesis, or a field in it is malformed.

        Example:
            >>> genesis = Genesis.from_json({
            ...     "config": {"chainId": 63},
            ...     "difficulty": "0x20000", "gasLimit": "0x2fefd8",
            ...     "timestamp": "0x5d9676db",
            ...     "extraData": "0x" + b"phoenix chicken absurd banana".hex(),
            ...     "alloc": {},
            ... })
            >>> genesis.chain_id
            63
            >>> genesis.block_hash()
            Hash('0xa68ebde7932eccb177d38d55dcc6461a019dd795a681e59b5a3e4f3a7259a3f1')
        """
        top = JsonObject(document, file=file)
        genesis = cls.__new__(cls)
        genesis.file = file
        genesis._state_root = None
        nested = top.get("genesis")
        if isinstance(nested, dict):
            head = JsonObject(nested, file=file, path=top.field("genesis"))
            if head.get("alloc") is None:
                genesis._read_chainspec(head, top)
            else:
                genesis._read_geth(head, top)
        elif is_genesis(document):
            genesis._read_geth(top, top)
        else:
            raise FixtureError(
                "not a genesis: there is neither an alloc or config with the header's "
                f"values nor a chainspec, got {shorten(document)}",
                file=file,
            )
        return genesis

    def _read_geth(self, head: JsonObject, top: JsonObject) -> None:
        """Read the layout of geth, besu, EELS, core-geth and nimbus."""
        self.layout = "geth"
        config = top.object("config") or JsonObject({}, file=top.file, path="config")
        self.chain_id = config.quantity("chainId")
        self._accounts = _accounts(head, "alloc")
        values = _header_values(head, config, coinbase="coinbase")
        values["mix_hash"] = head.data("mixHash", size=32) or _ZERO_HASH
        values["nonce"] = _nonce(head)
        self._header_values = values
        self.declared_state_root = _declared_state_root(head)

    def _read_chainspec(self, head: JsonObject, top: JsonObject) -> None:
        """Read the layout of parity, openethereum and nethermind."""
        self.layout = "chainspec"
        params = top.object("params") or JsonObject({}, file=top.file, path="params")
        self.chain_id = params.quantity("chainID")
        if self.chain_id is None:
            self.chain_id = params.quantity("networkID")
        self._accounts = _accounts(top, "accounts")
        values = _header_values(head, params, coinbase="author")
        values.update(_seal(head))
        self._header_values = values
        self.declared_state_root = _declared_state_root(head)

    @property
    def alloc(self) -> Alloc:
        """
        The accounts that the chain starts with.

        Raises:
            ExecutionNeededError: if the file gives a ``constructor`` for one of them.
        """
        if isinstance(self._accounts, ExecutionNeededError):
            known = self._accounts
            raise ExecutionNeededError(known.rule, file=known.file, field=known.field)
        return self._accounts

    def state_root(self) -> Hash:
        """
        Return the root of the state that the chain starts with.

        Raises:
            ExecutionNeededError: if the file gives a ``constructor`` for an account.
        """
        if self._state_root is None:
            self._state_root = self.alloc.state_root()
        return self._state_root

    def state(
        self, *, store: NodeStore | None = None, delete_empty: bool = False
    ) -> State:
        """
        Return the state that the chain starts with, to go on from.

        Args:
            store: as in `hexary.State`.
            delete_empty: as in `hexary.State`, from now on: the accounts of the file
                that are empty stay.

        Raises:
            ExecutionNeededError: if the file gives a ``constructor`` for an account.

        Example:
            >>> genesis = Genesis.from_file("fixtures/genesis/sepolia.json")
            >>> genesis.state().root() == genesis.state_root()
            True
        """
        state = State(self.alloc, store=store)
        state.root()
        state.delete_empty = delete_empty
        return state

    def header(self) -> Header | AuthorityRoundHeader:
        """
        Return the header of block 0.

        Its state root is that of the accounts; if they cannot be known, what the file
        declares.

        Raises:
            ExecutionNeededError: if the accounts cannot be known and the file does not
                declare their root.
        """
        root = self.declared_state_root
        if root is None or not isinstance(self._accounts, ExecutionNeededError):
            root = self.state_root()
        if "step" in self._header_values:
            return AuthorityRoundHeader(state_root=root, **self._header_values)
        return Header(state_root=root, **self._header_values)

    def block_hash(self) -> Hash:
        """
        Return the hash of block 0.

        Raises:
            ExecutionNeededError: as `header` does.
        """
        return self.header().hash()

    def __repr__(self) -> str:
        return f"Genesis({self.layout}, chain_id={self.chain_id}, file={self.file!r})"


def _accounts(top: JsonObject, name: str) -> Alloc | ExecutionNeededError:
    """Return the accounts in the field *name*, or why they cannot be known."""
    entries = top.get(name)
    try:
        return Alloc.from_json(
            {} if entries is None else entries, file=top.file, field=top.field(name)
        )
    except ExecutionNeededError as error:
        return error


def _header_values(
    values: JsonObject, rules: JsonObject, *, coinbase: str
) -> dict[str, Any]:
    """
    Return the header's values, but for the state root and the seal.

    Args:
        values: the object that has them.
        rules: the object that has the schedule of forks.
        coinbase: name of the field with the fee recipient.
    """
    number = values.quantity("number", bits=64) or 0
    timestamp = values.quantity("timestamp", bits=64) or 0
    header: dict[str, Any] = {
        "parent_hash": values.data("parentHash", size=32) or _ZERO_HASH,
        "coinbase": values.data(coinbase, size=20) or bytes(20),
        "difficulty": values.required_quantity("difficulty"),
        "number": number,
        "gas_limit": values.required_quantity("gasLimit", bits=64),
        "gas_used": values.quantity("gasUsed", bits=64) or 0,
        "timestamp": timestamp,
        "extra_data": values.data("extraData") or b"",
    }
    for name in genesis_header_fields(rules, number=number, timestamp=timestamp):
        header[name] = _appended(name, values)
    if "base_fee_per_gas" in header and header["base_fee_per_gas"] is None:
        initial = rules.quantity("eip1559BaseFeeInitialValue")
        header["base_fee_per_gas"] = INITIAL_BASE_FEE if initial is None else initial
    return header


def _nonce(values: JsonObject) -> bytes:
    """Return the seal's nonce, which files give as a number of any length."""
    return (values.quantity("nonce", bits=64) or 0).to_bytes(8, "big")


def _seal(head: JsonObject) -> dict[str, Any]:
    """Return the seal of a chainspec's genesis: of ethash, or of authority round."""
    seal = head.object("seal")
    if seal is None:
        return {}
    authority = seal.object("authorityRound")
    if authority is not None:
        signature = authority.data("signature", size=65)
        return {
            "step": authority.required_quantity("step", bits=64),
            "signature": bytes(65) if signature is None else signature,
        }
    ethereum = seal.object("ethereum")
    if ethereum is None:
        raise head.error("seal", "is neither of ethereum nor of authorityRound")
    return {
        "mix_hash": ethereum.data("mixHash", size=32) or _ZERO_HASH,
        "nonce": _nonce(ethereum),
    }


def _declared_state_root(values: JsonObject) -> Hash | None:
    """Return the state root that the file declares, if it does."""
    declared = values.data("stateRoot", size=32)
    return None if declared is None else Hash(declared)
