"""`fairlane break`: searches for networks in which an algorithm fails."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli import completion
from fairlane.cli.backends import cluster_option, executor_of, place_of
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import RunFailed, bad_value, blamed_on, resumable
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named, as_json, at_a_time, folder_of_results, jobs
from fairlane.cli.process import typed
from fairlane.cli.types import NameList, Quantity, WholeNumber
from fairlane.scenario import units
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.search.breaks.evaluate import Compute
    from fairlane.search.breaks.witness import Witness
    from fairlane.search.breaks.worst_cases import Question, Search
    from fairlane.show.text.progress import Bar

USUAL, OTHERWISE = "cubic", "bbr3"
"""The reference, and that of the usual reference itself."""
DEFAULT_S = 300.0
"""Of a search without --time and --evaluations."""


def _families() -> list[str]:
    from fairlane.search.breaks.families import shipped

    return shipped()


def _objectives() -> list[str]:
    from fairlane.search.breaks.objectives import shipped

    return list(shipped())


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane break ./mine.c",
        "fairlane break bbr --against cubic --family path --time 60s --seed 1",
        "fairlane break bbr --objective starvation --family starvation --realistic",
        "fairlane break ./mine.c --replay results/break/mine/witnesses/*.toml",
    ],
)
@click.argument("words", metavar="ALGORITHM...", nargs=-1, shell_complete=completion.algorithms)
@click.option(
    "--against", metavar="ALGORITHM", help=f"The reference.  [default: {USUAL}; {OTHERWISE} for {USUAL} itself]"
)
@click.option(
    "--family",
    type=NameList(),
    shell_complete=completion.one_of(_families),
    help="Families of networks, by name or file.  [default: all]",
)
@click.option(
    "--objective",
    metavar="NAME|EXPRESSION",
    shell_complete=completion.one_of(_objectives),
    help="The failure to look for, by name, or an expression of metrics.  [default: that of each family]",
)
@click.option("--realistic", is_flag=True, help="Only values that are common in practice.")
@click.option(
    "--time",
    type=Quantity("TIME", units.positive_time_ns),
    help="Real time of the search.  [default: 5min, if there are no --evaluations]",
)
@click.option("--evaluations", type=WholeNumber(1, 10**9, 2000), help="Number of networks to try in each family.")
@click.option("--seed", type=WholeNumber(0, 2**63 - 1, 1), default=1, show_default=True, help="Seed of the search.")
@click.option("--most", type=WholeNumber(1, 50, 5), default=5, show_default=True, help="Witnesses of each family.")
@click.option(
    "--replay",
    metavar="FILE",
    type=click.Path(exists=True, path_type=Path),
    help="Search nothing: run this witness, or all of a folder, and fail if a score got worse. Further files follow "
    "as arguments.",
)
@click.option(
    "--confirm",
    metavar="vm[:KERNEL]",
    help="Run each witness on this kernel in virtual time, too: in the simulator's network, or with @SPEED in tc's.",
)
@jobs
@folder_of_results("Folder of the search, with an atlas and witnesses.  [default: results/break/NAME]")
@as_json()
@cluster_option
@containment_options
def command(
    words: tuple[str, ...],
    against: str | None,
    family: list[str] | None,
    objective: str | None,
    realistic: bool,
    time: int | None,
    evaluations: int | None,
    seed: int,
    most: int,
    replay: Path | None,
    confirm: str | None,
    jobs: int | None,
    results: Path | None,
    as_json: bool,
    on: str,
) -> int:
    """Find networks in which an algorithm fails, each reduced to its simplest form.

    A search keeps the worst network of each kind, and reduces some to the fewest keys with which the algorithm still
    fails. The same seed and number of evaluations give the same result on any number of processors. After an
    interruption, the same command resumes.
    """
    from fairlane.search.breaks.objectives import REFERENCE, ObjectiveError
    from fairlane.search.breaks.witness import with_network
    from fairlane.search.breaks.worst_cases import Question, opened

    if confirm is not None:
        place_of(confirm := with_network(confirm))
    if replay is not None:
        return _replay(words, replay, jobs, confirm, as_json)
    if not words:
        raise bad_value("ALGORITHM", "is missing; write for example fairlane break ./mine.c")
    if against is not None:
        algorithm_named(against, option="--against")
    for word in words:
        algorithm_named(word)
    limit_s = time / 1e9 if time is not None else None if evaluations is not None else DEFAULT_S
    asked = []
    for word in words:
        reference = against or (OTHERWISE if word == USUAL else USUAL)
        question = Question(
            word, reference, family or _families(), objective, evaluations, limit_s, seed, realistic, most
        )
        with blamed_on("--objective", ObjectiveError):
            searches = opened(question)
        if word == reference and any(REFERENCE in one.objective.runs for one in searches):
            raise bad_value("--against", f"{word} is not worse than itself anywhere; name another algorithm")
        asked.append((question, searches))
    found = []
    for question, searches in asked:
        name, other = (algorithm_named(one).name.partition(":")[0] for one in (question.algorithm, question.reference))
        title = name if question.reference == USUAL else f"{name}-against-{other}"
        folder = (results or Path("results") / "break") / title
        with resumable():
            _search(question, searches, folder, jobs, on)
        _keep(question, searches, folder)
        if confirm:
            _confirm(searches, confirm, jobs)
            _keep(question, searches, folder)
        about = {"algorithm": question.algorithm, "against": question.reference}
        found += [{**about, **one.as_json()} for one in searches]
        if not as_json:
            if len(words) > 1:
                echo(f"{question.algorithm} against {question.reference}")
            _show(question, searches, folder)
    if as_json:
        echo(json.dumps({"seed": seed, "searches": found}))
    return 0


def _search(question: "Question", searches: "list[Search]", folder: Path, jobs: int | None, on: str) -> None:
    from contextlib import ExitStack
    from functools import partial

    from fairlane.search.breaks.evaluate import threads, workers
    from fairlane.search.breaks.worst_cases import run
    from fairlane.show.text.progress import Bar

    with ExitStack() as stack:
        executor = stack.enter_context(executor_of(on, jobs))
        compute: Compute = stack.enter_context(workers(executor) if executor else threads(at_a_time(jobs)))
        bar = stack.enter_context(Bar((question.evaluations or 0) * len(searches) or 1, ""))
        run(question, searches, compute, folder, partial(_draw, bar, question))


def _draw(bar: "Bar", question: "Question", searches: "Sequence[Search]") -> None:
    """Evaluations, rate, the worst score and the time that is left."""
    now = next((one for one in searches if not one.witnesses), searches[-1])
    done, total = sum(one.evaluations for one in searches), (question.evaluations or 0) * len(searches)
    elapsed_s = max(bar.elapsed_s, 1e-3)
    share = done / total if total else 0.0
    if question.time_s is not None:
        share = max(share, elapsed_s / question.time_s)
    share = min(share, 1.0)
    rate = sum(one.computed for one in searches) / elapsed_s
    bar.done, bar.total = done, total or done
    failing = f"{len(now.failing)} of {len(now.archive)} cells fail"
    bar.what = f"networks, {rate:.0f}/s; {now.family.name}: worst {now.worst:.2f}, {failing}"
    bar.show(share, elapsed_s / share - elapsed_s if share else None)


def _confirm(searches: "list[Search]", place: str, jobs: int | None) -> None:
    """Adds the scores of a kernel to the witnesses."""
    from fairlane.search.breaks.evaluate import threads
    from fairlane.search.breaks.witness import confirm

    with threads(at_a_time(jobs), place) as compute:
        for search in searches:
            for index, witness in enumerate(search.witnesses):
                search.witnesses[index], failure = confirm(witness, place, compute)
                if failure:
                    echo(f"{witness.name}: {place}: {failure}", err=True)


def _keep(question: "Question", searches: "list[Search]", folder: Path) -> None:
    """Writes the witnesses and the atlas."""
    from fairlane.files import make_folder, write_text
    from fairlane.search.breaks.atlas import atlas

    witnesses = folder / "witnesses"
    make_folder(witnesses, inside=folder)
    for search in searches:
        for old in witnesses.glob(f"{search.family.name}-{search.objective.name}-*.toml"):
            old.unlink()
        for one in search.witnesses:
            write_text(witnesses / f"{one.name}.toml", one.text(witnesses))
    write_text(folder / "atlas.html", atlas(question, searches, witnesses, typed()))


def _show(question: "Question", searches: "list[Search]", folder: Path) -> None:
    for search in searches:
        cells = f"{len(search.failing)} of {len(search.archive)} cells of the map fail"
        echo(f"{search.family.name}: {search.evaluations:,} networks; {search.objective.title}: {cells}")
        if not search.archive and search.failure:
            raise RunFailed(f"no network of family {search.family.name} has a score: {search.failure}")
        for one in search.witnesses:
            unusual = f"; unusual: {', '.join(one.unusual)}" if one.unusual else ""
            echo(f"\n  {one.name}: score {one.score:.2f}, {one.keys} keys, {one.robust}{unusual}")
            for sentence in one.sentences:
                echo(f"    {sentence}")
            _show_kernels(one)
        if not search.witnesses:
            echo(f"  nothing fails; the worst score is {search.worst:.2f}, and {search.objective.fails:g} is a failure")
        echo("")
    if any(search.witnesses for search in searches):
        echo(f"replay: fairlane break --replay {folder / 'witnesses'}")
    echo(f"atlas: {folder / 'atlas.html'}")


def _show_kernels(witness: "Witness") -> None:
    for kernel, score in witness.confirmed.items():
        echo(f"    {kernel}: {'no score' if score is None else f'score {score:.2f}'}, {witness.verdict(kernel)}")


def _replay(words: tuple[str, ...], first: Path, jobs: int | None, kernel: str | None, as_json: bool) -> int:
    from fairlane.search.breaks.witness import replay, witnesses_in

    paths = [*witnesses_in(first), *(Path(word) for word in words if word.endswith(".toml"))]
    algorithms = [word for word in words if not word.endswith(".toml")]
    if len(algorithms) > 1:
        raise bad_value("ALGORITHM", f"--replay runs one algorithm, not {len(algorithms)}; name one, or none")
    for word in algorithms:
        algorithm_named(word)
    found = replay(paths, algorithms[0] if algorithms else None, jobs, kernel)
    worse = sum(one.is_worse for one in found)
    if as_json:
        rows = [
            {"name": one.witness.name, "score": one.score, "worse": one.is_worse, "confirmed": one.witness.kernels}
            for one in found
        ]
        echo(json.dumps(rows))
    else:
        for one in found:
            echo(f"{'worse ' if one.is_worse else 'passes'}  {one.witness.name}: {one.text}")
            _show_kernels(one.witness)
    return 1 if worse else 0
