"""`fairlane rank`: which algorithm is best for what."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli import completion
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import resumable
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named, as_json, at_a_time, folder_of_results, jobs
from fairlane.cli.process import typed
from fairlane.cli.types import OutputFile, WholeNumber
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.search.evidence.ranking import Ranked


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane rank",
        "fairlane rank --add ./mine.c",
        "fairlane rank cubic bbr3 ./mine.c --repeats 10",
        "fairlane rank --file my-weights.toml",
    ],
)
@click.argument("words", metavar="[ALGORITHM]...", nargs=-1, shell_complete=completion.algorithms)
@click.option(
    "--add", metavar="FILE.c|NAME", multiple=True, help="Compute this algorithm only, and place it among the published."
)
@click.option(
    "--file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use cases and weights of your own, such as an edited copy of studies/ranking.",
)
@click.option(
    "--repeats", type=WholeNumber(3, 20, 10), default=3, show_default=True, help="Runs of each network, by seed."
)
@click.option("--save", type=OutputFile((".json",)), help="Write the values, as --add reads them.")
@jobs
@folder_of_results("Folder of values and of the page.  [default: results/ranking]")
@as_json()
@containment_options
def command(
    words: tuple[str, ...],
    add: tuple[str, ...],
    file: Path | None,
    repeats: int,
    save: Path | None,
    jobs: int | None,
    results: Path | None,
    as_json: bool,
) -> None:
    """Rank algorithms by use case, over two hundred networks with sources.

    Without arguments it prints the published ranking. Named algorithms are computed anew, and ranked among themselves;
    those of --add are placed among the published ones, which takes a minute each. Weights and networks are data.
    """
    from fairlane.engine.messages import counted
    from fairlane.files import data_folder, write_text
    from fairlane.search.breaks.evaluate import threads
    from fairlane.search.evidence import rank_report
    from fairlane.search.evidence.measures import Measures
    from fairlane.search.evidence.ranking import behaviour, load, rank, read, saved, with_worst_cases
    from fairlane.show.text.progress import Bar

    studies = data_folder("studies")
    form = read(file or studies / "ranking" / "ranking.toml")
    folder = results or Path("results") / "ranking"
    every: list[Ranked] = []
    note = "All values were computed by this version, or by one with the same results."
    if not words:
        made_by, every = load(studies / "ranking" / "published.json")
        if made_by != behaviour(form, every):
            note = "Published values are of other networks, or of a version of the simulator with other results."
    wanted = [*words, *add]
    for word in wanted:
        algorithm_named(word)
    if wanted:
        kept, parallel = Measures(folder / "runs.jsonl"), at_a_time(jobs)
        with resumable(), kept as measures, threads(parallel) as compute, Bar(1, "runs") as bar:
            found = rank(form, wanted, repeats, measures, compute, bar.reach)
        found = [with_worst_cases(one, studies / "worst-cases" / "path", parallel) for one in found]
        every = [one for one in every if one.algorithm not in wanted] + found
    criteria = studies / "rfc9743" / "published"
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "ranking.html", rank_report.page(form, every, typed(), note, criteria))
    if save:
        write_text(save, saved(form, every, repeats))
    if as_json:
        echo(json.dumps(rank_report.as_json(form, every)))
        return
    echo(rank_report.as_text(form, every, criteria))
    missing = sum(sum(one.failures.values()) for one in every)
    if missing:
        echo(
            f"{counted(missing, 'network')} without a value: runs that failed, or that delivered nothing; see the page"
        )
    echo(f"{note}\npage: {folder / 'ranking.html'}")
