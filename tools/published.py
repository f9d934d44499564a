"""Publishes evidence and ranking: `python -m tools.published [RESULTS]`.

Takes the results of `fairlane evidence ALGORITHM --quick --results RESULTS` into `studies/rfc9743/published`, and
writes the tables of the guides from there and from `studies/ranking/published.json` (`fairlane rank ... --save`).
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairlane.search.evidence.rank_report import as_markdown
from fairlane.search.evidence.ranking import load, read

ROOT = Path(__file__).parents[1]
GUIDES = ROOT / "docs" / "guides"
EVIDENCE, RANKING = ROOT / "studies" / "rfc9743" / "published", ROOT / "studies" / "ranking"
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
    return {**about, "criteria": [kept[section] for section in sorted(kept, key=_numbers)]}


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


PAGES = {"evidence": evidence_table, "best-algorithm": ranking_table}


def written(page: str, text: str) -> str:
    """The text of a guide with its table."""
    begin, end = f"<!-- {page} -->", f"<!-- end of {page} -->"
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n{PAGES[page]()}\n{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    for source in sorted(Path(sys.argv[1]).glob("*/evidence.json")) if len(sys.argv) > 1 else ():
        EVIDENCE.mkdir(exist_ok=True)
        path = EVIDENCE / f"{source.parent.name}.json"
        before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        found = taken(json.loads(source.read_text(encoding="utf-8")), before)
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for page in PAGES:
        path = GUIDES / f"{page}.md"
        path.write_text(written(page, path.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"written: {path.relative_to(ROOT)}")
