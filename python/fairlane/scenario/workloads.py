"""Workloads in the engine's form: files of traffic are read, and conditions on several settings checked."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TypeVar, cast

from fairlane.engine.types import Sizes, Workload
from fairlane.files import FileError
from fairlane.scenario.diagnostics import Place
from fairlane.scenario.sizes import BOX, arrivals, cdf_points
from fairlane.scenario.topology.wiring import Report

MAX_CONNECTIONS = 20_000
T = TypeVar("T")


def engine_workload(given: Workload, index: int, report: Report) -> Workload:
    """The workload of the flow with this index."""
    place: Place = ("flows", index, "workload")
    made: Workload = {**given}
    if "sizes" in made:
        made["sizes"] = _sizes(made["sizes"], (*place, "sizes"), report)
    if "object_sizes" in made:
        made["object_sizes"] = _sizes(made["object_sizes"], (*place, "object_sizes"), report)
    kind = given["kind"]
    if kind == "poisson_flows" and ("mean_bytes" in made) == ("sizes" in made):
        report((*place, "mean"), 'and `sizes` say the same; give one of them, such as sizes = "web-search"')
        made["mean_bytes"] = 1
        made.pop("sizes", None)
    if kind == "arrivals":
        path = Path(cast(str, given["arrivals"]))
        made["arrivals"] = _read(lambda: arrivals(path), (*place, "arrivals"), report)
        if len(made["arrivals"]) > MAX_CONNECTIONS:
            text = f"are {len(made['arrivals'])} connections; the most is {MAX_CONNECTIONS}"
            report((*place, "arrivals"), text)
    if kind == "video":
        if any(one >= two for one, two in pairwise(made["ladder_bps"])):
            report((*place, "ladder"), "must rise from one bitrate to the next; sort it")
        if made["buffer_ns"] < made["segment_ns"]:
            report((*place, "buffer"), "holds no segment; give at least the time of one")
    return made


def _sizes(sizes: Sizes | None, place: Place, report: Report) -> Sizes:
    if sizes is None or sizes["kind"] != "empirical":
        return sizes or {}
    name, file = cast(dict[str, str], sizes).get("name"), cast(dict[str, str], sizes).get("file")
    if (name is None) == (file is None):
        report(place, f"needs either a name ({', '.join(BOX)}) or a file; give one of them")
        name = next(iter(BOX))
    path = BOX[name] if name is not None else Path(file or "")
    return {"kind": "empirical", "points": _read(lambda: cdf_points(path), (*place, "file"), report)}


def _read(read: Callable[[], list[T]], place: Place, report: Report) -> list[T]:
    try:
        return read()
    except FileError as error:
        report(place, str(error))
        return []
