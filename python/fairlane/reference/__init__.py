"""The pages of docs/reference that are written from the code: `python -m fairlane.reference` writes them again.

What belongs here: pages about the command line, the algorithms, scenarios, queues and the Python functions, and the
generated modules of `fairlane.contract`. Pages about metrics and
experiment files are written by the packages that define them. A test compares all of them with docs/.
"""

from collections.abc import Callable, Mapping


def pages() -> Mapping[str, Callable[[], str]]:
    """The text of each generated page by its file name."""
    from fairlane.experiment.links import markdown as links
    from fairlane.experiment.reference import markdown as experiment_file
    from fairlane.metrics.reference import markdown as metrics
    from fairlane.reference.algorithms import markdown as algorithms
    from fairlane.reference.command_line import markdown as command_line
    from fairlane.reference.python import markdown as python
    from fairlane.reference.scenario import queues_page, scenario_page

    return {
        "algorithms.md": algorithms,
        "command-line.md": command_line,
        "experiment-file.md": experiment_file,
        "links.md": links,
        "metrics.md": metrics,
        "python.md": python,
        "queues.md": queues_page,
        "scenario.md": scenario_page,
    }
