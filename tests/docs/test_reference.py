"""The generated reference is up to date."""

import re

import pytest
from fairlane.scenario.schema import schema

from tools.reference import pages

from .conftest import PAGES

GENERATED = pages()


@pytest.mark.parametrize("name", GENERATED)
def test_generated_page_is_current(name):
    assert PAGES[f"docs/reference/{name}"] == GENERATED[name](), "write it again: make reference"


def test_every_key_of_an_experiment_file_has_a_meaning():
    assert "|  |\n" not in PAGES["docs/reference/experiment-file.md"].partition("## `queue`")[0]


def test_every_queue_and_each_of_its_keys_is_explained():
    kinds = schema()["$defs"]["Queue"]["anyOf"][1]["allOf"]
    sections = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", PAGES["docs/reference/queues.md"], re.M | re.S))
    for kind in kinds:
        name = kind["then"]["title"]
        explained = re.findall(r"^\| `(\w+?)(?:_ns|_bytes|_packets|_bps|_pps)?` \|", sections[name], re.M)
        assert set(kind["then"]["properties"]) - {"kind"} <= set(explained), name
