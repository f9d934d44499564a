"""`fairlane algorithm trace`: what TCP asked of an algorithm, callback by callback."""

from pathlib import Path
from typing import Any

import click

from fairlane import units
from fairlane.cli.containment import containment_options
from fairlane.cli.duel import asked
from fairlane.cli.duel import command as duel
from fairlane.cli.errors import bad_value, run_in_foreground
from fairlane.cli.help import ExampleCommand
from fairlane.cli.tracing import trace_of_run
from fairlane.cli.types import OutputFile, Quantity, WholeNumber
from fairlane.display.terminal import echo
from fairlane.writing import replacing

FLOWS = [name for name in duel.groups["Flows"] if name not in ("repeats", "on")]
NETWORK = [*duel.groups["Network"], *FLOWS]
"""Options that mean the same as in a duel: all but those for several runs and for other places."""


@click.command(
    cls=ExampleCommand,
    params=[one for one in duel.params if one.name in (*NETWORK, "algorithms")],
    examples=[
        "fairlane algorithm trace cubic --from 3s --to 3.05s",
        "fairlane algorithm trace ./mine.bpf.c cubic --flow 1 --rate 20mbit --to 500ms",
        "fairlane algorithm trace bbr --from 1s --to 1.02s --json > trace.jsonl",
    ],
    groups={
        "What to show": ["flow", "from_ns", "until_ns", "most", "as_json", "output"],
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
    default="1000",
    show_default=True,
    type=WholeNumber(1, 10**9, 1000),
    help="Largest number of callbacks to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each callback.")
@click.option("--output", type=OutputFile(), help="Write to this file instead.")
@containment_options
def trace(
    flow: int | None, from_ns: int, until_ns: int | None, most: int, as_json: bool, output: Path | None, **network: Any
) -> None:
    """Show what TCP asked of an algorithm, callback by callback.

    For each callback: its arguments, what TCP had changed and sent since the one before, what the algorithm changed
    (state.NAME: its own memory), what it printed and answered. The run is that of `fairlane duel` with these options.
    """
    from fairlane.display.callbacks import callback_lines

    _, point = asked(**network)
    scenario = point.repeat(0)
    if flow is not None and flow > len(scenario["flows"]):
        count = len(scenario["flows"])
        raise bad_value("--flow", f"there {'is 1 flow' if count == 1 else f'are {count} flows'}; count from 1")
    end_ns = scenario["duration_ns"]
    if from_ns >= min(until_ns or end_ns, end_ns):
        raise bad_value("--from", "nothing is left to show; begin before --to and before the end of the run (--time)")
    what: dict[str, Any] = {"calls": True, "from_ns": from_ns, "most_lines": most + 1}
    what |= {"until_ns": until_ns} if until_ns else {}
    what |= {"flows": [flow - 1]} if flow else {}
    scenario["duration_ns"] = min(end_ns, until_ns or end_ns)
    with trace_of_run(**what) as traced:
        run_in_foreground(scenario, traced.run)
        if as_json:
            text = traced.path.read_text(encoding="utf-8").splitlines()
            shown, left_out = text[:most], len(text) > most
        else:
            lines = list(traced.lines())
            shown, left_out = list(callback_lines(lines[:most])), len(lines) > most
    if output is None:
        for line in shown:
            echo(line)
    else:
        with replacing(output) as temporary:
            temporary.write_text("".join(f"{line}\n" for line in shown), encoding="utf-8")
    if not shown:
        echo("no callback in this time", err=True)
    if left_out:
        echo(f"stopped after {most} callbacks; raise --most, or show a shorter time with --from and --to", err=True)
