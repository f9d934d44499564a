"""The sweep of an experiment is read separately."""

import pytest
from fairlane.files import data_folder
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load, load_sweep


@pytest.mark.parametrize("name", ["elephants2023/fifo", "fiftyshades2019/ack-compression", "modestbbr/pairs"])
def test_it_equals_the_whole_file(name):
    path = data_folder("studies") / f"{name}.toml"
    whole, sweep = load(path), load_sweep(path)
    assert sweep.axes == whole.axes
    assert list(sweep.points) == [point.axes for point in whole.points]


def test_an_axis_without_values_is_named(tmp_path):
    path = tmp_path / "empty.toml"
    path.write_text('[sweep]\n"network.rate" = []\n')
    with pytest.raises(ExperimentError, match=r"network\.rate"):
        load_sweep(path)
