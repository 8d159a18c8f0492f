"""Records as JSON objects, as JSON-RPC spells them or as fixtures do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.errors import HexaryError
from hexary.rlp.kinds import JsonForm, describe, fail_json
from hexary.rlp.scalar_kinds import UintKind
from hexary.rlp.source import RETRIES

if TYPE_CHECKING:
    from hexary.rlp.codec import Codec
    from hexary.rlp.reading import Path

__all__ = ["read_object", "read_type", "write_object"]


def write_object(codec: Codec, record: Any, form: JsonForm) -> dict[str, Any]:
    """Return the JSON object of *record*, whose codec is *codec*."""
    made: dict[str, Any] = {}
    if codec.json_type is not None and not (form.fixture and codec.json_type == 0):
        made["type"] = UintKind(8).to_json(codec.json_type, form)
    for name, bound in codec.all_fields.items():
        key = bound.fixture if form.fixture else bound.json
        value = getattr(record, name)
        if key and not (bound.trailing and value is None):
            made[key] = bound.kind.to_json(value, form)
    return made


def read_type(value: dict[str, Any], form: JsonForm, path: Path) -> int | None:
    """
    Return the number under ``type`` of a JSON object, ``None`` if there is none.

    Raises:
        FixtureError: it is something else.
    """
    if value.get("type") is None:
        return None
    return UintKind(8).from_json(value["type"], form, (*path, "type"))


def read_object(codec: Codec, value: Any, form: JsonForm, path: Path) -> Any:
    """
    Return the record that a JSON object stands for.

    The compiled code first, then, if it gives up, the definition.

    Raises:
        FixtureError: there is none; names the field.
    """
    try:
        return codec.json_reader(form)(value)
    except RETRIES:
        return _read_carefully(codec, value, form, path)


def _read_carefully(codec: Codec, value: Any, form: JsonForm, path: Path) -> Any:
    """Return the record that a JSON object stands for, or say what is wrong."""
    if not isinstance(value, dict):
        raise fail_json(f"expected an object, got {describe(value)}", path)
    known: set[str] = set()
    if codec.json_type is not None:
        known.add("type")
        got = read_type(value, form, path)
        if got not in (None, codec.json_type):
            rule = f"expected type {codec.json_type}, got {got}"
            raise fail_json(rule, (*path, "type"))
    arguments: dict[str, Any] = {}
    for name, bound in codec.all_fields.items():
        first = bound.fixture if form.fixture else bound.json
        keys = [key for key in (first, *bound.aliases) if key]
        known.update(keys)
        key = next((key for key in keys if key in value), None)
        if key is not None and not (bound.trailing and value[key] is None):
            found = bound.kind.from_json(value[key], form, (*path, key))
            arguments[name] = found
            for other in keys:
                if other != key and value.get(other) is not None:
                    inner = (*path, other)
                    if bound.kind.from_json(value[other], form, inner) != found:
                        raise fail_json(f"says otherwise than {key}", inner)
        elif bound.trailing and not bound.has_default:
            arguments[name] = None
        elif key is None and not bound.has_default:
            raise fail_json("missing", (*path, first or name))
    if form.refuse_unknown:
        for key in value:
            if key not in known:
                raise fail_json("unknown key", (*path, str(key)[:64]))
    try:
        # Its own checks pass once more, which costs less than the parsing.
        return codec.cls(**arguments)
    except (HexaryError, ValueError) as error:
        raise fail_json(error, path) from error
