"""Runs on a stock kernel in QEMU. Skipped, with the reason, where there is no QEMU or no kernel can be fetched."""

import csv
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fairlane.algorithm.kernel import KernelError
from fairlane.engine.result_bytes import unpack
from fairlane.results.store.store import Store
from fairlane.runs.backends import backend
from fairlane.runs.backends.linux import building
from fairlane.runs.backends.vm import boot, confined, qemu
from fairlane.scenario.requests import dumbbell, point, wifi


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


def test_a_transfer_that_has_ended_leaves_the_guest_idle(vm):
    """Shutting a socket down again and again woke the agent without end, and the guest's time stood nearly still."""
    transfer = {"algorithm": "cubic", "rtt": "40ms", "workload": {"kind": "bytes", "bytes": "20kB"}}
    outcome = vm.run(json.dumps(scenario([transfer])))
    assert outcome.message == ""
    assert outcome.usage["cpu_s"] < 60


@pytest.fixture(scope="module", params=[speed for speed in qemu.SPEEDS if speed != qemu.USUAL_SPEED])
def other_vm(request, stock_kernel):
    return backend(f"vm:{stock_kernel}@{request.param}")


@pytest.mark.timeout(400)  # the first such run boots a kernel
def test_a_processor_of_another_speed_changes_no_time_but_its_own(vm, other_vm):
    """Timers and clocks of a guest keep the time of its links: rates, RTTs, and when a flow starts and stops."""
    flows = [{"algorithm": "cubic", "rtt": "40ms"}, {"algorithm": "bbr", "rtt": "40ms", "start": "2s", "stop": "2.5s"}]
    one = json.dumps(scenario(flows, rate="20mbit", buffer="4bdp"))  # nothing is lost in the first 2 s
    assert any("instructions per ns" in line for line in other_vm.notes(json.loads(one)))
    assert not any("instructions per ns" in line for line in vm.notes(json.loads(one)))
    goodputs_mbps, min_rtts_ms = [], []
    for machine in (vm, other_vm):
        outcome = machine.run(one)
        assert outcome.message == ""
        found = unpack(b"".join(outcome.pieces))
        rows = list(found.table("flow_series").iter_rows(named=True))
        goodputs_mbps.append(statistics.fmean(row["mbps"] for row in rows if row["flow"] == 0 and row["t_s"] <= 2))
        min_rtts_ms.append(found.metrics["flows"][0]["min_rtt_ms"])
        assert all(2 < row["t_s"] < 2.7 for row in rows if row["flow"] == 1)
    assert goodputs_mbps[1] == pytest.approx(goodputs_mbps[0], rel=0.01)
    assert min_rtts_ms[1] == pytest.approx(min_rtts_ms[0], abs=0.3)


def test_the_processor_is_fast_enough_for_the_link(vm):
    """12 us for a frame and its ACK at 1 Gbit/s; one instruction per ns would be the bottleneck."""
    one = scenario([{"algorithm": "cubic", "rtt": "10ms"}], rate="1gbit", duration="500ms")
    outcome = vm.run(json.dumps(one))
    assert outcome.message == ""
    (flow,) = unpack(b"".join(outcome.pieces)).metrics["flows"]
    assert 700 < flow["goodput_mbps"] < 1000 * 1448 / 1538
    rates = {"3gbit": 10, "10gbit": 100, "30gbit": 100}
    faster = {rate: scenario([{"algorithm": "cubic", "rtt": "10ms"}], rate=rate, buffer="1MB") for rate in rates}
    assert {rate: vm.kernel.speed_for(one) for rate, one in faster.items()} == rates


@pytest.fixture(scope="module")
def emulated_vm(stock_kernel):
    return backend(f"vm:{stock_kernel}:emulated")


@pytest.mark.timeout(400)
def test_hosts_of_a_kernel_in_the_network_of_the_simulator(vm, emulated_vm):
    """Jitter that reorders nothing exists in the simulator's network only; there, both have the same TCP to carry."""
    one = scenario([{"algorithm": "cubic", "rtt": "40ms"}], rate="20mbit", buffer="4bdp", jitter="2ms")
    (line,) = vm.limits(one)
    assert line.endswith(f"the simulator's network has all of this: --on vm:{vm.kernel.name}:emulated")
    assert emulated_vm.limits(one) == []
    text = json.dumps(one)
    first, second = (emulated_vm.run(text) for _ in range(2))
    assert first.message == ""
    assert first.pieces == second.pieces
    found, simulated = (unpack(b"".join(of.run(text).pieces)).metrics for of in (emulated_vm, backend()))
    (ours,), (real,) = simulated["flows"], found["flows"]
    assert real["goodput_mbps"] == pytest.approx(ours["goodput_mbps"], rel=0.03)
    assert real["mean_rtt_ms"] == pytest.approx(ours["mean_rtt_ms"], rel=0.05)
    assert real["min_rtt_ms"] >= 40
    assert found["links"][0]["delivered_packets"] == pytest.approx(simulated["links"][0]["delivered_packets"], rel=0.03)


def test_a_kernel_over_wifi(vm, emulated_vm):
    one = point(wifi([{"algorithm": "cubic", "rtt": "10ms"}], standard="n", duration="1s", seed=7)).repeat(0)
    assert vm.limits(one)
    found, simulated = (unpack(b"".join(of.run(json.dumps(one)).pieces)).metrics for of in (emulated_vm, backend()))
    assert found["flows"][0]["goodput_mbps"] == pytest.approx(simulated["flows"][0]["goodput_mbps"], rel=0.1)


def test_what_an_emulated_network_of_a_guest_has_not(emulated_vm, stock_kernel):
    quic = scenario([{"algorithm": "cubic", "rtt": "10ms", "transport": "quic"}])
    assert any(line.startswith("flows[0].transport: ") for line in emulated_vm.limits(quic))
    fast = scenario([{"algorithm": "cubic", "rtt": "1ms"}], rate="10gbit", buffer="1MB")
    assert any("an emulated network on Linux" in line for line in emulated_vm.limits(fast))
    for other in (f"vm:{stock_kernel}:tc", f"vm:{stock_kernel}@10:emulated"):
        with pytest.raises(KernelError, match="write vm:"):
            backend(other)


def test_a_speed_that_no_guest_has(stock_kernel):
    with pytest.raises(KernelError, match=r"vm:.*@7: .* runs at 1 or 10 or 100 instructions per ns"):
        backend(f"vm:{stock_kernel}@7")


def test_runs_at_the_same_time_are_the_same(vm):
    """Four guests on few processors: the host's scheduling and clocks do not reach them."""
    one = json.dumps(scenario([{"algorithm": "cubic", "rtt": "40ms"}], duration="1s"))
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(vm.run, [one] * 4))
    assert outcomes[0].message == ""
    assert [outcome.pieces == outcomes[0].pieces for outcome in outcomes] == [True] * 4


def test_the_host_cannot_disturb_qemu(vm):
    """The library that isolates QEMU is loaded into QEMU itself, not only into its parents."""
    with qemu.place(vm.kernel.folder, b"") as place:

        def said(*command):
            options = confined.process_options(place)
            return subprocess.run(qemu.bound([*command]), check=True, capture_output=True, text=True, **options).stdout

        said("grep", "--quiet", os.fspath((place / "turns").resolve()), "/proc/self/maps")
        assert said("date", "+%s.%N") == "1767225600.000000000\n"
        assert int(said("sh", "-c", "date +%s")) > 1767225600  # programs that QEMU starts have the host's clock


CANARY = "touch canary"
ODD_NAMES = {
    "apostrophe": f"it's; {CANARY}; 'x",
    "quotation mark": f'a"; {CANARY}; "b',
    "comma": f"a,b,file=canary,path=canary,{CANARY}",
    "blanks and line": f"a b\tc\n{CANARY}\n",
    "substitution": f"$({CANARY})`{CANARY}`${{HOME}}",
    "not ASCII": "ä 試験 %s %d",
    "colon and option": "-M none:a=b",
    "long": 200 * "x",
}


@pytest.fixture
def in_folders_named(vm, tmp_path, monkeypatch):
    """The kernel in a cache of this name, with the cache and temporary folders there; they hold no canary after."""

    def folders(name):
        cache = tmp_path / name / "cache"
        folder = cache / "fairlane" / "kernels" / name.replace("\n", "")[:40]
        shutil.copytree(vm.kernel.folder, folder, copy_function=os.link)
        (tmp_path / name / "tmp").mkdir()
        monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(cache))
        monkeypatch.setattr("tempfile.tempdir", os.fspath(tmp_path / name / "tmp"))
        monkeypatch.chdir(tmp_path / name)
        building._compiled.cache_clear()
        return folder

    yield folders
    building._compiled.cache_clear()
    assert [path for path in tmp_path.rglob("*") if path.name == "canary"] == []


@pytest.mark.parametrize("kind", ODD_NAMES)
def test_names_of_folders_are_neither_options_nor_commands(in_folders_named, kind):
    folder = in_folders_named(ODD_NAMES[kind])
    assert qemu.run(folder, b"").output == "end\n"


@pytest.mark.timeout(400)
def test_a_snapshot_in_a_folder_with_every_odd_character(in_folders_named):
    folder = in_folders_named("".join(name[:40] for name in ODD_NAMES.values() if "/" not in name))
    (folder / "snapshot").unlink()
    _, types = boot.take(folder, building.agent())
    assert types
    assert qemu.run(folder, b"").output == "end\n"


def test_qemu_is_confined_and_has_no_device_that_it_does_not_need(vm):
    """No network, display, USB or storage but the controller that is part of the chipset."""
    if not qemu.sandbox():
        pytest.skip("this QEMU was built without seccomp")
    command = [*qemu.command(), *qemu.RESULTS, "-S", "-qmp", "stdio"]
    asked = "".join(json.dumps({"execute": name}) + "\n" for name in ("qmp_capabilities", "query-pci"))
    with (
        qemu.place(vm.kernel.folder, b"") as place,
        subprocess.Popen(
            qemu.bound(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **confined.process_options(place),
        ) as process,
    ):
        process.stdin.write(asked)
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(3)]
        status = (Path("/proc") / str(process.pid) / "status").read_text()
        process.kill()
    assert "Seccomp:\t2\n" in status
    assert "NoNewPrivs:\t1\n" in status
    if os.geteuid() == 0:
        user = re.search(r"^Uid:\t(\d+)\t\1\t\1\t\1$", status, re.MULTILINE)[1]
        assert int(user) != 0
        assert f"Gid:\t{user}\t{user}\t{user}\t{user}\n" in status
        assert re.search(r"^Groups:\s*$", status, re.MULTILINE)
        assert "CapEff:\t0000000000000000\n" in status
    devices = [device["class_info"]["desc"] for device in answers[2]["return"][0]["devices"]]
    assert sorted(devices) == ["Host bridge", "ISA bridge", "SATA controller", "SMBus"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_qemu_of_root_reads_no_file_of_root_and_writes_nowhere_else(vm, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    secret.chmod(0o600)
    with qemu.place(vm.kernel.folder, b"") as place:
        attempts = f"cat {secret}; ls {place.parent}; touch {tmp_path}/canary; touch here; id -u; kill -0 {os.getpid()}"
        done = subprocess.run(
            qemu.bound(["sh", "-c", attempts]), capture_output=True, text=True, **confined.process_options(place)
        )
        assert int(done.stdout) != 0, done.stdout
        assert (place / "here").exists()
    refusals = ("Permission denied", "Operation not permitted")
    assert [done.stderr.count(words) for words in refusals] == [3, 1], done.stderr
    assert not (tmp_path / "canary").exists()


def test_files_that_qemu_put_into_its_folder_are_read_only_if_they_are_its_own(tmp_path):
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "results").write_text("end\n")
    os.link(tmp_path / "secret", tmp_path / "hard")
    (tmp_path / "soft").symlink_to("results")
    os.mkfifo(tmp_path / "pipe")
    names = ("results", "hard", "soft", "pipe", "device", "none")
    (tmp_path / "device").symlink_to("/dev/zero")
    assert [confined.text(tmp_path / name) for name in names] == ["end\n", "", "", "", "", ""]


@pytest.mark.parametrize(
    ("variables", "users"),
    [
        ({"SUDO_UID": "1234", "SUDO_GID": "1235"}, {(1234, 1235)}),
        ({"SUDO_UID": "0", "SUDO_GID": "0"}, None),
        ({"SUDO_UID": "-1", "SUDO_GID": "1"}, None),
        ({}, None),
    ],
)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_the_user_of_qemu(monkeypatch, variables, users):
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.delenv("SUDO_GID", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with confined.place({}, {}) as place:
        found = confined.process_options(place)
        outer = place.parent
        assert (outer.stat().st_uid, outer.stat().st_mode & 0o777) == (0, 0o700)
    assert not outer.exists()
    user = found["user"], found["group"]
    assert user in users if users else user[0] == user[1] in confined._DYNAMIC


def test_a_relative_cache_is_found_from_every_folder(vm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(vm.kernel.folder, tmp_path / "kernel", copy_function=os.link)
    assert qemu.run(Path("kernel"), b"").output == "end\n"


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
    one = scenario([{"algorithm": "cubic", "rtt": "40ms"}], rate="40gbit")
    said = str(vm.problems(one)[0])
    assert said.startswith("--on vm: links.bottleneck.rate: 40000 Mbit/s; Linux ")
    assert "at most 30000 Mbit/s" in said


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
