"""Machines over SSH: a sender, a router and a receiver of the user's own, as a backend.

testbeds    hosts.toml, an Ansible inventory or a FABRIC slice as hosts (inventory)
connection  SSH with checked host keys and without passwords; files and commands
shape       a scenario as what three roles can do: a bottleneck, a reverse path, delays
changes     what is changed on hosts, written down first, and taken back
transfer    flows by iperf3, samples by ss and tc
answers     what these programs say, as samples
backend     a run, from connection to result
"""

from fairlane.runs.backends.hosts.backend import open_backend

__all__ = ["open_backend"]
