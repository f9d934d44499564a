"""Counts of verdicts over studies; claims that the paper's own numbers contradict are counted separately."""

from dataclasses import replace

import pytest
from fairlane.show.text.tally import sentence, tally_text
from fairlane.show.text.verdicts import remarks
from fairlane.study.claims.claim import Cause, Claims, Published
from fairlane.study.claims.judgement import Judgement, Verdict
from fairlane.study.claims.over_settings import Effect, OverSettings
from fairlane.study.claims.tally import Tally
from fairlane.study.claims.verdict import ClaimVerdict, Status

HELD, BROKEN, OPEN = Status.HOLDS, Status.FAILS, Status.UNDECIDED


def verdict(status, own=Verdict.HOLDS, cause="", calibrated="", contradicted="", otherwise=None):
    claims = Claims()
    claims.claim("x", cause=cause, contradicted="a remark")(lambda _: Judgement(Verdict.HOLDS, ""))
    [claim] = claims.matched({"x": Published("x", *[""] * 7)})
    elsewhere = Judgement(contradicted, "Table 2") if contradicted else None
    return ClaimVerdict(
        claim,
        status,
        "",
        on_own_numbers=Judgement(own, ""),
        calibrated=calibrated,
        elsewhere=elsewhere,
        otherwise=otherwise,
    )


VERDICTS = [
    verdict(HELD),
    verdict(HELD, calibrated="a queue"),
    verdict(HELD, own=Verdict.FAILS),
    verdict(HELD, own=Verdict.UNDECIDED, contradicted=Verdict.FAILS),
    verdict(HELD, contradicted=Verdict.FAILS),  # its own numbers support it after all
    verdict(BROKEN, own=Verdict.FAILS, cause="chance"),
    verdict(BROKEN, cause="version"),
    verdict(BROKEN),
    verdict(OPEN),
    verdict(OPEN, cause="predicate", otherwise=Judgement(Verdict.HOLDS, "")),
    verdict(Status.NOT_RUN),
    verdict(Status.NOT_TESTABLE),
]


def test_contradicted_claims_count_separately():
    found = Tally(VERDICTS)
    assert (found.calibrated, *map(found.count, (HELD, BROKEN, OPEN))) == (1, 5, 3, 2)
    assert (found.uncontradicted, found.holds_uncontradicted) == (7, 3)
    causes = {status: {cause: found.count(status, cause) for cause in Cause} for status in (BROKEN, OPEN)}
    assert causes[BROKEN] == {**dict.fromkeys(Cause, 0), "contradicted": 1, "version": 1, "unexplained": 1}
    assert causes[OPEN] == {**dict.fromkeys(Cause, 0), "chance": 1, "predicate": 1}


@pytest.mark.parametrize(("turned", "expected"), [((), 1), ((Verdict.UNDECIDED,), 0)])
def test_fitted_claims_that_hold_at_every_setting_are_told_apart(turned, expected):
    settings = [(Effect(str(number), "testbed", "path", ""), one, "") for number, one in enumerate((HELD, *turned))]
    variant = (Effect("v", "variant", "v", ""), Verdict.FAILS, "")  # another network, not a value of an unknown
    over = OverSettings([*((effect, Verdict(one), text) for effect, one, text in settings), variant], None)
    found = [replace(one, over=over) for one in VERDICTS[:3]]
    assert Tally(found).calibrated_everywhere == expected, "the only one that is fitted"
    assert ("1 of the fitted hold at every setting" in sentence(found)) is bool(expected)
    assert ("it holds at every setting" in dict(remarks(found[1], {}))["no evidence"]) is bool(expected)


def test_studies_are_added_up():
    one, two = Tally(VERDICTS[:6]), Tally(VERDICTS[6:])
    rows = [line.split() for line in tally_text({"a": one, "b": two}).splitlines()]
    assert ["together", "7", "3", "5", "1", "3", "2", "1+0", "0+0", "1+0", "0+1", "0+0", "0+1", "0+0", "1+0"] in rows


@pytest.mark.parametrize("status", [HELD, BROKEN, OPEN])
def test_every_tested_claim_is_counted_once(status):
    counts = Tally([replace(one, status=status) for one in VERDICTS]).as_json()
    assert counts["tested"] == counts["holds"] + counts["fails"] + counts["undecided"] == len(VERDICTS)


def test_without_a_study_and_without_results_the_remedy_is_named(cli, tmp_path):
    outcome = cli("claims", "--results", tmp_path)
    assert outcome.status == 1
    assert "fairlane reproduce" in outcome.err
