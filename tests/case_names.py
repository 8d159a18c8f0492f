"""Names of cases: the same in every process, as those who share out tests need them."""

from __future__ import annotations

import re

__all__ = ["shown"]

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def shown(value: object) -> str:
    """Return 60 letters of what a value looks like, without where it is in memory."""
    return _ADDRESS.sub("", repr(value))[:60]
