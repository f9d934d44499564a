"""A table or figure of a paper next to ours: text, CSV, plots."""
