"""The modules of hexary as files and syntax trees, for tests about the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import hexary

__all__ = ["PACKAGE", "imports", "module_names", "path_of", "tree_of"]

PACKAGE = Path(hexary.__file__).resolve().parent


@cache
def _paths() -> dict[str, Path]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("hexary", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def module_names() -> list[str]:
    """Return the full name of every module of hexary, sorted by path."""
    return list(_paths())


def path_of(module: str) -> Path:
    """Return the file of *module*."""
    return _paths()[module]


@cache
def tree_of(module: str) -> ast.Module:
    """Return the syntax tree of *module*."""
    return ast.parse(path_of(module).read_text(encoding="utf-8"))


def imports(module: str) -> Iterator[tuple[str, int]]:
    """
    Yield each module that *module* imports, with the line, wherever the import stands.

    Imports inside functions and under ``TYPE_CHECKING`` count, as do calls of
    ``import_module`` whose argument is written out.  Of ``from a import b`` it yields
    ``a.b`` if that is a module of hexary, else ``a``.
    """
    known = set(module_names())
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            for alias in node.names:
                whole = f"{source}.{alias.name}"
                yield (whole if whole in known else source), node.lineno
        elif isinstance(node, ast.Call) and node.args:
            function = node.func
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name in ("import_module", "__import__"):
                yield _leading_text(node.args[0]).rstrip("."), node.lineno


def _leading_text(node: ast.expr) -> str:
    """Return the text of a literal, of an f-string that before the first field."""
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""
