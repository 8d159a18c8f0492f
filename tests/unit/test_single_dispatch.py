"""Only ``hexary.hash`` decides which keccak runs; all else goes through it (I1)."""

from __future__ import annotations

import ast

import pytest

from source_tree import imports, module_names, tree_of

DISPATCH = "hexary.hash"

HASHING = {
    *("Keccak256", "Keccak512", "keccak256", "keccak256_many", "keccak256_packed"),
    *("keccak512", "update_many"),
}

FOREIGN = {"Crypto", "Cryptodome", "_pysha3", "_sha3", "eth_hash", "pysha3", "sha3"}
"""Top-level modules that can compute a keccak or the SHA-3 that is taken for it."""


OTHER_HASHES = {"hexary.fixtures.ripemd160": {"new"}}
"""Module → what else of hashlib it uses: RIPEMD-160, which a precompile is."""


def may_hash(module: str) -> bool:
    """Whether *module* is the dispatch point or one of its backends."""
    return module == DISPATCH or module.startswith("hexary._backends")


ABOVE = [name for name in module_names() if not may_hash(name)]


@pytest.mark.parametrize("module", ABOVE)
def test_no_other_module_imports_a_keccak(module: str) -> None:
    found = [
        f"line {line}: {name}"
        for name, line in imports(module)
        if name.split(".")[0] in FOREIGN
        or name.startswith(("hexary._backends", "hexary._native"))
    ]
    assert found == []


@pytest.mark.parametrize("module", ABOVE)
def test_hashlib_is_used_for_sha2_alone(module: str) -> None:
    found = []
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            allowed = {"sha256"} | OTHER_HASHES.get(module, set())
            if node.value.id == "hashlib" and node.attr not in allowed:
                found.append(f"line {node.lineno}: hashlib.{node.attr}")
        elif isinstance(node, ast.ImportFrom) and node.module == "hashlib":
            found.extend(
                f"line {node.lineno}: from hashlib import {alias.name}"
                for alias in node.names
                if alias.name != "sha256"
            )
    assert found == []


@pytest.mark.parametrize("module", [name for name in ABOVE if name != "hexary"])
def test_hashing_functions_are_never_from_imported(module: str) -> None:
    """``hash.keccak256(x)`` is seen by `recording`, a name bound earlier is not."""
    found = [
        f"line {node.lineno}: {alias.name}"
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ImportFrom) and node.module in (DISPATCH, "hexary")
        for alias in node.names
        if alias.name in HASHING
    ]
    assert found == []


@pytest.mark.parametrize("module", ABOVE)
def test_hashing_functions_are_not_bound_at_import(module: str) -> None:
    """Nor as a constant, a class attribute or a default argument."""
    found = []
    for node in _run_at_import(tree_of(module)):
        called = {
            id(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)
        }
        found.extend(
            f"line {part.lineno}: {part.attr}"
            for part in ast.walk(node)
            if isinstance(part, ast.Attribute)
            and part.attr in HASHING
            and id(part) not in called
        )
    assert found == []


def _run_at_import(tree: ast.AST) -> list[ast.AST]:
    """Return what of *tree* runs at import: no function bodies, but their defaults."""
    reached: list[ast.AST] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            reached += [*node.decorator_list, *node.args.defaults]
            reached += [default for default in node.args.kw_defaults if default]
        elif isinstance(node, ast.ClassDef):
            reached += [*node.decorator_list, *_run_at_import(node)]
        else:
            reached.append(node)
    return reached
