"""Families of networks: an experiment file, and the keys that a search may vary within ranges."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from fairlane.engine.messages import unknown
from fairlane.scenario import document
from fairlane.scenario.diagnostics import ExperimentError, Place, inside
from fairlane.scenario.forms import FLAG, Form, Number, Range, Reader, Text, Unread, Words, shown
from fairlane.scenario.load import Variants
from fairlane.scenario.table_classes import own, read_document, table_of
from fairlane.scenario.table_forms import ListOf

FOLDER = Path(__file__).parent / "families"
TARGET = "TARGET"
"""Stands in a family for the algorithm whose failures are sought."""
_AMOUNT = re.compile(r"([0-9.]+(?:e-?[0-9]+)?)\s*([A-Za-z%]*)")


class Amount(NamedTuple):
    """A number and its unit."""

    number: float
    unit: str

    def __str__(self) -> str:
        return f"{self.number:g}{self.unit}"


class _AmountForm(Form):
    """A number, or text with a unit."""

    def read(self, value: object, place: Place, reader: Reader) -> object:
        """As an `Amount`."""
        found = None if isinstance(value, bool) else _AMOUNT.fullmatch(str(value))
        if found is None:
            raise ValueError(f'must be a number, or text with a unit such as "20ms", not {shown(value)}')
        return Amount(float(found[1]), found[2])

    def stand_in(self) -> object:
        """Any."""
        return Amount(1, "")


AMOUNT = _AmountForm()


@dataclass(frozen=True)
class Gene:
    """A key that varies, in a range or among some values. Absent from the experiment, it may stay absent."""

    key: str = own(Text(1), "The key, as a sweep writes it.", ..., "network.rate")
    low: Amount | None = own(AMOUNT, "Smallest value.")
    high: Amount | None = own(AMOUNT, "Largest value, in the same unit.")
    log: bool = own(FLAG, "Values are uniform in their logarithm, not in themselves.", True)
    values: list[Any] | None = own(Unread((list,), "a list of values"), "Values to choose from, in place of a range.")
    usual: list[Amount] | None = own(
        lambda: ListOf(AMOUNT, 2, 2), "The range that is common in practice, to which `--realistic` restricts the key."
    )
    source: str = own(Text(), "Where the ranges are from.", "")

    def rounded(self, value: float) -> float:
        """Within the range, with two significant digits; without a unit or in packets an integer."""
        assert self.low
        assert self.high
        value = min(max(value, self.low.number), self.high.number)
        return float(round(value)) if self.low.unit in ("", "p") else float(f"{value:.2g}")

    def written(self, value: Any) -> Any:
        """As a file has it."""
        if self.values is not None:
            return value
        assert self.low
        return f"{value:g}{self.low.unit}" if self.low.unit else int(value)

    def is_usual(self, value: Any) -> bool:
        """Whether the value is common in practice, as far as the family says."""
        return self.usual is None or self.usual[0].number <= value <= self.usual[1].number

    def mistake(self) -> str:
        """The error of the gene; empty if there is none."""
        if self.values is not None:
            return "has both values and a range; leave one out" if self.low or self.high else ""
        if self.low is None or self.high is None:
            return "needs low and high, or values; add them"
        units = {one.unit for one in (self.low, self.high, *(self.usual or ()))}
        if len(units) > 1:
            return f"has values in {' and '.join(sorted(units))}; write them all in the same unit"
        if self.low.number >= self.high.number:
            return f"is empty: low {self.low} is not below high {self.high}; swap them, or set the key in [experiment]"
        if not all(math.isfinite(one.number) for one in (self.low, self.high)):
            return "has a number that is too large; lower it"
        return "low is 0, which has no logarithm; write log = false" if self.log and self.low.number <= 0 else ""


@dataclass(frozen=True)
class Schedule:
    """A list of tables in order of time, such as `network.changes`."""

    key: str = own(Text(1), "The key of the list.", ..., "network.changes")
    most: int = own(Number(Range(1, 100)), "Most entries.", ..., 4)
    gap: str = own(
        Text(1), "The key of an entry that is a time; its range is that of the time since the last entry.", "at"
    )
    repeat: bool = own(FLAG, "Whether the entries may be repeated until the run ends.", False)
    each: list[Gene] = own(lambda: ListOf(table_of(Gene), 1, 20), "The keys of an entry.", ...)


@dataclass(frozen=True)
class MapAxis:
    """An axis of the map of failures."""

    title: str = own(Text(1), "Label.", ...)
    keys: list[str] = own(lambda: ListOf(Text(1), 1), "Keys of genes, or of entries: `network.changes.rate`.", ...)
    factors: list[float] | None = own(
        lambda: ListOf(Number(is_integer=False), 1), "A factor for each key, such as 0.5 of a round-trip time."
    )
    of: str = own(
        Words(("value", "ratio", "count")), "The value of the first; largest over smallest; entries.", "value"
    )
    low: float = own(Number(is_integer=False), "Lower end.", ...)
    high: float = own(Number(is_integer=False), "Upper end.", ...)
    log: bool = own(FLAG, "Logarithmic.", True)
    cells: int = own(Number(Range(1, 100)), "Number of cells.", 8)

    def cell(self, value: float) -> int:
        """The cell of a value; beyond the ends the last one."""
        low, high, at = (math.log(max(one, 1e-12)) if self.log else one for one in (self.low, self.high, value))
        return min(max(int((at - low) / (high - low) * self.cells), 0), self.cells - 1)

    def bounds(self) -> list[float]:
        """The edges of the cells."""
        steps = [number / self.cells for number in range(self.cells + 1)]
        if self.log:
            return [self.low * (self.high / self.low) ** step for step in steps]
        return [self.low + (self.high - self.low) * step for step in steps]


@dataclass(frozen=True)
class FamilyFile:
    """A family of networks."""

    title: str = own(Text(1), "One line.", ...)
    source: str = own(Text(), "Where the family is from.", "")
    objective: str = own(Text(1), "The objective, if the user names none.", "goodput")
    experiment: dict[str, Any] = own(
        Unread((dict,), "a table", {}),
        f"The network to start from: an experiment in which flows have the algorithm {TARGET}.",
        ...,
    )
    genes: list[Gene] = own(lambda: ListOf(table_of(Gene), 0, 50), "Keys that vary.", [])
    schedules: list[Schedule] = own(lambda: ListOf(table_of(Schedule), 0, 10), "Lists that vary.", [])
    map: list[MapAxis] = own(lambda: ListOf(table_of(MapAxis), 2, 2), "The axes of the map of failures.", ...)


@dataclass(frozen=True)
class Family:
    """A family that can be searched."""

    name: str
    file: FamilyFile
    algorithm: str
    """That of the flows with the algorithm TARGET."""

    @cached_property
    def variants(self) -> Variants:
        """The experiment with the algorithm in it."""
        return Variants(_named(self.file.experiment, self.algorithm))

    @cached_property
    def places(self) -> dict[str, list[Place]]:
        """The places of each gene and schedule in the experiment."""
        known = [one.key for one in self.file.genes] + [one.key for one in self.file.schedules]
        return {key: self.variants.places(key) for key in known}

    @cached_property
    def targets(self) -> tuple[int, ...]:
        """The entries of `flows` with the algorithm whose failures are sought."""
        flows = self.file.experiment["flows"]
        return tuple(index for index, flow in enumerate(flows) if flow.get("algorithm") == TARGET)

    def plain(self, key: str) -> Any:
        """The value of a key in the experiment to start from; None if it is absent."""
        if key not in self._plain:
            value: Any = self.variants.data
            for part in (self.places.get(key) or self.variants.places(key))[0]:
                value = inside(value, part)
            self._plain[key] = value
        return self._plain[key]

    @cached_property
    def _plain(self) -> dict[str, Any]:
        return {}

    @property
    def equals(self) -> "Family":
        """With two flows, if one alone has the algorithm."""
        flows = self.file.experiment["flows"]
        if len(self.targets) != 1 or flows[self.targets[0]].get("count", 1) != 1:
            return self
        two = [{**flow, "count": 2} if index in self.targets else flow for index, flow in enumerate(flows)]
        return replace(self, file=replace(self.file, experiment={**self.file.experiment, "flows": two}))

    def of(self, algorithm: str) -> "Family":
        """The same for another algorithm."""
        return replace(self, algorithm=algorithm)


def _named(experiment: Mapping[str, Any], algorithm: str) -> dict[str, Any]:
    flows = [
        {**flow, "algorithm": algorithm} if flow.get("algorithm") == TARGET else flow for flow in experiment["flows"]
    ]
    return {**experiment, "flows": flows}


def shipped() -> list[str]:
    """The names of Fairlane's own families."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def find(word: str, algorithm: str, *, realistic: bool = False) -> Family:
    """A shipped family by its name, or a file. Raises ExperimentError with one line for each error in it."""
    path = Path(word) if word.endswith(".toml") else FOLDER / f"{word}.toml"
    if not word.endswith(".toml") and word not in shipped():
        raise ExperimentError([f"{unknown('family', word, shipped())}; or name a file that ends in .toml"])
    file = read_document(FamilyFile, document.read(path, remedy="name a family file"), _check)
    if realistic:
        file = replace(
            file,
            genes=[_restricted(one) for one in file.genes],
            schedules=[replace(one, each=[_restricted(gene) for gene in one.each]) for one in file.schedules],
        )
    return _checked(Family(path.stem, file, algorithm), path)


def _restricted(gene: Gene) -> Gene:
    return gene if gene.usual is None else replace(gene, low=gene.usual[0], high=gene.usual[1])


def _check(form: FamilyFile, reader: Reader) -> None:
    every: list[tuple[Place, Gene]] = [(("genes", index), gene) for index, gene in enumerate(form.genes)]
    for index, one in enumerate(form.schedules):
        every += [(("schedules", index, "each", number), gene) for number, gene in enumerate(one.each)]
        if one.gap not in [gene.key for gene in one.each if gene.low]:
            text = f'has no entry of each with key = "{one.gap}" and a range, the time between entries; add it'
            reader.report(("schedules", index), text)
    for place, gene in every:
        if text := gene.mistake():
            reader.report(place, f"{gene.key} {text}")
    for index, axis in enumerate(form.map):
        if not axis.low < axis.high or (axis.log and axis.low <= 0):
            reader.report(("map", index), "low is not below high, or has no logarithm; correct it, or set log = false")
        if axis.factors is not None and len(axis.factors) != len(axis.keys):
            reader.report(
                ("map", index, "factors"), f"has {len(axis.factors)} for {len(axis.keys)} keys; give one for each"
            )
    flows = form.experiment.get("flows")
    if not isinstance(flows, list) or not all(isinstance(one, dict) for one in flows):
        reader.report(("experiment", "flows"), "must be tables; write [[experiment.flows]] before each")
    elif not any(one.get("algorithm") == TARGET for one in flows):
        reader.report(("experiment", "flows"), f'no flow has algorithm = "{TARGET}"; give it to one')


def _checked(family: Family, path: Path) -> Family:
    """Each end of each range has to make an experiment that can be run, with the others as in the experiment."""
    try:
        variants, places = family.variants, family.places
        for gene in family.file.genes:
            for value in gene.values or [gene.low and gene.low.number, gene.high and gene.high.number]:
                variants.point(variants.with_values(dict.fromkeys(places[gene.key], gene.written(value))))
        for one in family.file.schedules:
            for pick in ("low", "high"):
                ends = {gene.key: (gene.values or [getattr(gene, pick)])[0] for gene in one.each}
                entry = {gene.key: gene.written(getattr(ends[gene.key], "number", ends[gene.key])) for gene in one.each}
                variants.point(variants.with_values({place: [entry] for place in places[one.key]}))
    except ExperimentError as error:
        lines = [line.removeprefix("experiment: ") for line in error.lines]
        raise ExperimentError([f"{path}: experiment.{line}" for line in lines]) from None
    known = set(family.places)
    known |= {f"{one.key}.{gene.key}" for one in family.file.schedules for gene in one.each}
    for index, axis in enumerate(family.file.map):
        for key in axis.keys:
            if key not in known and (key.startswith(tuple(family.places)) or family.plain(key) is None):
                raise ExperimentError([f"{path}: map[{index}].keys: {unknown('gene', key, sorted(known))}"])
    return family


def amounts(values: Sequence[Any]) -> list[float]:
    """The numbers of values as files have them.

    >>> amounts(["20ms", 3, "fifo"])
    [20.0, 3.0]
    """
    found = []
    for value in values:
        if isinstance(value, str):
            value = (_AMOUNT.fullmatch(value) or [None, None])[1]
        if isinstance(value, str | int | float):
            found.append(float(value))
    return found
