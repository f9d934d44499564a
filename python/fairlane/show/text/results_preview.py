"""A preview of results: what they are, and a small table, for a terminal or a notebook."""

from collections.abc import Sequence
from html import escape
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.tables import ResultTables
from fairlane.show.text.aligned import LEFT, RIGHT, text_table, visible

MOST_ROWS = 10
SHOWN = ("goodput_mbps", "mean_rtt_ms", "mean_cwnd_packets", "retransmits", "timeouts")
"""Metrics of flows."""


def preview(results: ResultTables) -> str:
    """A summary, and the most common metrics of the first groups of flows."""
    shown = _groups(results.flows, _swept(results)) if results.flows.height else ""
    return "\n\n".join(filter(None, [_summary(results), shown]))


def preview_html(results: ResultTables) -> str:
    """The same for a notebook: a row for each flow."""
    with pl.Config(tbl_rows=MOST_ROWS, tbl_cols=20, float_precision=2, tbl_hide_column_data_types=True):
        return f"<p>{escape(_summary(results))}</p>{_flows(results)._repr_html_()}"


def _swept(results: ResultTables) -> list[str]:
    return [axis.column for axis in results.axes if len(axis.values) > 1]


def _summary(results: ResultTables) -> str:
    axes = ", ".join(f"{axis.name} ({len(axis.values)})" for axis in results.axes) or "none"
    planned = sum(len(plan.runs) for plan in results.plans)
    return f"Results of {', '.join(results.experiments)}: {results.runs.height} of {planned} runs, axes: {axes}"


def _flows(results: ResultTables) -> "pl.DataFrame":
    """Of each flow the axes and the most common metrics; columns that say nothing are left out."""
    axes = _swept(results)
    wanted = dict.fromkeys([*axes, "repeat", "flow", "name", "algorithm", *SHOWN])
    table = results.flows.select([column for column in wanted if column in results.flows.columns])
    idle = {name for name in ("repeat", "name") if name in table.columns and table[name].n_unique() == 1}
    if "name" in table.columns and (table["name"] == table["algorithm"]).all():
        idle.add("name")
    return table.drop(list(idle - set(axes)))


def _groups(flows: "pl.DataFrame", axes: Sequence[str]) -> str:
    """A row for each point of the sweep and kind of flow, means over flows and repeats; the first `MOST_ROWS`.

    Columns that say the same as another are left out. `flows` has at least one row.
    """
    names = ["algorithm"] if (flows["name"] == flows["algorithm"]).all() else ["name", "algorithm"]
    told = dict.fromkeys([*(axis for axis in axes if axis in flows.columns), *names])
    by = _distinct(flows, list(told))
    means = [pl.col(name).mean() for name in SHOWN if name in flows.columns]
    groups = flows.group_by(by, maintain_order=True).agg(pl.len().alias("flows"), *means)
    counted = [] if groups["flows"].max() == 1 else ["flows"]
    columns = [column for column in (*by, *counted, *SHOWN) if column in groups.columns]
    rows = [[_text(value) for value in row] for row in groups.head(MOST_ROWS).select(columns).iter_rows()]
    headings = [(column, LEFT if column in by else RIGHT) for column in columns]
    notes = ["means over flows and repeats"] if counted else []
    notes += [f"{groups.height - MOST_ROWS:,} more rows"] if groups.height > MOST_ROWS else []
    return text_table(headings, rows) + (f"\n({'; '.join(notes)})" if notes else "")


def _distinct(flows: "pl.DataFrame", columns: Sequence[str]) -> list[str]:
    """Those that distinguish rows which earlier columns do not; of a single row the last."""
    kept: list[str] = []
    for column in columns:
        before = flows.select(kept).n_unique() if kept else 1
        if flows.select([*kept, column]).n_unique() > before:
            kept.append(column)
    return kept or [columns[-1]]


def _text(value: Any) -> str:
    """A mean with two digits, anything else as it is."""
    return visible(value, 2) if value is None or isinstance(value, float) else str(value)
