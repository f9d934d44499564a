"""`fairlane duel`: the quick question."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from fairlane import units
from fairlane.algorithm import Algorithm, AlgorithmNameError, parse
from fairlane.cli.errors import bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.running import run_in_foreground
from fairlane.cli.types import OutputFile, Quantity, QuantityList, WholeNumber
from fairlane.dumbbell import Dumbbell, Flow
from fairlane.present.figure import SUFFIXES
from fairlane.queues import LIMIT_KEYS, OWN_LIMITS
from fairlane.wording import unknown

QUEUES = list(LIMIT_KEYS)


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane duel cubic bbr --rate 100mbit --rtt 20ms",
        "fairlane duel reno reno --start 0s,10s --time 60s --plot late.png",
        "fairlane duel cubic cubic --rtt 20ms,80ms --buffer 100p",
        "fairlane duel ./mine.bpf.c cubic:fast_convergence=0 --loss 0.1% --json",
    ],
    groups={
        "Network": ["rate", "rtt", "queue_size", "queue", "loss", "mtu"],
        "Flows": ["duration_ns", "start", "offload", "seed"],
        "Output": ["plot", "as_json"],
    },
)
@click.argument("algorithms", nargs=-1, required=True, metavar="ALGORITHM...")
@click.option(
    "--rate",
    default="100mbit",
    show_default=True,
    type=Quantity("RATE", units.rate_bps),
    help="Rate of the bottleneck: kbit, mbit, gbit.",
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
    default="1bdp",
    show_default=True,
    type=Quantity("SIZE", units.buffer),
    help="Limit of the queue: in BDPs (1bdp), bytes (250kB) or packets (100p). A BDP is rate times the largest RTT. "
    "Without it, all but fifo and red have the limits that tc gives them.",
)
@click.option(
    "--queue",
    default="fifo",
    show_default=True,
    metavar="KIND",
    help=f"Queue discipline, with tc's defaults: {', '.join(QUEUES)}.",
)
@click.option(
    "--time",
    "duration_ns",
    default="30s",
    show_default=True,
    type=Quantity("TIME", units.positive_time_ns),
    help="How long to simulate.",
)
@click.option(
    "--start",
    default="0s",
    show_default=True,
    type=QuantityList("TIME[,TIME...]", units.time_ns),
    help="When flows start: one time for all, or one for each.",
)
@click.option(
    "--loss",
    default="0%",
    show_default=True,
    type=Quantity("SHARE", units.probability),
    help="Share of data packets lost at random behind the queue.",
)
@click.option(
    "--mtu",
    default="1500",
    show_default=True,
    type=WholeNumber(256, 65535, 1500),
    help="Largest IP packet in bytes.",
)
@click.option(
    "--offload/--no-offload",
    default=False,
    show_default=True,
    help="Whether hosts merge arriving packets (GRO). They send bursts (TSO) either way.",
)
@click.option(
    "--seed",
    default="1",
    show_default=True,
    type=WholeNumber(0, 2**64 - 1, 1),
    help="Seed of everything random; the same seed gives the same result.",
)
@click.option(
    "--plot", type=OutputFile(SUFFIXES), help="Draw goodput, window, RTT and queue over time; .png, .svg or .pdf."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(
    context: click.Context,
    algorithms: tuple[str, ...],
    rate: int,
    rtt: list[int],
    queue_size: units.Buffer,
    queue: str,
    duration_ns: int,
    start: list[int],
    loss: float,
    mtu: int,
    offload: bool,
    seed: int,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Let flows share one bottleneck and see who gets what.

    Each ALGORITHM is one flow that sends as much as it can: a name that `fairlane algorithms` lists, or
    the path of a C file with a struct_ops congestion control or of a Python file with a class, either with
    parameters behind a colon (name:parameter=value,...).
    """
    chosen = _algorithms(algorithms)
    rtts = _per_flow("--rtt", rtt, len(chosen))
    starts = _per_flow("--start", start, len(chosen))
    if queue not in QUEUES:
        raise bad_value("--queue", unknown("queue", queue, QUEUES))
    for start_ns in starts:
        if start_ns >= duration_ns:
            shown, end = units.show_time(start_ns), units.show_time(duration_ns)
            raise bad_value("--start", f"{shown} is not before the end at {end}; start earlier or raise --time")
    network = Dumbbell(
        flows=tuple(Flow(*flow) for flow in zip(chosen, rtts, starts, strict=True)),
        rate_bps=rate,
        buffer=queue_size,
        duration_ns=duration_ns,
        loss=loss,
        mtu_bytes=mtu,
        seed=seed,
        offload=offload,
        discipline=queue,
        has_own_limit=queue in OWN_LIMITS and _is_default(context, "queue_size"),
    )
    if network.buffer_bytes < network.frame_bytes:
        raise bad_value(
            "--buffer",
            f"{network.buffer_bytes} bytes hold no packet of {network.frame_bytes}; write 1p or more, or raise --rtt",
        )
    result, wall_s = run_in_foreground(network.scenario())
    if plot:
        from fairlane.present.duel import draw_duel

        draw_duel(plot, network, result)
    if as_json:
        click.echo(json.dumps(_summary(network, result, wall_s)))
        return
    from fairlane.present.duel import duel_text

    width = min(100, shutil.get_terminal_size().columns)
    click.echo(duel_text(network, result, wall_s, width=width, colour=_colour(), blocks=_can_print("█")))
    if plot:
        click.echo(f"\nplot: {plot}")


def _is_default(context: click.Context, option: str) -> bool:
    return context.get_parameter_source(option) is click.core.ParameterSource.DEFAULT


def _algorithms(texts: tuple[str, ...]) -> list[Algorithm]:
    from fairlane.engine import algorithms

    bundled = algorithms()
    try:
        return [parse(text, bundled) for text in texts]
    except AlgorithmNameError as error:
        raise bad_value("ALGORITHM", str(error)) from None


def _per_flow(option: str, values: list[int], flows: int) -> list[int]:
    if len(values) == 1:
        return values * flows
    if len(values) != flows:
        raise bad_value(
            option,
            f"{len(values)} values for {flows} flow{'s' if flows > 1 else ''}; give one for all, or one for each",
        )
    return values


def _summary(network: Dumbbell, result: dict[str, Any], wall_s: float) -> dict[str, Any]:
    """What `--json` prints: the outcome, and everything that determined it."""
    from fairlane import __version__

    bottleneck = next(link for link in result["links"] if link["name"] == "bottleneck")
    flows = [
        {**measured, "start_s": flow.start_ns / 1e9, "base_rtt_ms": flow.rtt_ns / 1e6}
        for flow, measured in zip(network.flows, result["flows"], strict=True)
    ]
    return {
        "flows": flows,
        "link_utilisation": bottleneck["utilisation"],
        "jain_index": result["jain_index"],
        "wall_s": wall_s,
        "links": result["links"],
        "data_packets_delivered": result["data_packets_delivered"],
        "scenario": network.scenario(),
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
