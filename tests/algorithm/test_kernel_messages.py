"""One line names a missing tool with its remedy; logs of the verifier are understood. No root needed."""

import subprocess

import pytest
from fairlane.algorithm.kernel import KernelError, Lacking, compiler, libbpf, machine, verifier
from fairlane.algorithm.kernel.elf import ObjectFile
from fairlane.algorithm.kernel.program import KernelProgram

STEPS = """\
libbpf: prog 'x_cong_avoid': BPF program load failed: Invalid argument
libbpf: prog 'x_cong_avoid': -- BEGIN PROG LOAD LOG --
0: R1=ctx() R10=fp0
; void BPF_PROG(x_cong_avoid, struct sock *sk){at}
0: (79) r1 = *(u64 *)(r1 +0)
; while (tp->packets_out){at}
7: (55) if r2 != 0x0 goto pc-5
{complaint}
processed 26 insns (limit 1000000) max_states_per_insn 0 total_states 2 peak_states 2 mark_read 0
-- END PROG LOAD LOG --
libbpf: prog 'x_cong_avoid': failed to load: -22"""

SOURCE = "/* x */\nvoid BPF_PROG(x_cong_avoid, struct sock *sk)\n{\n\twhile (tp->packets_out)\n\t\ttp->snd_cwnd++;\n}\n"


@pytest.mark.parametrize("at", ["", " @ x.c:4"], ids=["before Linux 6.9", "since"])
@pytest.mark.parametrize(
    ("complaint", "remedy"),
    [
        ("infinite loop detected at insn 7", "prove bounded"),
        ("R1 invalid mem access 'map_value_or_null'", "NULL"),
        ("BPF program is too large. Processed 1000001 insn", "shorten loops"),
        ("no write support to tcp_sock at off 1234", "snd_cwnd"),
        ("func 'cong_control' doesn't have 5-th argument", "CONG_CONTROL"),
        ("unknown func bpf_fancy#200", "algorithms/README.md"),
    ],
)
def test_a_refusal_has_line_reason_remedy_and_last_lines(at, complaint, remedy):
    lines = STEPS.replace("{at}", at).replace("{complaint}", complaint).splitlines()
    refusal = verifier.explain(lines, SOURCE, "mine/x.c")
    assert refusal.function == "x_cong_avoid"
    assert refusal.location == "mine/x.c:4"
    assert refusal.reason == complaint
    assert remedy in refusal.remedy
    text = str(refusal)
    assert text.startswith("mine/x.c:4: ")
    assert text.endswith(complaint)


def test_an_unknown_complaint_is_quoted():
    lines = STEPS.replace("{at}", "").replace("{complaint}", "the moon is wrong").splitlines()
    assert "the moon is wrong" in str(verifier.explain(lines, SOURCE, "x.c"))


def test_other_talk_of_libbpf_is_no_refusal():
    assert verifier.explain(["libbpf: failed to find BTF for extern 'x'"], SOURCE, "x.c") is None


def test_without_root(cli, monkeypatch):
    monkeypatch.setattr(machine, "_may_load", lambda: False)
    monkeypatch.setattr(machine.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(machine, "BTF", machine.Path("/proc/self/status"))
    for command in (["load", "cubic"], ["unload", "cubic"]):
        outcome = cli("algorithm", *command)
        assert outcome.status == 1
        assert outcome.err == "fairlane: loading into the kernel needs root; run it with sudo\n"
    listed = cli("algorithm", "list")
    assert listed.status == 0
    assert "root" in listed.out


def test_as_root_of_a_container(cli, monkeypatch):
    monkeypatch.setattr(machine, "_may_load", lambda: False)
    monkeypatch.setattr(machine, "BTF", machine.Path("/proc/self/status"))
    monkeypatch.setattr(machine.os, "geteuid", lambda: 0)
    assert "BPF" in cli("algorithm", "load", "cubic").err


def test_on_an_old_kernel(cli, monkeypatch):
    monkeypatch.setattr(machine.platform, "release", lambda: "5.10.0-8-amd64")
    outcome = cli("algorithm", "load", "cubic")
    assert outcome.err == "fairlane: Linux 5.10.0-8-amd64 is too old; a congestion control needs Linux 5.15 or later\n"


def test_without_types_of_the_kernel(cli, monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "BTF", tmp_path / "vmlinux")
    outcome = cli("algorithm", "load", "cubic")
    assert "CONFIG_DEBUG_INFO_BTF" in outcome.err
    assert outcome.err.count("\n") == 1


def test_without_clang(monkeypatch, tmp_path):
    compiler.find_clang.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CLANG", raising=False)
    with pytest.raises(Lacking, match=r"no clang .* install"):
        compiler.find_clang()
    monkeypatch.setenv("CLANG", "clang-99")
    with pytest.raises(Lacking, match="clang-99"):
        compiler.find_clang()


def test_without_libbpf(monkeypatch):
    def missing(name, **_):
        raise OSError(f"{name}: cannot open shared object file")

    libbpf.library.cache_clear()
    monkeypatch.setattr(libbpf.ctypes, "CDLL", missing)
    with pytest.raises(Lacking, match=r"libbpf .*install"):
        libbpf.library()
    monkeypatch.undo()
    libbpf.library.cache_clear()


@pytest.mark.parametrize(
    ("name", "message"), [("a_name_of_16_let", "too long"), ("two words", "cannot be a name"), ("grün", "cannot be")]
)
def test_a_name_in_the_kernel(name, message):
    with pytest.raises(KernelError, match=message):
        KernelProgram.find("cubic", {}, name)


def test_variables_of_an_object_file_are_found_and_changed(tmp_path):
    text = "const volatile unsigned beta = 717; const volatile short step = -3; int f(void) { return step; }\n"
    text += 'struct { int (*call)(void); char name[16]; } table = { f, "t" };\n'
    (tmp_path / "x.c").write_text(text)
    subprocess.run(["cc", "-c", "x.c", "-o", "x.o"], cwd=tmp_path, check=True)
    found = ObjectFile((tmp_path / "x.o").read_bytes())
    beta, step = found.variables["beta"], found.variables["step"]
    assert (beta.size, step.size) == (4, 2)
    assert found.functions_in(found.variables["table"]) <= {"f"}
    assert found.read(beta.offset, 4) == (717).to_bytes(4, found.byte_order)
    found.write_integer(beta, 800)
    found.write_integer(step, -7)
    again = ObjectFile(bytes(found.data))
    assert int.from_bytes(again.read(beta.offset, 4), found.byte_order) == 800
    assert int.from_bytes(again.read(step.offset, 2), "little", signed=True) == -7
