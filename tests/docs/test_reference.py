"""The reference shows every public name."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

PAGES = sorted(
    path
    for path in (Path(__file__).parents[2] / "docs/api").glob("*.md")
    if path.stem != "index"
)


def shown_by_automodule(thing: object, name: str) -> bool:
    """Whether it says itself where it is from, which Sphinx goes by."""
    return (
        inspect.isclass(thing) or inspect.isroutine(thing)
    ) and thing.__name__ == name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_name_of_a_package_is_in_the_reference(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    module = import_module(f"hexary.{page.stem}")
    assert f".. automodule:: hexary.{page.stem}\n" in text
    shown = {
        line.rpartition(".")[2]
        for line in text.splitlines()
        if line.startswith(".. autodata:: ")
    }
    missing = [
        name
        for name in module.__all__
        if not shown_by_automodule(getattr(module, name), name)
        and not isinstance(getattr(module, name), ModuleType)
        and name not in shown
        and hasattr(module, "__path__")  # automodule shows all that a module defines
    ]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_is_shown_by_name_is_there(page: Path) -> None:
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith(".. autodata:: "):
            module, _, name = line.removeprefix(".. autodata:: ").rpartition(".")
            assert hasattr(import_module(module), name), line
            assert name in import_module(f"hexary.{page.stem}").__all__
