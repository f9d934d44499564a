"""`fairlane.open`: tables with axes, series by filter; and the tables in other tools."""

import duckdb
import fairlane
import pandas as pd
import polars as pl
import pytest
from fairlane.results.store import batch, plans
from fairlane.results.store.store import Store

from .conftest import finished, plan


@pytest.fixture
def results(store):
    return fairlane.open(store.layout.root)


def test_tables_have_axes_seeds_and_figures(results):
    assert results.runs.height == 6
    assert results.flows.height == 12
    assert results.links.height == 12
    row = results.flows.row(3, named=True)
    assert row["rate_mbps"] == 20
    assert (row["seed"], row["repeat"]) == (1, 0)
    assert (row["flow"], row["name"], row["algorithm"]) == (1, "new", "bbr:x=1")
    assert row["goodput_mbps"] == 2.0
    assert results.runs["jain_index"].to_list() == [0.5] * 6


def test_equal_flows_of_one_entry_are_one_group(tmp_path):
    flow = {"algorithm": "reno", "workload": {"kind": "bytes", "bytes": "20kB"}}
    found = fairlane.run(
        {
            "duration": "1s",
            "network": {"rate": "10mbit", "rtt": "10ms", "buffer": "1bdp"},
            "flows": [{**flow, "name": "many", "count": 3}, {**flow, "name": "one"}],
        },
        tmp_path,
        progress=False,
    )
    assert found.flows["group"].to_list() == [0, 0, 0, 1]
    assert found.flows["name"].to_list() == ["many", "many", "many", "one"]
    assert found.table(["flow_count"], per="group")["flow_count"].to_list() == [3.0, 1.0]


def test_axes_say_name_column_and_unit(results):
    (axis,) = results.axes
    assert (axis.name, axis.column, axis.unit) == ("rate", "rate_mbps", "Mbps")
    assert "6 of 6 runs" in repr(results)
    assert "<table" in results._repr_html_()


@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        ({}, 18),
        ({"rate": "10mbit"}, 9),
        ({"rate": 10}, 9),
        ({"rate_mbps": [10, 20]}, 18),
        ({"algorithm": "cubic"}, 12),
        ({"rate": "20mbit", "name": ["new"], "repeat": 1}, 1),
    ],
)
def test_series_of_flows(results, filters, rows):
    series = results.series("flow", ["mbps"], **filters)
    assert series.height == rows
    assert series.columns[-4:] == ["t_s", "mbps", "experiment", "run"]
    assert {"rate_mbps", "seed", "flow", "name", "algorithm"} <= set(series.columns)


def test_series_of_links(results):
    series = results.series("link", name="bottleneck")
    assert series["queue_bytes"].to_list() == [10] * 6


@pytest.mark.parametrize(
    ("arguments", "filters", "said"),
    [
        (("flow", ["mbsp"]), {}, "did you mean mbps?"),
        (("flows",), {}, "did you mean flow?"),
        (("flow",), {"rat": 10}, "did you mean rate"),
        (("flow",), {"rate": "11mbit"}, "rate '11mbit'"),
    ],
)
def test_slips_are_named(results, arguments, filters, said):
    with pytest.raises(fairlane.StoreError) as caught:
        results.series(*arguments, **filters)
    assert said in str(caught.value)


def test_a_folder_without_results(tmp_path):
    with pytest.raises(fairlane.StoreError, match="no results"):
        fairlane.open(tmp_path)


def test_two_experiments_in_one_folder(store):
    plans.save(plan(2, "other"), store.layout)
    both = fairlane.open(store.layout.root)
    assert both.experiments == ["made-up", "other"]
    assert both.runs.height == 8
    assert fairlane.open(store.layout.root, "other").runs.height == 2
    with pytest.raises(fairlane.StoreError, match="did you mean other"):
        fairlane.open(store.layout.root, "othr")


def test_runs_appear_while_their_journal_is_open(layout):
    from fairlane.results.store.journal import Journal

    plans.save(plan(2), layout)
    journal = Journal(layout.journals)
    journal.append(*finished(0))
    assert fairlane.open(layout.root).flows.height == 2
    batch.write(layout, [finished(1)])
    assert fairlane.open(layout.root).flows.height == 4
    assert Store.at(layout.root).keys
    journal.close()


def test_other_tools_read_the_files_as_they_are(store):
    root = store.layout.root
    assert pl.read_parquet(root / "flows.parquet").height == 12
    assert len(pd.read_parquet(root / "flows.parquet")) == 12
    assert duckdb.sql(f"FROM '{root}/flows.parquet'").shape[0] == 12
    assert pl.read_parquet(root / "batches/*/flow_series.parquet").height == 18
    assert duckdb.sql(f"FROM '{root}/batches/*/flow_series.parquet'").shape[0] == 18
