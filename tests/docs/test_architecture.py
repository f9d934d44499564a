"""The page on how Fairlane is built agrees with the crates, the layers and the files that it names."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/concepts/architecture.md").read_text()


def rows(heading):
    """The cells of the first table of a section."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = section[section.index("|---") :].split("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_crate_is_listed_with_its_imports():
    listed = {row[0].strip("`"): set(row[2].split(", ")) - {""} for row in rows("Crates")}
    found = {}
    for path in (ROOT / "crates").glob("*/Cargo.toml"):
        dependencies = tomllib.loads(path.read_text()).get("dependencies", {})
        imports = {name.removeprefix("fairlane-") for name in dependencies if name.startswith("fairlane-")}
        found[path.parent.name] = imports
    everything = set(found["simulator"])
    listed["simulator"] = everything if listed["simulator"] == {"all of the above"} else listed["simulator"]
    above = list(listed)[: list(listed).index("simulator")]
    assert everything <= set(above)
    assert listed == found


def test_the_order_of_python_packages_is_that_of_the_layers():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    contract = next(one for one in contracts if one["type"] == "layers")
    layers = [name for layer in contract["layers"] for name in layer.split(" | ")]
    listed = [name.strip("` ") for row in rows("Python packages") for name in row[0].split(",")]
    packages = {path.parent.name for path in (ROOT / "python/fairlane").glob("*/__init__.py")}
    assert set(listed) == packages <= set(layers)
    assert listed == sorted(listed, key=lambda name: _level(contract["layers"], name))


def _level(layers, package):
    return next(level for level, layer in enumerate(layers) if package in layer.split(" | "))


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([\w./-]+/[\w.-]+\.(?:rs|py|toml))`", PAGE))))
def test_files_that_it_names_exist(path):
    where = [ROOT, ROOT / "crates/network/src", ROOT / "crates/tcp/src", ROOT / "python/fairlane"]
    if "NAME" not in path:
        assert any((base / path).is_file() for base in where)
