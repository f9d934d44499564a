"""Published experiments: what a study file says, what it measures, and ours beside the paper's.

A study is a folder of `studies/`: one TOML file per experiment and the published tables as CSV.
"""
