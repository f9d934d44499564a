"""What a paper published, and our results next to it.

What belongs here: the declaration of a study (`study.py` reads `study.toml`), the numbers that the paper printed
(`published.py`) and the comparison of both (`comparison.py`). What does not: running experiments and judging claims
(`fairlane.study`, `fairlane.study.claims`), and showing the comparison (`fairlane.show.text`, `fairlane.show.report`).
"""
