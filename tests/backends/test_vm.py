"""Runs on a stock kernel in QEMU. Skipped, with the reason, where there is no QEMU or no kernel can be fetched."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from fairlane.algorithm.kernel import KernelError
from fairlane.engine.result_bytes import unpack
from fairlane.results.store.store import Store
from fairlane.runs.backends import backend
from fairlane.runs.backends.linux import building
from fairlane.runs.backends.vm import qemu
from fairlane.scenario.requests import dumbbell, point


@pytest.fixture(scope="module")
def vm(stock_kernel):
    return backend(f"vm:{stock_kernel}")


def scenario(flows, **changes):
    wanted = {"rate": "10mbit", "queue": "fifo", "buffer": "1bdp", "duration": "3s", "seed": 7, **changes}
    return point(dumbbell(flows, **wanted)).repeat(0)


def test_the_same_run_twice_is_the_same_and_as_physics_allows(vm):
    one = scenario([{"algorithm": "cubic", "rtt": "40ms"}, {"algorithm": "bbr", "rtt": "40ms", "start": "200ms"}])
    first, second = (vm.run(json.dumps(one)) for _ in range(2))
    assert first.message == ""
    assert first.pieces == second.pieces
    unpacked = unpack(b"".join(first.pieces))
    metrics = unpacked.metrics
    cubic, bbr = metrics["flows"]
    # 1448 of 1514 bytes of a frame are payload.
    together = cubic["bytes_delivered"] + bbr["bytes_delivered"]
    assert 0.85 < together * 8 / 3 / 10e6 / (1448 / 1514) <= 1
    assert 40 < cubic["min_rtt_ms"] < 41.3  # an empty queue, and a frame's 1.2 ms
    for flow in (cubic, bbr):
        assert 40 < flow["mean_rtt_ms"] <= 83  # with a full queue of one BDP
    assert metrics["links"][0]["dropped_packets"] > 0
    assert metrics["links"][0]["max_queue_bytes"] <= 50_000
    last = {row["flow"]: row for row in unpacked.table("flow_series").iter_rows(named=True)}
    assert last[0]["bbr_bandwidth_mbps"] is None
    assert 2 < last[1]["bbr_bandwidth_mbps"] < 11
    assert last[1]["bbr_min_rtt_ms"] == pytest.approx(bbr["min_rtt_ms"], rel=0.5)
    assert last[1]["bbr_cwnd_gain"] in (1, 2, pytest.approx(2.885, abs=0.01))


def test_runs_at_the_same_time_are_the_same(vm):
    """Four guests on few processors: the host's scheduling and clocks do not reach them."""
    one = json.dumps(scenario([{"algorithm": "cubic", "rtt": "40ms"}], duration="1s"))
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(vm.run, [one] * 4))
    assert outcomes[0].message == ""
    assert [outcome.pieces == outcomes[0].pieces for outcome in outcomes] == [True] * 4


def test_the_host_cannot_disturb_qemu(vm):
    """The library that isolates QEMU is loaded into QEMU itself, not only into its parents."""
    library = os.fspath(building.library(qemu.TURNS))
    subprocess.run(qemu._bound(["grep", "--quiet", library, "/proc/self/maps"]), check=True)
    seconds = subprocess.run(qemu._bound(["date", "+%s.%N"]), check=True, capture_output=True, text=True).stdout
    assert seconds == "1767225600.000000000\n"
    inner = subprocess.run(qemu._bound(["sh", "-c", "date +%s"]), check=True, capture_output=True, text=True).stdout
    assert int(inner) > 1767225600  # programs that QEMU starts have the host's clock


def test_programs_of_ours_run_where_the_kernel_has_none(vm):
    flows = [{"algorithm": "copa", "rtt": "40ms"}, {"algorithm": "cubic", "rtt": "40ms", "parameters": {"beta": 900}}]
    names, lines = vm_programs(scenario(flows), vm)
    assert (names, lines.count(b"execute - struct_ops")) == ({0: "fl_0", 1: "fl_1"}, 2)
    outcome = vm.run(json.dumps(scenario(flows, duration="1s")))
    assert outcome.message == ""
    assert all(flow["bytes_delivered"] > 100_000 for flow in unpack(b"".join(outcome.pieces)).metrics["flows"])


def vm_programs(one, vm):
    from fairlane.runs.backends.linux import programs

    try:
        return programs.algorithms(one, vm.kernel.abilities.algorithms, vm.kernel.target)
    except KernelError as error:
        pytest.skip(str(error))


def test_another_seed_loses_other_packets(vm):
    flows = [{"algorithm": "reno", "rtt": "10ms"}]
    lossy = {"loss": {"kind": "independent", "probability": "1%"}, "duration": "1s"}
    received = {seed: b"".join(vm.run(json.dumps(scenario(flows, **lossy, seed=seed))).pieces) for seed in (1, 2)}
    assert received[1] != received[2]


def test_a_guest_that_fails_is_named(vm):
    ended = qemu.run(vm.kernel.folder, b"write - /proc/sysrq-trigger c\n")
    assert qemu.failure(ended.console) == "the kernel panicked: sysrq triggered crash"


ENDLESS_LINE = b"execute - ip -batch /dev/zero\n"
"""A line that does not end does not fit into any memory."""
NOBODY_READS = b"execute - ip -force -batch /dev/urandom\n"
"""Each line is an error, and the agent does not read that many."""


def test_a_guest_without_memory_is_named(vm):
    ended = qemu.run(vm.kernel.folder, ENDLESS_LINE)
    assert "512 MB" in qemu.failure(ended.console)
    assert not ended.is_hung


def test_a_guest_that_shows_no_sign_of_life_is_ended(vm, monkeypatch):
    monkeypatch.setattr(qemu, "HANG_CPU_S", 1)
    assert qemu.run(vm.kernel.folder, NOBODY_READS).is_hung


def test_a_guest_that_fails_costs_its_run_alone(vm, monkeypatch, cli, tmp_path):
    """Of two runs the second one's guest panics."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.toml").write_text(
        'duration = "100ms"\nrepeats = 2\nseed = 7\nflows = [{ algorithm = "reno" }]\n'
        'network = { rate = "5mbit", rtt = "20ms", buffer = "1bdp" }\n'
    )
    (tmp_path / "sitecustomize.py").write_text(
        "from fairlane.runs.backends.vm import backend\n"
        "plan = backend.plan\n"
        "def failing(scenario, *words, **named):\n"
        "    planned = plan(scenario, *words, **named)\n"
        "    lines = b'write - /proc/sysrq-trigger c\\n' if scenario['seed'] == 8 else planned.content\n"
        "    return type(planned)(lines, planned.samples)\n"
        "backend.plan = failing\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.fspath(tmp_path))
    done = cli("run", "two.toml", "--on", f"vm:{vm.kernel.name}")
    assert done.status != 0
    assert "the run, repeat 1: the kernel panicked: sysrq triggered crash" in done.err
    assert Store.at(tmp_path / "results" / "two").keys


def test_a_guest_whose_time_stands_still_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(qemu, "STANDSTILL_S", 0.2)
    process = subprocess.Popen(["sleep", "1000"])
    try:
        hang = qemu._Hang(tmp_path / "results")
        while not hang.is_there(process.pid):
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()


def test_unsupported_settings_are_reported_before_a_run(vm):
    one = scenario([{"algorithm": "cubic", "rtt": "40ms"}], rate="10gbit")
    assert str(vm.problems(one)[0]).startswith("--on vm: links.bottleneck.rate: 10000 Mbit/s")


def test_a_run_and_a_duel_on_it(vm, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["--rate", "5mbit", "--time", "500ms", "--json"]
    ours = json.loads(cli("duel", "cubic", *words).out)
    real = json.loads(cli("duel", "cubic", *words, "--on", f"vm:{vm.kernel.name}").out)
    assert ours.keys() == real.keys()
    assert ours["flows"][0].keys() == real["flows"][0].keys()
    (tmp_path / "small.toml").write_text(
        'duration = "500ms"\nflows = [{ algorithm = "cubic" }]\n'
        'network = { rate = "5mbit", rtt = "20ms", buffer = "1bdp" }\n'
    )
    done = cli("run", "small.toml", "--on", f"vm:{vm.kernel.name}")
    assert done.out.startswith("small: 1 run (1 computed)")
    again = cli("run", "small.toml", "--on", f"vm:{vm.kernel.name}")
    assert "1 already stored" in again.out
    assert "1 computed" in cli("run", "small.toml").out  # the simulator's run is another
    shown = cli("table", "results/small", "--metrics", "goodput_mbps,mean_rtt_ms,retransmits,lost_packets")
    assert shown.status == 0


def test_agreement_in_an_experiment_of_ones_own(vm, cli, tmp_path, monkeypatch):
    path = tmp_path / "small.toml"
    path.write_text(
        'duration = "2s"\nflows = [{ algorithm = "cubic" }]\n'
        'network = { rate = "5mbit", rtt = "20ms", buffer = "1bdp" }\n'
    )
    done = cli("fidelity", "--against", f"vm:{vm.kernel.name}", path)
    assert done.status == 0, done.err
    words = next(line.split() for line in done.out.splitlines() if line.split()[:1] == ["diff"])
    difference = float(next(word for word in words if word[0] in "+-"))  # of goodput, in Mbit/s
    assert abs(difference) < 0.1


TRUTH = {
    "name": "single-5m-20ms-1bdp-reno",
    "rate_mbit": 5,
    "rtt_ms": 20,
    "queue": {"kind": "bfifo", "bytes": 12500},
    "flows": [{"cc": "reno"}],
    "duration_s": 1,
}


def test_a_kernel_against_recordings(vm, cli, tmp_path, monkeypatch):
    """The simulator's values stand in for the recording of another kernel."""
    (tmp_path / "scenarios.json").write_text(json.dumps([TRUTH]))
    (tmp_path / "linux.csv").write_text("scenario,flow,algorithm,goodput_mbps,mean_rtt_ms,max_rtt_ms,retransmits\n")
    words = ("fidelity", "--truth", tmp_path, "--scenarios", "--out")
    done = cli(*words, tmp_path / "linux.csv")
    assert done.status == 0, done.err
    done = cli(*words, tmp_path / "vm.csv", "--on", f"vm:{vm.kernel.name}")
    assert done.status == 0, done.err
    assert TRUTH["name"] in done.out
    [[ours], [linux]] = (
        list(csv.DictReader((tmp_path / f"{name}.csv").read_text().splitlines())) for name in ("linux", "vm")
    )
    assert (linux["scenario"], linux["algorithm"]) == (TRUTH["name"], "reno")
    assert linux != ours  # the kernel did run
    assert float(linux["goodput_mbps"]) == pytest.approx(float(ours["goodput_mbps"]), rel=0.02)
    assert float(linux["mean_rtt_ms"]) == pytest.approx(float(ours["mean_rtt_ms"]), rel=0.1)


def test_the_next_run_removes_leftovers_of_a_killed_process(vm, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    foreign = tmp_path / f"fairlane-vm-{os.getpid()}-abc"
    foreign.mkdir()
    killed = subprocess.Popen([sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(tmp_path)})
    assert killed.wait() == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2
    assert qemu.run(vm.kernel.folder, b"").output == "end\n"
    assert sorted(tmp_path.iterdir()) == [foreign]


KILLED = """
import os
from fairlane.files import temporary_folder
with temporary_folder("vm"):
    os.kill(os.getpid(), 9)
"""
