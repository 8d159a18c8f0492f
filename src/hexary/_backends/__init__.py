"""The keccak backends, one module each; only `hexary.hash` imports them."""

from __future__ import annotations

__all__: list[str] = []
