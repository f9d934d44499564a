"""Two results side by side: what changed, how surely, and whether it became worse.

What belongs here: pairing the places of two sweeps and judging each difference. How it is printed is in
`fairlane.show.text.changes`.
"""

from fairlane.results.compare.change import Change, Verdict
from fairlane.results.compare.results import CompareError, Comparison, compare

__all__ = ["Change", "CompareError", "Comparison", "Verdict", "compare"]
