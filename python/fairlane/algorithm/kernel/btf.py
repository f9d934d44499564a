"""Reads structures and constants out of BTF, the description of types (Documentation/bpf/btf.rst)."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

ByteOrder = Literal["little", "big"]

_MAGIC = 0xEB9F
_INT, _STRUCT, _TYPEDEF, _VOLATILE, _CONST, _VAR = 1, 4, 8, 9, 10, 14
_SIGNED, _BOOL = 1, 4

# The data after the first 12 bytes of a type, by its kind: bytes, and bytes per element.
_MORE = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8), 13: (0, 8), 14: (4, 0), 15: (0, 12), 17: (4, 0)}
_MORE |= {19: (0, 12)}


@dataclass(frozen=True)
class Member:
    """A member of a structure."""

    name: str
    offset: int
    """Bytes from the start of the structure."""
    entry: slice
    """Its entry in the BTF, 12 bytes."""


@dataclass(frozen=True)
class Integer:
    """The encoding of an integer."""

    signed: bool
    boolean: bool


@dataclass(frozen=True)
class _Type:
    name: str
    kind: int
    elements: int
    has_bit_fields: bool
    of: int
    """The type that this one is made of, or its size."""
    more: int
    """The location of its elements."""


def structure(data: bytes, name: str, byte_order: ByteOrder) -> list[Member]:
    """The members of `struct name` in their order; empty if the BTF does not describe it. Raises ValueError."""
    mark = _mark(byte_order)
    for one in _types(data, byte_order):
        if one.kind == _STRUCT and one.name == name:
            entries = [slice(start, start + 12) for start in range(one.more, one.more + 12 * one.elements, 12)]
            members = [struct.unpack(mark + "III", data[entry]) for entry in entries]
            text = _texts(data, byte_order)
            return [
                Member(text(member), (bits & 0xFFFFFF if one.has_bit_fields else bits) // 8, entry)
                for (member, _, bits), entry in zip(members, entries, strict=True)
            ]
    return []


def constant_integers(data: bytes, byte_order: ByteOrder) -> dict[str, Integer]:
    """The global variables that are `const volatile` integers, in the order of the BTF. Raises ValueError."""
    types = [None, *_types(data, byte_order)]
    found = {}
    for one in types:
        if one is None or one.kind != _VAR:
            continue
        inner, qualifiers = types[one.of], set()
        for _ in range(_DEEPEST):
            if inner is None or inner.kind not in (_TYPEDEF, _VOLATILE, _CONST):
                break
            qualifiers.add(inner.kind)
            inner = types[inner.of] if inner.of < len(types) else None
        if inner is not None and inner.kind == _INT and {_CONST, _VOLATILE} <= qualifiers:
            (encoding,) = struct.unpack_from(_mark(byte_order) + "I", data, inner.more)
            found[one.name] = Integer(bool(encoding >> 24 & _SIGNED), bool(encoding >> 24 & _BOOL))
    return found


_DEEPEST = 64
"""Types of types; a chain that is longer, or a circle, is none of a compiler's."""


def _types(data: bytes, byte_order: ByteOrder) -> Iterator[_Type]:
    """All types in their order; the first one has the number 1."""
    mark = _mark(byte_order)
    magic, _, _, header, start, size, _, _ = struct.unpack_from(mark + "HBBIIIII", data)
    if magic != _MAGIC:
        raise ValueError("not BTF")
    text = _texts(data, byte_order)
    at, end = header + start, header + start + size
    while at < end:
        name_at, info, of = struct.unpack_from(mark + "III", data, at)
        kind, elements = info >> 24 & 0x1F, info & 0xFFFF
        at += 12
        yield _Type(text(name_at), kind, elements, bool(info >> 31), of, at)
        fixed, each = _MORE.get(kind, (0, 0))
        at += fixed + each * elements


def _texts(data: bytes, byte_order: ByteOrder) -> Callable[[int], str]:
    _, _, _, header, _, _, strings, _ = struct.unpack_from(_mark(byte_order) + "HBBIIIII", data)

    def text(offset: int) -> str:
        start = header + strings + offset
        return data[start : data.index(b"\0", start)].decode()

    return text


def _mark(byte_order: ByteOrder) -> str:
    return "<" if byte_order == "little" else ">"
