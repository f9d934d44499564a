"""Reads and changes the few things of a BPF object file that matter here: values of variables.

A 64-bit ELF file of either byte order. Only what clang writes for BPF is understood.
"""

import struct
from dataclasses import dataclass

_SYMBOL_TABLE = 2
_NO_BITS = 8
_OBJECT = 1


@dataclass(frozen=True)
class Variable:
    """Where in the file a variable's value stands."""

    offset: int
    size: int
    section: str


class ObjectFile:
    """An object file in memory."""

    def __init__(self, data: bytes) -> None:
        if data[:5] != b"\x7fELF\x02":
            raise ValueError("no 64-bit ELF file")
        self.data = bytearray(data)
        self.order: str = "<" if data[5] == 1 else ">"
        self.variables = self._read_variables()

    def write_integer(self, variable: Variable, value: int) -> None:
        """Puts an integer of the variable's size there, negative ones as two's complement."""
        unsigned = value & ((1 << (8 * variable.size)) - 1)
        order = "little" if self.order == "<" else "big"
        self.write(variable.offset, unsigned.to_bytes(variable.size, order))  # type: ignore[arg-type]

    def read(self, offset: int, size: int) -> bytes:
        """A piece of the file."""
        return bytes(self.data[offset : offset + size])

    def write(self, offset: int, value: bytes) -> None:
        """Replaces a piece of the file."""
        self.data[offset : offset + len(value)] = value

    def _read_variables(self) -> dict[str, Variable]:
        (table,) = self._unpack("Q", 40)
        size, count, names_index = self._unpack("HHH", 58)
        # name, type, flags, address, offset, size, link
        sections = [self._unpack("IIQQQQI", table + size * i) for i in range(count)]
        names = [self._text(sections[names_index][4] + section[0]) for section in sections]
        found = {}
        for section in sections:
            if section[1] != _SYMBOL_TABLE:
                continue
            texts = sections[section[6]][4]
            for offset in range(section[4], section[4] + section[5], 24):
                name, info, _, home, value, length = self._unpack("IBBHQQ", offset)
                if info & 15 == _OBJECT and home < count and sections[home][1] != _NO_BITS:
                    place = sections[home][4] + value
                    found[self._text(texts + name)] = Variable(place, length, names[home])
        return found

    def _unpack(self, form: str, offset: int) -> tuple[int, ...]:
        return struct.unpack_from(self.order + form, self.data, offset)

    def _text(self, offset: int) -> str:
        return self.data[offset : self.data.index(0, offset)].decode()
