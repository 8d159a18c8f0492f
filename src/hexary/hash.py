"""
The one place that decides which keccak runs.

At import the backends are tried in order, ``native``, ``hashlib``, ``pycryptodome``;
each has to hash known messages, and the first that answers rightly is bound to this
module's functions for good, so a call costs no decision.  A backend that is missing,
raises, or answers with something else (SHA3-256's padding is the classic) is passed
over, and `backend_info` keeps the reason.

The environment variable ``HEXARY_BACKEND`` set to one of the three names forces that
backend: if it is not usable, importing hexary raises `BackendUnavailableError`, and
nothing falls back.  ``auto``, the default, falls back.

Keccak here is the original function with padding ``0x01``, as Ethereum uses it (Keccak
team, *The Keccak reference*, version 3.0; Yellow Paper, section 3), never the later
SHA-3 standard, whose digests differ.

All functions take bytes and its subclasses, bytearray, and memoryview of any format or
shape (hashed as its ``tobytes()``), and refuse everything else with `InputTypeError`;
all backends give the same answer or the same error for every input.

Code that wants to be seen by `recording` calls through this module
(``hash.keccak256(x)``) or through the package (``hexary.keccak256(x)``).
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import RLock
from typing import (
    TYPE_CHECKING,
    Any,
    TypeVar,
    cast,
)

from hexary._backends.backend import Backend
from hexary._backends.native import kernel_wanted
from hexary._backends.recorder import Recorder, Recording
from hexary._backends.report import BackendInfo, BackendReport
from hexary._backends.running_hash import RunningHash, update_together
from hexary._backends.self_test import accelerator_fault, hashing_fault
from hexary.errors import BackendUnavailableError, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from hexary._backends.backend import ReadableBuffer
    from hexary.packed import Offsets

__all__ = [
    "BACKEND",
    "Backend",
    "BackendInfo",
    "BackendReport",
    "Keccak256",
    "Keccak512",
    "Recording",
    "add_to_recordings",
    "backend_info",
    "keccak256",
    "keccak256_many",
    "keccak256_packed",
    "keccak512",
    "probe_backends",
    "recording",
    "update_many",
]

_MODULES = {"native": "native", "hashlib": "openssl", "pycryptodome": "pycryptodome"}
"""Backend name → module in ``_backends``, in the order in which they are tried."""

_REMEDIES = {
    "native": "install hexary where there is a C compiler (HEXARY_BUILD=require)",
    "hashlib": "use a Python whose hashlib is linked with OpenSSL 3.2 or later",
    "pycryptodome": "pip install --upgrade pycryptodome",
}
"""Backend name → what makes it usable (a module that fails to load cannot say)."""

_VARIABLE = "HEXARY_BACKEND"


def _probe(name: str) -> tuple[Backend | None, str, str, str]:
    """
    Load and test the backend called *name*.

    Returns:
        The backend if it works, why not and what to do if it does not, and how its
        self-test went.
    """
    tested = "not run"
    remedy = _REMEDIES[name]
    try:
        module = import_module(f"hexary._backends.{_MODULES[name]}")
        backend: Backend = module.load()
        tested = "failed"
        remedy = getattr(module, "REMEDY", remedy)
        reason = hashing_fault(backend)
        if not reason and backend.accelerator is not None:
            reason = accelerator_fault(backend.accelerator)
    except BackendUnavailableError as error:
        return None, error.rejected[name], error.remedy, tested
    except Exception as error:  # noqa: BLE001 - a probe of foreign code: whatever it raises is a no
        return None, str(error) or type(error).__name__, remedy, tested
    return (None, reason, remedy, tested) if reason else (backend, "", "", "passed")


def _choose(wanted: str) -> tuple[Backend, dict[str, str]]:
    """
    Return the backend to use and why each earlier one was passed over.

    Args:
        wanted: a backend's name, or ``auto`` (also ``""``).

    Raises:
        BackendUnavailableError: if *wanted* is unknown or unusable, if none works, or
            if ``HEXARY_KECCAK`` names no kernel of the accelerator that is to be tried.
    """
    names = list(_MODULES)
    if wanted not in ("", "auto", *names):
        raise BackendUnavailableError(
            f"{_VARIABLE}={shorten(wanted)} is not a backend; "
            f"set it to one of auto, {', '.join(names)}, or unset it",
            backend=wanted,
            rejected={},
        )
    if wanted in ("", "auto", "native"):
        kernel_wanted()  # a name that is none is no reason to do without
    if wanted in names:
        backend, reason, remedy, _ = _probe(wanted)
        if backend is None:
            raise BackendUnavailableError(
                f"{_VARIABLE}={wanted} is not usable: {reason}",
                backend=wanted,
                rejected={wanted: reason},
                remedy=f"{remedy}, or unset {_VARIABLE} to use what works",
            )
        return backend, {}
    rejected: dict[str, str] = {}
    for name in names:
        backend, reason, _, _ = _probe(name)
        if backend is not None:
            return backend, rejected
        rejected[name] = reason
    reasons = "; ".join(f"{name}: {reason}" for name, reason in rejected.items())
    raise BackendUnavailableError(
        f"no keccak backend works ({reasons})",
        backend="auto",
        rejected=rejected,
        remedy=_REMEDIES["pycryptodome"],
    )


BACKEND: Backend
"""The backend chosen at import; the dispatch of every native twin hangs off it."""

BACKEND, _rejected = _choose(os.environ.get(_VARIABLE, "auto"))


def backend_info() -> BackendInfo:
    """
    Say which keccak runs, and why the ones tried before it do not.

    Returns:
        A fresh mapping: ``name``, ``version`` of the library, ``detail`` in words, and
        ``rejected``, backend name → reason, for each one tried and passed over.

    Example:
        >>> info = backend_info()
        >>> info["name"] in ("native", "hashlib", "pycryptodome")
        True
    """
    return {
        "name": BACKEND.name,
        "version": BACKEND.version,
        "detail": BACKEND.detail,
        "rejected": dict(_rejected),
    }


def probe_backends() -> list[BackendReport]:
    """
    Try every backend, in the order of the dispatch, and report on each.

    Nothing changes which one is in use.

    Example:
        >>> [report.name for report in probe_backends()]
        ['native', 'hashlib', 'pycryptodome']
    """
    reports = []
    for name in _MODULES:
        backend, reason, remedy, tested = _probe(name)
        reports.append(
            BackendReport(
                name=name,
                usable=backend is not None,
                self_test=tested,
                reason=reason,
                remedy=remedy,
                version=backend.version if backend else "",
                detail=backend.detail if backend else "",
                in_use=name == BACKEND.name,
            )
        )
    return reports


_Function = TypeVar("_Function", bound="Callable[..., Any]")


def _bound_to(function: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """
    Return a decorator that puts a backend's *function* in place of the decorated one.

    The decorated one lends it name, place and text, and is what tools see that only
    read the source.  It is not called, so a call costs what the backend's costs.
    """

    def bind(public: _Function) -> _Function:
        with suppress(AttributeError, TypeError):  # a function written in C has its own
            function.__module__ = public.__module__
            function.__name__ = public.__name__
            function.__qualname__ = public.__qualname__
            function.__doc__ = public.__doc__
        return cast("_Function", function)

    return bind


@_bound_to(BACKEND.keccak256)
def keccak256(data: ReadableBuffer, /) -> bytes:
    """
    Return the Keccak-256 digest, 32 bytes, of *data*.

    Args:
        data: bytes or a subclass, bytearray, or any memoryview.

    Raises:
        InputTypeError: for any other type, text and ``None`` included.

    Example:
        >>> keccak256(b"").hex()
        'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
    """
    return BACKEND.keccak256(data)


@_bound_to(BACKEND.keccak512)
def keccak512(data: ReadableBuffer, /) -> bytes:
    """
    Return the Keccak-512 digest, 64 bytes, of *data*.

    Args:
        data: bytes or a subclass, bytearray, or any memoryview.

    Raises:
        InputTypeError: for any other type, text and ``None`` included.

    Example:
        >>> keccak512(b"").hex()[:32]
        '0eab42de4c3ceb9235fc91acffe746b2'
    """
    return BACKEND.keccak512(data)


@_bound_to(BACKEND.keccak256_many)
def keccak256_many(items: Iterable[ReadableBuffer], /) -> list[bytes]:
    """
    Return the Keccak-256 digests, 32 bytes each, of *items*, in their order.

    One call for many messages lets a backend use wide kernels.

    Args:
        items: an iterable of what `keccak256` takes.

    Raises:
        InputTypeError: if an item is of another type; names its index.

    Example:
        >>> keccak256_many([b"", b""]) == 2 * [keccak256(b"")]
        True
    """
    return BACKEND.keccak256_many(items)


@_bound_to(BACKEND.keccak256_packed)
def keccak256_packed(data: ReadableBuffer, /, *, offsets: Offsets) -> bytes:
    """
    Return the Keccak-256 digests, one after the other, of messages in one buffer.

    As `keccak256_many`, for columns of data: the accelerator reads the messages where
    they are, without an object for each.

    Args:
        data: all messages, one after the other.
        offsets: the size of each; or, where sizes differ, a memoryview of unsigned
            64-bit numbers: where each message begins, and where the last one ends.

    Raises:
        InputTypeError: if an argument has another type.
        RangeError: if a size is below 1, or an offset outside the buffer or before the
            one in front of it.
        SizeError: if the buffer is no multiple of the given size.

    Example:
        >>> from array import array
        >>> places = memoryview(array("Q", [0, 3, 3, 9]))
        >>> digests = keccak256_packed(b"dogdoggie", offsets=places)
        >>> digests[:32] == keccak256(b"dog"), digests[32:64] == keccak256(b"")
        (True, True)
        >>> keccak256_packed(b"catdog", offsets=3)[32:] == digests[:32]
        True
    """
    return BACKEND.keccak256_packed(data, offsets=offsets)


class Keccak256(RunningHash):
    """
    Keccak-256 of a message that arrives in pieces.

    Args:
        data: the first piece.

    Example:
        >>> state = Keccak256(b"ab")
        >>> state.update(b"c")
        >>> state.digest() == keccak256(b"abc")
        True
    """

    __slots__ = ()

    name = "keccak-256"
    digest_size = 32
    block_size = 136
    _start = staticmethod(BACKEND.start256)


class Keccak512(RunningHash):
    """
    Keccak-512 of a message that arrives in pieces.

    Args:
        data: the first piece.

    Example:
        >>> Keccak512(b"abc").digest() == keccak512(b"abc")
        True
    """

    __slots__ = ()

    name = "keccak-512"
    digest_size = 64
    block_size = 72
    _start = staticmethod(BACKEND.start512)


def update_many(
    updates: Iterable[tuple[Keccak256 | Keccak512, ReadableBuffer]], /
) -> None:
    """
    Absorb a piece of its message in each of several running hashes.

    As `Keccak256.update` of one after the other, but wide kernels of the accelerator
    take messages side by side, whatever their functions and sizes.  This pays from
    pieces of a few thousand bytes on: with AVX-512, two of a megabyte take a third
    longer than one, and so do eight.

    Args:
        updates: pairs of a `Keccak256` or `Keccak512` and what its ``update`` takes.

    Raises:
        InputTypeError: if a pair is none, or holds something else; names its index,
            and no hash has absorbed anything.  What the ``update`` of a class of its
            own raises comes after those in front of it.

    Example:
        >>> one, two = Keccak256(b"a"), Keccak512()
        >>> update_many([(one, b"bc"), (two, b"abc")])
        >>> one.digest() == keccak256(b"abc"), two.digest() == keccak512(b"abc")
        (True, True)
    """
    update_together(updates, BACKEND.update_many)


_recorder = Recorder(
    {
        "Keccak256": Keccak256,
        "Keccak512": Keccak512,
        "keccak256": keccak256,
        "keccak256_many": keccak256_many,
        "keccak256_packed": keccak256_packed,
        "keccak512": keccak512,
    },
    tally=BACKEND.accelerator.tally if BACKEND.accelerator else None,
)
add_to_recordings = _recorder.note  # what other processes have hashed
# Reentrant: a generator that holds a recording open may be collected in here.
_binding = RLock()


def _bind() -> None:
    """Bind the functions wanted now, here and where the package re-exports them."""
    package = sys.modules.get(__name__.rpartition(".")[0])
    _recorder.bind(globals(), vars(package) if package else {})


@contextmanager
def recording() -> Iterator[Recording]:
    """
    Count the digests and bytes hashed until the block ends.

    Meant for tests and reports: it shows that work really went through the dispatch
    point.  While a recording is open, this module's functions and their re-exports in
    `hexary` are bound to counting ones; without one, nothing is counted and nothing is
    slower.  What the accelerator hashes inside roots is counted as well.  Recordings
    nest and may be open in several threads; each counts the whole process.

    Out of its reach: a function that a caller has from-imported before
    (``from hexary import keccak256``), a `Keccak256` created before, and other
    processes.

    Example:
        >>> import hexary
        >>> with hexary.recording() as seen:
        ...     digest = hexary.keccak256(b"four")
        >>> seen.calls, seen.bytes
        (1, 4)
    """
    with _binding:
        record = _recorder.begin()
        _bind()
    try:
        yield record
    finally:
        with _binding:
            _recorder.end(record)
            _bind()
