"""Libraries that take 0.1 s and more to load: loaded when they are first used, so that modules may import them."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
else:

    class _Library(ModuleType):
        def __getattr__(self, name: str) -> Any:
            found = getattr(import_module(self.__name__), name)
            setattr(self, name, found)  # the next look-up is an ordinary one
            return found

    np, pl = _Library("numpy"), _Library("polars")

__all__ = ["np", "pl"]
