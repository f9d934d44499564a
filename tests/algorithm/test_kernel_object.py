"""`fairlane algorithm load` reads a program from its BPF object alone, made by a confined compiler."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from fairlane.algorithm.kernel import KernelError, Lacking, compiler, loading
from fairlane.algorithm.kernel.program import KernelProgram

PROGRAM = """\
#include "congestion_control.h"
char _license[] SEC("license") = "Dual MIT/GPL";
const volatile __u32 size = 10;
const volatile signed char step = -1;
const volatile bool fast = false;
const volatile __u32 unused = 1;

SEC("struct_ops") __u32 BPF_PROG(ours_ssthresh, struct sock *sk)
{
	return fast ? size : 2;
}

SEC("struct_ops") void BPF_PROG(ours_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_sk(sk)->snd_cwnd += step;
}

SEC(".struct_ops") struct tcp_congestion_ops incomplete = { .ssthresh = (void *)ours_ssthresh, .name = "incomplete" };
SEC(".struct_ops") struct tcp_congestion_ops complete = {
	.ssthresh = (void *)ours_ssthresh,
	.undo_cwnd = (void *)ours_ssthresh,
	.cong_avoid = (void *)ours_cong_avoid,
	.name = "ours",
};
"""


@pytest.fixture(scope="module", autouse=True)
def clang():
    try:
        compiler.find_clang()
        compiler.check_headers()
    except Lacking as lacking:
        pytest.skip(str(lacking))


@pytest.fixture
def prepared(tmp_path):
    """The object of a program with these parameters, and its table to load."""

    def prepare(word="ours.c", name=None, **parameters):
        path = tmp_path / "ours.c"
        path.write_text(PROGRAM)
        program = KernelProgram.find(str(tmp_path / word), parameters, name)
        return loading.prepare(compiler.compile_program(program), program)

    return prepare


def test_no_native_code_is_made(prepared, monkeypatch, tmp_path):
    monkeypatch.setenv("CC", str(tmp_path / "no-compiler"))
    found, described = prepared(size=12, step=-100, fast=1)
    assert (described.table, described.kernel_name) == ("complete", "ours")
    assert found.read(described.name_offset, 5) == b"ours\0"

    def value(name, signed=False):
        variable = found.variables[name]
        return int.from_bytes(found.read(variable.offset, variable.size), found.byte_order, signed=signed)

    assert (value("size"), value("step", signed=True), value("fast")) == (12, -100, 1)
    _, renamed = prepared(name="theirs")
    assert renamed.kernel_name == "theirs"


@pytest.mark.parametrize(
    ("word", "parameters", "message"),
    [
        ("ours.c", {"siz": 1}, r"siz .*did you mean size\?"),
        ("ours.c", {"size": -1}, "size .*-1.* 0 to 4294967295"),
        ("ours.c", {"step": 128}, "step .*128.* -128 to 127"),
        ("ours.c", {"fast": 2}, "fast .*2.* 0 to 1"),
        ("ours.c:complet", {}, r"'complet'; did you mean complete or incomplete\?"),
        (
            "ours.c:incomplete",
            {},
            "incomplete lacks undo_cwnd, cong_avoid or cong_control",
        ),
    ],
)
def test_an_error_is_one_line(prepared, word, parameters, message):
    with pytest.raises(KernelError, match=message) as caught:
        prepared(word, **parameters)
    assert "\n" not in str(caught.value)


def test_an_object_without_a_table_is_named(tmp_path):
    path = tmp_path / "none.c"
    path.write_text('#include "vmlinux.h"\nint nothing;\n')
    program = KernelProgram.find(str(path), {})
    with pytest.raises(KernelError, match=r"none\.c: .*tcp_congestion_ops"):
        loading.prepare(compiler.compile_program(program), program)


@pytest.fixture
def other_clang(monkeypatch):
    """Has `$CLANG` run a shell command in place of clang, in a folder that everybody may enter."""
    folder = Path(tempfile.mkdtemp(prefix="fairlane-clang-"))
    folder.chmod(0o755)
    (folder / "bin").mkdir()
    script = folder / "bin/clang"

    def use(command):
        script.write_text(f"#!/bin/sh\n{command}\n")
        script.chmod(0o755)
        monkeypatch.setenv("CLANG", str(script))
        compiler.find_clang.cache_clear()

    yield use
    compiler.find_clang.cache_clear()
    shutil.rmtree(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has root's rights to lose")
def test_the_compiler_has_none_of_roots_rights(other_clang, monkeypatch):
    other_clang('echo "error: user $(id -u) of groups $(id -G), $(cat /etc/passwd | wc -l) users" >&2; exit 1')
    monkeypatch.setattr(compiler, "check_headers", lambda: None)
    monkeypatch.setenv("SUDO_UID", "1234")
    monkeypatch.setenv("SUDO_GID", "1235")
    with pytest.raises(KernelError, match=r"user 1234 of groups 1235, 0 users"):
        compiler.compile_program(KernelProgram.find("reno", {}))
    monkeypatch.delenv("SUDO_UID")
    # Users that no other process has, not nobody.
    with pytest.raises(KernelError, match=r"user (6[1-5]\d{3}) of groups \1, 0 users"):
        compiler.compile_program(KernelProgram.find("reno", {}))


def test_compiler_output_is_read_as_data(other_clang):
    other_clang("printf 'not an object' > program.o")
    program = KernelProgram.find("reno", {})
    with pytest.raises(KernelError, match=r"reno\.c: "):
        loading.prepare(compiler.compile_program(program), program)
