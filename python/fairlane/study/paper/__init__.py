"""A paper's tables, figures and numbers: their declaration in `study.toml`, and the comparison with our results."""
