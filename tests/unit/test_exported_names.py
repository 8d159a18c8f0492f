"""The public surface is a list: pinned, complete, documented, seen by every tool."""

from __future__ import annotations

import ast
import importlib
import inspect
import types
from enum import Enum
from functools import cache
from pathlib import Path

import griffe
import pytest

import hexary
from source_tree import PACKAGE, module_names, path_of, tree_of

PINNED = Path(__file__).with_name("exported_names.txt")
"""Every name of ``hexary.__all__``, one a line; a change of it concerns users."""

PUBLIC_MODULES = [
    name
    for name in module_names()
    if not any(part.startswith("_") for part in name.split(".")[1:])
]

PACKAGES = [name for name in PUBLIC_MODULES if path_of(name).stem == "__init__"]


def exported_objects() -> list[tuple[str, object]]:
    """Return the classes and functions that ``hexary`` exports."""
    found = [(name, getattr(hexary, name)) for name in hexary.__all__]
    return [
        (name, thing)
        for name, thing in found
        if inspect.isclass(thing) or inspect.isroutine(thing)
    ]


def test_exported_names_are_the_pinned_ones() -> None:
    assert sorted(hexary.__all__) == PINNED.read_text(encoding="utf-8").split()


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_every_public_module_lists_its_names(module: str) -> None:
    """Each name once, each there; that they are sorted is the linter's RUF022."""
    names = importlib.import_module(module).__all__
    assert len(set(names)) == len(names)
    for name in names:
        assert hasattr(importlib.import_module(module), name), name


@pytest.mark.parametrize(
    "module", [name for name in PUBLIC_MODULES if not name.startswith("hexary.cli.")]
)
def test_nothing_public_is_left_off_the_list(module: str) -> None:
    """
    A function or class that is not to be used from outside begins with ``_``.

    Those of the command line are named for their subcommands.
    """
    listed = set(importlib.import_module(module).__all__)
    defined = {
        node.name
        for node in tree_of(module).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        and not node.name.startswith("_")
    }
    assert defined - listed == set()


@cache
def statically_read() -> griffe.Module:
    """Return hexary as a tool sees it that reads the source and imports nothing."""
    read = griffe.load(
        "hexary", search_paths=[str(PACKAGE.parent)], allow_inspection=False
    )
    assert isinstance(read, griffe.Module)
    return read


@pytest.mark.parametrize("package", PACKAGES)
def test_tools_that_only_read_the_source_see_every_name(package: str) -> None:
    """Lazy names too: they stand under ``TYPE_CHECKING``."""
    read = statically_read()
    if package != "hexary":
        read = read[package.removeprefix("hexary.")]
    names = importlib.import_module(package).__all__
    assert [str(name) for name in read.exports or ()] == names
    assert [name for name in names if name not in read.members] == []


@pytest.mark.parametrize("name", hexary.__all__)
def test_every_static_name_leads_to_its_definition(name: str) -> None:
    member = statically_read()[name]
    target = member.final_target if member.is_alias else member
    assert target.path.startswith("hexary.")
    assert target.docstring or not (target.is_class or target.is_function)


def test_dir_shows_the_lazy_names_too() -> None:
    assert set(hexary.__all__) <= set(dir(hexary))


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        hexary.no_such_name  # noqa: B018 - looking it up is the test


@pytest.mark.parametrize(
    ("name", "thing"), exported_objects(), ids=[name for name, _ in exported_objects()]
)
def test_every_exported_class_and_function_is_documented(
    name: str, thing: object
) -> None:
    """With an example, which ``docs/test_docstrings.py`` runs; errors need none."""
    member = statically_read()[name]
    target = member.final_target if member.is_alias else member
    assert target.docstring
    documentation = target.docstring.value
    assert documentation.split("\n\n")[0].endswith((".", ":"))
    if isinstance(thing, type) and issubclass(thing, (Exception, Enum)):
        return
    assert "Example:\n" in documentation
    assert ">>> " in documentation


@pytest.mark.parametrize(
    ("name", "thing"), exported_objects(), ids=[name for name, _ in exported_objects()]
)
def test_every_public_method_is_documented(name: str, thing: object) -> None:
    if not isinstance(thing, type):
        return
    bare = [
        attribute
        for attribute, value in vars(thing).items()
        if not attribute.startswith("_")
        and isinstance(value, (types.FunctionType, classmethod, staticmethod, property))
        and not (inspect.getdoc(getattr(thing, attribute, value)) or "")
    ]
    assert bare == []
