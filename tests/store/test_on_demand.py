"""Columns of flows are read on demand."""

import polars as pl
import pytest
from fairlane.results.metrics.frame import table
from fairlane.results.store.layout import StoreError
from fairlane.results.store.store import Store
from fairlane.results.tables import ResultTables
from fairlane.show.report.outcome import finding

NAME = "pairs"


def test_the_same_columns(pairs):
    whole = ResultTables(pairs.path, NAME).flows
    columns = ResultTables(pairs.path, NAME, light=True).flow_columns
    assert sorted(columns.columns) == sorted(whole.columns)
    assert columns.height == whole.height
    for name in whole.columns:
        assert columns.get_column(name).to_list() == whole[name].to_list(), name
    assert columns.select(["run", "against", "algorithm"]).equals(whole.select(["run", "against", "algorithm"]))


def test_metrics_and_findings_read_few_columns(pairs, monkeypatch):
    read: list[str] = []
    original = Store.read

    def counted(self, name, kind, columns=None, without=(), budget=None):
        if kind == "flows":
            assert columns is not None
            read.extend(columns)
        return original(self, name, kind, columns, without, budget)

    monkeypatch.setattr(Store, "read", counted)
    light, whole = ResultTables(pairs.path, NAME, light=True), ResultTables(pairs.path, NAME)
    metrics = ["goodput_mbps", "mean_rtt_ms", "jain_index"]
    frames = [table(light, metrics, per) for per in ("run", "group")]
    found = finding(light)
    assert {"mean_rtt_ms", "goodput_mbps"} < set(read)
    assert "max_rtt_ms" not in read
    assert len(read) == len(set(read)) + read.count("flow") - 1, "each column once"
    monkeypatch.undo()
    assert all(one.equals(table(whole, metrics, per)) for one, per in zip(frames, ("run", "group"), strict=True))
    assert found == finding(whole)


def test_concurrent_changes_are_noticed(pairs, monkeypatch):
    columns = ResultTables(pairs.path, NAME, light=True).flow_columns
    columns.select(["goodput_mbps"])
    original = Store.read
    monkeypatch.setattr(Store, "read", lambda *given: original(*given).head(3))
    with pytest.raises(StoreError, match="try again"):
        columns.select(["mean_rtt_ms"])


def test_a_column_of_text_and_one_without_values(pairs):
    columns = ResultTables(pairs.path, NAME, light=True).flow_columns
    assert columns.get_column("completion_s").to_list() == [None] * columns.height
    assert columns.get_column("algorithm").dtype == pl.String
