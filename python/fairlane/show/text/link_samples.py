"""The samples and the report of a real-time link: as lines of a terminal, and as CSV."""

from collections.abc import Mapping
from typing import Any, TextIO

from fairlane.runs.emulation.selfcheck import disturbances
from fairlane.show.text.terminal import print_live

_COLUMNS = ("throughput_mbps", "queue_bytes", "queue_delay_ms", "dropped_packets", "marked_packets")


class Samples:
    """Writes and shows the samples of the links."""

    def __init__(self, log: TextIO, *, shows: bool) -> None:
        self.log, self.shows = log, shows
        log.write(",".join(("t_s", "link", *_COLUMNS)) + "\n")

    def add(self, sample: Mapping[str, Any]) -> None:
        """Writes one down, and shows it."""
        for name, link in sample["links"].items():
            values = ("" if link[column] is None else f"{link[column]:g}" for column in _COLUMNS)
            self.log.write(f"{sample['t_s']:g},{name},{','.join(values)}\n")
        if self.shows:
            print_live(live_line(sample))


def live_line(sample: Mapping[str, Any]) -> str:
    """Rate, queue and drops of each link at this moment.

    >>> link = {"throughput_mbps": 19.96, "queue_bytes": 30000, "queue_delay_ms": 12.0, "dropped_packets": 3}
    >>> live_line({"t_s": 1.5, "links": {"down": {**link, "marked_packets": 0}}})
    '1.5 s  down 20.0 Mbit/s, queue 30 kB, 12.0 ms, 3 dropped'
    """
    links = (f"{name} {_link_line(link)}" for name, link in sample["links"].items())
    return f"{sample['t_s']:.1f} s  " + "; ".join(links)


def _link_line(link: Mapping[str, Any]) -> str:
    words = [f"{link['throughput_mbps']:.1f} Mbit/s, queue {link['queue_bytes'] / 1000:.0f} kB"]
    if link["queue_delay_ms"] is not None:
        words.append(f"{link['queue_delay_ms']:.1f} ms")
    words += [f"{link[f'{what}_packets']} {what}" for what in ("dropped", "marked") if link[f"{what}_packets"]]
    return ", ".join(words)


def report_lines(report: Mapping[str, Any]) -> list[str]:
    """The measurements, and disturbances that make them doubtful."""
    if not report:
        return []
    lines = []
    for link in report["links"]:
        mbps = link["transmitted_bytes"] * 8e-6 / report["duration_s"]
        delay = "" if link["p99_queue_delay_ms"] is None else f", 99 % below {link['p99_queue_delay_ms']:.1f} ms"
        median = "" if delay == "" else f", queue delay {link['median_queue_delay_ms']:.1f} ms{delay}"
        counts = ", ".join(f"{link[f'{what}_packets']} {what}" for what in ("dropped", "marked", "lost"))
        lines.append(f"{link['name']}: {mbps:.2f} Mbit/s{median}, {counts}")
    late = report["lateness"]
    lines.append(f"lateness: median {late['median_us']:.0f} us, 99 % below {late['p99_us']:.0f} us")
    return lines + [f"warning: {reason}" for reason in disturbances(report)]
