"""The guide to experiments, step by step: its files are written, its commands run, its Python executed."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
from fairlane.experiment.reference import markdown
from fairlane.metrics.metric import REGISTRY

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/guides/experiments.md").read_text()
FILES = re.findall(r"```(?:toml|python)\n# (\S+)\n(.*?)```", PAGE, flags=re.DOTALL)
COMMANDS = re.findall(r"^    fairlane (.*)$", PAGE, flags=re.MULTILINE)
PYTHON = [text for text in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL) if not text.startswith("#")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES:
        (tmp_path / name).write_text(text.replace('duration = "10s"', 'duration = "3s"'))  # only saves time
    yield tmp_path
    REGISTRY.pop("waste_pct", None)


def test_every_command_and_then_the_python(cli, folder):
    assert len(COMMANDS) >= 10
    for command in COMMANDS:
        words, _, target = command.partition(" > ")
        outcome = cli(*shlex.split(words))
        assert (outcome.status, outcome.err) == (0, ""), command
        assert outcome.out or "--out" in command, command
        if target:
            (folder / target).write_text(outcome.out)
    assert (folder / "share.png").stat().st_size > 1000
    assert len(PYTHON) == 2
    done = subprocess.run([sys.executable, "-c", "\n".join(PYTHON)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    # What editors would do with the line `#:schema` in the first file.
    named = re.search(r"#:schema (\S+)", dict(FILES)["buffers.toml"])
    validator = jsonschema.Draft202012Validator(json.loads((folder / named[1]).read_text()))
    for file in folder.glob("*.toml"):
        assert list(validator.iter_errors(tomllib.loads(file.read_text()))) == [], file.name


def test_the_reference_is_what_the_schema_gives():
    page = (ROOT / "docs/reference/experiment-file.md").read_text()
    assert page == markdown(), "write it again: python -m fairlane.experiment.reference"
    assert "|  |\n" not in page.partition("## `queue`")[0], "a key without a meaning"
