"""Experiment files: what to run, as data.

What belongs here: reading TOML, inheritance, sweeps, checking, and turning each point of a sweep into a scenario
for the engine. What does not: running anything (`fairlane.runs.sweep`) and keeping results (`fairlane.results.store`).

The way of a file: `document.py` reads it and what it inherits from; `matrix.py` spreads the sweep into points;
`model.py` checks each point; `scenario.py` builds the engine's scenario with the help of `topology/`;
`load.py` does all of this in order and gathers every error on the way (`diagnostics.py`).
"""
