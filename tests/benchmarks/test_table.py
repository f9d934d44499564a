"""Tables of benchmarks/README.md: each script replaces its own."""

import importlib.util
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def table():
    spec = importlib.util.spec_from_file_location("table", FOLDER / "table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_table_is_replaced_and_nothing_else(table, tmp_path, monkeypatch):
    page = "before\n<!-- speed -->\nold\n<!-- end of speed -->\nafter\n"
    path = tmp_path / "README.md"
    path.write_text(page)
    monkeypatch.setattr(table, "README", path)
    monkeypatch.setattr(table.sys, "argv", ["x", "--write", "a"])
    assert table.arguments() == ["a"]
    monkeypatch.setattr(table, "conditions", lambda: "2026-11-28, a machine, commit 1234567")
    table.show("speed", ["bench", "value"], [["a", 1]])
    assert path.read_text() == (
        "before\n<!-- speed -->\n\n2026-11-28, a machine, commit 1234567:\n\n"
        "| bench | value |\n|---|---:|\n| a | 1 |\n\n<!-- end of speed -->\nafter\n"
    )
    with pytest.raises(SystemExit, match="no table memory"):
        table.show("memory", ["bench"], [])


def test_every_table_of_the_page_has_a_script(table):
    scripts = "".join(path.read_text() for path in FOLDER.glob("*.py"))
    named = set(re.findall(r'table\.show\(\s*"([\w-]+)"', scripts)) | set(re.findall(r'_by_flows\("(\w+)"', scripts))
    named |= set(re.findall(r"<!-- end of ([\w-]+) -->", (FOLDER / "live.mjs").read_text()))
    assert named == set(re.findall(r"<!-- end of ([\w-]+) -->", table.README.read_text()))


def test_conditions_name_date_machine_load_and_commit(table):
    assert re.fullmatch(r"\d{4}-\d\d-\d\d, .+, \d+ cores, load average [\d.]+, commit .+", table.conditions())
