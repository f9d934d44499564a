"""The objectives of advice for a link, and the experiment that answers: candidates, duration and repeats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fairlane.scenario import units
from fairlane.scenario.links import ALIASES, LINKS, QueueTable
from fairlane.scenario.request_settings import RequestError, in_units
from fairlane.scenario.requests import Request, Toml, point

if TYPE_CHECKING:  # the help of the command needs the objectives, and shall not wait for the others
    from fairlane.scenario.load import LoadedExperiment

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

    experiment: "LoadedExperiment"
    cpu_s: float
    settings: Mapping[str, str]
    """Of the link."""

    @property
    def text(self) -> str:
        """The experiment file."""
        from fairlane.show.report.experiments import toml_text

        return f"# advice.toml\n{toml_text(self.experiment.settings)}\n"

    @property
    def delay_metric(self) -> str:
        """The metric of delay. Packets of a cell wait in the queues of several stations, and for access."""
        return "packet_rtt_p95_ms" if "wifi" in self.settings else "p95_queue_delay_ms"


def ask(settings: Mapping[str, Any], flows: int, *, algorithms: Sequence[str] | None = None, seed: int = 1) -> Question:
    """The largest experiment that is affordable; `settings` are those of a request.

    Without `algorithms` the candidates are `ALGORITHMS`, and those that a typical link adds. Raises ExperimentError.
    """
    from fairlane.runs.sweep.run_size import work
    from fairlane.scenario.load import load

    given = in_units(settings)
    link = Request((), given).resolved()
    if "buffer" not in given:
        link.pop("buffer", None)  # of a typical link the buffer may be chosen
    for name, example in (("rate", "100mbit"), ("rtt", "20ms")):
        if name not in link and not (name == "rate" and "wifi" in link):
            text = f"is missing; write for example {{{name}}} {example}, or {{link}} with a typical link"
            raise RequestError((name, text))
    queue = {} if "wifi" in link else {"queue": "fifo" if "buffer" in link else DISCIPLINES[0]}
    point(Request(["reno"], {**link, **queue, "duration": "1s"}).experiment())  # its mistakes are those of the link
    name = given.get("link", "")
    typical = LINKS.get(ALIASES.get(name, name))
    algorithms = algorithms or [*ALGORITHMS, *(typical.algorithms if typical else ())]
    rtt_ns = units.positive_time_ns(link["rtt"])
    queues = {**_queues(link, rtt_ns), **(typical.queues if typical else {})}
    # Over Wi-Fi the wire's RTT says little about that of a packet, which waits for access.
    round_ns = max(rtt_ns, WIFI_RTT_NS) if "wifi" in link else rtt_ns
    asked = None
    for repeats in REPEATS:
        for length in LENGTHS:
            seconds = min(MOST_S, max(LEAST_S, Fraction(length * round_ns, 10**9)))
            form = _experiment({**link, "seed": seed, "repeats": repeats}, flows, algorithms, queues, seconds)
            if asked and form == asked.experiment.settings:
                continue
            experiment = load(form)
            one = sum(work(point.point.repeat(0)).seconds for point in experiment.points)
            asked = Question(experiment, one * repeats, link)
            if asked.cpu_s <= AFFORDABLE_S:
                return asked
    assert asked is not None
    return asked


def _queues(link: Mapping[str, Any], rtt_ns: int) -> dict[str, QueueTable]:
    """Candidates by label. A given buffer is the only one of the FIFO."""
    if "buffer" in link:
        usable = [link["buffer"]]
    elif "wifi" in link:
        usable = list(WIFI_BUFFERS)
    else:
        rate_bps = units.rate_bps(link["rate"])
        long = [size for size in BUFFERS if units.buffer(size).as_bytes(rate_bps, rtt_ns) >= LEAST_BUFFER_BYTES]
        usable = long or ["2p"]
    fifos: dict[str, QueueTable] = {f"fifo {size}": {"kind": "fifo", "limit": size} for size in usable}
    return fifos | {kind: kind for kind in DISCIPLINES}


def _experiment(
    link: Mapping[str, Any], flows: int, algorithms: Sequence[str], queues: Mapping[str, QueueTable], seconds: Fraction
) -> Toml:
    settings = {name: value for name, value in link.items() if name != "buffer"}
    if "wifi" not in link:
        settings["queue"] = next(iter(queues.values()))
    times = {"duration": f"{float(seconds):g}s", "interval": f"{float(seconds / 200):g}s"}
    form = Request(algorithms, {**settings, **times}).experiment(
        title="Which algorithm and queue suit this link?",
        metrics={"warm_up": f"{float(seconds / 4):g}s"},
        sweep={
            "flows.*.algorithm": list(algorithms),
            "network.queue": {"labels": list(queues), "values": list(queues.values())},
        },
    )
    flow = {"name": "flow", "algorithm": form["flows"][0]["algorithm"], "count": flows}  # the RTT is the network's
    return {**form, "flows": [flow]}
