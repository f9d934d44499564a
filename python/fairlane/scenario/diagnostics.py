"""What is wrong with an experiment: every error with file, key, reason and remedy."""

import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from pydantic.fields import FieldInfo

from fairlane.engine.messages import nearest

Place = tuple[str | int, ...]
"""Keys and list indices from the top of the file."""


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong."""

    place: Place
    text: str
    """Reason and remedy."""


class ExperimentError(ValueError):
    """An experiment that cannot be run; one line for each error."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = list(lines)


def key_text(place: Place, data: Any = None) -> str:
    """The text of a place: `flows[0].rtt`; named entries of `data` use their name, as in a sweep: `flows.rival.rtt`.

    >>> key_text(("flows", 0, "sender", "ecn")), key_text(())
    ('flows[0].sender.ecn', 'the file')
    >>> key_text(("flows", 0, "rtt"), {"flows": [{"name": "rival"}]})
    'flows.rival.rtt'
    """
    text = ""
    for part in place:
        data = data[part] if has(data, part) else None
        name = data.get("name") if isinstance(part, int) and isinstance(data, Mapping) else None
        if isinstance(name, str) and name.replace("-", "_").isidentifier() and place[-1] != "name":
            text += f".{name}"
        else:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "the file"


def of_validation(error: ValidationError, model: type[BaseModel], data: Mapping[str, Any]) -> Iterable[Diagnostic]:
    """What pydantic found, in our words."""
    for one in error.errors(include_url=False):
        place, owner, field = _locate(model, data, one["loc"])
        yield Diagnostic(place, _text(one, place, owner, field))


def _text(error: Mapping[str, Any], place: Place, owner: type[BaseModel] | None, field: FieldInfo | None) -> str:
    kind, context, given = error["type"], error.get("ctx", {}), error.get("input")
    name = place[-1] if place else ""
    example = _example(str(name), field)
    if kind == "extra_forbidden":
        known = sorted(owner.model_fields) if owner else []
        known += ["inherits", "sweep"] if len(place) == 1 else []
        return f"unknown key{nearest(str(name), known) or ';'} Known: {', '.join(known)}".replace("; Known", "; known")
    if kind == "missing":
        return f"is missing{example or _BEGINNINGS.get(str(name), '')}"
    if kind == "value_error":
        return str(context["error"])
    if kind in ("union_tag_invalid", "literal_error"):
        tags = [tag.strip().strip("'") for tag in str(context.get("expected_tags") or context["expected"]).split(",")]
        tags = [part for tag in tags for part in tag.replace("' or '", ",").split(",")]
        word = context.get("tag", given)
        return f"there is no '{word}'{nearest(str(word), tags) or '.'} Known: {', '.join(tags)}"
    if kind == "union_tag_not_found":
        return 'needs a kind; write for example { kind = "..." }'
    wanted = _WANTED.get(kind)
    if wanted:
        return f"must be {wanted}, not {_shown(given)}{example}"
    if kind.startswith(("greater_than", "less_than")):
        sign, bound = next(iter(context.items()))
        return f"{_shown(given)} is out of range; write a number that is {_BOUNDS[sign]} {bound}"
    if kind == "too_short":
        return "is empty; name at least one"
    if kind == "too_long":
        return f"has {context['actual_length']} entries; the most is {context['max_length']}"
    if kind == "string_pattern_mismatch":
        return f"{_shown(given)} must consist of letters, digits, '-', '_' and '.'"
    message = str(error["msg"])
    return f"{message[:1].lower()}{message[1:]}, not {_shown(given)}{example}"


_WANTED = {
    "string_type": "text in quotes",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "finite_number": "a finite number",
}
_BEGINNINGS = {
    "network": "; begin a table [network] with rate, rtt and buffer",
    "flows": "; begin a table [[flows]] with an algorithm for each flow",
}
_BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= 40 else f"{text[:37]}..."


def _example(name: str, field: FieldInfo | None) -> str:
    if field is None or not field.examples:
        return ""
    example = field.examples[0]
    shown = (
        str(example).lower() if isinstance(example, bool) else f'"{example}"' if isinstance(example, str) else example
    )
    return f"; write for example {name} = {shown}"


def _locate(
    model: type[BaseModel], data: Any, location: Sequence[str | int]
) -> tuple[Place, type[BaseModel] | None, FieldInfo | None]:
    """The place in the file, and the model and field that stand for it.

    Pydantic puts the chosen kind of a union into the location; people did not write that, so it is left out.
    """
    place: list[str | int] = []
    annotation: Any = model
    owner: type[BaseModel] | None = model
    field: FieldInfo | None = None
    chosen = False
    for position, part in enumerate(location):
        members = list(_members(annotation))
        tagged = [] if chosen else [kind for tag, kind in members if tag is not None and tag == part]
        chosen = bool(tagged)
        if tagged:
            annotation = tagged[0]
            owner = annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else owner
            continue
        if isinstance(part, str) and part.startswith(("function-", "str", "int", "float", "dict[", "list[", "model")):
            present = isinstance(data, Mapping) and part in data
            if not present and position:
                continue
        place.append(part)
        data = data[part] if has(data, part) else None
        models = [kind for _, kind in members if isinstance(kind, type) and issubclass(kind, BaseModel)]
        found = [
            (kind, kind.model_fields[part]) for kind in models if isinstance(part, str) and part in kind.model_fields
        ]
        if found:
            owner, field = found[0]
            annotation = field.annotation
            if field.metadata or field.discriminator:
                annotation = typing.Annotated[annotation, *field.metadata] if field.metadata else annotation
        elif isinstance(part, int) or any(get_origin(kind) is dict for _, kind in members):
            inner = [argument for _, kind in members for argument in get_args(kind)[-1:]]
            annotation, field = (inner[0] if inner else Any), None
        else:
            owner, field = (models[0] if models else None), None
    return tuple(place), owner, field


def _members(annotation: Any, tag: str | None = None) -> Iterable[tuple[str | None, Any]]:
    """What an annotation may be: the members of a union, each with its tag."""
    origin = get_origin(annotation)
    if origin is typing.Annotated:
        inner, *metadata = get_args(annotation)
        tags = [one.tag for one in metadata if isinstance(one, Tag)]
        yield from _members(inner, tags[0] if tags else tag)
    elif origin in (typing.Union, types.UnionType):
        for member in get_args(annotation):
            yield from _members(member)
    else:
        if tag is None and isinstance(annotation, type) and issubclass(annotation, BaseModel):
            kind = annotation.model_fields.get("kind")
            if kind is not None and get_origin(kind.annotation) is typing.Literal:
                tag = get_args(kind.annotation)[0]
        yield tag, annotation


def has(data: Any, part: str | int) -> bool:
    """Whether a table has this key, or a list this index."""
    if isinstance(data, Mapping):
        return part in data
    return isinstance(data, list) and isinstance(part, int) and part < len(data)
