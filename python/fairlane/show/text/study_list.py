"""Published studies in words and as JSON: their size, and what they need."""

import textwrap
from typing import Any

from fairlane.study.paper.definition import Study


def study_as_json(study: Study) -> dict[str, Any]:
    """One object."""
    return {
        "name": study.name,
        "paper": study.file.paper,
        "experiments": len(study.file.experiments),
        "tables_and_figures": len(study.file.items),
        "has_claims": study.has_claims,
        "quick": study.file.quick or None,
        "needs_what_is_missing": {name: one.needs for name, one in study.file.unsupported.items()},
    }


def study_text(study: Study, width: int) -> str:
    """A paragraph, `width` columns wide, with the command that estimates the study's time."""
    file, claims = study.file, ", its claims" if study.has_claims else ""
    parts = [
        file.paper,
        f"{len(file.experiments)} experiments, {len(file.items)} tables and figures{claims}",
        f"Quick: {file.quick}" if file.quick else "Minutes; no quick subset is needed.",
    ]
    needs = [one.needs for one in file.unsupported.values()]
    if needs:
        parts.append(f"Not yet: {len(needs)} experiments that need {', '.join(dict.fromkeys(needs))}")
    lines = [textwrap.fill(part, width, initial_indent="    ", subsequent_indent="      ") for part in parts]
    quick = " --quick" if file.quick else ""
    return "\n".join([study.name, *lines, f"    fairlane reproduce {study.name}{quick} --estimate\n"])
