"""The wheel works where there is neither Rust nor a C compiler: the README's commands are run there."""

import json
import platform
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from fairlane import _engine

ROOT = Path(__file__).parents[2]
SHORTER = ("--time 40s", "--time 8s")
MORE = [
    "fairlane algorithms",
    "fairlane studies",
    "fairlane lab list",
    "fairlane new policer",
    "fairlane show policer.toml",
]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of commands of an environment that has the wheel, and the packages that it asks for."""
    folder = tmp_path_factory.mktemp("wheel")
    maturin = Path(sys.executable).with_name("maturin")
    # As `maturin develop` has it: without an interpreter, the bindings would be compiled once more for another setting.
    for_this = ["--interpreter", sys.executable, "--compatibility", "linux"]
    listed = run(
        [sys.executable, ROOT / "tools" / "sbom.py", f"{platform.machine()}-unknown-linux-gnu", folder], cwd=ROOT
    ).strip()
    run([maturin, "build", "--release", *for_this, "--out", folder, "--sbom-include", listed], cwd=ROOT)
    [wheel] = folder.glob("*.whl")
    assert "-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        [inside] = [name for name in archive.namelist() if ".dist-info/sboms/" in name]
        assert archive.read(inside) == Path(listed).read_bytes()
    commands = folder / "environment" / "bin"
    run([sys.executable, "-m", "venv", commands.parent], cwd=folder)
    pip = [commands / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    run([*pip, "--require-hashes", "-r", ROOT / "requirements" / "run.txt"], cwd=folder)
    run([*pip, wheel], cwd=folder)
    return commands


def run(command, cwd, **options):
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def of_the_readme():
    """Its commands, but for those that compile a C file."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line.replace(*SHORTER) for line in lines if line.startswith("fairlane ") and "./" not in line]


def test_algorithms_are_compiled_to_the_same_bytes_in_every_folder():
    """Their descriptions for debuggers name no folder of the build."""
    extension = Path(_engine.__file__).read_bytes()
    assert f"{ROOT}/algorithms".encode() not in extension
    assert b"fairlane/algorithms" in extension


@pytest.mark.timeout(400)
def test_the_readme_works_without_a_compiler(installed, tmp_path):
    commands = of_the_readme()
    assert any(command.startswith("fairlane duel cubic bbr") for command in commands)
    environment = {"PATH": str(installed), "HOME": str(tmp_path), "LANG": "C.UTF-8"}  # no compiler can be found
    for command in [*commands, *MORE]:
        program, *arguments = shlex.split(command)
        run([installed / program, *arguments], cwd=tmp_path, env=environment)
    duel = ["duel", "bbr", "cubic", "--time", "2s", "--json"]
    from_wheel = run([installed / "fairlane", *duel], cwd=tmp_path, env=environment)
    here = run([Path(sys.executable).with_name("fairlane"), *duel], cwd=tmp_path)
    assert _measured(from_wheel) == _measured(here)


def _measured(text):
    return {name: value for name, value in json.loads(text).items() if name != "wall_s"}
