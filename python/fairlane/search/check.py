"""Checks a congestion control with compilers, the kernel's verifier, and networks that expose common bugs."""

import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from fairlane.algorithm.c_text import unprintable, with_lines
from fairlane.algorithm.name import Algorithm, Kind
from fairlane.engine import AlgorithmError
from fairlane.runs.executors.processes import Computed, run_all
from fairlane.search.check_networks import Network, networks

Outcome = Literal["passes", "fails", "not tried"]


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check."""

    check: str
    outcome: Outcome
    detail: str
    """The value with its bound, the error with its location, or why it was not tried."""
    network: str = ""
    """The network that failed, as `fairlane algorithm check --network` knows it; empty otherwise."""

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        return asdict(self)


SIMULATOR, KERNEL, VERIFIER = "compiles for the simulator", "compiles for the kernel", "kernel's verifier"


def check_simulator(word: str, parameters: Mapping[str, int]) -> Verdict:
    """Is it a complete program for the simulator, about which the compiler has no warning? Raises AlgorithmError.

    Warnings about unused names are no failure: they do not change what the program does.
    """
    from fairlane.algorithm import describe

    found = describe(word, parameters)
    warnings = [line for line in found.get("warnings", ()) if "[-Wunused" not in line]
    if warnings:
        return Verdict(SIMULATOR, "fails", "\n".join(warnings))
    return Verdict(SIMULATOR, "passes", f"{found['table']}, {len(found['parameters'])} parameters")


def check_kernel(word: str, parameters: Mapping[str, int]) -> Iterator[Verdict]:
    """The kernel's verdict, as far as this machine can find it out. The program compiles for the simulator."""
    if Algorithm(word).kind is Kind.PYTHON:
        yield Verdict(KERNEL, "not tried", "it is a Python class; the kernel takes it when it is written in C")
        return
    from fairlane.algorithm.kernel import KernelError, Lacking, compiler, loading
    from fairlane.algorithm.kernel.program import KernelProgram

    try:
        program = KernelProgram.find(word, parameters)
    except KernelError as error:
        yield Verdict(KERNEL, "fails", str(error))
        return
    try:
        warnings = unprintable(program.source, program.path)
        compiler.compile_program(program, warned=warnings.append)
        outcome: Outcome = "fails" if warnings else "passes"
        yield Verdict(KERNEL, outcome, "\n".join(warnings) or compiler.version())
    except KernelError as error:
        yield Verdict(KERNEL, "not tried" if isinstance(error, Lacking) else "fails", str(error))
        yield Verdict(VERIFIER, "not tried", "it does not compile for the kernel")
        return
    lacking = loading.cannot_load()
    if lacking:
        yield Verdict(VERIFIER, "not tried", lacking)
        return
    try:
        loading.verify(program)
        yield Verdict(VERIFIER, "passes", f"Linux {platform.release()}")
    except KernelError as error:
        yield Verdict(VERIFIER, "not tried" if isinstance(error, Lacking) else "fails", str(error))


_KEPT = ["flows", "warnings"]
"""The parts of results that are judged."""
_NEVER_RETURNS = "infinite loop"
"""In the engine's words for such a fault."""


def check(word: str, parameters: Mapping[str, int], witnesses: Path | None = None) -> Iterator[Verdict]:
    """The verdicts on a built-in algorithm or a C file with these parameters.

    `witnesses` is a file or folder of `fairlane break`: a score that got worse is a failure.
    """
    try:
        yield check_simulator(word, parameters)
    except AlgorithmError as error:
        yield Verdict(SIMULATOR, "fails", str(error))
        yield Verdict("everything else", "not tried", "it does not compile for the simulator")
        return
    yield from check_kernel(word, parameters)
    first_network, *asked = networks(word, parameters)
    path = Algorithm(word).path if Algorithm(word).kind is Kind.C else None
    [outcome] = run_all([first_network.scenario], keep=_KEPT)
    yield _judge(first_network, outcome, path)
    if _NEVER_RETURNS in outcome.error:  # each further network would take as long to find that out
        yield Verdict("the other networks", "not tried", "the program does not return")
        return
    # A process of its own for each run: a program that is broken enough may take its process with it.
    outcomes = run_all((network.scenario for network in asked), keep=_KEPT)
    for network, outcome in zip(asked, outcomes, strict=True):
        yield _judge(network, outcome, path)
    if witnesses is not None:
        from fairlane.search.breaks.witness import replay, witnesses_in

        settings = ",".join(f"{name}={value}" for name, value in parameters.items())
        for one in replay(witnesses_in(witnesses), f"{word}:{settings}" if settings else word):
            yield Verdict(f"witness {one.witness.name}", "fails" if one.is_worse else "passes", one.text)


def _judge(network: Network, outcome: Computed, path: Path | None) -> Verdict:
    """`path` is that of the algorithm's C file."""
    if outcome.result is None:
        reason = with_lines(outcome.error, path) if path else outcome.error
        return Verdict(network.name, "fails", reason, network.short_name)
    passes, text = network.judge(outcome.result)
    if warnings := outcome.result.get("warnings"):
        text += f"; warning: {with_lines(warnings, path) if path else warnings}"
    return Verdict(network.name, "passes", text) if passes else Verdict(network.name, "fails", text, network.short_name)
