"""How near the simulator is to real Linux: the scenarios of a truth folder, run again and scored.

A truth folder holds `scenarios.json` (what was run) and `linux.csv` (what Linux did); the format is
described in calibration/linux-6.12/README.md.
"""
