"""Reads and checks the description of a study, `study.toml`.

[experiments.NAME] is the experiment file NAME.toml in the same folder, and each of [[items]] is a table or figure of
the paper: its experiments and metrics, what they are averaged over, and the file of the paper's numbers.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field, ValidationError

from fairlane import files
from fairlane.engine.messages import unknown
from fairlane.files import FileError
from fairlane.results.metrics import MetricError, find
from fairlane.scenario.base_model import Table

Key = str | float
Channel = Literal["goodput", "window", "mean_window", "rtt", "queue", "retransmissions", "jain"]
"""A quantity drawn over time, in the order of the panels. Jain's index where flows share a link."""
USUAL_CHANNELS: tuple[Channel, ...] = tuple(one for one in get_args(Channel) if one != "mean_window")
"""The channels where nothing is chosen."""

PUBLISHED_EXPERIMENTS = Path("published") / "experiments.csv"
"""The paper's experiments, one row each: id, section, figure_or_table, topology, ..."""


class StudyError(ValueError):
    """A study that does not exist or has an invalid file; one line per error."""


class PublishedValue(Table):
    """A metric, and the paper's column of it."""

    metric: str
    of: str | None = None
    """The name of the flows; where rows are groups of flows, "run" means the whole run."""
    divided_by: str | None = None
    """A column with a number, such as an axis."""
    scale: float = Field(1.0, gt=0)
    """Converts our value to the paper's unit."""
    relative_to: dict[str, str | float | int] | Literal["best"] | None = None
    """The rows by which each row is divided, all else equal; or in percent of the best row."""
    excess: bool = False
    """Not the ratio to the rows of `relative_to`, but by how many percent it is above 1."""
    published: str | None = None
    """The column of the paper's numbers; none where the paper has only words."""


class Value(PublishedValue):
    """A column of numbers in a table of ours."""

    heading: str
    digits: int = Field(2, ge=0, le=9)
    compare: Literal["ratio", "difference"] = "ratio"


class PublishedNumbers(Table):
    """Numbers of the paper, and the experiments and metrics that they belong to."""

    experiments: list[str] = Field(min_length=1)
    per: Literal["run", "group"] = "run"
    """The rows: runs, or each group of like flows in them."""
    by: list[str] = Field(min_length=1)
    """Axes and labels that tell its rows apart, with groups also `name` and `algorithm`; the rest is averaged."""
    where: list[dict[str, list[str | float | int]]] = Field([])
    """Only points that fit one of these: columns and their values."""
    values: Sequence[PublishedValue] = Field(min_length=1)
    published: str | None = None
    """The file with the paper's numbers; it has the columns `by`."""
    select: dict[str, str] = Field({})
    """Only rows of that file with these values."""


class Item(PublishedNumbers):
    """A table or figure of the paper."""

    name: str
    source: str
    """Its place in the paper."""
    title: str
    values: list[Value] = Field(min_length=1)
    equal: list[str] = Field([])
    """Only points with the same value in all of these columns."""
    across: str | None = None
    """One of `by` whose values become columns."""
    note: str = ""
    panels: list[str] = Field([])
    """In a plot, columns of `by` that get one panel per value."""
    plot: Literal["box", "heatmap"] | None = None
    """Box plots of the repeats, or one heat map per panel; else lines if `across` is set, or bars."""
    time_series: bool | list[Channel] = False
    """Also plot time series: the usual channels, or those of the paper's figure. `mean_window` is the
    moving mean of 30 s that Lin et al. 2019 define."""
    bin_s: float | None = Field(None, gt=0)
    """In pictures over time, the bins of goodput and retransmissions in seconds, as the paper has them; without it
    goodput is a moving mean of five samples."""

    @property
    def heading(self) -> str:
        """Its place in the paper and its title."""
        return f"{self.source}: {self.title}"

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The quantities drawn over time."""
        if isinstance(self.time_series, bool):
            return USUAL_CHANNELS if self.time_series else ()
        return tuple(self.time_series)

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The columns that identify its rows in addition to the axes."""
        return ("group", "name", "algorithm") if self.per == "group" else ()

    def wants(self, axes: Mapping[str, Any]) -> bool:
        """Whether a point with these axes belongs to it."""
        fits = not self.where or any(
            all(column not in axes or axes[column] in values for column, values in alternative.items())
            for alternative in self.where
        )
        return fits and len({axes[column] for column in self.equal if column in axes}) < 2


class Part(Table):
    """An experiment of the study."""

    labels: dict[str, str] = Field({})
    """Columns that all its rows have, for instance the queue that it is about."""
    covers: list[str] = Field([])
    """The rows of `published/experiments.csv` that it reruns."""
    quick: str | None = None
    """The file that replaces it in the quick subset."""
    optional: bool = False
    """A variant, or a question beyond the paper: runs only if selected by name."""
    assumptions: dict[str, str] = Field({})
    """Settings that the paper does not specify, and the reasons for the assumptions."""
    differences: dict[str, str] = Field({})
    """Values that cannot agree with the paper, and why."""


class Variant(Table):
    """A change of the experiments that shows why claims do not hold."""

    title: str
    """The difference, in a few words: "a queue of 1700 packets"."""
    reason: str
    """The reason for this testbed, and its source."""
    experiments: list[str] = Field([])
    """The experiments that it changes; all if none is named."""
    changes: dict[str, Any] = Field(min_length=1)
    """Keys of the experiment file and their values: `network.rate`, `network.links.card-a.jitter`, `flows.*.algorithm`.

    A part of a list is named by its `name` or its number from 0; `*` means all of them. The value `{ remove = true }`
    takes a key away.
    """


class Unknown(Table):
    """A setting of the testbed that the paper omits, and its possible values."""

    keys: list[str] = Field(min_length=1)
    """Keys of the experiment files, which all get the same value unless `settings` has one for each."""
    values: list[Any] = Field(min_length=2)
    """The prior range, as a grid; with `settings` their names."""
    settings: dict[str, list[Any]] = Field({})
    """For each name in `values` the value of each key, in their order."""
    default: Any
    """One of them: the assumption if nothing is fitted."""
    reason: str
    """The reason why it is unknown, and the source of the range."""


class Training(Table):
    """Published numbers that a testbed's unknowns are fitted to; claims about them are no evidence."""

    experiments: list[str] = Field(min_length=1)
    metrics: list[str] = Field(min_length=1)
    where: list[dict[str, list[str | float | int]]] = Field([])
    """Only points that fit one of these: columns and their values."""

    def covers(self, experiment: str, metric: str, has: Callable[[str, Sequence[str | float | int]], bool]) -> bool:
        """Whether it includes this metric of an experiment. `has` says if a column has one of these values there."""
        if experiment not in self.experiments or metric not in self.metrics:
            return False
        return not self.where or any(all(has(*one) for one in alternative.items()) for alternative in self.where)


class Testbed(Table):
    """Experiments of one testbed, its unknowns, and the published numbers to which they are fitted.

    The experiment files have the fitted values; `fairlane calibrate` fits them again, and validates them on the
    published numbers that are not in `training`.
    """

    title: str
    """The fitted settings, in a few words: "the router's cost per packet and its queue"."""
    experiments: list[str] = Field(min_length=1)
    unknowns: dict[str, Unknown] = Field(min_length=1, max_length=4)
    training: list[Training] = Field([])
    """Without them the unknowns cannot be fitted: claims are judged at each of their values."""


class Unsupported(Table):
    """An experiment of the paper that is not supported yet."""

    needs: str
    """The unsupported feature: Wi-Fi, QUIC."""
    source: str
    """Its place in the paper."""
    title: str
    covers: list[str] = Field(min_length=1)
    """The rows of `published/experiments.csv` that it would rerun."""


class StudyFile(Table):
    """All of `study.toml`."""

    title: str
    paper: str
    quick: str = ""
    """The part of the study that the quick subset omits."""
    experiments: dict[str, Part] = Field(min_length=1)
    unsupported: dict[str, Unsupported] = Field({})
    """Experiments that are not supported yet; claims may refer to them."""
    items: list[Item] = Field(min_length=1)
    further_numbers: list[PublishedNumbers] = Field([])
    """Numbers of the paper that no item shows. Claims are also judged by the paper's own numbers, these included."""
    variants: dict[str, Variant] = Field({})
    """Changes of the experiments that show why claims do not hold; claims name them."""
    testbeds: dict[str, Testbed] = Field({})
    """The testbeds with unknown settings."""


@dataclass(frozen=True)
class Study:
    """A study and where it is."""

    folder: Path
    file: StudyFile

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def has_claims(self) -> bool:
        """Whether it has the paper's claims."""
        return (self.folder / "claims.py").is_file() or (self.folder / "claims").is_dir()

    def source(self, experiment: str, *, quick: bool) -> tuple[Path, str]:
        """The file of an experiment, and the name of its results in the store; the quick subset is separate."""
        short = self.file.experiments[experiment].quick if quick else None
        return self.folder / (short or f"{experiment}.toml"), quick_name(experiment) if short else experiment

    def chosen(self, only: str | None) -> tuple[list[Item], list[str]]:
        """The items and experiments that `only` means: one of either, or without it all that is not further.

        The common prefix `figure-3` selects all parts of an item, such as `figure-3ab` and `figure-3cd`.
        """
        parts = self.file.experiments
        usual = [name for name, part in parts.items() if not part.optional]
        if only is None:
            return [item for item in self.file.items if set(item.experiments) & set(usual)], usual
        if items := self._items_called(only):
            needed = list(dict.fromkeys(name for item in items for name in item.experiments))
            return items, [name for name in needed if name in usual] or needed
        if only in parts:
            return [item for item in self.file.items if only in item.experiments], [only]
        raise StudyError(self._why_unknown(only))

    def _items_called(self, name: str) -> list[Item]:
        exact = [item for item in self.file.items if item.name == name]
        return exact or [item for item in self.file.items if re.fullmatch(re.escape(name) + "[a-z]+", item.name)]

    def _why_unknown(self, only: str) -> str:
        """The reason why nothing of this name can be run."""
        if only in self.file.unsupported:
            one = self.file.unsupported[only]
            return f"{only} ({one.source} of {self.name}) is not yet runnable: it needs {one.needs}"
        return unknown(f"table, figure or experiment of {self.name}", only, self.names)

    def check_rows(self, item: Item, columns: Sequence[str]) -> None:
        """Raises StudyError if a column that identifies rows of the item is not among these."""
        for column in item.by:
            if column not in columns:
                raise StudyError(
                    f"{self.folder / 'study.toml'}: items.{item.name}.by: {unknown('column', column, columns)}"
                )

    @property
    def names(self) -> list[str]:
        """The names that `only` accepts."""
        return list(dict.fromkeys([*(item.name for item in self.file.items), *self.file.experiments]))


def quick_name(experiment: str) -> str:
    """The name in the store of the quick subset of an experiment."""
    return f"{experiment}-quick"


def names(studies: Path) -> list[str]:
    """The studies there are."""
    return sorted(path.parent.name for path in studies.glob("*/study.toml"))


def load(folder: Path) -> Study:
    """Reads a study. Raises StudyError."""
    path = folder / "study.toml"
    try:
        file = StudyFile.model_validate(files.toml(path, "name a study"))
        mistakes = list(_outside(folder, file)) or list(_mistakes(folder, file))
    except FileError as error:
        raise StudyError(str(error)) from None
    except ValidationError as error:
        mistakes = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
    if mistakes:
        raise StudyError("\n".join(f"{path}: {line}" for line in mistakes))
    return Study(folder, file)


def _outside(folder: Path, file: StudyFile) -> Iterator[str]:
    """Each file that a study names lies in its folder, and each folder of results in that of the results."""
    given = {f"experiments.{name}": f"{name}.toml" for name in file.experiments}
    given |= {f"experiments.{name}.quick": part.quick for name, part in file.experiments.items() if part.quick}
    given |= {f"items.{item.name}.name": item.name for item in file.items}
    given |= {f"items.{item.name}.published": item.published for item in file.items if item.published}
    for place, path in given.items():
        if "\0" in path or not (folder / path).resolve().is_relative_to(folder.resolve()):
            yield f"{place}: '{path}' is not in the folder of the study; name a file in it"


def _mistakes(folder: Path, file: StudyFile) -> Iterator[str]:
    for name, part in file.experiments.items():
        for path in (f"{name}.toml", *([part.quick] if part.quick else [])):
            if not (folder / path).is_file():
                yield f"experiments.{name}: this folder has no file {path}; write it, or fix the name"
    yield from _uncovered(folder, file)
    named = {f"variants.{name}.experiments": one.experiments for name, one in file.variants.items()}
    named |= {f"testbeds.{name}.experiments": one.experiments for name, one in file.testbeds.items()}
    named |= {f"items.{item.name}.experiments": item.experiments for item in file.items}
    for where, experiments in named.items():
        yield from _unknown(where, "experiment", experiments, file.experiments)
    for name, testbed in file.testbeds.items():
        where = f"testbeds.{name}"
        for setting, one in testbed.unknowns.items():
            if one.default not in one.values:
                yield f"{where}.unknowns.{setting}.default: {one.default!r} is not in `values`; add it"
            if one.settings and list(one.settings) != one.values:
                yield f"{where}.unknowns.{setting}.settings: has other names than `values`; give each of them a list"
            for chosen, each in one.settings.items():
                if len(each) != len(one.keys):
                    yield (
                        f"{where}.unknowns.{setting}.settings.{chosen}: {len(each)} values for {len(one.keys)} keys; "
                        "give each key one"
                    )
        for number, training in enumerate(testbed.training):
            place = f"{where}.training.{number}.experiments"
            yield from _unknown(place, "experiment", training.experiments, testbed.experiments)
    for item in file.items:
        where = f"items.{item.name}"
        columns = (*([item.across] if item.across else []), *item.panels, *item.equal)
        for line in _unknown(where, "column", columns, item.by):
            yield f"{line}; across, panels and equal name columns of `by`"
        for value in item.values:
            try:
                find(value.metric)
            except MetricError as error:
                yield f"{where}.values: {error}"
        if item.published and not (folder / item.published).is_file():
            yield f"{where}.published: {folder.name} has no file {item.published}"


def _unknown(where: str, kind: str, names: Iterable[str], known: Collection[str]) -> Iterator[str]:
    yield from (f"{where}: {unknown(kind, name, known)}" for name in names if name not in known)


def _uncovered(folder: Path, file: StudyFile) -> Iterator[str]:
    """Each experiment of the paper is covered or listed as unsupported."""
    for name in sorted(file.experiments.keys() & file.unsupported.keys()):
        yield f"unsupported.{name}: an experiment that runs has this name; remove one of them"
    covered = {f"experiments.{name}": part.covers for name, part in file.experiments.items()}
    covered |= {f"unsupported.{name}": one.covers for name, one in file.unsupported.items()}
    path = folder / PUBLISHED_EXPERIMENTS
    if not path.is_file():
        return
    columns, rows = files.csv_rows(path, "fix the file")
    if "id" not in columns:
        raise StudyError(f"{path}: {unknown('column', 'id', columns)}")
    published = [row["id"] for row in rows]
    for where, ids in covered.items():
        yield from _unknown(f"{where}.covers", "experiment", ids, published)
    every = {id for ids in covered.values() for id in ids}
    for id in published:
        if id not in every:
            yield f"{path.name} has {id}, which no experiment covers; add it to the `covers` of one"
