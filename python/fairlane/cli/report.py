"""`fairlane report`: results as one page, or as LaTeX tables and figures."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli.errors import BadFile, RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.running import Progress
from fairlane.cli.types import OutputFile

if TYPE_CHECKING:
    from fairlane.report.content import Part


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane report results/fiftyshades2019",
        "fairlane report results/* -o papers.html",
        "fairlane report results/elephants2023 --latex paper",
    ],
)
@click.argument("results", metavar="[RESULTS...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("-o", "--out", type=OutputFile((".html",)), help="The page.  [default: report.html in RESULTS]")
@click.option("--quick", is_flag=True, help="Quick forms of studies, where the whole ones are there as well.")
@click.option(
    "--latex",
    "latex_folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="LaTeX tables, and figures as PDF and SVG, in this folder instead.",
)
def command(results: tuple[Path, ...], out: Path | None, quick: bool, latex_folder: Path | None) -> None:
    """Write one page with all that results say.

    RESULTS are folders that `fairlane reproduce` or `fairlane run` filled; without any, all folders in results. Nothing
    is run. The page is a single file that needs no network: each table and figure of a paper beside ours, a verdict on
    each claim, runs over time to zoom into, settings, versions, commands.
    """
    from fairlane.report.content import gather
    from fairlane.store.layout import Layout, StoreError
    from fairlane.study.study import StudyError

    folders = list(results) or sorted(path for path in Path("results").glob("*") if Layout(path).is_store())
    if not folders:
        raise bad_value("RESULTS", "there is no folder with results in 'results'; name one")
    try:
        parts = gather(folders, quick=True if quick else None)
    except StoreError as error:
        raise bad_value("RESULTS", str(error)) from None
    except StudyError as error:
        raise BadFile(str(error)) from None
    try:
        if latex_folder is not None:
            _write_latex(latex_folder, parts)
        else:
            again = ["fairlane", "report", *map(str, folders), *(["--quick"] if quick else [])]
            path = out or (folders[0] if len(folders) == 1 else Path()) / "report.html"
            _write_page(path, parts, shlex.join(again))
    except OSError as error:
        raise RunFailed(f"cannot write '{error.filename}' ({error.strerror}); name another place") from None


def _write_page(path: Path, parts: "list[Part]", again: str) -> None:
    from fairlane.report.page import page
    from fairlane.units import show_bytes

    progress = Progress(sum(len(part.comparisons) for part in parts), "tables and figures")
    text = page(parts, again, on_drawn=progress.step)
    progress.finish()
    path.write_text(text, encoding="utf-8")
    click.echo(f"report: {path} ({show_bytes(path.stat().st_size)})")


def _write_latex(folder: Path, parts: "list[Part]") -> None:
    from fairlane.report.latex import write

    for path in write(folder, parts):
        click.echo(path)
