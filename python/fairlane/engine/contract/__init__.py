"""What the engine declares about scenarios and results: generated from crates/contract, never edited by hand.

`vocabulary.py` has what is needed at run time (queue kinds and their parameters, columns of results, units),
`scenario.py` and `result.py` the types of scenarios and results, `scenario.schema.json` the JSON Schema of scenarios.
`python -m tools.reference` writes them again from the built extension; a test fails when they are stale.
"""
