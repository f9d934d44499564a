"""Explains why claims do not hold: experiments with one change, or at each setting of a testbed's unknowns."""
