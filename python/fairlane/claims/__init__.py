"""Claims of papers as predicates over what was measured, and the verdicts that follow.

    >>> from fairlane.claims import Figure
    >>> bbr, cubic = Figure.of("bbr, RTT", [21.0, 22.0, 21.5, 21.0]), Figure.of("cubic, RTT", [40.0, 41.0, 39.0, 40.0])
    >>> (bbr < cubic).verdict
    <Verdict.HOLDS: 'holds'>
    >>> (bbr * 2 < cubic).verdict
    <Verdict.FAILS: 'fails'>

What belongs here: figures with the chance that is in them, comparisons of figures, and the logic of three values that
puts comparisons together. The claims themselves stand beside the experiments, in `studies/PAPER/claims.py`
or the folder `studies/PAPER/claims`.
"""

from fairlane.claims.claim import Claim, ClaimError, Claims
from fairlane.claims.evidence import Evidence, NotMeasured, Runs
from fairlane.claims.figure import Figure, about, between
from fairlane.claims.judgement import Judgement, Sample, Verdict, all_of, any_of, at_least, most, negated
from fairlane.claims.loading import load
from fairlane.claims.verdict import Ruling, Status, rule

__all__ = [
    "Claim",
    "ClaimError",
    "Claims",
    "Evidence",
    "Figure",
    "Judgement",
    "NotMeasured",
    "Ruling",
    "Runs",
    "Sample",
    "Status",
    "Verdict",
    "about",
    "all_of",
    "any_of",
    "at_least",
    "between",
    "load",
    "most",
    "negated",
    "rule",
]
