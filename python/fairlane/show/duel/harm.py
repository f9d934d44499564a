"""The harm that the flows of a duel do to each other: a table and a sentence, and the same for JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.engine.result_bytes import Result
from fairlane.results.metrics import Metric, find
from fairlane.results.metrics.averaging import listed
from fairlane.results.metrics.harm import MORE, SOURCE, harm
from fairlane.results.metrics.subject import Run
from fairlane.results.metrics.summary import mean_of
from fairlane.runs.baseline import Baselines
from fairlane.scenario.scenario import Point
from fairlane.show.duel.headline import labels
from fairlane.show.text.aligned import LEFT, RIGHT, text_table, with_interval

HARMS = ("harm", "harm_of_own_kind")
LEAST_REPEATS = 3
"""For an interval."""
METRICS = ("goodput_mbps", "packet_rtt_p95_ms")


@dataclass(frozen=True)
class Harmed:
    """One metric of one flow: in the duel, next to its own kind, and alone; a value for each repeat."""

    metric: Metric
    beside: Sequence[float | None]
    own_kind: Sequence[float | None]
    alone: Sequence[float | None]

    @property
    def harm(self) -> list[float | None]:
        """The harm that the other flows of the duel do to it."""
        return self._of(self.beside)

    @property
    def harm_of_own_kind(self) -> list[float | None]:
        """The harm that flows of its own kind do to it."""
        return self._of(self.own_kind)

    def _of(self, values: Sequence[float | None]) -> list[float | None]:
        better = self.metric.better or "more"
        return [harm(one, other, better) for one, other in zip(self.alone, values, strict=True)]


def harmed(duel: Point, results: Sequence[Result], baselines: Baselines) -> list[list[Harmed]]:
    """For each flow its metrics. Next to its own kind, those of all flows with its RTT and start count."""
    flows = duel.experiment.flows
    runs = [Run.of(result) for result in results]
    kinds = [{flow: Run.of(result) for flow, result in one.items()} for one in baselines.own_kind]
    alone = [{flow: Run.of(result) for flow, result in one.items()} for one in baselines.alone]
    found = []
    for place, flow in enumerate(flows):
        alike = [at for at, other in enumerate(flows) if (other.rtt, other.start) == (flow.rtt, flow.start)]
        found.append(
            [
                Harmed(
                    metric,
                    [metric(run.flows[place]) for run in runs],
                    [_mean([metric(run[place].flows[at]) for at in alike]) for run in kinds],
                    [metric(run[place].flows[0]) for run in alone],
                )
                for metric in map(find, METRICS)
            ]
        )
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def harm_text(duel: Point, results: Sequence[Result], baselines: Baselines) -> str:
    """A row for each flow, and a sentence for each algorithm whether the others harm it more than its own kind does."""
    found = harmed(duel, results, baselines)
    columns = [("flow", LEFT)]
    rows = [[label] for label in labels(duel)]
    for at, (heading, digits) in enumerate((("goodput\nMbps", 2), ("p95 RTT\nms", 1))):
        columns += [(one, RIGHT) for one in (heading, "own\nkind", "alone", "harm", "by own\nkind")]
        for row, metrics in zip(rows, found, strict=True):
            one = metrics[at]
            row += [with_interval(mean_of(values), digits) for values in (one.beside, one.own_kind, one.alone)]
            row += [with_interval(mean_of(values), 2) for values in (one.harm, one.harm_of_own_kind)]
    title = f"Harm ({SOURCE}): the share of what a flow has alone that it loses next to the others."
    return "\n\n".join([title, text_table(columns, rows), "\n".join(_sentences(duel, found))])


def _sentences(duel: Point, found: Sequence[Sequence[Harmed]]) -> list[str]:
    names = [str(group["algorithm"]) for group in duel.groups]
    sentences = []
    for name in dict.fromkeys(names):
        others = [other for other in dict.fromkeys(names) if other != name]
        if not others:
            return ["All flows are of one kind: the harm is that of their own kind."]
        of_name = [found[place][0] for place, one in enumerate(names) if one == name]
        by_others, by_own = (_mean([value for one in of_name for value in getattr(one, key)]) for key in HARMS)
        if by_others is None or by_own is None:
            continue
        more = mean_of(
            [value for each in zip(*map(_excess, of_name), strict=True) if (value := _mean(each)) is not None]
        )
        verb = "harm" if len(others) > 1 else "harms"
        numbers = f"{by_others:.2f} against {by_own:.2f}"
        if more is None or not more.is_known:
            how = f"{verb} {name} {'more' if by_others > by_own + MORE else 'no more'} than"
        elif more.low > MORE:
            how = f"{verb} {name} more than"
        else:
            how = f"{verb} {name} no more than" if more.high <= MORE else f"may harm {name} more than"
        sentences.append(f"{listed(others)} {how} {name} harms itself: {numbers}.")
    if len(found[0][0].beside) < LEAST_REPEATS:
        sentences.append(f"Too few runs for intervals: differences may be chance; {LEAST_REPEATS} repeats have them.")
    return sentences


def _excess(one: Harmed) -> list[float | None]:
    """In each repeat, the harm by the others beyond that by its own kind."""
    pairs = zip(one.harm, one.harm_of_own_kind, strict=True)
    return [None if others is None or own is None else others - own for others, own in pairs]


def harm_summary(duel: Point, results: Sequence[Result], baselines: Baselines) -> list[dict[str, Any]]:
    """For JSON: for each flow and metric the values in each repeat, and the harm."""
    return [
        {
            one.metric.name: {
                "beside": list(one.beside),
                "own_kind": list(one.own_kind),
                "alone": list(one.alone),
                "harm": one.harm,
                "harm_of_own_kind": one.harm_of_own_kind,
            }
            for one in metrics
        }
        for metrics in harmed(duel, results, baselines)
    ]
