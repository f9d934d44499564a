"""Puts a program into the kernel: changes its object file, has it verified, registers it."""

import errno
import struct
from collections.abc import Callable

from fairlane.algorithm.kernel import (
    KernelError,
    Lacking,
    callbacks,
    compiler,
    description,
    libbpf,
    machine,
    registry,
    verifier,
)
from fairlane.algorithm.kernel.compiler import compile_program
from fairlane.algorithm.kernel.description import Described
from fairlane.algorithm.kernel.elf import ObjectFile
from fairlane.algorithm.kernel.program import KernelProgram


def load(program: KernelProgram, warned: Callable[[str], None] | None = None) -> str:
    """Registers the program, and returns its name in the kernel. Raises KernelError.

    It stays until it is unloaded or the machine restarts. `warned` gets each of the compiler's warnings.
    """
    machine.check_kernel()
    return _put(program, keep=True, warned=warned)


def verify(program: KernelProgram) -> None:
    """Has the kernel verify the program, and registers nothing. Raises KernelError."""
    machine.check_kernel()
    _put(program, keep=False)


def _put(program: KernelProgram, *, keep: bool, warned: Callable[[str], None] | None = None) -> str:
    libbpf.library()
    prepared, described = prepare(compile_program(program, warned=warned), program)
    if keep and described.kernel_name in registry.available():
        raise _name_taken(described.kernel_name)
    prepared = callbacks.fit(prepared, program, machine.BTF.read_bytes(), machine.version())
    programs = prepared.functions_in(prepared.variables[described.table])
    kconfig = f"CONFIG_HZ={machine.timer_interrupts_per_s()}\n"
    with libbpf.listening() as lines:
        try:
            with libbpf.opened(bytes(prepared.data), kconfig) as pointer:
                libbpf.keep_only(pointer, described.table, programs)
                libbpf.load(pointer)
                if keep:
                    libbpf.register(pointer, described.table)
        except OSError as error:
            raise _why(error, lines, program, described.kernel_name) from None
    return described.kernel_name


def prepare(data: bytes, program: KernelProgram) -> tuple[ObjectFile, Described]:
    """The object file with the program's name and parameters in it, and what is to be loaded of it."""
    try:
        found = ObjectFile(data)
        described = description.describe(found, program)
    except (ValueError, struct.error, StopIteration, IndexError) as error:
        raise KernelError(f"{program.path}: what clang made of it cannot be read ({error})") from None
    found.write(described.name_offset, described.kernel_name.encode().ljust(16, b"\0"))
    for name, value in program.parameters.items():
        description.set_parameter(found, program, name, value)
    return found, described


def _why(error: OSError, lines: list[str], program: KernelProgram, kernel_name: str) -> KernelError:
    refusal = verifier.explain(lines, program.source, str(program.path))
    if refusal:
        return KernelError(str(refusal))
    said = [line.removeprefix("libbpf: ") for line in lines]
    text = " ".join(said)
    if error.errno == errno.EEXIST:
        return _name_taken(kernel_name)
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
    """The reason why this machine cannot verify or load a program, or None; compiles and loads nothing."""
    try:
        machine.check_kernel()
        compiler.find_clang()
        compiler.check_headers()
        libbpf.library()
    except Lacking as lacking:
        return str(lacking)
    return None
