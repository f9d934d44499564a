"""Results in other programs' files: one format per file of this folder.

What belongs here: turning results that exist into a file format that others read (`tables.py`: CSV and Parquet,
`iperf3.py`, `flent.py`, `capture.py`: pcapng). What does not: plots (`fairlane.show.plots`), tables for users
(`fairlane.show.text`), and how results are stored.

`formats.py` lists the formats. The same results always give the same bytes.
"""
