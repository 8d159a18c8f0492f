"""The accelerator as a module: one that was given nothing, and what outlives one."""

from __future__ import annotations

import gc
import weakref
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from typing import Any

import pytest

import hexary
from hexary.state import Account
from hexary.trie import HashNode
from hexary.trie.core import PureCore
from hexary.twin import pure_twins

PURE = pure_twins()

if not PURE:
    pytest.skip("no accelerator in use", allow_module_level=True)

CLASSES = {
    "hexary.rlp.record_coder.PureCoder",
    "hexary.trie.core.PureCore",
    "hexary.trie.waiting_pairs.PureWaitingPairs",
}
NAME = "hexary._native.accelerator"
ARGUMENTS: list[tuple[object, ...]] = [
    (),
    ([],),
    ({},),
    (b"\xc1\x80",),
    (b"\xc1",),
    (b"\xc1\x80", 0, 5, None),
    ("0x12",),
    ("0x1",),
    ("[1]",),
    ({"nonce": "0x1", "balance": "0x2", "code": "0x", "storage": {"0x1": "0x2"}},),
    ({"0x1": "0x2"},),
    ({1: 2},),
    ({b"a": b"b"},),
    ([(b"a", b"b")],),
    ([(b"a", b"b")], 1),
    ([(bytearray(b"a"), b"b")],),
    ([b"a", bytearray(b"b")],),
    ([b"a", 1, [memoryview(b"x")[::-1], None]],),
    ([(bytes(20), Account(nonce=1, storage={1: 2}), bytes(32))],),
    (None,),
]


def fresh_module() -> Any:
    """Return another instance of the module, to which nothing was handed over."""
    file = hexary.BACKEND.accelerator.__file__  # type: ignore[union-attr]
    loader = ExtensionFileLoader(NAME, str(file))
    spec = spec_from_loader(NAME, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def outcome(function: Any, arguments: tuple[object, ...]) -> object:
    """Return what *function* returns, or the class of what it raises."""
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is no crash
        return type(error)


@pytest.mark.parametrize("name", sorted(set(PURE) - CLASSES))
def test_without_the_helpers_a_twin_says_so_or_does_without(name):
    """So it is, too, while an interpreter ends and has taken them back."""
    for arguments in ARGUMENTS:
        mine = outcome(fresh_module().twin_of(PURE[name]), arguments)
        assert mine in (SystemError, outcome(PURE[name], arguments)), arguments


@pytest.mark.parametrize(
    "use",
    [
        lambda core: core.root,
        lambda core: core.root_hash(),
        lambda core: core.opened(HashNode(bytes(32)), b""),
        lambda core: core.node_at(b""),
    ],
)
def test_a_core_without_the_helpers_says_so(use):
    core = fresh_module().twin_of(PureCore)()
    core.set(b"k", b"v" * 40)
    with pytest.raises(SystemError, match="taken down"):
        use(core)


def test_a_core_keeps_its_module_and_a_cycle_of_both_is_collected():
    module = fresh_module()
    gone = weakref.ref(module)
    core = module.twin_of(PureCore)()
    core.set(b"k", b"v")
    pairs = core.copy().items()
    module.core, module.pairs = core, pairs
    del module
    gc.collect()
    assert list(pairs) == [(b"k", b"v")]
    assert core.get(b"k") == b"v"
    del core, pairs
    gc.collect()
    assert gone() is None
