"""`fairlane fidelity`: the simulator compared with recordings of Linux."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlane.cli.errors import RunFailed, bad_value, blamed_on
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import at_a_time, folder_of_results, jobs
from fairlane.cli.types import OutputFile, WholeNumber
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.study.linux.kernel_recordings import Recordings
    from fairlane.study.linux.score import Errors


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane fidelity --out fidelity.csv",
        "fairlane fidelity --truth calibration/linux-6.12 --out fidelity.csv --scenarios",
        "fairlane fidelity --on vm:debian-13 --only single-20m-40ms-1bdp-cubic --out vm.csv",
        "fairlane fidelity --against vm:debian-12 buffers.toml --repeats 5 --results results/agreement",
        "fairlane fidelity --against namespaces calibration/cells/lin.toml --out cells.csv",
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
@folder_of_results("With --against and --record: keep the runs here, so that the same command resumes.")
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
@jobs
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

    A truth folder with experiment files, such as calibration/kernels, holds results of several kernels in virtual time;
    --record adds another one.
    """
    from fairlane.study.linux import kernel_recordings

    if against is not None or files:
        _against(files, against, max(repeats, 3), jobs, results, out)
    elif truth is not None and kernel_recordings.is_one(truth):
        if on is not None or only:
            raise bad_value("--on" if on is not None else "--only", "needs a folder with scenarios.json")
        _kernels(truth, record, results, each=each, jobs=jobs)
    elif record is not None:
        raise bad_value("--record", "needs --truth with a folder of experiments: --truth calibration/kernels")
    elif out is None:
        raise click.MissingParameter(param_hint="--out", param_type="option")
    else:
        _recordings(truth, on, only, out, repeats, report, agreement, each=each, jobs=jobs)


def _recordings(
    truth: Path | None,
    on: str | None,
    only: tuple[str, ...],
    out: Path,
    repeats: int,
    report: Path | None,
    agreement: Path | None,
    *,
    each: bool,
    jobs: int | None,
) -> None:
    """Runs the scenarios of a truth folder, and prints and writes how they agree."""
    from fairlane.cli.backends import place_of
    from fairlane.engine.messages import unknown
    from fairlane.files import data_folder
    from fairlane.runs.backends import SIMULATOR
    from fairlane.show.comparison.agreement_text import scenarios_text, summary_text
    from fairlane.show.text.progress import Bar
    from fairlane.study.linux.kernel_recordings import Recordings
    from fairlane.study.linux.recorded_study import RecordedStudy
    from fairlane.study.linux.score import write_rows
    from fairlane.study.linux.truth import TruthError

    if on is not None and report:
        raise bad_value("--report", "is about the simulator; leave out --on")
    place = SIMULATOR if on is None else place_of(on).backend
    with blamed_on("--truth", TruthError):
        study = RecordedStudy(truth or data_folder("calibration") / "linux-6.12")
        names = [one.name for one in study.scenarios]
        for name in only:
            if name not in names:
                raise bad_value("--only", unknown("scenario", name, names))
        plan = study.plan(repeats, only, series=report is not None)
    with Bar(len(plan), "runs") as bar:
        done = plan.run(jobs, bar.step, place)
    write_rows(out, done.rows)
    echo(f"{len(done.results)} of {len(plan.runs) + plan.left_out} runs written to {out}")
    for line in plan.skipped:
        echo(line, err=True)
    rows = study.errors(done.rows)
    if rows:
        if each:
            echo("\n" + scenarios_text(rows))
        echo("\n" + summary_text(rows))
    if report:
        from fairlane.show.comparison.agreement_page import write_with_kernels

        folders = [Recordings(data_folder("calibration") / name) for name in ("kernels", "domains")]
        kernels = [(one, _kernel_errors(one, jobs)) for one in folders if truth is None]
        for path in write_with_kernels(report, study.folder, rows, done, kernels, agreement):
            echo(f"written: {path}")
    if done.failed:
        raise RunFailed(f"{len(done.failed)} runs failed; the first: {done.failed[0]}")


def _kernels(folder: Path, record: str | None, results: Path | None, *, each: bool, jobs: int | None) -> None:
    """Records a kernel if one is named, and prints the errors against each kernel that is recorded."""
    from fairlane.engine.messages import counted
    from fairlane.files import FileError
    from fairlane.show.comparison.agreement_text import kernels_text, scenarios_text
    from fairlane.study.linux.kernel_recordings import Recordings

    if record is not None:
        _record(folder, record, results or Path("results") / f"kernels-{record}", jobs or 1)
    with blamed_on("--truth", FileError):
        recordings = Recordings(folder)
    found = _kernel_errors(recordings, jobs)
    if not found:
        raise bad_value("--truth", f"{folder} has no linux-VERSION.csv; record one: --record debian-13")
    for release, rows in found.items():
        if each:
            echo(f"Linux {release}, {counted(len(rows), 'scenario')}\n{scenarios_text(rows)}\n")
    echo(kernels_text(found))


def _kernel_errors(recordings: "Recordings", jobs: int | None) -> "dict[str, list[Errors]]":
    """The errors of the simulator, by release."""
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.show.text.progress import Bar

    with blamed_on("--truth", ExperimentError), Bar(recordings.runs, "runs") as bar:
        return recordings.errors(jobs, bar.step)


def _record(folder: Path, kernel: str, results: Path, jobs: int) -> None:
    from fairlane.algorithm.kernel import KernelError
    from fairlane.results.store.layout import StoreError
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.study.linux import kernel_recordings

    try:
        with blamed_on("--record", KernelError):
            written, failed = kernel_recordings.record(folder, kernel, results, jobs)
    except (ExperimentError, StoreError) as error:
        raise RunFailed(str(error)) from None
    echo(f"written: {written}")
    for line in failed:
        echo(f"failed: {line}", err=True)


def _against(
    files: tuple[Path, ...], against: str | None, repeats: int, jobs: int | None, results: Path | None, out: Path | None
) -> None:
    from fairlane.cli.backends import place_of
    from fairlane.results.store.layout import StoreError
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.show.comparison.comparison_text import comparison_text
    from fairlane.show.text.progress import SweepBars
    from fairlane.study.linux.against import compare, write

    if not files or against is None:
        raise bad_value("--against", "write both: fairlane fidelity --against vm FILE")
    place = place_of(against)
    if place.is_simulator:
        raise bad_value("--against", "the simulator agrees with itself; name a kernel, such as vm:debian-12")
    found = []
    for file in files:
        warnings: list[str] = []
        kept = results if results is None or len(files) == 1 else results / file.stem
        try:
            with SweepBars(at_a_time(jobs)) as bars:
                options: dict[str, Any] = {"jobs": jobs, "results": kept, "watcher": bars.watch}
                found.append(compare(file, against, place.backend, repeats, warn=warnings.append, **options))
        except (ExperimentError, StoreError) as error:
            raise RunFailed(str(error)) from None
        text = comparison_text(found[-1])
        echo(f"{file}\n{text}" if len(files) > 1 else text)
        for line in warnings:
            echo(f"warning: {line}", err=True)
        if out is not None:
            write(out, found)
