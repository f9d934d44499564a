"""Checks a congestion control with compilers, the kernel's verifier, and networks that expose common bugs.

    verdict    one line of the report: passes, fails, or not tried, with the value
    compilers  does it compile for the simulator and for the kernel, and does the verifier take it
    networks   small networks, each with a metric and a bound that any working congestion control reaches

The bounds are those of soundness, not of quality: every built-in algorithm passes with room to spare.
"""
