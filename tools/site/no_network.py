"""Hook of the site: nothing is fetched from the web.

The theme's search asks for a small program on a server when a page is opened as a file; `docs/javascripts` has one of
our own. Any other script, style sheet, font or picture from the web fails the build.
"""

import re
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.utils import get_relative_url

_SHIM = re.compile(r'<script src="https://[^"]*iframe-worker[^"]*"></script>')
_OWN = "javascripts/frame-worker.js"
_FETCHED = re.compile(r'<(?:script|img|link|iframe|source)\b[^>]*\b(?:src|href)="((?:https?:)?//[^"]+)"')


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Looks at a finished page."""
    return _checked(output, get_relative_url(_OWN, page.url), page.file.src_uri)


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """The same of pages without Markdown, such as 404.html."""
    if not template_name.endswith(".html"):
        return output_content
    return _checked(output_content, _OWN, template_name)


def _checked(html: str, own: str, where: str) -> str:
    html = _SHIM.sub(f'<script src="{own}"></script>', html)
    fetched = _FETCHED.search(html)
    if fetched:
        raise PluginError(f"{where} fetches {fetched[1]}; the site has to work without a network")
    return html
