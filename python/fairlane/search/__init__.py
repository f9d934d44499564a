"""Answers that take many runs: advice for a link, tuned parameters, checks of an algorithm."""
