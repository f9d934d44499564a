"""TCP connections in packet captures: what was sent, acknowledged and offered, and when.

Reads pcap and pcapng files, headers from the link layer to TCP's options, and finds connections. The engine writes
captures.
"""
