"""The bill of materials: the crates that are linked, and the pinned packages, no others."""

import json
import os
import re
import subprocess
import tomllib

import pytest

from tools import sbom

TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")


def names(bill, kind):
    return {one["name"] for one in bill["components"] if one["purl"].startswith(f"pkg:{kind}/")}


@pytest.fixture(scope="module", params=TARGETS)
def bill(request):
    return sbom.bill(request.param)


def test_crates_are_those_of_the_lock_file_that_are_linked(bill):
    locked = tomllib.loads((sbom.ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(one["name"], one["version"]): one.get("checksum") for one in locked}
    crates = [one for one in bill["components"] if one["purl"].startswith("pkg:cargo/")]
    for one in crates:
        found = [each["content"] for each in one.get("hashes", ())]
        assert found == [checksums[one["name"], one["version"]]] * (not one["name"].startswith("fairlane-"))
        assert one["licenses"][0]["expression"]
    assert {"fairlane-simulator", "pyo3", "serde_json", "quinn-proto", "tree-sitter"} <= names(bill, "cargo")
    # Of other platforms, of the build, and of tests.
    assert not {"windows-sys", "syn", "cc", "pyo3-macros", "proptest", "criterion"} & names(bill, "cargo")


def test_packages_are_the_pinned_ones_and_cover_all_dependencies(bill):
    pins = re.findall(r"^([\w.-]+)==", (sbom.ROOT / "requirements" / "run.txt").read_text(), re.MULTILINE)
    assert names(bill, "pypi") == set(pins)
    project = tomllib.loads((sbom.ROOT / "pyproject.toml").read_text())["project"]
    assert {re.split("[>=<]", one)[0] for one in project["dependencies"]} <= names(bill, "pypi")
    assert names(bill, "npm") == {"uplot"}


def test_it_is_a_document_of_cyclonedx_with_unique_references_and_no_place(bill):
    references = [one["bom-ref"] for one in bill["components"]]
    assert len(references) == len(set(references))
    assert bill["dependencies"][0]["dependsOn"] == references
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    assert os.fspath(sbom.ROOT) not in json.dumps(bill)


def test_wheels_are_made_with_it(tmp_path):
    for options, target in (([], r"\w+-unknown-linux-gnu"), (["ARCH=aarch64"], "aarch64-unknown-linux-gnu")):
        done = subprocess.run(
            ["make", "--dry-run", "wheels", *options], cwd=sbom.ROOT, capture_output=True, text=True, check=True
        )
        assert re.search(rf"maturin build .* --sbom-include \$\(\S+ tools/sbom.py {target} dist\)", done.stdout)
