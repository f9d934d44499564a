"""Plots of results in the style of a networking paper: one kind of plot per file.

What belongs here: from results of a sweep to a PNG, SVG or PDF. What does not: computing values
(`fairlane.results.metrics`), the style that all plots share (`fairlane.show.plots.figure`).

Every kind is a function `draw(path, results, options)`; `kinds.py` lists them. Plots fit one column of a paper
(88 mm) unless asked otherwise, text is never below 7 points, and lines differ in colour (Okabe and Ito's), in dashes
and in markers, so that they are distinguishable in grey and by colour-blind readers.
"""
