"""What `hexary.hash` tells of the backends."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

__all__ = ["BackendInfo", "BackendReport"]


class BackendInfo(TypedDict):
    """What `backend_info` returns."""

    name: str
    version: str
    detail: str
    rejected: dict[str, str]


class BackendReport(NamedTuple):
    """
    One backend as `probe_backends` found it.

    Attributes:
        name: the name that ``HEXARY_BACKEND`` takes.
        usable: whether it loaded and passed its self-test.
        self_test: ``"passed"``, ``"failed"``, or ``"not run"`` where it did not load.
        reason: why it is not usable, ``""`` if it is.
        remedy: what to do about that, ``""`` if it is usable.
        version: the library's version, ``""`` if it did not load.
        detail: what exactly would run, ``""`` if it did not load.
        in_use: whether this process hashes with it.
    """

    name: str
    usable: bool
    self_test: str
    reason: str
    remedy: str
    version: str
    detail: str
    in_use: bool
