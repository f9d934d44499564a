"""`fairlane advise`: which algorithm, queue discipline and buffer size suit a link."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlane.cli.errors import RunFailed
from fairlane.cli.help import ExampleCommand
from fairlane.cli.request_options import bad_request, setting, settings
from fairlane.cli.types import NameList, OutputFile, QuantityText, WholeNumber
from fairlane.scenario import units
from fairlane.search.advise.question import OBJECTIVES
from fairlane.show.plots.figure import SUFFIXES
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.search.advise.answer import Advice, Candidate


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane advise --rate 50mbit --rtt 30ms",
        "fairlane advise --rate 300mbit --rtt 80ms --loss 0.1% --flows 5 --plot tradeoff.png",
        "fairlane advise --link lte --want latency --file advice.toml",
    ],
    groups={
        "The link": ["link", "rate", "rtt", "loss", "reverse_rate", "buffer"],
        "What is asked": ["flows", "want", "algorithms", "seed"],
        "Output": ["plot", "file", "as_json"],
    },
)
@settings("link")
@setting("rate", default="")
@setting("rtt", "Round-trip time without queues.", default="", type=QuantityText("TIME", units.positive_time_ns))
@setting("loss", default="")
@setting("reverse_rate", default="")
@setting("buffer", "Buffer size of a FIFO, if it cannot be chosen.")
@click.option("--flows", default="2", show_default=True, type=WholeNumber(1, 1000, 2), help="Number of bulk flows.")
@click.option(
    "--want", default=next(iter(OBJECTIVES)), show_default=True, metavar="|".join(OBJECTIVES), help="Objective."
)
@click.option("--algorithms", type=NameList(), help="Candidates.  [default: cubic,bbr,bbr3]")
@click.option("--seed", default="1", show_default=True, type=WholeNumber(0, 2**62, 1), help="Seed of the first repeat.")
@click.option("--plot", type=OutputFile(SUFFIXES), help="Plot goodput against delay; .png, .svg or .pdf.")
@click.option("--file", type=OutputFile((".toml",)), help="Write the experiment file instead of printing it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    flows: int,
    want: str,
    algorithms: list[str] | None,
    seed: int,
    plot: Path | None,
    file: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Recommend a congestion control, a queue discipline and a buffer size for a link.

    Simulates bulk flows with each candidate, several times, and compares goodput, queuing delay and fairness. Where
    confidence intervals overlap, there is no recommendation. Takes less than half a minute.
    """
    from fairlane.engine import ScenarioError
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.search.advise.answer import advise
    from fairlane.show.text.progress import meanwhile

    try:
        with meanwhile("simulating the candidates"):
            advice = advise(flows=flows, want=want, algorithms=algorithms, seed=seed, **settings)
    except ExperimentError as error:
        raise bad_request(error) from None
    except ScenarioError as error:
        raise RunFailed(str(error)) from None
    if plot:
        from fairlane.search.advise.answer import draw

        draw(plot, advice)
    if file:
        file.write_text(advice.file, encoding="utf-8")
    if as_json:
        echo(json.dumps(advice.as_dict()))
        return
    echo(_shown(advice, settings["link"], plot, file))


_NAMES = {"reverse_rate": "reverse rate", "wifi": "802.11"}


def _shown(advice: "Advice", link: str | None, plot: Path | None, file: Path | None) -> str:
    from fairlane.show.text.aligned import LEFT, RIGHT, text_table

    columns = [
        ("algorithm", LEFT),
        ("queue", LEFT),
        ("goodput\nMbps", RIGHT),
        (f"p95 {advice.delay_label}, ms".replace("queuing ", "queuing\n"), RIGHT),
    ]
    columns += [("Jain's\nindex", RIGHT)] if advice.flows > 1 else []
    columns += [("goodput/RTT\nMbps/ms", RIGHT), ("", LEFT)]
    best = "best" if len(advice.best) == 1 else "among the best"
    rows = [[*_cells(one, advice.flows), best if one in advice.best else ""] for one in advice.candidates]
    what = f"{link}: " if link else ""
    values = ", ".join(f"{_NAMES.get(name, name)} {value}" for name, value in advice.settings.items())
    flows = f"{advice.flows} bulk flow{'s' if advice.flows > 1 else ''}"
    sure = (
        f"Means of {advice.repeats} runs with 95 % confidence intervals. Best: {OBJECTIVES[advice.want]}, unless the "
        "difference may be below 2 %."
    )
    uploads = ", uploads of a station each, close to the access point" if "wifi" in advice.settings else ""
    assumed = (
        f"Assumed: {flows} of one algorithm{uploads}, that start together and last to the end; no other traffic. "
        "Disciplines with tc's defaults, unless their name says more."
    )
    parts = [f"{what}{values}, {flows}", text_table(columns, rows), advice.sentence, f"{sure}\n{assumed}"]
    parts += [f"plot: {plot}"] if plot else []
    parts.append(f"The same runs: fairlane run {file}" if file else f"The same runs, as a file:\n\n{advice.file}")
    return "\n\n".join(parts)


def _cells(one: "Candidate", flows: int) -> list[str]:
    values = [(one.goodput_mbps, 2), (one.delay_ms, 2), *([(one.jain, 3)] if flows > 1 else []), (one.power, 3)]
    return [one.algorithm, one.queue, *(_mean(numbers, digits) for numbers, digits in values)]


def _mean(values: tuple[float, ...], digits: int) -> str:
    """With the digits, or those that leave three significant ones of a small mean, and none of a large one."""
    from fairlane.results.metrics.summary import mean_of
    from fairlane.show.text.aligned import number

    mean = mean_of(values)
    if mean is None:
        return "-"
    if 0 < abs(mean.estimate) < 10**-digits * 100:
        digits = min(digits + 2, max(digits, 2 - math.floor(math.log10(abs(mean.estimate)))))
    elif abs(mean.estimate) >= 1000:
        digits = 0
    half = f" ±{number((mean.high - mean.low) / 2, digits)}" if mean.is_known else ""
    return number(mean.estimate, digits) + half
