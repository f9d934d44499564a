"""Temporary folders end with their process, and only with it."""

import fcntl
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from fairlane.files import remove_all_temporary_folders, temporary_folder

from .test_reading import EXPERIMENT

HOLD = """
import sys
from fairlane.files import temporary_folder
with temporary_folder("test") as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""
HELD = """
import ctypes
from fairlane.files import temporary_folder
held = temporary_folder("test")
ctypes.pythonapi.Py_IncRef(ctypes.py_object(held))  # or else the collector would close the context
print(held.__enter__())
"""
ONCE = """
from fairlane.files import temporary_folder
with temporary_folder("test"):
    pass
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def holding(*before):
    """A process with a folder, until its input ends; and the folder."""
    process = subprocess.Popen(
        [*before, sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    return process, Path(process.stdout.readline().strip())


def end(process):
    process.stdin.close()
    process.stdout.close()
    return process.wait()


def test_an_end_without_waiting_removes_those_of_the_engine_too(place):
    """A compiler in another thread holds the lock of one, whose name Python does not know."""
    with temporary_folder("test") as folder:
        of_engine = place / "fairlane-compile-0"
        (of_engine / "work").mkdir(parents=True)
        with (of_engine / ".fairlane-lock").open("w"):
            remove_all_temporary_folders()
        assert not folder.exists()
        assert not of_engine.exists()


def test_a_folder_is_private_and_gone_afterwards(place):
    with temporary_folder("test") as folder:
        assert folder.parent == place
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "inner").mkdir()
        (folder / "inner" / "file").write_text("x")
        (folder / "link").symlink_to(place)
    assert list(place.iterdir()) == []


def test_the_next_start_removes_what_a_killed_process_left_and_nothing_else(place):
    others = [place / "fairlane-results", place / "fairlane-test-abcdefgh"]
    for other in others:
        other.mkdir(mode=0o700)
    living, its = holding()
    killed, left = holding()
    (left / "file").write_text("x")
    killed.send_signal(signal.SIGKILL)
    end(killed)
    assert left.is_dir()
    with temporary_folder("another") as folder:
        assert sorted(place.iterdir()) == sorted([*others, its, folder])
    assert end(living) == 0
    assert sorted(place.iterdir()) == sorted(others)


def test_processes_that_do_not_see_each_other_leave_each_others_folders(place):
    """As in `fairlane shell`, or in containers that share /tmp."""
    apart = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid() != 0:
        apart[1:1] = ["--user", "--map-root-user"]
    if not shutil.which("unshare") or subprocess.run([*apart, "true"], capture_output=True).returncode:
        pytest.skip("this user cannot create PID namespaces here")
    inside, one = holding(*apart)
    another, two = holding(*apart)
    here, three = holding()
    subprocess.run([*apart, sys.executable, "-c", ONCE], check=True)
    subprocess.run([sys.executable, "-c", ONCE], check=True)
    assert sorted(place.iterdir()) == sorted([one, two, three])
    assert [end(process) for process in (inside, another, here)] == [0, 0, 0]
    assert list(place.iterdir()) == []


def test_a_folder_of_another_user_is_left_alone(place):
    if os.geteuid() != 0:
        pytest.skip("only root can make folders of others")
    killed, left = holding()
    killed.send_signal(signal.SIGKILL)
    end(killed)
    os.chown(left, 65534, 65534)
    with temporary_folder("test"):
        assert left.is_dir()


@pytest.mark.timeout(120)
def test_workers_of_dask_use_a_private_folder(place, tmp_path_factory):
    """By default they share /tmp/dask-scratch-space with whoever made it."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "file.toml").write_text(EXPERIMENT)
    command = [sys.executable, "-m", "fairlane", "run", "file.toml", "--on", "dask", "--jobs", "1"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    assert list(place.iterdir()) == []


def test_a_link_to_a_folder_is_not_followed(place):
    killed, left = holding()
    killed.send_signal(signal.SIGKILL)
    end(killed)
    elsewhere = place / "elsewhere"
    left.rename(elsewhere)
    (elsewhere / "file").touch()
    left.symlink_to(elsewhere)
    with temporary_folder("test"):
        assert (elsewhere / "file").exists()


def test_a_forked_process_neither_removes_nor_releases_the_folder(place):
    context = temporary_folder("test")
    folder = context.__enter__()
    child = os.fork()
    if child == 0:
        context.__exit__(None, None, None)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    subprocess.run([sys.executable, "-c", ONCE], check=True)
    assert folder.is_dir()
    context.__exit__(None, None, None)
    assert not folder.exists()


def test_a_folder_that_is_held_is_removed_when_the_process_ends(place):
    done = subprocess.run([sys.executable, "-c", HELD], check=True, capture_output=True, text=True)
    assert Path(done.stdout.strip()).parent == place
    assert list(place.iterdir()) == []


def test_a_folder_that_is_removed_before_it_is_locked_is_made_again(place, monkeypatch):
    flock, first = fcntl.flock, []

    def late(file, how):
        if how == fcntl.LOCK_EX and not first:
            first.extend(place.iterdir())
            subprocess.run([sys.executable, "-c", ONCE], check=True)
        flock(file, how)

    monkeypatch.setattr("fcntl.flock", late)
    with temporary_folder("test") as folder:
        assert len(first) == 1
        assert list(place.iterdir()) == [folder] != first


def test_a_folder_for_temporary_files_that_is_missing_is_named(cli, tmp_path, monkeypatch):
    """The message blamed the C file, which could be read."""
    monkeypatch.chdir(tmp_path)
    assert cli("algorithm", "new", "mine").status == 0
    with Path("mine.c").open("a") as program:
        program.write(f"/* {tmp_path} */\n")  # what a test before has compiled is not compiled again
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    refused = cli("duel", "./mine.c", "--rate", "10mbit", "--time", "100ms")
    assert refused.status == 2
    assert f"./mine.c: cannot be compiled in {tmp_path}/nowhere: " in refused.err
    assert "set TMPDIR" in refused.err
