"""Describes a BPF object from its ELF and BTF: callbacks, name in the kernel, parameters.

Nothing is compiled natively or executed for it.
"""

from dataclasses import dataclass

from fairlane.algorithm.kernel import KernelError, btf
from fairlane.algorithm.kernel.elf import ObjectFile, Variable
from fairlane.algorithm.kernel.program import KernelProgram, checked_name
from fairlane.engine.messages import nearest, unknown

STRUCTURE = "tcp_congestion_ops"

_REQUIRED = (("ssthresh",), ("undo_cwnd",), ("cong_avoid", "cong_control"))
"""The kernel registers no congestion control without one of each (net/ipv4/tcp_cong.c)."""


@dataclass(frozen=True)
class Described:
    """The part of an object to load."""

    table: str
    """The variable that holds the callbacks."""
    kernel_name: str
    name_offset: int
    """The offset of the name in the file."""


def describe(found: ObjectFile, program: KernelProgram) -> Described:
    """The table that the program means, and the name that it gets. Raises KernelError."""
    members = {
        member.name: member.offset for member in btf.structure(found.read_section(".BTF"), STRUCTURE, found.byte_order)
    }
    tables = {
        name: variable for name, variable in found.variables.items() if variable.section.startswith(".struct_ops")
    }
    if not tables or not members:
        raise KernelError(f'{program.path}: there is no struct {STRUCTURE} in SEC(".struct_ops")')
    if program.table and program.table not in tables:
        raise KernelError(f"{program.path}: {unknown('table', program.table, tables)}")
    if "name" not in members:
        raise KernelError(f"{program.path}: its struct {STRUCTURE} has no member name; use Fairlane's vmlinux.h")
    names = [program.table] if program.table else sorted(tables, key=lambda name: _position(program.source, name))
    lacking = {name: _lacking(found, tables[name], members) for name in names}
    table = next((name for name in names if not lacking[name]), names[0])
    if lacking[table]:
        raise KernelError(
            f"{program.path}: struct {STRUCTURE} {table} lacks {', '.join(lacking[table])}; a congestion control needs"
            " ssthresh, undo_cwnd, and cong_avoid or cong_control"
        )
    at = tables[table].offset + members["name"]
    own = found.read(at, 16).partition(b"\0")[0].decode(errors="replace")
    return Described(table, program.name or checked_name(own, str(program.path)), at)


def set_parameter(found: ObjectFile, program: KernelProgram, name: str, value: int) -> None:
    """Puts a value in the place of a parameter's default. Raises KernelError."""
    known = parameters(found)
    if name not in known:
        there = f"; it has {', '.join(known)}" if known else "; it has none"
        unused = f"parameter {name} is not used by the program, and cannot be set"
        raise KernelError(f"{program.path}: {unused}{nearest(name, known)}{there}")
    low, high = known[name]
    if not low <= value <= high:
        raise KernelError(f"{program.path}: parameter {name} cannot be {value}; it goes from {low} to {high}")
    found.write_integer(found.variables[name], value)


def parameters(found: ObjectFile) -> dict[str, tuple[int, int]]:
    """The `const volatile` integers of the program, each with the smallest and largest value of its type."""
    integers = btf.constant_integers(found.read_section(".BTF"), found.byte_order)
    ranges = {}
    for name, encoding in integers.items():
        variable = found.variables.get(name)
        if variable is not None and variable.section.startswith(".rodata"):
            bits = 8 * variable.size
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if encoding.signed else (0, (1 << bits) - 1)
            ranges[name] = (0, 1) if encoding.boolean else (low, high)
    return ranges


def _lacking(found: ObjectFile, table: Variable, members: dict[str, int]) -> list[str]:
    places = {relocation.at - table.at for relocation in found.relocations(table.section)}
    has = {name for name, offset in members.items() if offset in places}
    return [" or ".join(names) for names in _REQUIRED if not has & set(names)]


def _position(source: str, table: str) -> int:
    """In the order of the text, which compilers do not keep."""
    at = source.find(f"{STRUCTURE} {table}")
    return at if at >= 0 else len(source)
