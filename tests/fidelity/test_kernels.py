"""Recordings of kernels in virtual time: the shipped ones, and a small folder of the same kind."""

import csv
import shutil
from dataclasses import replace
from types import SimpleNamespace

import polars as pl
import pytest
from fairlane.files import data_folder
from fairlane.scenario.load import load
from fairlane.show.comparison.agreement_page import kernels_section
from fairlane.study.linux import kernel_recordings
from fairlane.study.linux.kernel_recordings import Recordings
from fairlane.study.linux.score import load_rows, without_repeat

FOLDER = data_folder("calibration") / "kernels"
BASE = """
duration = "1s"
network = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }
hosts = { hz = 250 }
"""
ALONE = """
inherits = "base.toml"
flows = [{ algorithm = "cubic" }]
sweep = { "flows.0.algorithm" = ["cubic", "reno"] }
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "base.toml").write_text(BASE)
    (tmp_path / "alone.toml").write_text(ALONE)
    return tmp_path


def rows(folder, release, names, changed=1.0):
    """A recording with the simulator's values and another goodput."""
    made = kernel_recordings.simulated(folder, release, names, jobs=2, on_done=lambda: None)
    first = [row for row in made if row["scenario"] == without_repeat(row["scenario"])]
    return made, [{**row, "goodput_mbps": f"{float(row['goodput_mbps']) * changed:.4f}"} for row in first]


NAMES = ["alone: flow0_algorithm cubic", "alone: flow0_algorithm reno"]


def test_a_difference_of_two_percent_is_found(folder):
    ours, same = rows(folder, "6.12", NAMES)
    assert sorted({row["scenario"] for row in same}) == NAMES
    assert [row.far for row in kernel_recordings.compare(same, ours)] == [(), ()]
    _, other = rows(folder, "6.12", NAMES, changed=1.05)
    assert [row.far for row in kernel_recordings.compare(other, ours)] == [("goodput",), ("goodput",)]


def test_the_command_and_the_page_of_a_folder(folder, cli):
    ours, same = rows(folder, "6.1", NAMES)
    for release, table in (("6.1", same), ("6.12", same)):
        with (folder / f"linux-{release}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(table[0]))
            writer.writeheader()
            writer.writerows(table)
    assert list(kernel_recordings.recorded(folder)) == ["6.1", "6.12"]
    done = cli("fidelity", "--truth", folder, "--scenarios", "--jobs", "2")
    assert done.status == 0, done.err
    assert done.out.count("alone: flow0_algorithm reno") == 2
    found = kernel_recordings.compare(same, ours)
    text = kernels_section(Recordings(folder), {"6.1": [replace(found[0], far=("goodput",), goodput=7.0)]})
    assert "`alone: flow0_algorithm cubic` (6.1: goodput 7.0): not explained yet." in text
    (folder / "explanations.toml").write_text('"alone: flow0_algorithm c*" = "a test."\n')
    text = kernels_section(Recordings(folder), {"6.1": [replace(found[0], far=("goodput",), goodput=7.0)]})
    assert "(6.1: goodput 7.0): a test." in text


def test_a_folder_without_recordings_names_the_command(folder, cli):
    done = cli("fidelity", "--truth", folder)
    assert done.status != 0
    assert "--record debian-13" in done.err


def test_stored_runs_of_a_kernel_become_a_recording(folder, cli, tmp_path):
    """Uses a store of simulated runs, which has the same form."""
    done = cli("run", folder / "alone.toml", "--results", tmp_path / "stores" / "alone")
    assert done.status == 0, done.err
    written = load_rows(kernel_recordings.write(folder, "9.9", tmp_path / "stores"))
    assert sorted({row["scenario"] for row in written}) == NAMES
    shutil.rmtree(tmp_path / "stores")
    assert load_rows(kernel_recordings.write(tmp_path / "", "9.8", tmp_path / "nowhere")) == []


def test_a_kernel_that_failed_in_every_run_leaves_no_rows(folder):
    experiment = load(folder / "alone.toml")
    failed = SimpleNamespace(flows=pl.DataFrame({"flow0_algorithm": ["cubic"], "seed": [1]}))
    assert list(kernel_recordings.stored_flows(experiment, failed)) == []


@pytest.mark.parametrize("release", sorted(kernel_recordings.recorded(FOLDER)))
def test_each_shipped_recording_is_of_the_shipped_experiments(release):
    wanted = {f"{path.stem}: {point.label}" for path in kernel_recordings.files(FOLDER) for point in load(path).points}
    recorded = {without_repeat(row["scenario"]) for row in load_rows(kernel_recordings.recorded(FOLDER)[release])}
    assert recorded
    assert recorded <= wanted


def test_the_shipped_recordings_agree_where_nothing_varies():
    """One flow, no loss but of the queue: goodput within 1 %, as the page says. A change of TCP shows here first."""
    linux = load_rows(kernel_recordings.recorded(FOLDER)["6.12"])
    names = [f"alone: flow0_algorithm {name}" for name in ("bbr", "cubic", "htcp", "reno", "vegas")]
    chosen = [row for row in linux if row["scenario"] in names]
    found = kernel_recordings.compare(
        chosen, kernel_recordings.simulated(FOLDER, "6.12", names, jobs=2, on_done=lambda: None)
    )
    assert len(found) == len(names)
    assert max(row.goodput for row in found) < 1
