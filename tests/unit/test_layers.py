"""Imports point one way, and every file is one noun with a name of its own."""

from __future__ import annotations

import importlib
import types

import pytest

from source_tree import PACKAGE, imports, module_names, path_of

LAYERS = (
    ("message", "reasons"),
    ("errors",),
    ("integer",),
    ("packed",),
    ("_native",),
    ("_backends",),
    ("hash",),
    ("twin",),
    ("typed",),
    ("rlp",),
    ("trie",),
    ("state",),
    ("chain",),
    ("fixtures", "patching", "bulk", "drawing"),
    ("cli",),
    ("__main__",),
)
"""From the bottom up; those in one row sit beside each other and do not import."""

RANK = {name: rank for rank, row in enumerate(LAYERS) for name in row}

VAGUE_NAMES = {
    *("common", "constant", "constants", "core_utils", "helper", "helpers", "lib"),
    *("misc", "shared", "tool", "tools", "types", "util", "utilities", "utils"),
}

MOST_LINES = 500


def layer(module: str) -> str:
    """Return the layer that *module* belongs to, "" for the package itself."""
    return module.split(".")[1] if "." in module else ""


def test_the_tree_is_found() -> None:
    assert len(module_names()) > 20
    assert {layer(name) for name in module_names()} > {"errors", "hash", "trie", "cli"}


@pytest.mark.parametrize("module", module_names())
def test_every_module_belongs_to_a_layer(module: str) -> None:
    assert module == "hexary" or layer(module) in RANK


@pytest.mark.parametrize("module", module_names())
def test_imports_point_down(module: str) -> None:
    """Also those inside functions and under ``TYPE_CHECKING``."""
    wrong = []
    for imported, line in imports(module):
        place = f"line {line}: {imported}"
        if imported.startswith("."):
            wrong.append(f"{place} (write imports in full)")
        elif imported == "hexary" and layer(module) not in ("", "cli"):
            wrong.append(f"{place} (import from the module that defines the name)")
        elif imported.startswith("hexary.") and module != "hexary":
            above, own = layer(imported), layer(module)
            if above != own and RANK.get(above, len(RANK)) >= RANK[own]:
                wrong.append(place)
    assert wrong == []


def test_the_package_itself_does_not_import_the_command_line() -> None:
    assert "cli" not in {layer(name) for name, _ in imports("hexary")}


@pytest.mark.parametrize("module", module_names())
def test_file_names_are_nouns(module: str) -> None:
    path = path_of(module)
    assert path.stem not in VAGUE_NAMES
    assert path.parent.name not in VAGUE_NAMES


@pytest.mark.parametrize("module", module_names())
def test_files_stay_small(module: str) -> None:
    """A longer file is usually two nouns."""
    lines = path_of(module).read_text(encoding="utf-8").count("\n")
    assert lines <= MOST_LINES


@pytest.mark.parametrize(
    "package", [name for name in module_names() if path_of(name).stem == "__init__"]
)
def test_no_module_is_hidden_behind_a_name_its_package_exports(package: str) -> None:
    """``hexary.x.y`` is either a module or a function, whatever was imported first."""
    loaded = importlib.import_module(package)
    folder = path_of(package).parent
    modules = {
        path.stem if path.suffix else path.name
        for path in folder.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    hidden = [
        name
        for name in set(getattr(loaded, "__all__", ())) & modules
        if not isinstance(getattr(loaded, name), types.ModuleType)
    ]
    assert hidden == []


def test_the_package_is_marked_as_typed() -> None:
    assert (PACKAGE / "py.typed").read_bytes() == b""
