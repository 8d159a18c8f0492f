"""Sphinx settings; ``make docs`` builds with every warning an error."""

from __future__ import annotations

import ast
from pathlib import Path

from sphinx.ext.napoleon import GoogleDocstring

import hexary
import hexary.hash

project = "hexary"
author = "the hexary authors"
release = version = hexary.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"hexary {version}"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# `name` in a docstring or page is code of ours, or simply code.
default_role = "code"
autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

SOURCE = ast.parse(Path(hexary.hash.__file__).read_text(encoding="utf-8"))
BOUND = {
    function.name: ast.get_docstring(function)
    for block in SOURCE.body
    if isinstance(block, ast.If)
    for function in block.body
    if isinstance(function, ast.FunctionDef)
}


def _bound_at_import(_app, _what, name: str, _obj, _options, lines: list[str]) -> None:
    """
    Show the texts of the functions that `hexary.hash` binds when it is imported.

    They stand in its source, under ``TYPE_CHECKING``; at run time the functions are the
    backend's.
    """
    module, _, function = name.rpartition(".")
    if module == "hexary.hash" and function in BOUND:
        lines[:] = str(GoogleDocstring(BOUND[function], config=None)).splitlines()


def setup(app) -> None:
    """Connect the above."""
    app.connect("autodoc-process-docstring", _bound_at_import)
