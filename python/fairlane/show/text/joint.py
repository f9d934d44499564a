"""A joint judgement as a table: a row for each variant and setting, with claims gained and lost and numbers met."""

import textwrap
from collections.abc import Sequence

from fairlane.engine.messages import counted
from fairlane.show.text.aligned import LEFT, RIGHT, text_table
from fairlane.show.text.verdicts import reach_text
from fairlane.study.claims.claim import Published
from fairlane.study.claims.over_settings import OverSettings
from fairlane.study.joint import behaviour
from fairlane.study.joint.inputs import digest
from fairlane.study.joint.judging import Outcome
from fairlane.study.joint.saved import Saved
from fairlane.study.paper.definition import Study
from fairlane.study.paper.numbers_met import Count

MOST_WORST = 5
"""The settings of each testbed that the table shows: the best ones."""


def joint_text(study: str, found: Saved, width: int) -> str:
    """The default, all variants and the best settings of each testbed, the largest net count first."""
    default = found.outcomes["default"]
    shown = _shown(found.sorted)
    left_out = len(found.sorted) - len(shown)
    head = [
        ("setting", LEFT),
        ("hold", RIGHT),
        ("gains", RIGHT),
        ("loses", RIGHT),
        ("net", RIGHT),
        *(("within\n" + title, RIGHT) for title in ("10 %", "25 %", "×2")),
    ]
    rows = [_row(one, width) for one in (default, *shown)]
    lines = [f"{study}: {found.origin.summary}", "", text_table(head, rows), ""]
    lines += [f"Of {counted(default.met.numbers, 'published number')}; {_apart(default.apart)}"]
    if left_out:
        lines.append(f"{left_out} more settings of testbeds are in settings.csv.")
    for one in shown:
        if one.effect.gained or one.effect.lost:
            gained, lost = (" ".join(_bare(ids, study)) or "none" for ids in (one.effect.gained, one.effect.lost))
            lines.append(_wrapped(f"{one.effect.title}: gains {gained}; loses {lost}", width))
    lines += ["", *best_text(found, width)]
    return "\n".join(lines)


def origin_text(study: Study, found: Saved | None) -> str:
    """A line on the joint judgement behind the causes of claims, and whether study and simulator are the same."""
    again = f"run: fairlane explain {study.name} --joint"
    if found is None:
        return f"No joint judgement of variants and testbeds; {again}"
    changed = [] if found.origin.inputs == digest(study) else ["the study has changed since"]
    if found.origin.behaviour != behaviour.digest(study, quick=found.origin.quick):
        changed.append("the simulator's results have changed since")
    stale = f"; {' and '.join(changed)}, {again}" if changed else ""
    return f"Causes use the joint judgement of {found.origin.summary}{stale}."


def claim_text(claim: Published, found: OverSettings | None, width: int) -> str:
    """The verdicts on one claim at all settings and under all variants that concern it."""
    lines = [_wrapped(f"{claim.id}, {claim.section}: {claim.claim}", width)]
    if found is None:
        return "\n".join([*lines, "no variant and no setting concerns it, or its runs are missing"])
    lines += [_wrapped(f"{verdict:<9}  {effect.title}: {values}", width) for effect, verdict, values in found.verdicts]
    if found.reach is not None:
        lines.append(_wrapped(f"range: {reach_text(found.reach)}", width))
    return "\n".join(lines)


def best_text(found: Saved, width: int) -> list[str]:
    """For each testbed, the setting with the largest net count, if that is better than the shipped one."""
    lines = []
    for name in dict.fromkeys(one.effect.of for one in found.sorted if one.effect.kind == "testbed"):
        mine = [one.effect for one in found.sorted if one.effect.kind == "testbed" and one.effect.of == name]
        best = max(mine, key=lambda effect: (effect.is_free, effect.net_pct))
        text = "no setting beats the shipped one"
        if best.is_free and best.net_pct > 0:
            text = f"best is {best.values}, net {best.net:+d} claims, {best.numbers:+d} numbers"
        lines.append(_wrapped(f"testbed {name}: {text}", width))
    return lines


def _shown(every: Sequence[Outcome]) -> list[Outcome]:
    shown: list[Outcome] = []
    for one in every:
        same = sum(other.effect.kind == "testbed" and other.effect.of == one.effect.of for other in shown)
        if one.effect.kind == "variant" or same < MOST_WORST:
            shown.append(one)
    return shown


def _row(one: Outcome, width: int) -> list[str]:
    effect = one.effect
    name = textwrap.shorten(effect.title, max(30, width - 46), placeholder=" ...")
    changes = ("", "", "") if effect.kind == "default" else (len(effect.gained), len(effect.lost), f"{effect.net:+d}")
    met = (one.met.within_10, one.met.within_25, one.met.within_factor_2)
    return [name, str(one.holds), *map(str, changes), *map(str, met)]


def _apart(one: Count) -> str:
    """Numbers that hardly tell good from bad are counted apart."""
    return (
        f"apart, {one.within_10} of {one.numbers} within 10 % of Jain's index and goodput ratio"
        if one.numbers
        else "it prints no Jain's index or goodput ratio"
    )


def _bare(ids: Sequence[str], study: str) -> list[str]:
    return [id.removeprefix(f"{study}-") for id in ids]


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, width, subsequent_indent="  ")
