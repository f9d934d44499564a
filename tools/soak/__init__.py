"""Random networks, whose results must obey laws of physics and of arithmetic: `python -m tools.soak --help`."""
