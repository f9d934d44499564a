"""What is no mistake, and yet may not be what was meant."""

from collections.abc import Iterator

from fairlane.experiment.load import LoadedExperiment
from fairlane.experiment.network import Links, LinkSettings, Network


def remarks(experiment: LoadedExperiment) -> list[str]:
    """A line for each thing that whoever wrote the file should know."""
    endless: dict[str, None] = {}
    for planned in experiment.points:
        found = _links(planned.point.experiment.network)
        endless.update((key, None) for key, link in found if link.is_endless_by_omission)
    if not endless:
        return []
    return [
        f"{', '.join(endless)}: no buffer is given, so the queue never ends; "
        'give one such as buffer = "1bdp", or write queue = "unlimited" if that is meant'
    ]


def _links(network: Network) -> Iterator[tuple[str, LinkSettings]]:
    """All links with the keys of their tables."""
    if isinstance(network, Links):
        yield from ((f"network.links.{link.name}", link) for link in network.links)
        return
    yield "network", network
    yield "network.reverse", network.reverse
