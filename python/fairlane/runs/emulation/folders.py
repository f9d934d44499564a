"""Temporary folders that are removed at the next start if their process was killed."""

import os
import shutil
import tempfile
from pathlib import Path


def temporary_folder(prefix: str) -> "tempfile.TemporaryDirectory[str]":
    """A folder that names its process. Those of processes that are gone are removed first."""
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*-*"):
        owner = left.name.removeprefix(prefix).partition("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(left, ignore_errors=True)
    return tempfile.TemporaryDirectory(prefix=f"{prefix}{os.getpid()}-")
