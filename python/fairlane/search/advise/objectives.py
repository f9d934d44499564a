"""Objectives for a link."""

ENOUGH_GOODPUT = 0.9
"""Share of the highest goodput that a candidate for low latency must have."""

WANTS = {
    "balance": "the highest goodput per delay (Kleinrock's power)",
    "latency": f"the lowest 95th percentile of delay with at least {100 * ENOUGH_GOODPUT:g} % of the highest goodput",
    "throughput": "the highest goodput",
    "fairness": "the highest Jain's index of the flows' goodputs",
}
