"""Computes runs and stores them: dispatch to workers, progress, adaptive repeats, estimates of time.

What belongs here: getting from a list of runs to a store that holds them all, as fast as the machine allows, even if
workers die on the way. What does not: which runs (`fairlane.scenario`), how they are kept (`fairlane.results.store`).
"""
