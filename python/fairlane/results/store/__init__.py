"""The result store: every run that was ever finished, found by what determines it.

It keeps results on disk, so that no finished run is lost and none is computed twice, and reads them back as tables.

A store is a folder:

    fairlane-store.json     format version
    runs.parquet ...        the tables for users: the last plans' runs with their axes as columns
    plans/NAME.json         what an experiment consists of: the key and the axes of each run
    batches/ID/*.parquet    finished runs, many per file, never changed; `manifest.json` has keys and checksums
    batches.ledger          which batches there are, each with the checksum of its manifest
    programs/               algorithms from files, as they were compiled for a sweep
    journals/*.journal      finished runs that are in no batch yet, one append each
    claims                  locks of runs that are being computed
    corrupt/                batches that were found damaged; their runs are computed again

A run is finished when its record is in a journal. A batch appears by one rename of its whole folder, and only
then its journal goes. So a power failure at any moment leaves a run whole, or absent.
"""
