"""Edges of GraphML files, such as those of the Topology Zoo (Knight et al., 2011)."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.files import FileError
from fairlane.scenario.diagnostics import Report
from fairlane.scenario.topology.routes import Step

_RATES = ("rate_bps", "LinkSpeedRaw")
"""Attributes of an edge that have its rate in bit/s."""
_KM_PER_S = 200_000
"""Light in fibre: two thirds of its speed in vacuum."""
_EARTH_KM = 6_371
_MOST = 1e15
"""bit/s or ns."""
_REMEDY = "name a GraphML file"


def edges(name: str, report: Report) -> list[tuple[Step, int | None, int | None]]:
    """The edges: ends, rate in bit/s and delay in ns, where the file has them or the positions of the ends.

    A second edge between two nodes is left out. Needs networkx (`pip install fairlane[graphs]`).
    """
    path = Path(name)
    try:
        content = files.content(path, _REMEDY)
        import networkx

        graph: Any = networkx.parse_graphml(content.decode())
    except FileError as error:
        report(("network", "file"), str(error))
        return []
    except ImportError:
        report(("network", "file"), "needs networkx; pip install 'fairlane[graphs]'")
        return []
    except Exception as error:
        report(("network", "file"), f"{path} is no GraphML: {files.shortened(str(error))}; {_REMEDY}")
        return []
    labels = _labels(graph)
    found: dict[Step, tuple[Step, int | None, int | None]] = {}
    for one, other, attributes in graph.edges(data=True):
        ends = labels[one], labels[other]
        if one == other or ends in found or ends[::-1] in found:
            continue
        given = {"delay_ns": _delay_ns(graph.nodes[one], graph.nodes[other]), **attributes}
        try:
            rate = next((_whole(key, given[key]) for key in _RATES if key in given), 0)
            delay_ns = None if given["delay_ns"] is None else _whole("delay_ns", given["delay_ns"])
        except ValueError as error:
            report(("network", "file"), f"{path}: the edge from {ends[0]} to {ends[1]}: {error}")
            return []
        found[ends] = ends, rate or None, delay_ns
    return list(found.values())


def _whole(name: str, value: object) -> int:
    """A number of an edge. Raises ValueError with the remedy."""
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not 0 <= number <= _MOST:
        raise ValueError(f"{name} is {files.shortened(str(value))}; give a number from 0 to {_MOST:g}")
    return round(number)


def _labels(graph: Any) -> dict[Any, str]:
    """The names of the nodes: their labels where these are all different, with hyphens for blanks."""
    labels = {node: "-".join(str(data.get("label", node)).split()) for node, data in graph.nodes(data=True)}
    return labels if len(set(labels.values())) == len(labels) else {node: str(node) for node in labels}


def _delay_ns(one: Mapping[str, Any], other: Mapping[str, Any]) -> int | None:
    """The delay of the great circle between two positions in fibre; none without positions."""
    try:
        (lat1, lon1), (lat2, lon2) = (
            (math.radians(float(node["Latitude"])), math.radians(float(node["Longitude"]))) for node in (one, other)
        )
    except (KeyError, ValueError):
        return None
    if not all(map(math.isfinite, (lat1, lon1, lat2, lon2))):
        return None
    half = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return round(2 * _EARTH_KM * math.asin(min(1.0, math.sqrt(half))) / _KM_PER_S * 1e9)
