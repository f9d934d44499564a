"""The shipped studies load, and a slip of the pen in a study file is named."""

import shutil

import pytest
from fairlane.locations import data_folder
from fairlane.study.experiment import StudyError, load, names

STUDIES = data_folder("studies")
SHIPPED = [path for folder in sorted(STUDIES.iterdir()) if folder.is_dir() for path in sorted(folder.glob("*.toml"))]


@pytest.mark.parametrize("path", SHIPPED, ids=[f"{path.parent.name}/{path.stem}" for path in SHIPPED])
def test_every_shipped_experiment_loads(path):
    experiment = load(path)
    assert path.stem in names(path.parent)
    assert set(experiment.networks) == set(experiment.published)


def test_the_baseline_is_the_papers():
    experiment = load(STUDIES / "fiftyshades2019" / "baseline.toml")
    network = experiment.networks["cubic"]
    assert network.rate_bps == 100_000_000
    assert network.queue == {"kind": "fifo", "limit_packets": 1000}
    assert len(experiment.networks) == 13
    assert experiment.published["cubic"]["cwnd_packets"] == "1216.19"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('rate = "100mbit"', 'rate = "100mbot"', "network.rate: '100mbot' has the unknown unit 'mbot'"),
        ('rate = "100mbit"', 'rat = "100mbit"', "network.rate is missing"),
        (
            'buffer = "1000p"',
            'buffer = "1000p"\nbufer = 1',
            "unknown key 'network.bufer'; did you mean network.buffer",
        ),
        ("hz = 250", 'hz = "often"', "hosts.hz must be of type int"),
        ('"cwnd_packets"', '"cwnd_packet"', "unknown metric 'cwnd_packet'; did you mean cwnd_packets?"),
        ("[network]", "[network", "baseline.toml"),
    ],
)
def test_a_slip_of_the_pen_is_named(tmp_path, old, new, said):
    shutil.copytree(STUDIES / "fiftyshades2019", tmp_path / "study")
    path = tmp_path / "study" / "baseline.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(StudyError) as caught:
        load(path)
    assert said in str(caught.value)
