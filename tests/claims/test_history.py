"""Changes of predicates are recorded with reasons and verdicts, and a contradiction is checked by machine."""

import json

import fairlane
import pytest
from fairlane.show.text.verdicts import as_json, remarks
from fairlane.study.claims import ClaimError, Claims, Evidence, Measurement, Status, about, judge, load
from fairlane.study.claims.claim import Cause, Published

CHANGED = """
[[changed]]
claim = "1"
date = 2026-11-28
before = "more than 1"
after = "more than 3"
reason = "1 cannot fail"
verdict_before = "holds"
verdict_after = "fails"
"""


@pytest.fixture
def folder(tmp_path):
    fairlane.trust(tmp_path)
    (tmp_path / "published").mkdir()
    head = "id,paper,section,claim,scenario,algorithms,metric,threshold,note\n"
    (tmp_path / "published" / "claims.csv").write_text(head + f"{tmp_path.name}-1,x,2.1,It is so.,,,,,\n")
    (tmp_path / "claims.py").write_text(
        "from fairlane.study.claims import Claims, Measurement\nCLAIMS = Claims()\n"
        f"@CLAIMS.claim('{tmp_path.name}-1')\n"
        "def it_is_so(evidence):\n    return Measurement.of('a', [1.0, 1.1, 1.2]) > 3\n"
    )
    return tmp_path


def test_a_change_is_shown_with_its_reason_and_both_verdicts(folder):
    (folder / "predicates.toml").write_text(CHANGED)
    [claim] = load(folder)
    verdict = judge(claim, Evidence(lambda _: None))
    line = "2026-11-28: more than 1 (holds, now fails: more than 3). 1 cannot fail"
    assert ("predicate changed", line) in remarks(verdict, {})
    [change] = as_json([verdict])[0]["predicate_changes"]
    assert (change["verdict_before"], change["verdict_after"]) == ("holds", "fails")
    json.dumps(change)


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('claim = "1"', 'claim = "2"', "unknown claim"),
        ('"fails"', '"nothing"', "changed.0.verdict_after"),
        ('reason = "1 cannot fail"\n', "", "changed.0.reason"),
    ],
)
def test_mistakes_in_the_history_are_reported(folder, before, after, complaint):
    (folder / "predicates.toml").write_text(CHANGED.replace(before, after))
    with pytest.raises(ClaimError, match=rf"predicates\.toml: .*{complaint}"):
        load(folder)


def contradicted(elsewhere, own):
    """A claim of "about 7 %" where the paper has these gains in another place and in its table."""
    claims = Claims()
    claims.claim("x", contradicted="a remark")(lambda e: about(e["a"]["gain"], 7))
    if elsewhere is not None:

        @claims.contradiction("x")
        def another_place(_):
            """Section 4 has another number."""
            return about(Measurement.published("Section 4", elsewhere), 7)

    [claim] = claims.matched({"x": Published("x", *[""] * 7)})
    ours, papers = ({"a": {"gain": one}} for one in (Measurement.of("gain", [1.0, 1.1, 1.2]), own))
    return judge(claim, ours, papers)


@pytest.mark.parametrize(
    ("elsewhere", "own", "cause"),
    [
        (None, float("nan"), None),  # a remark alone
        (3.8, float("nan"), Cause.CONTRADICTED),
        (7.1, float("nan"), None),  # both places agree
        (3.8, 7.0, None),  # the numbers of the table support it
        (None, 3.8, Cause.CONTRADICTED),
    ],
)
def test_a_claim_is_contradicted_only_by_a_number_on_which_it_fails(elsewhere, own, cause):
    verdict = contradicted(elsewhere, Measurement.published("gain", own))
    assert verdict.status is Status.FAILS
    assert verdict.cause is cause


def test_a_contradiction_says_where_it_is():
    with pytest.raises(ClaimError, match="docstring"):
        Claims().contradiction("x")(lambda _: None)
    claims = Claims()
    claims.contradiction("x")(documented)
    with pytest.raises(ClaimError, match="x has a contradiction and no predicate"):
        claims.matched({})


def documented(_):
    """Table 2."""
