"""A simulated network between real programs: devices, namespaces, and the process that carries packets.

namespaces  user, network and mount namespaces, and moving between them
devices     TUN devices with addresses, and hosts with one each
process     the process that carries packets, at a real-time priority where it is allowed
priority    real-time priorities
probes      round trips of pings, and UDP packets beyond a link's rate
selfcheck   whether this machine keeps up with a rate
linkcheck   the same for a link that the kernel makes
shell       any program behind a link

The network is that of the simulator (crates/emulator). Everything that is made here belongs to processes and
disappears with them, however they end.
"""
