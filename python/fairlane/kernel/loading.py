"""Puts a program into the kernel: changes its object file, has it verified, registers it."""

import errno

from fairlane.kernel import KernelError, Lacking, callbacks, compiler, libbpf, machine, registry, verifier
from fairlane.kernel.compiler import compile_program
from fairlane.kernel.elf import ObjectFile
from fairlane.kernel.program import KernelProgram

_NAME_OFFSET = 80
"""The offset of `name` in our struct tcp_congestion_ops (interface/vmlinux_kernel.h): after ten callbacks."""


def load(program: KernelProgram) -> None:
    """Registers the program; it stays until it is unloaded or the machine restarts. Raises KernelError."""
    machine.check_kernel()
    if program.kernel_name in registry.available():
        raise _name_taken(program.kernel_name)
    _put(program, keep=True)


def verify(program: KernelProgram) -> None:
    """Has the kernel verify the program, and registers nothing. Raises KernelError."""
    machine.check_kernel()
    _put(program, keep=False)


def _put(program: KernelProgram, *, keep: bool) -> None:
    libbpf.library()
    prepared = callbacks.fit(
        prepare(compile_program(program), program), program, machine.BTF.read_bytes(), machine.version()
    )
    programs = prepared.functions_in(prepared.variables[program.table])
    kconfig = f"CONFIG_HZ={machine.timer_interrupts_per_s()}\n"
    with libbpf.listening() as lines:
        try:
            with libbpf.opened(bytes(prepared.data), kconfig) as pointer:
                libbpf.keep_only(pointer, program.table, programs)
                libbpf.load(pointer)
                if keep:
                    libbpf.register(pointer, program.table)
        except OSError as error:
            raise _why(error, lines, program) from None


def prepare(data: bytes, program: KernelProgram) -> ObjectFile:
    """The object file with the program's name and parameters in it."""
    found = ObjectFile(data)
    table = found.variables.get(program.table)
    if table is None or not table.section.startswith(".struct_ops"):
        raise KernelError(
            f'{program.path}: there is no struct tcp_congestion_ops {program.table} in SEC(".struct_ops")'
        )
    place = table.offset + _NAME_OFFSET
    if found.read(place, 16) != program.own_name.encode().ljust(16, b"\0"):
        raise KernelError(
            f"{program.path}: its struct tcp_congestion_ops is not the one of Fairlane's vmlinux.h; use that"
        )
    found.write(place, program.kernel_name.encode().ljust(16, b"\0"))
    for name, value in program.parameters.items():
        variable = found.variables.get(name)
        if variable is None or not variable.section.startswith(".rodata"):
            raise KernelError(f"{program.path}: parameter {name} is not used by the program, and cannot be set")
        found.write_integer(variable, value)
    return found


def _why(error: OSError, lines: list[str], program: KernelProgram) -> KernelError:
    refusal = verifier.explain(lines, program.source, str(program.path))
    if refusal:
        return KernelError(str(refusal))
    said = [line.removeprefix("libbpf: ") for line in lines]
    text = " ".join(said)
    if error.errno == errno.EEXIST:
        return _name_taken(program.kernel_name)
    if error.errno in (errno.EPERM, errno.EACCES):
        return Lacking(machine.NO_RIGHTS)
    if "bpf_struct_ops_tcp_congestion_ops" in text or "tcp_congestion_ops is not found" in text:
        return Lacking(
            "this kernel takes no congestion controls by BPF; one built with CONFIG_BPF_JIT and CONFIG_INET does"
        )
    missing = next((line for line in said if "not found in kernel" in line or "can't find" in line.lower()), None)
    if missing:
        return KernelError(f"{program.path}: this kernel lacks something that the program uses: {missing}")
    last = "".join(f"\n    {line}" for line in said[-verifier.LAST_LINES :])
    return KernelError(f"{program.path}: the kernel did not take it ({error.strerror}){last and ':' + last}")


def _name_taken(name: str) -> KernelError:
    if name in registry.loaded_names():
        return KernelError(
            f"{name} is in the kernel already; unload it first (fairlane algorithm unload {name}), or load this one"
            " under another name with --as"
        )
    return KernelError(
        f"{name} is a congestion control of the kernel's own; load this one under another name with --as"
    )


def cannot_load() -> str | None:
    """Why this machine cannot verify or load a program, or None if it can; compiles and loads nothing."""
    try:
        machine.check_kernel()
        compiler.find_clang()
        compiler.check_headers()
        libbpf.library()
    except Lacking as lacking:
        return str(lacking)
    return None
