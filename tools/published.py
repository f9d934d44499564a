"""Publishes evidence and ranking: `python -m tools.published [RESULTS]`.

Takes the results of `fairlane evidence ALGORITHM --quick --results RESULTS` into `studies/rfc9743/published`, and
writes the tables of the pages from there, from `studies/ranking/published.json` (`fairlane rank ... --save`), and from
`studies/worst-cases/*.json` (`python -m tools.worst_cases`).
"""

import json
import sys
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

from fairlane.search.evidence.rank_report import as_markdown
from fairlane.search.evidence.ranking import load, read

ROOT = Path(__file__).parents[1]
GUIDES = ROOT / "docs" / "guides"
EVIDENCE, RANKING = ROOT / "studies" / "rfc9743" / "published", ROOT / "studies" / "ranking"
WORST = ROOT / "studies" / "worst-cases"
SIGNS = {"meets": "✓", "does not meet": "✗", "undecided": "?", "stated": "stated"}


def taken(found: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence without the groups of each test, but for their number by verdict.

    Criteria that were not judged anew are those of `before`; each has the hash of its simulator.
    """
    kept = {one["section"]: one for one in before.get("criteria", [])}
    simulator = found["versions"]["simulator"]
    for one in found["criteria"]:
        kept[one["section"]] = {**one, "simulator": simulator, "tests": [_counted(test) for test in one["tests"]]}
    about = {name: found[name] for name in ("document", "algorithm", "against", "quick")}
    confirmed = dict(before.get("confirmed", {}))
    for cell in found["confirmed"]:
        confirmed[cell["place"]] = [one for one in found["confirmed"] if one["place"] == cell["place"]]
    every = [kept[section] for section in sorted(kept, key=_numbers)]
    return {**about, "criteria": every, **({"confirmed": confirmed} if confirmed else {})}


def _numbers(section: str) -> list[int]:
    return [int(part) for part in section.split(".")]


def _counted(test: Mapping[str, Any]) -> dict[str, Any]:
    verdicts = [group["verdict"] for group in test["groups"]]
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    return {"title": test["title"], "rule": test["rule"], "verdict": test["verdict"], "groups": counts}


def evidence_table() -> str:
    """A row for each criterion, a column for each published algorithm."""
    every = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(EVIDENCE.glob("*.json"))}
    lines = [f"| criterion | keyword | {' | '.join(every)} |", f"|---|---|{':-:|' * len(every)}"]
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for name, found in every.items():
        for one in found["criteria"]:
            place = one["section"], one["title"], one["keyword"]
            rows.setdefault(place, {})[name] = SIGNS.get(one["verdict"], "–")
    for (section, title, keyword), signs in rows.items():
        word = keyword if keyword != "none" else ""
        lines.append(f"| {section} {title} | {word} | {' | '.join(signs.get(name, '–') for name in every)} |")
    return "\n".join(lines)


def ranking_table() -> str:
    """The best of each use case, and the table of scores."""
    _, every = load(RANKING / "published.json")
    return as_markdown(read(RANKING / "ranking.toml"), every, EVIDENCE)


def cells_table() -> str:
    """A row for each network of an algorithm that ran on kernels."""
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(EVIDENCE.glob("*.json"))}
    places = list(dict.fromkeys(place for one in found.values() for place in one.get("confirmed", {})))
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for name, one in found.items():
        for place, cells in one.get("confirmed", {}).items():
            for cell in cells:
                unit = f" {cell['unit']}" if cell["unit"] else ""
                row = rows.setdefault((name, cell["section"], cell["value"], cell["network"]), {})
                row["simulator"] = f"{_short(cell['simulated'])}{unit}"
                row[place] = f"{_short(cell['kernel'])}, {cell['verdict']}"
    head = ["algorithm", "§", "value", "network", "simulator", *map(_kernel, places)]
    body = [[*key, *(row.get(place, "") for place in ("simulator", *places))] for key, row in rows.items()]
    return _table(head, body)


def witnesses_table() -> str:
    """A row for each worst case that ran on kernels."""
    found = json.loads((WORST / "kernels.json").read_text(encoding="utf-8"))
    places = list(dict.fromkeys(place for one in found.values() for place in one))
    body = []
    for name, one in found.items():
        scores = [f"{_short(one[place]['score'])}, {one[place]['verdict']}" if place in one else "" for place in places]
        body.append([f"[{name}]({name}.toml)", _short(next(iter(one.values()))["simulator"]), *scores])
    return _table(["network", "simulator", *map(_kernel, places)], body)


def pairs_ranking() -> str:
    """A row for each algorithm, by the mean share of the cells in which it fails against the others."""
    kept = _pairs()
    rows = []
    for name, by in kept.items():
        shares = {other: one["failing"] / one["cells"] for other, one in by.items()}
        worst = max(by.values(), key=itemgetter("worst"))
        robust = [one["witness"]["fails"] for one in by.values() if "witness" in one]
        rows.append(
            (
                sum(shares.values()) / len(shares),
                worst["worst"],
                [
                    name,
                    _percent(sum(shares.values()) / len(shares)),
                    str(sum(share > 0 for share in shares.values())),
                    f"{_percent(max(shares.values()))}, {max(shares, key=shares.__getitem__)}",
                    f"{worst['worst']:.2f}, {worst['against']}",
                    f"{sum(robust) / len(robust):.1f} of 20" if robust else "–",
                ],
            )
        )
    head = ["rank", "algorithm", "fails, mean", "against", "most, against", "worst score, against", "repeats that fail"]
    body = [[str(number), *row] for number, (_, _, row) in enumerate(sorted(rows), start=1)]
    return f"{_about_pairs()}\n\n{_table(head, body)}"


def pairs_table() -> str:
    """The share of cells in which the row's algorithm fails against the column's, in percent."""
    kept = _pairs()

    def share(one: Mapping[str, Any] | None) -> str:
        return f"{100 * one['failing'] / one['cells']:.0f}" if one and one["failing"] else ""

    return _table(["%", *kept], [[name, *(share(by.get(other)) for other in kept)] for name, by in kept.items()])


def _pairs() -> dict[str, dict[str, Any]]:
    """The rows of the search of all pairs, by algorithm and reference."""
    found: dict[str, dict[str, Any]] = {}
    for one in json.loads((WORST / "pairs.json").read_text(encoding="utf-8"))["pairs"]:
        found.setdefault(one["algorithm"], {})[one["against"]] = one
    return found


def _about_pairs() -> str:
    one = json.loads((WORST / "pairs.json").read_text(encoding="utf-8"))
    together, alone = one["together_s"] / 60, (one["search_s"] - one["together_s"]) / 60
    rest = (one["all_s"] - one["search_s"]) / 60
    return (
        f"{one['date']}: {one['networks']:,} networks for all {len(one['pairs'])} pairs in {together:.0f} min,"
        f" {one['each']} more for each on average in {alone:.0f} min, reduction and repeats in {rest:.0f} min;"
        f" {one['cpu_s'] / 60:.0f} CPU min."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _kernel(place: str) -> str:
    """`vm:debian-13:emulated` as a heading."""
    return place.split(":")[1]


def _short(number: float | None) -> str:
    return "–" if number is None else f"{number:.3g}"


def _table(head: list[str], body: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


PAGES = {
    "evidence": (GUIDES / "evidence.md", evidence_table),
    "cells": (GUIDES / "evidence.md", cells_table),
    "best-algorithm": (GUIDES / "best-algorithm.md", ranking_table),
    "kernels": (WORST / "README.md", witnesses_table),
    "robustness": (WORST / "README.md", pairs_ranking),
    "pairs": (WORST / "README.md", pairs_table),
}
"""Tables, by the name in the comments around them."""


def written(name: str, text: str) -> str:
    """The text of a page with a table."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n{PAGES[name][1]()}\n{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    for source in sorted(Path(sys.argv[1]).glob("*/evidence.json")) if len(sys.argv) > 1 else ():
        EVIDENCE.mkdir(exist_ok=True)
        path = EVIDENCE / f"{source.parent.name}.json"
        before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        found = taken(json.loads(source.read_text(encoding="utf-8")), before)
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for name, (path, _) in PAGES.items():
        path.write_text(written(name, path.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"written: {path.relative_to(ROOT)}")
