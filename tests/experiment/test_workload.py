"""Applications and distributions of sizes in an experiment file."""

import fairlane
import pytest
from fairlane.files import FileError
from fairlane.results.metrics.definitions.applications import (
    completion_slowdown,
    completion_slowdown_large,
    completion_slowdown_medium,
    completion_slowdown_small,
)
from fairlane.results.metrics.subject import Run
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load
from fairlane.scenario.workloads import BOX, arrivals, cdf_points, mean_bytes


def scenario(workload, **flow):
    network = {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"}
    experiment = {
        "duration": "20s",
        "network": network,
        "flows": [{"algorithm": "cubic", "workload": workload, **flow}],
    }
    return load(experiment).points[0].point.repeat(0)


def problem(workload) -> str:
    with pytest.raises(ExperimentError) as caught:
        scenario(workload)
    (line,) = caught.value.lines
    return line


def test_published_distributions_have_their_published_means():
    # Public simulators give 1138 packets of 1460 bytes for web search.
    means = {name: mean_bytes({"kind": "empirical", "points": cdf_points(path)}) / 1460 for name, path in BOX.items()}
    assert means["web-search"] == pytest.approx(1138, rel=0.05)
    assert means["data-mining"] == pytest.approx(8670, rel=0.01)  # 11 MB from 0.1 to 1 GB, 1.55 MB from 3 to 100 MB


def test_a_distribution_becomes_points():
    made = scenario({"kind": "poisson_flows", "rate_per_s": 2.0, "sizes": "web-search"})["flows"][0]["workload"]
    assert made["sizes"]["points"][1] == {"bytes": 10_000, "probability": 0.15}


@pytest.mark.parametrize(
    "sizes",
    [
        {"kind": "fixed", "bytes": "10kB"},
        {"kind": "exponential", "mean": "10kB"},
        {"kind": "pareto", "minimum": "4kB", "shape": 1.5, "maximum": "10MB"},
        {"kind": "log_normal", "median": "4kB", "sigma": 1.0},
    ],
)
def test_no_transfer_is_faster_than_the_idle_path(sizes):
    flows = fairlane.simulate(scenario({"kind": "poisson_flows", "rate_per_s": 5.0, "sizes": sizes}))["flows"]
    slowdowns = [one["completion_s"] / one["ideal_completion_s"] for one in flows if one["completion_s"] is not None]
    assert len(slowdowns) > 50
    assert min(slowdowns) >= 1


def test_a_trace_of_arrivals_is_played(tmp_path):
    path = tmp_path / "arrivals.csv"
    path.write_text("start_s,bytes\n0.5,1000\n2,20000\n", encoding="utf-8")
    assert arrivals(path) == [{"start_ns": 500_000_000, "bytes": 1000}, {"start_ns": 2_000_000_000, "bytes": 20_000}]
    flows = fairlane.simulate(scenario({"kind": "arrivals", "arrivals": str(path)}))["flows"]
    assert [(one["start_s"], one["bytes_delivered"]) for one in flows] == [(0.5, 1000), (2.0, 20_000)]


def test_a_cdf_in_percent(tmp_path):
    path = tmp_path / "sizes.txt"
    path.write_text("# bytes percent\n0 0\n1000 50\n2000 100\n", encoding="utf-8")
    assert [one["probability"] for one in cdf_points(path)] == [0, 0.5, 1]


@pytest.mark.parametrize(
    "text", ["", "0 0\n10 0.5\n", "0 0\nten 1\n", "10 0.5\n5 1\n", "0 0.5\n1 0.2\n2 1\n", "1 nan\n"]
)
def test_a_bad_cdf_is_one_line(tmp_path, text):
    path = tmp_path / "sizes.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=r"sizes\.txt: .*bytes share"):
        cdf_points(path)
    line = problem({"kind": "poisson_flows", "rate_per_s": 2.0, "sizes": {"kind": "empirical", "file": str(path)}})
    assert "flows[0].workload.sizes.file" in line.replace("flows.0", "flows[0]")


def test_mistakes_are_named():
    assert "sizes" in problem({"kind": "poisson_flows", "rate_per_s": 2.0})
    assert "sort it" in problem({"kind": "video", "ladder": ["2mbit", "1mbit"]})
    assert "segment" in problem({"kind": "video", "buffer": "1s"})
    assert "no-such.csv" in problem({"kind": "arrivals", "arrivals": "no-such.csv"})


@pytest.mark.parametrize("transport", ["tcp", "quic"])
@pytest.mark.parametrize(
    ("workload", "column"), [("ping", "request_median_ms"), ("web", "page_load_median_ms"), ("video", "played_s")]
)
def test_a_word_is_enough(workload, column, transport):
    flow = fairlane.simulate(scenario(workload, transport=transport))["flows"][0]
    assert flow[column] > 0


@pytest.mark.parametrize(("size", "name"), [("100kB", "small"), ("101kB", "medium"), ("11MB", "large")])
def test_a_transfer_has_the_slowdown_of_its_class(size, name):
    flow = Run.of(fairlane.simulate(scenario({"kind": "bytes", "bytes": size}))).flows[0]
    classes = {
        "small": completion_slowdown_small,
        "medium": completion_slowdown_medium,
        "large": completion_slowdown_large,
    }
    found = {one: metric(flow) for one, metric in classes.items()}
    assert found.pop(name) == completion_slowdown(flow) >= 1
    assert set(found.values()) == {None}


def test_a_call_has_frames_a_ladder_and_feedback():
    made = scenario({"kind": "call", "frame_interval": "40ms", "ladder": ["300kbit", "1mbit"], "late": "400ms"})
    [flow] = made["flows"]
    assert flow["workload"] == {
        "kind": "call",
        "frame_interval_ns": 40_000_000,
        "ladder_bps": [300_000, 1_000_000],
        "late_ns": 400_000_000,
        "feedback_interval_ns": 100_000_000,
        "delay_limit_ns": 50_000_000,
        "raise_after_ns": 1_000_000_000,
    }
    assert flow["sender"]["nagle"] is False
    assert scenario("call")["flows"][0]["workload"]["ladder_bps"][-1] == 2_500_000


@pytest.mark.parametrize(
    ("workload", "text"),
    [
        ({"ladder": ["1mbit", "300kbit"]}, "flows[0].workload.ladder: must rise from one bitrate to the next; sort it"),
        ({"frame_interval": "10us"}, "flows[0].workload.frame_interval: "),
        ({"bitrate": "1mbit"}, "flows[0].workload.bitrate: unknown key"),
    ],
)
def test_mistakes_in_a_call_are_named(workload, text):
    assert text in problem({"kind": "call", **workload})


RTP = {"algorithm": "scream", "transport": "rtp"}


def test_a_call_over_rtp_yields_to_tcp_in_a_fifo_and_keeps_its_delay_in_fq_codel(tmp_path):
    experiment = {
        "duration": "25s",
        "network": {"rate": "4mbit", "rtt": "40ms", "queue": "fifo"},
        "flows": [{**RTP, "name": "media", "workload": "call"}, {"name": "tcp", "algorithm": "cubic"}],
        "metrics": {"warm_up": "10s"},
        "sweep": {"network.queue": [{"kind": "fifo", "limit": "60kB"}, "fq_codel"]},
    }
    result = fairlane.run(experiment, tmp_path / "results", progress=False)
    names = ["call_delay_p95_ms", "call_bitrate_mbps", "share_pct"]
    fifo, fair = result.table(names, per="flow", name="media").to_dicts()
    assert fifo["share_pct"] < 50
    assert fair["call_delay_p95_ms"] < fifo["call_delay_p95_ms"] / 1.5
    assert fair["call_bitrate_mbps"] > 1.2
    assert set(result.table(["goodput_mbps"], per="flow")["algorithm"]) == {"scream", "cubic"}


@pytest.mark.parametrize(
    ("flow", "text"),
    [
        ({"algorithm": "cubic"}, "flows[0].algorithm: RTP flows have scream, without parameters; write scream"),
        ({"workload": "bulk"}, "flows[0].workload: is not call, the only one that RTP carries; write call"),
        ({"quic": {"streams": 2}}, "flows[0].quic: is set, but the flow uses RTP;"),
        ({"receiver": {"conceal_ce": True}}, "conceal_ce: is a setting of TCP, but the flow uses RTP; remove it"),
    ],
)
def test_mistakes_in_an_rtp_flow_are_named(flow, text):
    with pytest.raises(ExperimentError) as caught:
        scenario(flow.pop("workload", "call"), **{**RTP, **flow})
    assert text in caught.value.lines[0]


LINE = {"rate": "100mbit", "rtt": "20ms", "buffer": "1bdp", "reverse": {"rate": "10mbit", "buffer": "310kB"}}


def test_a_call_beside_an_upload_waits_in_the_queue_of_the_uplink(tmp_path):
    """310 kB are 250 ms at 10 Mbit/s; with fq_codel a frame has a queue of its own."""
    experiment = {
        "duration": "12s",
        "network": LINE,
        "flows": [
            {"name": "upload", "algorithm": "cubic", "direction": "reverse", "start": "1s"},
            {"name": "call", "algorithm": "cubic", "workload": "call", "direction": "reverse"},
        ],
        "metrics": {"warm_up": "4s"},
        "sweep": {"network.*.queue": ["fifo", "fq_codel"]},
    }
    names = ["call_delay_p95_ms", "call_late_pct", "call_lost_pct", "call_frozen_pct", "call_bitrate_mbps"]
    frame = fairlane.run(experiment, tmp_path / "results", progress=False).table(names, per="flow", name="call")
    fifo, fair = frame.to_dicts()
    assert 200 < fifo["call_delay_p95_ms"] < 280
    assert fifo["call_late_pct"] > 90
    assert fifo["call_bitrate_mbps"] == pytest.approx(0.15, abs=0.05)
    assert fair["call_delay_p95_ms"] < 30
    assert fair["call_late_pct"] == fair["call_lost_pct"] == fair["call_frozen_pct"] == 0
    assert fair["call_bitrate_mbps"] > 2


def test_an_outage_freezes_the_picture(tmp_path):
    changes = [{"at": "2s", "rate": "30kbit"}, {"at": "3s", "rate": "10mbit"}]
    network = {"rate": "10mbit", "rtt": "20ms", "buffer": "100p", "changes": changes}
    experiment = {
        "duration": "6s",
        "network": network,
        "flows": [{"name": "call", "algorithm": "cubic", "workload": {"kind": "call", "ladder": ["300kbit"]}}],
    }
    [row] = (
        fairlane.run(experiment, tmp_path / "results", progress=False)
        .table(["call_frozen_pct", "call_lost_pct", "call_late_pct"], per="flow")
        .to_dicts()
    )
    assert 12 < row["call_frozen_pct"] < 35, "a second of six: a frame takes 350 ms"
    assert row["call_lost_pct"] > 5
    assert row["call_late_pct"] > 5
