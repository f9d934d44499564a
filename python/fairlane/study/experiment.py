"""An experiment of a study, read from its TOML file and checked."""

import csv
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairlane import units
from fairlane.algorithm import Algorithm
from fairlane.dumbbell import Dumbbell, Flow
from fairlane.study.metrics import METRICS
from fairlane.wording import unknown


class StudyError(ValueError):
    """A study that does not exist or a file of it that says something impossible."""


@dataclass(frozen=True)
class Experiment:
    """One flow per algorithm, each alone on the same bottleneck."""

    study: str
    name: str
    title: str
    paper: str
    place: str
    """The table of the paper that it reruns."""
    metrics: tuple[str, ...]
    published: Mapping[str, Mapping[str, str]]
    """The paper's row for each algorithm, as printed."""
    networks: Mapping[str, Dumbbell]
    """The network with its one flow, for each algorithm."""
    assumptions: Mapping[str, str]
    differences: Mapping[str, str]


def names(folder: Path) -> list[str]:
    """The experiments of a study."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load(path: Path) -> Experiment:
    """Reads one experiment."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise StudyError(f"{path}: {error}") from None
    read = _Reader(path, data)
    algorithms = read("traffic.algorithms", list)
    shared: dict[str, Any] = {
        "rate_bps": read("network.rate", units.rate_bps),
        "buffer": read("network.buffer", units.buffer),
        "mtu_bytes": read("network.mtu_bytes", int),
        "frame_overhead_bytes": read("network.frame_overhead_bytes", int),
        "hz": read("hosts.hz", int),
        "offload": read("hosts.offload", bool),
        "rmem_max_bytes": int(read("hosts.rmem_max", units.buffer).amount),
        "wmem_max_bytes": int(read("hosts.wmem_max", units.buffer).amount),
        "duration_ns": read("traffic.time", units.positive_time_ns),
        "seed": read("traffic.seed", int),
    }
    rtt_ns = read("network.rtt", units.positive_time_ns)
    metrics = read("metrics", list)
    for metric in metrics:
        if metric not in METRICS:
            raise StudyError(f"{path}: metrics: {unknown('metric', metric, METRICS)}")
    experiment = Experiment(
        study=path.parent.name,
        name=path.stem,
        title=read("title", str),
        paper=read("paper", str),
        place=read("place", str),
        metrics=tuple(metrics),
        published=_published(path.parent / read("published", str), read("select", dict)),
        networks={name: Dumbbell(flows=(Flow(Algorithm(name), rtt_ns),), **shared) for name in algorithms},
        assumptions=read("assumptions", dict),
        differences=read("differences", dict),
    )
    read.finish()
    return experiment


def _published(path: Path, select: Mapping[str, str]) -> dict[str, dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if all(row[column] == value for column, value in select.items())]
    return {row["algorithm"]: row for row in rows}


class _Reader:
    """Takes values out of a TOML document by dotted name, and complains about what nobody took."""

    def __init__(self, path: Path, data: dict[str, Any]) -> None:
        self.path, self.data = path, data
        self.taken: set[str] = set()

    def __call__(self, name: str, kind: Callable[..., Any]) -> Any:
        value: Any = self.data
        for part in name.split("."):
            if not isinstance(value, dict) or part not in value:
                raise StudyError(f"{self.path}: {name} is missing")
            value = value[part]
        self.taken.add(name)
        if isinstance(kind, type):
            if type(value) is not kind:
                raise StudyError(f"{self.path}: {name} must be of type {kind.__name__}, not {value!r}")
            return value
        try:
            return kind(value if isinstance(value, str) else str(value))
        except units.QuantityError as error:
            raise StudyError(f"{self.path}: {name}: {error}") from None

    def finish(self) -> None:
        """Every key of the file must have been taken: an unknown one is a slip of the pen."""
        for key, value in self.data.items():
            names = [key] if key in self.taken or not isinstance(value, dict) else [f"{key}.{inner}" for inner in value]
            for name in names:
                if name not in self.taken:
                    raise StudyError(f"{self.path}: {unknown('key', name, sorted(self.taken))}")
