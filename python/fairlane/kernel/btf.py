"""Reads structures out of BTF, the kernel's description of its types (Documentation/bpf/btf.rst)."""

import struct
from dataclasses import dataclass
from typing import Literal

_MAGIC = 0xEB9F
_STRUCT = 4

# What follows the first 12 bytes of a type, by its kind: bytes, and bytes per element.
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


def structure(data: bytes, name: str, byte_order: Literal["little", "big"]) -> list[Member]:
    """The members of `struct name` in their order; empty if the BTF does not describe it. Raises ValueError."""
    mark = "<" if byte_order == "little" else ">"
    magic, _, _, header, types, types_size, strings, _ = struct.unpack_from(mark + "HBBIIIII", data)
    if magic != _MAGIC:
        raise ValueError("not BTF")

    def text(offset: int) -> str:
        start = header + strings + offset
        return data[start : data.index(b"\0", start)].decode()

    at, end = header + types, header + types + types_size
    while at < end:
        name_at, info, _ = struct.unpack_from(mark + "III", data, at)
        kind, elements, has_bit_fields = info >> 24 & 0x1F, info & 0xFFFF, info >> 31
        at += 12
        if kind == _STRUCT and text(name_at) == name:
            entries = [slice(start, start + 12) for start in range(at, at + 12 * elements, 12)]
            members = [struct.unpack(mark + "III", data[entry]) for entry in entries]
            return [
                Member(text(member), (bits & 0xFFFFFF if has_bit_fields else bits) // 8, entry)
                for (member, _, bits), entry in zip(members, entries, strict=True)
            ]
        fixed, each = _MORE.get(kind, (0, 0))
        at += fixed + each * elements
    return []
