"""Does the program compile for both worlds, and does the kernel's verifier take it?"""

import platform
from collections.abc import Iterator, Mapping

from fairlane.check.verdict import Verdict, fails, not_tried, passes
from fairlane.prototype.words import means_python

SIMULATOR, KERNEL, VERIFIER = "compiles for the simulator", "compiles for the kernel", "kernel's verifier"


def check_simulator(word: str, parameters: Mapping[str, int]) -> Verdict:
    """Is it a complete program for the simulator?"""
    from fairlane.engine import AlgorithmError, describe

    try:
        found = describe(word, parameters)
    except AlgorithmError as error:
        return fails(SIMULATOR, str(error))
    return passes(SIMULATOR, f"{found['table']}, {len(found['parameters'])} parameters")


def check_kernel(word: str, parameters: Mapping[str, int]) -> Iterator[Verdict]:
    """What the kernel would say; as much of it as this machine can find out. The program compiles for the simulator."""
    if means_python(word):
        yield not_tried(KERNEL, "it is a Python class; the kernel takes it when it is written in C")
        return
    from fairlane.kernel import KernelError, Lacking, compiler, loading, machine
    from fairlane.kernel.program import KernelProgram

    try:
        program = KernelProgram.find(word, parameters)
    except KernelError as error:
        yield fails(KERNEL, str(error))
        return
    try:
        compiler.compile_program(program)
        yield passes(KERNEL, compiler.version())
    except KernelError as error:
        yield (not_tried if isinstance(error, Lacking) else fails)(KERNEL, str(error))
        yield not_tried(VERIFIER, "it does not compile for the kernel")
        return
    lacking = machine.cannot_load()
    if lacking:
        yield not_tried(VERIFIER, lacking)
        return
    try:
        loading.verify(program)
        yield passes(VERIFIER, f"Linux {platform.release()}")
    except KernelError as error:
        yield (not_tried if isinstance(error, Lacking) else fails)(VERIFIER, str(error))
