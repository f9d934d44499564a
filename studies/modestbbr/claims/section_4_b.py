"""Section IV-B: transfers to five cities."""

from fairlane.study.claims import Evidence, Judgement, Measurement, about, all_of, any_of

from . import CITIES, claim, download, mean_over_cities


@claim("modestbbr-s4b-1")
def bbr_then_modest_bbr_then_cubic(evidence: Evidence) -> Judgement:
    rate = {name: mean_over_cities(evidence, name, "goodput_mbps") for name in ("bbr", "modest_bbr", "cubic")}
    time = {name: mean_over_cities(evidence, name, "completion_s") for name in rate}
    return all_of(
        [
            rate["bbr"] >= rate["modest_bbr"],
            rate["modest_bbr"] > rate["cubic"],
            time["bbr"] <= time["modest_bbr"],
            time["modest_bbr"] < time["cubic"],
        ]
    )


def by_city(evidence: Evidence, algorithm: str, metric: str) -> list[Measurement]:
    """A metric relative to that of CUBIC, in each city."""
    ours, cubic = download(evidence, algorithm), download(evidence, "cubic")
    return [ours.of(city)[metric] / cubic.of(city)[metric] for city in CITIES]


def largest_is_about(changes: list[Measurement], change: float) -> Judgement:
    """No gain exceeds this value, and one reaches it, approximately."""
    return all_of(
        [
            all_of(one <= change * 1.1 for one in changes),
            any_of(one >= change * 0.9 for one in changes),
        ]
    )


@claim(
    "modestbbr-s4b-2",
    explanation="the paths are not known. With random losses of 0, 0.0005, 0.002, 0.005 and 0.01 % BBR's largest gain is 73 to 116 %, in London or New York, and in Shenzhen it has 42 to 62 % less than CUBIC: of transfers that share the server's queue CUBIC favours the short paths, BBR the long ones",
    cause="unexplained",
)
def up_to_a_quarter_more_throughput(evidence: Evidence) -> Judgement:
    return all_of(
        largest_is_about([ratio - 1 for ratio in by_city(evidence, algorithm, "goodput_mbps")], gain)
        for algorithm, gain in (("modest_bbr", 0.238), ("bbr", 0.278))
    )


@claim("modestbbr-s4b-3", explanation="the paths are not known, as for throughput: with losses of 0 to 0.01 % the largest reduction is 36 to 54 %, and BBR's mean one 0 to 10 %", cause="unexplained")
def up_to_a_quarter_less_transfer_time(evidence: Evidence) -> Judgement:
    """Modest BBR "up to", BBR on average, as the text has it."""
    time = "completion_s"
    modest = [1 + -1 * ratio for ratio in by_city(evidence, "modest_bbr", time)]
    bbr = mean_over_cities(evidence, "bbr", time) / mean_over_cities(evidence, "cubic", time)
    return all_of([largest_is_about(modest, 0.258), about(1 + -1 * bbr, 0.274)])


@claim(
    "modestbbr-s4b-4",
    explanation="five transfers that share a queue vary a lot: of four repeats the interval includes the threshold",
    cause="chance",
)
def little_is_given_up_to_bbr(evidence: Evidence) -> Judgement:
    """At most about 3 % throughput, and at most about 7 % transfer time."""
    rate, time = (
        mean_over_cities(evidence, "modest_bbr", metric) / mean_over_cities(evidence, "bbr", metric)
        for metric in ("goodput_mbps", "completion_s")
    )
    return all_of([rate >= 1 - 0.03 * 1.1, time <= 1 + 0.07 * 1.1])
