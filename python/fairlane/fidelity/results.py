"""The results of a truth folder's scenarios, with the columns of its `linux.csv`."""

import csv
from pathlib import Path
from typing import Any

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
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
