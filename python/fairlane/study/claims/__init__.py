"""Claims of papers as predicates over measurements, and the resulting verdicts.

    >>> from fairlane.study.claims import Measurement
    >>> bbr = Measurement.of("bbr, RTT", [21.0, 22.0, 21.5, 21.0])
    >>> cubic = Measurement.of("cubic, RTT", [40.0, 41.0, 39.0, 40.0])
    >>> (bbr < cubic).verdict
    <Verdict.HOLDS: 'holds'>
    >>> (bbr * 2 < cubic).verdict
    <Verdict.FAILS: 'fails'>

The package has measurements with their random variation, comparisons, and the three-valued logic that combines
comparisons. The claims themselves are in the folder of the experiments: `studies/PAPER/claims.py` or
`studies/PAPER/claims/`.
"""

from fairlane.study.claims.claim import Claim, ClaimError, Claims, load
from fairlane.study.claims.evidence import Evidence, Runs
from fairlane.study.claims.judgement import (
    Judgement,
    Sample,
    Verdict,
    all_of,
    any_of,
    at_least,
    generally,
    most,
    negated,
)
from fairlane.study.claims.measurement import Measurement, NotMeasured, about, between
from fairlane.study.claims.verdict import ClaimVerdict, Status, judge

__all__ = [
    "Claim",
    "ClaimError",
    "ClaimVerdict",
    "Claims",
    "Evidence",
    "Judgement",
    "Measurement",
    "NotMeasured",
    "Runs",
    "Sample",
    "Status",
    "Verdict",
    "about",
    "all_of",
    "any_of",
    "at_least",
    "between",
    "generally",
    "judge",
    "load",
    "most",
    "negated",
]
