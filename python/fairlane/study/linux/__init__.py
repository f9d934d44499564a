"""Agreement of the simulator with Linux: reruns and scores the scenarios of a truth folder.

A truth folder holds `scenarios.json` (what was run) and `linux.csv` (what Linux did); the format is
described in calibration/linux-6.12/README.md.
"""
