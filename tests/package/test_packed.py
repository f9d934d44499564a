"""A result is the same as a dictionary and as bytes with Arrow tables."""

import json

import polars as pl
import pytest
from fairlane import engine
from fairlane.engine.result_bytes import as_dictionary, decimal, pack, read, unpack

SCENARIO = {
    "seed": 1,
    "duration_ns": 2_000_000_000,
    "links": [
        {"name": "there", "rate_bps": 10_000_000, "delay_ns": 10_000_000},
        {"name": "back", "delay_ns": 10_000_000},
    ],
    "flows": [
        {"algorithm": "cubic", "forward": ["there"], "reverse": ["back"]},
        {"algorithm": "bbr", "forward": ["there"], "reverse": ["back"], "start_ns": 1_950_000_000},
        {"algorithm": "reno", "forward": ["there"], "reverse": ["back"], "start_ns": 1_000_000_000},
    ],
}


@pytest.fixture(scope="module")
def packed():
    return engine.run_packed(json.dumps(SCENARIO))


def test_tables_and_dictionary_say_the_same(packed):
    result, unpacked = engine.run(SCENARIO), unpack(packed)
    flows, links = unpacked.table("flow_series"), unpacked.table("link_series")
    for flow, series in enumerate(result["series"]["flows"]):
        rows = flows.filter(pl.col("flow") == flow)
        assert rows["t_s"].to_list() == series["t_s"]
        assert decimal(rows["mbps"]).to_list() == series["mbps"]
    assert links["link"].unique(maintain_order=True).to_list() == ["there", "back"]
    back = links.filter(pl.col("link") == "back")
    assert back["queue_bytes"].to_list() == result["series"]["links"][1]["queue_bytes"]
    histogram = result["distributions"]["flows"][0]
    assert sum(histogram["samples"]) == result["flows"][0]["packet_rtt_samples"]
    assert result["series"]["interval_s"] == 0.1


def test_a_flow_without_samples_has_empty_columns(packed):
    result = as_dictionary(packed)
    lengths = [len(series["t_s"]) for series in result["series"]["flows"]]
    assert lengths == [20, 1, 11]
    early = engine.run({**SCENARIO, "series_interval_ns": 1_900_000_000})
    assert [series["mbps"] for series in early["series"]["flows"]][1] == []
    assert list(early["series"]["flows"][1]) == list(early["series"]["flows"][0])


def test_a_run_without_flows_has_no_flow_tables():
    source = {"path": ["there"], "rate_bps": 1_000_000, "packet_bytes": 1000}
    result = engine.run({**SCENARIO, "flows": [], "cross_traffic": [source]})
    assert (result["flows"], result["series"]["flows"], result["distributions"]["flows"]) == ([], [], [])
    assert len(result["series"]["links"]) == 2


def test_missing_values_stay_missing(packed):
    delays = unpack(packed).table("link_series").filter(pl.col("link") == "back")["queue_delay_ms"]
    assert delays.to_list() == as_dictionary(packed)["series"]["links"][1]["queue_delay_ms"]
    rtts = as_dictionary(packed)["series"]["flows"][1]["packet_rtt_ms"]
    assert all(rtt is None or rtt > 20 for rtt in rtts)


def test_a_cell_is_the_decimal_number_that_was_measured():
    column = pl.Series("mbps", [0.1, 9.876543, 1.4757395e14, None], dtype=pl.Float32)
    assert decimal(column).to_list() == [0.1, 9.876543, 147573950000000.0, None]


def test_a_large_result_comes_in_pieces_and_is_whole():
    small = {**SCENARIO, "flows": SCENARIO["flows"][:1], "series_interval_ns": 3_000}
    small["links"] = [{**SCENARIO["links"][0], "rate_bps": 100_000}, SCENARIO["links"][1]]
    pieces = engine.run_pieces(json.dumps(small))
    assert len(pieces) > 4  # one for the metrics, one for each table, and more for the large ones
    assert max(map(len, pieces)) <= 64 << 10
    series = unpack(b"".join(pieces)).table("flow_series")
    assert series.height == 666_666
    assert series["t_s"].is_sorted()


def test_packed_values_are_unpacked():
    tables = {"flow_series": pl.DataFrame({"flow": [0], "t_s": [0.1]})}
    unpacked = unpack(memoryview(pack({"flows": [{}]}, tables)))
    assert unpacked.metrics == {"flows": [{}]}
    assert unpacked.table("flow_series").equals(tables["flow_series"])
    assert unpacked.table("link_series") is None


def test_many_tables_are_read_as_one():
    frames = [pl.DataFrame({"flow": [n, n], "t_s": [0.1, 0.2]}) for n in range(5)]
    frames.insert(2, pl.DataFrame({"flow": [9], "other": [1]}))  # as another version would write it
    streams = [unpack(pack({}, {"flow_series": frame})).streams["flow_series"] for frame in frames]
    assert [stream.rows for stream in streams] == [2, 2, 1, 2, 2, 2]
    assert read(streams).equals(pl.concat(frames, how="diagonal_relaxed"))


def test_the_engines_tables_are_read_as_one(packed):
    stream = unpack(packed).streams["flow_series"]
    alone = read([stream])
    assert alone.height == stream.rows
    assert read([stream] * 3).equals(pl.concat([alone] * 3))
