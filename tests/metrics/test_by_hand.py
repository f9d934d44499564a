"""Each metric on values that can be computed by hand."""

import math

import numpy as np
import pytest
from fairlane.results.metrics import Run, catalogue, find
from fairlane.results.metrics.definitions.fairness import jain_over_time

from .conftest import FIGURES, flow, link, steady

OF_A_FLOW = {
    "goodput_mbps": 8.0,
    "throughput_mbps": 9.0,
    "sending_rate_mbps": 10.0,
    "goodput_ratio_pct": 80.0,
    "completion_s": None,
    "completion_slowdown": None,
    "completion_slowdown_small": None,
    "completion_slowdown_medium": None,
    "completion_slowdown_large": None,
    "request_median_ms": 21.0,
    "request_p95_ms": 35.0,
    "request_p99_ms": 48.0,
    "page_load_median_ms": 900.0,
    "video_bitrate_mbps": 4.3,
    "rebuffering_pct": 10.0,
    "call_delay_median_ms": 40.0,
    "call_delay_p95_ms": 120.0,
    "call_delay_p99_ms": 180.0,
    "call_bitrate_mbps": 1.2,
    "call_late_pct": 15.0,
    "call_lost_pct": 5.0,
    "call_frozen_pct": 5.0,
    "mean_rtt_ms": 30.0,
    "median_rtt_ms": 29.0,
    "p95_rtt_ms": 40.0,
    "p99_rtt_ms": 45.0,
    "max_rtt_ms": 50.0,
    "min_rtt_ms": 20.0,
    "packet_rtt_mean_ms": 31.0,
    "packet_rtt_median_ms": 28.0,
    "packet_rtt_p95_ms": 41.0,
    "packet_rtt_p99_ms": 46.0,
    "packet_rtt_min_ms": 20.5,
    "packet_rtt_max_ms": 55.0,
    "retransmits": 30,
    "retransmits_per_s": 3.0,
    "retransmits_per_30s": 90.0,
    "retransmits_per_packet_pct": 3.0,
    "p95_rtt_above_min_ms": 20.5,
    "retransmits_per_loss": 1.5,
    "retransmits_per_segment": 1.2,
    "lost_packets": 20,
    "loss_rate_pct": 2.0,
    "spurious_losses": 4,
    "timeouts": 2,
    "marked_packets": 5,
    "mean_cwnd_packets": 25.0,
    "mean_cwnd_kb": 25.0,
    "mean_pacing_mbps": 9.5,
    "mean_inflight_packets": 20.0,
    "mean_inflight_kb": 20.0,
    "wire_mb": 13.0,
    "wire_forward_mb": 12.5,
    "wire_reverse_mb": 0.5,
    "share_pct": 80.0,
    "busy_pct": 90.0,
    "rwnd_limited_pct": 40.0,
    "sndbuf_limited_pct": 5.0,
    "small_queue_limited_pct": 2.0,
    "app_limited_pct": 10.0,
    "cwnd_limited_pct": 30.0,
    "pacing_limited_pct": 12.0,
    "ack_blocks_per_s": 40.0,
    "packets_per_ack_block": 3.0,
    "segment_gap_ms": 0.02,
    "ack_block_gap_correlation": -0.5,
    "ack_block_variation": 0.1,
    "segment_gap_variation": 0.2,
}
OF_A_LINK = {
    "utilisation_pct": 90.0,
    "mean_queue_kb": 5.0,
    "max_queue_kb": 20.0,
    "p95_queue_kb": 9.5,
    "mean_queue_delay_ms": 4.0,
    "max_queue_delay_ms": 16.0,
    "median_queue_delay_ms": 3.0,
    "p95_queue_delay_ms": 12.0,
    "p99_queue_delay_ms": 15.0,
    "dropped_packets": 30,
    "drop_rate_pct": 3.0,
    "random_loss_packets": 10,
    "ecn_marked_packets": 7,
    "airtime_pct": 40.0,
    "mpdus_per_ppdu": 20.0,
    "p5_mpdus_per_ppdu": 4,
    "median_mpdus_per_ppdu": 22,
    "p95_mpdus_per_ppdu": 42,
    "collided_ppdus_pct": 10.0,
    "retransmitted_mpdus_pct": 4.0,
    "turns_per_s": 20.0,
    "packets_per_turn": 24.0,
}
OF_FLOWS = {
    "total_goodput_mbps": 10.0,
    "total_throughput_mbps": 12.0,
    "total_retransmits": 40,
    "flow_count": 2,
    "jain_index": 100 / (2 * 68),
    "jain_index_of_groups": 144 / (2 * 90),
    "max_min_share": 0.25,
    "min_fair_share_pct": 40.0,
}
ELSEWHERE = {
    "backoff_factor",
    "completion_median_s",
    "completion_p99_s",
    "completion_median_slowdown",
    "completion_p99_slowdown",
    "completion_median_slowdown_small",
    "completion_p99_slowdown_small",
    "completion_median_slowdown_medium",
    "completion_p99_slowdown_medium",
    "completion_median_slowdown_large",
    "completion_p99_slowdown_large",
    "longest_breaker_s",
    "time_to_90pct_s",
    "smallest_share_10s",
    "longest_stall_s",
    "goodput_before_last_start_mbps",
    "goodput_since_last_start_mbps",
    "time_to_fairness_3s_s",
    "convergence_time_3s_s",
    "convergence_time_30s_s",
    "stability_3s_kb",
    "stability_30s_kb",
    "jain_index_1s",
    "jain_index_300ms",
    "bottleneck_utilisation_pct",
    "rtt_stddev_ms",
    "cwnd_stddev_kb",
    "smallest_window_pct",
    "goodput_first_20s_mbps",
    "goodput_stddev_mbps",
    "goodput_period_s",
    "cwnd_growth_packets_per_s",
    "airtime_jain_index",
}


def test_every_metric_is_tested():
    own = {metric.name for metric in catalogue() if metric.is_own}
    assert own == set(OF_A_FLOW) | set(OF_A_LINK) | set(OF_FLOWS) | ELSEWHERE


@pytest.mark.parametrize(("name", "value"), OF_A_FLOW.items())
def test_of_a_flow(run, name, value):
    assert find(name)(run.flows[0]) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(("name", "value"), OF_A_LINK.items())
def test_of_a_link(name, value):
    series = {"t_s": [1.0, 2.0], "queue_bytes": [0.0, 10_000.0]}
    assert find(name)(link(series)) == pytest.approx(value)


@pytest.mark.parametrize(("name", "value"), OF_FLOWS.items())
def test_of_flows(run, name, value):
    assert find(name)(run.flows) == pytest.approx(value)


def test_of_the_bottleneck(run):
    metric = find("bottleneck_utilisation_pct")
    assert metric(run) == pytest.approx(90.0)
    assert metric(Run({}, [], [link(name="a", utilisation=0.2), link(name="b", utilisation=0.4)])) == 40.0
    assert metric(Run({}, [], [link(utilisation=0.0, name="x")])) is None


def test_of_a_cell():
    shares = {"a-up": 0.4, "a-down": 0.2, "b-up": 0.15, "b-down": 0.05, "wire": None}
    links = [link(name=name, airtime_share=share) for name, share in shares.items()]
    # Stations have 0.6 and 0.2 of the time.
    assert find("airtime_jain_index")(Run({}, [], links)) == pytest.approx(0.64 / (2 * 0.4))
    wire = link(airtime_share=None, ppdus=None, mpdus_per_ppdu=None, turns=None)
    assert find("airtime_jain_index")(Run({}, [], [wire])) is None
    for name in ("airtime_pct", "mpdus_per_ppdu", "collided_ppdus_pct", "turns_per_s", "packets_per_turn"):
        assert find(name)(wire) is None, name


def test_nothing_to_divide_by():
    idle = flow(sending_rate_mbps=0.0, goodput_mbps=0.0, data_packets_sent=0, lost_packets=0, duration_s=0.0)
    names = ["goodput_ratio_pct", "loss_rate_pct", "retransmits_per_s", "retransmits_per_packet_pct"]
    for name in [*names, "retransmits_per_loss", "share_pct"]:
        assert find(name)(idle) is None, name
    for segments in (0, None):  # nothing was retransmitted, or retransmissions were not counted
        assert find("retransmits_per_segment")(flow(segments_retransmitted=segments)) is None
    for name in ["jain_index", "max_min_share", "min_fair_share_pct", "jain_index_of_groups"]:
        assert find(name)([idle]) is None, name
        assert find(name)([idle, flow(sending_rate_mbps=0, goodput_mbps=0.0, throughput_mbps=0.0)]) in (None, 1.0), name


def test_jain_over_time_counts_who_is_there():
    early, late = steady([6.0, 6.0, 6.0, 6.0]), steady([6.0, 3.0], start_s=2.0)
    ends_s, values = jain_over_time([early, late], 1.0)
    assert ends_s.tolist() == [1, 2, 3, 4]
    # Alone for two seconds, then 6 and 6, then 6 and 3: 81 / (2 * 45).
    np.testing.assert_allclose(values, [math.nan, math.nan, 1.0, 0.9])
    assert find("jain_index_1s")([early, late]) == pytest.approx(0.95)
    assert find("jain_index_1s")([early]) is None


def test_the_warm_up_does_not_count():
    flows = [steady([9.0, 9.0, 5.0, 5.0]), steady([1.0, 1.0, 5.0, 5.0])]
    queue = link({"t_s": [1.0, 2.0, 3.0, 4.0], "queue_bytes": [90_000, 90_000, 4_000, 4_000]})
    Run({"warm_up_s": 2.0}, flows, [queue])
    assert find("jain_index_1s")(flows) == pytest.approx(1.0)
    assert find("p95_queue_kb")(queue) == pytest.approx(4.0)


def test_deviations_over_time():
    one = flow({"t_s": [1.0, 2.0], "rtt_ms": [10.0, 20.0], "cwnd_packets": [4.0, 8.0]})
    assert find("rtt_stddev_ms")(one) == pytest.approx(5.0)
    assert find("cwnd_stddev_kb")(one) == pytest.approx(2 * FIGURES["mss_bytes"] / 1000)


def test_the_smallest_window_of_bbr():
    one = flow({"t_s": [1.0, 2.0, 3.0, 4.0, 5.0], "cwnd_packets": [40.0, 4.0, 5.0, 4.0, 40.0]})
    assert find("smallest_window_pct")(one) == pytest.approx(40.0)


def test_the_first_20_seconds_of_a_run():
    """A flow that starts at 10 s has half of the time; data after 20 s does not count."""
    late = steady([8.0] * 10 + [100.0] * 10, start_s=10.0)
    assert find("goodput_first_20s_mbps")(late) == pytest.approx(4.0)
    assert find("goodput_first_20s_mbps")(steady([8.0] * 30)) == pytest.approx(8.0)
    assert find("goodput_first_20s_mbps")(steady([8.0] * 10)) is None


def test_the_deviation_of_goodput():
    assert find("goodput_stddev_mbps")(steady([5.0] * 6)) == pytest.approx(0.0)
    # Half of the bins at 2, half at 6.
    assert find("goodput_stddev_mbps")(steady([2.0, 2.0, 2.0, 6.0, 6.0, 6.0])) == pytest.approx(2.0)


def test_the_period_of_goodput():
    """A peak every 6 s, in samples of 0.3 s; a steady flow has none, and one of 6 s shows too little."""
    peaks = [8.0 if number % 20 < 3 else 2.0 for number in range(200)]

    def every_300_ms(mbps):
        return flow({"t_s": [0.3 * (number + 1) for number in range(len(mbps))], "mbps": mbps}, start_s=0.0)

    assert find("goodput_period_s")(every_300_ms(peaks)) == pytest.approx(6.0)
    assert find("goodput_period_s")(every_300_ms([8.0] * 200)) is None
    assert find("goodput_period_s")(every_300_ms(peaks[:20])) is None
    assert find("goodput_period_s")(steady(peaks)) is None, "a sample a second is too seldom"


def test_the_growth_of_a_window_after_its_first_reduction():
    """Slow start does not count, nor does the time in which the window stays or shrinks: 6 packets in 2 s."""
    one = flow({"t_s": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "cwnd_packets": [10.0, 80.0, 40.0, 42.0, 42.0, 46.0]})
    assert find("cwnd_growth_packets_per_s")(one) == pytest.approx(3.0)
    assert find("cwnd_growth_packets_per_s")(flow({"t_s": [1.0, 2.0], "cwnd_packets": [4.0, 8.0]})) is None


def test_taking_turns_is_not_fair():
    flows = [steady([10.0, 0.0, 10.0, 0.0], goodput_mbps=5.0), steady([0.0, 10.0, 0.0, 10.0], goodput_mbps=5.0)]
    assert find("jain_index")(flows) == 1.0
    assert find("jain_index_1s")(flows) == 0.5
    assert find("jain_index_300ms")(flows) == 0.5


def converging(cwnd: list[float], start_s: float = 0.0) -> object:
    times_s = [start_s + 0.1 * (i + 1) for i in range(len(cwnd))]
    return flow({"t_s": times_s, "cwnd_packets": cwnd}, start_s=start_s)


def test_a_constant_window_converges_when_its_mean_exists():
    steady_window = converging([10.0] * 400, start_s=5.0)
    assert find("convergence_time_3s_s")(steady_window) == pytest.approx(3.0)
    assert find("convergence_time_30s_s")(steady_window) == pytest.approx(30.0)
    assert find("stability_3s_kb")(steady_window) == pytest.approx(0.0)
    assert find("convergence_time_30s_s")(converging([10.0] * 200)) is None


def test_convergence_by_hand():
    # 300 samples of 50, then 900 of 100. Over 3 s, mu is 50 at 271 places, climbs to 100 in 30 samples by 50/30 each,
    # and stays there for the other 870; 1171 in all.
    window = converging([50.0] * 300 + [100.0] * 900)
    climb = [50 + 50 * step / 30 for step in range(1, 31)]
    mu = [50.0] * 271 + climb + [100.0] * 870
    mean = sum(mu) / len(mu)
    first = next(i for i, value in enumerate(mu) if abs(value - mean) <= 0.2 * mean)
    assert find("convergence_time_3s_s")(window) == pytest.approx(3.0 + 0.1 * first)
    after = mu[first:]
    deviation = math.sqrt(sum((value - mean) ** 2 for value in after) / len(after))
    assert find("stability_3s_kb")(window) == pytest.approx(deviation * FIGURES["mss_bytes"] / 1000)


def test_goodput_before_and_after_another_flow_joins():
    first, second = steady([8.0, 8.0, 2.0, 4.0]), steady([5.0, 5.0], start_s=2.0)
    Run({}, [first, second], [])
    before, since = find("goodput_before_last_start_mbps"), find("goodput_since_last_start_mbps")
    assert (before(first), since(first)) == (8.0, 3.0)
    assert (before(second), since(second)) == (None, 5.0)


def test_time_to_equal_shares():
    metric = find("time_to_fairness_3s_s")
    first, late = [10.0] * 3 + [9.0] * 3 + [5.0] * 3, [1.0] * 3 + [4.5] * 3
    assert metric([steady(first), steady(late, start_s=3.0)]) == 9.0
    assert metric([steady([5.0] * 9), steady([5.0] * 6, start_s=3.0)]) == 6.0, "all must run"
    assert metric([steady([6.0] * 6), steady([3.9] * 6)]) == 6.0, "never: 6.0 is more than 1.2 times 4.95"
    assert metric([steady([6.0] * 6)]) is None


def test_the_smallest_share_of_10_s():
    """In the first 10 s one flow has 2 of 10 Mbit/s, where the mean is 5; then both have 8."""
    flows = [steady([8.0] * 20), steady([2.0] * 10 + [8.0] * 10)]
    assert find("smallest_share_10s")(flows) == pytest.approx(0.4)
    assert find("smallest_share_10s")(flows[:1]) is None


def test_the_longest_stall():
    assert find("longest_stall_s")(steady([8.0, 0.0, 0.0, 8.0])) == pytest.approx(3.0)
    assert find("longest_stall_s")(steady([0.0, 8.0, 8.0, 8.0])) == pytest.approx(2.0), "from the start on"


def test_silences_that_double():
    """Nothing arrives from 1 s to 81 s; the sender sends after 1, 2, 4 and 8 s, then after 40 s."""
    mbps, sends = np.zeros(820), np.zeros(820)
    mbps[:10] = mbps[810:] = 8.0
    sends[:10] = 8.0
    sends[[20, 40, 80, 160]] = 0.1
    times_s = np.arange(1, 821) / 10
    assert find("backoff_factor")(flow({"t_s": times_s, "mbps": mbps, "sending_rate_mbps": sends})) == 2.0
    sends[170] = 0.1
    series = {"t_s": times_s, "mbps": mbps, "sending_rate_mbps": sends}
    assert find("backoff_factor")(flow(series)) == pytest.approx(1 / 8), "the last silence is shorter"


def test_seconds_beyond_the_circuit_breaker_of_rfc_8083():
    """100 packets each second at an RTT of 0.4 s; TCP has 100 / (40 sqrt(2 p / 3)) of that: a tenth with p = 9.4 %."""
    lost = [0, 10, 10, 9, 10, 10, 10, 0, 0, 30]
    series = {
        "t_s": list(range(1, 11)),
        "sending_rate_mbps": [1.0] * 10,
        "lost_packets": lost,
        "rtt_ms": [400.0] * 10,
    }
    assert find("longest_breaker_s")(flow(series)) == 3.0
    assert find("longest_breaker_s")(flow({**series, "lost_packets": [0] * 10})) == 0.0
    assert find("longest_breaker_s")(flow({**series, "rtt_ms": [40.0] * 10})) == 0.0, "TCP is faster at a short RTT"


def test_time_to_90_percent_of_a_new_rate():
    """A link of 10 Mbit/s, used by 60 % for 2 s, by 80 % for 2 s and then fully, is 76 % used."""
    mbps = [5.0, 6.0, 6.0, 8.0, 8.0, 10.0]

    def of(mbps, utilisation):
        series = {"t_s": [float(second) for second in range(1, len(mbps) + 1)], "throughput_mbps": mbps}
        return find("time_to_90pct_s")(Run({"warm_up_s": 1.0}, [flow()], [link(series, utilisation=utilisation)]))

    assert of(mbps, 0.76) == 4.0
    assert of([5.0, 10.0, 10.0], 1.0) == 0.0
    assert of([5.0, 1.0, 1.0], 0.1) == 2.0, "never: the rest of the run"


def test_completion_times_of_many_transfers():
    """One of five is not complete after 9 s; a flow without a size does not count."""
    times_s = [1.0, 2.0, 3.0, 4.0, None]
    flows = [flow(transfer_bytes=1000, completion_s=time_s, duration_s=9.0) for time_s in times_s]
    assert find("completion_median_s")([*flows, flow()]) == 3.0
    assert find("completion_p99_s")(flows) == pytest.approx(4.0 + 0.96 * 5.0)
    assert find("completion_p99_s")([flow()]) is None


def test_slowdowns_of_transfers_by_size():
    """Two transfers of 50 kB, three and five times as long as possible, one of 1 MB, and one that did not complete."""
    sizes = [(50_000, 3.0), (50_000, 5.0), (1_000_000, 2.0), (50_000, None)]
    flows = [flow(transfer_bytes=size, completion_s=time_s, ideal_completion_s=1.0) for size, time_s in sizes]
    assert find("completion_median_slowdown")(flows) == 3.0
    assert find("completion_median_slowdown_small")(flows) == 4.0
    assert find("completion_p99_slowdown_small")(flows) == pytest.approx(3.0 + 0.99 * 2.0)
    assert find("completion_p99_slowdown_medium")(flows) == 2.0
    assert find("completion_p99_slowdown_large")(flows) is None
