"""Every metric, series, table and plot works for TCP and for QUIC: one experiment with the transport as an axis."""

import math

import fairlane
import pytest
from fairlane.results.metrics.catalogue import USUAL, catalogue
from fairlane.show.plots.kinds import KINDS, OVER_TIME

EXPERIMENT = """
name = "transports"
duration = "3s"
network = { rate = "10mbit", rtt = "20ms", loss = "0.1%" }
metrics = { watch = ["snd_cwnd"] }
flows = [{ algorithm = "cubic" }, { algorithm = "bbr" }]

[sweep]
"flows.*.transport" = ["tcp", "quic"]
"network.buffer" = ["20p", "40p"]
"""
TRANSPORTS = ("tcp", "quic")
TCP_ONLY = ("retransmits_per_segment",)
"""QUIC has no segments to retransmit: it sends lost data in new packets."""
OVER_WIFI = ("medium", "mpdus-cdf")
"""Plots of a shared medium."""
ONE = {"buffer": "20p"}
"""Plots over time are of one run."""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("transports")
    file = folder / "transports.toml"
    file.write_text(EXPERIMENT)
    return fairlane.run(file, folder / "results", progress=False)


def known(values):
    """Values of a column without nulls."""
    return [value is not None and not (isinstance(value, float) and math.isnan(value)) for value in values]


@pytest.mark.parametrize("metric", catalogue(), ids=lambda metric: metric.name)
def test_a_metric_has_values_for_both(results, metric):
    per = "run" if metric.of == "flows" else metric.of
    columns = [
        results.table([metric.name], per, transport=transport)[metric.name].to_list() for transport in TRANSPORTS
    ]
    if metric.name in TCP_ONLY:
        assert any(known(columns[0]))
        assert not any(known(columns[1]))
    else:
        assert known(columns[0]) == known(columns[1])


@pytest.mark.parametrize(("per", "metrics"), USUAL.items(), ids=USUAL)
def test_a_table_has_the_same_rows_for_both(results, per, metrics):
    tcp, quic = (results.table(metrics, per, transport=transport) for transport in TRANSPORTS)
    assert tcp.columns == quic.columns
    assert tcp.height == quic.height > 0


def test_a_series_has_the_same_columns_for_both(results):
    tcp, quic = (results.series(transport=transport) for transport in TRANSPORTS)
    assert tcp.columns == quic.columns
    for column in tcp.columns:
        assert known(tcp[column].to_list()[-5:]) == known(quic[column].to_list()[-5:]), column


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in (*OVER_WIFI, "topology")])
def test_a_plot_is_drawn_for_both(results, kind, tmp_path):
    sizes = {}
    for transport in TRANSPORTS:
        path = results.plot(
            kind, tmp_path / f"{transport}.svg", transport=transport, **(ONE if kind in OVER_TIME else {})
        )
        sizes[transport] = path.stat().st_size
    if kind in OVER_TIME and kind != "marks":  # no packet is marked
        assert max(sizes.values()) < 3 * min(sizes.values())  # neither canvas is empty


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_plot_of_the_medium_is_drawn_for_both(transport, tmp_path):
    cell = fairlane.run(
        {
            "duration": "2s",
            "network": {"kind": "wifi", "standard": "n"},
            "flows": [{"algorithm": "cubic", "transport": transport}],
        },
        results=tmp_path / "cell",
        progress=False,
    )
    for kind in OVER_WIFI:
        assert cell.plot(kind, tmp_path / f"{kind}.png").stat().st_size > 8_000, kind
