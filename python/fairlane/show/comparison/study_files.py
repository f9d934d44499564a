"""The files of a study's tables and figures: numbers as CSV, ours beside the paper's as plots."""

from collections.abc import Mapping
from pathlib import Path

from fairlane.files import refuse_links
from fairlane.results.tables import ResultTables
from fairlane.show.comparison.comparison_text import write_csv
from fairlane.show.comparison.pictures import draw_comparison
from fairlane.show.comparison.time_series import draw_timelines
from fairlane.study.paper.comparison import Comparison


def write_comparison(folder: Path, comparison: Comparison, results: Mapping[str, ResultTables]) -> None:
    """Writes the table and the plots of one table or figure to `folder`. Raises OSError."""
    table = folder / "table.csv"
    refuse_links(table, inside=folder.parent)
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(table, comparison)
    draw_comparison(folder / "ours-and-paper.png", comparison)
    if comparison.item.time_series:
        list(draw_timelines(folder, comparison, results))  # each is drawn when it is asked for
