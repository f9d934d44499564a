"""The forms of the JSON files of a store: their checksums say that they are whole, not that Fairlane wrote them.

Imported when such a file is read, because pydantic takes longer to load than most commands take.
"""

from typing import Annotated, Any, NotRequired

from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

from fairlane.scenario.plan import AxisValue


class _File(TypedDict):
    bytes: int
    blake3: str


class _Manifest(TypedDict):
    keys: list[str]
    files: dict[str, _File]


class _Axis(TypedDict):
    name: str
    column: str
    unit: str
    values: list[AxisValue]
    labels: list[str]


class _Group(TypedDict):
    name: NotRequired[str | None]
    algorithm: NotRequired[str | None]
    count: NotRequired[Annotated[int, Field(ge=0, le=1_000_000)]]


class _Point(TypedDict):
    axes: dict[str, AxisValue]
    groups: list[_Group]


class _Runs(TypedDict):
    run: list[str]
    point: list[Annotated[int, Field(ge=0)]]
    seed: list[int]
    repeat: list[int]


class _Plan(TypedDict):
    experiment: str
    title: str
    study: str
    settings: dict[str, Any]
    axes: list[_Axis]
    points: list[_Point]
    runs: _Runs


MANIFEST = TypeAdapter(_Manifest)
PLAN = TypeAdapter(_Plan)
