"""Reads and changes the few things of a BPF object file that matter here: values of variables, entries of tables.

A 64-bit ELF file of either byte order. Only what clang writes for BPF is understood.
"""

import struct
from dataclasses import dataclass

_SYMBOL_TABLE = 2
_NO_BITS = 8
_RELOCATIONS = 9
_OBJECT = 1


@dataclass(frozen=True)
class Variable:
    """Where in the file a variable's value stands."""

    offset: int
    size: int
    section: str


@dataclass(frozen=True)
class _Section:
    name: str
    kind: int
    offset: int
    size: int
    link: int
    target: int


class ObjectFile:
    """An object file in memory."""

    def __init__(self, data: bytes) -> None:
        if data[:5] != b"\x7fELF\x02":
            raise ValueError("no 64-bit ELF file")
        self.data = bytearray(data)
        self.order: str = "<" if data[5] == 1 else ">"
        self._sections = self._read_sections()
        self._symbols = self._read_symbols()
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

    def functions_in(self, variable: Variable) -> set[str]:
        """The functions whose addresses the variable holds."""
        found = set()
        for section in self._sections:
            if section.kind != _RELOCATIONS or self._sections[section.target].name != variable.section:
                continue
            begin = variable.offset - self._sections[section.target].offset
            for at in range(section.offset, section.offset + section.size, 16):
                place, info = self._unpack("QQ", at)
                if begin <= place < begin + variable.size:
                    found.add(self._symbols[info >> 32][0])
        return found

    def _read_sections(self) -> "list[_Section]":
        (table,) = self._unpack("Q", 40)
        size, count, names_index = self._unpack("HHH", 58)
        # name, type, flags, address, offset, size, link, info
        raw = [self._unpack("IIQQQQII", table + size * i) for i in range(count)]
        names = raw[names_index][4]
        return [_Section(self._text(names + r[0]), r[1], r[4], r[5], r[6], r[7]) for r in raw]

    def _read_symbols(self) -> list[tuple[str, int, int, int, int]]:
        """Name, type, section, value and size of every symbol, in the order of the table."""
        table = next(section for section in self._sections if section.kind == _SYMBOL_TABLE)
        texts = self._sections[table.link].offset
        found = []
        for offset in range(table.offset, table.offset + table.size, 24):
            name, info, _, home, value, size = self._unpack("IBBHQQ", offset)
            found.append((self._text(texts + name), info & 15, home, value, size))
        return found

    def _read_variables(self) -> dict[str, Variable]:
        found = {}
        for name, kind, home, value, size in self._symbols:
            if kind == _OBJECT and home < len(self._sections) and self._sections[home].kind != _NO_BITS:
                section = self._sections[home]
                found[name] = Variable(section.offset + value, size, section.name)
        return found

    def _unpack(self, form: str, offset: int) -> tuple[int, ...]:
        return struct.unpack_from(self.order + form, self.data, offset)

    def _text(self, offset: int) -> str:
        return self.data[offset : self.data.index(0, offset)].decode()
