"""Which limit held flows most of the time: the receive window, the send buffer, ..., in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.tables import ResultTables

SHARES = {
    "receive window": "rwnd_limited_share",
    "send buffer": "sndbuf_limited_share",
    "small queue": "small_queue_limited_share",
    "application": "app_limited_share",
    "cwnd": "cwnd_limited_share",
    "pacing": "pacing_limited_share",
}
"""The columns of the limits, by the words of the column `limited_by`."""
OF_CONGESTION_CONTROL = frozenset({"cwnd", "pacing"})
"""The limits that algorithms set."""
APPLICATION = "application"
"""The limit of pings, calls and pages by their nature."""
COLUMNS = ("limited_by", *SHARES.values())


@dataclass(frozen=True)
class Limit:
    """The limit of some flows that held most of them, or held them longest."""

    name: str
    """As in the column `limited_by`."""
    share: float
    """The mean share of the time of all these flows, 0 to 1."""

    @property
    def is_of_congestion_control(self) -> bool:
        """Whether it is the window or the rate of the algorithm."""
        return self.name in OF_CONGESTION_CONTROL

    def sentence(self, detail: str = "") -> str:
        """
        >>> Limit("receive window", 0.931).sentence("2,172 packets"), Limit("pacing", 0.5).sentence()
        ('the receive window (2,172 packets) limits them 93 % of the time', 'pacing limits them 50 % of the time')
        """
        name = self.name if self.is_of_congestion_control else f"the {self.name}"
        return f"{name}{f' ({detail})' if detail else ''} limits them {round(100 * self.share)} % of the time"


def limit_of(flows: "pl.DataFrame") -> Limit | None:
    """The limit with the largest mean share of the time of these flows; None if none was measured."""
    means = {
        name: mean
        for name, column in SHARES.items()
        if column in flows.columns and isinstance(mean := flows[column].mean(), float)
    }
    if not means:
        return None
    name = max(means, key=lambda one: means[one])
    return Limit(name, means[name]) if means[name] > 0 else None


def mean_limit(flows: Sequence[Mapping[str, Any]]) -> Limit | None:
    """The limit that held these flows most of their time together, such as the repeats of one; None if none is known.

    >>> mean_limit([{"limited_by": "cwnd", "cwnd_limited_share": share} for share in (0.75, 0.25)])
    Limit(name='cwnd', share=0.5)
    """
    named = [name for flow in flows if (name := flow.get("limited_by")) in SHARES]
    sums = {name: sum(flow.get(SHARES[name]) or 0.0 for flow in flows) for name in dict.fromkeys(named)}
    if not sums or not max(sums.values()):
        return None
    name = max(sums, key=lambda one: sums[one])
    return Limit(name, sums[name] / len(flows))


def limits_text(results: ResultTables) -> str:
    """A line on flows that a window or buffer of a host held most of the time; empty if there are none."""
    columns = results.flow_columns.columns
    if "limited_by" not in columns:
        return ""
    flows = results.flow_columns.select(["group", "name", "algorithm", *(one for one in COLUMNS if one in columns)])
    flows = flows.with_columns(pl.col("limited_by").cast(pl.String))
    parts = []
    for name in flows["limited_by"].drop_nulls().unique(maintain_order=True):
        if name in OF_CONGESTION_CONTROL | {APPLICATION} or SHARES.get(name) not in flows.columns:
            continue
        held = flows.filter(pl.col("limited_by") == name)
        share = held[SHARES[name]].mean()
        whose, verb = ("its", "is") if held.height == 1 else ("their", "are")
        which = "the flow" if flows.height == 1 else f"{held.height} of {flows.height} flows"
        time = f", {round(100 * share)} % of {whose} time" if isinstance(share, float) else ""
        parts.append((held.height, f"{which} {verb} limited by the {name}{time}"))
    return "; ".join(text for _, text in sorted(parts, reverse=True))


def warnings_of(results: ResultTables) -> list[str]:
    """Warnings of the engine about algorithms, such as a division by zero, each with the number of its runs."""
    if "warnings" not in results.runs.columns:
        return []
    counts = results.runs["warnings"].drop_nulls().value_counts(sort=True)
    total = results.runs.height
    return [
        f"warning: {text}" + (f" (in {count} of {total} runs)" if total > 1 else "") for text, count in counts.rows()
    ]


def receive_window_packets(results: ResultTables, runs: Sequence[str]) -> int | None:
    """The largest receive window that the flows of these runs sampled, in full packets."""
    columns = ["run", "flow", "receive_window_bytes"]
    series = results.stored("flow_series", set(runs), columns)
    if not series.height or "receive_window_bytes" not in series.columns:
        return None
    flows = results.flow_columns.select(["run", "flow", "mss_bytes"]).with_columns(pl.col("run").cast(pl.String))
    sampled = series.join(flows, on=["run", "flow"], how="inner")
    most = (sampled["receive_window_bytes"] // sampled["mss_bytes"]).max()
    return int(most) if isinstance(most, int) else None
