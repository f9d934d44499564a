"""Computes runs and stores them: worker processes, progress, what a run is known by.

What belongs here: getting from a list of runs to a store that holds them all, as fast as the machine allows,
whatever dies on the way. What does not: which runs (`fairlane.scenario`), how they are kept (`fairlane.results.store`).
"""
