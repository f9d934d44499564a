"""Reports on results, as one file for a browser, or as tables and figures for a paper.

Collects the contents of results folders (`content.py`, `experiments.py`), draws them (`drawings.py`, `series.py`) and
writes a page (`page.py`, `html.py`, `templates/`) or LaTeX (`latex.py`). It runs nothing and computes no value that
`fairlane reproduce` or `fairlane table` does not print: comparisons and verdicts come from `fairlane.study`.

The page makes no network requests: style, scripts, drawings and data are inside it. `uplot/` is uPlot, which draws
its time series; its licence is LICENSES/MIT-uPlot.txt.
"""
