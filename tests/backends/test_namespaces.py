"""Runs on this machine's kernel. Skipped, with the reason, where namespaces cannot be created.

They run in real time, so only facts independent of the machine's load are asserted.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from fairlane.algorithm.kernel import KernelError, registry
from fairlane.engine.result_bytes import unpack
from fairlane.runs.backends import backend
from fairlane.runs.backends.linux import building
from fairlane.runs.backends.linux.host import Host, hosts_of
from fairlane.runs.backends.namespaces import backend as namespaces_backend
from fairlane.runs.backends.namespaces import emulated as emulated_plan
from fairlane.runs.backends.namespaces import machine, tc_check
from fairlane.runs.emulation import selfcheck
from fairlane.scenario.requests import dumbbell, point


@pytest.fixture(scope="module")
def namespaces():
    try:
        building.agent()
        return backend("namespaces")
    except KernelError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def short_checks(monkeypatch):
    monkeypatch.setattr(emulated_plan, "CHECK_NS", 50_000_000)


def scenario(algorithms=("cubic",), duration="1s", **changes):
    """One link, a token bucket, and no delay, which a kernel without netem supports."""
    flows = [{"algorithm": algorithm, "rtt": "40ms"} for algorithm in algorithms]
    wanted = {"rate": "5mbit", "queue": "fifo", "buffer": "30kB", "duration": duration, "seed": 7, **changes}
    one = point(dumbbell(flows, **wanted)).repeat(0)
    for link in one["links"]:
        link["delay_ns"] = 0
        if link.get("rate_bps"):
            link["burst_bytes"] = 1600
    return one


def test_a_run_is_as_physics_allows_and_leaves_nothing_behind(namespaces):
    before = (os.listdir("/run"), registry.available())
    outcome = namespaces.run(json.dumps(scenario(["cubic", "reno"])))
    assert outcome.message == ""
    metrics = unpack(b"".join(outcome.pieces)).metrics
    received = sum(flow["bytes_delivered"] for flow in metrics["flows"])
    # 1448 of 1514 bytes of a frame are payload; a burst goes at once.
    assert 0 < received * 8 <= (5e6 + 1600 * 8) * 1448 / 1514
    assert metrics["links"][0]["max_queue_bytes"] <= 30_000
    check = metrics["conditions"]["check"]
    assert check["asked_mbps"] == pytest.approx(5 * 1500 / 1514)
    # The load of a machine makes a link slower, and never faster; 0.05 s and some packets are measured.
    assert 0 < check["rate_mbps"] < 1.3 * check["asked_mbps"]
    assert 0 < check["lateness_median_us"] <= check["lateness_p99_us"]
    assert check["offload_differences"] == 0
    assert 1 <= metrics["conditions"]["attempts"] <= 3
    assert (os.listdir("/run"), registry.available()) == before


def test_a_congestion_control_of_ours_is_there_for_its_run_only(namespaces):
    if not namespaces.abilities.takes_programs:
        pytest.skip("this user cannot load programs into this kernel")
    outcome = namespaces.run(json.dumps(scenario(["copa"])))
    assert outcome.message == ""
    assert unpack(b"".join(outcome.pieces)).metrics["flows"][0]["bytes_delivered"] > 0
    wait_until(lambda: not [name for name in registry.available() if name.startswith(f"fl_{os.getpid()}_")])


def test_a_killed_process_leaves_neither_an_agent_nor_a_congestion_control(namespaces):
    algorithm = "copa" if namespaces.abilities.takes_programs else "cubic"
    code = "import sys; from fairlane.runs.backends import backend; backend('namespaces').run(sys.argv[1])"
    command = [sys.executable, "-c", code, json.dumps(scenario([algorithm], duration="60s"))]
    process = subprocess.Popen(command, cwd=Path(__file__).parent)
    wait_until(lambda: agents_of(process.pid) or process.poll() is not None)
    agents = agents_of(process.pid)
    assert len(agents) == 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not Path(f"/proc/{agents[0]}/exe").exists())
    wait_until(lambda: not [name for name in registry.available() if name.startswith(f"fl_{process.pid}_")])


AS_NOBODY = """
import json, sys
from fairlane.runs.backends import backend
from fairlane.algorithm.kernel import KernelError
from fairlane.engine.result_bytes import unpack
try:
    one = backend(sys.argv[1])
    assert one.abilities.algorithms and not one.problems(json.loads(sys.argv[2]))
    outcome = one.run(sys.argv[2])
except KernelError as error:
    sys.exit(f"cannot: {error}")
print(outcome.message or unpack(b"".join(outcome.pieces)).metrics["flows"][0]["bytes_delivered"])
"""


@pytest.mark.parametrize("network", ["tc", "emulated"])
def test_without_root_in_a_user_namespace(namespaces, network):
    """Root becomes a user without rights; another user stays what it is."""
    folder = Path(tempfile.mkdtemp())  # the folders of pytest are closed to other users
    try:
        command = [sys.executable, "-c", AS_NOBODY, f"namespaces:{network}", json.dumps(scenario(duration="300ms"))]
        if os.geteuid() == 0:
            if not shutil.which("setpriv"):
                pytest.skip("there is no setpriv")
            os.chown(folder, 65534, 65534)
            command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *command]
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "HOME": str(folder), "TMPDIR": str(folder)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
        said = done.stdout + done.stderr
        if any(words in said for words in ("cannot: ", "may not create", "Permission denied")):
            pytest.skip(f"a user without rights cannot do this here: {said.strip()[-200:]}")
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) > 10_000
    finally:
        shutil.rmtree(folder)


def agents_of(parent):
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [
        child for child in listed if Path(f"/proc/{child}/cmdline").read_bytes().startswith(bytes(building.agent()))
    ]


def wait_until(condition):
    """pytest's timeout ends an unbounded wait."""
    while not condition():
        time.sleep(0.05)


def test_missing_kernel_features_are_reported_before_a_run(namespaces):
    one = scenario(rate="10gbit")
    assert str(backend("namespaces:tc").problems(one)[0]).startswith(
        "--on namespaces: links.bottleneck.rate: 10000 Mbit/s"
    )
    one = scenario()
    one["links"][0]["delay_ns"] = 1_000_000
    found = [str(problem) for problem in backend("namespaces:tc").problems(one)]
    assert found == [] if "netem" in namespaces.abilities.queues else "netem" in found[0]
    if machine.can_emulate():
        assert namespaces.problems(one) == []
    one = scenario()
    del one["links"][0]["burst_bytes"]  # then netem adds the time of a frame on the wire
    found = [str(problem) for problem in backend("namespaces:tc").problems(one)]
    assert found == [] if "netem" in namespaces.abilities.queues else "burst" in found[0]


def test_an_unknown_argument_is_refused(cli):
    done = cli("duel", "cubic", "--on", "namespaces:x")
    assert "namespaces:x: " in done.err


@pytest.fixture(scope="module")
def emulated():
    try:
        building.agent()
        return backend("namespaces:emulated")
    except KernelError as error:
        pytest.skip(str(error))


def test_an_emulated_network_is_that_of_the_file(emulated):
    one = point(
        dumbbell(
            [{"algorithm": "cubic", "rtt": "20ms"}, {"algorithm": "reno", "rtt": "30ms"}],
            rate="5mbit",
            queue={"kind": "fq_codel", "ecn": True},
            ecn=True,
            duration="1s",
            seed=7,
        )
    ).repeat(0)
    assert emulated.problems(one) == []
    outcome = emulated.run(json.dumps(one))
    assert outcome.message == ""
    unpacked = unpack(b"".join(outcome.pieces))
    first, second = unpacked.metrics["flows"]
    # 1448 of 1514 bytes of a frame are payload.
    assert 0 < (first["bytes_delivered"] + second["bytes_delivered"]) * 8 <= 5e6 * 1448 / 1514
    assert first["min_rtt_ms"] >= 20
    assert second["min_rtt_ms"] >= 30
    links = {link["name"]: link for link in unpacked.metrics["links"]}
    assert links["bottleneck"]["max_queue_delay_ms"] > 0
    # The kernel's hosts reacted to marks that the network wrote into their headers.
    assert links["bottleneck"]["marked_packets"] > 0
    assert first["marked_packets"] + second["marked_packets"] > 0
    assert links["bottleneck"]["dropped_packets"] == 0
    conditions = unpacked.metrics["conditions"]
    assert conditions["check"]["asked_mbps"] == pytest.approx(5 * 1500 / 1514)
    assert 1 <= conditions["attempts"] <= 3
    assert 0 < conditions["check"]["added_rtt_us"] < 1e6
    assert len(unpacked.table("link_series").filter(link="bottleneck")) == 10


@pytest.mark.parametrize("network", ["tc", "emulated"])
def test_a_disturbed_run_is_repeated_and_marked(network, request, monkeypatch):
    runner = request.getfixturevalue("namespaces" if network == "tc" else "emulated")
    monkeypatch.setattr(selfcheck, "LATE_US", -1.0)
    monkeypatch.setattr(namespaces_backend, "ATTEMPTS", 2)
    one = scenario(duration="100ms", rate="1mbit")
    outcome = runner.run(json.dumps({**one, "series_interval_ns": 100_000_000}))
    conditions = unpack(b"".join(outcome.pieces)).metrics["conditions"]
    assert conditions["attempts"] == 2
    assert any("us late" in line for line in conditions["disturbances"])


class WithSegmentation(Host):
    def offloads(self):
        return {"tso": 0, "gso": 1, "gro": 0}


def test_offloads_that_are_not_as_asked_are_seen(namespaces, monkeypatch):
    expected = lambda scenario: [WithSegmentation(one.end, one.n, one.flow) for one in hosts_of(scenario)]  # noqa: E731
    monkeypatch.setattr(tc_check, "hosts_of", expected)
    monkeypatch.setattr(namespaces_backend, "ATTEMPTS", 1)
    outcome = namespaces.run(json.dumps(scenario(duration="100ms")))
    conditions = unpack(b"".join(outcome.pieces)).metrics["conditions"]
    assert conditions["check"]["offload_differences"] == 2
    assert any("2 offloads" in line for line in conditions["disturbances"])


def test_a_slow_or_busy_machine_is_a_warning():
    check = {"rate_error": 0.0, "lateness_p99_us": 20.0, "added_rtt_us": 80.0, "idle_share": 0.4}
    assert selfcheck.warnings({"check": check}) == selfcheck.warnings({}) == []
    [slow] = selfcheck.warnings({"check": {**check, "added_rtt_us": 222.4}})
    assert "222 us" in slow
    [busy] = selfcheck.warnings({"check": {**check, "idle_share": 0.011}})
    assert " 1% " in busy


def test_limits_of_an_emulated_network_are_reported(emulated):
    one = scenario(rate="600mbit")
    assert str(emulated.problems(one)[0]).startswith("--on namespaces: rate: 600 Mbit/s")
    assert any("receiver.offload" in str(problem) for problem in emulated.problems(scenario(offload=True)))


def test_offloads_are_accepted_where_they_have_nothing_to_merge(emulated):
    """Frames of 1514 bytes are 25 us apart at 484 Mbit/s."""
    for rate, problems in (("480mbit", 0), ("490mbit", 1)):
        one = scenario(rate=rate, offload=True)
        for link in one["links"]:
            link.pop("burst_bytes", None)
        assert len(emulated.problems(one)) == problems
        one["links"][0]["jitter"] = {"max_ns": 1000}
        assert len(emulated.problems(one)) == 1


@pytest.mark.parametrize("network", ["tc", "emulated"])
def test_names_and_paths_are_neither_lines_nor_words_of_the_plan(namespaces, tmp_path, monkeypatch, network):
    """A link's name from an experiment file, and the paths of Python, caches and temporary folders."""
    if network == "emulated" and not machine.can_emulate():
        pytest.skip("networks cannot be emulated here")
    canary = tmp_path / "canary"
    odd = tmp_path / "it's a, $(touch canary)\n`touch canary`; ä"
    odd.mkdir()
    python = odd / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr("tempfile.tempdir", str(odd))
    monkeypatch.chdir(tmp_path)
    one = scenario(duration="300ms")
    name = f"a\nexecute - touch {canary}\nb"
    one["links"][0]["name"] = name
    one["flows"][0]["forward"] = [name]
    outcome = backend(f"namespaces:{network}").run(json.dumps(one))
    assert outcome.message == ""
    links = unpack(b"".join(outcome.pieces)).metrics["links"]
    assert links[0]["name"] == name
    assert links[0]["transmitted_bytes"] > 0
    assert not list(tmp_path.rglob("canary"))
