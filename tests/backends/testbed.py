"""Three hosts with an SSH server each, as network namespaces of this machine: a sender, a router and a receiver.

    sender 10.60.1.2 -- 10.60.1.1 router 10.60.2.1 -- 10.60.2.2 receiver

We reach them by 10.BLOCK.N.2, over cables of their own. These addresses belong to the machine, so each testbed has a
block of its own: the first from 61 on that no process holds and no device has.
"""

import fcntl
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HOSTS = ("sender", "router", "receiver")
PORT = 2222
BLOCKS = range(61, 77)
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
    """Resources that were on the machine before, and may disappear at any time."""
    block: int
    """The second number of its addresses on this machine."""
    lock: object
    """The open file that holds the block; the kernel closes it if this process is killed."""

    @property
    def file(self):
        return self.folder / "hosts.toml"

    def address(self, host):
        """Address of its SSH server."""
        return f"10.{self.block}.{HOSTS.index(host) + 1}.2"

    def run(self, host, *command):
        """A command on a host, without SSH."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.prefix + host, *command], capture_output=True, text=True, check=True
        )
        return done.stdout

    def state(self):
        """State of the hosts that a run must restore."""
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
        address = self.address(host)
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
        self.lock.close()


def shared():
    """Namespaces and temporary files of the whole machine."""
    lines = subprocess.run(["ip", "netns"], capture_output=True, text=True).stdout.splitlines()
    files = [path.name for path in Path("/tmp").glob("fairlane-*-*") if path.is_file()]
    return {line.split()[0] for line in lines} | set(files)


def free_block():
    """An unused block of addresses, and the file that locks it.

    Raises RuntimeError, which names the holders.
    """
    devices = subprocess.run(["ip", "-o", "-4", "address"], capture_output=True, text=True, check=True).stdout
    taken = {}
    for block in BLOCKS:
        lock = open(Path(tempfile.gettempdir()) / f"fairlane.testbed-{block}.lock", "a+")  # noqa: SIM115 the testbed keeps it open
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            taken[block] = f"process {lock.read().strip()}"
        else:
            device = re.search(rf"^\d+: (\S+) +inet 10\.{block}\.", devices, re.MULTILINE)
            if device is None:
                lock.truncate(0)
                lock.write(str(os.getpid()))
                lock.flush()
                return block, lock
            taken[block] = f"device {device[1]}"
        lock.close()
    raise RuntimeError(
        "all addresses of testbeds are held: " + ", ".join(f"10.{block} by {one}" for block, one in taken.items())
    )


def create(folder):
    """Creates the hosts, and `hosts.toml` in the folder."""
    block, lock = free_block()
    testbed = Testbed(folder, f"fl{os.getpid()}-{block}-", {}, shared(), block, lock)
    for name in ("host_key", "user_key", "other_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    (folder / "sshd_config").write_text(CONFIGURATION.format(port=PORT, folder=folder))
    Path("/run/sshd").mkdir(exist_ok=True)
    lines = []
    for index, host in enumerate(HOSTS, 1):
        space = testbed.prefix + host
        device = f"flc{block}-{index}"
        lines += [
            f"netns add {space}",
            f"link add {device} type veth peer name control netns {space}",
            f"address add 10.{block}.{index}.1/24 dev {device}",
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
            inside = [f"address add 10.{block}.{index}.2/24 dev control", "link set control up", "link set lo up"]
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
    known = "".join(f"[10.{block}.{index}.2]:{PORT} {key}\n" for index in range(1, 4))
    (folder / "known_hosts").write_text(known)
    addresses = {"sender": "10.60.1.2", "receiver": "10.60.2.2"}
    text = 'known_hosts = "known_hosts"\n'
    for index, host in enumerate(HOSTS, 1):
        text += (
            f'\n[hosts.{host}]\nrole = "{host}"\nssh = "root@10.{block}.{index}.2:{PORT}"\nkey = "{folder}/user_key"\n'
        )
        text += f'address = "{addresses[host]}"\n' if host in addresses else ""
    testbed.file.write_text(text)
    return testbed
