"""
Where the ``hexary`` command starts: one message for a backend that cannot be used.

``import hexary`` raises when ``HEXARY_BACKEND`` names a backend that does not work, and
importing any module of the package imports the package first.  So the function that
turns this error into a message has to stand outside of it.  It is no interface for
programs; they use `hexary.cli.main`.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        from hexary.cli import main as run
    except KeyboardInterrupt:
        _tell("interrupted")
        return 130
    except ImportError as error:
        # `BackendUnavailableError`, whose module failed to import, by its attribute;
        # any other failed import is a broken installation and keeps its traceback.
        if not hasattr(error, "rejected"):
            raise
        _tell(f"error: {error}")
        return 2
    return run()


def _tell(message: str) -> None:
    """Write a message to standard error, which may be closed."""
    if sys.stderr is not None:
        sys.stderr.write(f"hexary: {message}\n")
