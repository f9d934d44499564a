"""Recommends algorithm, queue discipline and buffer size for a link, with confidence.

The experiment that answers, and the conclusions that its results allow; `fairlane.cli.advise` prints them.
"""
