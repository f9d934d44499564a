"""Logs of QUIC endpoints: JSON text sequences in qlog's schema, whose events add up to the metrics of the run."""

import json
import shutil
import subprocess
from itertools import pairwise

import fairlane
import pytest
from fairlane.show.export.file_names import ExportError

SETTINGS = {"rate": "10mbit", "duration": "4s", "buffer": "0.5bdp", "transport": "quic"}


@pytest.fixture(scope="module")
def duel():
    return fairlane.duel("cubic", "bbr", **SETTINGS)


def read(path):
    """The header and the events of a log."""
    first, *records = path.read_text().split("\x1e")
    assert first == ""
    assert all(record.endswith("\n") for record in records)
    header, *events = [json.loads(record) for record in records]
    return header, events


def named(events, name):
    return [event["data"] for event in events if event["name"] == name]


def streams(packets):
    return [frame for packet in packets for frame in packet["frames"] if frame["frame_type"] == "stream"]


def test_a_sender_log_adds_up_to_the_metrics(duel, tmp_path):
    (path,) = duel.export("qlog", tmp_path / "cubic.sqlog", where={"flow": 0})
    header, events = read(path)
    assert (header["qlog_version"], header["qlog_format"]) == ("0.3", "JSON-SEQ")
    assert header["trace"]["vantage_point"]["type"] == "client"
    assert all(before["time"] <= after["time"] for before, after in pairwise(events))
    flow = duel.flows.row(0, named=True)
    sent = named(events, "transport:packet_sent")
    assert len([packet for packet in sent if streams([packet])]) == flow["data_packets_sent"]
    assert len(named(events, "recovery:packet_lost")) == flow["packets_marked_lost"] > 0
    end = repeated = 0
    for frame in streams(sent):
        start, stop = frame["offset"], frame["offset"] + frame["length"]
        repeated += max(0, min(stop, end) - start)
        end = max(end, stop)
    assert repeated == flow["retransmitted_bytes"] > 0
    kinds = [packet["header"]["packet_type"] for packet in sent]
    assert kinds[0] == "initial"
    assert {"handshake", "1RTT"} <= set(kinds)
    numbers = [packet["header"]["packet_number"] for packet in sent if packet["header"]["packet_type"] == "1RTT"]
    assert numbers == sorted(set(numbers))
    metrics = named(events, "recovery:metrics_updated")
    windows = [update["congestion_window"] for update in metrics if "congestion_window" in update]
    assert windows[0] == 10 * 1200
    assert {"recovery", "open"} <= {change["new"] for change in named(events, "recovery:congestion_state_updated")}


def test_a_receiver_log_has_arrivals(duel, tmp_path):
    (path,) = duel.export("qlog", tmp_path / "bbr.sqlog", where={"flow": 1}, at="receiver")
    header, events = read(path)
    assert header["trace"]["vantage_point"]["type"] == "server"
    flow = duel.flows.row(1, named=True)
    arrived = streams(named(events, "transport:packet_received"))
    assert len(arrived) >= flow["data_packets_received"] > 1000
    acks = [frame for packet in named(events, "transport:packet_sent") for frame in packet["frames"]]
    assert any(frame["frame_type"] == "ack" and len(frame["acked_ranges"]) > 1 for frame in acks)


def test_a_file_for_each_quic_flow(tmp_path):
    mixed = fairlane.duel("cubic", "cubic", rate="10mbit", duration="1s", transport=["quic", "tcp"])
    with pytest.warns(RuntimeWarning, match="1 flow over TCP left out"):
        paths = mixed.export("qlog", tmp_path)
    assert [path.name for path in paths] == ["cubic-cubic-seed1-flow0.sqlog"] or len(paths) == 1
    tcp = fairlane.duel("cubic", rate="10mbit", duration="1s")
    with pytest.raises(ExportError, match="QUIC"):
        tcp.export("qlog", tmp_path)


@pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed: apt-get install tshark")
def test_a_capture_of_a_quic_flow_has_its_datagrams(duel, tmp_path):
    (path,) = duel.export("pcapng", tmp_path / "flows.pcapng")
    arguments = ["-Y", "udp && ip.src == 10.0.0.1", "-T", "fields", "-e", "frame.len", "-e", "udp.length"]
    done = subprocess.run(["tshark", "-r", path, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    rows = [tuple(map(int, line.split("\t"))) for line in done.stdout.splitlines()]
    flow = duel.flows.row(0, named=True)
    assert len([udp for _, udp in rows if udp > 1000]) >= flow["data_packets_sent"] - 10
    assert all(frame == 14 + 20 + udp for frame, udp in rows)
