"""Pictures of results, as a networking paper prints them: one kind of plot per file.

What belongs here: from results of a sweep to a PNG, SVG or PDF. What does not: computing figures
(`fairlane.metrics`), the look that all pictures share (`fairlane.present.figure`).

Every kind is a function `draw(path, results, options)`; `kinds.py` lists them. Pictures fit one column of a paper
(88 mm) unless asked otherwise, text is never below 7 points, and lines differ in colour (Okabe and Ito's), in dashes
and in markers, so that they can be told apart in grey and by the colour-blind.
"""
