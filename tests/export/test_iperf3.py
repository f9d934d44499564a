"""A script that reads the output of `iperf3 --json` reads our export."""

import itertools
import json
from pathlib import Path

import fairlane
import pytest
from fairlane.results.metrics.source import runs
from fairlane.show.export.iperf3 import Samples

RECORDED = json.loads((Path(__file__).parent / "iperf-3.12.json").read_text())
"""A run of the real thing, over a loopback interface, with -O 1 -t 2."""


def differences(theirs, ours, place=""):
    """Keys and kinds of values in which `ours` is not like `theirs`."""
    if isinstance(theirs, dict):
        if not isinstance(ours, dict) or list(theirs) != list(ours):
            return [f"{place}: {list(theirs)} and {ours}"]
        return [line for key in theirs for line in differences(theirs[key], ours[key], f"{place}.{key}")]
    if isinstance(theirs, list):
        return [line for one in ours for line in differences(theirs[0], one, f"{place}[]")]
    numbers = {int: "number", float: "number"}
    kinds = [numbers.get(type(value), type(value).__name__) for value in (theirs, ours)]
    return [f"{place}: {kinds}"] if kinds[0] != kinds[1] else []


@pytest.fixture(scope="module")
def documents(lossy, tmp_path_factory):
    paths = lossy.export("iperf3", tmp_path_factory.mktemp("iperf3"))
    assert [path.name for path in paths] == ["lossy-seed1-flow0-cubic.json", "lossy-seed1-flow1-bbr.json"]
    return [json.loads(path.read_text()) for path in paths]


def test_every_key_is_there_in_the_order_of_iperf3(documents):
    for document in documents:
        document = dict(document)
        assert document.pop("title").startswith("lossy seed=1 flow=")
        assert differences(RECORDED, document) == []


def test_a_difference_would_be_found():
    assert differences(RECORDED, RECORDED) == []
    changed = json.loads(json.dumps(RECORDED))
    del changed["intervals"][1]["streams"][0]["rttvar"]
    assert len(differences(RECORDED, changed)) == 1


def test_the_usual_script(documents, lossy):
    """Rate, retransmissions and intervals, which most scripts read."""
    for document, flow in zip(documents, lossy.flows.iter_rows(named=True), strict=True):
        received = document["end"]["sum_received"]
        assert received["bits_per_second"] / 1e6 == pytest.approx(flow["goodput_mbps"])
        assert document["end"]["sum_sent"]["retransmits"] == flow["retransmits"]
        streams = [interval["streams"][0] for interval in document["intervals"]]
        assert sum(stream["bytes"] for stream in streams) == received["bytes"] == flow["bytes_delivered"]
        assert sum(stream["retransmits"] for stream in streams) == flow["retransmits"] > 0
        assert all(one["end"] == other["start"] for one, other in itertools.pairwise(streams))
        assert all(0 < stream["rttvar"] < stream["rtt"] < 100_000 for stream in streams)
        assert all(stream["snd_wnd"] > 14_480 and stream["snd_cwnd"] % 1448 == 0 for stream in streams)
        assert document["end"]["sender_tcp_congestion"] == flow["algorithm"]
    assert [len(document["intervals"]) for document in documents] == [4, 4]
    # The second flow starts at 0.55 s, and samples are taken every 0.1 s.
    assert [one["sum"]["end"] for one in documents[1]["intervals"]] == pytest.approx([1.05, 2.05, 3.05, 3.45])


def test_intervals_of_ones_own(cli, lossy, tmp_path):
    out = tmp_path / "one.json"
    outcome = cli("export", lossy.path, "iperf3", "--where", "flow=0", "--interval", "500ms", "-o", out)
    assert (outcome.status, outcome.err) == (0, "")
    assert len(json.loads(out.read_text())["intervals"]) == 8


def test_the_warm_up_becomes_omitted_seconds(tmp_path):
    experiment = {
        "name": "warm",
        "duration": "4s",
        "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
        "flows": [{"algorithm": "reno"}],
        "metrics": {"warm_up": "2s"},
    }
    results = fairlane.run(experiment, tmp_path / "store", jobs=1, progress=False)
    (path,) = results.export("iperf3", tmp_path / "warm.json")
    document = json.loads(path.read_text())
    assert document["start"]["test_start"]["omit"] == 2
    sums = [interval["sum"] for interval in document["intervals"]]
    assert [one["omitted"] for one in sums] == [True, True, False, False]
    assert [one["start"] for one in sums] == [0, 1, 0, 1]
    kept = sum(one["bytes"] for one in sums if not one["omitted"])
    assert kept == document["end"]["sum_sent"]["bytes"] == results.flows["bytes_delivered"][0]


def test_no_sample_is_in_two_intervals_or_in_none(lossy):
    for run in runs(lossy):
        for flow in run.flows:
            samples = Samples(flow)
            for length_s in (0.03, 0.1, 0.25, 1.0, 7.0):
                parts = [part for _, _, part in samples.intervals(0.0, length_s)]
                covered = [place for part in parts for place in range(part.start, part.stop)]
                assert covered == list(range(len(samples.ends_s)))
