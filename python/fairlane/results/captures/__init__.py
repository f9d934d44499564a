"""TCP connections in packet captures: what was sent, acknowledged and offered, and when.

What belongs here: reading pcap and pcapng files, headers from the link layer to TCP's options, and finding
connections. What does not: writing captures, which the engine does, and drawing them.
"""
