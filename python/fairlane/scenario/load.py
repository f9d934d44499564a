"""From an experiment file to its runs: reads it, expands the sweep, checks every point, reports all errors at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from fairlane.engine import Summary
from fairlane.engine.messages import listed_near, nearest
from fairlane.scenario import document, pairs
from fairlane.scenario.diagnostics import Diagnostic, ExperimentError, Place, inside, key_text, reporter
from fairlane.scenario.document import Document, Toml
from fairlane.scenario.experiment import Experiment
from fairlane.scenario.forms import Reader
from fairlane.scenario.matrix import Matrix, expand
from fairlane.scenario.plan import Axis, AxisValue, axes
from fairlane.scenario.scenario import Point
from fairlane.scenario.table_classes import read as read_table

MAX_DIAGNOSTICS = 30
"""The maximum number of errors to repair in one pass."""


@dataclass(frozen=True)
class PlannedPoint:
    """A point of the sweep, checked."""

    axes: dict[str, AxisValue]
    """By column."""
    labels: tuple[str, ...]
    """The file's words, in the order of the axes."""
    label: str
    """Its name in messages."""
    point: Point
    count: int | None = None
    """Repeats, if not those of the file."""

    @property
    def repeats(self) -> int:
        """The number of runs."""
        return self.point.experiment.repeats if self.count is None else self.count


@dataclass(frozen=True)
class Sweep:
    """The axes of an experiment, and their values at each point by column."""

    axes: tuple[Axis, ...]
    points: tuple[dict[str, AxisValue], ...]


@dataclass(frozen=True)
class LoadedExperiment:
    """An experiment that can be run."""

    name: str
    title: str
    axes: tuple[Axis, ...]
    points: tuple[PlannedPoint, ...]
    settings: dict[str, Any]
    """The content of the file, inheritance resolved."""

    @property
    def runs(self) -> int:
        """The number of runs in all."""
        return sum(point.repeats for point in self.points)


def load(
    source: Path | Mapping[str, object], *, repeats: int | None = None, seed: int | None = None
) -> LoadedExperiment:
    """Reads and checks an experiment. Raises ExperimentError with a line for each error.

    `repeats` and `seed` replace what the file says.
    """
    from fairlane.engine import algorithms

    read = document.read(source)
    if read.path and "experiment" in read.data and "network" not in read.data:
        raise ExperimentError([f"{read.path}: is a tuning file; write fairlane tune {read.path}"])
    given = {"repeats": repeats, "seed": seed}
    read.data |= {key: value for key, value in given.items() if value is not None}
    settings = dict(read.data)
    diagnostics: list[Diagnostic] = []
    sweep = read.data.pop("sweep", {})
    if isinstance(sweep, dict) and "matrix" in sweep:
        _two_flows(read.data, diagnostics)
    matrix = expand(sweep, diagnostics)
    if any(one.place[:2] == ("sweep", "matrix") for one in diagnostics):  # its flows would be wrong, too
        raise ExperimentError(_Gatherer(read, diagnostics).lines(matrix, [[] for _ in matrix.dimensions]))
    gatherer = _Gatherer(read, diagnostics, [one.key for one in matrix.dimensions])
    places = [gatherer.resolve(one.key) for one in matrix.dimensions]
    bundled = algorithms()
    found = axes(matrix.dimensions)
    points = []
    for indices, data in _points(read.data, matrix, places):
        before = len(diagnostics)
        point = gatherer.check(data, bundled)
        if point is not None and len(diagnostics) == before:
            words = tuple(axis.labels[index] for axis, index in zip(found, indices, strict=True))
            values = _values(found, indices)
            label = ", ".join(f"{axis.name} {word}" for axis, word in zip(found, words, strict=True)) or "the run"
            points.append(PlannedPoint(values, words, label, point))
        if len(diagnostics) >= MAX_DIAGNOSTICS:
            break
    if diagnostics:
        raise ExperimentError(gatherer.lines(matrix, places))
    first = points[0].point.experiment
    name = first.name or (read.path.stem if read.path else "experiment")
    return LoadedExperiment(_file_name(name), first.title, found, tuple(points), settings)


def _two_flows(data: Toml, diagnostics: list[Diagnostic]) -> None:
    """The flows of a matrix of algorithms: one each, unless the file says more about the two groups."""
    flows = data.setdefault("flows", [{} for _ in pairs.NAMES])
    if isinstance(flows, list) and len(flows) != len(pairs.NAMES):
        text = f"needs two [[flows]], the first and its rival, not {len(flows)}; or leave [[flows]] out"
        diagnostics.append(Diagnostic(("sweep", "matrix"), text))


class Variants:
    """An experiment whose keys vary: reads each variant in a fraction of the time that `load` takes.

    Parts that a variant shares with the one before, as objects, are read once. Files are taken as they were when it
    was made.
    """

    def __init__(self, source: Path | Mapping[str, object]) -> None:
        """Raises ExperimentError if the experiment cannot be run, or has a sweep."""
        from fairlane.engine import algorithms

        if load(source).axes:
            raise ExperimentError(["experiment: sweep: a search varies keys itself; remove the sweep"])
        self.data = document.read(source).data
        self._bundled = algorithms()
        self._gatherer = _Gatherer(Document(None, self.data), [])

    def places(self, key: str) -> list[Place]:
        """The places of a key such as `flows.rival.rtt`, as a sweep writes it. Raises ExperimentError."""
        found = self._gatherer.resolve(key)
        self._fail()
        return found

    def with_values(self, values: Mapping[Place, object]) -> Toml:
        """The experiment with these values; the rest is shared with other variants."""
        made = self.data
        for place, value in values.items():
            made = cast(Toml, _with(made, place, value))
        return made

    def point(self, data: Toml) -> Point:
        """A variant, checked. Raises ExperimentError."""
        point = self._gatherer.check(data, self._bundled)
        self._fail(data)
        assert point is not None
        return point

    def _fail(self, data: Toml | None = None) -> None:
        diagnostics = self._gatherer.diagnostics
        if diagnostics:
            lines = [f"experiment: {key_text(one.place, data)}: {one.text}" for one in diagnostics]
            diagnostics.clear()
            raise ExperimentError(list(dict.fromkeys(lines)))


def load_sweep(source: Path) -> Sweep:
    """Reads what an experiment sweeps, and checks nothing else. Raises ExperimentError."""
    diagnostics: list[Diagnostic] = []
    read = document.read(source)
    matrix = expand(read.data.pop("sweep", {}), diagnostics)
    if diagnostics:
        raise ExperimentError(_Gatherer(read, diagnostics).lines(matrix, []))
    found = axes(matrix.dimensions)
    return Sweep(found, tuple(_values(found, indices) for indices in matrix.points))


def _values(found: tuple[Axis, ...], indices: tuple[int, ...]) -> dict[str, AxisValue]:
    return {axis.column: axis.values[index] for axis, index in zip(found, indices, strict=True)}


def _points(data: Toml, matrix: Matrix, places: list[list[Place]]) -> Iterator[tuple[tuple[int, ...], Toml]]:
    for indices in matrix.points:
        point = data
        for dimension, index, targets in zip(matrix.dimensions, indices, places, strict=True):
            for place in targets:
                point = cast(Toml, _with(point, place, dimension.values[index]))
        yield indices, point


def _with(data: object, place: Place, value: object) -> object:
    """A copy with `value` at `place`; the rest is shared."""
    if not place:
        return value
    part, rest = place[0], place[1:]
    if isinstance(part, int) and isinstance(data, list):
        return [_with(one, rest, value) if index == part else one for index, one in enumerate(data)]
    below = inside(data, part) if isinstance(data, dict) else None
    if below is None and rest:
        below = {}
    if isinstance(below, str) and rest and part in ("queue", "workload"):
        below = {"kind": below}  # the short form
    return {**(data if isinstance(data, dict) else {}), part: _with(below, rest, value)}


def _written(place: Place, data: object) -> Place:
    """As far as the file goes: `loss = "1%"` has no probability, though the table that it stands for has."""
    for depth, part in enumerate(place):
        if isinstance(data, (str, int, float)):
            return place[:depth]
        data = inside(data, part)
    return place


def _related(one: Place, other: Place) -> bool:
    """Whether one place is the other, or lies in it."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _follows(diagnostic: Diagnostic, wrong: Iterable[Place]) -> bool:
    """Whether this error is about a missing rate, and the rate or trace that the link was given is wrong itself."""
    table = diagnostic.place[:-1]
    rates = {(*table, name) for name in ("rate", "trace")}
    return "without a rate" in diagnostic.text and any(place[: len(table) + 1] in rates for place in wrong)


class _Gatherer:
    """Gathers diagnostics and writes them down."""

    def __init__(self, read: Document, diagnostics: list[Diagnostic], swept: Sequence[str] = ()) -> None:
        self.read, self.diagnostics, self.reader = read, diagnostics, Reader()
        self.swept = swept
        """Keys of the sweep."""
        self.report = reporter(diagnostics)

    def resolve(self, key: str) -> list[Place]:
        """The places of a key of the sweep.

        `flows.rival.rtt` is the flow of that name, `flows.*.rtt` all flows, `network.*.queue` both directions.
        """
        parts: list[str] = key.replace("[", ".").replace("]", "").split(".")
        place: Place = ("sweep", key)
        if not all(parts):
            self.report(place, "is no key; write for example network.rate")
            return []
        if parts[0] in ("name", "inherits", "sweep", "title", "description"):
            self.report(place, f"{parts[0]} cannot be swept; sweep what changes a run")
            return []
        return self._resolve(self.read.data, (), parts, place)

    def _resolve(self, data: object, above: Place, parts: list[str], key: Place) -> list[Place]:
        if not parts:
            return [above]
        part, rest = parts[0], parts[1:]
        if not isinstance(data, list):
            if data is not None and not isinstance(data, dict) and not (isinstance(data, str) and above[-1:] != ()):
                self.report(key, f"{key_text(above)} is no table; check the key")
                return []
            if part == "*" and above == ("network",):
                return self._resolve_directions(data, rest, key)
            return self._resolve(data.get(part) if isinstance(data, dict) else None, (*above, part), rest, key)
        names = {
            one["name"]: index
            for index, one in enumerate(data)
            if isinstance(one, dict) and "name" in one and isinstance(one["name"], str)
        }
        if part == "*":
            chosen = list(range(len(data)))
        elif part in names:
            chosen = [index for index, one in enumerate(data) if isinstance(one, dict) and one.get("name") == part]
        elif part.isdigit() and int(part) < len(data):
            chosen = [int(part)]
        else:
            known = [*names, *(str(index) for index in range(len(data)))]
            hint = nearest(part, known) or "."
            self.report(key, f"{key_text(above)} has no '{part}'{hint} {listed_near(part, known)} and *")
            return []
        return [place for index in chosen for place in self._resolve(data[index], (*above, index), rest, key)]

    def _resolve_directions(self, network: object, rest: list[str], key: Place) -> list[Place]:
        """The key in both directions of a network: that of data and `reverse`."""
        table = network if isinstance(network, dict) else {}
        if table.get("kind") == "wifi" or table.get("topology") == "links" or {"links", "media"} & set(table):
            self.report(key, "* stands for the two directions of a dumbbell or parking lot; name the links")
            return []
        reverse = table.get("reverse")
        swept = {f"network.reverse.{name}" for name in ("rate", "trace")} & set(self.swept)
        if not swept and not (isinstance(reverse, dict) and {"rate", "trace"} & set(reverse)):
            remedy = f'give network.reverse a rate, or sweep "network.{".".join(rest)}"'
            self.report(key, f"network.reverse has no rate, so that only one direction has a queue; {remedy}")
            return []
        there, back = ("network",), ("network", "reverse")
        return [*self._resolve(table, there, rest, key), *self._resolve(reverse, back, rest, key)]

    def check(self, data: Toml, bundled: Sequence[Summary]) -> Point | None:
        """A point; errors are added to the diagnostics."""
        self.reader.diagnostics, self.reader.misspelt = [], set()
        experiment = read_table(Experiment, data, (), self.reader)
        wrong = [*(diagnostic.place for diagnostic in self.reader.diagnostics), *self.reader.misspelt]
        self.diagnostics += self.reader.diagnostics
        found: list[Diagnostic] = []
        point = Point(experiment, bundled, found)
        # Stand-ins are not the user's: no error is reported for them, nor for times within a made-up duration.
        made_up = ("start", "start_every", "warm_up", "interval", "stop") if ("duration",) in wrong else ()
        self.diagnostics += [
            diagnostic
            for diagnostic in found
            if diagnostic.place[-1] not in made_up
            and not any(_related(diagnostic.place, place) for place in wrong)
            and not _follows(diagnostic, [*wrong, *(one.place for one in found)])
        ]
        return point

    def lines(self, matrix: Matrix, places: list[list[Place]]) -> list[str]:
        """Each error once: file, key, text. What the sweep set is named by the sweep's key."""
        lines: dict[str, None] = {}
        swept = {place: one.key for one, targets in zip(matrix.dimensions, places, strict=True) for place in targets}
        for diagnostic in self.diagnostics:
            place = _written(diagnostic.place, self.read.data)
            by = next((swept[place[:length]] for length in range(len(place), 0, -1) if place[:length] in swept), None)
            if by is not None and place[:1] != ("sweep",):
                line = f'{self.read.origin(("sweep", by))}: sweep."{by}": {diagnostic.text}'
            else:
                line = f"{self.read.origin(place)}: {key_text(place, self.read.data)}: {diagnostic.text}"
            lines[line] = None
        return list(lines)[:MAX_DIAGNOSTICS]


def _file_name(name: str) -> str:
    """A name that can be a file's."""
    word = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in name).strip(".-")
    return word[:100] or "experiment"
