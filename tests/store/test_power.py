"""A power failure loses no synced run; `python -m tests.store.power` tries more failures."""

import os
import threading

import pytest
from fairlane import files
from fairlane.results.store import journal
from fairlane.results.store.journal import Journal
from fairlane.results.store.layout import StoreError

from .conftest import finished
from .power import cut


def test_no_synced_run_is_lost(tmp_path):
    assert cut(tmp_path, 60) >= 60


@pytest.mark.parametrize("module", [journal, files])
def test_the_test_finds_folders_that_are_not_synced(tmp_path, monkeypatch, module):
    monkeypatch.setattr(module, "sync_folder", lambda folder: None)
    with pytest.raises((AssertionError, StoreError)):
        cut(tmp_path, 400)


def test_a_record_is_synced_without_waiting_for_the_next(layout, monkeypatch):
    synced = threading.Event()
    monkeypatch.setattr(journal, "_SYNC_AFTER_S", 0.01)
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: synced.set())
    made = Journal(layout.journals)
    made.append(*finished(0))
    assert synced.wait(60)
    made.close()


def test_a_sync_that_fails_is_said_with_the_next_run(layout, monkeypatch):
    made = Journal(layout.journals)

    def fails(descriptor):
        raise OSError(5, "Input/output error")

    made.append(*finished(0))
    monkeypatch.setattr(os, "fdatasync", fails)
    made._sync()
    with pytest.raises(StoreError, match="Input/output error"):
        made.append(*finished(1))
    made.close()
