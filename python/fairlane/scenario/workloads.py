"""Workloads in the engine's form: reads files of traffic, and checks conditions on several settings.

Files of traffic are distributions of flow sizes, some published ones of which come with the package, and traces of
arrivals.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TypeVar, cast

from fairlane import files
from fairlane.engine.types import Arrival, CdfPoint, Sizes, Workload
from fairlane.files import FileError
from fairlane.scenario.diagnostics import Place, Report

FOLDER = Path(__file__).parent / "templates" / "sizes"
BOX = {path.stem: path for path in sorted(FOLDER.glob("*.txt"))}
"""Published distributions by name."""
_CDF = "write `bytes share` in each line, in increasing order, up to a share of 1 or 100"
_ARRIVALS = "write the columns start_s and bytes, and a row for each connection"
_MAX_BYTES = 1 << 50
MAX_CONNECTIONS = 1_000_000
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
    if kind in ("video", "call") and any(one >= two for one, two in pairwise(made["ladder_bps"])):
        report((*place, "ladder"), "must rise from one bitrate to the next; sort it")
    if kind == "video" and made["buffer_ns"] < made["segment_ns"]:
        report((*place, "buffer"), "holds no segment; give at least the time of one")
    return made


def read_sizes(sizes: Sizes) -> Sizes:
    """The distribution with its points, without points where its file cannot be read."""
    return _sizes(sizes, (), lambda _place, _text: None)


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


def cdf_points(path: Path) -> list[CdfPoint]:
    """The points of a CDF file: sizes in bytes, with shares of 0 to 1 or percent. `#` begins a comment.

    Raises FileError.
    """
    points = []
    for number, line in enumerate(files.lines(path, _CDF), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            size, share = (float(word) for word in words)
        except ValueError:
            raise FileError(path, f"line {number} is not two numbers", _CDF) from None
        if not (0 <= size <= _MAX_BYTES and 0 <= share <= 100):
            raise FileError(path, f"line {number} is out of range", _CDF)
        points.append((round(size), share))
    total = points[-1][1] if points else 0
    is_rising = all(one[0] <= two[0] and one[1] < two[1] for one, two in pairwise(points))
    if total not in (1, 100) or not is_rising:
        raise FileError(path, f"its shares do not rise to 1 or 100, but end at {total:g}", _CDF)
    return [{"bytes": size, "probability": share / total} for size, share in points]


def arrivals(path: Path) -> list[Arrival]:
    """The connections of a CSV file with the columns `start_s` and `bytes`. Raises FileError."""
    columns, rows = files.csv_rows(path, _ARRIVALS)
    if not {"start_s", "bytes"} <= set(columns):
        raise FileError(path, "has no columns start_s and bytes", _ARRIVALS)
    found: list[Arrival] = []
    for number, row in enumerate(rows, start=2):
        try:
            start_s, size = float(row["start_s"]), int(row["bytes"])
        except ValueError:
            raise FileError(path, f"line {number} is not a time and an integer number of bytes", _ARRIVALS) from None
        if not (0 <= start_s <= 1e6 and 1 <= size <= _MAX_BYTES):
            raise FileError(path, f"line {number} is out of range", _ARRIVALS)
        found.append({"start_ns": round(start_s * 1e9), "bytes": size})
    return found


def mean_bytes(sizes: Sizes) -> float:
    """The mean of a distribution in the engine's form, before its maximum; of a Pareto without a mean that maximum.

    >>> mean_bytes({"kind": "pareto", "minimum_bytes": 1000, "shape": 3.0})
    1500.0
    >>> mean_bytes({"kind": "empirical", "points": [{"bytes": 0, "probability": 0}, {"bytes": 10, "probability": 1}]})
    5.0
    """
    match sizes["kind"]:
        case "fixed":
            return float(sizes["bytes"])
        case "exponential":
            return float(sizes["mean_bytes"])
        case "pareto":
            shape, most = float(sizes["shape"]), float(sizes.get("maximum_bytes", 1 << 40))
            return shape * sizes["minimum_bytes"] / (shape - 1) if shape > 1 else most
        case "log_normal":
            return float(sizes["median_bytes"] * math.exp(min(sizes["sigma"], 10) ** 2 / 2))
        case _:
            points = [(one["bytes"], one["probability"]) for one in sizes["points"]] or [(1, 1.0)]
            between = sum((one[0] + two[0]) / 2 * (two[1] - one[1]) for one, two in pairwise(points))
            return float(points[0][0] * points[0][1] + between)
