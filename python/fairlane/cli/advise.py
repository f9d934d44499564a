"""`fairlane advise`: which algorithm, queue discipline and buffer size suit a link."""

import json
from pathlib import Path
from typing import Any

import click

from fairlane.cli.errors import RunFailed
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named
from fairlane.cli.request_options import bad_request, setting, settings
from fairlane.cli.types import NameList, OutputFile, QuantityText, WholeNumber
from fairlane.files import write_text
from fairlane.scenario import units
from fairlane.search.advise.question import DISCIPLINES, NOTHING, OBJECTIVES, PROBES
from fairlane.show.plots.figure import SUFFIXES
from fairlane.show.text.terminal import echo


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane advise --rate 50mbit --rtt 30ms",
        "fairlane advise --rate 300mbit --rtt 80ms --loss 0.1% --flows 5 --plot tradeoff.png",
        "fairlane advise --link lte --want latency --file advice.toml",
        "fairlane advise --rate 300mbit --up-rate 30mbit --rtt 20ms --want latency --beside call",
    ],
    groups={
        "The link": ["link", "rate", "up_rate", "rtt", "loss", "reverse_rate", "buffer"],
        "What is asked": ["flows", "beside", "want", "algorithms", "queues", "seed"],
        "Output": ["plot", "file", "as_json"],
    },
)
@settings("link")
@setting("rate", default="")
@setting("rtt", "Round-trip time without queues.", default="", type=QuantityText("TIME", units.positive_time_ns))
@setting("loss", default="")
@setting("reverse_rate", default="")
@click.option(
    "--up-rate",
    metavar="RATE",
    type=QuantityText("RATE", units.rate_bps),
    help="Rate of an uplink, with the same queue and as many bulk flows as the downlink.",
)
@setting("buffer", "Buffer size of a FIFO, if it cannot be chosen.")
@click.option("--flows", default="2", show_default=True, type=WholeNumber(1, 1000, 2), help="Number of bulk flows.")
@click.option(
    "--want", default=next(iter(OBJECTIVES)), show_default=True, metavar="|".join(OBJECTIVES), help="Objective."
)
@click.option(
    "--beside",
    metavar="|".join((*PROBES, NOTHING)),
    help="A flow beside the load whose delay counts.  [default: ping for latency, else nothing: the queuing delay]",
)
@click.option("--algorithms", type=NameList(), help="Candidates.  [default: cubic,bbr,bbr3]")
@click.option("--queues", type=NameList(), help=f"Candidates.  [default: fifo,{','.join(DISCIPLINES)}]")
@click.option("--seed", default="1", show_default=True, type=WholeNumber(0, 2**62, 1), help="Seed of the first repeat.")
@click.option("--plot", type=OutputFile(SUFFIXES), help="Plot goodput against delay; .png, .svg or .pdf.")
@click.option("--file", type=OutputFile((".toml",)), help="Write the experiment file instead of printing it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    flows: int,
    want: str,
    algorithms: list[str] | None,
    queues: list[str] | None,
    beside: str | None,
    up_rate: str | None,
    seed: int,
    plot: Path | None,
    file: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Recommend a congestion control, a queue discipline and a buffer size for a link.

    Simulates bulk flows with each candidate, several times, and compares goodput, delay and fairness. The delay is that
    of a ping, page or call beside them (--beside), or of the queue. Ends with the tc and sysctl lines of the
    recommendation. Where confidence intervals overlap, a second criterion decides. Takes less than half a minute.
    """
    from fairlane.engine import ScenarioError
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.search.advise.answer import advise
    from fairlane.show.text.progress import meanwhile

    for word in algorithms or []:
        algorithm_named(word, option="--algorithms")
    try:
        with meanwhile("simulating the candidates"):
            advice = advise(
                flows=flows,
                want=want,
                algorithms=algorithms,
                queues=queues,
                beside=beside,
                up_rate=up_rate,
                seed=seed,
                **settings,
            )
    except ExperimentError as error:
        raise bad_request(error) from None
    except ScenarioError as error:
        raise RunFailed(str(error)) from None
    from fairlane.search.advise.report import draw, report

    echo(json.dumps(advice.as_dict()) if as_json else report(advice, settings["link"], plot, file))
    if plot:  # after the answer, which an error would cost
        draw(plot, advice)
    if file:
        write_text(file, advice.file)
