"""`fairlane algorithm trace`: what TCP asked of an algorithm, callback by callback, and the packets around it."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlane.cli.backends import run_in_foreground
from fairlane.cli.containment import containment_options
from fairlane.cli.duel import command as duel
from fairlane.cli.errors import bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.request_options import requested
from fairlane.cli.types import OutputFile, Quantity, WholeNumber
from fairlane.files import write_text
from fairlane.results.captures.files import SUFFIXES
from fairlane.scenario import units
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.show.report.trace_page import TracedFlow

FLOWS = [name for name in duel.groups["Flows"] if name not in ("repeats", "threads", "on")]
NETWORK = [*duel.groups["Network"], *FLOWS]
"""Options that mean the same as in a duel: all but those for several runs, for threads and for other places."""
MOST_ON_PAGE = 20_000
"""Callbacks; `--most` changes it."""
MOST_IN_TEXT = 1000
WINDOWS = ["snd_cwnd", "snd_ssthresh"]


@click.command(
    cls=ExampleCommand,
    params=[one for one in duel.params if one.name in (*NETWORK, "algorithms", "watch")],
    examples=[
        "fairlane algorithm trace cubic --from 3s --to 3.05s",
        "fairlane algorithm trace ./mine.bpf.c cubic --flow 1 --rate 20mbit --from 3s --to 3.2s --page trace.html",
        "fairlane algorithm trace bbr --from 1s --to 3s --watch state.mode --page trace.html",
        "fairlane algorithm trace bbr --from 1s --to 1.02s --json > trace.jsonl",
        "fairlane algorithm trace capture.pcapng --page trace.html",
    ],
    groups={
        "What to show": ["flow", "from_ns", "until_ns", "most", "page", "watch", "as_json", "output"],
        "Network": duel.groups["Network"],
        "Flows": FLOWS,
    },
)
@click.option("--flow", type=WholeNumber(1, 10_000, 1), help="Only this flow, counted from 1.  [default: all]")
@click.option(
    "--from", "from_ns", default="0s", show_default=True, type=Quantity("TIME", units.time_ns), help="Begin here."
)
@click.option("--to", "until_ns", type=Quantity("TIME", units.positive_time_ns), help="End here.  [default: the end]")
@click.option(
    "--most",
    type=WholeNumber(1, 10**9, 1000),
    help=f"Largest number of callbacks to show.  [default: {MOST_IN_TEXT}, on a page {MOST_ON_PAGE}]",
)
@click.option(
    "--page",
    type=OutputFile((".html",)),
    help="Write an interactive page: time against sequence number with data, ACKs, SACK, retransmissions and windows, "
    "RTTs, the members of --watch, and the callbacks.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each callback.")
@click.option("--output", type=OutputFile(), help="Write to this file instead.")
@containment_options
def trace(
    flow: int | None,
    from_ns: int,
    until_ns: int | None,
    most: int | None,
    page: Path | None,
    watch: str | None,
    as_json: bool,
    output: Path | None,
    **network: Any,
) -> None:
    """Show what TCP asked of an algorithm, callback by callback.

    For each callback: its arguments, what TCP had changed and sent since the one before, what the algorithm changed
    (state.NAME: its own memory), what it printed and answered. The run is that of `fairlane duel` with these options.

    Instead of an ALGORITHM, a packet capture (.pcap, .pcapng) can be given: its TCP connections are the flows. A
    capture has no callbacks; the page is the same otherwise, and the text has a line for each packet. TCP in VLANs,
    PPPoE, MPLS, GRE, IP in IP, VXLAN, Geneve and GTP-U is found, and packets beyond 64 KiB (BIG TCP) are read; a line
    counts by kind what is not read.
    """
    words: tuple[str, ...] = network["algorithms"]
    if watch and not page:
        raise bad_value("--watch", "draws members on a page; give --page FILE.html, or use fairlane duel --watch")
    if page and (as_json or output):
        raise bad_value("--page", "is the output; leave --json and --output out")
    if any(Path(word).suffix.lower() in SUFFIXES for word in words):
        if watch or as_json:
            raise bad_value("--watch" if watch else "--json", "is about callbacks, which a capture does not have")
        _of_capture(words, flow, from_ns, until_ns, most, page, output)
        return
    point = requested(**network)
    scenario = point.repeat(0)
    if flow is not None and flow > len(scenario["flows"]):
        raise bad_value("--flow", _count_from_one(len(scenario["flows"])))
    end_ns = min(scenario["duration_ns"], until_ns or scenario["duration_ns"])
    if from_ns >= end_ns:
        raise bad_value("--from", "nothing is left to show; begin before --to and before the end of the run (--time)")
    most = most or (MOST_ON_PAGE if page else MOST_IN_TEXT)
    what: dict[str, Any] = {"calls": True, "from_ns": from_ns, "most_lines": most + 1}
    what |= {"until_ns": until_ns} if until_ns else {}
    what |= {"flows": [flow - 1]} if flow else {}
    scenario["duration_ns"] = end_ns
    if page:
        numbers = [flow - 1] if flow else list(range(len(scenario["flows"])))
        what["watch"] = [*WINDOWS, *(watch or "").split(",")] if watch else WINDOWS
        from fairlane.show.report.trace_page import traced_flows

        if any(scenario["flows"][number].get("transport") == "quic" for number in numbers):
            raise bad_value("--page", "shows TCP; choose a flow with TCP by --flow, or leave --page out")
        flows, left_out = traced_flows(scenario, numbers, what, most, run_in_foreground)
        if left_out:
            _note_left_out(most, "callbacks")
        _write_page(page, flows, from_ns, end_ns, " and ".join(words))
        return
    from fairlane.runs.traced_run import trace_of_run
    from fairlane.show.text.callbacks import callback_lines

    with trace_of_run(**what) as traced:
        run_in_foreground(scenario, traced.run)
        if as_json:
            text = traced.path.read_text(encoding="utf-8").splitlines()
            shown, left_out = text[:most], len(text) > most
        else:
            lines = list(traced.lines())
            shown, left_out = list(callback_lines(lines[:most])), len(lines) > most
    _show(shown, output)
    if not shown:
        echo("no callback in this time", err=True)
    if left_out:
        _note_left_out(most, "callbacks")


def _of_capture(
    words: tuple[str, ...],
    flow: int | None,
    from_ns: int,
    until_ns: int | None,
    most: int | None,
    page: Path | None,
    output: Path | None,
) -> None:
    from fairlane.results.captures.connections import capture, packet_lines
    from fairlane.show.report.trace_page import TracedFlow

    context = click.get_current_context()
    given = click.core.ParameterSource.COMMANDLINE
    for name in NETWORK:
        if name != "algorithms" and context.get_parameter_source(name) is given:
            option = next(one for one in context.command.params if one.name == name)
            raise bad_value(option.opts[0], "is about a simulation; leave it out with a capture")
    if len(words) > 1:
        raise bad_value("ALGORITHM", "a capture is shown alone; name one file")
    read = capture(Path(words[0]))
    found = read.connections
    if left_out := read.left_out_text():
        echo(f"{read.tcp_packets:,} TCP packets; {left_out}", err=True)
    if flow is not None and flow > len(found):
        raise bad_value("--flow", _count_from_one(len(found)))
    chosen = [(number, one) for number, one in enumerate(found, 1) if flow in (None, number)]
    end_ns = until_ns or max(one.last_ns for _, one in chosen) + 1
    if from_ns >= end_ns:
        raise bad_value("--from", "nothing is left to show; begin before --to and before the end of the capture")
    if page:
        flows = [TracedFlow(one, f"{number}: {one.name}") for number, one in chosen]
        _write_page(page, flows, from_ns, end_ns, Path(words[0]).name)
        return
    most = most or MOST_IN_TEXT
    lines: list[str] = []
    for number, one in chosen:
        lines.append(f"flow {number}: {one.name}")
        lines += packet_lines(one.between(from_ns, end_ns))
    _show(lines[:most], output)
    if len(lines) > most:
        _note_left_out(most, "lines")


def _write_page(page: Path, flows: "list[TracedFlow]", from_ns: int, until_ns: int, title: str) -> None:
    from dataclasses import replace

    from fairlane.show.report.trace_page import trace_page

    cut = [replace(flow, connection=flow.connection.between(from_ns, until_ns)) for flow in flows]
    command = shlex.join(["fairlane", *sys.argv[1:]])
    try:
        text = trace_page(cut, from_ns, until_ns, title=title, command=command)
    except ValueError as error:
        remedy = "show a shorter time with --from and --to, or one flow with --flow"
        raise bad_value("--page", f"{error}; {remedy}") from None
    write_text(page, text)
    echo(f"page: {page}")


def _count_from_one(count: int) -> str:
    return f"there {'is 1 flow' if count == 1 else f'are {count} flows'}; count from 1"


def _note_left_out(most: int, what: str) -> None:
    echo(f"stopped after {most} {what}; raise --most, or show a shorter time with --from and --to", err=True)


def _show(lines: list[str], output: Path | None) -> None:
    if output is None:
        for line in lines:
            echo(line)
    else:
        write_text(output, "".join(f"{line}\n" for line in lines))
