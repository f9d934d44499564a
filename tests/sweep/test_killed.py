"""SIGKILL at any moment, of a worker or of everything: nothing finished is lost, nothing half-written is read."""

import contextlib
import os
import random
import signal
import time
from dataclasses import replace
from pathlib import Path

import fairlane
import polars as pl
from fairlane.results.store.store import Store
from fairlane.runs.sweep import dispatch
from fairlane.runs.sweep.runner import run
from fairlane.scenario.load import load

KILLS = 8


def children(process) -> list[int]:
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def finished(folder: Path) -> set[str]:
    return Store.at(folder).keys if folder.exists() else set()


def test_everything_killed_at_random_moments(experiment, start, tmp_path):
    path, folder = experiment(repeats=40), tmp_path / "results" / "small"
    chance = random.Random(1)
    kept: set[str] = set()
    for _ in range(KILLS):
        process = start("run", path, "--jobs", 2)
        enough = len(kept) + chance.randrange(12)
        while process.poll() is None and (len(finished(folder)) < enough or chance.random() < 0.5):
            time.sleep(chance.uniform(0.0, 0.03))
        seen = finished(folder)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        after = finished(folder)
        assert kept <= seen <= after, "a finished run was lost"
        kept = after
    assert kept
    process = start("run", path, "--jobs", 2)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    assert "240 runs" in out
    results = fairlane.open(folder)
    assert kept <= finished(folder)
    assert results.runs["run"].n_unique() == 240
    assert results.flows.height == 480
    assert results.flows["goodput_mbps"].is_not_null().all()
    samples = results.series("flow", ["mbps"]).group_by("run", "flow").len()["len"]
    assert samples.min() >= 18
    # No run was stored by two calls: the next call does not repeat a finished run.
    assert sum(len(batch.keys) for batch in Store.at(folder).batches.values()) == 240


def test_the_parent_alone_killed(experiment, start, tmp_path):
    path, folder = experiment(repeats=40), tmp_path / "results" / "small"
    process = start("run", path, "--jobs", 2)
    while len(finished(folder)) < 10:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    before = finished(folder)
    again = start("run", path, "--jobs", 2)
    _, err = again.communicate(timeout=100)
    assert again.returncode == 0, err
    assert before <= finished(folder)
    assert fairlane.open(folder).runs.height == 240


def test_workers_end_without_a_word_when_their_parent_is_killed(experiment, start, tmp_path):
    path, folder = experiment(repeats=200), tmp_path / "results" / "small"
    chance = random.Random(2)
    for _ in range(2 * KILLS):
        process = start("run", path, "--jobs", 2)
        enough = len(finished(folder)) + chance.randrange(1, 12)
        while len(finished(folder)) < enough:
            time.sleep(chance.uniform(0.0, 0.03))
        process.kill()
        _, err = process.communicate(timeout=30)  # waits for the workers, which have its standard error
        assert err == ""


def test_a_killed_worker_costs_the_run_that_it_had_not_kept(experiment, start, tmp_path):
    path, folder = experiment(repeats=60), tmp_path / "results" / "small"
    process = start("run", path, "--jobs", 2)
    while len(finished(folder)) < 20:
        time.sleep(0.02)
    victim = children(process)[0]
    os.kill(victim, signal.SIGSTOP)
    while process.poll() is None and children(process) != [victim]:  # the other worker does all the rest
        time.sleep(0.02)
    # Stopped between keeping a run and saying so, the worker takes nothing with it.
    lost = 360 - len(finished(folder))
    assert lost in {0, 1}
    os.kill(victim, signal.SIGKILL)
    out, err = process.communicate(timeout=100)
    assert process.returncode == lost
    assert (f"{lost} failed" in out) == bool(lost)
    assert ("SIGKILL" in err) == bool(lost)
    assert len(finished(folder)) == 360 - lost
    again = start("run", path)
    out, _ = again.communicate(timeout=100)
    assert again.returncode == 0
    assert (f"1 computed, {360 - lost} already stored" in out) == bool(lost)
    assert len(finished(folder)) == 360


LAST_GASP = """
import os, signal
from fairlane.runs.executors import worker

asked = 0
say = worker._say

def say_unless_dead(answer):
    global asked
    asked += 1
    if asked == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    say(answer)

worker._say = say_unless_dead
worker.main()
"""


def test_a_worker_killed_before_its_report_loses_nothing(experiment, tmp_path, monkeypatch):
    (tmp_path / "mortal.py").write_text(LAST_GASP)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def mortal(*arguments):
        return replace(dispatch.processes(*arguments), module="mortal")

    monkeypatch.setattr("fairlane.runs.sweep.runner.processes", mortal)
    done = run(load(experiment()), tmp_path / "store", jobs=2, source="small.toml")
    assert done.failures == []
    assert done.report.computed == 30
    assert len(finished(tmp_path / "store")) == 30


def test_stored_runs_are_not_computed_again(experiment, start, tmp_path):
    path, folder = experiment(), tmp_path / "results" / "small"
    assert start("run", path).wait(100) == 0
    batches = sorted(folder.glob("batches/*/*"))
    stamps = [batch.stat().st_mtime_ns for batch in batches]
    again = start("run", path)
    out, _ = again.communicate(timeout=100)
    assert "30 runs (30 already stored)" in out
    assert [batch.stat().st_mtime_ns for batch in sorted(folder.glob("batches/*/*"))] == stamps


def test_two_processes_on_one_store_share_the_work(experiment, start, tmp_path):
    path, folder = experiment(repeats=20), tmp_path / "results" / "small"
    both = [start("run", path, "--jobs", 1) for _ in range(2)]
    for process in both:
        _, err = process.communicate(timeout=100)
        assert process.returncode == 0, err
    results = fairlane.open(folder)
    assert results.runs.height == 120
    assert results.flows.height == 240
    stored = pl.concat([batch.read("runs") for batch in Store.at(folder).batches.values()], how="diagonal_relaxed")
    assert stored["run"].n_unique() == 120
    assert stored.height <= 122  # hardly anything was computed twice
