"""The scenarios of a truth folder as a study: the paper is `linux.csv`, and the simulator reruns them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fairlane.engine.result_bytes import Result
from fairlane.engine.types import Scenario as EngineScenario
from fairlane.runs.backends import SIMULATOR
from fairlane.runs.executors.processes import run_all
from fairlane.study.linux.recorded_series import replays
from fairlane.study.linux.score import Errors, FlowRow, compare, errors, flow_rows, load_rows
from fairlane.study.linux.truth import as_scenario, load, supported, with_repeats


@dataclass(frozen=True)
class Rerun:
    """Our runs of recorded scenarios."""

    results: Mapping[str, Result]
    """By the name of the scenario or of its repeat."""
    replayed: Mapping[str, Result]
    """Runs with the random losses that Linux had."""
    failed: Sequence[str]
    """The other runs, with their errors."""

    @cached_property
    def rows(self) -> list[FlowRow]:
        """The flows of `results`."""
        return [row for name, result in self.results.items() for row in flow_rows(name, result["flows"])]


class RecordedStudy:
    """The scenarios of a folder, and how Linux ran them. Raises TruthError and FileError."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.scenarios = folder, load(folder)
        path = folder / "linux.csv"
        self._linux = load_rows(path) if path.exists() else []

    def plan(self, repeats: int, only: Sequence[str] = (), *, series: bool = False) -> "RerunPlan":
        """The scenarios that can be run (of these names, if any), with `repeats` more runs of each.

        With `series`, results have time series, and runs with Linux's losses are added. Raises TruthError, FileError.
        """
        chosen = [one for one in self.scenarios if not only or one.name in only]
        recorded, skipped = supported(chosen)
        runs = {one.name: as_scenario(one) for one in with_repeats(recorded, repeats)}
        left_out = len(chosen) - len(recorded)
        again = replays(self.folder, recorded) if series else {}
        return RerunPlan(runs, again, ["flows", "series"] if series else ["flows"], skipped, left_out)

    def errors(self, ours: Sequence[FlowRow]) -> list[Errors]:
        """The errors of the scenarios of which ours are."""
        return errors(compare(self._linux, ours), only_present=True)


@dataclass(frozen=True)
class RerunPlan:
    """The runs to compute."""

    runs: Mapping[str, EngineScenario]
    replays: Mapping[str, EngineScenario]
    keep: list[str]
    """The parts of results that are needed."""
    skipped: Sequence[str]
    """A line for each reason why scenarios are left out."""
    left_out: int

    def __len__(self) -> int:
        return len(self.runs) + len(self.replays)

    def run(self, jobs: int | None, on_done: Callable[[], None], backend: str = SIMULATOR) -> Rerun:
        """Runs all; `on_done` is called after each."""
        both = [*self.runs.values(), *self.replays.values()]
        outcomes = run_all(both, jobs=jobs, keep=self.keep, on_done=on_done, backend=backend)
        first, again = outcomes[: len(self.runs)], outcomes[len(self.runs) :]
        named = dict(zip(self.runs, first, strict=True))
        return Rerun(
            {name: one.result for name, one in named.items() if one.result is not None},
            {name: one.result for name, one in zip(self.replays, again, strict=True) if one.result},
            [f"{name}: {one.error}" for name, one in named.items() if one.result is None],
        )
