"""iperf3's JSON, as iperf 3.12 prints it: one document for each flow, as if each had a client of its own.

Inherent differences: byte counts are the receiver's instead of the bytes handed to the socket; the hosts' CPU
use is 0; the samples end where the run's sampling has them, so that the first interval may be shorter. A warm-up is
what iperf3 calls omitted: its intervals are marked, and time counts anew after it.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import np
from fairlane.results.metrics.subject import Array, Flow, Run
from fairlane.results.store.scenario_form import group_of
from fairlane.results.store.scenario_form import scenario as stored_scenario
from fairlane.results.tables import ResultTables
from fairlane.show.export.file_names import (
    Json,
    Tell,
    file_name,
    places,
    sampled_runs,
    title_of,
    write,
)

SUFFIX = ".json"
SOCKET = 5
"""The number that iperf3's first data socket mostly has."""
BLOCK_BYTES = 131_072
SEND_BUFFER_BYTES = 16_384
"""iperf3's default socket settings: its -l, and Linux's tcp_wmem."""


def export(
    results: ResultTables, out: Path, filters: Mapping[str, Any], tell: Tell, *, interval_s: float = 1.0
) -> list[Path]:
    """Writes a document for each flow, except those without samples."""
    found = [(run, flow) for run in sampled_runs(results, filters, tell) for flow in run.flows]
    names = [file_name(results, run, f"flow{flow['flow']}", flow.label) for run, flow in found]
    paths = places(names, out, SUFFIX, tell)
    for path, (run, flow) in zip(paths, found, strict=True):
        made = document(run, flow, title_of(results, run), interval_s)
        write(path, json.dumps(made, indent="\t").encode() + b"\n")
    return paths


def document(run: Run, flow: Flow, title: str, interval_s: float = 1.0) -> Json:
    """The output of `iperf3 --json` at the sender of this flow."""
    scenario = stored_scenario(run["scenario"])
    settings = group_of(scenario, flow["group"])
    omit_s = max(0.0, scenario.get("warm_up_ns", 0) / 1e9 - float(flow["start_s"]))
    intervals = _intervals(flow, settings.get("mtu", 1500), omit_s, interval_s)
    return {
        "title": f"{title} flow={flow['flow']}",
        "start": _start(run, flow, settings, omit_s),
        "intervals": intervals,
        "end": _end(flow, [one["streams"][0] for one in intervals if not one["sum"]["omitted"]]),
    }


def finished_at(run: Run) -> datetime:
    """The time of the run's end; 1970 if that is not known, or if a store of others has another text there."""
    try:
        return datetime.fromisoformat(run.get("finished") or "").astimezone(UTC)
    except (OverflowError, ValueError):
        return datetime.fromtimestamp(0, UTC)


def _start(run: Run, flow: Flow, settings: Mapping[str, Any], omit_s: float) -> Json:
    number = int(flow["flow"]) + 1
    host = f"{number >> 8 & 255}.{number & 255}"
    begun = finished_at(run)
    receiver_bytes = (settings.get("receiver") or {}).get("rmem_initial_bytes", 131_072)
    return {
        "connected": [
            {
                "socket": SOCKET,
                "local_host": f"10.0.{host}",
                "local_port": 40_000,
                "remote_host": f"10.1.{host}",
                "remote_port": 5201,
            }
        ],
        "version": f"Fairlane {run['fairlane']}",
        "system_info": f"Linux TCP, simulated by Fairlane {run['fairlane']}",
        "timestamp": {
            "time": format_datetime(begun, usegmt=True),
            "timesecs": int(begun.timestamp()),
        },
        "connecting_to": {"host": f"10.1.{host}", "port": 5201},
        "cookie": f"{run['run']}{int(flow['flow']):04}",
        "tcp_mss_default": flow["mss_bytes"],
        "target_bitrate": 0,
        "sock_bufsize": 0,
        "sndbuf_actual": SEND_BUFFER_BYTES,
        "rcvbuf_actual": receiver_bytes,
        "test_start": {
            "protocol": "TCP",
            "num_streams": 1,
            "blksize": BLOCK_BYTES,
            "omit": round(omit_s),
            "duration": round(flow["duration_s"]),
            "bytes": 0,
            "blocks": 0,
            "reverse": 0,
            "tos": 0,
            "target_bitrate": 0,
        },
    }


class Samples:
    """The samples of one flow; times in seconds from the start of the flow."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.ends_s = flow.times_s
        self.lengths_s = np.diff(self.ends_s, prepend=0.0)

    def series(self, name: str) -> Array:
        """A column."""
        return self.flow.series(name)

    @property
    def bytes(self) -> Array:
        """Payload that the receiver got in each sample's interval."""
        return self.series("mbps") * self.lengths_s * 125_000

    def intervals(self, start_s: float, length_s: float) -> Iterator[tuple[float, float, slice]]:
        """Intervals of about `length_s` from `start_s` on, each with its samples; the last may be shorter.

        An interval ends with the first sample that is at or after its end.
        """
        first = int(np.searchsorted(self.ends_s, start_s + TOLERANCE_S, side="right"))
        begin_s, number = start_s, 1
        while first < len(self.ends_s):
            end = int(np.searchsorted(self.ends_s, start_s + number * length_s - TOLERANCE_S))
            last = min(max(end, first), len(self.ends_s) - 1)
            end_s = float(self.ends_s[last])
            yield begin_s, end_s, slice(first, last + 1)
            begin_s, first = end_s, last + 1
            while start_s + number * length_s <= end_s + TOLERANCE_S:
                number += 1


TOLERANCE_S = 1e-6
"""Sampling times are sums of floats."""


def _intervals(flow: Flow, mtu: int, omit_s: float, interval_s: float) -> list[Json]:
    samples = Samples(flow)
    rows = [(True, one) for one in samples.intervals(0.0, interval_s) if one[1] <= omit_s + 1e-6]
    begin_s = rows[-1][1][1] if rows else 0.0
    rows += [(False, one) for one in samples.intervals(begin_s, interval_s)]
    return [
        _interval(flow, samples, mtu, (start_s - shift_s, end_s - shift_s), part, omitted)
        for omitted, (start_s, end_s, part) in rows
        for shift_s in [0.0 if omitted else begin_s]
    ]


def _interval(flow: Flow, samples: Samples, mtu: int, times_s: tuple[float, float], part: slice, omitted: bool) -> Json:
    start_s, end_s = (round(time_s, 6) for time_s in times_s)
    seconds = end_s - start_s
    payload_bytes = round(float(np.nansum(samples.bytes[part])))

    def last(name: str, column: str, scale: float = 1.0) -> dict[str, int]:
        """The last sample; left out if it has no value: no measurement, or no limit."""
        value = float(samples.series(column)[part][-1]) * scale
        return {name: round(value)} if math.isfinite(value) else {}

    head = {
        "start": start_s,
        "end": end_s,
        "seconds": seconds,
        "bytes": payload_bytes,
        "bits_per_second": _rate(payload_bytes, seconds),
        "retransmits": round(float(np.nansum(samples.series("retransmits")[part]))),
    }
    stream = {
        "socket": SOCKET,
        **head,
        **last("snd_cwnd", "cwnd_packets", flow["mss_bytes"]),
        **last("snd_wnd", "receive_window_bytes"),
        **last("rtt", "rtt_ms", 1000),
        **last("rttvar", "rttvar_us"),
        "pmtu": mtu,
        "omitted": omitted,
        "sender": True,
    }
    return {"streams": [stream], "sum": {**head, "omitted": omitted, "sender": True}}


def _end(flow: Flow, streams: list[Json]) -> Json:
    duration_s = float(flow["duration_s"])
    total = {
        "start": 0,
        "end": duration_s,
        "seconds": duration_s,
        "bytes": flow["bytes_delivered"],
        "bits_per_second": _rate(flow["bytes_delivered"], duration_s),
    }
    sent = {**total, "retransmits": flow["retransmits"]}
    rtts_us = np.array([rtt_us for stream in streams if (rtt_us := stream.get("rtt", 0)) > 0], dtype=float)
    of_windows = {name: [stream[name] for stream in streams if name in stream] for name in ("snd_cwnd", "snd_wnd")}
    largest = {f"max_{name}": max(sizes) for name, sizes in of_windows.items() if sizes}
    of_rtts: dict[str, Callable[[Array], float]] = {"max_rtt": np.max, "min_rtt": np.min, "mean_rtt": np.mean}
    rtt = {name: round(reduce(rtts_us)) for name, reduce in of_rtts.items() if len(rtts_us)}
    idle = ("host_total", "host_user", "host_system", "remote_total", "remote_user", "remote_system")
    return {
        "streams": [
            {
                "sender": {"socket": SOCKET, **sent, **largest, **rtt, "sender": True},
                "receiver": {"socket": SOCKET, **total, "sender": True},
            }
        ],
        "sum_sent": {**sent, "sender": True},
        "sum_received": {**total, "sender": True},
        "cpu_utilization_percent": dict.fromkeys(idle, 0),
        "sender_tcp_congestion": flow["algorithm"],
        "receiver_tcp_congestion": flow["algorithm"],
    }


def _rate(payload_bytes: int, seconds: float) -> float:
    return payload_bytes * 8 / seconds if seconds > 0 else 0.0
