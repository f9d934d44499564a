"""Runs computed without access to the store: results come back with the answers, and are stored here."""

import contextlib
import threading

import fairlane
import pytest
from fairlane.results.store.store import Store
from fairlane.runs import executors
from fairlane.runs.backends import backend
from fairlane.runs.sweep.runner import run
from fairlane.scenario.load import load


class Elsewhere:
    """Workers that know only scenarios; some die in their first run."""

    records = False

    def __init__(self, jobs, mortal=0):
        self.jobs = self.slots = jobs
        self.mortal, self.spawned = mortal, 0
        self.lock = threading.Lock()

    def provide(self, files):
        pass

    def room(self):
        return contextlib.nullcontext()

    def spawn(self):
        with self.lock:
            self.spawned += 1
            return Worker(dies=self.spawned <= self.mortal)


class Worker:
    def __init__(self, dies):
        self.dies = dies

    def ask(self, request):
        if self.dies:
            return None
        return executors.answer(request, lambda request: backend().run(request["scenario"]), None)

    def finish(self):
        return None

    def reap(self):
        return "the machine that ran it was switched off"

    def kill(self):
        pass


@pytest.fixture
def compute(experiment, tmp_path):
    def start(executor):
        return run(load(experiment()), tmp_path / "elsewhere", jobs=1, source="small.toml", executor=executor)

    return start


def test_results_are_those_of_processes_of_this_machine(experiment, compute, tmp_path):
    done = compute(Elsewhere(jobs=3))
    assert (done.total, done.report.computed, done.failures) == (30, 30, [])
    run(load(experiment()), tmp_path / "here", jobs=2, source="small.toml")
    ours, theirs = (fairlane.open(tmp_path / name) for name in ("here", "elsewhere"))
    assert ours.flows.equals(theirs.flows)
    assert ours.series("flow").equals(theirs.series("flow"))
    assert theirs.runs["simulator"].n_unique() == 1
    assert list((tmp_path / "elsewhere" / "journals").iterdir()) == []


def test_a_dead_worker_costs_its_run_and_the_next_call_computes_it(compute, tmp_path):
    first = compute(Elsewhere(jobs=2, mortal=1))
    assert [failure.message for failure in first.failures] == ["the machine that ran it was switched off"]
    assert len(Store.at(tmp_path / "elsewhere").keys) == 29
    assert compute(Elsewhere(jobs=2)).report.computed == 1


def test_an_interrupt_loses_no_finished_run(compute, tmp_path, monkeypatch):
    asked = []

    def ask(self, request, whole=Worker.ask):
        asked.append(request)
        if len(asked) > 10:
            raise KeyboardInterrupt
        return whole(self, request)

    monkeypatch.setattr(Worker, "ask", ask)
    with pytest.raises(KeyboardInterrupt):
        compute(Elsewhere(jobs=1))
    assert len(Store.at(tmp_path / "elsewhere").keys) == 10
