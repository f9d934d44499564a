"""Recorded runs with random loss, once more with the losses that they had.

Which packets are lost decides how far such a run comes, and no two runs lose the same. The recorded series tell when a
packet was sent once more, and so when one was lost; with losses at those times nothing much is left to chance.
"""

from pathlib import Path
from typing import Any

from fairlane.fidelity import score, series
from fairlane.fidelity.results import rows
from fairlane.fidelity.truth import full_queue_rtt_ms, with_losses


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
