"""CA_EVENT_TX_START comes to cwnd_event() up to Linux 7.0, and to cwnd_event_tx_start() since 7.1.

One object serves both: the loader removes the member that the kernel's `struct tcp_congestion_ops` lacks. The kernels
here are the BTF that clang writes of such a structure; no privileges are needed.
"""

import re
import subprocess

import pytest
from fairlane.algorithm.kernel import KernelError, Lacking, btf, callbacks, compiler, description, machine
from fairlane.algorithm.kernel.elf import ObjectFile
from fairlane.algorithm.kernel.program import KernelProgram

from .conftest import ALGORITHMS

CALLBACKS = """
    ssthresh cong_avoid set_state cwnd_event in_ack_event pkts_acked min_tso_segs cong_control undo_cwnd sndbuf_expand
"""
MEMBERS = [*CALLBACKS.split(), "get_info", "name", "init", "release", "flags"]
"""Linux 6.18 has these, among others."""


@pytest.fixture(scope="module")
def clang() -> str:
    try:
        compiler.check_headers()
    except Lacking as lacking:
        pytest.skip(str(lacking))
    return compiler.find_clang()


@pytest.fixture(scope="module")
def kernel(clang, tmp_path_factory):
    """The BTF of a kernel whose table of callbacks has these members."""

    def make(*members: str) -> bytes:
        folder = tmp_path_factory.mktemp("kernel")
        declared = "".join(f"void (*{name})(void);" for name in members)
        (folder / "kernel.c").write_text(f"struct tcp_congestion_ops {{ {declared} }} table;")
        subprocess.run([clang, "-target", "bpf", "-g", "-c", "kernel.c"], cwd=folder, check=True)
        return section(ObjectFile((folder / "kernel.o").read_bytes()), ".BTF")

    return make


@pytest.fixture
def program(clang, tmp_path):
    """A compiled program whose table names these callbacks, and its object."""

    def make(*names: str) -> tuple[KernelProgram, ObjectFile]:
        text = '#include "congestion_control.h"\nSEC("struct_ops") void CWND_EVENT(event, sk, e)\n'
        text += "{\n\ttcp_sk(sk)->snd_cwnd = e == CA_EVENT_TX_START ? 10 : 20;\n}\n"
        text += 'SEC("struct_ops") __u32 BPF_PROG(ssthresh, struct sock *sk)\n{\n\treturn 2;\n}\n'
        functions = {"cwnd_event": "event", "cwnd_event_tx_start": "event_tx_start"}
        rows = "".join(f"\t.{name} = (void *){functions.get(name, 'ssthresh')},\n" for name in names)
        text += f'SEC(".struct_ops") struct tcp_congestion_ops table = {{\n{rows}\t.name = "table",\n}};\n'
        (tmp_path / "p.c").write_text(text + 'char _license[] SEC("license") = "Dual MIT/GPL";\n')
        found = KernelProgram.find(str(tmp_path / "p.c"), {})
        return found, ObjectFile(compiler.compile_program(found))

    return make


def section(found: ObjectFile, name: str) -> bytes:
    return bytes(found.data[found.place(name)])


def members(found: ObjectFile) -> list[str]:
    return [one.name for one in btf.structure(section(found, ".BTF"), "tcp_congestion_ops", "little")]


@pytest.mark.parametrize("name", ["cubic", "bbr", "copa", "yeah"])
def test_a_bundled_program_loses_the_member_on_a_kernel_that_lacks_it(clang, kernel, name):
    found = KernelProgram.find(name, {})
    compiled = ObjectFile(compiler.compile_program(found))
    table = compiled.variables[description.describe(compiled, found).table]
    before = compiled.functions_in(table)
    assert f"{name}_cwnd_event_tx_start" in before

    new = callbacks.fit(compiled, found, kernel(*MEMBERS, "cwnd_event_tx_start"), (7, 1))
    assert new.data == compiled.data

    old = callbacks.fit(compiled, found, kernel(*MEMBERS), (6, 18))
    assert old.functions_in(table) == before - {f"{name}_cwnd_event_tx_start"}
    assert "cwnd_event_tx_start" not in members(old)
    assert list(dict.fromkeys(members(old))) == [one for one in members(compiled) if one != "cwnd_event_tx_start"]


def test_an_unset_member_that_the_kernel_lacks_is_removed_too(program, kernel):
    found, compiled = program("ssthresh", "undo_cwnd", "cong_avoid")
    fitted = callbacks.fit(compiled, found, kernel(*MEMBERS), (6, 18))
    assert "cwnd_event_tx_start" in members(compiled)
    assert "cwnd_event_tx_start" not in members(fitted)
    assert fitted.functions_in(fitted.variables["table"]) == {"ssthresh"}


def test_a_program_for_new_kernels_alone_is_rejected_by_an_old_one(program, kernel):
    found, compiled = program("ssthresh", "undo_cwnd", "cong_avoid", "cwnd_event_tx_start")
    with pytest.raises(KernelError, match=r"p\.c: .*cwnd_event_tx_start\(\).*CWND_EVENT\("):
        callbacks.fit(compiled, found, kernel(*MEMBERS), (6, 18))


def test_a_program_for_old_kernels_alone_is_rejected_by_a_new_one(program, kernel):
    found, compiled = program("ssthresh", "undo_cwnd", "cong_avoid", "cwnd_event")
    with pytest.raises(KernelError, match=r"p\.c: .*7\.1.*CA_EVENT_TX_START.*cwnd_event_tx_start"):
        callbacks.fit(compiled, found, kernel(*MEMBERS, "cwnd_event_tx_start"), (7, 1))
    callbacks.fit(compiled, found, kernel(*MEMBERS), (6, 18))


def test_another_callback_that_the_kernel_lacks_is_named(program, kernel):
    found, compiled = program("ssthresh", "undo_cwnd", "cong_avoid", "min_tso_segs")
    with pytest.raises(KernelError, match=r"min_tso_segs\(\)"):
        callbacks.fit(compiled, found, kernel(*(one for one in MEMBERS if one != "min_tso_segs")), (6, 18))


def test_flags_that_the_kernel_does_not_know_are_cleared(clang, kernel):
    found = KernelProgram.find("prague", {})
    compiled = ObjectFile(compiler.compile_program(found))
    members_of_table = btf.structure(section(compiled, ".BTF"), "tcp_congestion_ops", "little")
    at = compiled.variables["prague"].offset + next(one.offset for one in members_of_table if one.name == "flags")

    def flags(version: tuple[int, int]) -> int:
        fitted = callbacks.fit(compiled, found, kernel(*MEMBERS), version)
        return int.from_bytes(fitted.read(at, 4), "little")

    assert flags((7, 0)) == 0x4 | 0x8  # TCP_CONG_NEEDS_ACCECN, TCP_CONG_ECT_1_NEGOTIATION
    assert flags((6, 18)) == 0


def test_all_programs_that_need_the_event_are_written_for_both():
    needing = [
        path for path in ALGORITHMS.glob("*.c") if re.search("CA_EVENT_TX_START|round_trip_event", path.read_text())
    ]
    assert len(needing) >= 8
    for path in needing:
        text = path.read_text()
        assert f"void CWND_EVENT({path.stem}_cwnd_event, sk, event)" in text, path.name
        assert f"= (void *){path.stem}_cwnd_event_tx_start," in text, path.name


def test_the_running_kernels_table_is_read():
    if not machine.BTF.exists():
        pytest.skip("this kernel does not describe its types")
    names = [one.name for one in btf.structure(machine.BTF.read_bytes(), "tcp_congestion_ops", "little")]
    assert {"ssthresh", "undo_cwnd", "cwnd_event", "name"} <= set(names)
    assert len(names) == len(set(names))
