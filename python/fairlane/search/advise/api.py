"""`fairlane.advise`: the command of that name as a function."""

from collections.abc import Sequence

from fairlane.engine.messages import unknown
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.links import link as typical
from fairlane.scenario.units import QuantityError
from fairlane.search.advise.answer import Advice
from fairlane.search.advise.answer import advise as answer
from fairlane.search.advise.question import ALGORITHMS, OBJECTIVES


def advise(
    *,
    link: str | None = None,
    rate: str | None = None,
    rtt: str | None = None,
    loss: str | None = None,
    reverse_rate: str | None = None,
    buffer: str | None = None,
    flows: int = 2,
    want: str = "balance",
    algorithms: Sequence[str] | None = None,
    seed: int = 1,
) -> Advice:
    """Recommends a congestion control, a queue discipline and a buffer size for a link.

    `link` is a typical link (docs/reference/links.md), whose values other arguments replace; quantities are those of
    the command line (rate="50mbit"). `want` is "balance", "latency", "throughput" or "fairness". Without `algorithms`
    the candidates are cubic, bbr and bbr3, and those that the typical link adds. Takes up to half a minute. Raises
    ExperimentError for a link that cannot be.
    """
    if want not in OBJECTIVES:
        raise ExperimentError([unknown("objective", want, OBJECTIVES)])
    known = typical(link) if link else None
    settings = {name: value for name, value in (known.settings if known else {}).items() if name != "buffer"}
    given = {"rate": rate, "rtt": rtt, "loss": loss, "reverse_rate": reverse_rate, "buffer": buffer}
    settings |= {name: value for name, value in given.items() if value is not None}
    for name, example in (("rate", "100mbit"), ("rtt", "20ms")):
        if name not in settings and not (name == "rate" and "wifi" in settings):
            raise ExperimentError([f'{name}: is missing; write for example {name}="{example}", or name a typical link'])
    try:
        chosen = algorithms or [*ALGORITHMS, *(known.algorithms if known else ())]
        queues = known.queues if known else None
        return answer(settings, flows=flows, want=want, algorithms=chosen, queues=queues, seed=seed)
    except QuantityError as error:
        raise ExperimentError([str(error)]) from None
