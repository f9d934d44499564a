"""An edit of a file during a sweep does not affect that sweep; the next one uses the new file."""

from pathlib import Path

import fairlane
import pytest
from fairlane.algorithm import program_files, trust
from fairlane.runs.sweep.dispatch import Watcher
from fairlane.runs.sweep.runner import run
from fairlane.scenario.load import load

from .test_trouble import CRASH

C = CRASH.replace("*(volatile __u32 *)0", "GAIN").replace(
    '#include "vmlinux.h"', '#include "vmlinux.h"\n#include <gain.h>'
)
PYTHON = """
from helper import gain

class Mine:
    def ssthresh(self, sk):
        return gain()
    def undo_cwnd(self, sk):
        return sk.snd_cwnd
    def cong_avoid(self, sk, ack, acked):
        sk.snd_cwnd += acked
"""


class Editor(Watcher):
    """Edits a file as soon as the first run is done."""

    def __init__(self, path, text):
        self.path, self.text = path, text

    def on_end(self, task, wall_s):
        self.path.write_text(self.text)


@pytest.fixture(params=["c", "py"])
def algorithm(request, experiment, tmp_path, monkeypatch):
    """An experiment with an algorithm, the file that it includes or imports, and that file's two texts."""
    monkeypatch.chdir(tmp_path)
    path = experiment(3)
    path.write_text(path.read_text().replace('["reno", "bbr"]', f'["reno", "./mine.{request.param}"]'))
    Path("mine.c").write_text(C)
    Path("mine.py").write_text(PYTHON)
    trust.allow(tmp_path)
    if request.param == "c":
        return path, Path("gain.h"), "#define GAIN 2\n", "#define GAIN 40\n"
    return path, Path("helper.py"), "def gain(): return 2\n", "def gain(): return 40\n"


def test_runs_after_the_edit_are_like_those_before(algorithm):
    path, file, before, after = algorithm
    file.write_text(before)
    run(load(path), Path("unedited"), jobs=1, source="")
    done = run(load(path), Path("edited"), jobs=1, source="", watcher=lambda _: Editor(file, after))
    assert (done.report.computed, done.failures) == (18, [])
    assert file.read_text() == after
    edited, unedited = fairlane.open("edited"), fairlane.open("unedited")
    assert edited.flows.equals(unedited.flows)
    assert edited.series().equals(unedited.series())

    again = run(load(path), Path("edited"), jobs=1, source="")
    assert (again.present, again.report.computed) == (9, 9), "the next sweep computes what uses the file"
    assert not fairlane.open("edited").flows.equals(unedited.flows)


@pytest.mark.parametrize("algorithm", ["c"], indirect=True)
def test_a_key_covers_headers_and_flags_and_not_comments(algorithm, monkeypatch):
    _, file, before, after = algorithm

    def version():
        program_files.forget()
        return program_files.version("./mine.c")

    file.write_text(before)
    first = version()
    assert version() == first
    file.write_text(f"/* two */ {before}")
    assert version() == first
    monkeypatch.setenv("CC", "cc -falign-functions=256")
    assert version() != first
    monkeypatch.delenv("CC")
    file.write_text(after)
    assert version() != first


def test_a_damaged_program_is_not_run(algorithm, monkeypatch):
    path, file, before, _ = algorithm
    file.write_text(before)
    run(load(path), Path("results"), jobs=1, source="")
    (program,) = Path("results/programs").iterdir()
    program.write_bytes(program.read_bytes().replace(b"2", b"3"))
    file.write_text(before)
    assert run(load(path, repeats=4), Path("results"), jobs=1, source="").failures == []
    assert b"2" in program.read_bytes(), "written again"
