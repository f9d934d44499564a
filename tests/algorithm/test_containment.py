"""Every command that runs a C file of others runs it in a confined worker; no other command starts one.

The programs end the process that runs them. In the caller's own process that would be the end of these tests.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import fairlane
import pytest
from fairlane import _engine, engine
from fairlane.scenario.requests import dumbbell, scenario

FOLDER = Path(__file__).parent / "hostile"
ENDS_ITS_PROCESS = FOLDER / "exits.c"
INNOCENT = FOLDER / "innocent.c"
ENDED = "it ended the process that ran it (exit status 0)"
SHORT = ("--rate", "10mbit", "--time", "1s")

machine_code = pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code of x86-64")

SCRIPT = """
   0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
  +0 bind(3, ..., ...) = 0
  +0 listen(3, 1) = 0
  +0 < S 0:0(0) win 65535 <mss 1000>
  +0 > S. 0:0(0) ack 1 <mss 1460>
 +.1 < . 1:1(0) ack 1 win 65535
  +0 accept(3, ..., ...) = 4
  +0 write(4, ..., 1000) = 1000
  +0 > P. 1:1001(1000) ack 1
 +.1 < . 1:1(0) ack 1001 win 65535
"""

EXPERIMENT = """
duration = "1s"
network = {{ rate = "10mbit", rtt = "10ms", buffer = "1bdp" }}
flows = [{{ algorithm = "{path}" }}]
"""

TUNING = """
algorithm = "{path}"
trials = 2
objectives = [{{ metric = "goodput_mbps", goal = "highest" }}]
parameters = {{ gain = {{ low = 1, high = 3 }} }}

[experiment]
duration = "1s"
network = {{ rate = "10mbit", rtt = "10ms", buffer = "1bdp" }}
flows = [{{ algorithm = "{path}" }}]
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A file for each command, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "it.pkt").write_text(SCRIPT)
    (tmp_path / "it.toml").write_text(EXPERIMENT.format(path=ENDS_ITS_PROCESS))
    (tmp_path / "hostile.h").write_text((FOLDER / "hostile.h").read_text())
    tuned = ENDS_ITS_PROCESS.read_text().replace(
        '#include "hostile.h"\n', '#include "hostile.h"\nconst volatile int gain = 1;\n'
    )
    (tmp_path / "tuned.c").write_text(tuned.replace("{\n", "{\n\tif (!gain)\n\t\treturn;\n", 1))
    (tmp_path / "tune.toml").write_text(TUNING.format(path=tmp_path / "tuned.c"))


@machine_code
@pytest.mark.parametrize(
    "command",
    [
        ("duel", ENDS_ITS_PROCESS, *SHORT),
        ("duel", ENDS_ITS_PROCESS, *SHORT, "--repeats", "2"),
        ("run", "it.toml"),
        ("tune", "tune.toml"),
        ("algorithm", "check", ENDS_ITS_PROCESS),
        ("packetdrill", "--algorithm", ENDS_ITS_PROCESS, "it.pkt"),
    ],
    ids=lambda command: " ".join(str(word).rpartition("/")[2] for word in command[:3:2]),
)
def test_a_command_runs_it_in_a_worker(cli, files, command):
    outcome = cli(*command)
    assert outcome.status != 0
    assert ENDED in " ".join((outcome.out + outcome.err).split())
    assert "Traceback" not in outcome.err


@machine_code
def test_a_file_of_others_drives_quic(tmp_path):
    """Workers may not read the processor's clock, not even the first one of a process: the second command has the
    compiled program of the first, so that its first worker runs QUIC."""
    file = tmp_path / "mine.c"
    shutil.copy(Path(__file__).parents[2] / "algorithms" / "reno.c", file)
    command = [sys.executable, "-m", "fairlane", "duel", file, "cubic", "--transport", "quic", *SHORT, "--json"]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        mine, cubic = json.loads(done.stdout)["flows"]
        assert mine["goodput_mbps"] > 0
        assert cubic["goodput_mbps"] > 0


@machine_code
def test_python_runs_it_in_a_worker(files):
    with pytest.raises(engine.AlgorithmFault, match="ended the process"):
        fairlane.duel(str(ENDS_ITS_PROCESS), rate="10mbit", duration="1s")
    with pytest.warns(RuntimeWarning, match="ended the process"):
        fairlane.run("it.toml", progress=False)
    with pytest.raises(engine.AlgorithmFault, match="ended the process"):
        engine.packetdrill("it.pkt", SCRIPT, algorithm=str(ENDS_ITS_PROCESS))


def test_an_export_runs_it_in_a_worker(tmp_path, monkeypatch):
    results = fairlane.duel(str(INNOCENT), rate="10mbit", duration="1s")
    usages = []
    run_with_capture = _engine.run_with_capture

    def noted(*arguments):
        pieces, usage = run_with_capture(*arguments)
        usages.append(usage)
        return pieces, usage

    monkeypatch.setattr(_engine, "run_with_capture", noted)
    results.export("pcapng", tmp_path / "it.pcapng", algorithms=[str(INNOCENT)])
    assert len(usages) == 1
    assert usages[0] is not None
    assert (tmp_path / "it.pcapng").stat().st_size > 10_000


def test_recordings_are_made_of_trusted_programs_alone():
    flows = [{"algorithm": str(INNOCENT), "rtt": "10ms"}]
    with pytest.raises(engine.AlgorithmError, match="--trust"):
        engine.record(scenario(dumbbell(flows, rate="10mbit", duration="1s")))


@pytest.fixture
def compilers(tmp_path, monkeypatch):
    """Compilers that leave a mark; returns whether one was started."""
    mark = tmp_path / "started"
    for variable in ("CC", "CLANG"):
        (tmp_path / variable).write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
        (tmp_path / variable).chmod(0o755)
        monkeypatch.setenv(variable, str(tmp_path / variable))
    started = []

    def popen(*arguments, **settings):
        started.append(arguments)
        raise AssertionError(f"started {arguments}")

    monkeypatch.setattr(_engine, "compile", popen)
    monkeypatch.setattr(_engine, "compile_confined", popen)
    return lambda: bool(started) or mark.exists()


def test_results_of_others_compile_nothing(cli, tmp_path, monkeypatch, compilers):
    """The results name an existing C file that the command line does not name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hostile.h").write_text((FOLDER / "hostile.h").read_text())
    (tmp_path / "theirs.c").write_text(INNOCENT.read_text())
    theirs = EXPERIMENT.format(path="./theirs.c").replace('"1s"', '"1s"\nname = "theirs"')
    (tmp_path / "it.toml").write_text(theirs)
    command = [sys.executable, "-m", "fairlane", "run", "it.toml"]
    environment = {name: value for name, value in os.environ.items() if name not in ("CC", "CLANG")}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    (tmp_path / "theirs.c").write_text(INNOCENT.read_text() + "\n")  # so that nothing compiled is remembered
    results = "results/theirs"
    done = {
        words: cli(*words).status
        for words in (
            ("table", results),
            ("plot", results, "-o", "it.png"),
            ("report", results),
            ("verify", results),
            ("compare", results, results),
            ("export", results, "csv", "-o", "it.csv"),
            ("export", results, "pcapng", "-o", "it.pcapng"),
        )
    }
    assert not compilers()
    assert done[("table", results)] == 0
    assert done[("export", results, "pcapng", "-o", "it.pcapng")] != 0


def test_scripts_compile_nothing(compilers):
    sockets = SCRIPT.replace(
        "  +0 write(4",
        f'  +0 setsockopt(4, SOL_TCP, TCP_CONGESTION, "{INNOCENT}", {len(str(INNOCENT))}) = 0\n  +0 write(4',
    )
    for text in (
        sockets,
        sockets.replace("(4, SOL", "(3, SOL").replace("= 4\n", "= 4\n"),
        f"`sysctl -q net.ipv4.tcp_congestion_control={INNOCENT}`\n{SCRIPT}",
        f"--algorithm={INNOCENT}\n{SCRIPT}",
    ):
        engine.packetdrill("it.pkt", text)
    assert not compilers()


def test_a_script_is_played_with_the_callers_algorithm(tmp_path):
    after_one_ack = SCRIPT + "  +0 %{ assert tcpi_snd_cwnd == 11 + 5, tcpi_snd_cwnd }%\n"
    (tmp_path / "hostile.h").write_text((FOLDER / "hostile.h").read_text())
    text = INNOCENT.read_text().replace("{\n}", "{\n\ttcp_sk(sk)->snd_cwnd += 5;\n}")
    (tmp_path / "plus_five.c").write_text(text)
    report = engine.packetdrill("it.pkt", after_one_ack, algorithm=str(tmp_path / "plus_five.c"))
    assert report["verdict"] == "passed", report["message"]
    assert engine.packetdrill("it.pkt", after_one_ack)["verdict"] == "failed"
    assert engine.packetdrill("it.pkt", after_one_ack.replace("11 + 5", "10"), algorithm="reno")["verdict"] == "passed"


def test_the_first_run_of_a_program_is_computed_twice(tmp_path, monkeypatch):
    """The second run detects dependence on addresses; later runs with the same parameters are computed once."""
    (tmp_path / "hostile.h").write_text((FOLDER / "hostile.h").read_text())
    path = tmp_path / "late.c"
    path.write_text(
        '#include "hostile.h"\nconst volatile int wanders = 0;\n'
        "static void hostile(struct sock *sk)\n{\n"
        "\tif (wanders)\n\t\ttcp_sk(sk)->snd_ssthresh = 2 + ((unsigned long)sk >> 4) % 65521;\n}\n"
    )

    def run(wanders: int) -> None:
        flows = [{"algorithm": str(path), "parameters": {"wanders": wanders}, "rtt": "10ms"}]
        engine.run(scenario(dumbbell(flows, rate="10mbit", duration="1s")))

    run(0)
    run(0)
    for _ in range(2):
        with pytest.raises(engine.AlgorithmFault, match="second run"):
            run(1)


def test_warnings_of_the_compiler_are_shown_once(cli, tmp_path):
    (tmp_path / "hostile.h").write_text((FOLDER / "hostile.h").read_text())
    path = tmp_path / "warned.c"
    path.write_text(INNOCENT.read_text().replace("{\n}", "{\n\tint n;\n\n\tif (sk && n)\n\t\treturn;\n}"))
    first, second = cli("duel", path, *SHORT, "--json"), cli("duel", path, *SHORT, "--json")
    assert first.err.startswith(f"{path}:7: warning: ")
    assert "uninitialized" in first.err
    assert json.loads(first.out)
    assert second.err == ""


@pytest.mark.skipif(not shutil.which("clang"), reason="there is no clang")
def test_clang_compiles_them_as_well(cli, monkeypatch):
    """The compiler is part of a run's key, and is confined in the same way."""
    monkeypatch.setenv("CC", "clang")
    assert cli("duel", INNOCENT, *SHORT).status == 0
    ended = cli("duel", ENDS_ITS_PROCESS, *SHORT)
    assert (ended.status, len(ended.err.splitlines())) == (1, 1)
    assert ENDED in ended.err
    refused = cli("duel", FOLDER / "constructor.c", *SHORT)
    assert refused.status == 2
    assert "constructor" in refused.err


WITHOUT_LANDLOCK = """
import ctypes, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
call_number, fails_with, allow = 444, 0x00050000 | 38, 0x7fff0000  # landlock_create_ruleset, ENOSYS
rows = [(0x20, 0, 0, 0), (0x15, 0, 1, call_number), (0x06, 0, 0, fails_with), (0x06, 0, 0, allow)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rows), ctypes.addressof(code)))
assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
assert libc.prctl(22, 2, program, 0, 0) == 0  # PR_SET_SECCOMP
from fairlane.cli import main
for path in sys.argv[1:]:
    print(main(["duel", path, "--rate", "10mbit", "--time", "1s"]))
"""


@machine_code
def test_a_kernel_without_landlock_is_named_once_and_the_rest_is_used():
    paths = [INNOCENT, FOLDER / "reads_file.c", ENDS_ITS_PROCESS]
    command = [sys.executable, "-c", WITHOUT_LANDLOCK, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    # seccomp alone keeps a worker from files: the second program reports that it could open none.
    assert [line for line in done.stdout.splitlines() if line in ("0", "1")] == ["0", "1", "1"], done.stderr
    assert "reads_file.c set cwnd to 0" in done.stderr
    assert done.stderr.count("Landlock") == 1
    assert ENDED in done.stderr


def test_a_kernel_that_has_everything_is_not_mentioned(cli):
    if engine.missing_protections():
        pytest.skip(f"this kernel lacks {engine.missing_protections()}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cli("duel", INNOCENT, *SHORT).err == ""
