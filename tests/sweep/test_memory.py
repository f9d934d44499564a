"""Runs that do not fit into memory are refused before they begin."""

import pytest
from fairlane.runs.sweep import run_size, runner
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load


def test_a_run_that_needs_more_memory_than_is_free(monkeypatch):
    flows = [{"algorithm": "cubic", "count": 30_000}]
    network = {"rate": "10gbit", "rtt": "20ms", "buffer": "1bdp"}
    experiment = load({"duration": "200ms", "network": network, "flows": flows})
    preparation = runner.prepare(experiment, runner.plan(experiment), ())
    monkeypatch.setattr(run_size, "available_bytes", lambda: 500_000_000)
    with pytest.raises(ExperimentError, match=r"flows: a run needs about 0.5 GB of memory, and 0.5 GB are free"):
        runner.check(experiment, preparation, "many.toml")
