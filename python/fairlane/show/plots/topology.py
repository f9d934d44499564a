"""A network of switches, with the utilisation of its links as colour."""

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from fairlane.engine.libraries import pl
from fairlane.results.tables import ResultTables
from fairlane.show.plots.canvas import canvas
from fairlane.show.plots.figure import matplotlib
from fairlane.show.plots.options import Options, PlotError

Place = tuple[float, float]
HOSTS_RADIUS = 1.5
"""Of the circle outside that of the switches."""
MOST_NAMES = 24
"""Names of a tier that fit side by side."""


def draw(path: Path, results: ResultTables, options: Options) -> None:
    """Hosts below, switches above them tier by tier; a graph without tiers on a circle.

    The half of a line next to a node has the utilisation of what the node sends, the mean over all runs.
    """
    runs = results.select("flows", options.filters)["run"]
    links = results.links.filter(pl.col("run").is_in(runs.implode()) & pl.col("name").str.contains("->", literal=True))
    if not links.height:
        raise PlotError('no run has a network of switches; run one with topology = "leaf-spine", "graph" or such')
    rows = links.group_by("name", maintain_order=True).agg(pl.col("utilisation").mean()).rows()
    used = {(name.split("->")[0], name.split("->")[1]): share for name, share in rows}
    places = layout(list(used))
    lines, shares = [], []
    for (one, other), share in used.items():
        (x1, y1), (x2, y2) = places[one], places[other]
        lines.append([(x1, y1), ((x1 + x2) / 2, (y1 + y2) / 2)])
        shares.append(math.nan if share is None else 100 * share)
    order = sorted(range(len(lines)), key=lambda at: (not math.isnan(shares[at]), shares[at]))  # the busiest on top
    with canvas(path, options.width_inches, options.height_inches or 3.0, options.title) as made:
        axis = made.subplots()
        colours = matplotlib().colormaps["viridis_r"].with_extremes(bad="0.8")
        width = 1.6 if len(lines) < 400 else 0.7
        drawn = matplotlib("collections").LineCollection(
            [lines[at] for at in order], cmap=colours, linewidths=width, capstyle="butt"
        )
        drawn.set_array([shares[at] for at in order])
        drawn.set_clim(0, 100)
        axis.add_collection(drawn)
        _name_nodes(axis, places)
        axis.set_axis_off()
        axis.margins(0.06)
        axis.autoscale_view()
        made.colorbar(drawn, ax=axis, label="utilisation, %", fraction=0.04, pad=0.02)


def layout(links: Sequence[tuple[str, str]]) -> dict[str, Place]:
    """Where each node is: by its distance from the hosts, which are the nodes with one neighbour.

    >>> layout([("h1", "s"), ("s", "h1"), ("h2", "s"), ("s", "h2")])
    {'h1': (-0.5, 0), 's': (0.0, 1), 'h2': (0.5, 0)}
    """
    neighbours: dict[str, dict[str, None]] = defaultdict(dict)
    for one, other in links:
        neighbours[one][other] = neighbours[other][one] = None
    tier = {node: 0 for node, others in neighbours.items() if len(others) == 1}
    reached = list(tier)
    for node in reached:
        for other in neighbours[node]:
            if other not in tier:
                tier[other] = tier[node] + 1
                reached.append(other)
    switches = [node for node in neighbours if tier.get(node)]
    if any(tier.get(one) == tier.get(other) == 1 for one, other in links):
        return _on_circles(switches, neighbours, tier)
    rows: dict[int, list[str]] = defaultdict(list)
    for node in sorted(neighbours, key=_natural):
        rows[tier.get(node, 0)].append(node)
    width = max(map(len, rows.values()))
    middle = {
        node: ((at + 0.5) * width / len(row) - width / 2, level)
        for level, row in rows.items()
        for at, node in enumerate(row)
    }
    return {node: middle[node] for node in neighbours}


def _on_circles(
    switches: Sequence[str], neighbours: dict[str, dict[str, None]], tier: dict[str, int]
) -> dict[str, Place]:
    """The switches on a circle, and the hosts of each outside of it."""
    places: dict[str, Place] = {}
    for at, switch in enumerate(switches):
        angle = 2 * math.pi * at / len(switches)
        places[switch] = (math.cos(angle), math.sin(angle))
        hosts = [node for node in neighbours[switch] if tier.get(node) == 0]
        for number, host in enumerate(hosts, start=1):
            turned = angle + (number / (len(hosts) + 1) - 0.5) * 2 * math.pi / len(switches)
            places[host] = (HOSTS_RADIUS * math.cos(turned), HOSTS_RADIUS * math.sin(turned))
    return places


def _natural(name: str) -> tuple[str | int, ...]:
    """`host-10` behind `host-9`."""
    return tuple(int(part) if part.isdecimal() else part for part in name.replace("->", "-").split("-"))


def _name_nodes(axis: object, places: dict[str, Place]) -> None:
    rows: dict[float, list[str]] = defaultdict(list)
    for node, (_, y) in places.items():
        rows[y].append(node)
    for row in rows.values():
        for node in row if len(row) <= MOST_NAMES else ():
            box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "0.5", "linewidth": 0.4}
            axis.annotate(  # type: ignore[attr-defined]
                node, places[node], ha="center", va="center", fontsize=5, bbox=box, rotation=90 if len(row) > 8 else 0
            )
