"""Turns samples of real kernels into a result of the same form as the simulator's.

Counters are exact at the times of samples. What a queue holds is known at the samples only, so its means, percentiles
and maxima are those of the samples; its delay is what the backlog takes at the rate of the link.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from fairlane.engine.declarations import columns
from fairlane.engine.libraries import pl
from fairlane.engine.result_bytes import pack
from fairlane.engine.types import FlowConfig, LinkConfig, Scenario
from fairlane.files import FORGED
from fairlane.runs.backends.linux.host import Host
from fairlane.runs.backends.linux.samples import (
    BBR_COLUMNS,
    BBR_UNIT,
    COLUMNS,
    LONGEST,
    NoResult,
    Queue,
    Sample,
    measured_ms,
    pacing_mbps,
)
from fairlane.runs.backends.result_form import BBR_COLUMNS as BBR_SHOWN
from fairlane.runs.backends.result_form import check

_HEADERS_BYTES = 40


def result(
    scenario: Scenario,
    samples: Sequence[Sample],
    kinds: Mapping[str, str],
    network: Mapping[str, Any] | None = None,
    conditions: Mapping[str, Any] | None = None,
) -> bytes:
    """The packed result. Raises NoResult if samples or report are not those of the scenario.

    `kinds` are the queues of the links, if tc made them. `network` is the report of the emulator, which measures its
    links itself, if that made them. `conditions` say how well the machine kept up.
    """
    try:
        packed = _packed(scenario, samples, kinds, network, conditions)
        check(memoryview(packed), scenario)
    except (*FORGED, pl.exceptions.PolarsError) as error:
        raise NoResult(f"its report does not fit the scenario ({str(error)[:LONGEST]})") from None
    return packed


def _packed(
    scenario: Scenario,
    samples: Sequence[Sample],
    kinds: Mapping[str, str],
    network: Mapping[str, Any] | None,
    conditions: Mapping[str, Any] | None,
) -> bytes:
    made = _Result(scenario, samples, kinds)
    links = scenario.get("links", [])
    flows = [made.flow(n) for n in range(len(scenario["flows"]))]
    goodputs = [flow["goodput_mbps"] for flow in flows]
    square = sum(goodput**2 for goodput in goodputs)
    metrics = {
        "flows": flows,
        "links": network["links"] if network else [made.link(link) for link in links],
        "cross_traffic": [made.source(n) for n in range(len(scenario.get("cross_traffic", [])))],
        "jain_index": sum(goodputs) ** 2 / (len(goodputs) * square) if square else None,
        "data_packets_delivered": sum(flow["data_packets_received"] for flow in flows),
        "events": 0,
        "warm_up_s": made.warm_up_ns / 1e9,
        "series": {"interval_s": scenario["series_interval_ns"] / 1e9},
        "distributions": {},
        **({"conditions": conditions} if conditions else {}),
    }
    link_rows = _rows_of(network) if network else [row for link in links for row in made.link_series(link)]
    tables = {
        "flow_series": _table("flow_samples", [row for n in range(len(flows)) for row in made.flow_series(n)]),
        "link_series": _table("link_samples", link_rows),
    }
    return pack(metrics, {name: table for name, table in tables.items() if table.height})


class _Result:
    def __init__(self, scenario: Scenario, samples: Sequence[Sample], kinds: Mapping[str, str]) -> None:
        self.scenario, self.samples, self.kinds = scenario, samples, kinds
        self.warm_up_ns = scenario.get("warm_up_ns") or 0
        self.duration_ns = scenario["duration_ns"]
        self.interval_ns = scenario["series_interval_ns"]
        self.series = list({one.at_ns: one for one in samples if one.at_ns % self.interval_ns == 0}.values())
        self.zero = Sample(0, True, {n: dict.fromkeys(COLUMNS, 0) for n in range(len(scenario["flows"]))})

    def _at(self, time_ns: int) -> Sample:
        """The last sample up to this time."""
        place = bisect_right(self.samples, time_ns, key=lambda sample: sample.at_ns)
        return self.samples[place - 1] if place else self.zero

    def _span(self, n: int) -> tuple[int, int]:
        """The interval in which the flow is measured: from its start or the end of the warm-up, until it stops."""
        flow = self.scenario["flows"][n]
        start_ns, stop_ns = flow.get("start_ns", 0), flow.get("stop_ns") or self.duration_ns
        if flow.get("workload", {}).get("kind") == "iperf3":
            opened_ns = self.samples[-1].flows[n]["opened_ns"]
            start_ns, stop_ns = opened_ns, stop_ns + opened_ns - start_ns
        return start_ns, min(stop_ns, self.duration_ns)

    def flow(self, n: int) -> dict[str, Any]:
        config = self.scenario["flows"][n]
        start_ns, stop_ns = self._span(n)
        begin_ns = max(start_ns, self.warm_up_ns)
        first, last = self._at(begin_ns).flows[n], self._at(stop_ns).flows[n]
        kind = config.get("workload", {}).get("kind")
        if kind == "bytes" and last["finished_ns"]:
            stop_ns = max(begin_ns + 1, min(stop_ns, last["finished_ns"]))
        duration_s = max(stop_ns - begin_ns, 1) / 1e9
        grown = {name: last[name] - first[name] for name in last}
        during = [one for one in self.series if begin_ns < one.at_ns <= stop_ns]
        rtts = sorted(rtt_ms for one in during if (rtt_ms := measured_ms(one.flows[n], "rtt_us")) is not None)
        rates = [rate for one in during if (rate := pacing_mbps(one.flows[n])) is not None]
        finished_ns = self.samples[-1].flows[n]["finished_ns"]
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
            "mean_rtt_ms": _mean(rtts),
            "median_rtt_ms": _quantile(rtts, 0.5),
            "p95_rtt_ms": _quantile(rtts, 0.95),
            "p99_rtt_ms": _quantile(rtts, 0.99),
            "max_rtt_ms": rtts[-1] if rtts else None,
            "mean_cwnd_packets": _mean([one.flows[n]["cwnd"] for one in during]),
            "mean_pacing_mbps": _mean(rates),
            "mean_inflight_packets": _mean([one.flows[n]["inflight"] for one in during]),
            "min_rtt_ms": measured_ms(last, "min_rtt_us"),
            "packet_rtt_samples": 0,
            "retransmits": grown["retransmits"],
            "retransmitted_bytes": grown["retransmitted_bytes"],
            "timeouts": self._timeouts(n, stop_ns) - self._timeouts(n, begin_ns),
            "data_packets_sent": grown["data_segments_out"],
            "data_packets_received": grown["data_segments_in"],
            "marked_packets": grown["delivered_ce"],
            "bytes_delivered": grown["received"],
            **_limits(grown, duration_s),
            "completion_s": (finished_ns - start_ns) / 1e9 if kind == "bytes" and finished_ns else None,
            **(self._requests(n, begin_ns, stop_ns) if kind in ("request_response", "ping") else {}),
            "wire_bytes_forward": grown["sender_tx_bytes"],
            "wire_bytes_reverse": grown["receiver_tx_bytes"],
        }

    def _requests(self, n: int, begin_ns: int, end_ns: int) -> dict[str, Any]:
        """The times of the requests whose responses came during this time."""
        requests = self.samples[-1].requests.get(n, [])
        took = sorted((done - asked) / 1e6 for asked, done in requests if begin_ns < done <= end_ns)
        quantiles = {"median": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
        return {
            "requests_completed": len(took),
            "request_mean_ms": _mean(took),
            **{f"request_{name}_ms": _quantile(took, share) for name, share in quantiles.items()},
        }

    def source(self, n: int) -> dict[str, int]:
        return dict(zip(("sent_packets", "delivered_packets"), self.samples[-1].sources[n], strict=True))

    def _timeouts(self, n: int, until_ns: int) -> int:
        """Those of a flow up to this time. A sample of a mark tells of them, -1 if it cannot."""
        told = (one.flows[n]["timeouts"] for one in self.samples if one.is_mark and one.at_ns <= until_ns)
        return max(0, max(told, default=0))

    def flow_series(self, n: int) -> Iterator[dict[str, Any]]:
        start_ns, stop_ns = self._span(n)
        seconds = self.interval_ns / 1e9
        has_bbr = any(flow["bbr_cwnd_gain"] for sample in self.samples for flow in sample.flows.values())
        for earlier, sample in pairwise([self.zero, *self.series]):
            if not start_ns < sample.at_ns < stop_ns + self.interval_ns:
                continue
            now, then = sample.flows[n], earlier.flows[n]
            grown = {name: now[name] - then[name] for name in now}
            yield {
                "flow": n,
                "t_s": sample.at_ns / 1e9,
                "mbps": grown["received"] * 8e-6 / seconds,
                "throughput_mbps": grown["receiver_rx_bytes"] * 8e-6 / seconds,
                "sending_rate_mbps": grown["sender_tx_bytes"] * 8e-6 / seconds,
                "cwnd_packets": now["cwnd"],
                "rtt_ms": measured_ms(now, "rtt_us"),
                "rttvar_us": now["rttvar_us"] if now["rtt_us"] else None,
                "packet_rtt_ms": None,
                "retransmits": max(0, grown["retransmits"]),
                "lost_packets": None,
                "pacing_mbps": pacing_mbps(now),
                "inflight_packets": max(0, now["inflight"]),
                "receive_window_bytes": now["receive_window"],
                "marked_packets": max(0, grown["delivered_ce"]),
                **(_bbr(now) if has_bbr else {}),
            }

    def link(self, link: LinkConfig) -> dict[str, Any]:
        name = link["name"]
        first, last = self._at(self.warm_up_ns), self._at(self.duration_ns)
        begin, end = self._queue(name, first), self._queue(name, last)
        has_queue = name in self.kinds
        during = [one for one in self.series if one.at_ns > self.warm_up_ns] if has_queue else []
        backlogs = [one.queues[name].backlog_bytes for one in during]
        delays = sorted(delay for one in during if (delay := self._delay_ms(link, one)) is not None)
        sent = end.sent_bytes - begin.sent_bytes
        capacity_bytes = _capacity_bytes(link, self.warm_up_ns, self.duration_ns)
        return {
            **dict.fromkeys(columns("links")),  # a kernel has no airtime
            "name": name,
            "utilisation": min(1.0, sent / capacity_bytes) if capacity_bytes else 0.0,
            "transmitted_bytes": sent,
            "delivered_packets": end.packets - begin.packets,
            "dropped_packets": end.drops - begin.drops if has_queue else 0,
            "marked_packets": end.marks - begin.marks,
            "lost_packets": _wire(name, last).drops - _wire(name, first).drops,
            "mean_queue_bytes": fmean(backlogs) if backlogs else 0.0,
            "max_queue_bytes": max(backlogs, default=0),
            "mean_queue_delay_ms": _mean(delays),
            "median_queue_delay_ms": _quantile(delays, 0.5),
            "p95_queue_delay_ms": _quantile(delays, 0.95),
            "p99_queue_delay_ms": _quantile(delays, 0.99),
            "max_queue_delay_ms": delays[-1] if delays else None,
        }

    def link_series(self, link: LinkConfig) -> Iterator[dict[str, Any]]:
        name = link["name"]
        has_queue = name in self.kinds
        for earlier, sample in pairwise([self.zero, *self.series]):
            now, then = self._queue(name, sample), self._queue(name, earlier)
            backlog_bytes = now.backlog_bytes if has_queue else 0
            yield {
                "link": name,
                "t_s": sample.at_ns / 1e9,
                "queue_bytes": backlog_bytes,
                "mean_queue_bytes": float(backlog_bytes),
                "queue_delay_ms": self._delay_ms(link, sample),
                "throughput_mbps": (now.sent_bytes - then.sent_bytes) * 8e3 / self.interval_ns,
                "dropped_packets": now.drops - then.drops if has_queue else 0,
                "marked_packets": now.marks - then.marks,
            }

    def _queue(self, name: str, sample: Sample) -> Queue:
        """The counters of a link: those of its queue, else of its wire."""
        return sample.queues.get(name, Queue()) if name in self.kinds else _wire(name, sample)

    def _delay_ms(self, link: LinkConfig, sample: Sample) -> float | None:
        queue, rate_bps = sample.queues.get(link["name"]), _rates(link, sample.at_ns)[-1][1]
        return queue.backlog_bytes * 8e3 / rate_bps if queue is not None and rate_bps else None


def _rates(link: LinkConfig, until_ns: int) -> list[tuple[int, int]]:
    """Times of changes up to `until_ns`, from 0, and the rate from then on in bit/s; 0 for none."""
    changes = [(one["at_ns"], rate_bps) for one in link.get("changes", ()) if (rate_bps := one.get("rate_bps"))]
    return [(0, link.get("rate_bps") or 0), *(one for one in changes if one[0] <= until_ns)]


def _capacity_bytes(link: LinkConfig, begin_ns: int, end_ns: int) -> float:
    """Bytes that the rate allows in an interval. A token bucket is full at 0; later nothing tells its tokens."""
    rates = _rates(link, end_ns)
    ends_ns = [*(at_ns for at_ns, _ in rates[1:]), end_ns]
    bit_ns = sum(
        rate_bps * (max(until_ns, begin_ns) - max(since_ns, begin_ns))
        for (since_ns, rate_bps), until_ns in zip(rates, ends_ns, strict=True)
    )
    burst_bytes = link.get("burst_bytes") or 0 if begin_ns == 0 and bit_ns else 0
    return bit_ns / 8e9 + burst_bytes


def _wire(name: str, sample: Sample) -> Queue:
    return sample.queues.get(f"{name}/wire", Queue())


def _limits(grown: Mapping[str, int], duration_s: float) -> dict[str, Any]:
    """Shares of the time that the kernel tells; none before Linux 4.10, which has no `tcp_chrono`.

    The rest of the busy time belongs to cwnd, pacing, small queues, or an application that wrote too little.
    """
    if not grown["busy_us"]:
        return {}
    busy, rwnd, sndbuf = (
        min(1.0, max(0, grown[name]) / 1e6 / duration_s) for name in ("busy_us", "rwnd_limited_us", "sndbuf_limited_us")
    )
    told = {"receive window": rwnd, "send buffer": sndbuf, "application": 1 - busy}
    most = max(told, key=lambda name: told[name])
    return {
        "busy_share": busy,
        "rwnd_limited_share": rwnd,
        "sndbuf_limited_share": sndbuf,
        "limited_by": most if told[most] > busy - rwnd - sndbuf else None,
    }


def _bbr(flow: Mapping[str, int]) -> dict[str, float | None]:
    """State of the kernel's BBR as further columns, like watched members; none for other algorithms."""
    if not flow["bbr_cwnd_gain"]:
        return dict.fromkeys(BBR_SHOWN)
    rate, _, *gains = (flow[name] for name in BBR_COLUMNS)
    min_rtt_ms = measured_ms(flow, "bbr_min_rtt_us")
    return dict(zip(BBR_SHOWN, (rate * 8e-6, min_rtt_ms, *(gain / BBR_UNIT for gain in gains)), strict=True))


def _table(kind: str, rows: list[dict[str, Any]]) -> "pl.DataFrame":
    """A time series, in the types of the simulator's tables."""
    integer = pl.UInt32 if kind == "flow_samples" else pl.UInt64
    declared = {name: pl.Float32 if one.type == "number" else integer for name, one in columns(kind).items()}
    types = {**declared, **dict.fromkeys(BBR_SHOWN, pl.Float32)}
    present = {name: type_ for name, type_ in types.items() if name != "t_s" and rows and name in rows[0]}
    return pl.DataFrame(rows, schema_overrides=present, infer_schema_length=None)


def _rows_of(network: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The time series of the emulator's links as rows."""
    rows = []
    for link, series in zip(network["links"], network["series"], strict=True):
        samples = zip(*series.values(), strict=True)
        rows += [{"link": link["name"], **dict(zip(series, sample, strict=True))} for sample in samples]
    return rows


def _mss_bytes(flow: FlowConfig) -> int:
    hosts = Host("s", 0, flow), Host("r", 0, flow)
    options = 12 if all(host.settings["timestamps"] for host in hosts) else 0
    return hosts[0].mtu_bytes - _HEADERS_BYTES - options


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
