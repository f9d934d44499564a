"""The claims of the studies that come with Fairlane."""

from pathlib import Path

import pytest
from fairlane.claims import Evidence, Status, load, rule
from fairlane.present.claims import rulings_text, write_csv

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

    rulings = [rule(claim, Evidence(nothing_was_run)) for claim in load(study)]
    assert {one.status for one in rulings} <= {Status.NOT_RUN, Status.WAITING, Status.NOT_TESTABLE}
    assert all(one.says for one in rulings)
    assert asked
    for experiment in asked:
        assert (study / f"{experiment}.toml").is_file()


def test_text_and_csv_say_the_same(pairs, tmp_path):
    from fairlane.claims import Claims
    from fairlane.claims.claim import Published

    claims = Claims()
    claims.claim("a", explanation="so it is")(
        lambda e: e["pairs"].where(against="reno", buffer="25kB")["jain_index"] > 2
    )
    claims.waiting("needs Wi-Fi", "b")
    published = {id: Published(id, "4.1", f"claim {id}", "", "", "", "> 2", "") for id in "ab"}
    rulings = [rule(claim, Evidence(lambda _: pairs)) for claim in claims.beside(published)]
    text = rulings_text(rulings, 80)
    assert text.splitlines()[0] == "Claims: 1 undecided, 1 waiting"
    assert "3 repeats in all might decide it" in text
    write_csv(tmp_path / "claims.csv", rulings)
    lines = (tmp_path / "claims.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["id", "a", "b"]
    assert "undecided" in lines[1]
