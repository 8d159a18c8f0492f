"""
Accounts, allocs and the roots of what they describe.

The lowest layer that knows what an account is; nothing here knows a fork or a header.
"""

from __future__ import annotations

from hexary.state.account import EMPTY_CODE_HASH, Account, TrieAccount
from hexary.state.alloc import Alloc, state_root
from hexary.state.contract_address import create2_address, create_address
from hexary.state.json_file import load_json, parse_json
from hexary.state.storage import AccountStorage, storage_root

__all__ = [
    "EMPTY_CODE_HASH",
    "Account",
    "AccountStorage",
    "Alloc",
    "TrieAccount",
    "create2_address",
    "create_address",
    "load_json",
    "parse_json",
    "state_root",
    "storage_root",
]
