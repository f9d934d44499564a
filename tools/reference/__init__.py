"""The pages of docs/reference that are written from the code: `python -m tools.reference` writes them again.

A test compares all of them with docs/. `contract.py` writes the module `fairlane.engine.types`.
"""

from collections.abc import Callable, Mapping


def pages() -> Mapping[str, Callable[[], str]]:
    """The text of each generated page by its file name."""
    from tools.reference.algorithms import markdown as algorithms
    from tools.reference.command_line import markdown as command_line
    from tools.reference.experiment_file import markdown as experiment_file
    from tools.reference.links import markdown as links
    from tools.reference.metrics import markdown as metrics
    from tools.reference.python import markdown as python
    from tools.reference.scenario import queues_page, scenario_page

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
