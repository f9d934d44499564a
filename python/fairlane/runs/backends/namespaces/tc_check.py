"""Whether the kernel makes a link as it should, before a run on a network that is made by tc.

An agent makes two hosts, and between them the bottleneck of the scenario with a long queue and the delays of the path;
`fairlane.runs.emulation.linkcheck` measures there.
"""

import json
from dataclasses import asdict

from fairlane.engine.declarations import complete
from fairlane.engine.types import FlowConfig, LinkConfig, Scenario
from fairlane.runs import interpreter
from fairlane.runs.backends.linux import tc
from fairlane.runs.backends.linux.host import hosts_of
from fairlane.runs.backends.linux.plan import Plan, file, launcher, plan
from fairlane.runs.backends.namespaces import machine
from fairlane.runs.emulation import probes, selfcheck
from fairlane.runs.emulation.linkcheck import LinkCheck
from fairlane.scenario.stations import largest_rate_bps

FOUND = "check"
"""The file in the run's folder with the measurements."""
_ASKED = "./check.json"
_BUFFER_NS = 100_000_000
"""Length of the queue, as time at the link's rate."""


def check_plan(scenario: Scenario, duration_ns: int) -> Plan:
    """The plan that measures the bottleneck of a scenario for this long."""
    tested: Scenario = {**_network(scenario), "duration_ns": duration_ns}
    script, python = launcher("./python", *interpreter.module("fairlane.runs.emulation.linkcheck"))
    before = script + file(_ASKED, json.dumps(asdict(_link_check(tested, duration_ns))).encode())
    last = [f"execute s0 {python} {_ASKED}"]
    return plan(tested, {}, before=before, seed=False, has=machine.has_setting, folder=".", instead=last)


def _network(scenario: Scenario) -> Scenario:
    """A network of one flow, whose link has the rate, bucket, frames and delay of the scenario's bottleneck."""
    links = {link["name"]: link for link in scenario.get("links", [])}
    rate_bps = selfcheck.fastest_bps(scenario, otherwise_bps=0)
    fitting = [link for link in links.values() if rate_bps and largest_rate_bps(link) == rate_bps]
    first: LinkConfig = fitting[0] if fitting else {}
    flow = next((one for one in scenario["flows"] if first.get("name") in one["forward"]), scenario["flows"][0])
    delays = [sum(links[name].get("delay_ns", 0) for name in path) for path in (flow["forward"], flow["reverse"])]
    there: LinkConfig = {"name": "there", "delay_ns": delays[0]}
    if "burst_bytes" in first:
        there["burst_bytes"] = first["burst_bytes"]
    if "overhead_bytes" in first:
        there["overhead_bytes"] = first["overhead_bytes"]
    if rate_bps:
        limit_bytes = max(rate_bps * _BUFFER_NS // 8_000_000_000, 10 * complete("FlowConfig", flow)["mtu"])
        there |= {"rate_bps": rate_bps, "queue": {"kind": "fifo", "limit_bytes": limit_bytes}}
    tested: FlowConfig = {"algorithm": "reno", "forward": ["there"], "reverse": ["back"]}
    if "mtu" in flow:
        tested["mtu"] = flow["mtu"]
    tested |= {"sender": flow.get("sender", {}), "receiver": flow.get("receiver", {})}
    return {"seed": 1, "links": [there, {"name": "back", "delay_ns": delays[1]}], "flows": [tested]}


def _link_check(tested: Scenario, duration_ns: int) -> LinkCheck:
    (there, back), (sender, receiver) = tested["links"], hosts_of(tested)
    rate_bps, mtu_bytes = there.get("rate_bps", 0), sender.mtu_bytes
    frame_bytes = mtu_bytes + tc.ETHERNET_BYTES + tc.overhead_bytes(there)
    ahead_bytes = there["queue"]["limit_bytes"] + tc.burst_bytes(there, rate_bps, mtu_bytes) if rate_bps else 0
    return LinkCheck(
        sender=f"/run/netns/{sender.name}",
        receiver=f"/run/netns/{receiver.name}",
        address=receiver.address,
        mtu_bytes=mtu_bytes,
        rate_bps=rate_bps,
        asked_mbps=rate_bps * 1e-6 * mtu_bytes / frame_bytes,
        ahead_ns=ahead_bytes * 8_000_000_000 // rate_bps if rate_bps else 0,
        duration_ns=duration_ns,
        rtt_ns=there["delay_ns"] + tc.serialization_ns(there, rate_bps, probes.PACKET_BYTES) + back["delay_ns"],
        offloads={f"/run/netns/{host.name}": host.offloads() for host in (sender, receiver)},
        output=f"./{FOUND}",
    )
