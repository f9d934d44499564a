"""Networks by name, as links and paths: one file for each."""
