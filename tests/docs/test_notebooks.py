"""Every notebook of the documentation runs, and its outputs are of the kinds that it shows."""

import json

import pytest

from .conftest import ROOT, tool

NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))


def kinds(notebook):
    """The type of each output; its values may change with the simulator."""
    return [
        [sorted(output.get("data", {"stream": None})) for output in cell["outputs"]]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = json.loads(path.read_text())
    assert path.stat().st_size < 250_000
    assert all(kinds(shown)), "a cell shows nothing; run tools/execute_notebook.py on it"
    assert kinds(tool("execute_notebook.py").execute(json.loads(path.read_text()))) == kinds(shown)


def test_there_is_one():
    assert [path.name for path in NOTEBOOKS] == ["first-steps.ipynb"]
