"""`fairlane duel`: flows that share one bottleneck."""

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlane.cli import completion
from fairlane.cli.backends import Place, place_of, place_option
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import bad_value
from fairlane.cli.foreground import trace_of_run
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json
from fairlane.cli.request_options import requested, settings
from fairlane.cli.types import OutputFile
from fairlane.files import write_text
from fairlane.show.plots.figure import SUFFIXES
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fairlane.engine.types import Scenario
    from fairlane.scenario.scenario import Point
    from fairlane.show.text.callbacks import Changes


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
        "Network": ["link", "rate", "trace", "rtt", "buffer", "queue", "loss", "reverse_rate", "mtu", "wifi"],
        "Flows": [
            "transport",
            "duration",
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
@settings("link", "rate", "trace", "rtt", "buffer", "queue", "duration", "start", "transport", "loss", "reverse_rate")
@settings("mtu", "ecn")
@click.option(
    "--accecn",
    is_flag=True,
    help="Flows negotiate ECN with accurate feedback (AccECN, RFC 9768), as prague always does.",
)
@settings("wifi", "offload", "seed", "repeats", "start_jitter", "interval")
@click.option(
    "--plot", type=OutputFile(SUFFIXES), help="Plot goodput, window, RTT and queue over time; .png, .svg or .pdf."
)
@as_json()
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
    repeats: int | None, plot: Path | None, as_json: bool, log: Path | None, watch: str | None, on: str, **network: Any
) -> None:
    """Simulate flows that share one bottleneck.

    Each ALGORITHM is one bulk flow, or several (cubic*5): a name that `fairlane algorithms` lists, or the path of a C
    file with a struct_ops congestion control or of a Python file with a class. Parameters follow a colon
    (name:parameter=value,...). A list of RTTs or starts has a value for each ALGORITHM, or for each flow.
    """
    from fairlane.scenario.cautions import linux_limits

    experiment, duel = requested(repeats=repeats, **network)
    place = place_of(on)
    for line in place.notes([duel.repeat(0)]):
        echo(line, err=True)
    if place.is_simulator:
        for line in linux_limits(duel.repeat(0)):
            echo(line, err=True)
    if (log or watch) and not place.is_simulator:
        raise bad_value("--log" if log else "--watch", "looks into the simulator; leave --on out")
    if repeats is not None and repeats > 1:
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
    """The number of changes of each member, and how to get its values."""
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


def _summary(duel: "Point", scenario: "Scenario", result: dict[str, Any], wall_s: float) -> dict[str, Any]:
    """The output of `--json`: the result, and every input of the run."""
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
