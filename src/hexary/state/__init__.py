"""
Accounts, allocs and the roots of what they describe.

The lowest layer that knows what an account is; nothing here knows a fork or a header.
"""

from __future__ import annotations

from hexary.state.access_list import PostValues, apply_access_list, post_values
from hexary.state.account import EMPTY_CODE_HASH, Account, TrieAccount
from hexary.state.alloc import Alloc, state_root
from hexary.state.contract_address import create2_address, create_address
from hexary.state.difference import StateDifference, state_differences
from hexary.state.dump import DumpedAccount, StateDump
from hexary.state.eip1186 import AccountProof, StorageProof, VerifiedAccount
from hexary.state.json_file import load_json, parse_json
from hexary.state.provable import ProvableState
from hexary.state.slots import Slots
from hexary.state.snap_range import (
    AccountRange,
    StorageRange,
    slim_account,
    verify_account_range,
    verify_storage_range,
)
from hexary.state.storage import AccountStorage, storage_root
from hexary.state.witness import StateRecorder, Witness
from hexary.state.world import State

__all__ = [
    "EMPTY_CODE_HASH",
    "Account",
    "AccountProof",
    "AccountRange",
    "AccountStorage",
    "Alloc",
    "DumpedAccount",
    "PostValues",
    "ProvableState",
    "Slots",
    "State",
    "StateDifference",
    "StateDump",
    "StateRecorder",
    "StorageProof",
    "StorageRange",
    "TrieAccount",
    "VerifiedAccount",
    "Witness",
    "apply_access_list",
    "create2_address",
    "create_address",
    "load_json",
    "parse_json",
    "post_values",
    "slim_account",
    "state_differences",
    "state_root",
    "storage_root",
    "verify_account_range",
    "verify_storage_range",
]
