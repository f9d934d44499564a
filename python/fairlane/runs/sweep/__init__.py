"""Computes runs and stores them: dispatch to workers, progress, adaptive repeats, estimates of time.

From a list of runs (`fairlane.scenario`) to a store that holds them all (`fairlane.results.store`), as fast as the
machine allows, even if workers die on the way.
"""
