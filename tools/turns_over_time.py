"""Draws Figure 10 of Lin et al. 2019 over time: ACK blocks, packets in a block, and gaps between segments.

    fairlane reproduce lin2019 --only performance-wifi-2g4 --results results/lin2019
    python -m tools.turns_over_time results/lin2019 -o figure-10.png

The first run of CUBIC and of BBR is simulated again, its packets are captured at the sender as by tcpdump, and each
second of the capture gives the number of ACK blocks, the mean packets in one, and the mean gap between two data
segments with no ACK in between (6.1.1). The values go into a CSV file beside the picture.
"""

import argparse
import csv
import math
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import fairlane
from fairlane.results.captures.files import packets
from fairlane.results.captures.headers import Segment, segment
from fairlane.show.plots.canvas import canvas, dress

ALGORITHMS = ("cubic", "bbr")
SECOND_NS = 1_000_000_000


@dataclass
class Second:
    """One second of a sender's trace."""

    blocks: int = 0
    acks: int = 0
    gaps: int = 0
    gap_ns: int = 0

    @property
    def values(self) -> tuple[float, float, float]:
        """ACK blocks, packets in a block, gap in ms; NaN where there are none."""
        per_block = self.acks / self.blocks if self.blocks else math.nan
        return float(self.blocks), per_block, self.gap_ns / 1e6 / self.gaps if self.gaps else math.nan


def seconds(trace: Iterable[Segment]) -> list[Second]:
    """The seconds of a trace at the data sender, in the order in which packets passed.

    A block is a run of packets without data from the receiver, with no data packet of the sender in between; a gap is
    the time between two data packets with no packet of the receiver in between.
    """
    every = list(trace)
    sender = next((one.source for one in every if one.payload_bytes), None)
    found: list[Second] = []
    in_block = False
    sent_ns: int | None = None
    for one in every:
        while len(found) <= one.t_ns // SECOND_NS:
            found.append(Second())
        now = found[one.t_ns // SECOND_NS]
        if one.source == sender and one.payload_bytes:
            if sent_ns is not None:
                now.gaps += 1
                now.gap_ns += one.t_ns - sent_ns
            sent_ns, in_block = one.t_ns, False
        elif one.destination == sender and not one.payload_bytes:
            now.blocks += not in_block
            now.acks += 1
            sent_ns, in_block = None, True
    return found


def captured(results: fairlane.Results, algorithm: str) -> list[Second]:
    """The seconds of the first run of an algorithm, simulated again."""
    with tempfile.TemporaryDirectory() as folder:
        where = {"algorithm": algorithm, "repeat": 0}
        files = results.export("pcapng", Path(folder), where=where, at="sender", payload_bytes=0)
        return seconds(one for file in files for packet in packets(file) if (one := segment(packet)) is not None)


def draw(path: Path, found: Sequence[tuple[str, Sequence[Second]]]) -> None:
    """Three panels for each algorithm, one below the other."""
    labels = ("ACK blocks/s", "packets/block", "gap, ms")
    with canvas(path, 7.0, 4.2, "Turns of the channel, second by second") as made:
        axes = made.subplots(len(labels), len(found), sharex=True, squeeze=False)
        for column, (name, rows) in enumerate(found):
            axes[0][column].set_title(name)
            for row, label in enumerate(labels):
                axis = axes[row][column]
                axis.plot(range(len(rows)), [one.values[row] for one in rows])
                axis.set_ylim(bottom=0)
                dress(axis, "time, s" if row == len(labels) - 1 else None, label if column == 0 else None)


def main() -> None:
    """Writes the picture and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="folder of results with flows over Wi-Fi")
    parser.add_argument("--experiment", default="performance-wifi-2g4")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the picture")
    given = parser.parse_args()
    results = fairlane.open(given.results, given.experiment)
    found = [(name, captured(results, name)[:-1]) for name in ALGORITHMS]  # the last second is not a whole one
    draw(given.out, found)
    with given.out.with_suffix(".csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["algorithm", "second", "ack_blocks", "packets_per_ack_block", "segment_gap_ms"])
        for name, one in found:
            rows.writerows([name, at, *second.values] for at, second in enumerate(one))


if __name__ == "__main__":
    main()
