"""`fairlane report`: results as one page, or as LaTeX tables and figures."""

import shlex
from pathlib import Path

import click

from fairlane.cli.errors import BadFile, RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.types import OutputFile


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane report results/fiftyshades2019",
        "fairlane report results/* -o papers.html",
    ],
)
@click.argument("results", metavar="[RESULTS...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("-o", "--out", type=OutputFile((".html",)), help="The page.  [default: report.html in RESULTS]")
@click.option("--quick", is_flag=True, help="Quick forms of studies, where the whole ones are there as well.")
def command(results: tuple[Path, ...], out: Path | None, quick: bool) -> None:
    """Write one page with all that results say.

    RESULTS are folders that `fairlane reproduce` or `fairlane run` filled; without any, all folders in results. Nothing
    is run. The page is a single file that needs no network: each table and figure of a paper beside ours, a verdict on
    each claim, runs over time to zoom into, settings, versions, commands.
    """
    from fairlane.report.content import gather
    from fairlane.store.layout import Layout, StoreError
    from fairlane.study.study import StudyError
    from fairlane.units import show_bytes

    folders = list(results) or sorted(path for path in Path("results").glob("*") if Layout(path).is_store())
    if not folders:
        raise bad_value("RESULTS", "there is no folder with results in 'results'; name one")
    path = out or (folders[0] if len(folders) == 1 else Path()) / "report.html"
    try:
        parts = gather(folders, quick=True if quick else None)
    except StoreError as error:
        raise bad_value("RESULTS", str(error)) from None
    except StudyError as error:
        raise BadFile(str(error)) from None
    from fairlane.report.page import page

    again = ["fairlane", "report", *map(str, folders), *(["--quick"] if quick else [])]
    text = page(parts, shlex.join(again))
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RunFailed(f"cannot write '{path}' ({error.strerror}); name another file with -o") from None
    click.echo(f"report: {path} ({show_bytes(path.stat().st_size)})")
