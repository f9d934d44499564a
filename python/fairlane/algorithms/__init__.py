"""Congestion controls: names and parameters, Python prototypes, programs in the running kernel."""
