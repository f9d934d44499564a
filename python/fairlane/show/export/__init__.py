"""Results in other programs' files: one format per file of this folder.

Converts stored results into file formats that other programs read (`csv_parquet.py`, `iperf3.py`, `flent.py`,
`resimulate.py`: pcapng and qlog).

`formats.py` lists the formats. The same results always give the same bytes.
"""
