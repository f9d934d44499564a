"""Agreement of the simulator with Linux: a study whose paper is a recording.

A truth folder holds the scenarios, `scenarios.json`, and Linux's results, `linux.csv`; the format is
described in calibration/linux-6.12/README.md.
"""
