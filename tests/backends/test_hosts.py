"""Machines over SSH: three namespaces with an SSH server each. Skipped, with the reason, where they cannot be made.

They run in real time, so only facts independent of the machine's load are asserted.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fairlane.algorithm.kernel import KernelError
from fairlane.engine.result_bytes import unpack
from fairlane.runs.backends import backend
from fairlane.runs.backends.hosts import backend as module
from fairlane.runs.backends.hosts import changes
from fairlane.runs.backends.hosts.changes import Journal
from fairlane.runs.backends.hosts.testbeds import read
from fairlane.scenario.requests import dumbbell, point

sys.path.insert(0, str(Path(__file__).parent))
import testbed as beds

asyncssh = pytest.importorskip("asyncssh", reason="hosts over SSH need asyncssh")


@pytest.fixture(scope="module")
def testbed(tmp_path_factory):
    if reason := beds.lacking():
        pytest.skip(reason)
    try:
        made = beds.create(tmp_path_factory.mktemp("testbed"))
    except (OSError, subprocess.CalledProcessError, RuntimeError) as error:
        pytest.skip(f"no testbed can be made here: {error}")
    yield made
    made.remove()


@pytest.fixture(scope="module")
def hosts(testbed):
    module.open_backend.cache_clear()
    return backend(str(testbed.file))


def scenario(algorithms=("cubic",), duration="1s", **changes):
    """One link without delay, which a kernel without netem supports."""
    flows = [{"algorithm": algorithm, "rtt": "40ms"} for algorithm in algorithms]
    wanted = {"rate": "10mbit", "queue": "fifo", "buffer": "60kB", "duration": duration, "seed": 7, **changes}
    one = point(dumbbell(flows, **wanted)).repeat(0)
    for link in one["links"]:
        link["delay_ns"] = 0
    return one


def test_a_run_is_as_physics_allows_and_everything_is_as_before(testbed, hosts):
    before = testbed.state()
    has_bbr = "bbr" in hosts.abilities.algorithms
    one = scenario(["cubic", "bbr" if has_bbr else "reno"], duration="2s")
    outcome = hosts.run(json.dumps(one))
    assert outcome.message == ""
    result = unpack(b"".join(outcome.pieces))
    for flow in result.metrics["flows"]:
        # 1448 of 1514 bytes of a frame are payload; data queued when the flow began may come in addition.
        assert 0 < flow["bytes_delivered"] * 8 <= 2 * 10e6 * 1448 / 1514 + 60_000 * 8
        assert flow["data_packets_sent"] > 10
        assert 0 < flow["mean_rtt_ms"] < 60
    assert result.metrics["links"][0]["max_queue_bytes"] <= 60_000
    rows = result.table("flow_series")
    assert rows.height >= 20
    assert ("bbr_bandwidth_mbps" in rows.columns) == has_bbr
    if has_bbr:
        assert rows.filter(flow=0)["bbr_bandwidth_mbps"].null_count() == rows.filter(flow=0).height
        known = rows.filter(flow=1).drop_nulls("bbr_bandwidth_mbps")
        assert known.height > 5
        assert 0 < known["bbr_bandwidth_mbps"][-1] < 200
        assert 0 < known["bbr_min_rtt_ms"][-1] < 200
        # BBR's gains: 2/ln 2 in Startup and Drain, 2 in ProbeBW, 1 in ProbeRTT.
        assert {round(gain, 2) for gain in known["bbr_cwnd_gain"].to_list()} <= {1.0, 2.0, 2.89}
    assert testbed.state() == before


def test_a_congestion_control_of_ours_is_there_for_its_run_only(testbed, hosts):
    if not hosts.abilities.takes_programs:
        pytest.skip("this kernel does not take back programs")
    before = testbed.run("sender", "cat", "/proc/sys/net/ipv4/tcp_available_congestion_control")
    outcome = hosts.run(json.dumps(scenario(["copa"])))
    if "clang" in outcome.message or "libbpf" in outcome.message:
        pytest.skip(outcome.message)
    assert outcome.message == ""
    assert unpack(b"".join(outcome.pieces)).metrics["flows"][0]["bytes_delivered"] > 0
    wait_until(lambda: testbed.run("sender", "cat", "/proc/sys/net/ipv4/tcp_available_congestion_control") == before)


def test_earlier_configuration_is_restored(testbed, hosts):
    testbed.run("router", "tc", "qdisc", "add", "dev", "right", "root", "handle", "77:", "pfifo", "limit", "123")
    try:
        before = testbed.state()
        assert hosts.run(json.dumps(scenario())).message == ""
        assert testbed.state() == before
    finally:
        testbed.run("router", "tc", "qdisc", "del", "dev", "right", "root")


def test_unrestorable_configuration_is_not_changed(testbed, hosts):
    testbed.run("router", "tc", "qdisc", "add", "dev", "right", "root", "handle", "1:", "htb")
    testbed.run(
        "router", "tc", "class", "add", "dev", "right", "parent", "1:", "classid", "1:5", "htb", "rate", "1mbit"
    )
    testbed.run("router", "tc", "qdisc", "add", "dev", "right", "parent", "1:5", "handle", "5:", "pfifo")
    try:
        before = testbed.state()
        assert hosts.run(json.dumps(scenario())).message.startswith("router: right")
        assert testbed.state() == before
    finally:
        testbed.run("router", "tc", "qdisc", "del", "dev", "right", "root")


def test_a_killed_process_is_cleaned_up_after_at_the_next_start(testbed, hosts):
    before = testbed.state()
    code = "import sys; from fairlane.runs.backends import backend; backend(sys.argv[1]).run(sys.argv[2])"
    command = [sys.executable, "-c", code, str(testbed.file), json.dumps(scenario(duration="60s"))]
    process = subprocess.Popen(command)
    wait_until(lambda: "tbf" in testbed.run("router", "tc", "qdisc", "show") or process.poll() is not None)
    assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not testbed.run("sender", "ss", "-tnH", "dport", "=", ":5201"))
    assert hosts.run(json.dumps(scenario())).message == ""
    assert testbed.state() == before
    assert not [path for path in Journal(hosts.testbed).paths.values() if path.exists()]


def test_a_second_testbed_has_other_addresses_and_both_work(testbed, hosts, tmp_path):
    before = testbed.state()
    other = beds.create(tmp_path)
    try:
        assert other.block != testbed.block
        outcomes = [one.run(json.dumps(scenario())) for one in (hosts, backend(str(other.file)))]
        assert [one.message for one in outcomes] == ["", ""]
    finally:
        other.remove()
    assert testbed.state() == before


def test_a_testbed_without_free_addresses_names_their_holders(testbed, monkeypatch):
    monkeypatch.setattr(beds, "BLOCKS", [testbed.block])
    with pytest.raises(RuntimeError, match=f"held: 10.{testbed.block} by process {os.getpid()}$"):
        beds.free_block()
    testbed.lock.close()  # as if its process had been killed: the addresses are still there
    with pytest.raises(RuntimeError, match=f"held: 10.{testbed.block} by device flc{testbed.block}-1$"):
        beds.free_block()


def test_testbeds_that_share_a_host_take_turns_and_clean_up_after_each_other(tmp_path, monkeypatch):
    """No host is asked."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    host = '[hosts.{0}]\nrole = "{1}"\nssh = "{0}.example.org{2}"\naddress = "10.0.0.1"\n'
    common = host.format("middle", "router", ":22")
    one, other = tmp_path / "one.toml", tmp_path / "other.toml"
    one.write_text(common + host.format("a", "sender", "") + host.format("b", "receiver", ""))
    other.write_text(
        common.replace("hosts.middle", "hosts.hub").replace(":22", "")
        + host.format("c", "sender", "")
        + host.format("d", "receiver", "")
    )
    journal = Journal(read(str(one)))
    journal.note("middle", "command", ["true"])
    journal.note("a", "command", ["true"])
    left = Journal(read(str(other)))
    assert left.entries == [{"host": "hub", "kind": "command", "words": ["true"]}]
    entered = []
    with changes.alone(read(str(one))):
        waiting = threading.Thread(target=lambda: entered.append(changes.alone(read(str(other))).__enter__()))
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
    waiting.join(20)
    assert entered == [None]


def test_a_host_that_goes_away_costs_its_run_and_the_next_one_goes_on(testbed, hosts, monkeypatch):
    monkeypatch.setattr("fairlane.runs.backends.hosts.connection.ALIVE_S", 0.2)
    monkeypatch.setattr("fairlane.runs.backends.hosts.connection.CONNECT_S", 5)
    before = testbed.state()

    def kill():
        wait_until(lambda: "tbf" in testbed.run("router", "tc", "qdisc", "show"))
        testbed.kill("receiver")

    killer = threading.Thread(target=kill)
    killer.start()
    outcome = hosts.run(json.dumps(scenario(duration="20s")))
    killer.join()
    try:
        assert outcome.pieces is None
        assert outcome.message.startswith(f"receiver ({testbed.address('receiver')}): the connection is lost")
        assert (
            f"receiver ({testbed.address('receiver')}:2222): cannot be reached"
            in hosts.run(json.dumps(scenario())).message
        )
    finally:
        testbed.revive("receiver")
    assert hosts.run(json.dumps(scenario())).message == ""
    # Its servers of the lost run end by themselves, later.
    assert {**testbed.state(), "receiver": 0} == {**before, "receiver": 0}


def test_a_host_whose_key_is_not_known_is_refused(testbed, tmp_path):
    (tmp_path / "known_hosts").write_text("")
    (tmp_path / "hosts.toml").write_text(testbed.file.read_text())
    with pytest.raises(KernelError, match="known_hosts"):
        backend(str(tmp_path / "hosts.toml"))


def test_a_key_that_a_host_does_not_accept_is_named(testbed, tmp_path):
    shutil.copy(testbed.folder / "known_hosts", tmp_path)
    text = testbed.file.read_text().replace("/user_key", "/other_key")
    (tmp_path / "hosts.toml").write_text(text)
    with pytest.raises(KernelError, match="ssh-copy-id"):
        backend(str(tmp_path / "hosts.toml"))


def test_the_cable_of_ssh_is_never_shaped(testbed, hosts):
    testbed.run("sender", "ip", "route", "replace", "10.60.2.0/24", "via", f"10.{testbed.block}.1.1", "dev", "control")
    try:
        before = testbed.state()
        message = hosts.run(json.dumps(scenario())).message
        assert message.startswith("sender: control leads to 10.60.2.2 ")
        assert testbed.state() == before
    finally:
        testbed.run("sender", "ip", "route", "replace", "10.60.2.0/24", "via", "10.60.1.1", "dev", "right")


def test_a_host_without_a_route_is_named(testbed, hosts):
    testbed.run("sender", "ip", "route", "del", "10.60.2.0/24")
    try:
        message = hosts.run(json.dumps(scenario())).message
        assert message.startswith("sender: has no route to 10.60.2.2 ")
    finally:
        testbed.run("sender", "ip", "route", "replace", "10.60.2.0/24", "via", "10.60.1.1", "dev", "right")


def test_unsupported_settings_are_reported_before_a_run(hosts):
    one = scenario(loss={"kind": "independent", "probability": "1%"})
    assert any("links.bottleneck.loss: " in str(problem) for problem in hosts.problems(one))
    assert hosts.problems(scenario()) == []


def test_a_duel_and_an_experiment_on_hosts(testbed, hosts, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert hosts.abilities.name.startswith(str(testbed.file))
    needs_netem = "netem" not in hosts.abilities.queues
    done = cli("duel", "cubic", "--rate", "10mbit", "--time", "1s", "--json", "--on", testbed.file)
    assert ("netem" in done.err) if needs_netem else json.loads(done.out)["flows"]
    (tmp_path / "small.toml").write_text(
        'duration = "1s"\nflows = [{ algorithm = "cubic", forward = ["up"], reverse = ["back"] }]\n'
        '[network]\ntopology = "links"\n'
        'links = [{ name = "up", rate = "10mbit", buffer = "60kB" }, { name = "back" }]\n'
    )
    done = cli("run", "small.toml", "--on", testbed.file)
    assert done.out.startswith("small: 1 run (1 computed)"), done.err
    assert "1 already stored" in cli("run", "small.toml", "--on", testbed.file).out


def wait_until(condition):
    """pytest's timeout ends an unbounded wait."""
    while not condition():
        time.sleep(0.05)


def test_names_of_the_testbed_are_checked(tmp_path):
    """No host is asked."""
    path = tmp_path / "hosts.toml"
    host = '[hosts.{0}]\nrole = "{0}"\nssh = "{0}.example.org"\naddress = "10.0.0.1"\n'
    for text, words in (
        ("", "hosts: Field required"),
        ("[hosts.a]\nrole = 'hub'\nssh = 'a'\n", "hosts.a.role: Input should be 'sender', 'router' or 'receiver'"),
        ("[hosts.a]\nrole = 'sender'\nssh = 'a'\n", "hosts.a: a sender needs `address`"),
        ("[hosts.a]\nrole = 'sender'\nssh = '-oProxy'\naddress = '10.0.0.1'\n", "hosts.a.ssh: '-oProxy' is not USER@"),
        ("[hosts.a]\nrole = 'sender'\nssh = '-oProxy@a'\naddress = '10.0.0.1'\n", "hosts.a.ssh: '-oProxy@a' is not"),
        ("[hosts.a]\nrole = 'sender'\nssh = 'a:99999'\naddress = '10.0.0.1'\n", "hosts.a.ssh: '99999' is not a port"),
        ("[hosts.a]\nrole = 'sender'\nssh = 'a'\njump = 'b:0'\naddress = '10.0.0.1'\n", "a.jump: '0' is not a port"),
        (host.format("sender") + host.format("router"), "there is no receiver; give one host the role 'receiver'"),
        (host.format("sender").replace("10.0.0.1", "ten") + host.format("router") + host.format("receiver"),
         "hosts.sender.address: 'ten' is not an IPv4 address"),
    ):  # fmt: skip
        path.write_text(text)
        with pytest.raises(KernelError) as error:
            read(str(path))
        assert words in str(error.value)
    path.write_text("".join(map(host.format, ("sender", "router", "receiver"))))
    assert [one.host for one in read(str(path)).hosts] == [f"{role}.example.org" for role in beds.HOSTS]


INI = """
[senders]
left ansible_host=198.51.100.2 ansible_user=me fairlane_address=10.0.0.2
[routers]
middle ansible_port=2200
[receivers]
right fairlane_address=10.0.1.2
[all:vars]
ansible_become = true
"""
YAML = """
senders: {hosts: {left: {ansible_host: 198.51.100.2, ansible_user: me, fairlane_address: 10.0.0.2}}}
routers: {hosts: {middle: {ansible_port: 2200}}}
receivers: {hosts: {right: {fairlane_address: 10.0.1.2}}}
all: {vars: {ansible_become: true}}
"""
LIST = {
    "_meta": {
        "hostvars": {
            "left": {
                "ansible_host": "198.51.100.2",
                "ansible_user": "me",
                "fairlane_address": "10.0.0.2",
                "ansible_become": True,
            },
            "middle": {"ansible_port": 2200, "ansible_become": True},
            "right": {"fairlane_address": "10.0.1.2", "ansible_become": True},
        }
    },
    "senders": {"hosts": ["left"]},
    "routers": {"hosts": ["middle"]},
    "receivers": {"hosts": ["right"]},
}


@pytest.mark.parametrize(
    ("name", "text"), [("inventory.ini", INI), ("inventory.yml", YAML), ("inventory.json", json.dumps(LIST))]
)
def test_an_inventory_of_ansible(tmp_path, name, text):
    if name.endswith(".yml"):
        pytest.importorskip("yaml", reason="an inventory in YAML needs PyYAML")
    (tmp_path / name).write_text(text)
    left, middle, right = read(os.fspath(tmp_path / name)).hosts
    assert (left.role, left.host, left.user, left.address, left.sudo) == (
        *("sender", "198.51.100.2", "me", "10.0.0.2"),
        True,
    )
    assert (middle.role, middle.host, middle.port, middle.address) == ("router", "middle", 2200, None)
    assert (right.role, right.address) == ("receiver", "10.0.1.2")


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("ansible_port=99999", "left: ansible_port: '99999' is not a port, a number from 1 to 65535"),
        ("ansible_port=ssh", "left: ansible_port: 'ssh' is not a port"),
        ("ansible_host=-oProxyCommand=x", "hosts.left: '-oProxyCommand=x' cannot be the name of a host"),
        ("ansible_host='a;touch canary'", "hosts.left: 'a;touch canary' cannot be the name of a host"),
        ("ansible_host='$(touch canary)'", "hosts.left: '$(touch canary)' cannot be the name of a host"),
        ("ansible_user=-lroot", "hosts.left: '-lroot' cannot be the name of a user"),
        ("ansible_user='a`b`'", "hosts.left: 'a`b`' cannot be the name of a user"),
    ],
)
def test_names_of_an_inventory_are_neither_options_nor_commands(tmp_path, variable, words):
    """A ProxyCommand of the user's SSH configuration has them in a shell's line."""
    path = tmp_path / "inventory.ini"
    path.write_text(INI.replace("ansible_host=198.51.100.2 ansible_user=me", variable))
    with pytest.raises(KernelError) as error:
        read(str(path))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_slice_of_fabric(monkeypatch):
    """By a stand-in for fabrictestbed-extensions with the methods that are used."""
    import types

    class Interface:
        def __init__(self, address):
            self.get_ip_addr = lambda: address

    class Node:
        def __init__(self, name, address):
            self.get_name = lambda: name
            self.get_management_ip = lambda: f"2001:db8::{len(name)}"
            self.get_username = lambda: "debian"
            self.get_interfaces = lambda: [Interface(None), Interface(address)]

    class FablibManager:
        get_bastion_username = staticmethod(lambda: "me_0001")
        get_bastion_host = staticmethod(lambda: "bastion.example.org")
        get_default_slice_private_key_file = staticmethod(lambda: "/keys/slice")
        get_bastion_key_location = staticmethod(lambda: "/keys/bastion")

        def get_slice(self, name):
            assert name == "mine"
            nodes = [Node("Sender1", "10.1.1.2"), Node("router", "10.1.1.1"), Node("receiver-1", "10.1.2.2")]
            return types.SimpleNamespace(get_nodes=lambda: [*nodes, Node("monitor", "10.1.3.2")])

    with pytest.raises(KernelError, match="pip install fabrictestbed-extensions"):
        read("fabric:mine")
    fablib = types.ModuleType("fabrictestbed_extensions.fablib.fablib")
    fablib.FablibManager = FablibManager
    for name in ("fabrictestbed_extensions", "fabrictestbed_extensions.fablib"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, fablib.__name__, fablib)
    sender, router, receiver = read("fabric:mine").hosts
    assert (sender.role, sender.address, sender.jump) == ("sender", "10.1.1.2", "me_0001@bastion.example.org")
    assert (router.role, router.address, router.sudo) == ("router", None, True)
    assert (receiver.key, receiver.jump_key) == ("/keys/slice", "/keys/bastion")
