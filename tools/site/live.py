"""Hook of the site: Fairlane Live is part of it, where `make web` has built the page.

A link to `live.md?SCENE` opens that scene in the page; where the page is not built, and where the repository is read as
it is, it opens the guide. A `<div class="live" data-scene="SCENE">` becomes the running page.
"""

import re
import shutil
from pathlib import Path
from typing import Any

from mkdocs.utils import get_relative_url

_BUILT = Path(__file__).parents[2] / "target" / "live"
_LINK = re.compile(r'href="[^"?#]*live\.html\?([^"]*)"')
_FRAME = re.compile(r'<div class="live" data-scene="([^"]*)">.*?</div>', re.DOTALL)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Turns links and frames of a finished page to the built one."""
    if not (_BUILT / "index.html").is_file():
        return output
    place = get_relative_url("live/index.html", page.url)
    output = _LINK.sub(lambda link: f'href="{place}#{link[1]}"', output)
    frame = r'<iframe class="live" src="{}#embed&amp;\1" title="Fairlane Live" loading="lazy"></iframe>'
    return _FRAME.sub(frame.format(place), output)


def on_post_build(config: Any) -> None:
    """Puts the page into the site."""
    if _BUILT.is_dir():
        shutil.copytree(_BUILT, Path(config["site_dir"]) / "live", dirs_exist_ok=True)
