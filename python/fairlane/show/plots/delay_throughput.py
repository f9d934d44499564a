"""Throughput against delay: good is up and to the right, because the delay grows to the left."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import notes
from fairlane.show.plots.canvas import canvas, dress, legend
from fairlane.show.plots.groups import LINE, lines_of, measured
from fairlane.show.plots.options import Options, titled

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables


def draw(path: Path, results: "ResultTables", options: Options) -> None:
    """A dot for each flow of each run, and for each group of like flows its mean and an ellipse of one deviation."""
    from matplotlib.patches import Ellipse

    up, right = options.metric or find("goodput_mbps"), options.against or find("mean_rtt_ms")
    per = "flow" if {up.of, right.of} == {"flow"} else "run"
    lines = lines_of(measured(results, [up, right], per, options), results, options, [], flows=per == "flow")
    said = notes(lines.frame, lines.kept, results, [up, right], per, options.filters, pooled=True)
    with canvas(path, options.width_inches, options.height_inches or 2.5, titled(options, said)) as made:
        axis = made.subplots()
        handles: list[Any] = []
        for place, name in enumerate(lines.labels):
            part = lines.frame.filter(lines.frame[LINE] == name)
            x, y = part[right.name].to_numpy(), part[up.name].to_numpy()
            style = lines.styles[place]
            axis.scatter(x, y, s=6, color=style.colour, marker=style.marker, alpha=0.35, linewidths=0)
            if len(x) > 2:
                axis.add_patch(
                    Ellipse(
                        (x.mean(), y.mean()), **_ellipse(x, y), facecolor=style.colour, alpha=0.12, edgecolor="none"
                    )
                )
            (mark,) = axis.plot(
                [x.mean()], [y.mean()], style.marker, color=style.colour, markersize=6.5, markeredgecolor="black",
                markeredgewidth=0.6, linestyle="none", label=name or "all",
            )  # fmt: skip
            handles.append(mark)
        dress(axis, f"{right.axis_label} (less to the right)", up.axis_label, grid="both")
        if options.log_x:
            axis.set_xscale("log")
        axis.invert_xaxis()
        axis.set_ylim(0, 1.15 * float(axis.get_ylim()[1]))  # the good ones are up there, where the arrow is too
        axis.annotate(
            "better", (0.985, 0.985), (0.87, 0.93), xycoords="axes fraction", textcoords="axes fraction", fontsize=7,
            color="0.35", ha="center", va="center", arrowprops={"arrowstyle": "->", "color": "0.35", "linewidth": 0.8},
        )  # fmt: skip
        legend(made, handles, options)


def _ellipse(x: Any, y: Any) -> dict[str, float]:
    """One standard deviation along the axes of the covariance."""
    variances, vectors = np.linalg.eigh(np.cov(x, y))
    width, height = 2 * np.sqrt(np.maximum(variances, 0))
    return {"width": float(width), "height": float(height), "angle": float(np.degrees(np.arctan2(*vectors[::-1, 0])))}
