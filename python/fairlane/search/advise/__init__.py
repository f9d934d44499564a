"""Recommends algorithm, queue discipline and buffer size for a link, with confidence.

What belongs here: the experiment that answers, and what its results allow to say. How the answer is printed is in
`fairlane.cli.advise`.
"""
