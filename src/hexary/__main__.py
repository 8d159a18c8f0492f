"""``python -m hexary`` is the ``hexary`` command."""

from __future__ import annotations

import sys

from hexary.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
