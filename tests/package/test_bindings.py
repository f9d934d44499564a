"""The Rust module, its stub and its Python wrapper agree."""

import ast
import shutil
import subprocess
from pathlib import Path

import fairlane
import pytest
from fairlane import _engine, engine

ROOT = Path(__file__).parents[2]
STUB = ast.parse((Path(engine.__file__).parents[1] / "_engine.pyi").read_text())


def compiled_names():
    return {name for name in dir(_engine) if name == "__version__" or not name.startswith("_")}


def test_the_stub_lists_the_compiled_functions():
    stubbed = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    stubbed |= {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    assert stubbed == compiled_names()


def test_every_compiled_name_has_a_python_wrapper():
    only_for_spawners = {"serve_workers"}
    assert {name for name in compiled_names() if not hasattr(engine, name)} == only_for_spawners


def test_every_public_name_exists():
    assert all(hasattr(fairlane, name) for name in fairlane.__all__)


def test_errors_are_kinds_of_the_usual_ones():
    assert issubclass(fairlane.ScenarioError, ValueError)
    assert issubclass(fairlane.AlgorithmError, RuntimeError)
    assert fairlane.ScenarioError.__module__ == "fairlane"


def test_an_impossible_scenario_is_refused():
    with pytest.raises(fairlane.ScenarioError) as caught:
        fairlane.simulate({"seed": 1, "duration_ns": 0.5, "links": []})
    assert caught.value.problems == [
        {"path": ["duration_ns"], "what": "is 0.5", "remedy": "give an integer from 0 to 2^64 - 1"},
        {"path": ["flows"], "what": "is missing", "remedy": "give a list"},
    ]
    assert str(caught.value).splitlines()[1].startswith("flows: ")


def test_a_scenario_that_makes_no_sense_says_where():
    link = {"name": "a", "rate_bps": 10**6, "queue": {"kind": "codel", "target_ns": 0}}
    flow = {"algorithm": "reno", "forward": ["a"], "reverse": ["a"]}
    with pytest.raises(fairlane.ScenarioError) as caught:
        fairlane.simulate({"seed": 1, "duration_ns": 10**9, "links": [link], "flows": [flow]})
    (problem,) = caught.value.problems
    assert problem["path"] == ["links", 0, "queue", "target_ns"]
    assert (problem["what"], problem["remedy"]) == ("is 0", "give 1 ns to 1 h")


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError):
        fairlane.nothing  # noqa: B018


def test_keys_of_runs_cover_every_crate_that_is_compiled_in():
    cargo = shutil.which("cargo") or shutil.which("cargo", path=str(Path.home() / ".cargo" / "bin"))
    if cargo is None:
        pytest.skip("cargo is not on the path")
    command = [cargo, "tree", "--offline", "-p", "fairlane-python-bindings", "-e", "normal,build", "--prefix", "none"]
    tree = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    compiled = {line.split()[0] for line in tree.splitlines() if line.startswith("fairlane-")}
    assert set(engine.build()["crates"]) == compiled - {"fairlane-packetdrill"}
