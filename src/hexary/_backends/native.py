"""
Keccak from hexary's own C accelerator, where it was built.

The environment variable ``HEXARY_KECCAK`` forces one of its kernels (``portable``,
``bmi2``, ``avx2``, ``avx512vl``, ``avx512``); otherwise the fastest that this processor
runs is taken.  They differ in speed alone.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hexary._backends.backend import Backend, to_buffer, to_items

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

__all__ = ["NAME", "load"]

NAME = "native"

_VARIABLE = "HEXARY_KECCAK"


def load() -> Backend:
    """
    Return the accelerator's backend.

    Raises:
        ImportError: if the accelerator was not built or does not load.
        ValueError: if ``HEXARY_KECCAK`` names no kernel, or one that this processor
            cannot run.
    """
    accelerator = _accelerator()
    accelerator.adopt(to_buffer=to_buffer, to_items=to_items)
    kernel = os.environ.get(_VARIABLE, "")
    if kernel:
        _use(accelerator, kernel)

    def describe() -> tuple[str, str]:
        return accelerator.__version__, accelerator.kernel_in_use()[1]

    return Backend(
        name=NAME,
        keccak256=accelerator.keccak256,
        keccak512=accelerator.keccak512,
        keccak256_many=accelerator.keccak256_many,
        start256=accelerator.start256,
        start512=accelerator.start512,
        describe=describe,
        accelerator=accelerator,
    )


def _accelerator() -> ModuleType:
    """Return the accelerator's module."""
    try:
        _refuse_truncated(find_spec("hexary._native.accelerator"))
        from hexary._native import accelerator
    except ImportError as error:
        if error.name != "hexary._native":
            raise
        raise ImportError("this installation has no native accelerator") from None
    return accelerator


def _refuse_truncated(spec: ModuleSpec | None) -> None:
    """
    Refuse a file that ends before its section headers, which stand last in it.

    On Linux the dynamic loader maps such a file all the same, and the process dies of
    a bus error as soon as it reads beyond the end.
    """
    if spec is None or spec.origin is None or not spec.origin.endswith(".so"):
        return
    with open(spec.origin, "rb") as file:
        head = file.read(64)
        size = file.seek(0, os.SEEK_END)
    if head[:6] != b"\x7fELF\x02\x01":  # 64 bits, little-endian
        return
    sections = int.from_bytes(head[40:48], "little")
    each, count = (int.from_bytes(head[at : at + 2], "little") for at in (58, 60))
    if len(head) < 64 or sections + each * count > size:
        raise ImportError(f"{spec.origin} is truncated, at {size} bytes")


def _use(accelerator: ModuleType, kernel: str) -> None:
    """Force a kernel, or say which there are."""
    runs = {name: runs for name, _, runs in accelerator.kernels()}
    if not runs.get(kernel):
        why = "cannot run on this processor" if kernel in runs else "is not a kernel"
        here = ", ".join(name for name in runs if runs[name])
        raise ValueError(
            f"{_VARIABLE}={kernel!r} {why}; set it to one of {here}, or unset it"
        )
    accelerator.use_kernel(kernel)
