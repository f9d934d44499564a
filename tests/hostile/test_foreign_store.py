"""A store of others changes nothing outside of its folder, whatever is in place of its files and folders."""

import os
import re
import shutil

import pytest
from fairlane.files import data_folder
from fairlane.study.joint import saved
from fairlane.study.joint.inputs import digest
from fairlane.study.paper.definition import StudyError, load

from .test_reading import EXPERIMENT

PARTS = ["fairlane-store.json", "batches", "batches.ledger", "journals", "plans", "programs", "corrupt", "claims"]
COMMANDS = [
    ("table", "store"),
    ("verify", "store"),
    ("verify", "store", "--repair"),
    ("run", "small.toml", "--results", "store"),
    ("report", "store"),
    ("export", "store", "csv", "-o", "tables"),
]
LONG_AGO_S = 0


@pytest.fixture
def places(tmp_path, cli, monkeypatch):
    """A store, and a home beside it with names like those of a store."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(EXPERIMENT)
    assert cli("run", "small.toml", "--results", "store", "--jobs", "1").status == 0
    home = tmp_path / "home"
    for name in (".ssh", "thing"):
        (home / name).mkdir(parents=True)
        (home / name / "manifest.json").write_text("{}")
    for name in ("plain", "x.journal", ".y.new", "plan.json"):
        (home / name).write_text("precious")
    os.utime(home / ".ssh", (LONG_AGO_S, LONG_AGO_S))
    return tmp_path


def content(folder):
    return {path.relative_to(folder): path.read_text() if path.is_file() else "" for path in folder.rglob("*")}


@pytest.mark.parametrize("target", ["home", "home/plain", "home/new"])
@pytest.mark.parametrize("part", PARTS)
def test_links_in_place_of_its_parts_are_refused(places, cli, part, target):
    """Repairing removes unfinished batches and moves damaged ones: of another folder, these were files of the user."""
    before = content(places / "home")
    path = places / "store" / part
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    path.symlink_to(places / target)
    for command in COMMANDS:
        given = cli(*command)
        assert content(places / "home") == before, command
        assert (given.status in (1, 2), given.err.count("\n")) == (True, 1), (command, given.err)
        assert f"store/{part}' is a symbolic link" in given.err, command


def test_a_link_to_a_whole_store_is_one(places, cli):
    (places / "short").symlink_to("store")
    for command in COMMANDS:
        assert cli(*["short" if word == "store" else word for word in command]).status == 0, command


def test_only_unfinished_batches_are_removed(places, cli):
    batches = places / "store" / "batches"
    for name in (".ssh", ".1-abc", ".12-0123456789ab", ".config"):
        (batches / name).mkdir()
        os.utime(batches / name, (LONG_AGO_S, LONG_AGO_S))
    assert cli("run", "small.toml", "--results", "store", "--repeats", "2", "--jobs", "1").status == 0
    assert sorted(path.name for path in batches.glob(".*")) == [".1-abc", ".config", ".ssh"]


@pytest.mark.parametrize("name", ["links.parquet", "runs.parquet", "view.json", "plans/small.json"])
def test_files_that_are_links_do_not_redirect_what_is_written(places, cli, name):
    before = content(places / "home")
    (places / "store" / name).unlink()
    (places / "store" / name).symlink_to(places / "home" / "plain")
    for command in COMMANDS:
        given = cli(*command)
        assert content(places / "home") == before, command
        assert "Traceback" not in given.err
        assert given.status in (0, 1, 2)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir])
@pytest.mark.parametrize("name", ["plans/small.json", "view.json", "runs.parquet", "journals/a.journal", "claims"])
def test_no_part_is_read_that_is_no_file(places, cli, name, make):
    path = places / "store" / name
    path.unlink(missing_ok=True)
    make(path)
    for command in COMMANDS:
        given = cli(*command)
        assert given.status in (0, 1, 2), (command, given.err)
        assert "Traceback" not in given.err


@pytest.fixture
def judged(tmp_path):
    """A study, and a joint judgement of it in results of others."""
    study = load(data_folder("studies") / "modestbbr")
    results = tmp_path / "results"
    shutil.copytree(study.folder / saved.FOLDER, results / saved.FOLDER)
    made = results / saved.FOLDER / "made.toml"
    made.write_text(re.sub(r'inputs = ".*"', f'inputs = "{digest(study)}"', made.read_text()))
    return study, results


@pytest.mark.parametrize("line", ["behaviour = 5", 'repeats = "1"', "quick = 0", "date = 2026-11-29"])
def test_the_origin_of_a_joint_judgement_has_its_types(judged, line):
    study, results = judged
    made = results / saved.FOLDER / "made.toml"
    assert saved.current(study, results) is not None
    made.write_text(re.sub(rf"{line.split()[0]} = .*", line, made.read_text()))
    with pytest.raises(StudyError, match=f"{line.split()[0]}.* has another type"):
        saved.current(study, results)


def test_a_joint_judgement_is_not_written_through_a_link(judged, tmp_path):
    study, results = judged
    made = saved.read(results, study)
    (tmp_path / "home").mkdir()
    shutil.rmtree(results / saved.FOLDER)
    (results / saved.FOLDER).symlink_to(tmp_path / "home")
    with pytest.raises(OSError, match="symbolic link"):
        saved.write(results, made)
    assert list((tmp_path / "home").iterdir()) == []
