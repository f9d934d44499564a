"""The workflow file of docs/guides/ci.md works: its commands run as a CI system would run them."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import PAGES, ROOT, walk

PAGE = PAGES["docs/guides/ci.md"]
WORKFLOW = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1]
COMMANDS = re.findall(r"- run: (.*)", WORKFLOW)
INSTALL = "pip install ./fairlane"


def git(*words):
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A main branch with Reno, and a branch with a change of it."""
    monkeypatch.chdir(tmp_path)
    (suite,) = [step for step in walk.steps(PAGE) if step.kind == "file"]
    Path(suite.name).write_text(suite.text.replace("repeats = 10", "repeats = 6"))
    Path("mine.c").write_text((ROOT / "algorithms/reno.c").read_text())
    git("init", "--quiet", "--initial-branch=main")
    git("add", ".")
    git("commit", "--quiet", "--message=reno")
    git("update-ref", "refs/remotes/origin/main", "main")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def statuses():
    """The exit status of every command; those of the file that install are left out."""
    assert COMMANDS[0] == INSTALL
    done = [subprocess.run(["bash", "-ec", command], capture_output=True) for command in COMMANDS[1:]]
    return [one.returncode for one in done]


def test_an_equal_algorithm_passes(repository):
    *before, junit, summary = statuses()
    assert (junit, summary) == (0, 0)
    assert not any(before[1:])  # the first one needs clang for the kernel
    suite = ElementTree.parse("fairlane.xml").getroot()
    assert (suite.get("failures"), int(suite.get("tests")) > 3) == ("0", True)
    assert "values compared" in (repository / "summary.md").read_text()


def test_a_worse_algorithm_fails(repository):
    text = Path("mine.c").read_text()
    Path("mine.c").write_text(text.replace("max(tcp_sk(sk)->snd_cwnd / 2, 2U)", "2U"))
    assert Path("mine.c").read_text() != text
    *_, junit, _ = statuses()
    assert junit == 1
    assert ElementTree.parse("fairlane.xml").findall("testcase/failure")
