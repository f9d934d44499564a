"""Test cases judged by qlog files: logs of a QUIC sender in the network of a case."""

import hashlib
import json
import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.engine.messages import unknown
from fairlane.files import FileError
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.search.breaks.objectives import OF_MEMORY, NoValue
from fairlane.search.evidence.criteria import Test, networks
from fairlane.search.evidence.evidence import Evidence, Question
from fairlane.search.evidence.judge import JudgedCriterion, JudgedTest, Pair, judged
from fairlane.search.evidence.measures import Value

LOGS = "logs"
"""The name of what is judged."""
_MOST_BYTES = 1 << 29
_MOST_VALUES = 20_000_000
"""In a log: a value takes up to 100 bytes of memory."""
_STATES = {"startup": 0, "drain": 1, "rtt": 6, "down": 2, "cruise": 3, "refill": 4, "up": 5}
"""The numbers of BBR's states in criteria, by the first of these words in the name of a state."""


@dataclass(frozen=True)
class Log:
    """A sender's log (draft-ietf-quic-qlog-quic-events; versions from 0.3 on)."""

    path: Path
    warm_up_ms: float

    @cached_property
    def digest(self) -> str:
        """Identifies the content."""
        return hashlib.blake2b(self._content, digest_size=16).hexdigest()

    @cached_property
    def _content(self) -> bytes:
        return files.content(self.path, "name a qlog file", at_most=_MOST_BYTES)

    def value(self, name: str) -> float:
        """A metric that a log shows. Raises NoValue, or ExperimentError if it is no log."""
        known = {
            "goodput_mbps": self._goodput_mbps,
            "loss_rate_pct": self._loss_rate_pct,
            "mean_cwnd_packets": self._mean_cwnd_packets,
        }
        found = OF_MEMORY.fullmatch(name)
        try:
            value = self._of_state(found) if found and found[2] == "state.mode" else known.get(name, lambda: None)()
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, ExperimentError | FileError):
                raise
            remedy = "compare it with draft-ietf-quic-qlog-quic-events"
            raise ExperimentError([f"{self.path}: has an event of another form than qlog's; {remedy}"]) from None
        if value is None:
            raise NoValue(name)
        return value

    @cached_property
    def _events(self) -> list[tuple[float, str, Mapping[str, Any]]]:
        """Time since the first event in ms, name without its namespace, and data."""
        content = self._content
        if sum(map(content.count, (b",", b"[", b"{"))) > _MOST_VALUES:
            raise ExperimentError([f"{self.path}: holds more than {_MOST_VALUES:,} values; log a shorter run"])
        try:
            found = list(_events(content.decode()))
            begin = found[0][0]
            return [(time - begin, name, data) for time, name, data in found]
        except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError):
            raise ExperimentError([f"{self.path}: is no qlog with events; write one at the sender"]) from None

    def _named(self, name: str) -> list[tuple[float, Mapping[str, Any]]]:
        return [(time, data) for time, event, data in self._events if event == name]

    @property
    def _end_ms(self) -> float:
        return self._events[-1][0]

    def _counted(self, name: str) -> int:
        return sum(time >= self.warm_up_ms for time, _ in self._named(name))

    def _loss_rate_pct(self) -> float | None:
        sent = self._counted("packet_sent")
        return 100 * self._counted("packet_lost") / sent if sent else None

    def _goodput_mbps(self) -> float | None:
        """Bytes of streams in packets that were acknowledged."""
        waiting: dict[int, int] = {}
        numbers: list[int] = []  # of the same packets, in order
        acknowledged = 0
        for time, event, data in self._events:
            if event == "packet_sent" and data["header"].get("packet_type") in ("1RTT", "0RTT"):
                number, frames = int(data["header"]["packet_number"]), data.get("frames", [])
                if number not in waiting:
                    insort(numbers, number)
                waiting[number] = sum(int(one.get("length", 0)) for one in frames if one["frame_type"] == "stream")
            elif event == "packet_received" and data["header"].get("packet_type") == "1RTT":
                acks = [one["acked_ranges"] for one in data.get("frames", []) if one["frame_type"] == "ack"]
                for first, *_, last in ([one[0], *one] for ranges in acks for one in ranges):
                    begin, end = bisect_left(numbers, first), bisect_right(numbers, last)
                    stream_bytes = sum(waiting.pop(number) for number in numbers[begin:end])
                    acknowledged += stream_bytes if time >= self.warm_up_ms else 0
                    del numbers[begin:end]
        span_ms = self._end_ms - self.warm_up_ms
        return acknowledged * 8 / span_ms / 1e3 if acknowledged and span_ms > 0 else None

    def _mean_cwnd_packets(self) -> float | None:
        """Over time, in packets of the largest length that was sent."""
        steps = [
            (time, data["congestion_window"])
            for time, data in self._named("metrics_updated")
            if "congestion_window" in data
        ]
        lengths = [int(data.get("raw", {}).get("length", 0)) for _, data in self._named("packet_sent")]
        span_ms = self._end_ms - self.warm_up_ms
        if not steps or not max(lengths, default=0) or span_ms <= 0:
            return None
        ends = [*(time for time, _ in steps[1:]), self._end_ms]
        area = sum(
            window * max(0.0, end - max(begin, self.warm_up_ms))
            for (begin, window), end in zip(steps, ends, strict=True)
        )
        return float(area / span_ms / max(lengths))

    def _of_state(self, wanted: re.Match[str]) -> float | None:
        changes = [(time, _state(str(data["new"]))) for time, data in self._named("congestion_state_updated")]
        steps = [(time, state) for time, state in changes if state is not None]
        numbers = [int(one) for one in wanted[3].split(", ")[1:]]
        if not steps:
            return None
        if wanted[1] == "last":
            return float(steps[-1][1])
        if wanted[1] == "steps":
            states = [state for _, state in steps]
            return float(sum([first, then] == numbers for first, then in pairwise(states)))
        if wanted[1] != "share" or self._end_ms <= self.warm_up_ms:
            return None
        ends = [*(time for time, _ in steps[1:]), self._end_ms]
        spans = [
            (state, max(0.0, end - max(begin, self.warm_up_ms)))
            for (begin, state), end in zip(steps, ends, strict=True)
        ]
        return sum(span for state, span in spans if state == numbers[0]) / (self._end_ms - self.warm_up_ms)


def _state(name: str) -> int | None:
    """The number of a state of BBR.

    >>> [_state(name) for name in ("bbr_startup", "ProbeBW_UP", "PROBE_BW_DOWN", "probe_rtt", "recovery")]
    [0, 5, 2, 6, None]
    """
    return next((number for word, number in _STATES.items() if word in name.lower()), None)


def _events(text: str) -> Iterator[tuple[float, str, Mapping[str, Any]]]:
    """Of JSON text sequences, or of one JSON object with traces."""
    if text.lstrip("\x1e \n").startswith("{") and "\x1e" not in text and text.count("\n{") == 0:
        [trace] = json.loads(text)["traces"]
        common, events = trace.get("common_fields", {}), trace["events"]
    else:
        header, *events = [json.loads(one) for one in re.split(r"\x1e|\n", text) if one.strip()]
        common = header["trace"].get("common_fields", {})
    is_delta = common.get("time_format") in ("delta", "relative_to_previous_event")
    now = 0.0
    for event in events:
        now = now + float(event["time"]) if is_delta else float(event["time"])
        yield now, str(event["name"]).rpartition(":")[2].removeprefix("recovery_"), event["data"]


def gather(question: Question, logs: Mapping[str, Sequence[Path]]) -> Evidence:
    """Judges the cases of the experiments that have logs, by file name without `.toml`. Raises ExperimentError."""
    chosen = question.criteria.chosen(question.only)
    known = dict.fromkeys(Path(test.experiment).stem for one in chosen for test in one.tests)
    for name in logs:
        if name not in known:
            raise ExperimentError([f"--qlog: {unknown('experiment', name, known)}"])
    opened: dict[str, list[Log]] = {}
    for one in chosen:
        for test in one.tests:
            name = Path(test.experiment).stem
            if name in logs and name not in opened:
                point = networks(question.criteria.folder, test, question.against).points[0]
                opened[name] = [Log(path, point.point.repeat(0).get("warm_up_ns", 0) / 1e6) for path in logs[name]]
    judgements = [JudgedCriterion(one, [_test(test, opened) for test in one.tests]) for one in chosen]
    every = [log for some in opened.values() for log in some]
    return Evidence(question, judgements, len(every), logs={str(log.path): log.digest for log in every})


def _test(test: Test, opened: Mapping[str, Sequence[Log]]) -> JudgedTest:
    name = Path(test.experiment).stem
    if name not in opened or test.relative:
        return JudgedTest(test, [], "is relative to another run" if test.relative else f"no log of {name} was given")
    some = opened[name]

    def value_of(_: object, repeat: int) -> Value:
        number = test.objective.value({"": some[repeat]})
        return Value(number, "" if number is not None else f"{test.value} is not in the log")

    return JudgedTest(test, [judged(test, Pair("logs", [name], None), len(some), value_of, 1)])
