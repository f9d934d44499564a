"""Translates the output of iperf3, ss and tc into samples like those of the agent.

The received bytes of a flow are those of iperf3's server, interpolated between its intervals; retransmissions those of
its client. What only the kernel knows (cwnd, RTTs, pacing rate, counters of segments and marks) is from ss. When a flow
began is known by comparing what both say: iperf3's times count from the first data, those of ss from the run's begin.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from statistics import median
from typing import Any

from fairlane.engine.types import FlowConfig, Scenario
from fairlane.runs.backends.linux.samples import BBR_COLUMNS, BBR_UNIT, COLUMNS, UNPACED_BYTES_PER_S, Queue, Sample

FRAME_BYTES = 66
"""Of a segment: Ethernet, IP and TCP headers with timestamps."""
_CONTROL_BYTES = 4096
"""More than iperf3's control connection carries in one direction before the data does."""


@dataclass
class Transfer:
    """The observations of a flow."""

    start_ns: int
    """The planned time of its first data, and then (see `settle`) the actual one."""
    received: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    """Time since the first data, and bytes received until then."""
    retransmits: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    sender: list[tuple[int, dict[str, int]]] = field(default_factory=list)
    """Time of the run, and what ss said at the sender."""
    receiver: list[tuple[int, dict[str, int]]] = field(default_factory=list)
    is_finished: bool = False

    def settle(self) -> None:
        """Finds out when the flow began."""
        begins = [
            at_ns - since_ns
            for at_ns, values in self.receiver
            if (since_ns := self._reached_ns(values.get("bytes_received", 0))) is not None
        ]
        if begins:
            self.start_ns = max(0, round(median(begins)))

    def _reached_ns(self, amount: int) -> int | None:
        """The time at which iperf3 had received an amount; None at its beginning and end, where many times fit."""
        place = bisect_right([total for _, total in self.received], amount)
        if place < 2 or place >= len(self.received):
            return None
        (begin_ns, begin), (end_ns, end) = self.received[place - 1], self.received[place]
        return begin_ns + round((end_ns - begin_ns) * (amount - begin) / max(1, end - begin))


def as_it_was(scenario: Scenario, transfers: Sequence[Transfer]) -> Scenario:
    """The scenario with the times at which its flows began and ended."""
    flows: list[FlowConfig] = []
    for flow, transfer in zip(scenario["flows"], transfers, strict=True):
        length_ns = (flow.get("stop_ns") or scenario["duration_ns"]) - flow.get("start_ns", 0)
        flows.append({**flow, "start_ns": transfer.start_ns, "stop_ns": transfer.start_ns + length_ns})
    return {**scenario, "flows": flows, "duration_ns": max(flow["stop_ns"] for flow in flows)}


def failure(said: str) -> str:
    """iperf3's error; empty if there was none."""
    try:
        return str(_json(said).get("error", ""))
    except ValueError:
        return " ".join(said.split())[-200:] or "iperf3 said nothing"


def of_iperf3(said: str, start_ns: int) -> Transfer:
    """A transfer from what the client printed, its server's words included. Raises ValueError."""
    found = _json(said)
    transfer = Transfer(start_ns)
    try:
        transfer.retransmits += _sums(found, "retransmits")
        transfer.received += _sums(found["server_output_json"], "bytes")
    except (KeyError, TypeError) as error:
        raise ValueError(f"iperf3's answer has no {error}") from None
    transfer.is_finished = True
    return transfer


def _sums(found: Mapping[str, Any], name: str) -> list[tuple[int, int]]:
    sums = [interval["sum"] for interval in found["intervals"]]
    totals = accumulate(int(one.get(name, 0)) for one in sums)
    return [(round(one["end"] * 1e9), total) for one, total in zip(sums, totals, strict=True)]


def _json(said: str) -> dict[str, Any]:
    found = json.loads(said[said.index("{") :] if "{" in said else said)
    if not isinstance(found, dict):
        raise ValueError("iperf3's answer is not a table")
    return found


def of_ss(said: str, ports: Sequence[int], *, at_sender: bool) -> dict[int, dict[str, int]]:
    """ss's line for each port's data connection: iperf3 has another one for control."""
    found: dict[int, dict[str, int]] = {}
    for line in said.splitlines():
        words = line.split()
        if len(words) < 5:
            continue
        port = int(words[3 if at_sender else 2].rpartition(":")[2])
        values = _of_socket(words[4:])
        carried = "bytes_sent" if at_sender else "bytes_received"
        if port in ports and values.get(carried, 0) >= found.get(port, {}).get(carried, _CONTROL_BYTES):
            found[port] = values
    return found


def _of_socket(words: Sequence[str]) -> dict[str, int]:
    """The numbers of a socket, times in microseconds, rates in bit/s.

    >>> _of_socket(["cwnd:10", "busy:190ms", "rwnd_limited:150ms(78.9%)"])
    {'cwnd': 10, 'busy_us': 190000, 'rwnd_limited_us': 150000}
    """
    found: dict[str, int] = {}
    for name, value in zip(words, [*words[1:], ""], strict=True):
        if name in ("pacing_rate", "delivery_rate") and re.fullmatch(r"\d+bps", value):
            found[name] = int(value[:-3])
        key, colon, rest = name.partition(":")
        if not colon:
            continue
        if key == "rtt" and re.fullmatch(r"[\d.]+/[\d.]+", rest):
            rtt, _, variation = rest.partition("/")
            found |= {"rtt_us": round(float(rtt) * 1e3), "rttvar_us": round(float(variation) * 1e3)}
        elif key == "minrtt" and re.fullmatch(r"[\d.]+", rest):
            found["min_rtt_us"] = round(float(rest) * 1e3)
        elif key == "retrans" and re.fullmatch(r"\d+/\d+", rest):
            found["retrans_out"] = int(rest.partition("/")[0])
        elif key in ("busy", "rwnd_limited", "sndbuf_limited") and (time := re.match(r"(\d+)ms", rest)):
            found[f"{key}_us"] = 1000 * int(time[1])
        elif key == "bbr":
            found |= _of_bbr(rest)
        elif rest.isdigit():
            found[key] = int(rest)
    return found


def _of_bbr(said: str) -> dict[str, int]:
    """State of the kernel's BBR, in the units of the agent's columns; values that are not numbers are left out.

    >>> _of_bbr("(bw:9600000bps,mrtt:40.125,pacing_gain:1.25,cwnd_gain:2)")
    {'bbr_bytes_per_s': 1200000, 'bbr_min_rtt_us': 40125, 'bbr_pacing_gain': 320, 'bbr_cwnd_gain': 512}
    """
    parts = dict(part.partition(":")[::2] for part in said.strip("()").split(","))
    try:
        return {
            "bbr_bytes_per_s": round(float(parts["bw"].removesuffix("bps")) / 8),
            "bbr_min_rtt_us": round(float(parts["mrtt"]) * 1000),
            "bbr_pacing_gain": round(float(parts["pacing_gain"]) * BBR_UNIT),
            "bbr_cwnd_gain": round(float(parts["cwnd_gain"]) * BBR_UNIT),
        }
    except (KeyError, ValueError):
        return {}


def of_tc(said: str) -> dict[str, Any]:
    """The queueing disciplines of a device, by handle."""
    return {one.get("handle", ""): one for one in json.loads(said or "[]")}


def samples(
    scenario: Scenario,
    transfers: Sequence[Transfer],
    queues: Mapping[str, Sequence[tuple[int, Mapping[str, Any]]]],
) -> list[Sample]:
    """All samples, at the times at which the agent takes them."""
    interval_ns, duration_ns = scenario["series_interval_ns"], scenario["duration_ns"]
    marks = {scenario.get("warm_up_ns") or 0, *(flow.get("stop_ns") or duration_ns for flow in scenario["flows"])}
    regular = set(range(interval_ns, duration_ns + 1, interval_ns))
    return [
        Sample(
            at_ns,
            at_ns not in regular,
            {n: {**dict.fromkeys(COLUMNS, 0), **_at(transfer, at_ns)} for n, transfer in enumerate(transfers)},
            {name: _queue(_last(found, at_ns)) for name, found in queues.items()},
        )
        for at_ns in sorted(regular | marks | {duration_ns})
    ]


def _at(transfer: Transfer, at_ns: int) -> dict[str, int]:
    """The columns of a flow at a time of the run."""
    since_ns = at_ns - transfer.start_ns
    if since_ns < 0:
        return {"timeouts": -1}
    sender, receiver = _last(transfer.sender, at_ns), _last(transfer.receiver, at_ns)
    acknowledged = sender.get("sacked", 0) + sender.get("lost", 0) - sender.get("retrans_out", 0)
    return {
        "received": _between(transfer.received, since_ns),
        "sender_tx_bytes": sender.get("bytes_sent", 0) + FRAME_BYTES * sender.get("segs_out", 0),
        "receiver_rx_bytes": receiver.get("bytes_received", 0) + FRAME_BYTES * receiver.get("segs_in", 0),
        "receiver_tx_bytes": FRAME_BYTES * receiver.get("segs_out", 0),
        "finished_ns": transfer.start_ns + transfer.received[-1][0] if transfer.is_finished else 0,
        "cwnd": sender.get("cwnd", 0),
        "rtt_us": sender.get("rtt_us", 0),
        "rttvar_us": sender.get("rttvar_us", 0),
        "min_rtt_us": sender.get("min_rtt_us", 0),
        "inflight": max(0, sender.get("unacked", 0) - acknowledged),
        "retransmits": _between(transfer.retransmits, since_ns),
        "retransmitted_bytes": sender.get("bytes_retrans", 0),
        "pacing_bytes_per_s": sender["pacing_rate"] // 8 if "pacing_rate" in sender else UNPACED_BYTES_PER_S,
        "delivered_ce": sender.get("delivered_ce", 0),
        "data_segments_out": sender.get("data_segs_out", 0),
        "delivery_bytes_per_s": sender.get("delivery_rate", 0) // 8,
        "data_segments_in": receiver.get("data_segs_in", 0),
        "receive_window": sender.get("snd_wnd", 0),
        "opened_ns": transfer.start_ns,
        "timeouts": -1,
        **{name: sender.get(name, 0) for name in ("busy_us", "rwnd_limited_us", "sndbuf_limited_us")},
        **{name: sender.get(name, 0) for name in BBR_COLUMNS},
    }


def _queue(found: Mapping[str, Any]) -> Queue:
    """A queueing discipline's statistics, as tc prints them."""
    sent, packets, drops, backlog = (int(found.get(name, 0)) for name in ("bytes", "packets", "drops", "backlog"))
    marks = sum(int(found.get(name, 0)) for name in ("ecn_mark", "marked", "ecn_marked", "ce_mark"))
    return Queue(sent, packets, drops, marks, backlog)


def _last(samples: Sequence[tuple[int, Any]], at_ns: int) -> Any:
    """The last sample up to this time, else an empty one."""
    place = bisect_right([time_ns for time_ns, _ in samples], at_ns)
    return samples[place - 1][1] if place else {}


def _between(totals: Sequence[tuple[int, int]], at_ns: int) -> int:
    """A total at this time, by linear interpolation."""
    place = bisect_right([time_ns for time_ns, _ in totals], at_ns)
    if place >= len(totals):
        return totals[-1][1]
    (begin_ns, begin), (end_ns, end) = totals[place - 1], totals[place]
    return begin + round((end - begin) * (at_ns - begin_ns) / max(1, end_ns - begin_ns))
