"""States that transition tools were given and wrote: every root that they tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.vector_files import vector_cases
from hexary import Alloc, State, state_differences
from hexary.trie import MemoryStore

Case = tuple[Any, Any, str]
"""The alloc before, if the file or its folder has it, the one after, and its root."""


def results(document: Any, before: Any) -> Iterator[Case]:
    """Yield each alloc with its root, and what it came from."""
    if isinstance(document, dict):
        alloc, result = document.get("alloc"), document.get("result")
        if isinstance(alloc, dict) and isinstance(result, dict):
            yield before, alloc, result["stateRoot"]
        if isinstance(document.get("stdin"), dict):
            before = document["stdin"].get("alloc", before)
        for name, value in document.items():
            if name != "stdin":
                yield from results(value, before)


def read_results(path: Path) -> Iterator[tuple[str, Case]]:
    beside = path.parent / "alloc.json"
    before = json.loads(beside.read_bytes()) if beside.exists() else None
    for number, case in enumerate(results(json.loads(path.read_bytes()), before)):
        yield str(number), case


@vector_cases("dumps", read_results, at_least=63)
def test_roots_of_allocs_that_tools_wrote(case: Case) -> None:
    """Of the alloc, of the state made of it, and of one that is changed into it."""
    before, after, root = case
    alloc = Alloc.from_json(after)
    assert alloc.state_root().hex() == root
    whole = State(alloc)
    assert whole.root().hex() == root
    assert whole.alloc() == alloc
    if before is None:
        return
    store = MemoryStore()
    state = State(store, State(Alloc.from_json(before), store=store).commit("before"))
    for each in list(state_differences(state, whole)):
        assert each.address is not None
        match each.field:
            case "exists" if each.after:
                state.create_account(each.address)
            case "exists":
                state.destroy_account(each.address)
            case "nonce":
                state.set_nonce(each.address, each.after)
            case "balance":
                state.set_balance(each.address, each.after)
            case "code":
                state.set_code(each.address, each.after)
            case "storage":
                assert each.slot is not None
                if each.address in state:
                    state.set_storage(each.address, each.slot, each.after)
    assert state.commit("after").hex() == root
    assert list(state_differences(state, whole)) == []
