"""Runs on real kernels: a scenario as namespaces, links by netem and tbf, and what the kernel then tells as a result.

limits    what a kernel cannot do of a scenario
tc        queues and links as arguments of tc
plan      a scenario as a plan for the agent
agent/    a program in C that carries out a plan, on a machine or as the first process of a guest
building  compiles the agent
running   runs a program and measures its usage
programs  congestion controls that a kernel does not have, as BPF objects
samples   what the agent says
measured  samples as a result
"""
