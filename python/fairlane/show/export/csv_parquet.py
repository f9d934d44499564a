"""CSV and Parquet: the tables as they are, axes included."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.engine.messages import unknown
from fairlane.files import replacing
from fairlane.results.tables import ResultTables
from fairlane.show.export.file_names import ExportError, Tell, make_folder, places, refused
from fairlane.show.text.spreadsheet import columns_as_text

TABLES = {
    "runs": "a row for each run: axes, seed, metrics of the whole, provenance",
    "flows": "a row for each flow",
    "links": "a row for each link of each run",
    "flow-series": "a row for each sample of each flow",
    "link-series": "a row for each sample of each link",
}
USUAL = ("runs", "flows", "links")


def export(
    results: ResultTables, out: Path, filters: Mapping[str, Any], tell: Tell, *, form: str, tables: Sequence[str] = ()
) -> list[Path]:
    """Writes these tables as `form`, "csv" or "parquet". A single file holds the flows by default."""
    suffix = f".{form}"
    chosen = list(tables) or (["flows"] if out.name.endswith(suffix) else list(USUAL))
    for name in chosen:
        if name not in TABLES:
            raise ExportError(unknown("table", name, TABLES))
    paths = places(chosen, out, suffix, tell)
    for name, path in zip(chosen, paths, strict=True):
        frame = _frame(results, name, filters)
        make_folder(path)
        try:
            with replacing(path) as temporary:
                if form == "csv":
                    columns_as_text(frame).write_csv(temporary)
                else:
                    frame.write_parquet(temporary, compression="zstd")
        except OSError as error:
            raise refused(path, error) from None
    return paths


def _frame(results: ResultTables, name: str, filters: Mapping[str, object]) -> "pl.DataFrame":
    if name.endswith("-series"):
        kind = name.removesuffix("-series")
        return results.series(kind, None, **_fitting(results, kind + "s", filters))
    return results.select(name, _fitting(results, name, filters))


def _fitting(results: ResultTables, table: str, filters: Mapping[str, object]) -> Mapping[str, object]:
    """Filters by what only flows have choose runs in the other tables."""
    if table == "flows" or not filters:
        return filters
    return {"run": results.select("flows", filters)["run"].unique(maintain_order=True).to_list()}
