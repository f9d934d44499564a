"""Reads and changes the few things of a BPF object file that matter here: values of variables, entries of tables."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection


@dataclass(frozen=True)
class Relocation:
    """An address that is filled in when the file is loaded."""

    section: str
    """The symbol, and the byte of the section at which its address goes."""
    at: int
    symbol: str
    entry: slice
    """The place of the relocation itself in the file."""


@dataclass(frozen=True)
class Variable:
    """The position of a variable's value in the file."""

    offset: int
    size: int
    section: str
    at: int
    """The same, in its section."""


class ObjectFile:
    """An object file in memory."""

    def __init__(self, data: bytes) -> None:
        try:
            self._file = ELFFile(io.BytesIO(data))
            self._sections = list(self._file.iter_sections())
        except ELFError as error:
            raise ValueError(f"not an ELF file: {error}") from None
        self.data = bytearray(data)
        self.byte_order: Literal["little", "big"] = "little" if self._file.little_endian else "big"
        self.variables = dict(self._read_variables())

    def write_integer(self, variable: Variable, value: int) -> None:
        """Puts an integer of the variable's size there, negative ones as two's complement."""
        unsigned = value & ((1 << (8 * variable.size)) - 1)
        self.write(variable.offset, unsigned.to_bytes(variable.size, self.byte_order))

    def read(self, offset: int, size: int) -> bytes:
        """A piece of the file."""
        return bytes(self.data[offset : offset + size])

    def write(self, offset: int, value: bytes) -> None:
        """Replaces a piece of the file."""
        self.data[offset : offset + len(value)] = value

    def functions_in(self, variable: Variable) -> set[str]:
        """The functions whose addresses the variable holds."""
        return {
            relocation.symbol
            for relocation in self.relocations(variable.section)
            if variable.at <= relocation.at < variable.at + variable.size
        }

    def relocations(self, name: str) -> list[Relocation]:
        """The relocations of a section."""
        found = []
        for section in self._sections:
            if isinstance(section, RelocationSection) and self._sections[section["sh_info"]].name == name:
                symbols, size = self._sections[section["sh_link"]], section["sh_entsize"]
                for number, entry in enumerate(section.iter_relocations()):
                    start = section["sh_offset"] + number * size
                    symbol = symbols.get_symbol(entry["r_info_sym"]).name
                    found.append(Relocation(name, entry["r_offset"], symbol, slice(start, start + size)))
        return found

    def read_section(self, name: str) -> bytes:
        """The content of a section; raises ValueError if there is none of this name."""
        if not any(section.name == name for section in self._sections):
            raise ValueError(f"there is no section {name}")
        return bytes(self.data[self.place(name)])

    def place(self, section: str) -> slice:
        """The place of a section in the file."""
        found = next(one for one in self._sections if one.name == section)
        return slice(found["sh_offset"], found["sh_offset"] + found["sh_size"])

    def _read_variables(self) -> Iterator[tuple[str, Variable]]:
        table = next(section for section in self._sections if isinstance(section, SymbolTableSection))
        for symbol in table.iter_symbols():
            home = symbol["st_shndx"]
            if symbol["st_info"]["type"] == "STT_OBJECT" and isinstance(home, int):
                section = self._sections[home]
                if section["sh_type"] != "SHT_NOBITS":
                    offset = section["sh_offset"] + symbol["st_value"]
                    yield symbol.name, Variable(offset, symbol["st_size"], section.name, symbol["st_value"])


def section(data: bytes, name: str) -> bytes:
    """The content of a section of any ELF file; empty if it has none of that name. Raises ValueError."""
    try:
        found = ELFFile(io.BytesIO(data)).get_section_by_name(name)
        return bytes(found.data()) if found is not None else b""
    except (ELFError, OverflowError) as error:  # sizes beyond what a file can have
        raise ValueError(f"not an ELF file: {error}") from None


def symbol(data: bytes, name: str) -> int:
    """The address of a symbol. Raises ValueError."""
    for table in ELFFile(io.BytesIO(data)).iter_sections():
        if isinstance(table, SymbolTableSection) and (found := table.get_symbol_by_name(name)):
            return int(found[0]["st_value"])
    raise ValueError(f"no symbol {name}")
