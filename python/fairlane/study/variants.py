"""Experiments of a study with a variant's changes, and their stored results."""

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.results.store.layout import Layout
from fairlane.results.store.plans import load_all
from fairlane.results.tables import ResultTables
from fairlane.scenario import document
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.study.paper.definition import Study, StudyError, Variant


def varied_name(stored: str, variant: str) -> str:
    """The name of a changed experiment in the store."""
    return f"{stored}-with-{variant}"


def changes(variant: Variant, experiment: str) -> bool:
    """Whether the variant changes this experiment."""
    return not variant.experiments or experiment in variant.experiments


def load_varied(study: Study, path: Path, variant: str, *, repeats: int | None = None) -> LoadedExperiment:
    """The experiment of this file with the changes. Raises ExperimentError, and StudyError if a key is not there."""
    data = copy.deepcopy(document.read(path).data)
    where = f"{study.folder / 'study.toml'}: variants.{variant}.changes"
    for key, value in study.file.variants[variant].changes.items():
        apply(data, key, value, where)
    return load(data, repeats=repeats)


def apply(data: dict[str, Any], key: str, value: Any, where: str) -> None:
    """Sets a dotted key in an experiment; `name` or number choose from a list, `*` all. Raises StudyError.

    A part of a sweep is written like any other: sweep.zip.0.flows.a.algorithm.values.
    The value {"remove": True} takes the key away, so that its default holds.
    """
    *above, last = key.split(".")
    for table in _tables(data, above, f"{where}: {key}"):
        if value != {"remove": True}:
            table[last] = copy.deepcopy(value)
        elif table.pop(last, None) is None:
            raise StudyError(
                f"{where}: {key}: the experiment has no such key to remove; change another or leave it out"
            )


def _tables(data: Any, above: list[str], where: str) -> Iterator[dict[str, Any]]:
    """The tables at this place; missing ones are made."""
    if not above:
        if not isinstance(data, dict):
            raise StudyError(f"{where}: the place has no keys; write the experiment's own")
        yield data
        return
    first, *rest = above
    if isinstance(data, list):
        named = {str(part.get("name", number)): part for number, part in enumerate(data)}
        if first != "*" and first not in named:
            raise StudyError(f"{where}: {unknown('part', first, named)}")
        for part in named.values() if first == "*" else [named[first]]:
            yield from _tables(part, rest, where)
    else:
        for length in range(len(above), 1, -1):  # keys of a sweep have dots of their own
            if (dotted := ".".join(above[:length])) in data:
                yield from _tables(data[dotted], above[length:], where)
                return
        yield from _tables(data.setdefault(first, {}), rest, where)


class StoredVariants:
    """The stored results of experiments with a variant's changes; of those that it leaves alone, the plain results."""

    def __init__(self, study: Study, folder: Path, plain: Mapping[str, ResultTables], *, quick: bool) -> None:
        self._study, self._folder, self._plain, self._quick = study, folder, plain, quick
        self._stored = {plan.experiment for plan in load_all(Layout(folder))}

    def of(self, variant: str, experiment: str) -> ResultTables | None:
        """Results by the study's name of an experiment, if there are any."""
        from fairlane.study.rerun import stored_name

        if not changes(self._study.file.variants[variant], experiment):
            return self._plain.get(experiment)
        short = self._quick and self._study.file.experiments[experiment].quick is not None
        name = varied_name(stored_name(experiment, quick=short), variant)
        return ResultTables(self._folder, name, light=True) if name in self._stored else None
