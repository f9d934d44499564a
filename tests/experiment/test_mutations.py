"""A thousand mutated experiment files: each is refused with clear errors, or runs."""

import random
from pathlib import Path

import pytest
from fairlane.engine import AlgorithmError, ScenarioError, run
from fairlane.runs.sweep.run_size import work
from fairlane.runs.sweep.runner import check, plan, prepare
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import LoadedExperiment, load

from . import mutator

FILES = sorted((Path(__file__).parent / "files").glob("*.toml"))
PER_FILE = 150
SHORT_S = 0.05
"""Valid files that take no longer than this are run as well."""


def outcome(source) -> str:
    """Loads, checks and runs; raises any other error than a clear refusal."""
    try:
        experiment: LoadedExperiment = load(source)
        points = LoadedExperiment(experiment.name, "", experiment.axes, experiment.points[:3], {})
        planned = plan(points) if points.runs < 100 else None
        if planned is None:
            return "large"
        missing = prepare(points, planned, ())
        check(points, missing, "file")
        scenario = experiment.points[0].point.repeat(0)
        if work(scenario).seconds < SHORT_S:
            run(scenario)
        return "sound"
    except ExperimentError as error:
        unclear = [line for line in error.lines if ": " not in line or "Traceback" in line or len(line) > 3000]
        if unclear or not 1 <= len(error.lines) <= 30:
            pytest.fail(f"{len(error.lines)} lines, unclear: {unclear}")
        return "refused"
    except (ScenarioError, AlgorithmError) as error:
        pytest.fail(f"passed the check, and then did not run: {error}")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("kind", ["data", "text"])
def test_spoiled_files(file, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dumbbell.toml").write_text((FILES[0].parent / "dumbbell.toml").read_text())
    counts = {"sound": 0, "refused": 0, "large": 0}
    for seed in range(PER_FILE):
        chance = random.Random(f"{file.stem} {kind} {seed}")
        if kind == "data":
            source = mutator.mutated_data(mutator.read(file), chance)
        else:
            source = tmp_path / "spoiled.toml"
            source.write_bytes(mutator.mutated_text(file.read_text(), chance))
        try:
            counts[outcome(source)] += 1
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}\n{source!r}") from error
    assert counts["refused"] > PER_FILE // 5
    assert counts["sound"] > PER_FILE // 50


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_unspoiled_files_are_sound(file):
    assert outcome(file) == "sound"
