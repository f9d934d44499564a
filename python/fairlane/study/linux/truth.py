"""Scenarios that Linux ran, recorded in `scenarios.json` of a truth folder, as scenarios for the engine.

The network of the recordings: a token bucket (burst of one packet and 40 bytes) after the queue
under test, then the delay with its random loss, and the delay back; hosts without offloads, pacing inside TCP,
buffers up to 64 MB, HZ = 100, traffic by iperf3. Rates and byte limits count the IP packet and 14 bytes.
"""

import random
import zlib
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from fairlane import files
from fairlane.engine import algorithms
from fairlane.engine.declarations import queues
from fairlane.engine.types import Scenario as EngineScenario
from fairlane.files import FileError
from fairlane.scenario.base_model import Name, Table
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.requests import scenario
from fairlane.study.linux import tc_arguments
from fairlane.study.linux.score import without_repeat

MTU_BYTES = 1500
FRAME_OVERHEAD_BYTES = 14
BUCKET_BURST_BYTES = MTU_BYTES + 40
HOSTS = {
    "hz": 100,
    "offload": False,
    "ecn": False,
    "sender": {"pacing": "internal", "wmem_max": "64MiB"},
    "receiver": {"rmem_max": "64MiB"},
}
# iperf3 exchanges messages for a few round trips before a flow's own time starts; none takes longer than this.
SETTING_UP_NS = 4_000_000_000
# Three on the control connection, then the data connection's handshake and the cookie.
SETTING_UP_ROUND_TRIPS = 5
# Repeats are numbered after the recorded ones.
FIRST_REPEAT = 5
LARGEST_OFFSET_S = 0.03
"""The most by which a flow of a repeat starts later than in the scenario."""
LONGEST_S = 100_000
LONGEST_RTT_MS = 100_000
REMEDY = "name a folder that holds scenarios.json and linux.csv"


class TruthError(ValueError):
    """An unreadable truth folder; one line with the file, the mistake, and the remedy."""


class Queue(Table):
    """A queue: bfifo with its limit in bytes, pfifo in packets, others with tc's arguments."""

    kind: Name
    bytes: int | None = Field(None, gt=0, lt=2**40)
    packets: int | None = Field(None, gt=0, lt=2**31)
    args: str = Field("", max_length=1000)

    @model_validator(mode="after")
    def _has_its_limit(self) -> Self:
        needed = {"bfifo": "bytes", "pfifo": "packets"}.get(self.kind)
        if needed is not None and getattr(self, needed) is None:
            raise ValueError(f"{self.kind} needs {needed}")
        return self

    def settings(self) -> dict[str, Any] | None:
        """The queue in an experiment file; None if the engine has no such queue. Raises ValueError."""
        match self.kind:
            case "bfifo":
                return {"kind": "fifo", "limit": f"{self.bytes}B"}
            case "pfifo":
                return {"kind": "fifo", "limit": f"{self.packets}p"}
            case kind:
                return {"kind": kind, **tc_arguments.parse(kind, self.args.split())} if kind in queues() else None


class Flow(Table):
    """An iperf3 flow."""

    cc: Name
    """Its congestion control."""
    start_s: float = Field(0, ge=0, le=LONGEST_S)
    rtt_extra_ms: float = Field(0, ge=0, le=LONGEST_RTT_MS)


class Scenario(Table):
    """A network, and the flows that Linux sent through it."""

    name: Name
    rate_mbit: float = Field(gt=0, le=1e6)
    rtt_ms: float = Field(ge=0, le=LONGEST_RTT_MS)
    queue: Queue
    flows: list[Flow] = Field(min_length=1, max_length=10_000)
    duration_s: float = Field(gt=0, le=LONGEST_S)
    loss_pct: float = Field(0, ge=0, le=100)

    @property
    def full_queue_rtt_ms(self) -> float:
        """The RTT with a full queue, for a queue with a limit in packets."""
        frame_bits = 8 * (MTU_BYTES + FRAME_OVERHEAD_BYTES)
        return self.rtt_ms + (self.queue.packets or 0) * frame_bits / self.rate_mbit / 1e3


_SCENARIOS: TypeAdapter[list[Scenario]] = TypeAdapter(Annotated[list[Scenario], Field(strict=True)])


def load(folder: Path) -> list[Scenario]:
    """The scenarios of a truth folder, in their order. Raises TruthError."""
    path = folder / "scenarios.json"
    try:
        scenarios = _SCENARIOS.validate_python(files.json_value(path, REMEDY))
    except FileError as error:
        raise TruthError(str(error)) from None
    except ValidationError as error:
        raise TruthError(f"{path}: {first_mistake(error)}; fix the file") from None
    twice = [name for name, count in Counter(one.name for one in scenarios).items() if count > 1]
    if twice:
        raise TruthError(f"{path}: there are several scenarios '{twice[0]}'; rename them")
    for one in scenarios:
        try:
            one.queue.settings()
        except ValueError as error:
            raise TruthError(f"{path}: {one.name}: queue.args: {error}") from None
    return scenarios


def first_mistake(error: ValidationError) -> str:
    """The place and the reason of the first mistake in a file, in one line."""
    found = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in found["loc"] if part != "[key]")
    return f"{place or 'the file'}: {found['msg']}"


def missing(recorded: Scenario, known: Collection[str]) -> str:
    """The queue or algorithm of this scenario that the simulator does not support; empty if there is none."""
    if recorded.queue.settings() is None:
        return f"queue {recorded.queue.kind}"
    unknown = sorted({flow.cc for flow in recorded.flows} - set(known))
    return "algorithm " + ", ".join(unknown) if unknown else ""


def supported(scenarios: Sequence[Scenario]) -> tuple[list[Scenario], list[str]]:
    """Those that can be simulated, and a line for each reason why others are skipped."""
    known = [algorithm["name"] for algorithm in algorithms()]
    reasons = {one.name: missing(one, known) for one in scenarios}
    lines = []
    for reason in sorted(set(filter(None, reasons.values()))):
        runs = Counter(without_repeat(name) for name in reasons if reasons[name] == reason)
        skipped = [name if count == 1 else f"{name} ({count} runs)" for name, count in runs.items()]
        lines.append(f"skipped, {reason} is not supported: {', '.join(skipped)}")
    return [one for one in scenarios if not reasons[one.name]], lines


def as_scenario(recorded: Scenario) -> EngineScenario:
    """The engine's scenario for one without a `missing` part. Raises TruthError."""
    links: list[dict[str, Any]] = [
        {
            "name": "bottleneck",
            "rate": f"{round(recorded.rate_mbit * 1e6)}bit",
            "overhead_bytes": FRAME_OVERHEAD_BYTES,
            "burst": f"{BUCKET_BURST_BYTES}B",
            "queue": recorded.queue.settings(),
        }
    ]
    flows = []
    for number, flow in enumerate(recorded.flows):
        delay = _time((recorded.rtt_ms + flow.rtt_extra_ms) / 2e3)
        there, back = f"out-{number}", f"back-{number}"
        loss = {"loss": f"{recorded.loss_pct}%"} if recorded.loss_pct else {}
        links += [{"name": there, "delay": delay, **loss}, {"name": back, "delay": delay}]
        flows.append(
            {
                "algorithm": flow.cc,
                "forward": ["bottleneck", there],
                "reverse": [back],
                "start": _time(flow.start_s),
                "stop": _time(recorded.duration_s),
                "workload": "iperf3",
            }
        )
    settings = {
        # Repeats of a scenario differ in name, and so in their random losses.
        "seed": zlib.crc32(recorded.name.encode()),
        "duration": f"{_ns(recorded.duration_s) + SETTING_UP_NS}ns",
        "network": {"mtu": MTU_BYTES, "links": links},
        "flows": flows,
        "hosts": HOSTS,
    }
    try:
        return scenario(settings)
    except ExperimentError as error:
        raise TruthError(f"scenario {recorded.name}: {error.lines[0].removeprefix('experiment: ')}") from None


def with_repeats(recorded: Sequence[Scenario], count: int) -> list[Scenario]:
    """The scenarios, and `count` additional runs with random variation of each group that differs in -rN only."""
    groups: dict[str, list[Scenario]] = {}
    for one in sorted(recorded, key=lambda one: one.name):
        groups.setdefault(without_repeat(one.name), []).append(one)
    return [*recorded, *(repeat for runs in groups.values() for repeat in as_repeats(runs, count))]


def as_repeats(recorded: Sequence[Scenario], count: int) -> list[Scenario]:
    """`count` additional runs of a scenario with random variation.

    `recorded` are all its runs in the truth folder: NAME, NAME-r2, NAME-r3, ..., in which a flow starts at different
    times. The repeats take their turns at these, and each flow has a drawn offset, so that the order of flows that
    start together is drawn, too; their random losses differ by their name.
    """
    first = recorded[0]
    if len(first.flows) == 1 and not first.loss_pct:
        return []
    repeats = []
    for number in range(count):
        name = f"{first.name}-r{FIRST_REPEAT + number}"
        drawn = random.Random(name)
        flows = [
            flow.model_copy(update={"start_s": flow.start_s + round(drawn.uniform(0, LARGEST_OFFSET_S), 6)})
            for flow in recorded[number % len(recorded)].flows
        ]
        repeats.append(recorded[number % len(recorded)].model_copy(update={"name": name, "flows": flows}))
    return repeats


def with_losses(recorded: Scenario, times_s: Sequence[float]) -> EngineScenario:
    """The scenario of one flow, with losses at these times of the flow's own instead of random ones."""
    made = as_scenario(recorded)
    begins_ns = made["flows"][0]["start_ns"] + SETTING_UP_ROUND_TRIPS * _ns(recorded.rtt_ms / 1e3)
    for link in made["links"]:
        if "loss" in link:
            link["loss"] = {"kind": "listed", "at_ns": [begins_ns + _ns(time_s) for time_s in times_s]}
    return made


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)


def _time(seconds: float) -> str:
    return f"{_ns(seconds)}ns"
