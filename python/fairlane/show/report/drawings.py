"""Figures as SVG inside a page: compact, in the page's colours and fonts, dark or light."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as xml

from markupsafe import Markup

from fairlane.files import temporary_folder
from fairlane.show.comparison import pictures
from fairlane.show.plots.canvas import TIP, collected
from fairlane.show.plots.figure import COLOURS, TITLE, matplotlib
from fairlane.study.paper.comparison import Comparison

PIXELS_PER_POINT = 4 / 3

_THEMED = {
    **{colour.lower(): f"var(--c{number})" for number, colour in enumerate(COLOURS)},
    "#000000": "currentColor",
    "#262626": "currentColor",
    "#4c4c4c": "var(--muted)",
    "#4d4d4d": "var(--muted)",
    "#999999": "var(--muted)",
    "#e0e0e0": "var(--grid)",
    "#e5e5e5": "var(--grid)",
    "#e6e6e6": "var(--grid)",
}
"""The colours of figures by their names in the page's style; black maps to the text colour."""

_NUMBER = re.compile(r"-?\d+\.\d+")
_LINK = "{http://www.w3.org/1999/xlink}href"
_WITH_NUMBERS = ("d", "transform", "x", "y", "width", "height")


def drawn(comparison: Comparison, name: str) -> Markup:
    """The figure of a comparison as SVG; `name` makes its element names unique in the page."""
    return in_page(lambda path: pictures.draw_comparison(path, comparison), name, comparison.item.heading)


def in_page(draw: Callable[[Path], None], name: str, title: str) -> Markup:
    """A figure that `draw` writes to a file, as SVG; `name` makes its element names unique in the page."""
    # Type as type, not as outlines.
    with (
        temporary_folder("drawing") as folder,
        matplotlib().rc_context({"svg.fonttype": "none"}),
        collected() as texts_of,
    ):
        path = folder / "figure.svg"
        draw(path)
        return Markup(themed(path.read_text(encoding="utf-8"), name, title, texts_of))


def themed(svg: str, name: str, title: str, texts_of: Sequence[Sequence[str]] = ()) -> str:
    """An SVG file of matplotlib's as part of a page, whose heading says the title already.

    `texts_of` are those of `fairlane.show.plots.canvas.tell`.
    """
    root = xml.fromstring(svg)
    box = root.attrib["viewBox"]
    width = float(box.split()[2]) * PIXELS_PER_POINT
    for element in root.iter():
        element.tag = element.tag.partition("}")[2]  # HTML knows what SVG is
    _remove(root, lambda one: one.tag in ("metadata", "style") or _is_heading(one, title) or _is_ground(one))
    used = set(_used(root))
    for element in list(root.iter()):
        _tell(element, texts_of)
    for element in root.iter():
        _mend(element, name, used)
        element.tail = None
        if element.tag not in ("text", "tspan", "title"):
            element.text = None
    _unwrap(root)
    root.attrib = {"viewBox": box, "role": "img", "aria-label": title, "width": f"{width:.0f}"}
    return xml.tostring(root, encoding="unicode")


def _tell(element: xml.Element, texts_of: Sequence[Sequence[str]]) -> None:
    """A tooltip for each marker of a line, or for the one shape."""
    place = element.get("id", "")
    if not place.startswith(TIP):
        return
    shapes = [one for one in element.iter() if one.tag == "use"] or [one for one in element if one.tag == "path"]
    texts = texts_of[int(place.removeprefix(TIP))]
    if len(shapes) == len(texts):
        for shape, text in zip(shapes, texts, strict=True):
            xml.SubElement(shape, "title").text = text


def _is_heading(element: xml.Element, title: str) -> bool:
    return element.text == title or element.get("id") == TITLE


def _is_ground(element: xml.Element) -> bool:
    """Replaces the white background of figure and panels by the page's."""
    return element.tag == "path" and "fill: #ffffff" in element.get("style", "")


def _remove(parent: xml.Element, unwanted: Callable[[xml.Element], bool]) -> None:
    for child in list(parent):
        if unwanted(child):
            parent.remove(child)
        else:
            _remove(child, unwanted)


def _used(root: xml.Element) -> Iterator[str]:
    """Ids to which other elements refer."""
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == _LINK and value.startswith("#"):
                yield value[1:]
            yield from re.findall(r"url\(#([\w-]+)\)", value)


def _mend(element: xml.Element, name: str, used: set[str]) -> None:
    for key, value in list(element.attrib.items()):
        if key == "id":
            # Only referenced elements keep a name, made unique.
            element.attrib.pop(key)
            if value in used:
                element.set("id", f"{name}-{value}")
        elif key == _LINK:
            element.attrib.pop(key)
            element.set("href", value if value.startswith("data:") else f"#{name}-{value[1:]}")
        elif key == "style":
            # The page's policy allows no style attributes.
            element.attrib.pop(key)
            for name_of_style, styled in _styled(value):
                element.set(name_of_style, styled)
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{name}-"))
        elif key in _WITH_NUMBERS:
            element.set(key, _NUMBER.sub(_short, " ".join(value.split())))


def _styled(style: str) -> Iterator[tuple[str, str]]:
    """The properties of a style as attributes; the page sets the font."""
    for part in style.split(";"):
        key, _, value = (one.strip() for one in part.partition(":"))
        if key == "font":  # such as: 7px 'DejaVu Sans', ...
            size = re.search(r"[\d.]+px", value)
            yield from [("font-size", size[0])] if size else []
        elif key and key != "font-family":
            yield key, _THEMED.get(value, value)


def _unwrap(parent: xml.Element) -> None:
    """Groups that say nothing are replaced by what is in them."""
    children: list[xml.Element] = []
    for child in list(parent):
        _unwrap(child)
        if child.tag == "g" and not child.attrib:
            children += list(child)
        elif child.tag != "defs" or len(child):
            children.append(child)
    parent[:] = children


def _short(found: re.Match[str]) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")
