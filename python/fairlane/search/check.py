"""Checks a congestion control with compilers, the kernel's verifier, and networks that expose common bugs.

Each network has a metric and a bound that any sound congestion control reaches; every bundled one passes by a margin.
"""

import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from fairlane.algorithm.name import Algorithm, Kind
from fairlane.engine.types import Scenario
from fairlane.runs.executors.processes import Computed, run_all
from fairlane.scenario.requests import dumbbell, scenario


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check."""

    check: str
    outcome: Literal["passes", "fails", "not tried"]
    detail: str
    """The value with its bound, the error with its location, or why it was not tried."""

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        return asdict(self)


Result = dict[str, Any]


_FRAME_BYTES = 1514


@dataclass(frozen=True)
class Network:
    """One check: a scenario, and a value in per cent that must reach `least`."""

    name: str
    scenario: Scenario
    figure: Callable[[Result], float]
    least: float
    what: str
    """Percent of what."""

    def judge(self, result: Result) -> Verdict:
        """The verdict on a run of the scenario."""
        value = self.figure(result)
        text = f"{value:.3g} % {self.what} (at least {self.least:g} %)"
        return Verdict(self.name, "passes" if value >= self.least else "fails", text)


def networks(algorithm: str, parameters: Mapping[str, int]) -> list[Network]:
    """All of them, for this algorithm."""

    def network(
        name: str, least: float, figure: Callable[[Result], float], what: str = "used", **settings: Any
    ) -> Network:
        return Network(name, _scenario(algorithm, parameters, **settings), figure, least, what)

    outage = [("10s", "10kbit"), ("13s", "20mbit")]
    faster, slower = [("10s", "50mbit")], [("20s", "5mbit")]
    at_the_end = "used in the last 10 s"
    return [
        network("fills a link alone", 70, _used(20)),
        network("shares with itself", 10, _smaller_share, "smaller share", flows=2, duration_s=80, warm_up_s=40),
        network("survives 10 % loss", 1, _used(20), loss="10%"),
        network("survives reordering", 3, _used(20), jitter="20ms"),
        network("survives timeouts", 30, _used(20), at_the_end, changes=outage, duration_s=40, warm_up_s=30),
        network("works after idling", 15, _used(20), "used, half idle", workload=_ON_OFF, duration_s=41),
        network("rate from 5 to 50 Mbps", 25, _used(50), at_the_end, rate_mbit=5, changes=faster, **_LONG),
        network("rate from 50 to 5 Mbps", 70, _used(5), at_the_end, rate_mbit=50, changes=slower, **_LONG),
        network("buffer of 1 packet", 1, _used(20), buffer="1p"),
        network("RTT of 10 us", 50, _used(1000), rate_mbit=1000, rtt_us=10, duration_s=1, buffer="100p"),
        network("RTT of 2 s", 10, _used(10), rate_mbit=10, rtt_us=2_000_000, duration_s=120),
    ]


_LONG = {"duration_s": 60, "warm_up_s": 50}


_ON_OFF = {"kind": "on_off", "on": "3s", "off": "3s"}


def _used(rate_mbit: float) -> Callable[[Result], float]:
    """Frames that arrived, in percent of the rate."""
    return lambda result: 100 * sum(flow["throughput_mbps"] for flow in result["flows"]) / rate_mbit


def _smaller_share(result: Result) -> float:
    rates = [flow["goodput_mbps"] for flow in result["flows"]]
    return 100 * min(rates) / sum(rates) if sum(rates) else 0.0


def _scenario(
    algorithm: str,
    parameters: Mapping[str, int],
    *,
    rate_mbit: int = 20,
    rtt_us: int = 40_000,
    flows: int = 1,
    duration_s: int = 30,
    warm_up_s: int = 0,
    buffer: str | None = None,
    loss: str | None = None,
    jitter: str | None = None,
    changes: list[tuple[str, str]] | None = None,
    workload: dict[str, Any] | None = None,
) -> Scenario:
    """One bottleneck with a buffer of one BDP, at least 20 packets, unless given. A second flow comes 5 s later."""
    bdp_bytes = rate_mbit * rtt_us // 8
    flow = {
        "algorithm": algorithm,
        "parameters": dict(parameters),
        "rtt": f"{rtt_us}us",
        "count": flows,
        "start_every": "5s",
        "workload": workload or "bulk",
    }
    experiment = dumbbell(
        [flow],
        rate=f"{rate_mbit}mbit",
        buffer=buffer or f"{max(bdp_bytes, 20 * _FRAME_BYTES)}B",
        duration=f"{duration_s}s",
        loss=loss,
        jitter={"max": jitter, "reorder": True} if jitter else None,
        changes=[{"at": at, "rate": rate} for at, rate in changes] if changes else None,
        metrics={"warm_up": f"{warm_up_s}s"},
    )
    return scenario(experiment)


SIMULATOR, KERNEL, VERIFIER = "compiles for the simulator", "compiles for the kernel", "kernel's verifier"


def check_simulator(word: str, parameters: Mapping[str, int]) -> Verdict:
    """Is it a complete program for the simulator?"""
    from fairlane.algorithm import describe
    from fairlane.engine import AlgorithmError

    try:
        found = describe(word, parameters)
    except AlgorithmError as error:
        return Verdict(SIMULATOR, "fails", str(error))
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
        compiler.compile_program(program)
        yield Verdict(KERNEL, "passes", compiler.version())
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


_NEVER_RETURNS = "infinite loop"
"""In the engine's words for such a fault."""


def check(word: str, parameters: Mapping[str, int]) -> Iterator[Verdict]:
    """The verdicts on a built-in algorithm or a C file with these parameters."""
    first = check_simulator(word, parameters)
    yield first
    if first.outcome == "fails":
        yield Verdict("everything else", "not tried", "it does not compile for the simulator")
        return
    yield from check_kernel(word, parameters)
    first_network, *asked = networks(word, parameters)
    [outcome] = run_all([first_network.scenario], keep=["flows"])
    yield _judge(first_network, outcome)
    if _NEVER_RETURNS in outcome.error:  # each further network would take as long to find that out
        yield Verdict("the other networks", "not tried", "the program does not return")
        return
    # A process of its own for each run: a program that is broken enough may take its process with it.
    outcomes = run_all((network.scenario for network in asked), keep=["flows"])
    for network, outcome in zip(asked, outcomes, strict=True):
        yield _judge(network, outcome)


def _judge(network: Network, outcome: Computed) -> Verdict:
    return Verdict(network.name, "fails", outcome.error) if outcome.result is None else network.judge(outcome.result)
