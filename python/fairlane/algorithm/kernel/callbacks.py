"""Fits a program's table of callbacks to the one that the running kernel has.

`struct tcp_congestion_ops` in Fairlane's vmlinux.h has the members of all kernels, and libbpf rejects a table with a
member that the kernel lacks. Such members are therefore removed from the compiled object. The kernel itself rejects
flags that it does not know; they are cleared.
"""

from itertools import pairwise

from fairlane.algorithm.kernel import KernelError, btf
from fairlane.algorithm.kernel.description import STRUCTURE, describe
from fairlane.algorithm.kernel.elf import ObjectFile
from fairlane.algorithm.kernel.program import KernelProgram

_TX_START = "cwnd_event_tx_start"
_MACRO = (
    "write the macro CWND_EVENT(name, sk, event), which fits all kernels, and put both its callbacks into the table"
)


_FLAGS_SINCE_7_0 = 0x1C
"""TCP_CONG_NEEDS_ACCECN, TCP_CONG_ECT_1_NEGOTIATION and TCP_CONG_NO_FALLBACK_RFC3168: BTF does not tell of flags."""


def fit(found: ObjectFile, program: KernelProgram, kernel_btf: bytes, version: tuple[int, int]) -> ObjectFile:
    """The object file without the members and flags that the kernel with this BTF and `(major, minor)` lacks.

    Raises KernelError if the kernel would never call a callback that the program relies on.
    """
    theirs = {member.name for member in btf.structure(kernel_btf, STRUCTURE, found.byte_order)}
    if not theirs:
        return found  # libbpf will say that this kernel takes no congestion controls
    btf_place = found.place(".BTF")
    ours = btf.structure(bytes(found.data[btf_place]), STRUCTURE, found.byte_order)
    table = found.variables[describe(found, program).table]
    relocations = found.relocations(table.section)
    places = {relocation.at - table.at for relocation in relocations}
    has = {member.name for member in ours if member.offset in places}
    _check(program, has, theirs)

    tables = [one for one in found.variables.values() if one.section == table.section]
    lacking = {one.at + member.offset for one in tables for member in ours if member.name not in theirs}
    kept = next(relocation for relocation in relocations if relocation.at not in lacking)
    changed = bytearray(found.data)
    # Entries cannot be cut out of the file. A copy of another entry takes the place of each: libbpf then sets that
    # member twice, to the same value.
    for relocation in relocations:
        if relocation.at in lacking:
            changed[relocation.entry] = found.data[kept.entry]
    for before, member in pairwise(ours):
        if member.name not in theirs:
            start = btf_place.start
            changed[start + member.entry.start : start + member.entry.stop] = changed[
                start + before.entry.start : start + before.entry.stop
            ]
    if version < (7, 0):
        flags = next(member.offset for member in ours if member.name == "flags")
        at = slice(table.offset + flags, table.offset + flags + 4)
        kept_flags = int.from_bytes(changed[at], found.byte_order) & ~_FLAGS_SINCE_7_0
        changed[at] = kept_flags.to_bytes(4, found.byte_order)
    return ObjectFile(bytes(changed))


def _check(program: KernelProgram, has: set[str], theirs: set[str]) -> None:
    if _TX_START in theirs and _TX_START not in has and "CA_EVENT_TX_START" in program.source:
        raise KernelError(
            f"{program.path}: since Linux 7.1, CA_EVENT_TX_START comes to {_TX_START}(), not to cwnd_event(); {_MACRO}"
        )
    for name in sorted(has - theirs):
        if name != _TX_START:
            raise KernelError(f"{program.path}: this kernel has no callback {name}(); leave it out of the table")
        if "cwnd_event" not in has:
            raise KernelError(f"{program.path}: this kernel has no {_TX_START}(), which is of Linux 7.1; {_MACRO}")
