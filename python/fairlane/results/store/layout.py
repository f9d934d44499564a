"""The layout of a store's folder, and the error that a store raises."""

import errno
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fairlane.files import FORGED, sync_folder, write_bytes
from fairlane.results.store.checksummed_json import Damage, DamagedError, content_of, seal, unseal

FORMAT = 3
"""Raised when an older Fairlane could not read what a newer one writes."""


class StoreError(RuntimeError):
    """A store that cannot be read or written; one line with the path, the cause and the remedy."""


class _Below:
    """A path below the folder of a store."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, layout: "Layout", _owner: type["Layout"]) -> Path:
        return layout.root / self.name


@dataclass(frozen=True)
class Layout:
    """The paths of a store."""

    root: Path

    mark = _Below("fairlane-store.json")
    """Says that this folder is a store, and of which format."""
    batches = _Below("batches")
    """Finished runs."""
    ledger = _Below("batches.ledger")
    """Which batches there should be."""
    journals = _Below("journals")
    """Finished runs on their way into a batch."""
    plans = _Below("plans")
    """Which runs make up an experiment."""
    programs = _Below("programs")
    """Algorithms as they were compiled, each in a file that is named by its checksum."""
    corrupt = _Below("corrupt")
    """Batches set aside."""
    claims = _Below("claims")
    """The file whose bytes are locks."""

    def table(self, name: str) -> Path:
        """A table for users."""
        return self.root / f"{name}.parquet"

    def create(self) -> None:
        """Makes the folders and checks that they can be written."""
        if self.root.exists() and not self.root.is_dir():
            raise StoreError(f"'{self.root}' is a file; name a folder for the results")
        intact = self.check_format()
        try:
            is_new = not self.root.exists()
            for folder in (self.batches, self.journals, self.plans):
                folder.mkdir(parents=True, exist_ok=True)
            if not intact:
                write_bytes(self.mark, seal({"format": FORMAT}))
            if is_new:
                sync_folder(self.root.parent)
        except OSError as error:
            raise cannot_write(self.root, error) from None
        for folder in (self.root, self.batches, self.journals, self.plans):
            if not os.access(folder, os.W_OK | os.X_OK):
                raise StoreError(
                    f"cannot write to '{folder}' (read-only); change its permissions or choose another folder"
                )

    def check_format(self, note: Callable[[Damage], None] = lambda damage: None) -> bool:
        """Rejects a store of another version. False if the mark is absent, or damaged, which `note` is told.

        The runs do not depend on the mark: the next run writes it again.
        """
        self._refuse_links()
        content = b""
        try:
            content = content_of(self.mark)
            found = unseal(content)["format"]
        except FileNotFoundError:
            return False
        except NotADirectoryError:
            raise StoreError(f"'{self.root}' is a file; name a folder for the results") from None
        except OSError as error:
            raise StoreError(f"cannot read '{self.mark}' ({error.strerror}); change its permissions") from None
        except DamagedError as error:
            found = _without_checksum(content)
            if found is None:
                note(Damage(self.mark, str(error), loses_runs=False))
                return False
        except FORGED:
            note(Damage(self.mark, "does not have its form", loses_runs=False))
            return False
        if found != FORMAT:
            older = isinstance(found, int) and found < FORMAT
            remedy = "run the experiment again into another folder" if older else "update Fairlane"
            raise StoreError(f"'{self.root}' has format {found}, this Fairlane knows {FORMAT}; {remedy}")
        return True

    def _refuse_links(self) -> None:
        """Rejects links in place of the store's parts: repairing a store moves and removes what is in them."""
        parts = (
            self.mark,
            self.batches,
            self.ledger,
            self.journals,
            self.plans,
            self.programs,
            self.corrupt,
            self.claims,
        )
        for path in parts:
            if path.is_symlink():
                raise StoreError(
                    f"'{path}' is a symbolic link; replace it by what it leads to, or link the whole store"
                )

    def is_store(self) -> bool:
        """Whether there is anything to read here."""
        return self.mark.exists() or self.batches.is_dir()


def _without_checksum(content: bytes) -> int | None:
    """The format of a store from before there were checksums."""
    for format in range(1, _FIRST_WITH_CHECKSUM):
        if content == json.dumps({"format": format}).encode():
            return format
    return None


_FIRST_WITH_CHECKSUM = 3


def cannot_write(path: Path, error: OSError) -> StoreError:
    """The one line for a write that failed."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreError(f"no space left for '{path}'; what is finished is kept: free some space and run it again")
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return StoreError(f"cannot write to '{path}' (read-only); change its permissions or choose another folder")
    return StoreError(f"cannot write to '{path}' ({error.strerror}); what is finished is kept")
