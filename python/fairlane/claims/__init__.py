"""Claims of papers as predicates over measurements, and the resulting verdicts.

    >>> from fairlane.claims import Measurement
    >>> bbr = Measurement.of("bbr, RTT", [21.0, 22.0, 21.5, 21.0])
    >>> cubic = Measurement.of("cubic, RTT", [40.0, 41.0, 39.0, 40.0])
    >>> (bbr < cubic).verdict
    <Verdict.HOLDS: 'holds'>
    >>> (bbr * 2 < cubic).verdict
    <Verdict.FAILS: 'fails'>

What belongs here: measurements with their random variation, comparisons, and the three-valued logic that combines
comparisons. The claims themselves are in the folder of the experiments: `studies/PAPER/claims.py` or
`studies/PAPER/claims/`.
"""

from typing import Any

from fairlane.claims.claim import Claim, ClaimError, Claims, load
from fairlane.claims.evidence import Evidence, Runs
from fairlane.claims.judgement import Judgement, Sample, Verdict, all_of, any_of, at_least, generally, most, negated
from fairlane.claims.measurement import Measurement, NotMeasured, about, between
from fairlane.claims.verdict import ClaimVerdict, Status, judge
from fairlane.renamed import CLAIMS

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


def __getattr__(name: str) -> Any:
    new = f" is now called {CLAIMS[name]}" if name in CLAIMS else " does not exist"
    raise AttributeError(f"fairlane.claims: {name}{new}", name=name, obj=None)
