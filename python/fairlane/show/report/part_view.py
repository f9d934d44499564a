"""A part of a report as the templates show it."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from markupsafe import Markup

from fairlane.engine.messages import counted, show_duration
from fairlane.results.metrics.averaging import listed
from fairlane.show.comparison.comparison_table import Agreement, Layout, agreement, laid_out
from fairlane.show.report.drawings import drawn
from fairlane.show.report.medium import recorded_air
from fairlane.show.report.outcome import Finding, Outcome, finding, outcome
from fairlane.show.report.reasons import CauseCount, Fit, OtherTestbed, causes, fits, other_testbeds
from fairlane.show.report.series import recorded
from fairlane.show.report.study_contents import Part
from fairlane.show.report.timelines import Timeline, timelines
from fairlane.study.claims import Status
from fairlane.study.linux.similar_recordings import LinuxAgreement, agreement_with_linux
from fairlane.study.paper.comparison import Comparison, deviations
from fairlane.study.paper.definition import Unsupported
from fairlane.study.paper.numbers_met import Number, numbers
from fairlane.study.paper.numbers_met import count as count_met

FOLDED_FROM = 40
"""Tables below a figure with more rows than this are folded."""
FOLDED_RUNS_FROM = 6
"""More runs over time than this are folded."""


@dataclass
class ItemView:
    """A table or figure of a paper."""

    name: str
    source: str
    title: str
    note: str
    experiments: Sequence[str]
    layout: Layout
    agreement: Agreement | None
    svg: Markup
    differences: Sequence[tuple[str, str]]
    """Known differences, and their reasons."""
    few: bool
    timelines: Sequence[Timeline] = ()
    """The time series that the paper draws."""

    @property
    def folded_runs(self) -> bool:
        """Whether time series are folded."""
        return len(self.timelines) > FOLDED_RUNS_FROM

    @property
    def is_table(self) -> bool:
        """Whether it is one in the paper."""
        return self.source.startswith("Table")

    @property
    def folded(self) -> bool:
        """Whether the numbers are folded."""
        return not self.is_table and len(self.layout.lines) > FOLDED_FROM


class PartView(Part):
    """A part with its sentences, tables and drawings."""

    def __init__(self, part: Part, on_drawn: Callable[[], None] = lambda: None) -> None:
        super().__init__(**vars(part))
        self._on_drawn = on_drawn
        self.experiments = [
            replace(one, air=recorded_air(part.results[one.name])) if one.name in part.results else one
            for one in part.experiments
        ]
        self.cpu: str = show_duration(part.making.cpu_s)

    def record(self, sizes: Mapping[str, float]) -> None:
        """Adds time series, of each experiment as many as fit into this number of bytes."""
        recordings = {
            one.name: recorded(self.results[one.name], sizes[one.name], self._drawn(one.name))
            for one in self.experiments
        }
        self.experiments = [replace(one, recording=recordings[one.name]) for one in self.experiments]
        for view, comparison in zip(self.items, self.comparisons, strict=True):
            view.timelines = [
                replace(one, title=f"{name} {one.title}") if len(comparison.experiments) > 1 else one
                for name in (comparison.experiments if comparison.item.channels else [])
                for one in timelines(recordings[name], comparison.item)
            ]

    def _drawn(self, experiment: str) -> Callable[[Mapping[str, Any]], bool]:
        """Whether a figure plots a run of this experiment with these axes over time."""
        found = [one.item for one in self.comparisons if one.item.channels and experiment in one.experiments]
        return lambda axes: any(item.wants(axes) for item in found)

    @property
    def paper(self) -> str:
        """Authors, title and year."""
        return self.study.file.paper if self.study else ""

    @property
    def omitted(self) -> str:
        """The experiments that the quick subset omits, if this is one."""
        return self.study.file.quick if self.study and self.quick else ""

    @property
    def lead(self) -> str:
        """The verdicts on the tested claims, in a sentence; empty if none was tested."""
        counts = dict(self.counts)
        tested = {status: counts.get(status, 0) for status in ("holds", "fails", "undecided")}
        total = sum(tested.values())
        if not total:
            return ""
        words = {"holds": ("holds", "hold"), "fails": ("fails", "fail"), "undecided": ("is undecided", "are undecided")}
        parts = [f"{count} {words[status][count != 1]}" for status, count in tested.items() if count]
        if tested["holds"]:
            parts[0] += f" ({self.fitted} of them fitted)" if self.fitted else ""
        return f"Of {counted(total, 'claim')} that could be tested, {listed(parts)}."

    @property
    def fitted(self) -> int:
        """The claims that hold on numbers to which a testbed was fitted."""
        return sum(claim.status == Status.HOLDS and bool(claim.fitted) for claim in self.claims)

    @cached_property
    def causes(self) -> list[CauseCount]:
        """Why claims do not hold."""
        return causes(self.claims)

    @cached_property
    def fits(self) -> list[Fit]:
        """The testbeds that were fitted."""
        return fits(self.study, self.results, self.claims) if self.study else []

    @cached_property
    def other_testbeds(self) -> list[OtherTestbed]:
        """Variants and settings with their effects on all claims and numbers."""
        study, joint = self.study, self.joint
        return other_testbeds(study, joint, self.claims) if study and joint else []

    @property
    def sentence(self) -> str:
        """The number and the dates of the runs."""
        count = len(self.experiments)
        what = f"{counted(self.making.runs, 'simulated run')} of {counted(count, 'experiment')}"
        text = f"{what}, computed on {self.making.days}."
        telling, apart = (
            count_met("", [one for one in self._numbers if one.is_bounded is bounded]) for bounded in (False, True)
        )
        if telling.numbers:
            text += f" Of {telling.numbers:,} published numbers, ours are within 10\u00a0% of {telling.within_10:,}"
            text += f" and within a factor of 2 of {telling.within_factor_2:,}."
        if apart.numbers:
            text += " Jain’s index and the goodput ratio, whose values lie close together, are counted apart:"
            text += f" {apart.within_10:,} of {apart.numbers:,} are within 10\u00a0%."
        return text

    @property
    def _numbers(self) -> list[Number]:
        """The published numbers that were rerun, each once, as `fairlane claims --numbers` counts them."""
        return numbers(self.study, self.comparisons) if self.study else []

    @cached_property
    def items(self) -> list[ItemView]:
        """Tables and figures that have results."""
        items = []
        for comparison in self.comparisons:
            items.append(self._item(comparison))
            self._on_drawn()
        return items

    @cached_property
    def findings(self) -> dict[str, Finding]:
        """The finding of each experiment of a study, regardless of the paper's claims."""
        if self.study is None:
            return {}
        return {name: finding(results) for name, results in self.results.items()}

    @property
    def warned(self) -> list[tuple[str, str]]:
        """Experiments of a study in which something other than congestion control decides, and the sentences on it."""
        return [(name, text) for name, found in self.findings.items() for text in found.checks]

    @cached_property
    def linux(self) -> LinuxAgreement | None:
        """The agreement with Linux in scenarios like these: the first repeat of each point."""
        scenarios: dict[str, str] = {}
        for results in self.results.values():
            firsts = results.runs.filter(results.runs["repeat"] == 0)
            scenarios |= results.scenarios(firsts["run"].to_list())
        return agreement_with_linux(scenarios.values())

    @property
    def unrun(self) -> list[tuple[str, str]]:
        """Experiments of the study that were not run."""
        study, known = self.study, {one.name for one in self.experiments}
        if study is None:
            return []
        parts = study.file.experiments.items()
        return [(name, "beyond the paper" if part.optional else "") for name, part in parts if name not in known]

    @property
    def unsupported(self) -> list[tuple[str, Unsupported]]:
        """Experiments that Fairlane cannot run yet."""
        return list(self.study.file.unsupported.items()) if self.study else []

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of experiments that belong to no study."""
        if self.study is not None:
            return []
        titles = {one.name: one.title for one in self.experiments}
        return [outcome(results, name, titles[name]) for name, results in self.results.items()]

    @property
    def again(self) -> list[str]:
        """The commands that make all of this."""
        folder = shlex.quote(str(self.folder))
        if self.study is None:
            return [f"fairlane run {one.name}.toml --results {folder}" for one in self.experiments] + [
                f"fairlane report {folder}"
            ]
        quick = " --quick" if self.quick else ""
        return [f"fairlane reproduce {self.name}{quick} --results {folder}", f"fairlane report {folder}"]

    def _item(self, comparison: Comparison) -> ItemView:
        item, study = comparison.item, self.study
        parts = study.file.experiments if study else {}
        differences = {text: name for one in comparison.experiments for name, text in parts[one].differences.items()}
        found = [one for row in deviations(comparison) for one in row]
        return ItemView(
            name=item.name,
            source=item.source,
            title=item.title,
            note=item.note,
            experiments=comparison.experiments,
            layout=laid_out(comparison),
            agreement=agreement(found),
            svg=drawn(comparison, f"{self.name}.{item.name}".replace(".", "-")),
            differences=[(name, text) for text, name in differences.items()],
            few=comparison.has_few_repeats,
        )
