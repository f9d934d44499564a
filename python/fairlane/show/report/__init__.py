"""Reports on results, as one file for a browser, or as tables and figures for a paper.

What belongs here: collecting the contents of results folders (`content.py`, `experiments.py`), laying it out
(`tables.py`, `agreement.py`, `drawings.py`, `series.py`) and writing it (`page.py` with `templates/`, `latex.py`). What
does not: running anything, and computing anything that a table of `fairlane reproduce` or `fairlane table` does not
show: comparisons come from `fairlane.study`, verdicts from `fairlane.study.claims`, plots from `fairlane.show.text`.

The page asks nothing of any network: style, scripts, drawings and data are inside it. `uplot/` is uPlot, which draws
its time series; its licence is LICENSES/MIT-uPlot.txt.
"""
