"""Is a congestion control sound? Compilers, the kernel's verifier, and networks that find the usual mistakes.

    verdict    one line of the report: passes, fails, or not tried, with the figure
    compilers  does it compile for the simulator and for the kernel, and does the verifier take it
    networks   small networks, each with a figure and a bound that any working congestion control reaches

The bounds are those of soundness, not of quality: every built-in algorithm passes with room to spare.
"""
