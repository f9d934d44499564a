"""An algorithm is identified by its file and every file of its folder that it uses."""

import copy
from pathlib import Path

import pytest
from fairlane.algorithm import program_files
from fairlane.runs.backends import provenance
from fairlane.scenario.load import load
from fairlane.scenario.variation import differences, without_differences

ALGORITHM = """
{imports}

class Mine:
    def ssthresh(self, sk):
        {inside}
        return 2
"""


def version(path):
    program_files.forget()
    return program_files.version(str(path))


@pytest.mark.parametrize(
    ("imports", "used"),
    [
        ("import helper", "helper.py"),
        ("import math, helper", "helper.py"),
        ("import helper as h", "helper.py"),
        ("from helper import gain", "helper.py"),
        ("from helper import (\n    gain,\n    loss,\n)", "helper.py"),
        ("import parts.gain", "parts/gain.py"),
        ("import parts.gain", "parts/__init__.py"),
        ("from parts import gain", "parts/gain.py"),
        ("from parts import gain", "parts/__init__.py"),
        ("import first", "second.py"),
        ("from parts import relative", "parts/gain.py"),
    ],
)
@pytest.mark.parametrize("inside", [False, True], ids=["at the top", "in a method"])
def test_a_change_of_a_used_file_is_another_algorithm(tmp_path, imports, used, inside):
    (tmp_path / "parts").mkdir()
    for name in ("helper", "second", "parts/__init__", "parts/gain"):
        (tmp_path / f"{name}.py").write_text("gain = loss = 1\n")
    (tmp_path / "first.py").write_text("import os, second\n")
    (tmp_path / "parts" / "relative.py").write_text("from . import gain\n")
    text = ALGORITHM.format(
        imports="" if inside else imports, inside=imports.replace("\n", "\n        ") if inside else "pass"
    )
    path = tmp_path / "mine.py"
    path.write_text(text)
    before = version(path)
    (tmp_path / used).write_text("gain = loss = 2\n")
    assert version(path) != before


def test_a_change_of_another_file_is_not(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(ALGORITHM.format(imports="import math, os.path", inside="pass"))
    (tmp_path / "other.py").write_text("x = 1\n")
    before = version(path)
    (tmp_path / "other.py").write_text("x = 2\n")
    assert version(path) == before


FILE = """
duration = "2s"
repeats = 3
[network]
rate = "10mbit"
rtt = "20ms"
buffer = "1bdp"
[[flows]]
algorithm = "cubic"
count = 2
"""


FILES = Path(__file__).parent.parent / "experiment" / "files"


@pytest.fixture
def scenarios(tmp_path):
    (tmp_path / "three.toml").write_text(FILE)
    (point,) = load(tmp_path / "three.toml").points
    return [point.point.repeat(number) for number in range(3)]


@pytest.mark.parametrize("name", ["dumbbell", "half-duplex", "links", "parking-lot", "wifi"])
def test_differences_between_repeats_need_no_scenarios(name):
    for planned in load(FILES / f"{name}.toml").points[:3]:
        scenarios = [planned.point.repeat(number) for number in range(3)]
        assert [planned.point.differences(number) for number in range(3)] == list(map(differences, scenarios))
        assert all(without_differences(one) == without_differences(scenarios[0]) for one in scenarios)


def test_repeats_have_the_keys_that_they_have_alone(scenarios):
    key = provenance.keys(scenarios[0])
    assert [key(differences(one)) for one in scenarios] == [provenance.key(one) for one in scenarios]
    assert len({key(differences(one)) for one in scenarios}) == 3


def leaves(value, path=()):
    """The paths of all numbers, texts and truths in a scenario."""
    if isinstance(value, dict):
        return [leaf for name, one in value.items() for leaf in leaves(one, (*path, name))]
    if isinstance(value, list):
        return [leaf for index, one in enumerate(value) for leaf in leaves(one, (*path, index))]
    return [path]


def test_a_key_covers_everything_in_a_scenario(scenarios):
    before = provenance.key(scenarios[0])
    paths = leaves(scenarios[0])
    assert len(paths) > 25
    for path in paths:
        changed = copy.deepcopy(scenarios[0])
        inner = changed
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = "reno" if path[-1] == "algorithm" else 12_345
        assert provenance.key(changed) != before, path
