"""How a study's claims are found.

They stand in `claims.py`, or where they are many in a folder `claims`: its `__init__.py` has what all parts share and
`CLAIMS = Claims()`, and each other file is a part of the paper that adds to it (`from . import CLAIMS`).
"""

import csv
import importlib
import importlib.util
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from fairlane.claims.claim import Claim, ClaimError, Claims, Published


def load(study: Path) -> list[Claim]:
    """The claims of a study, in the order of `published/claims.csv`. Raises ClaimError."""
    with (study / "published" / "claims.csv").open(newline="", encoding="utf-8") as file:
        published = {
            row["id"]: Published(**{name: row[name] for name in Published.__annotations__})
            for row in csv.DictReader(file)
        }
    path = study / "claims.py"
    if not path.is_file():
        path = study / "claims" / "__init__.py"
    try:
        claims = _collected(study.name, path).beside(published)
        return [replace(one, waiting=_needs(study, one.waiting)) if one.waiting else one for one in claims]
    except ClaimError as error:
        raise ClaimError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None


def _collected(study: str, path: Path) -> Claims:
    package = path.name == "__init__.py"
    name = f"claims_of_{study}"
    for loaded in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[loaded]  # of another folder of this name, or as it was before a change
    spec = importlib.util.spec_from_file_location(
        name, path, submodule_search_locations=[str(path.parent)] if package else None
    )
    if spec is None or spec.loader is None:
        raise ClaimError("no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # its parts import from it
    spec.loader.exec_module(module)
    if package:
        for part in sorted(path.parent.glob("*.py")):
            if part != path:
                importlib.import_module(f"{name}.{part.stem}")
    collected: Claims = module.CLAIMS
    return collected


def _needs(study: Path, experiment: str) -> str:
    """What a claim waits for, in words."""
    with (study / "study.toml").open("rb") as file:
        waiting: Mapping[str, Mapping[str, str]] = tomllib.load(file).get("waiting", {})
    if experiment not in waiting:
        raise ClaimError(f"claims wait for {experiment}, and study.toml has no [waiting.{experiment}]")
    one = waiting[experiment]
    return f"needs {one['needs']}: {one['title']} ({one['place']})"
