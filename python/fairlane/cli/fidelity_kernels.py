"""`fairlane fidelity` on a folder of experiments that kernels ran in virtual time."""

from pathlib import Path
from typing import TYPE_CHECKING

from fairlane.cli.errors import RunFailed, bad_value
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.study.linux.kernels import Row


def compare(folder: Path, record: str | None, results: Path | None, *, each: bool, jobs: int | None) -> None:
    """Records a kernel if one is named, and prints the errors against each kernel that is recorded."""
    from fairlane.engine.messages import counted
    from fairlane.show.agreement.text import kernels_scenarios_text, kernels_summary_text

    if record is not None:
        _record(folder, record, results, jobs)
    _, found = errors(folder, jobs)
    if not found:
        raise bad_value("--truth", f"{folder} has no linux-VERSION.csv; record one: --record debian-13")
    for release, rows in found.items():
        if each:
            echo(f"Linux {release}, {counted(len(rows), 'scenario')}\n{kernels_scenarios_text(rows)}\n")
    echo(kernels_summary_text(found))


def section(folder: Path, jobs: int | None) -> "tuple[str, dict[str, list[Row]]]":
    """The part of the page on agreement that is about these kernels, and the errors; empty if none is recorded."""
    from fairlane.show.agreement import kernel_page as kernel_report
    from fairlane.study.linux import kernels

    if not kernels.is_one(folder) or not kernels.recorded(folder):
        return "", {}
    linux, found = errors(folder, jobs)
    return kernel_report.section(folder, linux, found), found


def errors(folder: Path, jobs: int | None) -> "tuple[dict[str, list[Row]], dict[str, list[Row]]]":
    """What each kernel did, and the errors of the simulator, by release."""
    from fairlane.files import FileError
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.show.text.progress import Bar
    from fairlane.study.linux import kernels

    try:
        linux = {release: kernels.load_rows(path) for release, path in kernels.recorded(folder).items()}
        names = {release: sorted({row["scenario"] for row in rows}) for release, rows in linux.items()}
        progress = Bar(sum(len(one) for one in names.values()) * kernels.REPEATS, "runs")
        found = {
            release: kernels.compare(
                rows, kernels.simulated(folder, release, names[release], jobs=jobs, on_done=progress.step)
            )
            for release, rows in linux.items()
        }
        progress.finish()
    except (ExperimentError, FileError) as error:
        raise bad_value("--truth", str(error)) from None
    return linux, found


def _record(folder: Path, kernel: str, results: Path | None, jobs: int | None) -> None:
    from fairlane.algorithm.kernel import KernelError
    from fairlane.results.store.layout import StoreError
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.study.linux import kernels

    try:
        written, failed = kernels.record(folder, kernel, results or Path("results") / f"kernels-{kernel}", jobs or 1)
    except KernelError as error:
        raise bad_value("--record", str(error)) from None
    except (ExperimentError, StoreError) as error:
        raise RunFailed(str(error)) from None
    echo(f"written: {written}")
    for line in failed:
        echo(f"failed: {line}", err=True)
