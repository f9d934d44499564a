"""The part of the page on agreement about one cell of each study (docs/concepts/fidelity.md)."""

from collections.abc import Sequence
from pathlib import Path

from fairlane.results.statistics import Interval
from fairlane.scenario.load import load as load_experiment
from fairlane.show.agreement.markdown import table
from fairlane.study.linux.against import Row
from fairlane.study.linux.cells import load
from fairlane.study.linux.explanations import UNKNOWN, explain

SHOWN = {"share_pct": "share, %", "mean_rtt_ms": "mean RTT, ms", "retransmits": "retransmissions"}
"""The metrics of the page's table."""
HEAD = """## One cell of each study

The experiments of [calibration/cells](../../calibration/cells/README.md) are one point of each published study, shorter
than in the paper. They ran by the simulator, on a kernel in virtual time, and on a kernel over the simulator's network
in real time; that page has the commands. Means of the runs with their 95 % intervals, simulator / kernel; a metric is
marked with **≠** if the two intervals have no value in common:
"""


def section(folder: Path) -> str:
    """The part of the page; empty if the folder has no recordings."""
    recorded = [load(path) for path in sorted(folder.glob("*.csv"), reverse=True)]
    if not recorded:
        return ""
    lines: list[list[str]] = []
    reasons: dict[tuple[str, str], list[str]] = {}
    for cells in recorded:
        for name in dict.fromkeys((cell.experiment, cell.kernel, cell.place) for cell in cells):
            rows = [cell.row for cell in cells if (cell.experiment, cell.kernel, cell.place) == name]
            experiment, kernel, place = name
            algorithms = _algorithms(folder / f"{experiment}.toml")
            for number, flow in enumerate(dict.fromkeys(row.flow for row in rows)):
                shown = {row.metric: row for row in rows if row.flow == flow}
                cells_of_flow = [_shown(shown[metric]) for metric in SHOWN]
                shown_flow = algorithms[number] if algorithms else flow
                lines.append([f"`{experiment}`", f"{kernel}, {place.partition(':')[0]}", shown_flow, *cells_of_flow])
            reason = explain(folder, f"{experiment} {place}", experiment)
            if reason != UNKNOWN or any(row.differs for row in rows if row.metric in SHOWN):
                reasons.setdefault((experiment, reason), []).append(place)
    parts = [
        HEAD,
        table(["experiment", "kernel", "flow", *SHOWN.values()], lines),
        *(f"- `{experiment}` ({', '.join(places)}): {text}\n" for (experiment, text), places in reasons.items()),
    ]
    return "\n".join(parts)


def _algorithms(path: Path) -> list[str]:
    """The algorithm of each flow, if the experiment is in the folder."""
    return (
        [flow["algorithm"] for flow in load_experiment(path).points[0].point.repeat(0)["flows"]]
        if path.exists()
        else []
    )


def _shown(row: Row) -> str:
    both: Sequence[Interval] = (row.ours, row.kernel)
    text = " / ".join(f"{one.estimate:.1f} ± {one.half_width:.1f}" for one in both)
    return f"**≠** {text}" if row.differs else text
