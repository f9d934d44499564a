"""Published studies in words and as JSON: their size, what they need, and the cost of a rerun."""

import textwrap
from collections.abc import Sequence

from fairlane.engine.messages import counted, show_duration
from fairlane.runs.sweep.time_estimate import measure
from fairlane.scenario.units import show_bytes
from fairlane.study.paper.definition import Study
from fairlane.study.rerun import Cost, Job


def study_as_json(study: Study) -> dict[str, object]:
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


def cost_text(costs: Sequence[Cost], jobs: int, show_s: float) -> str:
    """The estimate as text. `show_s` is the time needed to show the results of the runs."""

    total = sum(cost.runs for cost in costs)
    different = len(set[str]().union(*(cost.different for cost in costs)))
    missing = {key: run for cost in costs for key, run in cost.missing.items()}
    parts = [counted(total, "run")]
    parts += [f"{total - different} identical to others"] if different < total else []
    parts += [f"{different - len(missing)} already stored"] if len(missing) < different else []
    if missing:
        used = min(jobs, len(missing))
        speed = measure(missing.values(), used)
        run_s = speed.seconds(size for _, size in missing.values())
        cpu_s, wall_s = run_s * speed.processor_share, run_s / used + speed.factor() * show_s
        cpu = f"{cpu_s / 3600:.2g} CPU hours" if cpu_s > 360 else f"{max(1, round(cpu_s))} CPU seconds"
        processors = f"{used} CPUs" if used > 1 else "one CPU"
        size = show_bytes(sum(cost.missing_bytes for cost in costs))
        parts.append(f"about {cpu}, {show_duration(wall_s)} on {processors}, and {size} on disk")
    return "; ".join(parts)


def kernel_cost_text(costs: Sequence[Cost], backend: str) -> str:
    """The work of a kernel, whose speed depends on the packets that it sends."""

    missing = {key: scenario for cost in costs for key, (scenario, _) in cost.missing.items()}
    seconds = sum(scenario["duration_ns"] for scenario in missing.values()) / 1e9
    return f"{counted(len(missing), 'run')} on {backend}, of {show_duration(seconds)} in all"


def study_remarks(study: Study, work: Sequence[Job], quick: bool) -> list[str]:
    """The subset, known differences from the paper, and assumptions."""
    parts = {job.name: study.file.experiments[job.name] for job in work}
    remarks = [f"Quick subset: {study.file.quick}"] if quick and study.file.quick else []
    differences = {text: name for part in parts.values() for name, text in part.differences.items()}
    remarks += [f"Known difference, {name}: {text}" for text, name in differences.items()]
    assumed = dict.fromkeys(name for part in parts.values() for name in part.assumptions)
    if assumed:
        words = ", ".join(assumed)
        remarks.append(
            f"Assumed, because the paper does not specify it: {words}. Reasons: studies/{study.name}/study.toml"
        )
    return remarks
