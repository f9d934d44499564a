"""A flow that ends before the first sample costs no other flow its export."""

import fairlane
import pytest

PAGES = {
    "name": "pages",
    "duration": "2s",
    "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
    "metrics": {"interval": "500ms"},
    "flows": [
        {"name": "download", "algorithm": "cubic"},
        {"name": "page", "algorithm": "reno", "workload": {"kind": "bytes", "bytes": "10kB"}, "start": "1.1s"},
    ],
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    results = fairlane.run(PAGES, tmp_path_factory.mktemp("pages") / "store", jobs=1, progress=False)
    assert not results.series("flow", flow=1).height, "the page is to be too short for a sample"
    return results


@pytest.mark.parametrize("form", ["iperf3", "flent"])
def test_the_others_are_exported(cli, pages, tmp_path, form):
    outcome = cli("export", pages.path, form, "-o", tmp_path)
    assert outcome.status == 0
    assert "1 flow " in outcome.err
    assert "flow 1 (page) of pages seed=1" in outcome.err
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("form", ["iperf3", "flent"])
def test_nothing_to_export(cli, pages, tmp_path, form):
    outcome = cli("export", pages.path, form, "--where", "name=page", "-o", tmp_path)
    assert outcome.status == 1
    assert "too short" in outcome.err


def test_python_warns(pages, tmp_path):
    with pytest.warns(RuntimeWarning, match="1 flow left out"):
        assert len(pages.export("iperf3", tmp_path)) == 1


def test_many_files_are_announced(pages, tmp_path, monkeypatch):
    monkeypatch.setattr("fairlane.show.export.file_names.MANY_FILES", 1)
    said = []
    from fairlane.show.export.file_names import places

    assert places("ab", tmp_path, ".json", said.append) == [tmp_path / "a.json", tmp_path / "b.json"]
    assert said == [f"2 files will be written to '{tmp_path}'; --where selects fewer"]
