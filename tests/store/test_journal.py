"""A journal returns every whole record, regardless of damage to the rest of the file."""

import resource
from pathlib import Path

import pytest
from fairlane.results.store import batch, journal
from fairlane.results.store.journal import Journal
from fairlane.results.store.layout import StoreError
from fairlane.results.store.store import Store

from .conftest import finished


@pytest.fixture
def written(layout):
    journal = Journal(layout.journals)
    ends = []
    for number in range(5):
        journal.append(*finished(number))
        ends.append(journal.size)
    journal.close()
    return journal.path, ends


def keys(path):
    return [int(record.meta["run"], 16) for record in journal.records(path)]


def test_appended_runs_are_read_back(written):
    path, ends = written
    assert [(record.meta, record.body) for record in journal.records(path)] == [finished(i) for i in range(5)]
    assert [record.end for record in journal.records(path)] == ends
    assert [record.meta for record in journal.records(path, ends[2])] == [finished(i)[0] for i in (3, 4)]


def test_a_result_in_pieces_is_the_same_record(layout):
    meta, body = finished(7)
    journal_of = {}
    for name, pieces in (("whole", [body]), ("pieces", [body[:5], b"", body[5:11], body[11:]])):
        journal = Journal(layout.journals)
        journal.append(meta, *pieces)
        journal.append(*finished(8))
        journal.close()
        journal_of[name] = (journal.path.read_bytes(), journal.size)
    assert journal_of["pieces"] == journal_of["whole"]
    assert journal_of["whole"][1] == len(journal_of["whole"][0])


def test_a_file_cut_anywhere_gives_the_whole_records(written):
    path, ends = written
    content = path.read_bytes()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        assert keys(path) == [i for i, end in enumerate(ends) if end <= length]


def test_a_damaged_record_is_left_out_and_the_others_stay(written):
    path, ends = written
    content = path.read_bytes()
    for at in range(ends[1], ends[2]):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        assert keys(path) == [0, 1, 3, 4]


def test_a_record_that_does_not_fit_leaves_the_journal_as_it_was(layout):
    kept = Journal(layout.journals)
    kept.append(*finished(0))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (kept.size + 100, hard))
    try:
        with pytest.raises(StoreError, match="kept"):
            kept.append(*finished(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    kept.append(*finished(2))
    assert keys(kept.path) == [0, 2]
    kept.close()


def test_only_a_journal_without_a_writer_can_be_taken_over(layout):
    writer = Journal(layout.journals)
    with journal.taken_over(writer.path) as ours:
        assert not ours
    writer.close()
    with journal.taken_over(writer.path) as ours:
        assert ours


def test_a_run_for_which_there_is_no_memory_leaves_the_journal_as_it_was(layout, monkeypatch):
    written = Journal(layout.journals)
    written.append(*finished(0))
    write, pieces = Journal._write, []

    def second_fails(self, data):
        pieces.append(data)
        if len(pieces) == 2:
            raise MemoryError
        write(self, data)

    monkeypatch.setattr(Journal, "_write", second_fails)
    meta, body = finished(1)
    with pytest.raises(MemoryError):
        written.append(meta, body[:10], body[10:])
    written.append(*finished(2))
    written.close()
    found = []
    assert [record.run for record in journal.records(written.path, note=found.append)] == [
        finished(number)[0]["run"] for number in (0, 2)
    ]
    assert not found


def test_a_journal_that_cannot_be_removed_is_said_and_its_runs_are_kept(layout, monkeypatch):
    written = Journal(layout.journals)
    written.append(*finished(0))
    written.close()

    def refused(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "unlink", refused)
    with pytest.raises(StoreError, match=r"journal' \(Input/output error\); what is finished is kept"):
        batch.of_journal(layout, written.path, lambda damage: None)
    assert Store.at(layout.root).keys == {finished(0)[0]["run"]}
