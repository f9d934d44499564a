"""`fairlane packetdrill`: behaviour scripts, played against the simulator's TCP."""

from collections import Counter
from pathlib import Path

import click

from fairlane import files
from fairlane.algorithm.name import Kind
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import bad_value, blamed_on
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named
from fairlane.cli.types import WholeNumber
from fairlane.files import FileError
from fairlane.show.text.terminal import echo

WORDS = {"passed": "ok", "failed": "FAIL", "unsupported": "skip"}


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane packetdrill tests/behaviour",
        "fairlane packetdrill --verbose slow-start.pkt",
        "fairlane packetdrill --algorithm ./mine.c slow-start.pkt",
        "fairlane packetdrill --init-scripts defaults.sh gtests/net/tcp",
    ],
)
@click.argument("paths", nargs=-1, required=True, metavar="FILE.pkt...", type=click.Path(path_type=Path))
@click.option(
    "--init-scripts",
    "init_scripts",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A file of shell commands with settings to apply before each script's own; repeatable.",
)
@click.option(
    "--tolerance-usecs",
    "tolerance",
    type=WholeNumber(0, 10_000_000, 14_000),
    help="Tolerance for times, unless the script sets one.  [default: 4000]",
)
@click.option(
    "--hz",
    type=WholeNumber(1, 10_000, 250),
    help="Timer frequency of the kernel for which the scripts were written (CONFIG_HZ).  [default: 1000]",
)
@click.option(
    "--algorithm",
    metavar="NAME|FILE.c",
    help="The congestion control of connections whose socket sets none.  [default: cubic]",
)
@click.option("--verbose", "-v", is_flag=True, help="Print the scripts' output, and settings that have no effect here.")
@containment_options
def command(
    paths: tuple[Path, ...],
    init_scripts: tuple[Path, ...],
    tolerance: int | None,
    hz: int | None,
    algorithm: str | None,
    verbose: bool,
) -> int:
    """Play behaviour scripts against the simulator's TCP.

    FILE is a script in packetdrill's language, or a folder whose scripts are all played. Time is virtual, so the
    outcome is deterministic. Shell commands are not run, but settings in them are applied. A script can select
    built-in congestion controls only; C files are named with --algorithm.

    Exit status: 0 all passed; 1 at least one failed; 77 none failed, but one needs an unsupported feature.
    """
    from fairlane.engine import packetdrill

    options: dict[str, object] = {"setup": "\n".join(_read(path, "--init-scripts") for path in init_scripts)}
    if tolerance is not None:
        options["tolerance_usecs"] = tolerance
    if hz is not None:
        options["hz"] = hz
    if algorithm is not None:
        named = algorithm_named(algorithm)
        if named.kind is Kind.PYTHON:
            raise bad_value("--algorithm", f"'{algorithm}' is a Python class; scripts are played with C programs alone")
        options["algorithm"], options["parameters"] = named.source, dict(named.parameters)
    counts: Counter[str] = Counter()
    for path in _scripts(paths):
        report = packetdrill(str(path), _read(path, "FILE.pkt"), **options)
        counts[report["verdict"]] += 1
        if verbose:
            for line in report["printed"]:
                echo(line)
        echo(f"{WORDS[report['verdict']]:<5}{path}")
        if report["message"]:
            echo(report["message"], err=report["verdict"] == "failed")
        for note in report["notes"] if verbose else []:
            echo(f"     note: {note}")
        if report["notes"] and not verbose:
            more = len(report["notes"]) - 1
            echo(f"     note: {report['notes'][0]}" + (f" (and {more} more; --verbose lists all)" if more else ""))
    echo(f"{counts['passed']} passed, {counts['failed']} failed, {counts['unsupported']} not supported")
    return 1 if counts["failed"] else 77 if counts["unsupported"] else 0


def _scripts(paths: tuple[Path, ...]) -> list[Path]:
    found = []
    for path in paths:
        below = sorted(path.rglob("*.pkt")) if path.is_dir() else [path]
        if not below:
            raise bad_value("FILE.pkt", f"there is no script in {path}")
        found += below
    return found


def _read(path: Path, option: str) -> str:
    with blamed_on(option, FileError):
        return files.text(path, "name a script in packetdrill's language")
