"""
The keccak backends, one module each, and what they share.

Only `hexary.hash` imports from here.
"""

from __future__ import annotations

__all__: list[str] = []
