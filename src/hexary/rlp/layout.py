"""
Layouts: what a kind of field is, in words that are not Python.

Compiled Python is written from the kinds (see `hexary.rlp.source`).  The accelerator
cannot call kinds without losing what it is for, so each describes itself once, as a
tuple of plain values.  The first of them is a word; the others follow from it:

================================================  ====================================
layout                                            values
================================================  ====================================
``("uint", bits, cls, make)``                     integers of *bits* bits, ``None`` for
                                                  any
``("bytes", smallest, largest, cls, make)``       bytes of these sizes; *largest* is
                                                  ``None`` for any
``("bool",)``                                     booleans
``("sequence", element, container, fit)``         any number of values in a tuple or
                                                  list; *fit* makes one of what a list
                                                  holds by now, ``None`` for tuples
``("tuple", elements)``                           one value of each of *elements*
``("optional", inner)``                           ``None``, the empty string, or *inner*
``("converted", wire, from_wire, to_wire)``       what functions turn into *wire* and
                                                  back; ``None`` where it stays
``("item",)``, ``("raw",)``                       items of any form, decoded or not
``("record", codec, types)``                      instances of the codec's class; of
                                                  *types*, 0 is its list as it is
``("typed", codecs)``                             one of several records, by type byte
``("choice", ((shapes, holds, member), …))``      the member whose shapes the item has,
                                                  or that *holds* the value
``("python", read, write)``                       whatever these functions of Python
                                                  read and write
================================================  ====================================

*cls* is the class of the values.  *make* turns checked bytes or ints into instances
where the class has a constructor of its own, which may refuse them with a ValueError;
otherwise it is ``None``.  *shapes* are tuples of `hexary.rlp.kinds.Shape`, ``(smallest,
largest, is_list)``.

A kind without a layout of its own has the last of the table, so that every record has a
layout.  `RecordLayout` is the whole record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hexary.rlp.source import compile_reader, compile_writer

if TYPE_CHECKING:
    from hexary.rlp.kinds import Kind

__all__ = ["FieldLayout", "Layout", "RecordLayout", "python_layout"]

Layout: TypeAlias = tuple[Any, ...]
"""A row of the table: a word, and what belongs to it."""


class FieldLayout(NamedTuple):
    """
    One field of a record.

    Attributes:
        name: its name.
        slot: the descriptor of the slot that has its value.
        trailing: whether it may be absent at the end, its value being ``None`` then.
        layout: what it holds.
    """

    name: str
    slot: Any
    trailing: bool
    layout: Layout


class RecordLayout(NamedTuple):
    """
    A record.

    Attributes:
        cls: the class.
        types: its type bytes, 0 for the form without one.
        type_slot: the descriptor of the slot that has the type byte, ``None`` where it
            is always the same.
        fields: the fields, in order, without the one that is the type byte.
        has_check: whether ``__post_init__`` is to be called when a record is complete.
    """

    cls: type
    types: frozenset[int]
    type_slot: Any
    fields: tuple[FieldLayout, ...]
    has_check: bool


def python_layout(kind: Kind) -> Layout:
    r"""
    Return the layout of a kind that only Python knows.

    Its functions are ``read(data, position)``, which returns the value and the index
    behind it or gives up as compiled decoders do, and ``write(value)``.

    Example:
        >>> from hexary.rlp.scalar_kinds import BoolKind
        >>> word, read, write = python_layout(BoolKind())
        >>> word, read(b"\x80\x01", 1), write(False)
        ('python', (True, 2), b'\x80')
    """
    return ("python", compile_reader(kind), compile_writer(kind))
