"""JSON and .io files of JSON-RPC, and the chain's objects in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["kind_of", "load", "objects", "pointed", "questions"]


def load(path: Path) -> Any:
    """
    Return what is in a file: JSON, or of an .io file the answers, in order.

    Lines of .io files are comments, ``>> request`` or ``<< answer``.
    """
    if path.suffix != ".io":
        return json.loads(path.read_bytes())
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line[3:]) for line in lines if line.startswith("<< ")]


def questions(path: Path) -> list[Any]:
    """Return the requests in an .io file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line[3:]) for line in lines if line.startswith(">> ")]


def pointed(document: Any, pointer: str) -> Any:
    """Return what a pointer such as ``/0/result`` leads to."""
    for step in pointer.split("/")[1:]:
        document = document[int(step) if isinstance(document, list) else step]
    return document


def objects(document: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects in a document, the outer ones first."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def kind_of(value: dict[str, Any]) -> str:
    """Return what an object is one of, ``""`` for none of the chain's objects."""
    if "prevRandao" in value:
        return "payload" if "blockHash" in value else ""
    if "parentHash" in value and "stateRoot" in value:
        return "header"
    if "cumulativeGasUsed" in value:
        return "receipt"
    if "nonce" in value and "value" in value and "r" in value:
        return "transaction"
    if "topics" in value and "data" in value and "address" in value:
        return "log"
    if "validatorIndex" in value:
        return "withdrawal"
    if value.keys() == {"address", "storageKeys"}:
        return "access"
    return ""
