"""Counts of verdicts: of one study in a sentence, of several in a table."""

from collections.abc import Mapping, Sequence

from fairlane.show.text.aligned import LEFT, RIGHT, text_table
from fairlane.study.claims import ClaimVerdict, Status, Verdict
from fairlane.study.claims.claim import Cause
from fairlane.study.claims.tally import Tally
from fairlane.study.claims.verdict import OPEN

WORDS = {Status.HOLDS: ("holds", "hold"), Status.FAILS: ("fails", "fail")}
"""The verb of a status, for one claim and for several."""


def sentence(verdicts: Sequence[ClaimVerdict]) -> str:
    """The numbers of claims that hold, fail, ..., and of those that hold on numbers to which a testbed was fitted.

    >>> sentence([])
    'Claims: none'
    """
    tally = Tally(verdicts)
    counted = [
        holding(tally) if status is Status.HOLDS else f"{count} {_word(status, count)}"
        for status in Status
        if (count := tally.count(status))
    ]
    text = f"Claims: {', '.join(counted) or 'none'}"
    if tally.calibrated_everywhere:
        text += f"; {tally.calibrated_everywhere} of the fitted hold at every setting of their testbeds"
    failing = [one for one in verdicts if one.status is Status.FAILS and one.supported is Verdict.FAILS]
    return f"{text}; {len(failing)} of those that fail also fail on the paper's own numbers" if failing else text


def holding(tally: Tally) -> str:
    """The claims that hold, and how many of them a fit may have made to hold: "51 hold, 22 of them fitted"."""
    count = tally.count(Status.HOLDS)
    return f"{count} {_word(Status.HOLDS, count)}, {tally.calibrated} of them fitted"


def _word(status: Status, count: int) -> str:
    return WORDS[status][count != 1] if status in WORDS else str(status)


def tally_text(tallies: Mapping[str, Tally]) -> str:
    """A row for each study, by its title, and their sum."""
    head = [
        ("study", LEFT),
        ("not\ncontradicted", RIGHT),
        ("of these\nhold", RIGHT),
        ("all\nhold", RIGHT),
        ("of these\ncalibrated", RIGHT),
        ("fail", RIGHT),
        ("un-\ndecided", RIGHT),
        *((str(cause), RIGHT) for cause in Cause),
    ]
    rows = [_row(title, one) for title, one in tallies.items()]
    together = Tally([verdict for one in tallies.values() for verdict in one.verdicts])
    if len(rows) > 1:
        rows.append(_row("together", together))
    unexplained, no_testbed = (
        sum(together.count(status, cause) for status in OPEN) for cause in (Cause.UNEXPLAINED, Cause.NO_TESTBED)
    )
    return (
        f"{text_table(head, rows)}\n\n"
        '"Not contradicted": tested claims that the paper\'s own numbers do not contradict.\n'
        "Under each cause: claims that fail + claims that are undecided.\n"
        f'"{Cause.NO_TESTBED}": they fail at every value that the study gives to the unknowns of their testbeds.\n'
        f"Claims without an explanation: {unexplained}; with those of no testbed: {unexplained + no_testbed}."
    )


def _row(title: str, one: Tally) -> list[str]:
    counts = (one.uncontradicted, one.holds_uncontradicted, one.count(Status.HOLDS), one.calibrated)
    causes = ["+".join(str(one.count(status, cause)) for status in OPEN) for cause in Cause]
    return [title, *map(str, counts), *(str(one.count(status)) for status in OPEN), *causes]
