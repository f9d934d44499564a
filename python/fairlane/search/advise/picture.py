"""The trade-off: goodput against the 95th percentile of queuing delay, with intervals."""

from pathlib import Path
from typing import Any

from fairlane.results.metrics.summary import mean_of
from fairlane.search.advise.answer import Advice
from fairlane.show.plots.canvas import canvas, dress
from fairlane.show.plots.options import PAGE_INCHES
from fairlane.show.plots.styles import places, style_of


def draw(path: Path, advice: Advice) -> None:
    """A mark for each candidate: its colour is the algorithm, its shape the queue; the best have a ring."""
    from matplotlib.lines import Line2D

    algorithms = list(dict.fromkeys(one.algorithm for one in advice.candidates))
    styles = dict(zip(algorithms, places(algorithms), strict=True))
    queues = sorted({one.queue for one in advice.candidates})
    with canvas(path, PAGE_INCHES * 0.75, 3.2, advice.sentence if len(advice.sentence) < 80 else None) as made:
        axis = made.subplots()
        for one in advice.candidates:
            x, y = mean_of(one.delay_ms), mean_of(one.goodput_mbps)
            if x is None or y is None:
                continue
            colour, marker = style_of(styles[one.algorithm]).colour, style_of(queues.index(one.queue)).marker
            errors = {
                name: [[mean.estimate - mean.low], [mean.high - mean.estimate]]
                for name, mean in (("xerr", x), ("yerr", y))
                if mean.is_known
            }
            axis.errorbar(x.estimate, y.estimate, fmt=marker, color=colour, elinewidth=0.7, markersize=6, **errors)
            if one in advice.best:
                axis.plot(x.estimate, y.estimate, "o", color="black", fillstyle="none", markersize=12, linewidth=0.8)
        dress(axis, f"95th percentile of {advice.delay_label}, ms (less to the right)", "goodput, Mbps", grid="both")
        axis.invert_xaxis()
        axis.set_ylim(bottom=0)
        handles: list[Any] = [
            Line2D([], [], color=style_of(styles[name]).colour, linewidth=3, label=name) for name in algorithms
        ]
        handles += [
            Line2D([], [], color="0.3", marker=style_of(place).marker, linestyle="none", label=name)
            for place, name in enumerate(queues)
        ]
        ring: dict[str, Any] = {"marker": "o", "fillstyle": "none", "markersize": 10, "linestyle": "none"}
        handles.append(Line2D([], [], color="black", label="best", **ring))
        made.legend(handles=handles, loc="outside right upper", frameon=False)
