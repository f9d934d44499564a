"""Time series are read a batch at a time, regardless of the order of the runs."""

import re
from pathlib import Path

import pytest
from fairlane.results.metrics import source
from fairlane.results.metrics.frame import table
from fairlane.results.store.store import Store
from fairlane.results.tables import ResultTables
from fairlane.runs.sweep.runner import run
from fairlane.scenario.load import load

EXPERIMENT = """
name = "order"
duration = "2s"
repeats = 2

[network]
rate = "5mbit"
rtt = "20ms"

[[flows]]
algorithm = "cubic"

[sweep]
"network.rtt" = ["10ms", "20ms"]
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight runs in two batches: of each point, two repeats are in the first batch and two in the second."""
    folder = tmp_path_factory.mktemp("order")
    file = folder / "order.toml"
    for repeats in (2, 4):
        file.write_text(re.sub("repeats = .", f"repeats = {repeats}", EXPERIMENT))
        run(load(file), folder / "results", jobs=1, source=str(file))
    assert len(Store.at(folder / "results").batches) == 2
    return folder / "results"


def test_a_file_of_time_series_is_read_once(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of a sweep with 100,000 runs read each of 150 files for every 100 runs."""
    read = []
    original = Store.read

    def counted(self: Store, name: str, kind: str, *others: object) -> object:
        read.append((name, kind))
        return original(self, name, kind, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(source, "CHUNK", 4)
    tables = ResultTables(results)
    tables.flows, tables.runs  # noqa: B018 # read before the count begins
    monkeypatch.setattr(Store, "read", counted)
    table(tables, ["convergence_time_3s_s"])
    assert len([kind for _name, kind in read if kind == "flow_series"]) == 2


def test_rows_are_in_the_order_of_the_runs(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = ResultTables(results)
    together = table(tables, ["goodput_mbps", "stability_3s_kb"])
    assert together["run"].to_list() == tables.runs["run"].to_list()
    monkeypatch.setattr(source, "CHUNK", 3)
    assert table(ResultTables(results), ["goodput_mbps", "stability_3s_kb"]).equals(together)
