"""Every duel that the documentation shows runs, and so do its studies and its Python."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WALKED = {"design-an-algorithm.md", "python-algorithm.md", "report.md"}
"""Guides whose commands build on each other; test_guides.py goes through them."""
DUELS = sorted(
    {
        line.strip()
        for page in PAGES
        if page.name not in WALKED
        for line in page.read_text().splitlines()
        if re.match(r"\s*fairlane duel [a-z./]", line)
    }
)
STUDIES = sorted(
    {
        line.strip()
        for page in PAGES
        if page.name not in WALKED
        for line in page.read_text().splitlines()
        if re.match(r"\s*fairlane reproduce [a-z]", line)
    }
)
SNIPPETS = [
    (page.relative_to(ROOT), snippet)
    for page in PAGES
    if page.name != "experiments.md"  # it works on results: test_experiments.py
    for snippet in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
]


@pytest.mark.parametrize("line", DUELS)
def test_duel(cli, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for mine in ("mine.bpf.c", "mine.c"):
        shutil.copy(ROOT / "algorithms" / "reno.c", mine)
    arguments = shlex.split(line)[1:]
    outcome = cli(*arguments, "--rate", "10mbit")  # the slower link only saves time
    assert outcome.err == ""
    assert outcome.status == 0


@pytest.mark.parametrize("line", STUDIES)
def test_study(cli, line, tmp_path, monkeypatch):
    """Long ones only say what they would cost."""
    monkeypatch.chdir(tmp_path)
    long = "--only baseline" not in line
    outcome = cli(*shlex.split(line)[1:], "--repeats", "1", *(["--estimate"] if long else []))
    assert outcome.err == ""
    assert outcome.status == 0
    assert "runs; " in outcome.out if long else "ours" in outcome.out


@pytest.mark.parametrize(("page", "snippet"), SNIPPETS, ids=[f"{page}-{i}" for i, (page, _) in enumerate(SNIPPETS)])
def test_python(page, snippet, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet, str(page), "exec"), {})
    assert capsys.readouterr().out
