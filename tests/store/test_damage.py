"""If any byte of a store changes, the results are the same or the damage is named."""

import fairlane
import pytest
from click.testing import CliRunner
from fairlane.cli import commands
from fairlane.results.store import ledger
from fairlane.results.store.checksummed_json import seal, unseal
from fairlane.results.store.store import Store
from fairlane.results.tables import ResultTables
from fairlane.results.verify import repair, verify

from .conftest import key
from .damage import read, trials


@pytest.mark.parametrize("with_journal", [False, True], ids=["batches and tables", "batch and journal"])
def test_no_damage_changes_a_value_in_silence(tmp_path, with_journal):
    outcomes = trials(tmp_path / "results", with_journal, 600)
    assert outcomes.total() == 600
    assert set(outcomes) <= {"same", "named", "refused"}
    assert outcomes["named"] > 100
    assert outcomes["same"] > 20  # damage to tables that can be made again


def test_repair_leaves_an_intact_store(tmp_path):
    trials(tmp_path / "results", False, 60, check_repair=True)
    trials(tmp_path / "journal", True, 30, check_repair=True)


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_intact_files_are_used_and_damage_is_named(store):
    folder = next(found for found in store.batches.values() if key(0) in found.keys).folder
    flip(folder / "flows.parquet")
    store.layout.table("flows").unlink()
    results = ResultTables(store.layout.root)
    assert results.flows["run"].unique().sort().to_list() == [key(4), key(5)]
    assert "2 of 6 runs" in results.notice
    assert f"{folder}/flows.parquet" in results.notice
    assert f"fairlane verify {store.layout.root} --repair" in results.notice


def test_damaged_tables_for_users_are_made_again_from_batches(store):
    before, _ = read(store.layout.root)
    flip(store.layout.table("flows"))
    results = ResultTables(store.layout.root)
    assert results.flows.height == 12
    assert "flows.parquet" in results.notice
    assert read(store.layout.root) == (before, "")


def test_tables_are_not_made_again_of_damaged_batches(store):
    """Tables without the runs of a damaged batch would pass for whole ones the next time."""
    folder = next(found for found in store.batches.values() if key(0) in found.keys).folder
    flip(folder / "flows.parquet")
    flip(store.layout.table("flows"))
    for _ in range(2):
        results = ResultTables(store.layout.root)
        assert results.flows.height == 4
        assert "2 of 6 runs" in results.notice


def test_a_deleted_batch_is_missed(store):
    folder = next(found for found in store.batches.values() if key(4) in found.keys).folder
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    assert f"4 of 6 runs in {store.layout.root}; {folder} is missing" in ResultTables(store.layout.root).notice
    assert repair(store.layout.root).runs == {"made-up": (4, 6)}
    assert f"4 of 6 runs in {store.layout.root}" in ResultTables(store.layout.root).notice


def test_a_batch_replaced_by_an_older_copy_is_noticed(store, tmp_path):
    """Each file is intact by itself; only the ledger tells."""
    first = next(found for found in store.batches.values() if key(0) in found.keys).folder
    path = first / "manifest.json"
    path.write_bytes(seal({**unseal(path.read_bytes()), "keys": [key(0)]}))
    results = ResultTables(store.layout.root)
    assert f"2 of 6 runs in {store.layout.root}; {first} " in results.notice
    assert results.flows.height == 4


def test_a_batch_without_a_line_in_the_ledger_is_sound(store):
    """A process died between the batch and its line."""
    content = store.layout.ledger.read_bytes()
    store.layout.ledger.write_bytes(content[: content.index(b"\n") + 1])
    again = Store.at(store.layout.root)
    assert (again.damage, len(again.keys)) == ({}, 6)
    again.settle()
    assert ledger.read(store.layout).batches == {name: found.manifest for name, found in again.batches.items()}


def test_the_command_names_damage_and_repairs_it(store):
    def said(*arguments):
        found = CliRunner().invoke(commands, ["verify", str(store.layout.root), *arguments])
        return found.exit_code, found.output

    assert said()[0] == 0
    assert "6 of 6 runs" in said()[1]
    flip(next(iter(store.batches.values())).folder / "links.parquet")
    status, text = said()
    assert status == 1
    assert "links.parquet" in text
    status, text = said("--repair")
    assert status == 0
    assert "run the experiment again" in text
    assert said()[0] == 0


def test_a_verification_counts_files(store):
    assert verify(store.layout.root).size_bytes > 10_000


@pytest.fixture
def damaged(store):
    """A store whose first batch has damaged flows and samples."""
    folder = next(found for found in store.batches.values() if key(0) in found.keys).folder
    flip(folder / "flows.parquet")
    flip(folder / "flow_series.parquet")
    store.layout.table("flows").unlink()
    return store.layout.root


def invoke(*arguments):
    found = CliRunner().invoke(commands, [str(word) for word in arguments])
    assert found.exit_code == 0, found.output
    return found


NOTICE = "2 of 6 runs"


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json"])
def test_a_table_reports_missing_runs(damaged, form):
    found = invoke("table", damaged, "--metrics", "goodput_mbps", "--format", form)
    assert NOTICE in (found.stderr if form in ("csv", "json") else found.stdout)
    assert (NOTICE in found.stdout) != (NOTICE in found.stderr), "said once"


def test_a_plot_reports_missing_runs(damaged, tmp_path):
    found = invoke("plot", damaged, "line", "--metric", "goodput_mbps", "--x", "rate", "-o", tmp_path / "plot.svg")
    assert NOTICE in found.stderr
    assert "<!-- " in (tmp_path / "plot.svg").read_text()
    assert NOTICE in (tmp_path / "plot.svg").read_text()


def test_an_export_reports_missing_runs(damaged, tmp_path):
    found = invoke("export", damaged, "csv", "-o", tmp_path / "tables")
    assert NOTICE in found.stderr
    assert NOTICE in (tmp_path / "tables" / "INCOMPLETE.txt").read_text()
    invoke("verify", damaged, "--repair")


def test_a_notebook_is_warned(damaged):
    with pytest.warns(UserWarning, match="damaged results") as caught:
        assert fairlane.open(damaged).flows.height == 4
    assert any("flows.parquet" in str(one.message) for one in caught)
