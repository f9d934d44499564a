"""The Rust module, its stub and its Python wrapper say the same things."""

import ast
from pathlib import Path

import fairlane
import pytest
from fairlane import _engine, engine

STUB = ast.parse((Path(engine.__file__).parent / "_engine.pyi").read_text())


def compiled_names():
    return {name for name in dir(_engine) if name == "__version__" or not name.startswith("_")}


def test_the_stub_lists_what_was_compiled():
    stubbed = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    stubbed |= {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    assert stubbed == compiled_names()


def test_every_compiled_name_has_a_python_wrapper():
    assert compiled_names() == set(engine.__all__) - {"run_json"}


def test_every_public_name_exists():
    assert all(hasattr(fairlane, name) for name in fairlane.__all__)


def test_errors_are_kinds_of_the_usual_ones():
    assert issubclass(fairlane.ScenarioError, ValueError)
    assert issubclass(fairlane.AlgorithmError, RuntimeError)
    assert fairlane.ScenarioError.__module__ == "fairlane"


def test_an_impossible_scenario_is_refused():
    with pytest.raises(fairlane.ScenarioError) as caught:
        fairlane.simulate({"seed": 1})
    assert "\n" not in str(caught.value)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError):
        fairlane.nothing  # noqa: B018
