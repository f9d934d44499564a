"""Runs scenarios: backends and executors, sweeps into a results store, emulated networks for real programs."""
