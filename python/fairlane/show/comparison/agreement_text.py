"""Prints how results agree with Linux.

python -m fairlane.show.comparison.agreement_text TRUTH_DIR RESULTS.csv [--json]
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairlane.show.text.aligned import LEFT, RIGHT, text_table
from fairlane.study.linux.score import ERRORS, Errors, compare, errors, groups, load_rows, summarise, worst_first

_ERRORS = [(f"{name}\n{unit}", RIGHT) for name, unit in
           (("goodput", "%"), ("share", "points"), ("RTT", "%"), ("retransmits", "factor"))]  # fmt: skip


def summary_lines(rows: Sequence[Errors]) -> list[list[str]]:
    """Median, 90th percentile and worst error of all scenarios and of each kind, with the number of scenarios."""
    lines = []
    for name, members in groups(rows).items():
        found = summarise(members)
        errors = [" / ".join(f"{one:g}" for one in found[key]) if key in found else "-" for key in ERRORS]
        lines.append([name, str(len(members)), *errors])
    return lines


def summary_text(rows: Sequence[Errors]) -> str:
    """The summary as a table, with the number of missing scenarios."""
    columns = [("median / 90th\npercentile / worst", LEFT), ("scenarios", RIGHT), ("missing", RIGHT), *_ERRORS]
    missing = [str(sum(row.missing for row in members)) for members in groups(rows).values()]
    lines = zip(summary_lines(rows), missing, strict=True)
    return text_table(columns, [[name, count, absent, *errors] for (name, count, *errors), absent in lines])


def kernels_text(found: Mapping[str, Sequence[Errors]]) -> str:
    """The summary of each kernel as one table."""
    columns = [("Linux", LEFT), ("experiment", LEFT), ("scenarios", RIGHT), *_ERRORS]
    return text_table(columns, [[release, *line] for release, rows in found.items() for line in summary_lines(rows)])


def scenarios_text(rows: Sequence[Errors]) -> str:
    """The errors of each scenario, the worst first."""
    columns = [("scenario", LEFT), *_ERRORS, ("", LEFT)]
    return text_table(columns, [[row.scenario, *row.cells, _remark(row)] for row in worst_first(rows)])


def _remark(row: Errors) -> str:
    if row.missing:
        return "missing"
    return f"beyond random variation: {', '.join(row.far)}" if row.far else ""


def main() -> None:
    """Prints the errors of a results file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth_dir", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--only-present", action="store_true", help="leave out scenarios that the results do not have")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    compared = compare(load_rows(options.truth_dir / "linux.csv"), load_rows(options.results))
    rows = errors(compared, only_present=options.only_present)
    if options.json:
        made = {name: _as_json(members) for name, members in groups(rows).items()}
        print(json.dumps(made.pop("all") | {"groups": made}))
    else:
        print(scenarios_text(rows), summary_text(rows), sep="\n\n")


def _as_json(rows: Sequence[Errors]) -> dict[str, object]:
    spreads = {key: spread._asdict() for key, spread in summarise(rows).items()}
    return {"scenarios": len(rows), "missing": sum(row.missing for row in rows), **spreads}


if __name__ == "__main__":
    main()
