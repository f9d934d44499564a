"""Writes the bill of materials of a wheel (CycloneDX 1.5), and prints its path: `python tools/sbom.py TARGET FOLDER`.

It lists the crates that are linked into the extension for this target, as `cargo tree` finds them, with their checksums
in Cargo.lock, and scripts of others in reports; and the Python packages that are installed with it, as pinned in
requirements/run.txt. Maturin's own list has the crates of all platforms, and names the folder of the build.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DELIVERY = "fairlane:delivery"
"""The property that tells contained components from those that pip installs."""
CONTAINED, INSTALLED = "in the wheel", "installed with it"


def bill(target: str) -> dict[str, Any]:
    """The document for a Rust target, which is the same whenever and wherever it is made."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    own = _component("pypi", "fairlane", version, "MIT OR GPL-2.0-only")
    components = [*_crates(target), *_scripts(), *_packages()]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own, "properties": [{"name": "fairlane:target", "value": target}]},
        "components": components,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": [one["bom-ref"] for one in components]}],
    }


def _component(kind: str, name: str, version: str, licence: str = "", delivery: str = "") -> dict[str, Any]:
    purl = f"pkg:{kind}/{name}@{version}"
    made: dict[str, Any] = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    made |= {"licenses": [{"expression": licence}]} if licence else {}
    return made | ({"properties": [{"name": DELIVERY, "value": delivery}]} if delivery else {})


def _crates(target: str) -> Iterator[dict[str, Any]]:
    """Linked crates; build scripts and procedural macros are executed at the build and are not in the wheel."""
    command = ["cargo", "tree", "--locked", "-p", "fairlane-python-bindings", "-e", "normal,no-proc-macro"]
    options = ["--target", target, "--prefix", "none", "--no-dedupe", "--format", "{p}|{l}"]
    said = subprocess.run([*command, *options], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    checksums = {(one["name"], one["version"]): one.get("checksum") for one in locked}
    for line in sorted(set(said.splitlines())):
        crate, _, licence = line.partition("|")
        name, version = crate.split()[:2]
        version = version.removeprefix("v")
        made = _component("cargo", name, version, licence.replace("/", " OR "), CONTAINED)
        checksum = checksums[name, version]  # crates of this repository have none
        yield made | ({"hashes": [{"alg": "SHA-256", "content": checksum}]} if checksum else {})


def _scripts() -> Iterator[dict[str, Any]]:
    for path in sorted((ROOT / "python" / "fairlane" / "show").rglob("*.min.js")):
        found = re.match(r"/\*! https://github\.com/\S+/(\S+) \(v([\d.]+)\)", path.read_text(encoding="utf-8"))
        if not found:
            sys.exit(f"{path}: its first line names no version")
        yield _component("npm", found[1].lower(), found[2], "MIT", CONTAINED)


def _packages() -> Iterator[dict[str, Any]]:
    text = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s\\;]+)", text, re.MULTILINE):
        yield _component("pypi", name, version, delivery=INSTALLED)


def main(target: str, folder: str) -> None:
    """Writes the file."""
    made = bill(target)
    path = Path(folder) / f"fairlane-{made['metadata']['component']['version']}-{target}.cdx.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
