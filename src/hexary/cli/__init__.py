"""
The command line: ``hexary verify``, ``root``, ``keccak``, ``rlp`` and ``backends``.

Exit codes: 0 done, 1 a check failed, 2 the input or the call is at fault, 70 a defect
of hexary, 130 interrupted, 141 the reader of the output went away.
"""

from __future__ import annotations

from hexary.cli.application import main

__all__ = ["main"]
