"""Tables of README.md: printed, and with `--write` in the arguments also written between their markers."""

import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

README = Path(__file__).with_name("README.md")
WRITE = "--write"


def arguments() -> list[str]:
    """The arguments of the command without `--write`."""
    return [argument for argument in sys.argv[1:] if argument != WRITE]


def show(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Prints the table `name`; the first column is text, the others are numbers."""
    lines = [_row(columns), "|---|" + "---:|" * (len(columns) - 1), *map(_row, rows)]
    text = "\n".join([f"{conditions()}:", "", *lines])
    print(text, flush=True)
    if WRITE in sys.argv:
        README.write_text(replaced(README.read_text(), name, text))


def replaced(page: str, name: str, text: str) -> str:
    """The page with the table `name` replaced."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"{README.name} has no table {name}: it lacks '{begin.strip()}' or '{end.strip()}'")
    return f"{before}{begin}\n{text}\n\n{end}{after}"


def conditions() -> str:
    """Date, machine, load and commit of a measurement."""
    return (
        f"{time.strftime('%Y-%m-%d')}, {_processor()}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}, "
        f"commit {_commit()}"
    )


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(command, cwd=README.parent, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"
