"""Plots of results in the style of a networking paper: related kinds in one file.

Draws results of a sweep as PNG, SVG or PDF. Values come from `fairlane.results.metrics`; `figure.py` and `canvas.py`
have the style that all plots share.

Every kind is a function of path, results and options; `kinds.py` lists them. Plots fit one column of a paper
(88 mm) unless asked otherwise, text is never below 7 points, and lines differ in colour (Okabe and Ito's), in dashes
and in markers, so that they are distinguishable in grey and by colour-blind readers.
"""
