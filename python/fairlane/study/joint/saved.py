"""The result of a joint judgement as files: `joint` in the folder of a study, or in that of its results.

`made.toml` has the date, the digests of the simulator's behaviour and of the study's files, and the repeats;
`settings.csv` a row for each variant and setting, `verdicts.csv` one for each claim that it concerns, `reaches.csv` one
for each claim that the unknowns of a testbed concern, and `moved.csv` one for each of these testbeds.
"""

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.engine.messages import counted
from fairlane.files import FileError
from fairlane.study.claims.judgement import Verdict
from fairlane.study.claims.over_settings import Effect, OverSettings, Reach
from fairlane.study.joint.inputs import digest
from fairlane.study.joint.judging import JointJudgement, Outcome
from fairlane.study.joint.settings import DEFAULT, Settings
from fairlane.study.paper.definition import Study, StudyError
from fairlane.study.paper.numbers_met import Count

FOLDER = "joint"
_COUNTED = ("numbers", "within_10", "within_25", "within_factor_2")
_SETTINGS = (
    "name",
    "kind",
    "of",
    "values",
    "holds",
    "gained",
    "lost",
    "numbers_change",
    "net_pct",
    "in_part",
    *_COUNTED,
    *(f"apart_{one}" for one in _COUNTED),
)
_TRUTH = {"true": True, "false": False}
_REACH = tuple(one.name for one in fields(Reach))


@dataclass(frozen=True)
class Origin:
    """The origin of a joint judgement."""

    date: str
    behaviour: str
    """The digest of the simulator's results in the study's networks."""
    inputs: str
    """The digest of the study."""
    quick: bool
    repeats: int
    """Of each point; 0 means those of the experiment files."""
    only: str = ""
    """The variants and testbeds that were judged, if not all; claims that others concern have no verdicts then."""
    without: str = ""
    """The experiments that were left out, and with them their claims."""

    @property
    def summary(self) -> str:
        """The origin in a few words."""
        runs = f"{self.repeats} repeats" if self.repeats else "the study's repeats"
        part = f", {len(self.only.split())} of its variants and testbeds" if self.only else ""
        part += f", without {counted(len(self.without.split()), 'experiment')}" if self.without else ""
        subset = "quick subset" if self.quick else "whole study"
        return f"{self.date}, {subset}{part}, {runs}, simulator {self.behaviour[:8]}"


@dataclass(frozen=True)
class Saved:
    """A joint judgement and its origin."""

    origin: Origin
    outcomes: Mapping[str, Outcome]
    """By the names of the settings."""
    verdicts: Mapping[str, Mapping[str, tuple[Verdict, str]]]
    reaches: Mapping[str, Reach]
    moved: Mapping[str, Mapping[str, bool]]
    """For each claim and testbed, whether a setting of the testbed changes a number of the claim."""

    @classmethod
    def of_judgement(
        cls,
        found: JointJudgement,
        *,
        inputs: str,
        behaviour: str,
        settings: Settings,
    ) -> "Saved":
        """A judgement that was made now, of the study when its digest was `inputs`."""
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        part = " ".join(settings.only), " ".join(settings.without)
        origin = Origin(today, behaviour, inputs, settings.quick, settings.repeats or 0, *part)
        return cls(origin, {one.effect.name: one for one in found.outcomes}, found.verdicts, found.reaches, found.moved)

    def of(self, claim: str) -> OverSettings | None:
        """The verdicts on a claim; None if nothing concerns it."""
        found = self.verdicts.get(claim, {})
        verdicts = [(self.outcomes[name].effect, *one) for name, one in found.items() if name != DEFAULT.name]
        return OverSettings(verdicts, self.reaches.get(claim)) if verdicts else None

    @cached_property
    def sorted(self) -> list[Outcome]:
        """All but the default, the largest net count first."""
        others = [one for one in self.outcomes.values() if one.effect.kind != "default"]
        return sorted(others, key=lambda one: (-one.effect.net, -one.effect.net_pct))


def write(folder: Path, made: Saved) -> None:
    """Writes a joint judgement into `folder`/joint. Raises OSError."""
    target = folder / FOLDER
    files.refuse_links(target / "made.toml", inside=folder)
    target.mkdir(parents=True, exist_ok=True)
    lines = [f"{one.name} = {_toml(getattr(made.origin, one.name))}\n" for one in fields(Origin)]
    files.write_text(target / "made.toml", "".join(lines))
    _write(target / "settings.csv", _SETTINGS, (_row(one) for one in made.outcomes.values()))
    _write(
        target / "verdicts.csv",
        ("claim", "setting", "verdict", "values"),
        ((id, name, *one) for id, by_name in made.verdicts.items() for name, one in by_name.items()),
    )
    rows = ((id, *(_number(value) for value in astuple(one))) for id, one in made.reaches.items())
    _write(target / "reaches.csv", ("claim", *_REACH), rows)
    moved = ((id, name, _toml(one)) for id, by_name in made.moved.items() for name, one in by_name.items())
    _write(target / "moved.csv", ("claim", "testbed", "moved"), moved)


def read(folder: Path, study: Study) -> Saved | None:
    """The joint judgement in `folder`/joint; None if there is none. Raises StudyError if it cannot be read."""
    target = folder / FOLDER
    if not (target / "made.toml").is_file():
        return None
    try:
        origin = _origin(files.toml(target / "made.toml", "make it again"))
        settings = files.csv_rows(target / "settings.csv", "make it again")[1]
        rows = files.csv_rows(target / "verdicts.csv", "make it again")[1]
        ranges = files.csv_rows(target / "reaches.csv", "make it again")[1]
        outcomes = {row["name"]: _outcome(row) for row in settings}
        verdicts: dict[str, dict[str, tuple[Verdict, str]]] = {}
        for row in rows:
            found = verdicts.setdefault(row["claim"], {})
            if row["setting"] not in outcomes:
                raise KeyError(row["setting"])
            found[row["setting"]] = Verdict(row["verdict"]), row["values"]
        reaches = {row["claim"]: _reach(row) for row in ranges}
        moved: dict[str, dict[str, bool]] = {}
        dependence = target / "moved.csv"  # older results have none: then all testbeds count
        for row in files.csv_rows(dependence, "make it again")[1] if dependence.is_file() else ():
            moved.setdefault(row["claim"], {})[row["testbed"]] = _TRUTH[row["moved"]]
    except (FileError, KeyError, TypeError, ValueError) as error:
        raise StudyError(f"{target}: {error}; run: fairlane explain {study.name} --joint --save") from None
    return Saved(origin, outcomes, verdicts, reaches, moved)


def _origin(table: Mapping[str, Any]) -> Origin:
    origin = Origin(**table)
    for one in fields(Origin):
        if type(value := getattr(origin, one.name)) is not one.type:
            raise TypeError(f"made.toml: {one.name}: {value!r} has another type")
    return origin


def current(study: Study, results: Path) -> Saved | None:
    """The joint judgement of the results if it is of the study as it is now, else the one that the study ships."""
    made = results / FOLDER / "made.toml"
    if made.is_file() and files.toml(made, "make it again").get("inputs") == digest(study):
        return read(results, study)
    return read(study.folder, study)


def _write(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    files.write_text(path, files.csv_text([head, *rows]))


def _row(one: Outcome) -> list[object]:
    effect = one.effect
    changes = (" ".join(ids) for ids in (effect.gained, effect.lost))
    met = [getattr(part, name) for part in (one.met, one.apart) for name in _COUNTED]
    net = (effect.numbers, _number(effect.net_pct), _toml(effect.in_part))
    return [effect.name, effect.kind, effect.of, effect.values, one.holds, *changes, *net, *met]


def _outcome(row: Mapping[str, str]) -> Outcome:
    gained, lost = (tuple(row[side].split()) for side in ("gained", "lost"))
    net = int(row["numbers_change"]), float(row["net_pct"]), _TRUTH[row.get("in_part", "false")]
    effect = Effect(row["name"], row["kind"], row["of"], row["values"], gained, lost, *net)
    met, apart = (_count(name, row, prefix) for name, prefix in (("telling", ""), ("apart", "apart_")))
    return Outcome(effect, int(row["holds"]), met, apart)


def _count(name: str, row: Mapping[str, str], prefix: str) -> Count:
    numbers, within_10, within_25, within_factor_2 = (int(row[f"{prefix}{one}"]) for one in _COUNTED)
    return Count(name, numbers, within_10, within_25, within_factor_2, trained=0, factor=math.nan)


def _reach(row: Mapping[str, str]) -> Reach:
    low, high, width, paper = (float(row[name]) for name in ("low", "high", "width", "paper"))
    return Reach(row["title"], row["unit"], low, high, width, paper)


def _number(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int) else f'"{value}"'
