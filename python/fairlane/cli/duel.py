"""`fairlane duel`: flows that share one bottleneck."""

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fairlane.algorithm.name import Algorithm, AlgorithmNameError, parse
from fairlane.cli import completion
from fairlane.cli.backends import Place, place_of, place_option
from fairlane.cli.bottleneck import QUEUES, link_option, queue_option
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import BadFile, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.tracing import trace_of_run
from fairlane.cli.types import OutputFile, Quantity, QuantityList, WholeNumber
from fairlane.engine.declarations import constant
from fairlane.engine.messages import unknown
from fairlane.files import write_text
from fairlane.scenario import units
from fairlane.scenario.links import LINKS
from fairlane.scenario.requests import TXQUEUELEN
from fairlane.scenario.shorthand import multiple, queue_table
from fairlane.show.plots.figure import SUFFIXES
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fairlane.engine.types import Scenario
    from fairlane.scenario.scenario import Point
    from fairlane.show.text.callbacks import Changes

WIRE_RTT_NS = 200_000
"""A switch and a server next to the access point."""
Value = TypeVar("Value")
TRANSPORTS = ["tcp", "quic"]


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane duel cubic bbr --rate 100mbit --rtt 20ms",
        "fairlane duel reno reno --start 0s,10s --time 60s --plot late.png",
        "fairlane duel cubic cubic --rtt 20ms,80ms --buffer 100p",
        "fairlane duel 'cubic*5' bbr --queue codel:ecn=true,target=8ms --ecn --repeats 5",
        "fairlane duel cubic bbr --wifi ac",
        "fairlane duel cubic cubic --transport quic,tcp",
        "fairlane duel ./mine.bpf.c cubic:fast_convergence=0 --loss 0.1% --json",
        "fairlane duel cubic bbr --rate 20mbit --on vm",
    ],
    groups={
        "Network": ["link", "rate", "trace", "rtt", "queue_size", "queue", "loss", "reverse_rate", "mtu", "wifi"],
        "Flows": [
            "transport",
            "duration_ns",
            "start",
            "ecn",
            "accecn",
            "offload",
            "interval",
            "seed",
            "repeats",
            "start_jitter",
            "on",
        ],
        "Output": ["plot", "as_json", "log", "watch"],
    },
)
@click.argument("algorithms", nargs=-1, required=True, metavar="ALGORITHM...", shell_complete=completion.algorithms)
@link_option
@click.option(
    "--rate",
    default="100mbit",
    show_default=True,
    type=Quantity("RATE", units.rate_bps),
    help="Rate of the bottleneck: kbit, mbit, gbit.",
)
@click.option(
    "--trace",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A packet-delivery trace (mahimahi) instead of a rate; cellular: one by a published model.",
)
@click.option(
    "--rtt",
    default="20ms",
    show_default=True,
    type=QuantityList("TIME[,TIME...]", units.positive_time_ns),
    help="Round-trip time without queues, for all flows or one for each.",
)
@click.option(
    "--buffer",
    "queue_size",
    type=Quantity("SIZE", units.buffer),
    help="Buffer size: in BDPs (1bdp), bytes (250kB) or packets (100p). The BDP is rate times the longest RTT. "
    "If omitted, fifo and red have 1bdp, and all other queues use tc's default limits.",
)
@queue_option
@click.option(
    "--time",
    "duration_ns",
    default="30s",
    show_default=True,
    type=Quantity("TIME", units.positive_time_ns),
    help="Duration of the run.",
)
@click.option(
    "--start",
    default="0s",
    show_default=True,
    type=QuantityList("TIME[,TIME...]", units.time_ns),
    help="Start time of the flows: one for all, or one for each.",
)
@click.option(
    "--transport",
    default="tcp",
    show_default=True,
    metavar="PROTOCOL[,PROTOCOL...]",
    help="Transport protocol of the flows, tcp or quic: one for all, or one for each.",
)
@click.option(
    "--loss",
    default="0%",
    show_default=True,
    type=Quantity("SHARE", units.probability),
    help="Share of data packets lost at random after the queue.",
)
@click.option(
    "--reverse-rate",
    type=Quantity("RATE", units.rate_bps),
    help=f"Rate of the link of the ACKs, with a queue of {TXQUEUELEN}.  [default: infinitely fast]",
)
@click.option(
    "--mtu",
    default="1500",
    show_default=True,
    type=WholeNumber(256, 65535, 1500),
    help="Largest IP packet in bytes.",
)
@click.option("--ecn/--no-ecn", default=False, show_default=True, help="Whether flows negotiate ECN.")
@click.option(
    "--accecn",
    is_flag=True,
    help="Flows negotiate ECN with accurate feedback (AccECN, RFC 9768), as prague always does.",
)
@click.option(
    "--wifi",
    type=click.Choice(["n", "ac", "ax"]),
    help="A Wi-Fi cell instead of a link: each flow is an upload of a station 3 m from the access point (n: 40 MHz, "
    "MCS 15; ac: 80 MHz, MCS 9; ax: 80 MHz, MCS 11; two streams), with queues of 1000 packets. --rtt is that of the "
    "wire, 0.2ms if omitted.",
)
@click.option(
    "--offload/--no-offload",
    default=False,
    show_default=True,
    help="Whether hosts merge arriving packets (GRO). They always send bursts (TSO).",
)
@click.option(
    "--seed",
    default="1",
    show_default=True,
    type=WholeNumber(0, 2**63 - 1, 1),
    help="Seed of all random streams; the same seed gives the same result.",
)
@click.option(
    "--repeats",
    default="1",
    show_default=True,
    type=WholeNumber(1, 1000, 5),
    help="Number of runs with different seeds, starts and delays; the table has means and 95 % intervals.",
)
@click.option(
    "--start-jitter",
    type=Quantity("TIME", units.time_ns),
    help="How much later a flow may start, drawn for each.  [default: 100ms or 1 % of --time with --repeats, else 0s]",
)
@click.option(
    "--interval",
    default="100ms",
    show_default=True,
    type=Quantity("TIME", units.positive_time_ns),
    help="Time between two samples of the time series.",
)
@click.option(
    "--plot", type=OutputFile(SUFFIXES), help="Plot goodput, window, RTT and queue over time; .png, .svg or .pdf."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--log",
    type=OutputFile(allow_dash=True),
    help="Write what C algorithms print (bpf_printk), with time, flow and callback; - is the terminal.",
)
@click.option(
    "--watch",
    metavar="MEMBER[,MEMBER...]",
    help="Record every change of these members of tcp_sock (snd_cwnd) or of the algorithm's own memory "
    "(state.min_rtt_us), for --plot and --json.",
)
@place_option
@containment_options
def command(
    repeats: int, plot: Path | None, as_json: bool, log: Path | None, watch: str | None, on: str, **network: Any
) -> None:
    """Simulate flows that share one bottleneck.

    Each ALGORITHM is one bulk flow, or several (cubic*5): a name that `fairlane algorithms` lists, or the path of a C
    file with a struct_ops congestion control or of a Python file with a class. Parameters follow a colon
    (name:parameter=value,...). A list of RTTs or starts has a value for each ALGORITHM, or for each flow.
    """
    from fairlane.scenario.host_memory import linux_limits

    experiment, duel = asked(repeats=repeats, **network)
    place = place_of(on)
    for line in place.notes([duel.repeat(0)]):
        echo(line, err=True)
    if place.is_simulator:
        for line in linux_limits(duel.repeat(0)):
            echo(line, err=True)
    if (log or watch) and not place.is_simulator:
        raise bad_value("--log" if log else "--watch", "looks into the simulator; leave --on out")
    if repeats > 1:
        if log or watch:
            raise bad_value("--log" if log else "--watch", "is for one run; leave --repeats out")
        _repeat(experiment, duel, place, repeats, plot, as_json)
        return
    scenario = duel.repeat(0)
    with trace_of_run(printed=log is not None, watch=[] if watch is None else watch.split(",")) as traced:
        result, wall_s = place.run(scenario, traced.run)
        watched = traced.watched(len(scenario["flows"]))
        printed = traced.printed()
    if plot:
        from fairlane.show.duel import draw_duel

        draw_duel(plot, duel, result, watched if watch else ())
    if as_json:
        of_members = {"watched": watched} if watch else {}
        echo(json.dumps({**_summary(duel, scenario, result, wall_s), **of_members}))
    else:
        from fairlane.show.duel import duel_text

        width = min(100, shutil.get_terminal_size().columns)
        echo(duel_text(duel, result, wall_s, width=width, colour=_colour(), blocks=_can_print("█")), coloured=True)
        if watch and not plot:
            echo("\nwatched, changes: " + _counts(watched))
        if plot:
            echo(f"\nplot: {plot}")
    if log is not None:
        _write_log(log, printed)


def _counts(watched: "Sequence[Mapping[str, Changes]]") -> str:
    """How often each member changed, and where its values go."""
    counts = [
        f"{name} of flow {number} {len(changes)}"
        for number, flow in enumerate(watched, start=1)
        for name, changes in flow.items()
    ]
    return ", ".join(counts) + "; --plot FILE draws them, --json prints them"


def _write_log(log: Path, lines: list[str]) -> None:
    if log == Path("-"):
        echo("\n" + "\n".join(lines) if lines else "\nno algorithm printed anything (bpf_printk)")
        return
    write_text(log, "".join(f"{line}\n" for line in lines))
    echo(f"log: {log} ({len(lines)} lines)", err=True)


def asked(
    algorithms: tuple[str, ...],
    link: str | None,
    rate: int,
    rtt: list[int],
    queue_size: units.Buffer | None,
    trace: Path | None,
    queue: str,
    duration_ns: int,
    start: list[int],
    transport: str,
    loss: float,
    reverse_rate: int | None,
    mtu: int,
    ecn: bool,
    accecn: bool,
    wifi: str | None,
    offload: bool,
    seed: int,
    repeats: int = 1,
    start_jitter: int | None = None,
    interval: int | None = None,
) -> "tuple[dict[str, Any], Point]":
    """The experiment that the options mean, and its one point. Raises what is to be said about them."""
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.scenario.requests import dumbbell, point
    from fairlane.scenario.requests import wifi as wifi_cell

    cell = LINKS[link].settings.get("wifi") if link in LINKS else None
    if cell is not None and wifi is not None:
        raise bad_value("--wifi", f"--link {link} says it already; leave one of them out")
    if cell is not None:
        wifi = cell
    elif link is not None:
        settings = typical(link)
        rate, rtt = settings.get("rate", rate), settings.get("rtt", rtt)
        queue_size, loss = settings.get("buffer", queue_size), settings.get("loss", loss)
        reverse_rate = settings.get("reverse_rate", reverse_rate)
    chosen, counts = _algorithms(algorithms)
    if wifi is not None:
        rtt = _rtt_of_wire(rtt)
    rtts = _per_flow("--rtt", rtt, counts)
    starts = _per_flow("--start", start, counts)
    transports = _per_flow("--transport", _transports(transport), counts)
    if accecn and "tcp" not in transports:
        raise bad_value("--accecn", "no flow uses TCP; write --ecn, because QUIC always reports the number of marks")
    discipline = _queue(queue)
    given = click.get_current_context().get_parameter_source("rate")
    if trace is not None and given is click.core.ParameterSource.COMMANDLINE:
        raise bad_value("--trace", "a trace replaces a rate; leave --rate out")
    for start_ns in starts:
        if start_ns >= duration_ns:
            shown, end = units.show_time(start_ns), units.show_time(duration_ns)
            raise bad_value("--start", f"{shown} is not before the end at {end}; start earlier or raise --time")
    flows = [
        {
            "algorithm": algorithm.source,
            "parameters": dict(algorithm.parameters),
            "rtt": f"{rtt_ns}ns",
            "start": f"{start_ns}ns",
            "transport": protocol,
        }
        for algorithm, rtt_ns, start_ns, protocol in zip(chosen, rtts, starts, transports, strict=True)
    ]
    if wifi is None and trace is None and queue_size is not None and queue_size.unit != "packets":
        limit_bytes, frame_bytes = queue_size.as_bytes(rate, max(rtts)), mtu + constant("ETHERNET_OVERHEAD_BYTES")
        if limit_bytes < frame_bytes:
            raise bad_value(
                "--buffer",
                f"{limit_bytes} bytes are smaller than one {frame_bytes}-byte frame; write 1p or more, or raise --rtt",
            )
    buffer, duration = None if queue_size is None else str(queue_size), f"{duration_ns}ns"
    common: dict[str, Any] = {"mtu": mtu, "seed": seed, "repeats": repeats, "offload": offload}
    common["ecn"] = "accecn" if accecn else ecn
    if start_jitter is not None:
        common["start_jitter"] = f"{start_jitter}ns"
    if interval is not None:
        common["metrics"] = {"interval": f"{interval}ns"}
    if wifi is not None:
        experiment = wifi_cell(flows, standard=wifi, buffer=buffer, duration=duration, **common)
    else:
        experiment = dumbbell(
            flows,
            rate=None if trace is not None else f"{rate}bit",
            trace=None if trace is None else str(trace),
            queue=discipline,
            buffer=buffer,
            duration=duration,
            loss={"kind": "independent", "probability": f"{loss * 100:.15g}%"} if loss else None,
            reverse_rate=None if reverse_rate is None else f"{reverse_rate}bit",
            **common,
        )
    try:
        return experiment, point(experiment)
    except ExperimentError as error:
        raise BadFile("\n".join(line.removeprefix("experiment: ") for line in error.lines)) from None


def _rtt_of_wire(rtts: list[int]) -> list[int]:
    """Behind an access point. What describes a link is refused."""
    context = click.get_current_context()

    def is_given(name: str) -> bool:
        return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE

    for name in ("link", "rate", "trace", "queue", "loss", "reverse_rate"):
        is_cell = name == "link" and context.params["wifi"] is None  # the link is the cell
        if is_given(name) and not is_cell:
            raise bad_value(
                f"--{name.replace('_', '-')}", "has no effect with --wifi; leave it out, or write an experiment file"
            )
    return rtts if is_given("rtt") else [WIRE_RTT_NS]


def typical(link: str) -> dict[str, Any]:
    """The values of a typical link that no option replaces, as the options have them."""
    if link not in LINKS:
        raise bad_value("--link", unknown("link", link, LINKS))
    context = click.get_current_context()
    options = {"queue_size" if name == "buffer" else name: name for name in LINKS[link].settings}
    given = click.core.ParameterSource.COMMANDLINE
    parsed = {}
    for option, name in options.items():
        replaced = [option, *(["trace"] if name == "rate" else []), *(["queue"] if name == "buffer" else [])]
        if all(context.get_parameter_source(one) is not given for one in replaced):
            parameter = next(one for one in context.command.params if one.name == option)
            parsed[name] = parameter.type_cast_value(context, LINKS[link].settings[name])
    return parsed


def _repeat(
    experiment: dict[str, Any], duel: "Point", place: Place, repeats: int, plot: Path | None, as_json: bool
) -> None:
    """Runs every repeat and prints means; the plot is that of the first."""
    from concurrent.futures import ThreadPoolExecutor

    from fairlane.runs.executors.processes import usable_cpus

    scenarios = [duel.repeat(number) for number in range(repeats)]
    with ThreadPoolExecutor(min(repeats, usable_cpus())) as pool:
        done = list(pool.map(place.run, scenarios))
    if plot:
        from fairlane.show.duel import draw_duel

        draw_duel(plot, duel, done[0][0])
    if as_json:
        pairs = zip(scenarios, done, strict=True)
        echo(json.dumps([_summary(duel, scenario, *outcome) for scenario, outcome in pairs]))
        return
    from fairlane.show.duel import repeats_text

    echo(repeats_text(duel, [result for result, _ in done]))
    if plot:
        echo(f"\nplot: {plot} (the run with seed {duel.experiment.seed})")


def _algorithms(texts: tuple[str, ...]) -> tuple[list[Algorithm], list[int]]:
    """The algorithm of each flow, and how many flows each argument stands for."""
    from fairlane.engine import algorithms

    bundled = algorithms()
    try:
        counted = [multiple(text) for text in texts]
        parsed = [(parse(text, bundled), count) for text, count in counted]
    except (AlgorithmNameError, units.QuantityError) as error:
        raise bad_value("ALGORITHM", str(error)) from None
    return [algorithm for algorithm, count in parsed for _ in range(count)], [count for _, count in parsed]


def _transports(text: str) -> list[str]:
    protocols = [protocol.strip() for protocol in text.split(",")]
    for protocol in protocols:
        if protocol not in TRANSPORTS:
            raise bad_value("--transport", unknown("transport protocol", protocol, TRANSPORTS))
    return protocols


def _queue(text: str) -> str | dict[str, Any]:
    try:
        table = queue_table(text)
    except units.QuantityError as error:
        raise bad_value("--queue", str(error)) from None
    kind = table if isinstance(table, str) else table["kind"]
    if kind not in QUEUES:
        raise bad_value("--queue", unknown("queue", kind, QUEUES))
    return table


def _per_flow(option: str, values: list[Value], counts: list[int]) -> list[Value]:
    flows = sum(counts)
    if len(values) == 1:
        return values * flows
    if len(values) == len(counts):
        return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]
    if len(values) != flows:
        raise bad_value(
            option,
            f"{len(values)} values for {flows} flow{'s' if flows > 1 else ''}; give one for all, or one for each",
        )
    return values


def _summary(duel: "Point", scenario: "Scenario", result: dict[str, Any], wall_s: float) -> dict[str, Any]:
    """What `--json` prints: the result, and every input of the run."""
    from fairlane import __version__
    from fairlane.results.metrics.common_time import common_time_s
    from fairlane.results.metrics.definitions.fairness import jain_index, share_pct
    from fairlane.results.metrics.subject import Run

    run = Run.of(result)
    bottleneck = next((link for link in result["links"] if link["name"] == "bottleneck"), None)
    flows = [
        {
            **measured.figures,
            "start_s": flow.start / 1e9,
            "base_rtt_ms": (flow.rtt or 0) / 1e6,
            "share_pct": share_pct(measured),
        }
        for flow, measured in zip(duel.experiment.flows, run.flows, strict=True)
    ]
    return {
        "flows": flows,
        **({"link_utilisation": bottleneck["utilisation"]} if bottleneck else {}),
        "jain_index": jain_index(run.flows),
        "common_time_s": common_time_s(run.flows),
        "wall_s": wall_s,
        "links": result["links"],
        "data_packets_delivered": result["data_packets_delivered"],
        "scenario": scenario,
        "version": __version__,
    }


def _colour() -> bool:
    import os

    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _can_print(character: str) -> bool:
    try:
        character.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
