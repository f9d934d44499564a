"""Searches for networks in which an algorithm fails: many different ones, each reduced to its simplest form.

A family says which keys of an experiment vary, an objective what a failure is. A search is a function of family,
objective, algorithms, seed and number of evaluations; the number of parallel runs does not matter.
"""
