"""Roles of an experiment's flows: which have an application, and which bulk flows compete for a link.

A share of goodput says something about flows that would take more if they got it, over one link. A call that offers
0.4 Mbit/s does not lose against an upload, and a download does not compete with it.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.tables import ResultTables

OF_APPLICATIONS = (
    "call_delay_p95_ms",
    "page_load_median_ms",
    "video_bitrate_mbps",
    "completion_s",
    "request_p95_ms",
)
"""Headline metrics of flows that do more than send without end; the others have none. Of several the first is that of
the application: pages and videos consist of requests."""
_MEASURED = ("request_median_ms", "call_delay_median_ms", "page_load_median_ms", "video_bitrate_mbps", "completion_s")
MOSTLY = 0.5
"""A flow that its application limits for this share of the time has not enough to send for a fair share."""


def competing(results: ResultTables) -> list[list[int]]:
    """The groups of bulk flows, those together whose data crosses a link or medium in common."""
    present = results.flow_columns.columns
    names = [name for name in (*_MEASURED, "app_limited_share") if name in present]
    flows = results.flow_columns.select(["run", "flow", "group", *names])
    has_application = [pl.col(name).is_not_null().any() for name in names if name != "app_limited_share"]
    if "app_limited_share" in names:
        has_application.append((pl.col("app_limited_share").mean() > MOSTLY).fill_null(value=False))
    groups = flows.group_by("group", maintain_order=True).agg(
        pl.any_horizontal(has_application).alias("has_application") if has_application else pl.lit(value=False)
    )
    bulk = [int(group) for group, with_application in groups.iter_rows() if not with_application]
    first = flows.filter(flows["run"] == flows["run"].first()) if flows.height else flows
    scenario = results.scenarios(first["run"].unique()).get(first["run"][0]) if first.height else None
    crossed = _crossed(json.loads(scenario), dict(first.select("flow", "group").iter_rows())) if scenario else {}
    classes: list[tuple[set[str], list[int]]] = []
    for group in bulk:
        links = crossed.get(group, set())
        same = [one for one in classes if not links or not one[0] or links & one[0]]
        merged = (links.union(*(one[0] for one in same)), [member for one in same for member in one[1]] + [group])
        classes = [*(one for one in classes if one not in same), merged]
    return [sorted(members) for _, members in classes]


def all_compete(results: ResultTables) -> bool:
    """Whether all are bulk flows over a link in common, so that Jain's index of a run says how they share it."""
    found = competing(results)
    return len(found) == 1 and len(found[0]) == results.flow_columns.select(["group"])["group"].n_unique()


def _crossed(scenario: Mapping[str, Any], groups: Mapping[int, int]) -> dict[int, set[str]]:
    """The links with a rate and the media that the data of each group crosses."""
    rated = {
        one["name"]: one["name"] for one in scenario.get("links", []) if one.get("rate_bps") or one.get("trace_ms")
    }
    for medium in scenario.get("media", []):
        rated |= {name: medium["name"] for name in _stations(medium)}
    found: dict[int, set[str]] = {}
    for number, flow in enumerate(scenario.get("flows", [])):
        if number in groups:
            found.setdefault(groups[number], set()).update(rated[name] for name in flow["forward"] if name in rated)
    return found


def _stations(medium: Mapping[str, Any]) -> Sequence[str]:
    return [
        queue["name"]
        for station in medium["stations"]
        for queue in ([station["uplink"], station["downlink"]] if "uplink" in station else [station])
    ]
