"""The points of an experiment file as a table, and their cost in words."""

from fairlane.engine.messages import counted, show_duration
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
