"""Every notebook of the documentation runs, and its outputs are of the kinds that it shows."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))


@pytest.fixture(scope="module")
def execute():
    spec = importlib.util.spec_from_file_location("execute_notebook", ROOT / "tools" / "execute_notebook.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.execute


def kinds(notebook):
    """Of each output what it is; figures may change with the simulator."""
    return [
        [sorted(output.get("data", {"stream": None})) for output in cell["outputs"]]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook(execute, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = json.loads(path.read_text())
    assert path.stat().st_size < 250_000
    assert all(kinds(shown)), "a cell shows nothing; run tools/execute_notebook.py on it"
    assert kinds(execute(json.loads(path.read_text()))) == kinds(shown)


def test_there_is_one():
    assert [path.name for path in NOTEBOOKS] == ["first-steps.ipynb"]
