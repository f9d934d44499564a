"""Rows of a table as metrics read them."""

import polars as pl
import pytest
from fairlane.results.metrics.rows import RowsBy

FRAME = pl.DataFrame({"run": ["b", "a", "b"], "repeat": [0, 0, 0], "mbps": [1.0, None, 3.0]})


def test_rows_of_a_key_in_their_order():
    rows = RowsBy(FRAME, ["run", "repeat"])
    assert list(rows) == [("b", 0), ("a", 0)]
    assert [row["mbps"] for row in rows["b", 0]] == [1.0, 3.0]
    assert {key: [dict(row) for row in some] for key, some in rows.items()} == {
        ("b", 0): [{"run": "b", "repeat": 0, "mbps": 1.0}, {"run": "b", "repeat": 0, "mbps": 3.0}],
        ("a", 0): [{"run": "a", "repeat": 0, "mbps": None}],
    }
    assert ("c", 0) not in rows
    assert len(rows) == 2


def test_columns_that_a_table_does_not_have():
    rows = RowsBy(FRAME, ["run", "rate_mbps"])
    assert list(rows) == [("b", None), ("a", None)]
    (row,) = rows["a", None]
    assert row.get("rate_mbps", 7) == 7
    with pytest.raises(KeyError, match="rate_mbps"):
        row["rate_mbps"]


def test_one_value_of_many_rows():
    few, many = RowsBy(FRAME, ["run"]), RowsBy(pl.concat([FRAME.sort("run")] * 8).sort("run"), ["run"])
    assert few["b",].column("mbps") == [1.0, 3.0]
    assert many["b",].column("mbps") == [row["mbps"] for row in many["b",]] == [1.0, 3.0] * 8
    assert list(many["b",].indices) == list(range(8, 24))
    assert many["b",].some(range(1, 3)).column("mbps") == [3.0, 1.0]
    assert many["b",].some([0, 2]).column("mbps") == [1.0, 1.0]
    assert few["b",][1]["mbps"] == 3.0
    with pytest.raises(KeyError, match="kbps"):
        few["b",].column("kbps")


def test_rows_of_a_key_that_do_not_follow_one_another():
    rows = RowsBy(pl.concat([FRAME] * 20), ["run"])  # b, a, b, b, a, b, ...: columns of each key
    assert rows["b",].column("mbps") == [1.0, 3.0] * 20
    assert rows["a",].column("run") == ["a"] * 20
    assert rows["b",].some([1, 2]).column("mbps") == [row["mbps"] for row in rows["b",][1:3]] == [3.0, 1.0]


def test_a_column_of_a_table_with_few_rows_of_each_key_is_made_once(monkeypatch):
    made = []
    monkeypatch.setattr(
        "fairlane.results.metrics.rows.rows_of", lambda _, name, *span: made.append((name, *span)) or FRAME[name]
    )
    rows = RowsBy(FRAME, ["run"])
    for key in rows:
        rows[key].column("mbps")
    assert made == [("mbps", 0, FRAME.height)]
