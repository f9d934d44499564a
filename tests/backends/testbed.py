"""Three hosts with an SSH server each, as network namespaces of this machine: a sender, a router and a receiver.

    sender 10.60.1.2 -- 10.60.1.1 router 10.60.2.1 -- 10.60.2.2 receiver

We reach them by 10.61.N.2, over cables of their own.
"""

import os
import re
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

HOSTS = ("sender", "router", "receiver")
PORT = 2222
CONFIGURATION = """
Port {port}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
PermitRootLogin yes
Subsystem sftp internal-sftp
"""


def lacking():
    """Why they cannot be made here; empty if they can."""
    if os.geteuid() != 0:
        return "network namespaces with SSH servers need root"
    absent = [one for one in ("sshd", "ssh-keygen", "iperf3", "ip", "tc", "ss", "ethtool") if not which(one)]
    return f"not installed: {', '.join(absent)}" if absent else ""


def which(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


@dataclass
class Testbed:
    folder: Path
    prefix: str
    servers: dict
    earlier: set
    """What was on the machine before it, and may go at any time."""

    @property
    def file(self):
        return self.folder / "hosts.toml"

    def run(self, host, *command):
        """A command on a host, without SSH."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.prefix + host, *command], capture_output=True, text=True, check=True
        )
        return done.stdout

    def state(self):
        """Everything about the hosts that a run may not change for good."""
        found = {}
        for host in HOSTS:
            queues = re.sub(r"direct_packets_stat \d+", "", self.run(host, "tc", "qdisc", "show"))
            kept = [queues, self.run(host, "ip", "-o", "link")]
            kept += [self.run(host, "ss", "-tlnH")]
            kept += [self.run(host, "ethtool", "-k", device) for device in ("left", "right") if device in kept[1]]
            found[host] = kept
        return {**found, "others": sorted(shared() - self.earlier)}

    def kill(self, host):
        """Its SSH server dies, with all of its connections, and the cable to it is cut."""
        self.run(host, "ip", "link", "set", "control", "down")
        self.servers[host].kill()

    def revive(self, host):
        self.servers[host].wait()
        self.run(host, "ip", "link", "set", "control", "up")
        self.serve(host)

    def serve(self, host):
        address = f"10.61.{HOSTS.index(host) + 1}.2"
        command = ["ip", "netns", "exec", self.prefix + host, which("sshd"), "-D", "-f", self.folder / "sshd_config"]
        with open(self.folder / f"{host}.log", "ab") as log:
            self.servers[host] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline_s = time.monotonic() + 20
        while time.monotonic() < deadline_s:
            try:
                socket.create_connection((address, PORT), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError((self.folder / f"{host}.log").read_text())

    def remove(self):
        for server in self.servers.values():
            server.kill()
            server.wait()
        for host in HOSTS:
            subprocess.run(["ip", "netns", "pids", self.prefix + host], capture_output=True)
            subprocess.run(["ip", "netns", "del", self.prefix + host], capture_output=True)


def shared():
    """Namespaces and temporary files of the whole machine."""
    lines = subprocess.run(["ip", "netns"], capture_output=True, text=True).stdout.splitlines()
    files = [path.name for path in Path("/tmp").glob("fairlane-*-*") if path.is_file()]
    return {line.split()[0] for line in lines} | set(files)


def create(folder):
    """Creates the hosts, and `hosts.toml` in the folder."""
    testbed = Testbed(folder, f"fl{os.getpid()}-", {}, shared())
    for name in ("host_key", "user_key", "other_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    (folder / "sshd_config").write_text(CONFIGURATION.format(port=PORT, folder=folder))
    Path("/run/sshd").mkdir(exist_ok=True)
    lines = []
    for index, host in enumerate(HOSTS, 1):
        space = testbed.prefix + host
        device = f"flc{os.getpid() % 100000}{index}"
        lines += [
            f"netns add {space}",
            f"link add {device} type veth peer name control netns {space}",
            f"address add 10.61.{index}.1/24 dev {device}",
            f"link set {device} up",
        ]
    cables = (("sender", "right", "router", "left"), ("router", "right", "receiver", "left"))
    for one, its, other, others in cables:
        lines.append(
            f"link add {its} netns {testbed.prefix + one} type veth peer name {others} netns {testbed.prefix + other}"
        )
    try:
        subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True, capture_output=True)
        for index, host in enumerate(HOSTS, 1):
            inside = [f"address add 10.61.{index}.2/24 dev control", "link set control up", "link set lo up"]
            inside += {
                "sender": [
                    "address add 10.60.1.2/24 dev right",
                    "link set right up",
                    "route add 10.60.2.0/24 via 10.60.1.1",
                ],
                "router": [
                    *("address add 10.60.1.1/24 dev left", "link set left up"),
                    *("address add 10.60.2.1/24 dev right", "link set right up"),
                ],
                "receiver": [
                    "address add 10.60.2.2/24 dev left",
                    "link set left up",
                    "route add 10.60.1.0/24 via 10.60.2.1",
                ],
            }[host]
            command = ["ip", "netns", "exec", testbed.prefix + host, "ip", "-batch", "-"]
            subprocess.run(command, input="\n".join(inside), text=True, check=True, capture_output=True)
        testbed.run("router", "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
        for host in HOSTS:
            testbed.serve(host)
        while any("NO-CARRIER" in testbed.run(host, "ip", "link") for host in HOSTS):
            time.sleep(0.02)  # both ends of a cable are up, but the kernel has not said so yet
    except BaseException:
        testbed.remove()
        raise
    key = " ".join((folder / "host_key.pub").read_text().split()[:2])
    known = "".join(f"[10.61.{index}.2]:{PORT} {key}\n" for index in range(1, 4))
    (folder / "known_hosts").write_text(known)
    addresses = {"sender": "10.60.1.2", "receiver": "10.60.2.2"}
    text = 'known_hosts = "known_hosts"\n'
    for index, host in enumerate(HOSTS, 1):
        text += f'\n[hosts.{host}]\nrole = "{host}"\nssh = "root@10.61.{index}.2:{PORT}"\nkey = "{folder}/user_key"\n'
        text += f'address = "{addresses[host]}"\n' if host in addresses else ""
    testbed.file.write_text(text)
    return testbed
