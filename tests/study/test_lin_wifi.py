"""The Wi-Fi networks of lin2019 tell its algorithms apart, as the paper's do."""

from pathlib import Path

import fairlane
import pytest
from fairlane.scenario import document

STUDY = Path(__file__).parents[2] / "studies" / "lin2019"


@pytest.mark.parametrize("band", ["2g4", "5g"])
def test_no_two_algorithms_are_alike_over_wifi(band, tmp_path):
    experiment = document.read(STUDY / f"performance-wifi-{band}.toml").data
    results = fairlane.run({**experiment, "duration": "40s", "repeats": 1}, tmp_path, jobs=1, progress=False)
    rows = {row["algorithm"]: row for row in results.table(["goodput_mbps", "mean_cwnd_kb", "mean_rtt_ms"]).to_dicts()}
    assert len(rows) == 5
    for metric in ("goodput_mbps", "mean_cwnd_kb", "mean_rtt_ms"):
        assert len({row[metric] for row in rows.values()}) == 5, metric
    # Tables 12 and 13: CUBIC's window is the largest and BBR's the smallest, and so are RTT and goodput at their ends.
    by_window = sorted(rows, key=lambda name: rows[name]["mean_cwnd_kb"])
    assert (by_window[0], by_window[1], by_window[-1]) == ("bbr", "veno", "cubic")
    assert min(rows, key=lambda name: rows[name]["goodput_mbps"]) == "bbr"
    assert min(rows, key=lambda name: rows[name]["mean_rtt_ms"]) == "bbr"
