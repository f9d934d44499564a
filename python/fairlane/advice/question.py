"""The experiment that answers: candidates, duration and repeats, as large as the time allows."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fairlane import units
from fairlane.experiment.load import LoadedExperiment, load
from fairlane.sweep.work import work

ALGORITHMS = ("cubic", "bbr", "bbr3")
"""Linux's default, the other one that is widely deployed, and its successor."""
BUFFERS = ("0.5bdp", "1bdp", "4bdp")
DISCIPLINES = ("codel", "fq_codel")
"""With tc's defaults."""
REPEATS = (7, 5)
LEAST_BUFFER_BYTES = 3028
"""Two frames."""
AFFORDABLE_S = 8.0
"""Expected CPU time on the development machine; half of what an answer may take on a slower one."""
LENGTHS = (400, 200, 100, 50)
"""Duration of a run in round-trip times; the first quarter is warm-up."""
MOST_S, LEAST_S = Fraction(30), Fraction(1, 5)


@dataclass(frozen=True)
class Question:
    """An experiment file, and what it was reduced to."""

    text: str
    experiment: LoadedExperiment
    cpu_s: float


def ask(
    settings: Mapping[str, str],
    flows: int,
    *,
    algorithms: Sequence[str] = ALGORITHMS,
    seed: int = 1,
) -> Question:
    """The largest experiment that is affordable. Raises ExperimentError or QuantityError for impossible settings."""
    rtt_ns, rate_bps = units.positive_time_ns(settings["rtt"]), units.rate_bps(settings["rate"])
    queues = _queues(settings.get("buffer"), rate_bps, rtt_ns)
    asked = None
    for repeats in REPEATS:
        for length in LENGTHS:
            seconds = min(MOST_S, max(LEAST_S, Fraction(length * rtt_ns, 10**9)))
            text = _file(settings, flows, algorithms, queues, seconds, repeats, seed)
            if asked and text == asked.text:
                continue
            experiment = load(tomllib.loads(text))
            one = sum(work(point.point.repeat(0)).seconds for point in experiment.points)
            asked = Question(text, experiment, one * repeats)
            if asked.cpu_s <= AFFORDABLE_S:
                return asked
    assert asked is not None
    return asked


def _queues(buffer: str | None, rate_bps: int, rtt_ns: int) -> dict[str, str]:
    """Labels, and values as TOML. A given buffer is the only one of the FIFO."""
    sizes = [buffer] if buffer else list(BUFFERS)
    usable = [
        size for size in sizes if buffer or units.buffer(size).as_bytes(rate_bps, rtt_ns) >= LEAST_BUFFER_BYTES
    ] or ["2p"]
    fifos = {f"fifo {size}": f'{{ kind = "fifo", limit = "{size}" }}' for size in usable}
    return fifos | {kind: f'"{kind}"' for kind in DISCIPLINES}


def _file(
    settings: Mapping[str, str],
    flows: int,
    algorithms: Sequence[str],
    queues: Mapping[str, str],
    seconds: Fraction,
    repeats: int,
    seed: int,
) -> str:
    network = {name: settings[name] for name in ("rate", "rtt", "loss") if name in settings}
    lines = [
        "# advice.toml",
        'title = "Which algorithm and queue suit this link?"',
        f'duration = "{float(seconds):g}s"',
        f"repeats = {repeats}",
        f"seed = {seed}",
        "",
        "[network]",
        *(f'{name} = "{value}"' for name, value in network.items()),
    ]
    if "reverse_rate" in settings:
        lines.append(f'reverse = {{ rate = "{settings["reverse_rate"]}", buffer = "1000p" }}')
    return "\n".join(
        [
            *lines,
            "",
            "[[flows]]",
            'name = "flow"',
            f'algorithm = "{algorithms[0]}"',
            f"count = {flows}",
            "",
            "[metrics]",
            f'warm_up = "{float(seconds / 4):g}s"',
            f'interval = "{float(seconds / 200):g}s"',
            "",
            "[sweep]",
            f'"flows.*.algorithm" = [{", ".join(_quoted(name) for name in algorithms)}]',
            "",
            '[sweep."network.queue"]',
            f"labels = [{', '.join(_quoted(label) for label in queues)}]",
            f"values = [{', '.join(queues.values())}]",
            "",
        ]
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
