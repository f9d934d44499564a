"""The page's Content-Security-Policy: a browser runs only the style and scripts that Fairlane ships, known by hashes.

Titles and names of a report come from files. If one ever became markup, its scripts and styles would not run, because
no hash names them. The hashes are computed from the shipped texts, not from the page.
"""

import base64
import hashlib
from collections.abc import Sequence


def policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """The page's Content-Security-Policy (W3C, CSP level 2 section 4.2.5)."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {' '.join(map(_source, styles))}",
            f"script-src {' '.join(map(_source, scripts))}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
