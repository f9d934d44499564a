"""Prints how results agree with Linux.

python -m fairlane.show.agreement.text TRUTH_DIR RESULTS.csv [--json]
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairlane.results.statistics import Interval
from fairlane.show.text.aligned import LEFT, RIGHT, number, text_table
from fairlane.study.linux import kernels
from fairlane.study.linux.against import Row as Compared
from fairlane.study.linux.score import ERRORS, TITLES, groups, score, summarise


def summary_text(rows: list[dict[str, Any]]) -> str:
    """The table of medians, percentiles and worst cases, in all and by kind of scenario."""
    columns = [
        ("median / 90th\npercentile / worst", LEFT),
        ("scenarios", RIGHT),
        ("missing", RIGHT),
        *((TITLES[key], RIGHT) for key in ERRORS),
    ]
    lines = []
    for name, members in [("all", rows), *groups(rows).items()]:
        summary = summarise(members)
        cells = [
            " / ".join(f"{summary[key][part]:g}" for part in ("median", "p90", "worst")) if key in summary else "-"
            for key in ERRORS
        ]
        lines.append([name, str(summary["scenarios"]), str(summary["missing"]), *cells])
    return text_table(columns, lines)


def scenarios_text(rows: list[dict[str, Any]]) -> str:
    """The table of all scenarios, the worst first."""
    ordered = sorted(rows, key=lambda row: -(row["goodput"] + (row["share"] or 0) + row["rtt"]))
    columns = [("scenario", LEFT), *((TITLES[key], RIGHT) for key in ERRORS), ("", LEFT)]
    return text_table(
        columns,
        [
            [
                row["scenario"],
                number(row["goodput"], 1),
                number(row["share"], 1),
                number(row["rtt"], 1),
                number(row["retransmits"], 2),
                "missing" if row["missing"] else "",
            ]
            for row in ordered
        ],
    )


def kernels_summary_text(releases: dict[str, list[dict[str, Any]]]) -> str:
    """Median, 90th percentile and worst error of each kernel and kind of scenario, as a table."""
    columns = [("Linux", LEFT), ("experiment", LEFT), ("scenarios", RIGHT)]
    columns += [(TITLES[key], RIGHT) for key in ERRORS]
    return text_table(
        columns, [cells for release, rows in releases.items() for cells in kernels.summary(release, rows)]
    )


def kernels_scenarios_text(rows: list[dict[str, Any]]) -> str:
    """The errors of each scenario, the largest first."""
    columns = [("scenario", LEFT), *((TITLES[key], RIGHT) for key in ERRORS), ("", LEFT)]
    return text_table(columns, [[row["scenario"], *kernels.cells(row), _far(row)] for row in kernels.ordered(rows)])


def _far(row: dict[str, Any]) -> str:
    return f"beyond random variation: {', '.join(row['far'])}" if row["far"] else ""


def against_text(rows: Sequence[Compared]) -> str:
    """The table, with the difference in the metric's own unit."""
    columns = [("point", LEFT), ("flow", LEFT), ("metric", LEFT)]
    columns += [(name, RIGHT) for name in ("simulator", "kernel", "difference")] + [("", LEFT)]
    return text_table(
        columns,
        [
            [
                *(row.point, row.flow, row.metric, _shown(row.ours), _shown(row.kernel)),
                number(row.ours.estimate - row.kernel.estimate, 2),
                "beyond both intervals" if row.differs else "",
            ]
            for row in rows
        ],
    )


def _shown(interval: Interval) -> str:
    width = f" ± {interval.half_width:.2f}" if interval.is_known else ""
    return f"{interval.estimate:.2f}{width}"


def main() -> None:
    """Prints the score of a results file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth_dir", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--only-present", action="store_true", help="leave out scenarios that the results do not have")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = score(options.truth_dir, options.results, only_present=options.only_present)
    if options.json:
        print(
            json.dumps(
                summarise(rows) | {"groups": {name: summarise(members) for name, members in groups(rows).items()}}
            )
        )
    else:
        print(scenarios_text(rows), summary_text(rows), sep="\n\n")


if __name__ == "__main__":
    main()
