"""`fairlane matrix`: algorithms against each other."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlane.cli import completion
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import blamed_on, report_failures, resumable
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named, as_json, at_a_time, folder_of_results, jobs
from fairlane.cli.request_options import bad_request, setting, settings
from fairlane.cli.types import NameList, OutputFile, QuantityText, WholeNumber
from fairlane.files import write_text
from fairlane.scenario import units
from fairlane.scenario.requests import PAIR_REPEATS, competition
from fairlane.show.plots.figure import SUFFIXES
from fairlane.show.text.terminal import echo, width

if TYPE_CHECKING:
    from fairlane.results.pairs import PairMatrix


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane matrix cubic bbr reno --rate 50mbit --rtt 30ms",
        "fairlane matrix ./mine.c --against all --plot matrix.png",
        "fairlane matrix ./mine.c ./old.c --against cubic,bbr3 --queue fq_codel --repeats 5",
    ],
    groups={
        "Network": ["link", "rate", "rtt", "buffer", "queue", "loss", "reverse_rate", "mtu"],
        "Flows": ["against", "duration", "start", "ecn", "transport", "seed", "repeats", "start_jitter"],
        "Output": ["metrics", "plot", "as_json", "results", "file", "jobs"],
    },
)
@click.argument("algorithms", nargs=-1, required=True, metavar="ALGORITHM...", shell_complete=completion.algorithms)
@click.option(
    "--against",
    type=NameList(),
    shell_complete=completion.algorithms,
    help="The rivals: names with commas between, or all for every bundled one.  [default: each other, and itself]",
)
@settings("link", "rate")
@setting("rtt", "Round-trip time without queues.", type=QuantityText("TIME", units.positive_time_ns))
@settings("buffer", "queue", "loss", "reverse_rate", "mtu", "duration", "start", "transport", "ecn", "seed")
@setting("repeats", "Number of runs of each pair.", default=str(PAIR_REPEATS), type=WholeNumber(1, 1000, PAIR_REPEATS))
@settings("start_jitter")
@click.option(
    "--metrics",
    type=NameList(),
    shell_complete=completion.metrics,
    help="Metrics of a flow, or harm_pct.  [default: share, harm to the rival, goodput, packet RTT, retransmissions]",
)
@click.option("--plot", type=OutputFile(SUFFIXES), help="Draw the matrices; .png, .svg or .pdf.")
@as_json()
@folder_of_results("Folder of the results store.  [default: results/matrix]")
@click.option("--file", type=OutputFile((".toml",)), help="Write the experiment file, for fairlane run and report.")
@jobs
@containment_options
def command(
    algorithms: tuple[str, ...],
    against: list[str] | None,
    metrics: list[str] | None,
    plot: Path | None,
    as_json: bool,
    results: Path | None,
    file: Path | None,
    jobs: int | None,
    **network: Any,
) -> None:
    """Let algorithms share one bottleneck in pairs, each with each.

    Prints, of each algorithm next to each rival, the share of goodput, the harm that it does to the rival, the goodput,
    the mean RTT of its packets and its retransmissions; each is a mean over repeats. Harm is the share of the goodput
    that the rival has next to its own kind and loses here; 0 or less is safe, however unequal the shares are (Ware et
    al. 2019). Runs that are already stored are not repeated.
    """
    from fairlane.engine.messages import counted
    from fairlane.results.metrics import MetricError
    from fairlane.results.pairs import METRICS, metric_of_pairs, pair_matrices
    from fairlane.results.tables import ResultTables
    from fairlane.runs.sweep.runner import run
    from fairlane.scenario.cautions import IN_OPTIONS, algorithm_cautions
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.scenario.load import load
    from fairlane.show.text.pairs_text import matrices_text
    from fairlane.show.text.progress import SweepBars

    for option, words in (("ALGORITHM", algorithms), ("--against", against or [])):
        for word in words:
            if word != "all":
                algorithm_named(word, option=option)
    with blamed_on("--metrics", MetricError):
        chosen = [metric_of_pairs(name) for name in metrics or METRICS]
    try:
        settings = competition(algorithms, against, {name: value for name, value in network.items() if value})
        experiment = load(settings)
    except ExperimentError as error:
        raise bad_request(error) from None
    named = {word.partition(":")[0] for word in (*algorithms, *(against or []))}  # not those that "all" stands for
    every = [line for one in experiment.points for line in algorithm_cautions(one.point.scenario, IN_OPTIONS, named)]
    for line in dict.fromkeys(every):
        echo(line, err=True)
    if file:
        from fairlane.show.report.experiments import toml_text

        write_text(file, toml_text(experiment.settings) + "\n")
    folder, parallel = results or Path("results") / experiment.name, at_a_time(jobs)
    with resumable(), SweepBars(parallel) as bars:
        done = run(experiment, folder, jobs=parallel, source=" ".join(algorithms), watcher=bars.watch)
    report_failures(done.failures)
    found = ResultTables(folder, experiment.name, light=True)
    matrices = pair_matrices(found, chosen)
    if plot:
        from fairlane.show.plots.pairs import draw_pairs

        draw_pairs(plot, matrices)
    if as_json:
        echo(json.dumps([_as_json(one) for one in matrices]))
        return
    echo(matrices_text(matrices, width()))
    echo(f"\n{counted(done.total, 'run')}, in {folder}")
    for path, what in ((plot, "plot"), (file, "file")):
        if path:
            echo(f"{what}: {path}")


def _as_json(matrix: "PairMatrix") -> dict[str, object]:
    cells = [
        {"algorithm": row, "rival": column, "mean": mean.estimate, "n": mean.n}
        | ({"low": mean.low, "high": mean.high} if mean.is_known else {})
        for row in matrix.rows
        for column in matrix.columns
        if (mean := matrix.cells.get((row, column))) is not None
    ]
    return {"metric": matrix.metric.name, "unit": matrix.metric.unit, "cells": cells}
