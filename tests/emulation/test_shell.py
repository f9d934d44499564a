"""Programs behind a link. Skipped, with the reason, where hosts cannot be created.

They run in real time, so only facts independent of the machine's load are asserted.
"""

import contextlib
import csv
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fairlane.runs.emulation import selfcheck
from fairlane.show.text.link_samples import live_line

MASKED = "--mount sh -c 'mount -t tmpfs none /proc/tty && mount --bind /dev/null /proc/timer_list && exec \"$@\"' sh"
"""The beginning of a command that sees /proc as in a container, so that nobody can mount another one."""
FAIRLANE = [sys.executable, "-m", "fairlane", "shell"]
SERVER = """
import socket, sys
listener = socket.create_server(("", 7000))
while True:
    connection, _ = listener.accept()
    while data := connection.recv(65536):
        if data.endswith(b"."):
            connection.sendall(bytes(int(sys.argv[1])) + b".")
    connection.close()
"""
CLIENT = """
import socket, sys, time
connection = socket.create_connection(("far", 7000))
begin = time.monotonic()
connection.sendall(bytes(int(sys.argv[1])) + b".")
while not connection.recv(65536).endswith(b"."):
    pass
print(time.monotonic() - begin)
"""


@pytest.fixture(scope="module", autouse=True)
def _can_create_hosts():
    done = subprocess.run([*FAIRLANE, "--no-check", "--", "true"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(done.stderr.strip())


@pytest.fixture
def programs(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "client.py").write_text(CLIENT)
    return tmp_path


def shell(programs, *options, sent=0, answered=0):
    """Runs the two programs; returns the seconds from the request to the answer's end, and the report."""
    report = programs / "report.json"
    far = f"{sys.executable} {programs}/server.py {answered}"
    command = [*FAIRLANE, "--no-check", "--json", str(report), "--far", far, *options, "--"]
    done = subprocess.run([*command, sys.executable, str(programs / "client.py"), str(sent)], capture_output=True)
    assert done.returncode == 0, done.stderr
    return float(done.stdout), json.loads(report.read_text())


def test_a_request_takes_a_round_trip(programs):
    took_s, report = shell(programs, "--rtt", "50ms")
    assert took_s >= 0.05
    assert report["missing"] == report["unwritten"] == report["device_drops"] == 0


def test_each_direction_has_its_rate(programs):
    took_s, report = shell(
        programs,
        *("--rate", "4mbit", "--up-rate", "1mbit", "--rtt", "2ms", "--buffer", "100p"),
        sent=50_000,
        answered=100_000,
    )
    # Both with the headers of their packets, one after the other.
    assert took_s >= 50_000 * 8 / 1e6 + 100_000 * 8 / 4e6
    up, down = report["links"]
    assert (up["name"], down["name"]) == ("up", "down")
    assert up["transmitted_bytes"] > 50_000
    assert down["transmitted_bytes"] > 100_000


def test_queues_and_losses_are_those_of_the_simulator(programs):
    _, report = shell(
        programs, "--rate", "2mbit", "--rtt", "10ms", "--loss", "3%", "--queue", "fq_codel:limit=5p", answered=150_000
    )
    down = report["links"][1]
    assert down["lost_packets"] > 0
    assert down["dropped_packets"] > 0
    assert down["max_queue_bytes"] <= 5 * 1514


def test_the_log_has_every_link_at_every_interval(programs):
    shell(programs, "--rtt", "100ms", "--interval", "20ms", "--log", str(programs / "log.csv"))
    rows = list(csv.DictReader((programs / "log.csv").read_text().splitlines()))
    assert [row["link"] for row in rows[:4]] == ["up", "down", "up", "down"]
    assert [float(row["t_s"]) for row in rows[:8:2]] == [0.02, 0.04, 0.06, 0.08]


def test_the_status_is_that_of_the_program():
    command = [*FAIRLANE, "--no-check", "--"]
    assert subprocess.run([*command, "sh", "-c", "exit 7"], capture_output=True).returncode == 7
    assert subprocess.run([*command, "sh", "-c", "kill -9 $$"], capture_output=True).returncode == 137


def test_errors_take_one_line():
    for options, line in [
        (["--", "there-is-no-such-program"], "fairlane: there is no program there-is-no-such-program"),
        (["--far", "exit 3", "--", "true"], "fairlane: --far: 'exit 3' ended at once, with status 3"),
        (["--rate", "1gbit", "--", "true"], "at most 500mbit"),
    ]:
        done = subprocess.run([*FAIRLANE, "--no-check", *options], capture_output=True, text=True)
        assert done.returncode != 0
        assert line in done.stderr
        assert done.stderr.count("\n") == 1


def test_ctrl_c_is_for_the_program(tmp_path):
    code = "import signal, sys, time; signal.signal(2, lambda *_: sys.exit(5)); print('up', flush=True); time.sleep(60)"
    command = [*FAIRLANE, "--no-check", "--", sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout.readline() == b"up\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait() == 5


def test_a_killed_command_leaves_nothing(tmp_path):
    """Programs that left their session and their parents end, too."""
    mark = f"{tmp_path}/mark"
    serve = "import socket, time; kept = socket.create_server((str(), 1)); time.sleep(99)"
    far = f"setsid {sys.executable} -c '{serve}' {mark} & wait"
    code = "print('up', flush=True); import time; time.sleep(99)"
    command = [*FAIRLANE, "--no-check", "--far", far, "--", sys.executable, "-c", code, mark]
    (place := tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout.readline() == b"up\n"
        assert len(processes_with(mark)) >= 2
        process.kill()
        process.wait()
        while processes_with(mark):  # the test's own time-out ends a wait that has no end
            time.sleep(0.02)
    assert [path.name.startswith("fairlane-shell-") for path in place.iterdir()] == [True]
    subprocess.run([*FAIRLANE, "--no-check", "--", "true"], check=True, capture_output=True, env=environment)
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_at_any_moment_leaves_nothing(tmp_path, name):
    """From the time at which there is something to leave; before, Python itself may be interrupted."""
    moments = random.Random(name)
    command = [*FAIRLANE, "--far", "sleep 60", "--", "sleep", "60"]
    for number in range(4):
        (place := tmp_path / f"tmp{number}").mkdir()
        environment = {**os.environ, "TMPDIR": str(place)}
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
        ) as process:
            while not list(place.iterdir()):
                time.sleep(0.001)
            time.sleep(moments.uniform(0, 1.5))
            os.killpg(process.pid, getattr(signal, name))
            said = process.communicate()[1]
        assert process.returncode == {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}[name]
        assert "Traceback" not in said
        assert list(place.iterdir()) == []
        while with_environment(str(place)):  # the test's own time-out ends a wait that has no end
            time.sleep(0.02)


def with_environment(word):
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            found += [path] if word.encode() in path.read_bytes() else []
    return found


@pytest.mark.parametrize(
    "wrapper",
    [
        "",
        "unshare --user --map-root-user",
        "setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin",
        f"unshare --user --map-root-user {MASKED}",
    ],
    ids=["plain", "root of a user namespace", "root of a container", "with a masked /proc"],
)
def test_a_shell_in_a_shell(tmp_path, wrapper):
    """The inner program reaches the inner far host."""
    wrapped = shlex.split(wrapper)
    if wrapped and (os.geteuid() != 0 or subprocess.run([*wrapped, "true"], capture_output=True).returncode):
        pytest.skip("this needs root, and that it may create namespaces")
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "client.py").write_text(CLIENT)
    far = ["--far", f"{sys.executable} {tmp_path}/server.py 1"]
    inner = [*FAIRLANE, "--no-check", "--rtt", "20ms", *far, "--", sys.executable, tmp_path / "client.py", "1"]
    done = subprocess.run([*wrapped, *FAIRLANE, "--no-check", "--", *inner], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 0.02


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('echo 0 > /proc/sys/user/max_net_namespaces && exec "$@"', "raise the limits in /proc/sys/user"),
        # Nobody may create a user namespace in a changed root.
        ('mount --rbind / "$0" && exec chroot "$0" "$@"', "CAP_SYS_ADMIN"),
    ],
)
def test_root_that_may_not_do_it_is_not_told_to_become_root(tmp_path, script, words):
    apart = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, tmp_path]
    if os.geteuid() != 0 or subprocess.run([*apart, "true"], capture_output=True).returncode:
        pytest.skip("this needs root, and that it may create namespaces")
    command = ["setpriv", "--bounding-set=-sys_admin", *FAIRLANE, "--", "true"]
    done = subprocess.run([*apart, *command], capture_output=True, text=True)
    assert done.returncode == 1
    assert words in done.stderr
    assert "run it as root" not in done.stderr


def processes_with(mark):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in b" ".join(words) and b"shell" not in words:
            found.append(path)
    return found


def test_the_line_shows_drops_and_marks_only_where_there_are_some():
    quiet = {
        "throughput_mbps": 1.0,
        "queue_bytes": 0,
        "queue_delay_ms": None,
        "dropped_packets": 0,
        "marked_packets": 0,
    }
    busy = {**quiet, "queue_bytes": 30_000, "queue_delay_ms": 12.0, "dropped_packets": 3, "marked_packets": 1}
    line = live_line({"t_s": 0.5, "links": {"up": quiet, "down": busy}})
    assert line == "0.5 s  up 1.0 Mbit/s, queue 0 kB; down 1.0 Mbit/s, queue 30 kB, 12.0 ms, 3 dropped, 1 marked"


def test_the_rate_to_check_is_that_of_the_fastest_bottleneck():
    links = [{"name": "access", "rate_bps": 90}, {"name": "slow", "rate_bps": 10, "changes": [{"rate_bps": 30}]}]
    flows = [{"forward": ["access", "slow"]}]
    assert selfcheck.fastest_bps({"links": links, "flows": flows}) == 30
    assert selfcheck.fastest_bps({"links": links, "flows": [*flows, {"forward": ["access"]}]}) == 90
    # Three packets of 1500 bytes in 3 ms.
    trace = [{"name": "trace", "trace_ms": [1, 2, 3]}]
    assert selfcheck.fastest_bps({"links": trace, "flows": [{"forward": ["trace"]}]}) == 12_000_000
