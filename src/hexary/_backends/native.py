"""
Keccak from hexary's own C accelerator, where it was built.

The environment variable ``HEXARY_KECCAK`` forces one of its kernels (``portable``,
``bmi2``, ``avx2``, ``avx512vl``, ``avx512``); otherwise, and with ``auto``, the fastest
that this processor runs is taken.  They differ in speed alone.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hexary._backends.backend import Backend, packed_with, to_buffer, to_items
from hexary.errors import BackendUnavailableError, shorten

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

__all__ = ["HELPERS", "INTERFACE", "KERNELS", "NAME", "REMEDY", "kernel_wanted", "load"]

NAME = "native"

INTERFACE = 3
"""What both sides expect of each other, as a number: see ``_native/binding.h``."""

HELPERS = frozenset(
    {
        "account_type",
        "address_type",
        "bytes_type",
        "decode_node",
        "encode",
        "fault",
        "hash_node",
        "hash_type",
        "json_layout",
        "key_at",
        "missing_node",
        "number_type",
        "packed",
        "pairs_of",
        "plain_bytes",
        "plain_form",
        "pure_coder",
        "raw",
        "read_item",
        "read_raw",
        "refuse_child",
        "retry",
        "storage_type",
        "to_buffer",
        "to_items",
        "values_of",
    }
)
"""What the Python code hands to the accelerator, by `hexary.twin.adopt`."""

KERNELS = ("portable", "bmi2", "avx2", "avx512vl", "avx512")
"""All kernels; a build for another processor has the first alone."""

REMEDY = (
    "build it again: HEXARY_BUILD=require pip install -e . in a source tree, "
    "else install the whole wheel of this version again"
)
"""What to do about a build that loads and does not fit, or does not work."""

_VARIABLE = "HEXARY_KECCAK"


def load() -> Backend:
    """
    Return the accelerator's backend.

    Raises:
        BackendUnavailableError: if the accelerator was not built or is not of this
            version, or if ``HEXARY_KECCAK`` names a kernel that cannot run here.
        ImportError: if the accelerator does not load.
    """
    kernel = kernel_wanted()
    accelerator = _accelerator()
    _refuse_another_version(accelerator)
    if kernel:
        _use(accelerator, kernel)
    accelerator.adopt(
        to_buffer=to_buffer,
        to_items=to_items,
        packed=packed_with(accelerator.keccak256_many),
    )

    def describe() -> tuple[str, str]:
        return accelerator.__version__, accelerator.kernel_in_use()[1]

    return Backend(
        name=NAME,
        keccak256=accelerator.keccak256,
        keccak512=accelerator.keccak512,
        keccak256_many=accelerator.keccak256_many,
        keccak256_packed=accelerator.keccak256_packed,
        start256=accelerator.start256,
        start512=accelerator.start512,
        describe=describe,
        accelerator=accelerator,
    )


def kernel_wanted() -> str:
    """
    Return the kernel that ``HEXARY_KECCAK`` names, ``""`` if it names none.

    Raises:
        BackendUnavailableError: if there is no kernel of that name, on any processor.
    """
    kernel = os.environ.get(_VARIABLE, "")
    if kernel == "auto":
        return ""
    if kernel and kernel not in KERNELS:
        raise _unavailable(
            f"{_VARIABLE}={shorten(kernel)} is not a kernel",
            f"set it to one of auto, {', '.join(KERNELS)}, or unset it",
        )
    return kernel


def _accelerator() -> ModuleType:
    """Return the accelerator's module."""
    try:
        _refuse_truncated(find_spec("hexary._native.accelerator"))
        from hexary._native import accelerator
    except ImportError as error:
        if error.name != "hexary._native":
            raise
        raise _not_built() from None
    return accelerator


def _not_built() -> BackendUnavailableError:
    """Return the error for an installation without the accelerator."""
    reason = "this installation has no native accelerator"
    remedy = "install hexary where there is a C compiler (HEXARY_BUILD=require)"
    folder = os.path.dirname(os.path.dirname(__file__))
    with (
        suppress(OSError),
        open(
            os.path.join(folder, "_native", "not_built.txt"), encoding="utf-8"
        ) as file,
    ):
        why = file.readline(1000).strip()
        reason = f"{reason}: {why}"
        if why.startswith("HEXARY_BUILD=skip"):
            remedy = "install hexary without HEXARY_BUILD=skip"
    return _unavailable(reason, remedy)


def _refuse_another_version(accelerator: ModuleType) -> None:
    """Refuse a build that was made from other sources, as far as that can be told."""
    package = sys.modules[__name__.partition(".")[0]]
    theirs = getattr(accelerator, "__version__", "unknown")
    if theirs != package.__version__:
        raise _unavailable(
            f"the accelerator is of hexary {theirs}, this is {package.__version__}",
            REMEDY,
        )
    number = getattr(accelerator, "interface", None)
    if number != INTERFACE:
        raise _unavailable(
            f"the accelerator is of other sources: its interface is {number}, "
            f"that of this code is {INTERFACE}",
            REMEDY,
        )
    different = HELPERS.symmetric_difference(accelerator.helper_names())
    if different:
        raise _unavailable(
            "the accelerator is of other sources: they differ in "
            f"{', '.join(sorted(different))}",
            REMEDY,
        )


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
    here = [name for name, _, runs in accelerator.kernels() if runs]
    if kernel not in here:
        raise _unavailable(
            f"{_VARIABLE}={kernel} cannot run on this processor",
            f"set it to one of auto, {', '.join(here)}, or unset it",
        )
    accelerator.use_kernel(kernel)


def _unavailable(reason: str, remedy: str) -> BackendUnavailableError:
    return BackendUnavailableError(
        reason, backend=NAME, rejected={NAME: reason}, remedy=remedy
    )
