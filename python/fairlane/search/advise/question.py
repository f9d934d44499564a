"""The objectives of advice for a link, and the experiment that answers: candidates, duration and repeats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.engine.messages import unknown
from fairlane.results.statistics import LEAST
from fairlane.scenario import units
from fairlane.scenario.links import ALIASES, LINKS, QueueTable
from fairlane.scenario.request_settings import RequestError, in_units
from fairlane.scenario.requests import Request, Toml, allow_flows, point

if TYPE_CHECKING:  # the help of the command needs the objectives, and shall not wait for the others
    from fairlane.scenario.load import LoadedExperiment

ENOUGH_GOODPUT = 0.9
"""Share of the highest goodput that a candidate for low latency must have."""
ENOUGH_UPLOAD = 0.8
"""Of the median of the uploads, to which ACKs of the downloads leave different amounts of a narrow uplink."""

OBJECTIVES = {
    "balance": "the highest goodput per delay (Kleinrock's power)",
    "latency": f"the lowest delay with at least {100 * ENOUGH_GOODPUT:g} % of the highest goodput",
    "throughput": "the highest goodput",
    "fairness": "the highest Jain's index of the flows' goodputs",
}


ALGORITHMS = ("cubic", "bbr", "bbr3")
"""Linux's default, the other one that is widely deployed, and its successor."""
BUFFERS = ("0.5bdp", "1bdp", "4bdp")
WIFI_BUFFERS = ("100p", "300p", "1000p")
"""A cell has no BDP. An A-MPDU has up to 64 packets; 1000 is Linux's txqueuelen."""
DISCIPLINES = ("codel", "fq_codel", "fq", "pie", "cake")
"""With tc's defaults."""
DISPENSABLE = ("fifo 0.5bdp", "fifo 4bdp", "codel", "fq", "pie", "bbr3")
"""Candidates that are left out, unless they were named, where simulating all would take too long: queues first."""
REPEATS = (7, 5)
LEAST_BUFFER_BYTES = 3028
"""Two frames."""
AFFORDABLE_S, TOLERABLE_S = 8.0, 9.0
"""Expected CPU time on the development machine, half of what an answer may take on a slower one; and the time up to
which all candidates stay."""
LENGTHS = (400, 200, 100, 50)
"""Duration of a run in round-trip times; the first quarter is warm-up."""
WIFI_RTT_NS = 10_000_000
MOST_S, LEAST_S, VARYING_S = Fraction(30), Fraction(1, 5), Fraction(60)
"""The last one on links that vary: four steps of Starlink's rate."""


@dataclass(frozen=True)
class Probe:
    """A sparse flow next to the load, whose delay users notice."""

    workload: Mapping[str, object] | str
    metric: str
    label: str
    least_s: Fraction
    """Duration in which it measures enough."""
    fast: "Probe | None" = None
    """The same at shorter intervals or for a shorter time, for links on which `least_s` is not affordable."""


NOTHING = "nothing"
_PING = "request_p95_ms", "p95 ping"
_PAGE = "page_load_median_ms", "median page load"
_CALL = "call_delay_p95_ms", "p95 delay of a call"
PROBES = {
    "ping": Probe(
        *({"kind": "ping", "interval": "20ms"}, *_PING, Fraction(2)),
        fast=Probe({"kind": "ping", "interval": "5ms"}, *_PING, Fraction(1, 2)),
    ),
    "page": Probe("web", *_PAGE, Fraction(16), fast=Probe({"kind": "web", "think": "500ms"}, *_PAGE, Fraction(3))),
    "call": Probe("call", *_CALL, Fraction(10), fast=Probe("call", *_CALL, Fraction(3))),
}
"""By name; without one, the delay is that of the bottleneck's queue, which the load inflicts on itself."""
CALL_BPS = 1_500_000
CALL_SHARE = 8
"""A call has one bitrate, an eighth of the line at most, so that its delay is the line's and not of its own making."""
REPEATS_OF_PROBES = (7, 5, 3)


def beside_by_default(want: str) -> str:
    """The flow beside the load: who asks for low latency means that of others than bulk flows."""
    return "ping" if want == "latency" else NOTHING


@dataclass(frozen=True)
class Question:
    """An experiment file, and what it was reduced to."""

    experiment: "LoadedExperiment"
    cpu_s: float
    settings: Mapping[str, str]
    """Of the link."""
    beside: str = NOTHING
    """The name of the probe, or `NOTHING`."""
    queues: Mapping[str, QueueTable] = field(default_factory=dict)
    """The candidates by label."""
    left_out: tuple[str, ...] = ()
    """The usual candidates that would take too long."""

    @property
    def bulk(self) -> tuple[str, ...]:
        """Names of the groups of bulk flows."""
        return ("download", "upload") if "up_rate" in self.settings else ("flow",)

    @property
    def text(self) -> str:
        """The experiment file."""
        from fairlane.show.report.experiments import toml_text

        return f"# advice.toml\n{toml_text(self.experiment.settings)}\n"

    @property
    def longest_ms(self) -> float:
        """The delay of a probe without any answer: the duration."""
        return self.experiment.points[0].point.experiment.duration / 1e6

    @property
    def delay_metric(self) -> str:
        """The metric of delay. Packets of a cell wait in the queues of several stations, and for access."""
        if self.beside != NOTHING:
            return PROBES[self.beside].metric
        return "packet_rtt_p95_ms" if "wifi" in self.settings else "p95_queue_delay_ms"


def ask(
    settings: Mapping[str, Any],
    flows: int,
    *,
    algorithms: Sequence[str] | None = None,
    queues: Sequence[str] | None = None,
    beside: str = NOTHING,
    up_rate: str | None = None,
    seed: int = 1,
) -> Question:
    """The largest experiment that is affordable; `settings` are those of a request.

    Without `algorithms` the candidates are `ALGORITHMS`, and those that a typical link adds; `queues` are kinds of
    queue disciplines, without which all of `DISCIPLINES` and FIFOs are candidates. `beside` is one of `PROBES`.
    `up_rate` is the rate of an uplink, which gets the same queue and as many bulk flows. Raises ExperimentError.
    """
    from fairlane.runs.sweep.run_size import work
    from fairlane.scenario.load import load

    given = in_units(settings)
    link = Request((), given).resolved()
    if up_rate is not None:
        if "wifi" in link:
            raise RequestError(
                ("up_rate", "has no effect with a Wi-Fi link, whose stations share one channel; leave it out")
            )
        link = {name: value for name, value in link.items() if name != "reverse_rate"}
    if "buffer" not in given:
        link.pop("buffer", None)  # of a typical link the buffer may be chosen
    for name, example in (("rate", "100mbit"), ("rtt", "20ms")):
        if name not in link and not (name == "rate" and link.keys() & {"wifi", "trace"}):
            text = f"is missing; write for example {{{name}}} {example}, or {{link}} with a typical link"
            raise RequestError((name, text))
    queue = {} if "wifi" in link else {"queue": "fifo" if "buffer" in link else DISCIPLINES[0]}
    if up_rate is not None:
        point(Request(["reno"], {**link, **queue, "reverse_rate": up_rate, "duration": "1s"}).experiment())
    point(Request(["reno"], {**link, **queue, "duration": "1s"}).experiment())  # its mistakes are those of the link
    name = given.get("link", "")
    typical = LINKS.get(ALIASES.get(name, name))
    allow_flows(algorithms or ())
    every = list(algorithms or [*ALGORITHMS, *(typical.algorithms if typical else ())])
    rtt_ns = units.positive_time_ns(link["rtt"])
    tables = {**_queues(link, rtt_ns, queues), **(typical.queues if typical and queues is None else {})}
    # Over Wi-Fi the wire's RTT says little about that of a packet, which waits for access.
    round_ns = max(rtt_ns, WIFI_RTT_NS) if "wifi" in link else rtt_ns
    asked = None
    usual = PROBES.get(beside)
    tried = [(usual, repeats) for repeats in (REPEATS_OF_PROBES if usual else REPEATS)]
    if usual and usual.fast:
        tried.append((usual.fast, tried[-1][1]))
    few = [one for one in every if algorithms or one not in DISPENSABLE]
    few_tables = {name: one for name, one in tables.items() if queues or name not in DISPENSABLE}
    forms = [(every, tables, *one) for one in tried]
    forms += [(every, few_tables, *tried[-1]), (few, few_tables, *tried[-1]), (few, few_tables, tried[-1][0], LEAST)]
    for names, candidates, probe, repeats in forms:
        if asked and candidates is few_tables and asked.cpu_s <= TOLERABLE_S:
            break
        least_s = max(VARYING_S if "trace" in link else LEAST_S, probe.least_s if probe else LEAST_S)
        for length in LENGTHS:
            seconds = max(least_s, min(MOST_S, Fraction(length * round_ns, 10**9)))
            form = _experiment({**link, "seed": seed, "repeats": repeats}, flows, names, candidates, seconds)
            form = _with_others(form, link, flows, beside, probe, up_rate)
            if asked and form == asked.experiment.settings:
                continue
            experiment = load(form)
            one = sum(work(point.point.repeat(0)).seconds for point in experiment.points)
            named = link if up_rate is None else {**link, "up_rate": up_rate}
            left_out = tuple(name for name in (*every, *tables) if name not in (*names, *candidates))
            asked = Question(experiment, one * repeats, named, beside, candidates, left_out)
            if asked.cpu_s <= AFFORDABLE_S:
                return asked
    assert asked is not None
    return asked


def _with_others(
    form: Toml, link: Mapping[str, Any], flows: int, beside: str, probe: Probe | None, up_rate: str | None
) -> Toml:
    """The experiment with an uplink that is as loaded, and with the probe."""
    (bulk,) = form["flows"]
    every = [bulk]
    if up_rate is not None:
        network = {**form["network"], "reverse": {"rate": up_rate}}
        sweep = {("network.*.queue" if key == "network.queue" else key): one for key, one in form["sweep"].items()}
        every = [{**bulk, "name": "download"}, {**bulk, "name": "upload", "direction": "reverse"}]
        form = {**form, "network": network, "sweep": sweep}
    if probe:
        workload = probe.workload
        if beside == "call":
            rates = [units.rate_bps(up_rate)] if up_rate else []
            rate_bps = min([CALL_BPS * CALL_SHARE, *rates, *([] if "wifi" in link else [_rate_bps(link)])])
            workload = {"kind": "call", "ladder": [f"{max(rate_bps // CALL_SHARE // 1000, 1)}kbit"]}
        added: Toml = {"name": beside, "algorithm": bulk["algorithm"], "workload": workload}
        both = beside == "call" and up_rate is not None  # your picture, and the other's
        every += [{**added, "direction": "reverse"}, {**added, "name": f"{beside}-down"}] if both else [added]
    return {**form, "flows": every}


def _queues(link: Mapping[str, Any], rtt_ns: int, kinds: Sequence[str] | None) -> dict[str, QueueTable]:
    """Candidates by label, of these kinds. A given buffer is the only one of the FIFO."""
    if kinds is not None:
        for kind in kinds:
            if kind not in ("fifo", *DISCIPLINES):
                raise RequestError(("queues", unknown("queue", kind, ("fifo", *DISCIPLINES))))
    if "buffer" in link:
        usable = [link["buffer"]]
    elif "wifi" in link:
        usable = list(WIFI_BUFFERS)
    else:
        rate_bps = _rate_bps(link)
        long = [size for size in BUFFERS if units.buffer(size).as_bytes(rate_bps, rtt_ns) >= LEAST_BUFFER_BYTES]
        usable = long or ["2p"]
    fifos: dict[str, QueueTable] = {f"fifo {size}": {"kind": "fifo", "limit": size} for size in usable}
    wanted = ("fifo", *DISCIPLINES) if kinds is None else kinds
    return (fifos if "fifo" in wanted else {}) | {kind: kind for kind in DISCIPLINES if kind in wanted}


def _rate_bps(link: Mapping[str, Any]) -> int:
    """The rate, or the mean of the trace."""
    if "trace" not in link:
        return units.rate_bps(link["rate"])
    from fairlane.scenario.topology import traces

    return traces.read(Path(link["trace"])).mean_bps


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
