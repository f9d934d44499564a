"""Experiment files in the documentation are valid for the editors' schema."""

import tomllib

import jsonschema
import pytest
from fairlane.scenario.schema import schema

from .conftest import PAGES, walk

OTHERS = ("[[objectives]]", "[hosts.left]", "[[genes]]", "[[criteria]]")
"""Searches of `fairlane tune`, families of `fairlane break`, and hosts of `--on`: files of another form."""
FILES = {
    f"{page}: {step.name}": step.text
    for page, text in PAGES.items()
    for step in walk.steps(text)
    if step.kind == "file" and step.name.endswith(".toml") and not any(words in step.text for words in OTHERS)
}


@pytest.mark.parametrize("name", FILES)
def test_schema_takes_it(name):
    validator = jsonschema.Draft202012Validator(schema())
    assert list(validator.iter_errors(tomllib.loads(FILES[name]))) == []


def test_there_are_some():
    assert len(FILES) >= 12
