"""Captures of the engine are read back, and so are the same packets in other formats."""

import json
import struct
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fairlane.engine import run_with_capture
from fairlane.files import FileError
from fairlane.results.captures.connections import Connection, connections, packet_lines
from fairlane.results.captures.files import Captured, packets

S = 1_000_000_000


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Captures of two flows with losses at their senders, and the engine's counters."""
    path = tmp_path_factory.mktemp("capture") / "two.pcapng"
    queue = {"kind": "fifo", "limit_packets": 12}
    scenario = {
        "seed": 1,
        "duration_ns": 2 * S,
        "links": [
            {"name": "data", "rate_bps": 10_000_000, "delay_ns": 10_000_000, "queue": queue},
            {"name": "acks", "rate_bps": None, "delay_ns": 10_000_000},
        ],
        "flows": [
            {"algorithm": name, "forward": ["data"], "reverse": ["acks"], "start_ns": start_ns}
            for name, start_ns in (("reno", 0), ("cubic", S // 2))
        ],
    }
    return path, run_with_capture(json.dumps(scenario), path, [0, 1])


def test_counts_are_those_of_the_engine(capture: tuple[Path, dict[str, Any]]) -> None:
    path, result = capture
    found = connections(path)
    assert [one.name for one in found] == ["10.0.0.1:40000 to 10.1.0.1:5201", "10.0.0.2:40000 to 10.1.0.2:5201"]
    for connection, flow in zip(found, result["flows"], strict=True):
        data = [one for one in connection.sent if not one.is_control]
        assert len(data) == flow["data_packets_sent"]
        assert sum(one.is_retransmission for one in data) == flow["retransmits"] > 0
        rtts = [one.rtt_ns / 1e6 for one in connection.acknowledged if one.rtt_ns is not None]
        assert min(rtts[1:]) == pytest.approx(flow["packet_rtt_min_ms"], rel=0.1)
        assert all(one.window_end > one.ack for one in connection.acknowledged if one.window_end is not None)
        assert any(one.sacks for one in connection.acknowledged)
        assert connection.sent[0].start == -1, "the SYN stands before the first byte"
        assert connection.acknowledged[-1].ack <= max(one.end for one in connection.sent)


def as_pcap(order: str, magic: int, unit_ns: int, found: Iterable[Captured]) -> bytes:
    """The packets in the older format."""
    head = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    records = [
        struct.pack(f"{order}IIII", one.t_ns // S, one.t_ns % S // unit_ns, len(one.data), len(one.data))
        + bytes(one.data)
        for one in found
    ]
    return head + b"".join(records)


@pytest.mark.parametrize(
    ("order", "magic", "unit_ns"), [("<", 0xA1B23C4D, 1), (">", 0xA1B23C4D, 1), (">", 0xA1B2C3D4, 1000)]
)
def test_pcap_says_the_same(
    capture: tuple[Path, dict[str, Any]], tmp_path: Path, order: str, magic: int, unit_ns: int
) -> None:
    path = tmp_path / "x.pcap"
    path.write_bytes(as_pcap(order, magic, unit_ns, packets(capture[0])))
    assert [_rounded(one, unit_ns) for one in connections(path)] == [
        _rounded(one, unit_ns) for one in connections(capture[0])
    ]


def _rounded(connection: Connection, unit_ns: int) -> tuple[Any, ...]:
    sent = [replace(one, t_ns=one.t_ns // unit_ns) for one in connection.sent]
    acks = [replace(one, t_ns=one.t_ns // unit_ns, rtt_ns=None) for one in connection.acknowledged]
    return connection.name, sent, acks


def test_dates_are_counted_from_the_first_packet(capture: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "x.pcap"
    later = [replace(one, t_ns=one.t_ns + 1_700_000_000 * S) for one in packets(capture[0])]
    path.write_bytes(as_pcap("<", 0xA1B23C4D, 1, later))
    assert connections(path)[0].sent == connections(capture[0])[0].sent


def test_other_link_layers(capture: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """Raw IP, Linux cooked capture, and a VLAN tag."""
    wanted = [one.sent for one in connections(capture[0])]
    for name, link_type, before in [
        ("raw", 101, b""),
        ("cooked", 113, bytes(14) + b"\x08\x00"),
        ("cooked2", 276, b"\x08\x00" + bytes(18)),
        ("vlan", 1, bytes(12) + b"\x81\x00\x00\x07\x08\x00"),
    ]:
        path = tmp_path / f"{name}.pcap"
        changed = [replace(one, data=memoryview(before + bytes(one.data[14:]))) for one in packets(capture[0])]
        content = bytearray(as_pcap("<", 0xA1B23C4D, 1, changed))
        content[20:24] = struct.pack("<I", link_type)
        path.write_bytes(content)
        assert [one.sent for one in connections(path)] == wanted, name


def test_damaged_captures_are_read_or_refused_in_a_line(capture: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    whole, refusals = capture[0].read_bytes()[:3000], set[str]()
    path = tmp_path / "x.pcapng"
    for cut in range(0, len(whole), 7):
        for damaged in (whole[:cut], whole[:cut] + b"\xff" * 9 + whole[cut + 9 :]):
            path.write_bytes(damaged)
            try:
                connections(path)
            except FileError as error:
                refusals.add(str(error))
    assert len(refusals) > 1
    assert all(line.startswith(str(path)) and "\n" not in line for line in refusals)


def test_the_command_reads_captures(cli: Any, capture: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    outcome = cli("algorithm", "trace", str(capture[0]), "--flow", "1", "--to", "100ms")
    assert outcome.status == 0, outcome.err
    assert "> SYN or FIN -1:0" in outcome.out
    assert "< ACK 0, window up to" in outcome.out
    page = tmp_path / "page.html"
    assert cli("algorithm", "trace", str(capture[0]), "--page", str(page)).status == 0
    assert "Callbacks" not in page.read_text(encoding="utf-8")
    lines = list(packet_lines(connections(capture[0])[0]))
    assert any("retransmission" in line for line in lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rate", "5mbit"], "--rate: "),
        (["--json"], "--json: "),
        (["--flow", "3"], "2 flows"),
        (["--from", "9s"], "--to"),
    ],
)
def test_meaningless_options_are_refused(
    cli: Any, capture: tuple[Path, dict[str, Any]], words: list[str], message: str
) -> None:
    outcome = cli("algorithm", "trace", str(capture[0]), *words)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
