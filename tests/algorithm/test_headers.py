"""Users' programs include the headers of `algorithms/interface/` and `algorithms/shared/`, subfolders as well."""

import json
from pathlib import Path

import pytest
from fairlane.algorithm.kernel import loading
from fairlane.algorithm.kernel.compiler import compile_program
from fairlane.algorithm.kernel.program import KernelProgram
from fairlane.engine import interface

ALGORITHMS = Path(__file__).parents[2] / "algorithms"


@pytest.fixture(params=["bbr", "bbr3"])
def own(request, tmp_path):
    """A copy of a built-in program, in a folder without headers."""
    path = tmp_path / "own.c"
    path.write_text((ALGORITHMS / f"{request.param}.c").read_text())
    return request.param, path


def test_every_header_is_part_of_fairlane():
    folders = (ALGORITHMS / "interface", ALGORITHMS / "shared")
    texts = {str(path.relative_to(folder)): path.read_text() for folder in folders for path in folder.rglob("*.h")}
    assert "bbr_v3/probe_bw.h" in texts
    assert interface() == texts


def test_a_copy_of_a_built_in_program_does_the_same(cli, own):
    name, path = own
    network = ("--rate", "10mbit", "--loss", "0.1%", "--time", "6s", "--json")
    of_copy, of_original = (json.loads(cli("duel", word, network[0], *network[1:]).out) for word in (path, name))
    assert of_copy["flows"][0].pop("algorithm") != of_original["flows"][0].pop("algorithm")
    assert of_copy["flows"] == of_original["flows"]


@pytest.mark.skipif(loading.cannot_load() is not None, reason=f"no compiler for the kernel: {loading.cannot_load()}")
def test_it_compiles_for_the_kernel_too(own):
    _, path = own
    assert compile_program(KernelProgram.find(str(path), {})).startswith(b"\x7fELF")
