"""tshark reads our captures without complaint, and its counts equal ours."""

import shutil
import subprocess
from collections import Counter
from itertools import pairwise

import fairlane
import pytest
from fairlane.runs.backends import provenance

needs_tshark = pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed: apt-get install tshark")

CHECKED = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
REPEATED = "tcp.analysis.retransmission || tcp.analysis.out_of_order"
"""tshark's flags of repeated data in a capture at the sender. Less than the handshake's RTT after the newest segment it
is "out of order"; fast and spurious retransmissions are retransmissions too."""
COMPLAINTS = (
    "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0 || tcp.analysis.ack_lost_segment || "
    "tcp.analysis.lost_segment || tcp.analysis.reused_ports || tcp.options.unknown || _ws.expert.severity == error"
)

BULK = {"rate": "10mbit", "duration": "4s", "buffer": "0.5bdp"}
FLOWS = {
    "loss in the queue": {**BULK},
    "random loss": {**BULK, "loss": "1%"},
    "heavy loss and timeouts": {**BULK, "loss": "15%", "duration": "8s"},
    "offload": {**BULK, "offload": True},
    "ECN": {**BULK, "ecn": True, "queue": "fq_codel", "buffer": "10bdp"},
    "accurate ECN": {**BULK, "ecn": "accecn", "queue": "fq_codel", "buffer": "10bdp"},
    "jumbo frames": {**BULK, "mtu": 9000, "buffer": "2bdp"},
}


def tshark(path, *arguments):
    done = subprocess.run(["tshark", "-r", path, *CHECKED, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def counts(path, display_filter):
    """Packets by flow."""
    return Counter(int(line) for line in tshark(path, "-Y", display_filter, "-T", "fields", "-e", "tcp.stream"))


def check(results, path):
    """Every flow of one run, compared with tshark's analysis of its packets."""
    assert counts(path, COMPLAINTS) == {}
    repeated = counts(path, REPEATED)
    data = tshark(path, "-Y", "tcp.len > 0", "-T", "fields", "-e", "ip.src", "-e", "tcp.stream")
    packets = Counter(tuple(line.split("\t")) for line in data)
    found = {source: (count, repeated[int(stream)]) for (source, stream), count in packets.items()}
    flows = results.flows.iter_rows(named=True)
    assert found == {f"10.0.0.{flow['flow'] + 1}": (flow["data_packets_sent"], flow["retransmits"]) for flow in flows}


@needs_tshark
@pytest.mark.parametrize("settings", FLOWS.values(), ids=FLOWS)
def test_tshark_counts_as_we_do(tmp_path, settings):
    results = fairlane.duel("cubic", "bbr", **settings)
    assert settings.get("ecn") or results.flows["retransmits"].min() > 0
    assert settings.get("loss") != "15%" or results.flows["timeouts"].max() > 0
    (path,) = results.export("pcapng", tmp_path / "flows.pcapng")
    check(results, path)
    if settings.get("ecn") is True:
        marked = counts(path, "tcp.flags.ece == 1 && tcp.flags.syn == 0 && ip.src == 10.1.0.0/16")
        assert min(marked.values()) > 0


@needs_tshark
def test_accurate_ecn_as_wireshark_reads_it(tmp_path):
    """RFC 9768: flags of the handshake (sections 3.1.1 and 3.2.2.1), the counter of three bits, the option."""
    results = fairlane.duel("reno", rate="10mbit", duration="4s", queue="fq_codel", buffer="10bdp", ecn="accecn")
    (path,) = results.export("pcapng", tmp_path / "flow.pcapng")
    handshake = tshark(path, "-c", "3", "-T", "fields", "-e", "tcp.flags")
    assert [int(flags, 16) & 0x1C0 for flags in handshake] == [0x1C0, 0x080, 0x080]  # AE, CWR, ECE: 111, 010, 010
    found = tshark(path, "-Y", "ip.src == 10.1.0.0/16 && tcp.flags.syn == 0", "-T", "fields", "-e", "tcp.flags")
    counters = [(int(flags, 16) >> 6 & 7) for flags in found]
    assert counters[0] == 5
    increases = [(after - before) % 8 for before, after in pairwise(counters)]
    marked = results.flows["marked_packets"][0]
    assert marked > 0
    assert sum(increases) == marked
    shown = tshark(path, "-Y", "ip.src == 10.1.0.0/16 && tcp.flags.syn == 0", "-V")
    assert any("Accurate ECN" in line for line in shown)
    last = [line for line in tshark(path, "-Y", "ip.src == 10.1.0.0/16") if "ECEB=" in line][-1]
    assert int(last.split("ECEB=")[1].split()[0]) == marked * 1448


@needs_tshark
def test_negotiated_options_of_the_handshake(tmp_path):
    results = fairlane.duel("reno", rate="10mbit", duration="1s")
    (path,) = results.export("pcapng", tmp_path / "flow.pcapng", payload_bytes=8)
    fields = [
        "tcp.flags.syn",
        "tcp.options.mss_val",
        "tcp.options.wscale.shift",
        "tcp.options.sack_perm",
        "tcp.options.timestamp.tsval",
    ]
    rows = [
        line.split("\t") for line in tshark(path, "-T", "fields", *[part for one in fields for part in ("-e", one)])
    ]
    assert [row[0] for row in rows[:3]] == ["1", "1", "0"]
    assert all(row[1] == "1460" and int(row[2]) > 0 and row[3] for row in rows[:2])
    assert all(row[4] for row in rows)
    # The window that tshark computes is the one that the sender knew.
    windows = [
        int(line) for line in tshark(path, "-Y", "ip.src == 10.1.0.0/16", "-T", "fields", "-e", "tcp.window_size")
    ]
    known = results.series("flow", ["receive_window_bytes"])["receive_window_bytes"]
    assert set(known) <= set(windows)
    assert tshark(path, "-Y", "tcp.len > 0", "-T", "fields", "-e", "frame.cap_len", "-c", "10")[-1] == "74"


@needs_tshark
def test_short_flows_that_close(tmp_path):
    experiment = {
        "name": "short",
        "duration": "3s",
        "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "0.5bdp"},
        "flows": [
            {"algorithm": "cubic", "workload": {"kind": "bytes", "bytes": "200kB"}},
            {"algorithm": "cubic", "workload": {"kind": "poisson_flows", "rate_per_s": 3.0, "mean": "20kB"}},
            {"algorithm": "cubic", "sender": {"timestamps": False, "pacing": "fq"}},
        ],
    }
    results = fairlane.run(experiment, tmp_path / "store", jobs=1, progress=False)
    (path,) = results.export("pcapng", tmp_path / "flows.pcapng")
    check(results, path)
    assert counts(path, "tcp.flags.fin == 1 && ip.src == 10.0.0.0/16")


@needs_tshark
def test_a_chosen_flow_at_the_receiver(cli, lossy, tmp_path):
    out = tmp_path / "one.pcapng"
    outcome = cli("export", lossy.path, "pcapng", "--where", "algorithm=bbr", "--at", "receiver", "-o", out)
    assert (outcome.status, outcome.err) == (0, "")
    sources = Counter(tshark(out, "-Y", "tcp.len > 0", "-T", "fields", "-e", "ip.src"))
    assert sources == {"10.0.0.2": lossy.flows["data_packets_received"][1]}


def test_the_same_run_gives_the_same_file(lossy, tmp_path):
    contents = [lossy.export("pcapng", tmp_path / f"{name}.pcapng")[0].read_bytes() for name in "ab"]
    assert contents[0] == contents[1]


def test_a_kernels_run_has_no_capture(tmp_path, monkeypatch):
    common = provenance.common
    kernel = {"simulator": "Linux 6.12.9-cloud, QEMU 7.2.22, 0a1b2c"}
    monkeypatch.setattr(provenance, "common", lambda identity: {**common(identity), **kernel})
    results = fairlane.duel("reno", rate="1mbit", duration="1s")
    with pytest.raises(
        ValueError, match=r"was run by Linux 6\.12\.9-cloud, which keeps no packets; run it in the simul"
    ):
        results.export("pcapng", tmp_path / "run.pcapng")
    assert not (tmp_path / "run.pcapng").exists()


def test_results_that_cannot_be_had_again_are_refused(tmp_path):
    """A user's algorithm that has changed since the run."""
    source = tmp_path / "mine.c"
    reno = fairlane.engine.describe("reno")["source"]
    source.write_text(reno)
    results = fairlane.duel(str(source), rate="10mbit", duration="2s")
    source.write_text(fairlane.engine.describe("scalable")["source"])
    with pytest.raises(ValueError, match="--algorithm"):
        results.export("pcapng", tmp_path / "mine.pcapng")
    with pytest.raises(ValueError, match="run the experiment again"):
        results.export("pcapng", tmp_path / "mine.pcapng", algorithms=[str(source)])
    assert not (tmp_path / "mine.pcapng").exists()
