"""The objectives of advice for a link, and the experiment that answers: candidates, duration and repeats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fairlane.runs.sweep.run_size import work
from fairlane.scenario import units
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.links import QueueTable
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.scenario.requests import TXQUEUELEN, Toml
from fairlane.show.report.experiments import toml_text

ENOUGH_GOODPUT = 0.9
"""Share of the highest goodput that a candidate for low latency must have."""

OBJECTIVES = {
    "balance": "the highest goodput per delay (Kleinrock's power)",
    "latency": f"the lowest 95th percentile of delay with at least {100 * ENOUGH_GOODPUT:g} % of the highest goodput",
    "throughput": "the highest goodput",
    "fairness": "the highest Jain's index of the flows' goodputs",
}


ALGORITHMS = ("cubic", "bbr", "bbr3")
"""Linux's default, the other one that is widely deployed, and its successor."""
BUFFERS = ("0.5bdp", "1bdp", "4bdp")
WIFI_BUFFERS = ("100p", "300p", "1000p")
"""A cell has no BDP. An A-MPDU has up to 64 packets; 1000 is Linux's txqueuelen."""
DISCIPLINES = ("codel", "fq_codel")
"""With tc's defaults."""
REPEATS = (7, 5)
LEAST_BUFFER_BYTES = 3028
"""Two frames."""
AFFORDABLE_S = 8.0
"""Expected CPU time on the development machine; half of what an answer may take on a slower one."""
LENGTHS = (400, 200, 100, 50)
"""Duration of a run in round-trip times; the first quarter is warm-up."""
WIFI_RTT_NS = 10_000_000
MOST_S, LEAST_S = Fraction(30), Fraction(1, 5)


@dataclass(frozen=True)
class Question:
    """An experiment file, and what it was reduced to."""

    experiment: LoadedExperiment
    cpu_s: float
    settings: Mapping[str, str]

    @property
    def text(self) -> str:
        """The experiment file."""
        return f"# advice.toml\n{toml_text(self.experiment.settings)}\n"

    @property
    def delay_metric(self) -> str:
        """The metric of delay. Packets of a cell wait in the queues of several stations, and for access."""
        return "packet_rtt_p95_ms" if "wifi" in self.settings else "p95_queue_delay_ms"


def ask(
    settings: Mapping[str, str],
    flows: int,
    *,
    algorithms: Sequence[str] = ALGORITHMS,
    queues: Mapping[str, QueueTable] | None = None,
    seed: int = 1,
) -> Question:
    """The largest experiment that is affordable. `queues` are candidates in addition: labels, and queues of a file.

    Raises ExperimentError or QuantityError for impossible settings.
    """
    refuse(settings)
    rtt_ns = units.positive_time_ns(settings["rtt"])
    chosen = {**_queues(settings, rtt_ns), **(queues or {})}
    # Over Wi-Fi the wire's RTT says little about that of a packet, which waits for access.
    round_ns = max(rtt_ns, WIFI_RTT_NS) if "wifi" in settings else rtt_ns
    asked = None
    for repeats in REPEATS:
        for length in LENGTHS:
            seconds = min(MOST_S, max(LEAST_S, Fraction(length * round_ns, 10**9)))
            form = _experiment(settings, flows, algorithms, chosen, seconds, repeats, seed)
            if asked and form == asked.experiment.settings:
                continue
            experiment = load(form)
            one = sum(work(point.point.repeat(0)).seconds for point in experiment.points)
            asked = Question(experiment, one * repeats, settings)
            if asked.cpu_s <= AFFORDABLE_S:
                return asked
    assert asked is not None
    return asked


def refuse(settings: Mapping[str, str]) -> None:
    """Raises ExperimentError for what a Wi-Fi cell does not have."""
    if "wifi" not in settings:
        return
    told = [name for name in ("rate", "loss", "reverse_rate") if name in settings]
    if told:
        raise ExperimentError([f"{name}: has no effect in a Wi-Fi cell; leave it out" for name in told])


def _queues(settings: Mapping[str, str], rtt_ns: int) -> dict[str, QueueTable]:
    """Candidates by label. A given buffer is the only one of the FIFO."""
    if (buffer := settings.get("buffer")) is not None:
        usable = [buffer]
    elif "wifi" in settings:
        usable = list(WIFI_BUFFERS)
    else:
        rate_bps = units.rate_bps(settings["rate"])
        long = [size for size in BUFFERS if units.buffer(size).as_bytes(rate_bps, rtt_ns) >= LEAST_BUFFER_BYTES]
        usable = long or ["2p"]
    fifos: dict[str, QueueTable] = {f"fifo {size}": {"kind": "fifo", "limit": size} for size in usable}
    return fifos | {kind: kind for kind in DISCIPLINES}


def _experiment(
    settings: Mapping[str, str],
    flows: int,
    algorithms: Sequence[str],
    queues: Mapping[str, QueueTable],
    seconds: Fraction,
    repeats: int,
    seed: int,
) -> Toml:
    if "wifi" in settings:
        wire = units.show_time(units.time_ns(settings["rtt"]) // 2).replace(" ", "")
        network: Toml = {"kind": "wifi", "standard": settings["wifi"], "wire": {"delay": wire}}
    else:
        network = {name: settings[name] for name in ("rate", "rtt", "loss") if name in settings}
    if "reverse_rate" in settings:
        network["reverse"] = {"rate": settings["reverse_rate"], "buffer": TXQUEUELEN}
    return {
        "title": "Which algorithm and queue suit this link?",
        "duration": f"{float(seconds):g}s",
        "repeats": repeats,
        "seed": seed,
        "network": network,
        "flows": [{"name": "flow", "algorithm": algorithms[0], "count": flows}],
        "metrics": {"warm_up": f"{float(seconds / 4):g}s", "interval": f"{float(seconds / 200):g}s"},
        "sweep": {
            "flows.*.algorithm": list(algorithms),
            "network.queue": {"labels": list(queues), "values": list(queues.values())},
        },
    }
