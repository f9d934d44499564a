"""Experiment files in the documentation are what the schema for editors takes."""

import json
import tomllib

import jsonschema
import pytest
from fairlane.experiment.schema import FILE

from .conftest import PAGES, walk

FILES = {
    f"{page}: {step.name}": step.text
    for page, text in PAGES.items()
    for step in walk.steps(text)
    if step.kind == "file" and step.name.endswith(".toml") and "[[objectives]]" not in step.text
}


@pytest.mark.parametrize("name", FILES)
def test_schema_takes_it(name):
    validator = jsonschema.Draft202012Validator(json.loads(FILE.read_text()))
    assert list(validator.iter_errors(tomllib.loads(FILES[name]))) == []


def test_there_are_some():
    assert len(FILES) >= 12
