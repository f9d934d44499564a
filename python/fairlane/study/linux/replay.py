"""Replays recorded runs with random loss, with the recorded losses.

Which packets are lost decides how far such a run comes, and no two runs lose the same. The recorded series tell when a
packet was retransmitted, and so when one was lost; losses at those times leave little random variation.
"""

import csv
from pathlib import Path
from typing import Any

from fairlane.files import replacing
from fairlane.study.linux import score, series
from fairlane.study.linux.truth import full_queue_rtt_ms, with_losses


def replays(folder: Path, scenarios: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The engine's scenarios by name, of the runs whose random losses are known."""
    found = {}
    for truth in scenarios:
        flows = series.linux(folder, truth["name"])
        if not truth.get("loss_pct") or len(flows) != 1 or truth["queue"]["kind"] != "pfifo":
            continue
        times_s = series.random_losses_s(flows[0], truth["rtt_ms"], full_queue_rtt_ms(truth))
        if times_s is not None:
            found[truth["name"]] = with_losses(truth, times_s)
    return found


def errors(folder: Path, runs: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The score of the replays against the same runs of Linux, with the number of `runs` of each scenario."""
    ours = score.averaged(row for name, result in runs.items() for row in rows(name, result))
    linux = score.load(folder / "linux.csv", only=runs)
    counts = [score.without_repeat(name) for name in runs]
    compared = score.compare(linux, ours, only_present=True)
    return [{**row, "runs": counts.count(row["scenario"])} for row in compared]


COLUMNS = ["scenario", "flow", "algorithm", "goodput_mbps", "mean_rtt_ms", "max_rtt_ms", "retransmits"]


def rows(name: str, result: dict[str, Any]) -> list[dict[str, Any]]:
    """One row per flow of a run."""
    return [
        {
            "scenario": name,
            "flow": number,
            "algorithm": flow["algorithm"],
            "goodput_mbps": f"{flow['goodput_mbps']:.4f}",
            "mean_rtt_ms": f"{flow['mean_rtt_ms'] or 0:.3f}",
            "max_rtt_ms": f"{flow['max_rtt_ms'] or 0:.3f}",
            "retransmits": flow["retransmits"],
        }
        for number, flow in enumerate(result["flows"])
    ]


def write(path: Path, table: list[dict[str, Any]]) -> None:
    """Writes the rows to a CSV file."""
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
