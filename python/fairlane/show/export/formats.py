"""All formats, by name."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.results.tables import ResultTables
from fairlane.show.export.file_names import ExportError, Tell, ignore, write

FORMATS = {
    "csv": "tables, a file for each",
    "parquet": "tables, with types, a file for each",
    "iperf3": "what iperf3 --json prints, a file for each flow",
    "flent": "Flent's .flent.gz, a file for each run",
    "pcapng": "packet captures for Wireshark and tshark, a file for each run",
    "qlog": "logs of QUIC endpoints for qvis, a file for each flow",
}
OPTIONS = {
    "csv": {"tables"},
    "parquet": {"tables"},
    "iperf3": {"interval_s"},
    "flent": set[str](),
    "pcapng": {"at", "payload_bytes", "algorithms"},
    "qlog": {"at", "algorithms"},
}
"""The options of each."""
_MODULES = {
    **{form: ("csv_parquet", {"form": form}) for form in ("csv", "parquet")},
    **{form: ("resimulate", {"form": form}) for form in ("pcapng", "qlog")},
}
"""Modules of several formats, and which one is meant; the others have a module of their name."""

NOTICE = "INCOMPLETE.txt"
"""Next to exported files if runs are missing, or files of the results were found damaged."""


def export(
    results: ResultTables, form: str, out: Path, filters: Mapping[str, object], tell: Tell = ignore, **options: Any
) -> list[Path]:
    """Writes the results that pass the filters in that format, and returns the files.

    `tell` receives a message before many files are written, and one for everything that is left out, with the reason.
    """
    files = _export(results, form, out, filters, tell, **options)
    notice = out / NOTICE
    if out not in files:
        if results.notice:
            write(notice, f"{results.notice}\n".encode())
        else:
            notice.unlink(missing_ok=True)
    return files


def _export(
    results: ResultTables, form: str, out: Path, filters: Mapping[str, object], tell: Tell, **options: Any
) -> list[Path]:
    if form not in FORMATS:
        raise ExportError(unknown("format", form, FORMATS))
    for name in options:
        if name not in OPTIONS[form]:
            raise ExportError(f"{form} has no {name.replace('_', ' ')}; it has {_listed(OPTIONS[form])}")
    module, given = _MODULES.get(form, (form, {}))
    written: list[Path] = import_module(f"fairlane.show.export.{module}").export(
        results, out, filters, tell, **given, **options
    )
    return written


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(name.replace("_", " ") for name in names)) or "no options"
