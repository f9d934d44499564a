"""`fairlane fidelity`: the simulator compared with recordings of Linux."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from fairlane.cli.errors import RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.types import OutputFile, WholeNumber
from fairlane.show.text.terminal import echo


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane fidelity --out fidelity.csv",
        "fairlane fidelity --truth calibration/linux-6.12 --out fidelity.csv --scenarios",
        "fairlane fidelity --on vm:debian-13 --only single-20m-40ms-1bdp-cubic --out vm.csv",
        "fairlane fidelity --against vm:debian-12 buffers.toml --repeats 5 --results results/agreement",
        "fairlane fidelity --against namespaces calibration/cells/*.toml --out cells.csv",
        "fairlane fidelity --truth calibration/kernels --scenarios",
        "fairlane fidelity --truth calibration/kernels --record debian-13 --results results/kernels",
    ],
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--against",
    metavar="PLACE",
    help="Compare experiment FILEs with vm[:KERNEL], namespaces or hosts.toml instead; --out has a row per metric.",
)
@click.option("--record", metavar="KERNEL", help="Have this kernel run the experiments of the truth folder first.")
@click.option(
    "--results",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="With --against and --record: keep the runs here, so that the same command resumes.",
)
@click.option(
    "--truth",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder with scenarios.json and linux.csv, or with experiments and linux-VERSION.csv."
    "  [default: Linux 6.12, shipped with Fairlane]",
)
@click.option(
    "--on",
    metavar="PLACE",
    help="Run the scenarios on vm[:KERNEL], namespaces or hosts.toml instead of the simulator, to compare that with the"
    " recordings.",
)
@click.option("--only", metavar="NAME", multiple=True, help="Only this scenario; repeatable.")
@click.option(
    "--out",
    type=OutputFile((".csv",)),
    help="Where to write the results, with the columns of linux.csv.",
)
@click.option(
    "--repeats",
    metavar="N",
    type=WholeNumber(0, 1000, 16),
    default=0,
    show_default=True,
    help="Additional runs of each scenario with random variation, to average over.",
)
@click.option("--scenarios", "each", is_flag=True, help="Print the errors of each scenario, not only of each kind.")
@click.option("--report", type=OutputFile((".md",)), help="Write a page about the agreement, with its plot.")
@click.option(
    "--agreement",
    type=OutputFile((".csv",)),
    help="With --report, write the errors of each scenario for other reports.",
)
@click.option("--jobs", type=WholeNumber(1, 1024, 2), help="Number of parallel runs.  [default: one per CPU]")
def command(
    files: tuple[Path, ...],
    against: str | None,
    record: str | None,
    results: Path | None,
    truth: Path | None,
    on: str | None,
    only: tuple[str, ...],
    out: Path | None,
    repeats: int,
    each: bool,
    report: Path | None,
    agreement: Path | None,
    jobs: int | None,
) -> None:
    """Compare the simulator with recordings of Linux.

    Runs the scenarios of a truth folder, writes one row per flow, and prints the errors against Linux. Scenarios
    that need an unsupported algorithm or queue are skipped and reported.

    With --against, runs experiment files by the simulator and on a real kernel, at least three times each, with
    offsets of all flows drawn, and prints each metric of both with its 95 % interval.

    A truth folder with experiment files, such as calibration/kernels, holds what several kernels did in virtual time;
    --record adds another one.
    """
    from fairlane.cli import fidelity_kernels
    from fairlane.study.linux import kernels

    if against is not None or files:
        _against(files, against, max(repeats, 3), jobs, results, out)
        return
    if truth is not None and kernels.is_one(truth):
        if on is not None or only:
            raise bad_value("--on" if on is not None else "--only", "needs a folder with scenarios.json")
        fidelity_kernels.compare(truth, record, results, each=each, jobs=jobs)
        return
    if record is not None:
        raise bad_value("--record", "needs --truth with a folder of experiments: --truth calibration/kernels")
    if out is None:
        raise click.MissingParameter(param_hint="--out", param_type="option")
    from fairlane.cli.backends import place_of
    from fairlane.engine import algorithms
    from fairlane.engine.messages import unknown
    from fairlane.files import data_folder
    from fairlane.runs.backends import SIMULATOR
    from fairlane.runs.executors.processes import run_all
    from fairlane.study.linux import replay, score
    from fairlane.study.linux.replay import replays
    from fairlane.study.linux.truth import TruthError, as_repeats, as_scenario, load, missing

    folder = truth or data_folder("calibration") / "linux-6.12"
    try:
        scenarios = load(folder)
        if (folder / "linux.csv").exists():
            score.load(folder / "linux.csv")  # reports its errors before the runs
    except TruthError as error:
        raise bad_value("--truth", str(error)) from None
    place = SIMULATOR
    if on is not None:
        if report:
            raise bad_value("--report", "is about the simulator; leave out --on")
        place = place_of(on).backend
    if only:
        names = [one["name"] for one in scenarios]
        for name in only:
            if name not in names:
                raise bad_value("--only", unknown("scenario", name, names))
        scenarios = [one for one in scenarios if one["name"] in only]
    known = [algorithm["name"] for algorithm in algorithms()]
    reasons = {one["name"]: missing(one, known) for one in scenarios}
    recorded = [one for one in scenarios if not reasons[one["name"]]]
    together: dict[str, list[dict[str, Any]]] = {}
    for one in sorted(recorded, key=lambda one: str(one["name"])):
        together.setdefault(score.without_repeat(one["name"]), []).append(one)
    chosen = recorded + [repeat for runs in together.values() for repeat in as_repeats(runs, repeats)]
    try:
        replayed = replays(folder, recorded) if report else {}
        wanted = [as_scenario(one) for one in chosen] + list(replayed.values())
    except TruthError as error:
        raise bad_value("--truth", str(error)) from None
    from fairlane.show.text.progress import Bar

    progress = Bar(len(chosen) + len(replayed), "runs")
    keep = ["flows", "series"] if report else ["flows"]
    outcomes = run_all(wanted, jobs=jobs, keep=keep, on_done=progress.step, backend=place)
    progress.finish()
    outcomes, replay_outcomes = outcomes[: len(chosen)], outcomes[len(chosen) :]
    table = []
    failed = []
    for one, outcome in zip(chosen, outcomes, strict=True):
        if outcome.result is None:
            failed.append(f"{one['name']}: {outcome.error}")
        else:
            table += replay.rows(one["name"], outcome.result)
    replay.write(out, table)
    left_out = len(scenarios) - len(recorded)
    echo(f"{len(chosen) - len(failed)} of {len(chosen) + left_out} runs written to {out}")
    for reason in sorted({reason for reason in reasons.values() if reason}):
        runs = Counter(score.without_repeat(name) for name in reasons if reasons[name] == reason)
        names = [name if count == 1 else f"{name} ({count} runs)" for name, count in runs.items()]
        echo(f"skipped, {reason} is not supported: {', '.join(names)}", err=True)
    if (folder / "linux.csv").is_file() and table:
        from fairlane.show.agreement.text import scenarios_text, summary_text

        rows = score.score(folder, out, only_present=True)
        if each:
            echo("\n" + scenarios_text(rows))
        echo("\n" + summary_text(rows))
    if report:
        from fairlane.show.agreement.page import write

        made = {one["name"]: outcome.result for one, outcome in zip(chosen, outcomes, strict=True) if outcome.result}
        again = {
            name: outcome.result for name, outcome in zip(replayed, replay_outcomes, strict=True) if outcome.result
        }
        kernel_folder = data_folder("calibration") / "kernels"
        more, of_kernels = fidelity_kernels.section(kernel_folder, jobs) if truth is None else ("", {})
        if truth is None:
            from fairlane.show.agreement.cells_page import section

            more = "\n".join(one for one in (more, section(data_folder("calibration") / "cells")) if one)
        if agreement is not None:
            from fairlane.show.agreement.errors_csv import write_table

            write_table(agreement, folder, score.score(folder, out, only_present=True), kernel_folder, of_kernels)
            echo(f"written: {agreement}")
        for written in write(report, folder, out, made, again, more):
            echo(f"written: {written}")
    if failed:
        raise RunFailed(f"{len(failed)} runs failed; the first: {failed[0]}")


def _against(
    files: tuple[Path, ...], against: str | None, repeats: int, jobs: int | None, results: Path | None, out: Path | None
) -> None:
    from fairlane.cli.backends import place_of
    from fairlane.results.store.layout import StoreError
    from fairlane.runs.executors.processes import usable_cpus
    from fairlane.runs.sweep.runner import Preparation
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.scenario.load import load
    from fairlane.show.agreement.text import against_text
    from fairlane.show.text.progress import SweepBar
    from fairlane.study.linux import cells
    from fairlane.study.linux.against import compare, release

    if not files or against is None:
        raise bad_value("--against", "write both: fairlane fidelity --against vm FILE")
    place = place_of(against)
    if place.is_simulator:
        raise bad_value("--against", "the simulator agrees with itself; name a kernel, such as vm:debian-12")
    bars: list[SweepBar] = []

    def watch(missing: Preparation) -> SweepBar:
        bars.append(SweepBar(missing.tasks, jobs or usable_cpus()))
        return bars[-1]

    found: list[cells.Cell] = []
    for file in files:
        warnings: list[str] = []
        kept = results if results is None or len(files) == 1 else results / file.stem
        try:
            rows = compare(
                load(file), place.backend, repeats, jobs=jobs, results=kept, watcher=watch, warn=warnings.append
            )
        except (ExperimentError, StoreError) as error:
            raise RunFailed(str(error)) from None
        finally:
            for bar in bars:
                bar.finish()
        found += [cells.Cell(file.stem, against, release(place.backend), row) for row in rows]
        echo(f"{file}\n{against_text(rows)}" if len(files) > 1 else against_text(rows))
        for line in warnings:
            echo(f"warning: {line}", err=True)
        if out is not None:
            cells.write(out, found)
