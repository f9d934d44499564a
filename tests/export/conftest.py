import fairlane
import pytest

LOSSY = {
    "name": "lossy",
    "duration": "4s",
    "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "0.5bdp"},
    "flows": [{"algorithm": "cubic"}, {"algorithm": "bbr", "start": "550ms"}],
}


@pytest.fixture(scope="session")
def lossy(tmp_path_factory):
    """A short queue, two flows that lose packets in it, one of which starts between two samples."""
    return fairlane.run(LOSSY, tmp_path_factory.mktemp("lossy") / "store", jobs=1, progress=False)
