"""CSV and Parquet."""

import duckdb
import pandas as pd
import polars as pl
import pytest


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_file_for_each_table(cli, pairs, tmp_path, form):
    outcome = cli("export", pairs.path, form, "-o", tmp_path / "out")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == f"{form}: {tmp_path}/out/runs.{form} and 2 more\n"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        f"{n}.{form}" for n in ("flows", "links", "runs")
    ]


def test_parquet_equals_the_results(pairs, tmp_path):
    (path,) = pairs.export("parquet", tmp_path / "flows.parquet")
    assert pl.read_parquet(path).equals(pairs.flows)
    assert duckdb.sql(f"select count(*) from '{path}'").fetchall() == [(pairs.flows.height,)]


def test_csv_is_read_by_pandas(pairs, tmp_path):
    (path,) = pairs.export("csv", tmp_path / "series.csv", tables=["flow-series"], where={"buffer": "25kB", "flow": 1})
    frame = pd.read_csv(path)
    samples = pairs.series("flow", buffer="25kB", flow=1)
    assert list(frame.columns) == samples.columns
    assert frame["mbps"].to_list() == pytest.approx(samples["mbps"].to_list(), rel=1e-6)
    assert set(frame["buffer_kb"]) == {25.0}


def test_filters_by_flow_choose_runs_too(pairs, tmp_path):
    """`name` is a column of flows and of links; it says which flows are meant."""
    runs, links = pairs.export(
        "parquet", tmp_path, tables=["runs", "links"], where={"against": "reno", "name": "first"}
    )
    assert set(pl.read_parquet(runs)["against"]) == {"reno"}
    assert set(pl.read_parquet(links)["name"]) == {"bottleneck", "return"}
