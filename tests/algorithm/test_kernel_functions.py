"""Programs that call the functions of the kernel's own algorithms."""

from pathlib import Path

import fairlane
import pytest
from fairlane.engine import run_with_trace

PROGRAMS = Path(__file__).parent / "programs"


def scenario(algorithm: str, *, ecn: bool) -> dict:
    """A link with idle periods, drops and marks, so that every callback is called."""
    queue = {"kind": "codel"} if ecn else {"kind": "fifo", "limit_packets": 30}
    hosts = {"ecn": ecn}
    return {
        "seed": 1,
        "duration_ns": 3_000_000_000,
        "links": [
            {"name": "data", "rate_bps": 20_000_000, "delay_ns": 10_000_000, "queue": queue},
            {"name": "acks", "rate_bps": None, "delay_ns": 10_000_000},
        ],
        "flows": [
            {
                "algorithm": algorithm,
                "forward": ["data"],
                "reverse": ["acks"],
                "workload": {"kind": "on_off", "on_ns": 900_000_000, "off_ns": 300_000_000},
                "sender": hosts,
                "receiver": hosts,
            }
        ],
    }


@pytest.mark.parametrize(
    ("name", "functions", "ecn"), [("cubic", "cubictcp", False), ("bbr", "bbr", False), ("dctcp", "dctcp", True)]
)
def test_a_program_that_calls_them_behaves_like_the_algorithm(name: str, functions: str, ecn: bool) -> None:
    path = str(PROGRAMS / f"wraps_{functions}.bpf.c")
    wrapped, built_in = (fairlane.simulate(scenario(word, ecn=ecn)) for word in (path, name))
    assert built_in["flows"][0]["retransmits"] + built_in["flows"][0]["marked_packets"] > 0
    assert wrapped["series"] == built_in["series"]


def test_the_peers_options_are_read_in_rx_opt(tmp_path: Path) -> None:
    out = tmp_path / "trace.jsonl"
    run_with_trace(scenario(str(PROGRAMS / "wraps_bbr.bpf.c"), ecn=False), out, printed=True)
    assert "peer: MSS 1460, timestamps 1, SACK 1" in out.read_text()
