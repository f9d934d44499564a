"""Section 3: background, much of it cited; some of it the experiments can judge all the same."""

from fairlane.study.claims import Evidence, Judgement, any_of

from . import (
    AQMS,
    CITED,
    CLAIMS,
    JAIN,
    RETRANSMISSIONS,
    cell,
    cells,
    claim,
    differences,
    every,
    over,
    rates_with,
    utilisation,
    value,
)

for number in (1, 2, 7):
    CLAIMS.untestable(f"elephants2023-s3-{number}", CITED)


@claim("elephants2023-s3-3")
def bbr_runs_into_timeouts(evidence: Evidence) -> Judgement:
    """With losses: RED and FQ-CoDel."""
    return any_of(runs["timeouts"] > 0 for aqm in AQMS[1:] for runs in cells(evidence, aqm, [("bbr", "bbr")]))


@claim("elephants2023-s3-4")
def bbr2_retransmits_less_and_shares_better(evidence: Evidence) -> Judgement:
    """On average over all configurations against CUBIC."""

    def less(metric: str) -> list[float]:
        both = (cells(evidence, aqm, [(name, "cubic")]) for name in ("bbr2", "bbr") for aqm in AQMS)
        values = [value(runs[metric]) for part in both for runs in part]
        half = len(values) // 2
        return [second - first for second, first in zip(values[:half], values[half:], strict=True)]

    return every([RETRANSMISSIONS, JAIN], lambda metric: _better(metric, less(metric)))


def _better(metric: str, differences: list[float]) -> Judgement:
    figure = over(f"bbr2 less bbr, {metric}", differences)
    return figure > 0 if metric == JAIN else figure < 0


@claim("elephants2023-s3-5")
def bbr2_is_fairer_in_small_buffers(evidence: Evidence) -> Judgement:
    """Against CUBIC with 0.5 BDP, on average over the rates that were run with it."""
    rates = rates_with(evidence, 0.5)
    jain = {
        name: [value(cell(evidence, "fifo", (name, "cubic"), rate, 0.5)[JAIN]) for rate in rates]
        for name in ("bbr", "bbr2")
    }
    return over("bbr2 less bbr, index", [b - a for a, b in zip(jain["bbr"], jain["bbr2"], strict=True)]) > 0


@claim("elephants2023-s3-6")
def reno_is_poor_on_fast_paths(evidence: Evidence) -> Judgement:
    """Less than 90 % of 25 Gbps, alone with a FIFO."""
    return every(cells(evidence, "fifo", [("reno", "reno")], [25_000]), lambda runs: utilisation(runs) < 0.9)


@claim("elephants2023-s3-8")
def htcp_is_prone_to_unfairness(evidence: Evidence) -> Judgement:
    """Its index against CUBIC is below that of two HTCP senders, on average over rates and AQMs with 2 and 16 BDP."""
    mixed, alone = (
        [value(runs[JAIN]) for aqm in AQMS for runs in cells(evidence, aqm, [pair], buffers=[2, 16])]
        for pair in (("htcp", "cubic"), ("htcp", "htcp"))
    )
    return over("index of htcp and cubic less that of two htcp senders", differences(mixed, alone)) < 0
