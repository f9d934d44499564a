"""An experiment in words: its points and their cost in advance, and the outcome of `fairlane run`."""

from pathlib import Path

from fairlane.engine.messages import counted, first_few, show_duration
from fairlane.runs.sweep.adaptive import Outcome, Precision
from fairlane.runs.sweep.preview import Preview
from fairlane.scenario.load import LoadedExperiment
from fairlane.scenario.units import show_bytes
from fairlane.show.text.aligned import LEFT, RIGHT, text_table


def preview_text(experiment: LoadedExperiment, found: Preview, jobs: int, most: int | None) -> str:
    """At most so many points (None: all), and the work that is left, with `jobs` runs at a time."""
    rows = []
    for one in found.points[:most]:
        first, last = one.seeds[0], one.seeds[-1]
        seeds = f"{first}" if len(one.seeds) == 1 else f"{first} to {last}"
        rows.append([*one.point.labels, seeds, f"{one.stored} of {len(one.seeds)}"])
    lines = [text_table([*((axis.name, LEFT) for axis in experiment.axes), ("seeds", RIGHT), ("stored", RIGHT)], rows)]
    if len(rows) < len(found.points):
        lines.append(f"... and {len(found.points) - len(rows)} more; --all prints them")
    points, runs = counted(len(found.points), "point"), counted(found.runs, "run")
    lines += ["", f"{experiment.name}: {points}, {runs}, {found.missing} of them to compute"]
    if found.missing:
        size = show_bytes(found.disk_bytes)
        lines.append(f"about {show_duration(found.expected_s)} with {jobs} jobs, about {size} on disk")
    return "\n".join(lines)


def repair_lines(outcome: Outcome) -> list[str]:
    """The repairs, and the runs recovered from an earlier call."""
    lines = []
    for done in outcome.rounds:
        lines += [f"fairlane: {complaint}; repaired: lost runs were computed again" for complaint in done.complaints]
        lines += [f"{counted(done.saved, 'run')} recovered from an earlier, interrupted call"] if done.saved else []
    return lines


def outcome_line(name: str, folder: Path, outcome: Outcome, elapsed_s: float) -> str:
    """The number of runs, and how many were computed, stored, computed elsewhere, and failed."""
    first, last = outcome.rounds[0], outcome.rounds[-1]
    computed = sum(done.report.computed for done in outcome.rounds)
    elsewhere = sum(done.report.elsewhere for done in outcome.rounds)
    there = last.total - computed - elsewhere - len(last.failures) if len(outcome.rounds) > 1 else first.present
    counts = [f"{computed} computed"] if computed else []
    counts += [f"{there} already stored"] if there else []
    counts += [f"{elsewhere} by another process"] if elsewhere else []
    counts += [f"{len(last.failures)} failed"] if last.failures else []
    spent = f" in {show_duration(elapsed_s)}" if elapsed_s else ""
    return f"{name}: {counted(last.total, 'run')} ({', '.join(counts) or 'none'}){spent}, in {folder}"


def precision_text(outcome: Outcome, precision: Precision) -> str:
    """Whether all intervals are narrow enough, and those that are not."""
    fewest, most = outcome.repeats
    span = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    share = f"within ±{100 * precision.share:g} %"
    if not outcome.wide:
        return f"every mean is {share}, after {span} repeats"
    return "\n".join([f"not {share} after {most} repeats, the limit of --max-repeats:", *first_few(outcome.wide)])
