"""`fairlane shell`: any program behind a link."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from fairlane.cli.errors import bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.request_options import requested, setting, settings
from fairlane.cli.types import OutputFile, Quantity, QuantityText, WholeNumber
from fairlane.runs.emulation.selfcheck import FASTEST_BPS, disturbances
from fairlane.scenario import units
from fairlane.scenario.links import LINKS
from fairlane.show.text.terminal import echo, print_live

if TYPE_CHECKING:
    from fairlane.engine.types import FlowConfig, LinkConfig, Scenario

_COLUMNS = ("throughput_mbps", "queue_bytes", "queue_delay_ms", "dropped_packets", "marked_packets")


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

    scenario = _scenario(interval_ns, **network)
    shows = live if live is not None else bool(program) and sys.stderr.isatty()
    chosen = list(program) or [os.environ.get("SHELL", "/bin/sh")]
    with open(os.devnull if log is None else log, "w", encoding="ascii") as file:
        samples = _Samples(file, shows=shows)
        ended = shell.run(shell.Link(scenario, chosen, far, samples.add, checks))
    if as_json is not None:
        as_json.write_text(json.dumps(ended.report), encoding="ascii")
    for line in _summary(ended.report):
        echo(line, err=True)
    return ended.status


def _scenario(interval_ns: int, up_trace: Path | None, **network: Any) -> "Scenario":
    """The network with one flow, whose forward path is the uplink."""
    up_rate = network.pop("reverse_rate")
    if up_trace is not None and up_rate is not None:
        raise bad_value("--up-trace", "a trace replaces a rate; leave --up-rate out")
    typical = LINKS[network["link"]].settings if network["link"] in LINKS else {}
    scenario = _direction(network)
    if "media" not in scenario:
        own_rate = up_rate or (None if up_trace else typical.get("reverse_rate") or network["rate"])
        if up_trace is None and own_rate is None and network["trace"] is not None:
            raise bad_value("--trace", "is the downlink's; give the uplink --up-trace or --up-rate")
        up = _direction({**network, "rate": own_rate, "trace": up_trace})
        links: list[LinkConfig] = [{**one["links"][0], "name": name} for name, one in (("up", up), ("down", scenario))]
        flow: FlowConfig = {**scenario["flows"][0], "forward": ["up"], "reverse": ["down"]}
        scenario = {**scenario, "links": links, "flows": [flow]}
    fastest = max((link.get("rate_bps", 0) for link in scenario.get("links", [])), default=0)
    if fastest > FASTEST_BPS:
        shown = f"{FASTEST_BPS / 1e6:g}mbit"
        raise bad_value("--rate", f"{fastest / 1e6:g}mbit is beyond what is carried in real time; at most {shown}")
    return {**scenario, "series_interval_ns": interval_ns}


def _direction(network: dict[str, Any]) -> "Scenario":
    """A network of these options whose first link is the bottleneck."""
    _, point = requested(("reno",), **network, duration="1s", repeats=1)
    return point.repeat(0)


class _Samples:
    """Writes and shows the samples of the links."""

    def __init__(self, log: TextIO, *, shows: bool) -> None:
        self.log, self.shows = log, shows
        log.write(",".join(("t_s", "link", *_COLUMNS)) + "\n")

    def add(self, sample: dict[str, Any]) -> None:
        """Writes one down, and shows it."""
        for name, link in sample["links"].items():
            values = ("" if link[column] is None else f"{link[column]:g}" for column in _COLUMNS)
            self.log.write(f"{sample['t_s']:g},{name},{','.join(values)}\n")
        if self.shows:
            print_live(live_line(sample))


def live_line(sample: Mapping[str, Any]) -> str:
    """Rate, queue and drops of each link at this moment.

    >>> link = {"throughput_mbps": 19.96, "queue_bytes": 30000, "queue_delay_ms": 12.0, "dropped_packets": 3}
    >>> live_line({"t_s": 1.5, "links": {"down": {**link, "marked_packets": 0}}})
    '1.5 s  down 20.0 Mbit/s, queue 30 kB, 12.0 ms, 3 dropped'
    """
    links = (f"{name} {_link_line(link)}" for name, link in sample["links"].items())
    return f"{sample['t_s']:.1f} s  " + "; ".join(links)


def _link_line(link: Mapping[str, Any]) -> str:
    words = [f"{link['throughput_mbps']:.1f} Mbit/s, queue {link['queue_bytes'] / 1000:.0f} kB"]
    if link["queue_delay_ms"] is not None:
        words.append(f"{link['queue_delay_ms']:.1f} ms")
    words += [f"{link[f'{what}_packets']} {what}" for what in ("dropped", "marked") if link[f"{what}_packets"]]
    return ", ".join(words)


def _summary(report: Mapping[str, Any]) -> list[str]:
    """The measurements, and disturbances that make them doubtful."""
    if not report:
        return []
    lines = []
    for link in report["links"]:
        mbps = link["transmitted_bytes"] * 8e-6 / report["duration_s"]
        delay = "" if link["p99_queue_delay_ms"] is None else f", 99 % below {link['p99_queue_delay_ms']:.1f} ms"
        median = "" if delay == "" else f", queue delay {link['median_queue_delay_ms']:.1f} ms{delay}"
        counts = ", ".join(f"{link[f'{what}_packets']} {what}" for what in ("dropped", "marked", "lost"))
        lines.append(f"{link['name']}: {mbps:.2f} Mbit/s{median}, {counts}")
    late = report["lateness"]
    lines.append(f"lateness: median {late['median_us']:.0f} us, 99 % below {late['p99_us']:.0f} us")
    return lines + [f"warning: {reason}" for reason in disturbances(report)]
