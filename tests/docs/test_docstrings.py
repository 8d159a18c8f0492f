"""Every example in a docstring of hexary runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib

import pytest

from source_tree import module_names

OPTIONS = (
    doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
)


@pytest.mark.parametrize(
    "name", [name for name in module_names() if not name.endswith("__main__")]
)
def test_examples_in_docstrings_run(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each docstring begins with the names of its own module and of ``hexary``."""
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    finder = doctest.DocTestFinder(exclude_empty=True)
    for test in finder.find(module, name, module=module):
        runner.run(test, clear_globs=True)
    results = runner.summarize(verbose=False)
    assert results.failed == 0, capsys.readouterr().out
