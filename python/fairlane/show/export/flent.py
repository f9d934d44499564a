"""Flent's data file (`.flent.gz`, format 4), as its test `tcp_nup` leaves it: N uploads and a ping, one file per run.

Flent opens it with that test's plots. Nothing is pinged in a simulation; the series `Ping (ms) ICMP` holds the mean
RTT of all flows' packets in each step, as the file's note says.
"""

import gzip
import json
import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import np
from fairlane.results.metrics.subject import Array, Flow, Run
from fairlane.results.store.scenario_form import scenario as stored_scenario
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import MOST_SAMPLES
from fairlane.show.export.file_names import (
    ExportError,
    Json,
    Tell,
    file_name,
    places,
    sampled_runs,
    title_of,
    write,
)
from fairlane.show.export.iperf3 import finished_at

SUFFIX = ".flent.gz"
FORMAT = 4
FLENT_VERSION = "2.3.0"
"""Of the Flent whose files these are like."""
TEST = "tcp_nup"
PING = "Ping (ms) ICMP"
NOTE = "Simulated by Fairlane. No ping was sent: the ping series is the mean RTT of the flows' packets."
RAW = {
    "val": ("mbps", 1.0),
    "tcp_cwnd": ("cwnd_packets", 1.0),
    "tcp_rtt": ("rtt_ms", 1.0),
    "tcp_pacing_rate": ("pacing_mbps", 1.0),
    "tcp_delivery_rate": ("mbps", 1.0),
}
"""Flent's names of our series."""


def export(results: ResultTables, out: Path, filters: Mapping[str, Any], tell: Tell) -> list[Path]:
    """Writes a file for each run, with the flows of which there are samples."""
    found = sampled_runs(results, filters, tell)
    paths = places((file_name(results, run) for run in found), out, SUFFIX, tell)
    for path, run in zip(paths, found, strict=True):
        content = json.dumps(document(run, title_of(results, run), path.name)).encode()
        write(path, gzip.compress(content, mtime=0))
    return paths


def document(run: Run, title: str, name: str) -> Json:
    """The content of the file."""
    scenario = stored_scenario(run["scenario"])
    step_s = (scenario.get("series_interval_ns") or 0) / 1e9
    count = int(scenario["duration_ns"] / 1e9 / step_s + 1e-6) if step_s else 0
    if not count:
        raise ExportError(f"{title}: no sample was taken; shorten metrics.interval")
    if count > MOST_SAMPLES:
        raise ExportError(f"{title}: {count:,} samples, more than a run can have; remove these results")
    begun = finished_at(run)
    flows = {f"TCP upload::{number}": flow for number, flow in enumerate(run.flows, 1)}
    rates = {name: _steps(flow, "mbps", count, step_s) for name, flow in flows.items()}
    series = rates | _together(list(rates.values())) | {PING: _ping(run.flows, count, step_s)}
    length_s = scenario["duration_ns"] / 1e9
    return {
        "version": FORMAT,
        "metadata": {
            "NAME": TEST,
            "TITLE": title,
            "NOTE": NOTE,
            "TIME": _date(begun),
            "T0": _date(begun),
            "HOST": "10.1.0.1",
            "HOSTS": ["10.1.0.1"],
            "LOCAL_HOST": "fairlane",
            "LENGTH": length_s,
            "TOTAL_LENGTH": length_s,
            "STEP_SIZE": step_s,
            "TEST_PARAMETERS": {"upload_streams": str(len(flows))},
            "FLENT_VERSION": FLENT_VERSION,
            "FAIRLANE_VERSION": run["fairlane"],
            "IP_VERSION": 4,
            "DATA_FILENAME": name,
            "SERIES_META": {
                name: _meta(values, "Idx" if name.endswith("fairness") else "ms" if name == PING else "Mbits/s")
                for name, values in series.items()
            }
            | {
                name: _meta(rates[name], "Mbits/s")
                | {
                    "CONG_CONTROL": flow["algorithm"],
                    "TCP_MSS": flow["mss_bytes"],
                    "TCP_RETRANSMIT": flow["retransmits"],
                    "BYTES_SENT": flow["bytes_delivered"],
                }
                for name, flow in flows.items()
            },
        },
        "x_values": [round(number * step_s, 9) for number in range(1, count + 1)],
        "results": {name: _plain(values) for name, values in series.items()},
        "raw_values": {name: _raw(flow, begun) for name, flow in flows.items()}
        | {PING: _raw_ping(series[PING], step_s, begun)},
    }


def _date(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _steps(flow: Flow, name: str, count: int, step_s: float) -> Array:
    """A series with a place for each step of the run; nan where the flow was not there."""
    steps = np.full(count, np.nan)
    places = np.rint(flow.series("t_s") / step_s).astype(int) - 1
    inside = (places >= 0) & (places < count)
    steps[places[inside]] = flow.series(name)[inside]
    return steps


def _together(rates: Sequence[Array]) -> dict[str, Array]:
    """Sum, mean and Jain's index of the flows that are there, step by step."""
    rows = np.array(rates)
    present = np.isfinite(rows).sum(axis=0)
    some = present > 0
    total, squares = np.nansum(rows, axis=0), np.nansum(rows**2, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "TCP upload sum": np.where(some, total, np.nan),
            "TCP upload avg": np.where(some, total / present, np.nan),
            "TCP upload fairness": np.where(squares > 0, total**2 / (present * squares), np.nan),
        }


def _ping(flows: Sequence[Flow], count: int, step_s: float) -> Array:
    rows = np.array([_steps(flow, "packet_rtt_ms", count, step_s) for flow in flows])
    present = np.isfinite(rows).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(present > 0, np.nansum(rows, axis=0) / present, np.nan)


def _meta(values: Array, units: str) -> Json:
    present = values[np.isfinite(values)]
    return {"UNITS": units, "MEAN_VALUE": float(present.mean()) if len(present) else None, "IDX": 0}


def _raw(flow: Flow, begun: datetime) -> list[dict[str, float | None]]:
    columns = {name: flow.series(column) * scale for name, (column, scale) in RAW.items()}
    times_s = flow.series("t_s")
    lengths_s = np.diff(times_s, prepend=float(flow["start_s"]))
    return [
        {
            "t": _seconds(begun, float(time_s)),
            "dur": float(length_s),
            **{name: _number(float(values[at])) for name, values in columns.items()},
        }
        for at, (time_s, length_s) in enumerate(zip(times_s, lengths_s, strict=True))
    ]


def _raw_ping(values: Array, step_s: float, begun: datetime) -> list[dict[str, float | None]]:
    return [
        {"t": _seconds(begun, (place + 1) * step_s), "val": float(value), "seq": float(place)}
        for place, value in enumerate(values)
        if np.isfinite(value)
    ]


def _seconds(begun: datetime, after_s: float) -> float:
    return (begun + timedelta(seconds=after_s)).timestamp()


def _plain(values: Array) -> list[float | None]:
    return [_number(float(value)) for value in values]


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
