"""The page on agreement with Linux (docs/concepts/fidelity.md), written from the runs.

Figures, tables and pictures come from the runs that were just made; the sentences that explain what stays far off
are the people's, in `explanations.toml` beside the recorded data.
"""

import tomllib
from pathlib import Path
from typing import Any

from fairlane.fidelity import score, series
from fairlane.present.overlay import Panel, draw

SHOWN = [
    "single-20m-40ms-1bdp-reno",
    "single-20m-40ms-1bdp-cubic",
    "single-20m-40ms-1bdp-bbr",
    "rtt-20m-20ms-vs-120ms-1bdp-cubic",
    "pair-20m-40ms-2bdp-bbr-vs-cubic",
    "aqm-20m-40ms-fq_codel-cubic-vs-cubic",
]
"""The scenarios whose windows are drawn."""
FAR = {"goodput": 2.0, "share": 8.0, "rtt": 5.0, "retransmits": 1.5}
"""Errors beyond which a scenario wants an explanation."""

HEAD = """# Agreement with Linux

Is it my algorithm, or your TCP? The same scenarios were run by the real TCP stack of Linux {version} and by the
simulator: 20 Mbit/s, round trips of 20 to 120 ms, one flow or two, FIFO queues and AQMs, with and without random loss
([how Linux was recorded](../../calibration/linux-{version}/README.md)). This page is written by

    fairlane fidelity --out fidelity.csv --report docs/concepts/fidelity.md

and nothing in its tables was edited. Errors: **goodput** of all flows together, in per cent; **share** of a flow, the
largest difference in points; mean smoothed **RTT**, in per cent; **retransmissions** as the factor
(ours + 20) / (Linux's + 20) or its inverse. Scenarios with repeats are compared by their averages.

Linux differs from itself when a flow merely starts a little later: two of its runs against two others by 5.1 points of
share in a pair, 6.6 % of goodput and 4.1 % of RTT under random loss (medians). Nearer than that is chance.
"""

LEAVES_OUT = """## What the model leaves out

- **CPU time.** Hosts take no time to handle a packet; nothing is ever late because a processor was busy.
- **The host's own queue and card.** A host's link is as fast as it needs to be. TCP small queues matter under fq
  pacing only; there is no ring of a network card, no byte queue limit.
- **Middle of the network.** A link is a queue, a transmitter and a wire; switches do not share buffers, and no GRO
  merges packets on their way through a router.
- **Sockets.** No urgent data, no fast open, no zero copy; SACK is always agreed on. The application reads at once.
- **Memory.** Send and receive buffers are counted as Linux counts them for packets of one page; memory pressure across
  sockets does not exist.
- **Clocks.** Timers fire exactly when the kernel's timer wheel would at the latest, never later; time stamps tick in
  milliseconds as Linux's do.
"""


def write(path: Path, folder: Path, results: Path, runs: dict[str, dict[str, Any]]) -> list[Path]:
    """Writes the page and its picture; returns their paths.

    `folder` holds what Linux did, `results` the figures of the simulated runs, `runs` their whole results by name.
    """
    rows = score.score(folder, results, only_present=True)
    picture = path.parent.parent / "images" / "fidelity-windows.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    shown = [name for name in SHOWN if name in runs and series.linux(folder, name)]
    draw(picture, [Panel(name, series.linux(folder, name), series.ours(runs[name])) for name in shown])
    version = folder.name.removeprefix("linux-")
    parts = [
        HEAD.format(version=version),
        "## In short\n",
        _summary(rows),
        "## The windows of six scenarios\n",
        f"![Congestion windows over time, Linux and Fairlane](../images/{picture.name})\n",
        _partings(folder, runs),
        "## Every scenario, the worst first\n",
        _scenarios(rows),
        _explanations(rows, folder),
        LEAVES_OUT,
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts), encoding="utf-8")
    return [path, picture]


def _table(head: list[str], lines: list[list[str]]) -> str:
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "".join("| " + " | ".join(line) + " |\n" for line in [head, align, *lines])


def _summary(rows: list[dict[str, Any]]) -> str:
    lines = []
    for name, members in [("all", rows), *score.groups(rows).items()]:
        found = score.summarise(members)
        cells = [
            " / ".join(f"{found[key][part]:g}" for part in ("median", "p90", "worst")) if key in found else "-"
            for key in score.ERRORS
        ]
        lines.append([name, str(found["scenarios"]), *cells])
    head = ["median / 90th percentile / worst", "scenarios", "goodput, %", "share, points", "RTT, %", "retransmissions"]
    return _table(head, lines)


def _scenarios(rows: list[dict[str, Any]]) -> str:
    ordered = sorted(rows, key=lambda row: -(row["goodput"] + (row["share"] or 0) + row["rtt"]))
    lines = [
        [
            f"`{row['scenario']}`",
            f"{row['goodput']:.1f}",
            "-" if row["share"] is None else f"{row['share']:.1f}",
            f"{row['rtt']:.1f}",
            f"{row['retransmits']:.2f}",
        ]
        for row in ordered
    ]
    return _table(["scenario", "goodput, %", "share, points", "RTT, %", "retransmissions"], lines)


def _partings(folder: Path, runs: dict[str, dict[str, Any]]) -> str:
    lines = []
    for name, result in sorted(runs.items()):
        theirs = series.linux(folder, name)
        if not name.startswith("single-") or not theirs:
            continue
        parting = series.parting_s(theirs[0], series.ours(result)[0])
        lines.append([f"`{name}`", "never" if parting is None else f"{parting:g}"])
    text = (
        "A lone flow without random loss leaves nothing to chance, so its window should follow Linux's all the way.\n"
        f"When the two first differ by more than {series.TOLERANCE:.0%} for half a second:\n"
    )
    return text + "\n" + _table(["scenario", "windows part at, s"], lines)


def _explanations(rows: list[dict[str, Any]], folder: Path) -> str:
    path = folder / "explanations.toml"
    known: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    groups: dict[str, list[str]] = {}
    for row in rows:
        far = [key for key, limit in FAR.items() if row[key] is not None and row[key] > limit]
        if far:
            text = _explanation(row["scenario"], known)
            groups.setdefault(text, []).append(f"`{row['scenario']}` ({', '.join(far)})")
    limits = "goodput 2 %, share 8 points, RTT 5 %, retransmissions by a factor of 1.5"
    lines = [f"- {', '.join(sorted(names))}: {text}" for text, names in sorted(groups.items())]
    body = "\n".join(lines) if lines else "None."
    return f"## What stays far off, and why\n\nBeyond {limits}:\n\n{body}\n"


def _explanation(scenario: str, known: dict[str, str]) -> str:
    """What is known of a scenario, or of the group of names that it belongs to."""
    if scenario in known:
        return known[scenario]
    for name, text in known.items():
        if name.endswith("*") and scenario.startswith(name[:-1]):
            return text
    return "not explained yet."
