"""The claims of the studies that come with Fairlane."""

from pathlib import Path

import pytest
from fairlane.show.text.verdicts import verdicts_text, write_csv
from fairlane.study.claims import Evidence, Status, judge, load
from fairlane.study.claims.stored_runs import StoredRuns

STUDIES = [
    path.parent
    for path in sorted((Path(__file__).parents[2] / "studies").glob("*/study.toml"))
    if (path.parent / "published" / "claims.csv").is_file()
]


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_every_claim_has_an_answer_and_asks_for_an_experiment_of_its_study(study):
    asked = set()

    def nothing_was_run(experiment):
        asked.add(experiment)

    verdicts = [judge(claim, Evidence(nothing_was_run)) for claim in load(study)]
    assert {one.status for one in verdicts} <= {Status.NOT_RUN, Status.UNSUPPORTED, Status.NOT_TESTABLE}
    assert all(one.summary for one in verdicts)
    assert asked
    for experiment in asked:
        assert (study / f"{experiment}.toml").is_file()


def test_a_claim_about_a_buffer_that_was_left_out_has_not_been_run():
    """With `reproduce --where buffer=16bdp`, nothing stored has 0.5 BDP."""

    class Largest:
        def points(self, *_columns):
            return {(1_000.0, 16.0)}

    [study] = [study for study in STUDIES if study.name == "elephants2023"]
    [small] = [claim for claim in load(study) if claim.published.id == "elephants2023-s51-8"]
    verdict = judge(small, {"fifo": Largest()})
    assert verdict.status is Status.NOT_RUN
    assert "0.5 BDP" in verdict.summary


def test_text_and_csv_say_the_same(pairs, tmp_path):
    from fairlane.study.claims import Claims
    from fairlane.study.claims.claim import Published

    claims = Claims()
    claims.claim("a", explanation="so it is")(
        lambda e: e["pairs"].where(against="reno", buffer="25kB")["jain_index"] > 2
    )
    claims.unsupported("needs Wi-Fi", "b")
    published = {id: Published(id, "4.1", f"claim {id}", "", "", "", "> 2", "") for id in "ab"}
    verdicts = [judge(claim, Evidence(lambda _: StoredRuns(pairs))) for claim in claims.matched(published)]
    text = verdicts_text(verdicts, 80)
    assert text.splitlines()[0] == "Claims: 1 undecided, 1 not supported"
    assert "3 repeats" in text
    write_csv(tmp_path / "claims.csv", verdicts)
    lines = (tmp_path / "claims.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["id", "a", "b"]
    assert "undecided" in lines[1]
