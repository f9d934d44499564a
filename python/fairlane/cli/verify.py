"""`fairlane verify`: whether the files of results are what was written."""

from pathlib import Path

import click

from fairlane.cli.errors import RunFailed, blamed_on
from fairlane.cli.help import ExampleCommand
from fairlane.show.text.terminal import echo


@click.command(
    cls=ExampleCommand, examples=["fairlane verify results/buffers", "fairlane verify results/buffers --repair"]
)
@click.argument("results", type=click.Path(path_type=Path), metavar="RESULTS")
@click.option("--repair", "wanted", is_flag=True, help="Set damaged files aside, and make the tables again.")
def command(results: Path, wanted: bool) -> None:
    """Check every file of stored results against its checksum.

    RESULTS is a folder that `fairlane run` wrote. Damaged files are listed, and the exit status is 1. With --repair
    they are moved to RESULTS/corrupt; the runs that are lost are computed when the experiment is run again.
    """
    from fairlane.results.store.layout import StoreError
    from fairlane.results.verify import repair, verify
    from fairlane.scenario.units import show_bytes

    with blamed_on("RESULTS", StoreError):
        found = verify(results)
        for damage in found.damage:
            echo(damage)
        if found.damage and wanted:
            found = repair(results)
            echo(f"repaired; what was damaged is in {results / 'corrupt'}")
    for experiment, (present, planned) in found.runs.items():
        rest = "" if present == planned else "; run the experiment again for the others"
        echo(f"{experiment}: {present} of {planned} runs{rest}")
    if found.damage:
        left = "could not be repaired" if wanted else f"repair them: fairlane verify {results} --repair"
        raise RunFailed(f"{len(found.damage)} damaged files in '{results}'; {left}")
    if found.obstacle:
        raise RunFailed(found.obstacle)
    echo(f"{results} is intact: {show_bytes(found.size_bytes)} match their checksums")
