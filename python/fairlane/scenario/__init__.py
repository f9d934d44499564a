"""Experiment files: what to run, as data.

Reads TOML, resolves inheritance and sweeps, checks, and turns each point of a sweep into a scenario for the engine.

The way of a file: `document.py` reads it and its parents; `matrix.py` spreads the sweep into points;
`forms.py` reads each point by the tables of the contract (`contract_forms.py`) and those that files add
(`experiment.py`, `network.py`); `scenario.py` builds the engine's scenario with the help of `topology/`; `load.py` does
all of this in order and gathers every error on the way (`diagnostics.py`). `requests.py` makes experiments without
a file.
"""
