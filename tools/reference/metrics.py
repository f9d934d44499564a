"""The page docs/reference/metrics.md, written from the metrics themselves.

`python -m tools.reference` writes it.
"""

from fairlane.results.metrics.bottleneck import NEARLY
from fairlane.results.metrics.catalogue import catalogue
from fairlane.results.metrics.metric import Metric

_HEAD = """\
# Metrics

Generated from the code by `python -m tools.reference`. Each metric is one small function in
`python/fairlane/results/metrics/`. Rates are in units of 10^6 bit/s. Everything counts from a flow's start, or from the
end of the warm-up if that is later. If there is nothing to measure, there is no value.

In a table with one row for several flows, the metrics of a flow are means over the flows.
"""

_PARTS = {
    "flow": "Of a flow",
    "flows": "Of several flows: a group, or all of a run",
    "link": "Of a link; of a run's bottleneck in tables with one row per run",
    "run": "Of a run",
}
_NOTES = {
    "link": f"""
The bottleneck of a run is its busiest link, in whichever direction: that of an upload is `return (reverse)`. If the
link `bottleneck` is within {100 * (1 - NEARLY):.0f} % of the busiest, it counts in all runs. Tables, plots and reports
name the bottleneck if it is another link.
""",
}

_TAIL = """\
## Your own metrics

A function with a decorator, in a file or a notebook:

```python
import fairlane
from fairlane.results.metrics import metric

@metric(of="flow", unit="ms")
def standing_delay_ms(flow):
    \"\"\"How far the mean RTT lies above the smallest.\"\"\"
    return flow["mean_rtt_ms"] - flow["min_rtt_ms"]

print(standing_delay_ms.axis_label)
```

`of` is the type of the argument: `"flow"`, `"link"`, `"run"`, or `"flows"` for a list of flows of one run. A flow or
link has the engine's values by name (`flow["mean_rtt_ms"]`, see [scenario.md](scenario.md)) and its time series as
arrays (`flow.series("cwnd_packets")`, `flow.times_s`); a run has `flows`, `links` and `bottleneck`. None means no
value.
`fairlane table` and `fairlane plot` take such a file with `--metrics-from FILE.py`.

## Relative to a reference

`fairlane.results.metrics.summary.relative` sets a column in relation to a reference experiment of the same sweep; with
`total_retransmits` and CUBIC against CUBIC these are the relative retransmissions of Elephants 2023 (equation 4). In
`fairlane table` it is `--relative-to AXIS=VALUE`.

## Harm

Shares do not say whether an algorithm is safe beside another one: a flow may have little because the path gives it
little. Harm says what it loses next to others, as a share of what it has without them (Ware, Mukerjee, Seshan, Sherry:
*Beyond Jain's Fairness Index*, HotNets 2019):

| of a metric | harm |
|---|---|
| more of which is better (goodput) | (alone - beside) / alone |
| less of which is better (RTT, request times) | (beside - alone) / beside |

0 is no harm and 1 is all; below 0 the flow gains. The threshold is the harm that flows of the same algorithm do to each
other: up to that, an algorithm is as safe beside another one as that one beside itself.

`fairlane duel ... --baseline` runs the baselines and prints both ([guide](../guides/duel.md)). In a sweep,
`fairlane table --harm-to AXIS=VALUE` turns each metric into the harm in comparison with that value of an axis, all else
equal. In Python it is `fairlane.results.metrics.harm.harm`.
"""


def markdown() -> str:
    """The whole page."""
    parts = [_HEAD]
    for of, title in _PARTS.items():
        rows = [_row(one) for one in catalogue() if one.of == of and one.is_own]
        parts.append(
            f"## {title}\n{_NOTES.get(of, '')}\n| metric | unit | meaning | source |\n|---|---|---|---|\n"
            + "\n".join(rows)
            + "\n"
        )
    return "\n".join([*parts, _TAIL])


def _row(metric: Metric) -> str:
    meaning = " ".join(metric.meaning.split()).replace("|", "\\|")
    return f"| `{metric.name}` | {metric.unit} | {meaning} | {metric.source} |"
