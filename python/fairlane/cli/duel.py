"""`fairlane duel`: flows that share one bottleneck."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlane.cli import completion
from fairlane.cli.backends import Place, place_of, place_option
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json, threads
from fairlane.cli.request_options import requested, settings
from fairlane.cli.types import OutputFile
from fairlane.files import write_text
from fairlane.show.plots.figure import SUFFIXES
from fairlane.show.text.terminal import can_print, echo, shows_colour, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairlane.engine.types import Scenario
    from fairlane.runs.baseline import Baselines
    from fairlane.scenario.scenario import Point


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
        "fairlane duel bbr cubic --link geo --loss 1% --baseline",
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
            "threads",
            "on",
        ],
        "Output": ["baseline", "plot", "as_json", "log", "watch"],
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
    "--baseline",
    is_flag=True,
    help="Run each flow next to flows of its own kind and alone, too: the harm that flows do to each other.",
)
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
@threads
@place_option
@containment_options
def command(
    repeats: int | None,
    baseline: bool,
    plot: Path | None,
    as_json: bool,
    log: Path | None,
    watch: str | None,
    on: str,
    **network: Any,
) -> None:
    """Simulate flows that share one bottleneck.

    Each ALGORITHM is one bulk flow, or several (cubic*5): a name that `fairlane algorithms` lists, or the path of a C
    file with a struct_ops congestion control or of a Python file with a class. Parameters follow a colon
    (name:parameter=value,...). A list of RTTs or starts has a value for each ALGORITHM, or for each flow.
    """
    from fairlane.runs.traced_run import trace_of_run
    from fairlane.scenario.cautions import IN_OPTIONS, algorithm_cautions, linux_limits
    from fairlane.show.duel.harm import harm_summary, harm_text
    from fairlane.show.duel.text import duel_text, summary
    from fairlane.show.text.callbacks import printed_lines, watched_text

    duel = requested(repeats=repeats, **network)
    place = place_of(on)
    if baseline and len(duel.scenario["flows"]) == 1:
        raise bad_value("--baseline", "compares flows that share a link; name at least two algorithms")
    for line in place.notes([duel.repeat(0)]):
        echo(line, err=True)
    if place.is_simulator:
        cautions = (*algorithm_cautions(duel.scenario, IN_OPTIONS), *linux_limits(duel.repeat(0)))
        for line in (*cautions, *_expected(duel.scenario, repeats or 1)):
            echo(line, err=True)
    if (log or watch) and not place.is_simulator:
        raise bad_value("--log" if log else "--watch", "looks into the simulator; leave --on out")
    if repeats is not None and repeats > 1:
        if log or watch:
            raise bad_value("--log" if log else "--watch", "is for one run; leave --repeats out")
        _repeat(duel, place, repeats, plot, as_json, baseline=baseline)
        return
    scenario = duel.repeat(0)
    with trace_of_run(printed=log is not None, watch=[] if watch is None else watch.split(",")) as traced:
        result, wall_s = place.run(scenario, traced.run)
        watched = traced.watched(len(scenario["flows"]))
        printed = list(printed_lines(traced.lines()))
    if warnings := result.get("warnings"):
        echo(f"warning: {warnings}", err=True)
    baselines = _baselines([scenario], place) if baseline else None
    if as_json:
        of_members = {"watched": watched} if watch else {}
        harm = {"harm": harm_summary(duel, [result], baselines)} if baselines else {}
        echo(json.dumps({**summary(duel, scenario, result, wall_s), **of_members, **harm}))
    else:
        look: dict[str, Any] = {"width": width(), "colour": shows_colour(), "blocks": can_print("█")}
        echo(duel_text(duel, result, wall_s, **look), coloured=True)
        if baselines:
            echo("\n" + harm_text(duel, [result], baselines))
        if watch and not plot:
            echo(f"\nwatched, changes: {watched_text(watched)}")
    if plot:
        _draw(plot, duel, result, watched if watch else ())
        if not as_json:
            echo(f"\nplot: {plot}")
    if log is not None:
        _write_log(log, printed)


def _draw(plot: Path, duel: "Point", result: Any, watched: Any) -> None:
    """Draws, once the results were printed: an error costs the plot alone."""
    from fairlane.show.duel.timeline import draw_duel

    draw_duel(plot, duel, result, watched)


def _expected(scenario: "Scenario", repeats: int) -> list[str]:
    """A line about the time of long runs. Raises a usage error if memory is too small for one."""
    from fairlane.engine.messages import show_duration
    from fairlane.runs.sweep.run_size import WORTH_IT_FROM_S, shortage, work

    size = work(scenario)
    if text := shortage(size.memory_bytes):
        raise bad_value("ALGORITHM", f"{text}; name fewer flows, or give a longer --interval")
    if size.seconds * repeats < WORTH_IT_FROM_S:
        return []
    packets = f"{f'{repeats} times ' if repeats > 1 else ''}{size.packets / 1e6:,.0f} million packets"
    return [f"about {show_duration(size.seconds * repeats)} on one processor: {packets}"]


def _write_log(log: Path, lines: list[str]) -> None:
    if log == Path("-"):
        echo("\n" + "\n".join(lines) if lines else "\nno algorithm printed anything (bpf_printk)")
        return
    write_text(log, "".join(f"{line}\n" for line in lines))
    echo(f"log: {log} ({len(lines)} lines)", err=True)


def _baselines(scenarios: "Sequence[Scenario]", place: Place) -> "Baselines":
    from fairlane.runs.baseline import baselines

    return baselines(scenarios, lambda wanted: [result for result, _ in place.run_all(wanted)])


def _repeat(duel: "Point", place: Place, repeats: int, plot: Path | None, as_json: bool, *, baseline: bool) -> None:
    """Runs every repeat and prints means; the plot is that of the first."""
    from fairlane.show.duel.harm import harm_summary, harm_text
    from fairlane.show.duel.text import repeats_text, summary

    scenarios = [duel.repeat(number) for number in range(repeats)]
    done = place.run_all(scenarios)
    results = [result for result, _ in done]
    baselines = _baselines(scenarios, place) if baseline else None
    if as_json:
        made = [summary(duel, scenario, *outcome) for scenario, outcome in zip(scenarios, done, strict=True)]
        echo(json.dumps({"runs": made, "harm": harm_summary(duel, results, baselines)} if baselines else made))
    else:
        echo(repeats_text(duel, results))
        if baselines:
            echo("\n" + harm_text(duel, results, baselines))
    if plot:
        _draw(plot, duel, done[0][0], ())
        if not as_json:
            echo(f"\nplot: {plot} (the run with seed {duel.experiment.seed})")
