"""The error tree is the one drawn in its docstring, and every error can be pickled."""

from __future__ import annotations

import copy
import pickle
import re
from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest

import hexary
from hexary import errors
from hexary.errors import (
    BackendUnavailableError,
    DecodeError,
    DecodeReason,
    EncodeError,
    ExecutionNeededError,
    FixtureError,
    ForkError,
    HexaryError,
    HexError,
    InputTypeError,
    InvalidError,
    InvalidReason,
    MissingExtraError,
    MissingNodeError,
    NodeError,
    NodeReason,
    ProofError,
    ProofReason,
    RangeError,
    SizeError,
    StoreError,
    StoreReason,
)

RAISED = [
    BackendUnavailableError("no", backend="native", rejected={"native": "not built"}),
    InputTypeError("data", "bytes", "text", hint="encode it"),
    HexError("0xzz", "hex digits only", position=2),
    SizeError("Hash", 32, 31, bytes(31)),
    RangeError("Wei", -1, 0, None),
    RangeError("HashInt", 1 << 256, 0, (1 << 256) - 1),
    EncodeError("an int must not be negative", path=("transactions", 3, "nonce")),
    DecodeError(DecodeReason.TRUNCATED, offset=7, data=b"\xb8", field="header.number"),
    NodeError(NodeReason.BAD_PATH, offset=1, node_hash=bytes(32), path=b"\x01\x0f"),
    MissingNodeError(bytes(32), b"\x01\x0f"),
    ProofError(ProofReason.WRONG_VALUE, depth=2, path=b"\x01", got=b"a", expected=b"b"),
    StoreError(
        StoreReason.CORRUPT, store="a.db", node_hash=bytes(32), detail="its hash is 0x"
    ),
    InvalidError(InvalidReason.SIGNATURE_R, field="transactions[1].r", got=0),
    InvalidError(InvalidReason.BLOCK_HASH, got=bytes(32), expected=bytes(32)),
    ForkError("Eden", "is not a fork"),
    MissingExtraError("secp256k1", package="coincurve", purpose="signing"),
    FixtureError("not an object", file="a.json", case="one", field="pre.0x00"),
    ExecutionNeededError("a constructor", file="a.json", field="accounts.0x00"),
]


def all_errors() -> set[type[HexaryError]]:
    """Return every error class of hexary, found by walking down from the base."""
    found: set[type[HexaryError]] = set()
    below = [HexaryError]
    while below:
        error = below.pop()
        found.add(error)
        below.extend(error.__subclasses__())
    return {error for error in found if error.__module__.startswith("hexary")}


def drawn_tree() -> dict[str, tuple[str, ...]]:
    """Return class name → names of its bases, read off the docstring's drawing."""
    above: list[str] = []
    drawn = {}
    line = re.compile(r"^ {4}([│ ├└─]*)(\w+)(?: \(also ([\w, ]+)\))?$", re.MULTILINE)
    for match in line.finditer(errors.__doc__ or ""):
        depth, name = len(match[1]) // 4, match[2]
        also = tuple(match[3].split(", ")) if match[3] else ()
        drawn[name] = (above[depth - 1] if depth else "Exception", *also)
        above[depth:] = [name]
    return drawn


def test_the_drawn_tree_is_the_real_one() -> None:
    real = {
        error.__name__: tuple(base.__name__ for base in error.__bases__)
        for error in all_errors()
    }
    assert drawn_tree() == real


def test_every_error_is_exported_at_the_top() -> None:
    for error in all_errors():
        assert getattr(hexary, error.__name__) is error
        assert error.__name__ in hexary.__all__


def test_every_error_has_a_specimen_here() -> None:
    assert {type(error) for error in RAISED} == all_errors() - {HexaryError}


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    "duplicate",
    [
        *(
            lambda error, protocol=protocol: pickle.loads(pickle.dumps(error, protocol))
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
        copy.copy,
        copy.deepcopy,
    ],
    ids=[*(f"pickle{n}" for n in range(pickle.HIGHEST_PROTOCOL + 1)), "copy", "deep"],
)
def test_errors_survive_pickling_with_message_and_attributes(
    error: HexaryError, duplicate: object
) -> None:
    """A verifier's worker processes send them home."""
    assert callable(duplicate)
    twin = duplicate(error)
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert vars(twin) == vars(error)
    assert vars(error)


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_messages_are_one_line(error: HexaryError) -> None:
    assert str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_every_attribute_is_documented(error: HexaryError) -> None:
    documented = "".join(kind.__doc__ or "" for kind in type(error).__mro__)
    for attribute in vars(error):
        assert re.search(rf"^ +{attribute}: ", documented, re.MULTILINE), attribute


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        (["click>=8.2", 'coincurve>=20; extra == "secp256k1"'], "coincurve>=20"),
        (["coincurve >= 21 ; extra == 'secp256k1'"], "coincurve >= 21"),
        (['coincurve>=19; extra == "other"'], "coincurve"),
        ([], "coincurve"),
        (None, "coincurve"),
        (PackageNotFoundError("hexary"), "coincurve"),
    ],
)
def test_a_missing_package_is_named_as_the_metadata_ask_for_it(
    metadata: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def requires(name: str) -> list[str] | None:
        assert name == "hexary"
        if isinstance(metadata, Exception):
            raise metadata
        return metadata

    monkeypatch.setattr("importlib.metadata.requires", requires)
    error = MissingExtraError("secp256k1", package="coincurve", purpose="signing")
    assert str(error) == (f"signing needs the package coincurve: pip install {told!r}")
    assert (error.extra, error.package) == ("secp256k1", "coincurve")
