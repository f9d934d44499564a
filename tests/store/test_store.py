"""Finished runs stay; unfinished, damaged or abandoned files are never read."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from fairlane.results import view
from fairlane.results.store import batch, plans
from fairlane.results.store.checksummed_json import seal
from fairlane.results.store.journal import Journal
from fairlane.results.store.layout import Layout, StoreError
from fairlane.results.store.plans import load_all
from fairlane.results.store.store import Store
from fairlane.results.tables import ResultTables
from fairlane.runs.recorder import Claims

from .conftest import finished, key, plan


def test_runs_of_batches_and_journals_are_known(layout):
    batch.write(layout, [finished(0), finished(1)])
    journal = Journal(layout.journals)
    journal.append(*finished(2))
    assert Store.at(layout.root).keys == {key(0), key(1), key(2)}
    journal.close()


def test_added_runs_are_seen_on_reload(layout):
    store = Store.at(layout.root)
    journal = Journal(layout.journals)
    for number in range(3):
        journal.append(*finished(number))
        store.refresh()
        assert len(store.keys) == number + 1
    batch.write(layout, [finished(3)])
    store.refresh()
    assert len(store.keys) == 4
    journal.close()


def test_an_abandoned_journal_becomes_a_batch(layout):
    journal = Journal(layout.journals)
    journal.append(*finished(0))
    journal.append(*finished(1))
    journal.close()
    store = Store.at(layout.root)
    assert store.recover() == 2
    assert store.journals() == []
    assert [found.keys for found in store.batches.values()] == [(key(0), key(1))]


def test_a_living_journal_is_left_alone(layout):
    journal = Journal(layout.journals)
    journal.append(*finished(0))
    store = Store.at(layout.root)
    assert store.recover() == 0
    assert store.journals() == [journal.path]
    journal.close()


@pytest.mark.parametrize("name", ["runs.parquet", "flows.parquet", "flow_series.parquet", "manifest.json"])
@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_a_damaged_batch_is_set_aside_and_its_runs_wanted_again(store, name, damage):
    folder = next(found for found in store.batches.values() if key(0) in found.keys).folder
    path = folder / name
    content = path.read_bytes()
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    if damage == "gone":
        path.unlink()
    else:
        middle = len(content) // 2
        path.write_bytes(
            content[:middle] if damage == "cut" else content[:middle] + b"\xff\x00" + content[middle + 2 :]
        )
        os.utime(path, ns=times)
    again = Store.at(store.layout.root)
    complaints = again.check([key(number) for number in range(6)])
    assert len(complaints) == 1
    assert str(folder) in complaints[0]
    assert again.keys == {key(4), key(5)}
    assert not folder.exists()
    assert len(list(store.layout.corrupt.iterdir())) == 1


def test_a_sound_store_has_no_complaints(store):
    assert store.check(store.keys) == []
    copy = store.layout.root.with_name("copy")
    shutil.copytree(store.layout.root, copy)  # other times of change: read whole, and found sound
    assert Store.at(copy).check(store.keys) == []


def test_a_half_made_batch_is_not_seen_and_goes_away(store):
    made = next(iter(store.batches.values())).folder
    half = store.layout.batches / ".99-0123456789ab"
    shutil.copytree(made, half)
    os.utime(half, (0, 0))
    again = Store.at(store.layout.root)
    assert len(again.batches) == 2
    again.recover()
    assert not half.exists()


def test_the_same_runs_twice_make_one_batch(layout):
    for _ in range(2):
        batch.write(layout, [finished(0), finished(1), finished(0)])
    assert len(Store.at(layout.root).batches) == 1


def test_runs_in_two_batches_are_read_once(layout):
    batch.write(layout, [finished(0), finished(1)])
    batch.write(layout, [finished(1), finished(2)])
    plans.save(plan(3), layout)
    assert ResultTables(layout.root).flows.height == 6


def test_a_read_only_folder_is_refused_in_one_line(as_ordinary_user):
    def said() -> str:
        try:
            Layout(folder).create()
        except StoreError as error:
            return str(error)
        return "nothing"

    with tempfile.TemporaryDirectory() as parent:  # tmp_path lies where only root may go
        Path(parent).chmod(0o755)
        folder = Path(parent) / "results"
        folder.mkdir(mode=0o755 if os.geteuid() == 0 else 0o555)
        message = as_ordinary_user(said)
    assert f"'{folder}' (read-only)" in message


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(StoreError, match="is a file; name a folder"):
        Layout(tmp_path / "results").create()


@pytest.mark.parametrize(("format", "remedy"), [(999, "update Fairlane"), (1, "run the experiment again")])
def test_a_store_of_another_format_is_refused(store, format, remedy):
    data = {"format": format}
    store.layout.mark.write_bytes(json.dumps(data).encode() if format == 1 else seal(data))
    with pytest.raises(StoreError, match=remedy):
        Store.at(store.layout.root)


def test_a_damaged_plan_is_left_out(store):
    (store.layout.plans / "other.json").write_text("{")
    assert [found.experiment for found in load_all(store.layout)] == ["made-up"]


def test_damaged_tables_for_people_are_made_again(store):
    before = ResultTables(store.layout.root).flows
    store.layout.table("flows").write_bytes(b"nothing")
    assert ResultTables(store.layout.root).flows.equals(before)


def test_a_claim_is_of_one_process(layout):
    ours = Claims(layout)
    assert ours.take(key(1))
    child = os.fork()
    if child == 0:
        theirs = Claims(layout)
        os._exit(0 if not theirs.take(key(1)) and theirs.take(key(1 << 100)) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_saving_twice_writes_once(store):
    before = store.layout.table("flows").stat().st_mtime_ns
    view.save(store, [plan(6)])
    assert store.layout.table("flows").stat().st_mtime_ns == before


def test_a_half_written_plan_is_ignored(store):
    (path,) = store.layout.plans.glob("*.json")
    (store.layout.plans / f".{path.stem}.1234-abcd.json").write_bytes(path.read_bytes()[:100])
    damage = []
    assert [one.experiment for one in load_all(store.layout, damage.append)] == ["made-up"]
    assert not damage
