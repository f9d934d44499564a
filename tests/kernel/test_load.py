"""`fairlane algorithm load`, `unload` and `list` in the running kernel."""

import json
import os
import socket
from pathlib import Path

import pytest
from fairlane.algorithm.kernel import KernelError, loading, registry
from fairlane.algorithm.kernel.program import KernelProgram

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def name(load):
    """An unused name; freed at the end."""
    name = f"fl{os.getpid()}_cli"
    yield name
    if name in registry.available():
        registry.unload(name)


def test_a_program_comes_stays_and_goes(cli, name):
    done = cli("algorithm", "load", "reno", "--as", name)
    assert (done.status, done.err) == (0, "")
    assert f"{name} is now a congestion control" in done.out

    listed = json.loads(cli("algorithm", "list", "--json").out)
    assert name in listed["loaded"]
    assert name in listed["available"]
    assert listed["default"] not in listed["loaded"]
    assert "reno" in listed["own"]
    assert name in cli("algorithm", "list").out

    with socket.socket() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())

    again = cli("algorithm", "load", "reno", "--as", name)
    assert again.status == 1
    assert "unload" in again.err

    assert cli("algorithm", "unload", name).status == 0
    assert name not in registry.available()
    gone = cli("algorithm", "unload", name)
    assert gone.status == 1
    assert f"{name} is not loaded" in gone.err


def test_the_compilers_warnings_are_shown(cli, name, tmp_path):
    path = tmp_path / "warned.c"
    careless = "\tint n;\n\n\tif (n)\n\t\ttcp_sk(sk)->snd_ssthresh = 7;\n"
    text = (ROOT / "algorithms/reno.c").read_text()
    head, brace, rest = text.rpartition("struct sock *sk)\n{\n")
    path.write_text(head + brace + careless + rest)
    line = head.count("\n") + 5
    done = cli("algorithm", "load", str(path), "--as", name)
    assert done.err.startswith(f"{path}:{line}: warning: "), done.err
    assert "uninitialized" in done.err


def test_the_kernels_own_are_left_alone(cli, load):
    own = cli("algorithm", "unload", "reno")
    if "fl_reno" not in registry.available():
        assert own.status == 1
        assert "kernel's own" in own.err
    taken = cli("algorithm", "load", "reno", "--as", "cubic" if "cubic" in registry.available() else "reno")
    assert taken.status == 1
    assert "another name" in taken.err


@pytest.mark.parametrize(
    ("file", "place", "remedy"),
    [
        ("endless.c", 14, "for (i = 0; i < 64; i++)"),
        ("null_pointer.c", 26, "NULL"),
        ("old_arguments.c", 13, "CONG_CONTROL(name, sk, sample)"),
    ],
)
def test_the_verifiers_refusal_is_explained(load, file, place, remedy):
    path = PROGRAMS / file
    with pytest.raises(KernelError) as caught:
        loading.verify(KernelProgram.find(str(path), {}))
    first, *rest = str(caught.value).splitlines()
    assert first.startswith(f"{path}:{place}: the kernel rejects this in ")
    assert remedy in first
    assert rest[0] == "  the verifier's last lines:"
    assert 1 < len(rest) < 12


def test_a_parameter_reaches_the_kernel(load):
    """The verifier knows the parameter's value, and skips code that the value excludes."""
    path = PROGRAMS / "null_pointer.c"
    loading.verify(KernelProgram.find(str(path), {"careless": 0}))


def test_a_file_of_others_loads_as_it_is(load):
    """Old and new sections, headers of the kernel's own tests, tables that are not asked for."""
    for file in sorted((ROOT / "crates/algorithm-native/tests/programs").glob("*.bpf.c")):
        load(str(file))
