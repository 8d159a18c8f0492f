"""
The pydantic schemas of the typed values; imported only once pydantic asks for one.

A field takes whatever the class takes, keeps an instance of the class as it is, and
turns into the same text as ``str(value)`` in JSON, also as a key of a dict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import (
    int_schema,
    no_info_plain_validator_function,
    str_schema,
    to_string_ser_schema,
    union_schema,
)

from hexary.errors import InputTypeError

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

__all__ = ["number_schema", "text_schema"]


def text_schema(cls: type[Any], pattern: str) -> CoreSchema:
    """
    Return the schema of *cls*, whose JSON form is text that matches *pattern*.

    Args:
        cls: the class.
        pattern: goes into the JSON schema; validation is up to the class.
    """
    return _schema(cls, str_schema(pattern=pattern))


def number_schema(cls: type[Any]) -> CoreSchema:
    """Return the schema of *cls*, whose JSON form is a number or the text of one."""
    return _schema(cls, union_schema([int_schema(), str_schema()]))


def _schema(cls: type[Any], json_schema: CoreSchema) -> CoreSchema:
    """Return a schema that calls *cls* and documents itself as *json_schema*."""

    def validate(value: Any) -> Any:
        try:
            return cls(value)
        except InputTypeError as error:
            # pydantic collects ValueErrors, which the other errors are, and lets
            # TypeErrors through.
            raise PydanticCustomError(
                "input_type", "{problem}", {"problem": str(error)}
            ) from error

    return no_info_plain_validator_function(
        validate,
        serialization=to_string_ser_schema(),
        json_schema_input_schema=json_schema,
    )
