"""`fairlane report`: results as one page, or as LaTeX tables and figures."""

import gc
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli.containment import trust_option
from fairlane.cli.errors import bad_value, blamed_on, writing
from fairlane.cli.help import ExampleCommand
from fairlane.cli.types import OutputFile
from fairlane.files import write_text
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.show.report.study_contents import Part


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
@click.option("--quick", is_flag=True, help="Report the quick subset of a study even if the whole study is stored.")
@click.option(
    "--latex",
    "latex_folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write LaTeX tables, and figures as PDF and SVG, into this folder instead.",
)
@trust_option
def command(results: tuple[Path, ...], out: Path | None, quick: bool, latex_folder: Path | None) -> None:
    """Write a report on one page.

    RESULTS are folders that `fairlane reproduce` or `fairlane run` wrote; the default is all folders in results. The
    command runs no simulation. The page is a single file that needs no network: each table and figure next to the
    paper's, a verdict on each claim, zoomable time series, settings, versions and commands.
    """
    from fairlane.results.store.layout import Layout, StoreError
    from fairlane.show.report.study_contents import gather

    folders = list(results) or sorted(path for path in Path("results").glob("*") if Layout(path).is_store())
    if not folders:
        raise bad_value("RESULTS", "there is no results folder in 'results'; name one")
    with blamed_on("RESULTS", StoreError):
        parts = gather(folders, quick=True if quick else None)
    with writing("path"):
        if latex_folder is not None:
            _write_latex(latex_folder, parts)
        else:
            again = ["fairlane", "report", *map(str, folders), *(["--quick"] if quick else [])]
            path = out or (folders[0] if len(folders) == 1 else Path()) / "report.html"
            _write_page(path, parts, shlex.join(again))
    for line in dict.fromkeys(line for part in parts for line in part.damage):
        echo(f"fairlane: {line}", err=True)


def _write_page(path: Path, parts: "list[Part]", again: str) -> None:
    from fairlane.scenario.units import show_bytes
    from fairlane.show.report.page import page
    from fairlane.show.text.progress import Bar

    gc.freeze()  # figures are full of cycles, and none is among what was read
    with Bar(sum(len(part.comparisons) for part in parts), "tables and figures") as bar:
        text = page(parts, again, on_drawn=bar.step)
    write_text(path, text)
    echo(f"report: {path} ({show_bytes(path.stat().st_size)})")


def _write_latex(folder: Path, parts: "list[Part]") -> None:
    from fairlane.show.report.latex import write
    from fairlane.show.text.progress import meanwhile

    with meanwhile("drawing the figures"):
        written = list(write(folder, parts))
    for path in written:
        echo(path)
