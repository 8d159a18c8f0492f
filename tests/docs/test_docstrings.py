"""Every example in a docstring of hexary runs and prints what it says."""

from __future__ import annotations

import ast
import doctest
import importlib
from pathlib import Path

import pytest

import hexary
from source_tree import module_names, path_of, tree_of

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings(module: str) -> list[tuple[int, str]]:
    """
    Return the line and text of each docstring in the source of *module*.

    Read off the source, so that those under ``TYPE_CHECKING``, which documentation
    tools show, are among them.
    """
    return [
        (node.body[0].lineno, text)
        for node in ast.walk(tree_of(module))
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node))
    ]


@pytest.mark.parametrize(
    "module", [name for name in module_names() if not name.endswith("__main__")]
)
def test_examples_in_docstrings_run(
    module: str,
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """
    In the checkout, each with the names of its own module and of ``hexary``.

    So that an example needs no imports of what a reader knows it is about.
    """
    monkeypatch.chdir(checkout)
    names = {name: getattr(hexary, name) for name in hexary.__all__}
    names |= vars(importlib.import_module(module))
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    for line, text in docstrings(module):
        test = doctest.DocTestParser().get_doctest(
            text, names, module, str(path_of(module)), line
        )
        runner.run(test)
    assert runner.failures == 0, capsys.readouterr().out
