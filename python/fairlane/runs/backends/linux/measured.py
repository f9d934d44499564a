"""Turns the agent's output into a result of the same form as the simulator's.

The agent samples at the interval of the time series, and in addition where the warm-up ends and where a flow stops.
Counters are exact at these times. What a queue holds is known at the samples only, so its means, percentiles and maxima
are those of the samples; its delay is what the backlog takes at the rate of the link.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from fairlane.engine.declarations import columns
from fairlane.engine.result_bytes import pack
from fairlane.engine.types import FlowConfig, LinkConfig, Scenario

if TYPE_CHECKING:
    import polars as pl

BBR_COLUMNS = ("bbr_bytes_per_s", "bbr_min_rtt_us", "bbr_pacing_gain", "bbr_cwnd_gain")
"""State of the kernel's BBR; 0 for other algorithms."""
COLUMNS = (
    *("flow", "received", "completed", "sender_tx_bytes", "sender_tx_packets", "sender_rx_bytes"),
    *("receiver_rx_bytes", "receiver_rx_packets", "receiver_tx_bytes", "receiver_tx_packets", "finished_ns"),
    *("cwnd", "rtt_us", "rttvar_us", "min_rtt_us", "inflight", "retransmits", "retransmitted_bytes"),
    *("pacing_bytes_per_s", "delivered_ce", "data_segments_out", "delivery_bytes_per_s", "data_segments_in"),
    *("receive_window", "opened_ns", "timeouts"),
    *BBR_COLUMNS,
)
"""The agent's columns of a flow (agent/samples.c)."""
_UNPACED_BYTES_PER_S = 2**64 - 1
_HEADERS_BYTES = 40

_MARKS: dict[str, Callable[[bytes], int]] = {
    "red": lambda data: _u32(data, 3),
    "codel": lambda data: _u32(data, 6) + _u32(data, 8),
    "fq_codel": lambda data: _u32(data, 3) + _u32(data, 7),
    "pie": lambda data: _u32(data, 9),
    "fq_pie": lambda data: _u32(data, 4),
    "fq": lambda data: int.from_bytes(data[80:88], "little"),
}
"""Reads the count of marks from a queue's statistics (struct tc_*_xstats, linux/pkt_sched.h)."""


class NoResult(Exception):
    """The agent did not get to the end; says why."""


@dataclass(frozen=True)
class _Queue:
    sent_bytes: int = 0
    packets: int = 0
    drops: int = 0
    length: int = 0
    backlog: int = 0
    own: bytes = b""
    """Counters of this kind of queue alone."""
    marks: int | None = None
    """Packets marked, where that is said outright."""


@dataclass
class _Sample:
    at_ns: int
    is_mark: bool
    flows: dict[int, dict[str, int]] = field(default_factory=dict)
    queues: dict[str, _Queue] = field(default_factory=dict)


def result(
    scenario: Scenario,
    output: str,
    kinds: Mapping[str, str],
    network: Mapping[str, Any] | None = None,
    conditions: Mapping[str, Any] | None = None,
) -> bytes:
    """The packed result. Raises NoResult.

    `kinds` are the queues of the links, if tc made them. `network` is the report of the emulator, which measures its
    links itself, if that made them. `conditions` say how well the machine kept up.
    """
    samples = _read(output)
    return _Result(scenario, samples, kinds).packed(network, conditions)


def _read(output: str) -> list[_Sample]:
    samples: list[_Sample] = []
    ended = False
    for line in filter(None, output.splitlines()):  # an empty line is a sign of life
        kind, _, rest = line.partition(" ")
        if kind == "error":
            raise NoResult(rest.strip())
        if kind in "tm":
            samples.append(_Sample(int(rest), kind == "m"))
        elif kind == "f":
            values = dict(zip(COLUMNS, map(int, rest.split()), strict=True))
            samples[-1].flows[values.pop("flow")] = values
        elif kind == "q":
            name, *numbers = rest.split(" ")
            sent, packets, drops, length, backlog = map(int, numbers[:5])
            own, marks = bytes.fromhex(numbers[5]), int(numbers[6]) if len(numbers) > 6 else None
            samples[-1].queues[name] = _Queue(sent, packets, drops, length, backlog, own, marks)
        ended = ended or kind == "end"
    if not ended:
        raise NoResult("it ended before its plan was carried out")
    samples.sort(key=lambda sample: sample.at_ns)
    return samples


class _Result:
    def __init__(self, scenario: Scenario, samples: list[_Sample], kinds: Mapping[str, str]) -> None:
        self.scenario, self.samples, self.kinds = scenario, samples, kinds
        self.warm_up_ns = scenario.get("warm_up_ns") or 0
        self.duration_ns = scenario["duration_ns"]
        self._links = scenario.get("links", [])
        interval_ns = scenario["series_interval_ns"]
        self.series = list({one.at_ns: one for one in samples if one.at_ns % interval_ns == 0}.values())
        empty = dict.fromkeys(COLUMNS, 0)
        self.zero = _Sample(0, True, {n: empty for n in range(len(scenario["flows"]))}, {})

    def packed(self, network: Mapping[str, Any] | None, conditions: Mapping[str, Any] | None) -> bytes:
        flows = [self._flow(n) for n in range(len(self.scenario["flows"]))]
        goodputs = [flow["goodput_mbps"] for flow in flows]
        square = sum(goodput**2 for goodput in goodputs)
        metrics = {
            "flows": flows,
            "links": network["links"] if network else [self._link(link) for link in self._links],
            "cross_traffic": [],
            "jain_index": sum(goodputs) ** 2 / (len(goodputs) * square) if square else None,
            "data_packets_delivered": sum(flow["data_packets_received"] for flow in flows),
            "events": 0,
            "warm_up_s": self.warm_up_ns / 1e9,
            "series": {"interval_s": self.scenario["series_interval_ns"] / 1e9},
            "distributions": {},
            **({"conditions": conditions} if conditions else {}),
        }
        emulated = _rows_of(network) if network else None
        tables = {
            "flow_series": _table([row for n in range(len(flows)) for row in self._flow_series(n)]),
            "link_series": _table(emulated or [row for link in self._links for row in self._link_series(link)]),
        }
        return pack(metrics, {name: table for name, table in tables.items() if table.height})

    def _at(self, time_ns: int) -> _Sample:
        """The last sample up to this time."""
        found = self.zero
        for sample in self.samples:
            if sample.at_ns > time_ns:
                break
            found = sample
        return found

    def _span(self, n: int) -> tuple[int, int]:
        """The interval in which the flow is measured: from its start or the end of the warm-up, until it stops."""
        flow = self.scenario["flows"][n]
        start_ns, stop_ns = flow.get("start_ns", 0), flow.get("stop_ns") or self.duration_ns
        if flow.get("workload", {}).get("kind") == "iperf3":
            opened_ns = self.samples[-1].flows[n]["opened_ns"]
            start_ns, stop_ns = opened_ns, stop_ns + opened_ns - start_ns
        return start_ns, min(stop_ns, self.duration_ns)

    def _flow(self, n: int) -> dict[str, Any]:
        config = self.scenario["flows"][n]
        start_ns, stop_ns = self._span(n)
        begin_ns = max(start_ns, self.warm_up_ns)
        first, last = self._at(begin_ns).flows[n], self._at(stop_ns).flows[n]
        if config.get("workload", {}).get("kind") == "bytes" and last["finished_ns"]:
            stop_ns = max(begin_ns + 1, min(stop_ns, last["finished_ns"]))
        duration_s = max(stop_ns - begin_ns, 1) / 1e9
        grown = {name: last[name] - first.get(name, 0) for name in last}
        during = [one for one in self.series if begin_ns < one.at_ns <= stop_ns]
        rtts = sorted(one.flows[n]["rtt_us"] / 1000 for one in during if one.flows[n]["rtt_us"])
        paced = [one.flows[n]["pacing_bytes_per_s"] for one in during]
        paced = [rate for rate in paced if rate != _UNPACED_BYTES_PER_S]
        kind = config.get("workload", {}).get("kind")
        finished_ns = self.samples[-1].flows[n]["finished_ns"]
        marks = [one.flows[n]["timeouts"] for one in self.samples if one.is_mark and one.at_ns <= stop_ns]
        before = [one.flows[n]["timeouts"] for one in self.samples if one.is_mark and one.at_ns <= begin_ns]
        return {
            **dict.fromkeys(columns("flows")),  # a kernel does not tell of each packet, nor of every application
            "flow": n,
            "group": config.get("group", n),
            "algorithm": config["algorithm"],
            "start_s": start_ns / 1e9,
            "duration_s": duration_s,
            "mss_bytes": _mss_bytes(config),
            "goodput_mbps": grown["received"] * 8e-6 / duration_s,
            "throughput_mbps": grown["receiver_rx_bytes"] * 8e-6 / duration_s,
            "sending_rate_mbps": grown["sender_tx_bytes"] * 8e-6 / duration_s,
            "mean_rtt_ms": fmean(rtts) if rtts else None,
            "median_rtt_ms": _quantile(rtts, 0.5),
            "p95_rtt_ms": _quantile(rtts, 0.95),
            "p99_rtt_ms": _quantile(rtts, 0.99),
            "max_rtt_ms": rtts[-1] if rtts else None,
            "mean_cwnd_packets": _mean([one.flows[n]["cwnd"] for one in during]),
            "mean_pacing_mbps": _mean([rate * 8e-6 for rate in paced]),
            "mean_inflight_packets": _mean([one.flows[n]["inflight"] for one in during]),
            "min_rtt_ms": last["min_rtt_us"] / 1000 if last["min_rtt_us"] else None,
            "packet_rtt_samples": 0,
            "retransmits": grown["retransmits"],
            "retransmitted_bytes": grown["retransmitted_bytes"],
            "timeouts": max(0, max(marks, default=0)) - max(0, max(before, default=0)),
            "data_packets_sent": grown["data_segments_out"],
            "data_packets_received": grown["data_segments_in"],
            "marked_packets": grown["delivered_ce"],
            "bytes_delivered": grown["received"],
            "completion_s": (finished_ns - start_ns) / 1e9 if kind == "bytes" and finished_ns else None,
            "requests_completed": grown["completed"] if kind == "request_response" else None,
            "wire_bytes_forward": grown["sender_tx_bytes"],
            "wire_bytes_reverse": grown["receiver_tx_bytes"],
        }

    def _flow_series(self, n: int) -> list[dict[str, Any]]:
        start_ns, stop_ns = self._span(n)
        interval_ns, earlier, rows = self.scenario["series_interval_ns"], self.zero, []
        has_bbr = any(flow["bbr_cwnd_gain"] for sample in self.samples for flow in sample.flows.values())
        for sample in self.series:
            now, then = sample.flows[n], earlier.flows[n]
            earlier = sample
            if not start_ns < sample.at_ns < stop_ns + interval_ns:
                continue
            grown = {name: now[name] - then.get(name, 0) for name in now}
            seconds = interval_ns / 1e9
            pacing = now["pacing_bytes_per_s"]
            rows.append(
                {
                    "flow": n,
                    "t_s": sample.at_ns / 1e9,
                    "mbps": grown["received"] * 8e-6 / seconds,
                    "throughput_mbps": grown["receiver_rx_bytes"] * 8e-6 / seconds,
                    "sending_rate_mbps": grown["sender_tx_bytes"] * 8e-6 / seconds,
                    "cwnd_packets": now["cwnd"],
                    "rtt_ms": now["rtt_us"] / 1000,
                    "rttvar_us": now["rttvar_us"],
                    "packet_rtt_ms": None,
                    "retransmits": max(0, grown["retransmits"]),
                    "lost_packets": None,
                    "pacing_mbps": 0.0 if pacing == _UNPACED_BYTES_PER_S else pacing * 8e-6,
                    "inflight_packets": max(0, now["inflight"]),
                    "receive_window_bytes": now["receive_window"],
                    "marked_packets": max(0, grown["delivered_ce"]),
                    **(_bbr(now) if has_bbr else {}),
                }
            )
        return rows

    def _link(self, link: LinkConfig) -> dict[str, Any]:
        name = link["name"]
        first, last = self._at(self.warm_up_ns), self._at(self.duration_ns)
        here, wire = name if name in self.kinds else f"{name}/wire", f"{name}/wire"
        begin, end = first.queues.get(here, _Queue()), last.queues.get(here, _Queue())
        lost_begin, lost_end = first.queues.get(wire, _Queue()), last.queues.get(wire, _Queue())
        seconds = (self.duration_ns - self.warm_up_ns) / 1e9
        has_queue = name in self.kinds
        during = [one for one in self.series if one.at_ns > self.warm_up_ns] if has_queue else []
        backlogs = [one.queues[name].backlog for one in during]
        delays = sorted(delay for one in during if (delay := self._delay_ms(link, one)) is not None)
        sent = end.sent_bytes - begin.sent_bytes
        rate_bps = link.get("rate_bps")
        return {
            "name": name,
            "utilisation": min(1.0, sent * 8 / (rate_bps * seconds)) if rate_bps else 0.0,
            "transmitted_bytes": sent,
            "delivered_packets": end.packets - begin.packets,
            "dropped_packets": end.drops - begin.drops if has_queue else 0,
            "marked_packets": self._marks(name, end) - self._marks(name, begin),
            "lost_packets": lost_end.drops - lost_begin.drops,
            "mean_queue_bytes": fmean(backlogs) if backlogs else 0.0,
            "max_queue_bytes": max(backlogs, default=0),
            "mean_queue_delay_ms": fmean(delays) if delays else None,
            "median_queue_delay_ms": _quantile(delays, 0.5),
            "p95_queue_delay_ms": _quantile(delays, 0.95),
            "p99_queue_delay_ms": _quantile(delays, 0.99),
            "max_queue_delay_ms": delays[-1] if delays else None,
            **dict.fromkeys(_WIFI),
        }

    def _link_series(self, link: LinkConfig) -> list[dict[str, Any]]:
        name, rows, earlier = link["name"], [], self.zero
        here = name if name in self.kinds else f"{name}/wire"
        for sample in self.series:
            now, then = sample.queues.get(here, _Queue()), earlier.queues.get(here, _Queue())
            earlier = sample
            backlog = now.backlog if name in self.kinds else 0
            rows.append(
                {
                    "link": name,
                    "t_s": sample.at_ns / 1e9,
                    "queue_bytes": backlog,
                    "mean_queue_bytes": float(backlog),
                    "queue_delay_ms": self._delay_ms(link, sample),
                    "throughput_mbps": (now.sent_bytes - then.sent_bytes) * 8e3 / self.scenario["series_interval_ns"],
                    "dropped_packets": now.drops - then.drops if name in self.kinds else 0,
                    "marked_packets": self._marks(name, now) - self._marks(name, then),
                }
            )
        return rows

    def _delay_ms(self, link: LinkConfig, sample: _Sample) -> float | None:
        queue, rate_bps = sample.queues.get(link["name"]), link.get("rate_bps")
        for change in link.get("changes", ()):
            if change["at_ns"] <= sample.at_ns and change.get("rate_bps"):
                rate_bps = change["rate_bps"]
        return queue.backlog * 8e3 / rate_bps if queue is not None and rate_bps else None

    def _marks(self, name: str, queue: _Queue) -> int:
        if queue.marks is not None:
            return queue.marks
        count = _MARKS.get(self.kinds.get(name, ""))
        return count(queue.own) if count and queue.own else 0


_WIFI = (
    *("airtime_share", "ppdus", "mpdus_per_ppdu", "p5_mpdus_per_ppdu", "median_mpdus_per_ppdu", "p95_mpdus_per_ppdu"),
    *("collided_ppdus", "retransmitted_mpdus", "turns"),
)


BBR_UNIT = 256
"""Of BBR's gains (BBR_UNIT, net/ipv4/tcp_bbr.c)."""


def _bbr(flow: Mapping[str, int]) -> dict[str, float | None]:
    """State of the kernel's BBR as further columns, like watched members; none for other algorithms."""
    is_bbr = bool(flow["bbr_cwnd_gain"])
    return {
        "bbr_bandwidth_mbps": flow["bbr_bytes_per_s"] * 8e-6 if is_bbr else None,
        "bbr_min_rtt_ms": flow["bbr_min_rtt_us"] / 1000 if is_bbr else None,
        "bbr_pacing_gain": flow["bbr_pacing_gain"] / BBR_UNIT if is_bbr else None,
        "bbr_cwnd_gain": flow["bbr_cwnd_gain"] / BBR_UNIT if is_bbr else None,
    }


def _table(rows: list[dict[str, Any]]) -> "pl.DataFrame":
    import polars as pl

    types: dict[str, Any] = {
        **dict.fromkeys(("mbps", "throughput_mbps", "sending_rate_mbps", "rtt_ms", "packet_rtt_ms"), pl.Float32),
        **dict.fromkeys(("pacing_mbps", "mean_queue_bytes", "queue_delay_ms"), pl.Float32),
        **dict.fromkeys(("cwnd_packets", "rttvar_us", "retransmits", "lost_packets"), pl.UInt32),
        **dict.fromkeys(("inflight_packets", "receive_window_bytes"), pl.UInt32),
        **dict.fromkeys(("queue_bytes", "dropped_packets"), pl.UInt64),
        "marked_packets": pl.UInt32 if rows and "flow" in rows[0] else pl.UInt64,
        **dict.fromkeys(("bbr_bandwidth_mbps", "bbr_min_rtt_ms", "bbr_pacing_gain", "bbr_cwnd_gain"), pl.Float32),
    }
    present = {name: kind for name, kind in types.items() if rows and name in rows[0]}
    return pl.DataFrame(rows, schema_overrides=present, infer_schema_length=None)


def _rows_of(network: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The time series of the emulator's links as rows."""
    rows = []
    for link, series in zip(network["links"], network["series"], strict=True):
        samples = zip(*series.values(), strict=True)
        rows += [{"link": link["name"], **dict(zip(series, sample, strict=True))} for sample in samples]
    return rows


def _u32(data: bytes, index: int) -> int:
    return int(struct.unpack_from("<I", data, 4 * index)[0]) if len(data) >= 4 * index + 4 else 0


def _mss_bytes(flow: FlowConfig) -> int:
    options = 12 if flow.get("sender", {}).get("timestamps", True) else 0
    return int(flow.get("mtu", 1500)) - _HEADERS_BYTES - options


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    """By linear interpolation between ordered values."""
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
