"""Judges an algorithm by criteria, such as those of RFC 9743, and ranks algorithms over named networks.

A criterion is data (`criteria.py`): experiments, a metric, and a rule relative to a baseline in the same networks with
the same seeds. `measures.py` computes and keeps the values, `judge.py` decides by intervals of paired differences.
"""

KEYWORDS = ("MUST", "SHOULD", "should", "ought", "none")
"""Of criteria, the stronger first; `none` where a section only describes networks."""
