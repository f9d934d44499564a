"""Captures of others have limits on memory and on what is printed."""

import struct

import pytest
from fairlane.files import FileError
from fairlane.results.captures import connections

_HEAD = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)


def _file(path, frames):
    records = [struct.pack("<IIII", number, 0, len(frame), 1514) + frame for number, frame in enumerate(frames)]
    path.write_bytes(_HEAD + b"".join(records))
    return path


def _data(number):
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 1040, 0, 0, 64, 6, 0, b"\x0a\0\0\1", b"\x0a\0\0\2")
    tcp = struct.pack(">HHIIBBHHH", 1000, 80, number * 1000, 1, 0x50, 0x18, 1000, 0, 0)
    return b"\0" * 12 + b"\x08\0" + ip + tcp


def test_the_number_of_packets_is_limited(tmp_path, monkeypatch):
    """A capture of 512 MiB holds seven million headers, which took 6 GB."""
    path = _file(tmp_path / "a.pcap", map(_data, range(30)))
    assert connections.capture(path).tcp_packets == 30
    monkeypatch.setattr(connections, "MAX_TCP_PACKETS", 29)
    with pytest.raises(FileError, match="holds more than 29 TCP packets; split it"):
        connections.capture(path)


def test_kinds_of_packets_are_not_all_named(tmp_path, cli):
    frames = [b"\0" * 12 + struct.pack(">H", 0x2000 + number) + b"\0" * 40 for number in range(5000)]
    path = _file(tmp_path / "a.pcap", [*frames, frames[7], *map(_data, range(3))])
    given = cli("algorithm", "trace", path)
    assert given.status == 0
    assert len(given.err) < 500
    assert given.err.startswith("3 TCP packets; not read: 2 packets of EtherType 0x2007, 1 packets of EtherType")
    assert "4,995 packets of 4,995 other kinds" in given.err
