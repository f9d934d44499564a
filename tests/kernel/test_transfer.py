"""Every program moves data in the running kernel, and TCP's counters are those of a whole transfer.

The machine's load changes how long that takes and how much is lost, so neither is compared: test_agreement does that,
on a kernel in virtual time.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ALGORITHMS, PROGRAMS

BYTES = 1_000_000
RATE_BPS = 50_000_000
BURST_BYTES = 15_400
LIMIT_BYTES = 250_000
PAYLOAD_BYTES, FRAME_BYTES = 1448, 1514
PACKETS = BYTES / PAYLOAD_BYTES


@pytest.fixture(scope="module")
def transfers(request, load, namespaces) -> dict[str, dict]:
    """The transfers of all selected programs, one after the other."""
    chosen = [item.callspec.params["program"] for item in request.session.items if "transfers" in item.fixturenames]
    names = {program: load(str(ALGORITHMS / f"{program}.c")) for program in dict.fromkeys(chosen)}
    settings = {
        "algorithms": list(names.values()),
        "bytes": BYTES,
        "rate_bps": RATE_BPS,
        "burst_bytes": BURST_BYTES,
        "limit_bytes": LIMIT_BYTES,
    }
    command = [sys.executable, str(Path(__file__).with_name("transfer.py")), json.dumps(settings)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [one["algorithm"] for one in found] == list(names.values())
    return dict(zip(names, found, strict=True))


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_moves_data_and_counts(program, transfers):
    found = transfers[program]
    assert found["bytes_received"] == BYTES
    assert found["bytes_sent"] - found["bytes_retransmitted"] == BYTES
    assert BYTES <= found["bytes_acked"] <= BYTES + 2  # SYN and FIN count as one each
    assert found["data_packets_sent"] - found["retransmits"] >= PACKETS
    assert found["bytes_retransmitted"] <= found["retransmits"] * PAYLOAD_BYTES
    assert found["retransmits"] < PACKETS
    assert 1 <= found["cwnd"] <= PACKETS
    assert 0 < found["min_rtt_us"] <= found["srtt_us"] <= found["duration_s"] * 1e6
    # No bucket lets more through.
    assert found["duration_s"] * RATE_BPS / 8 + BURST_BYTES >= PACKETS * FRAME_BYTES
