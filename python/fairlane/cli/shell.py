"""`fairlane shell`: any program behind a link."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from fairlane.cli.help import ExampleCommand
from fairlane.cli.request_options import bad_request, flag, setting, settings
from fairlane.cli.types import OutputFile, Quantity, QuantityText, WholeNumber
from fairlane.files import write_text
from fairlane.scenario import units
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.show.text.terminal import echo


@click.command(
    cls=ExampleCommand,
    context_settings={"ignore_unknown_options": True},
    examples=[
        "fairlane shell --rate 20mbit --rtt 60ms --queue fq_codel --far 'iperf3 -s' -- iperf3 -c far",
        "fairlane shell --link lte --far 'python3 -m http.server 80' -- curl -o /dev/null http://far/FILE",
        "fairlane shell --trace down.trace --up-trace up.trace --rtt 40ms --buffer 100p --log link.csv -- ./client far",
        "fairlane shell --wifi ac --far 'iperf3 -s'",
    ],
    groups={
        "Network": [
            *("link", "rate", "trace", "reverse_rate", "up_trace", "rtt", "buffer", "queue", "loss", "mtu", "wifi"),
        ],
        "Programs": ["far", "seed"],
        "Output": ["live", "interval_ns", "log", "as_json", "checks"],
    },
)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[COMMAND...]")
@settings("link")
@setting("rate", "Rate of the link, in both directions: kbit, mbit, gbit.")
@setting("trace", "A packet-delivery trace (mahimahi) of the downlink instead of a rate.")
@setting(
    "rtt",
    "Round-trip time without queues, half of it in each direction.",
    type=QuantityText("TIME", units.positive_time_ns),
)
@settings("buffer", "queue")
@setting("loss", "Share of packets lost at random after the queue.")
@setting(
    "reverse_rate",
    "Rate of the uplink, from COMMAND to the far host.",
    option="--up-rate",
    default="that of --rate",
)
@click.option(
    "--up-trace",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A packet-delivery trace of the uplink instead of a rate.",
)
@setting("mtu", type=WholeNumber(576, 65535, 1500))
@setting("wifi", "A Wi-Fi cell instead of a link; see fairlane duel.")
@click.option(
    "--far",
    multiple=True,
    metavar="COMMAND",
    help="A program on the far host, by the shell; the name of that host is far. May be given several times.",
)
@setting("seed", "Seed of random losses and of hashes.")
@click.option(
    "--live/--no-live", default=None, help="A line of rate, queue and drops.  [default: on a terminal, with a COMMAND]"
)
@click.option(
    "--interval",
    "interval_ns",
    default="100ms",
    show_default=True,
    type=Quantity("TIME", units.positive_time_ns),
    help="Time between two samples.",
)
@click.option("--log", type=OutputFile(allow_dash=False), help="Write all samples of all links, as CSV.")
@click.option("--json", "as_json", type=OutputFile(allow_dash=False), help="Write what was measured, as JSON.")
@click.option(
    "--check/--no-check",
    "checks",
    default=True,
    show_default=True,
    help="First see whether this machine keeps up with the rate.",
)
def command(
    program: tuple[str, ...],
    far: tuple[str, ...],
    live: bool | None,
    interval_ns: int,
    log: Path | None,
    as_json: Path | None,
    checks: bool,
    up_trace: Path | None,
    **network: Any,
) -> int:
    """Run a program behind a simulated link, in real time.

    COMMAND, or your shell if there is none, runs on a host of its own, whose only way out is the link. Everything that
    it sends crosses the uplink to a host that it knows as `far`, where the programs of `--far` answer through the
    downlink. Queues, losses, traces and Wi-Fi are those of the simulator; TCP is this kernel's. Needs no root where
    users may create namespaces and open /dev/net/tun. Nothing else on this machine sees the two hosts, and they
    disappear with the command.
    """
    from fairlane.runs.emulation import shell
    from fairlane.show.text.link_samples import Samples, report_lines

    try:
        scenario = shell.network_of(network, up_trace, interval_ns)
    except ExperimentError as error:
        raise bad_request(error, lambda name: "--up-rate" if name == "reverse_rate" else flag(name)) from None
    shows = live if live is not None else bool(program) and sys.stderr.isatty()
    chosen = list(program) or [os.environ.get("SHELL", "/bin/sh")]
    with open(os.devnull if log is None else log, "w", encoding="ascii", opener=_opener) as file:
        samples = Samples(file, shows=shows)
        status, report = shell.run(scenario, chosen, far, samples.add, checks=checks)
    if as_json is not None:
        write_text(as_json, json.dumps(report))
    for line in report_lines(report):
        echo(line, err=True)
    return status


def _opener(path: str, flags: int) -> int:
    """Opens a file that is written while it is read; no link, which may have come since its name was checked."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)
