"""Sphinx settings; ``make docs`` builds with every warning an error."""

from __future__ import annotations

import hexary

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
# The `type` of an annotation is Python's; Sphinx also finds each field of that name.
suppress_warnings = ["ref.python"]
autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
