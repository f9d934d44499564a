"""Reports on a single repeat, which has no interval and no spread."""

import shutil

import fairlane
from fairlane.show.report.latex import write
from fairlane.show.report.page import page
from fairlane.show.report.study_contents import gather
from fairlane.study.paper.definition import load
from fairlane.study.rerun import jobs_for

SPREADS = """

@CLAIMS.claim("c-2")
def spreads(evidence):
    small = evidence["small"]
    one = small.where(algorithm_a="cubic", buffer=1)["total_goodput_mbps"]
    return one.stddev < small.where(algorithm_a="reno", buffer=1)["total_goodput_mbps"].stddev
"""


def test_a_report_on_one_repeat(studies, tmp_path, monkeypatch):
    folder = tmp_path / "studies" / "small2020"
    shutil.copytree(studies / "small2020", folder)
    experiment = folder / "small.toml"
    experiment.write_text(experiment.read_text().replace("repeats = 3", "repeats = 1"))
    claims = (folder / "claims.py").read_text()
    first, _, last = claims.partition('@CLAIMS.claim("c-2"')
    (folder / "claims.py").write_text(first.rstrip() + "\n" + SPREADS + "\n\nCLAIMS" + last.partition("\n\nCLAIMS")[2])
    fairlane.trust(folder)
    study = load(folder)
    for job in jobs_for(study, *study.chosen(None), whole=True):
        job.run(tmp_path / "results", 1)
    monkeypatch.setattr("fairlane.show.report.study_contents.data_folder", lambda _name: folder.parent)
    parts = gather([tmp_path / "results"])
    text = page(parts, "fairlane report")
    assert "not measured (1 repeat)" in text
    assert {one.name: one.status for one in parts[0].claims}["c-2"] == "undecided"
    assert 'cx="nan"' not in text
    assert list(write(tmp_path / "latex", parts))
