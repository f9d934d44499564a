"""A picture that was asked for without a file: a notebook shows it, `save` writes it."""

import io
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_SHOWN_PER_INCH = 160
"""Pixels on a screen for an inch on paper: type of 7 points stays legible."""
_COLOURS = 128
"""Enough for lines and shades; keeps notebooks small."""


class Picture:
    """A plot of results. Drawn when it is looked at."""

    def __init__(self, draw: Callable[[Path], None], description: str) -> None:
        self._draw = draw
        self._description = description

    def save(self, path: str | Path) -> Path:
        """Writes the picture; `.png`, `.svg` or `.pdf` says as what."""
        self._draw(Path(path))
        return Path(path)

    @cached_property
    def png(self) -> bytes:
        """The picture as a PNG file, with few colours."""
        from PIL import Image

        with TemporaryDirectory() as folder:
            path = Path(folder) / "picture.png"
            self._draw(path)
            with Image.open(path) as drawn:
                few = drawn.convert("RGB").quantize(_COLOURS)
        content = io.BytesIO()
        few.save(content, "PNG", optimize=True, dpi=(300, 300))
        return content.getvalue()

    def _repr_mimebundle_(self, **_wishes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a notebook shows."""
        from PIL import Image

        with Image.open(io.BytesIO(self.png)) as picture:
            width = round(picture.width / 300 * _SHOWN_PER_INCH)
        return {"image/png": self.png, "text/plain": repr(self)}, {"image/png": {"width": width}}

    def __repr__(self) -> str:
        return f"Picture: {self._description}; save(PATH) writes it"
