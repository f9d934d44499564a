"""Abstract and Section I."""

from fairlane.study.claims import Evidence, Judgement, Measurement, all_of

from . import CITED, CLAIMS, CLOSE, LINK_MBPS, READING, claim, gain_is_about, goodput, mean_over_cities, pair, total


@claim("modestbbr-abs1", contradicted="Section IV-C: 3.8 % over BBR and CUBIC, 28.3 % over two CUBIC flows")
def the_total_beside_cubic_gains_7_per_cent(evidence: Evidence) -> Judgement:
    metric = "total_goodput_mbps"
    return gain_is_about(
        total(evidence, "modest_bbr", "cubic", metric) / total(evidence, "bbr", "cubic", metric), 0.071
    )


@CLAIMS.contradiction("modestbbr-abs1")
def a_full_link_gains_less(_numbers: Evidence) -> Judgement:
    """BBR and CUBIC have 91.7 Mbps (II-A), and Ethernet of 100 Mbit/s carries at most 94.9: 3.5 % more."""
    return gain_is_about(Measurement.published("a full link by BBR and CUBIC", LINK_MBPS / 91.7), 0.071)


@claim("modestbbr-abs2", explanation=READING, cause="predicate")
def throughput_close_to_bbrs_and_fairer(evidence: Evidence) -> Judgement:
    return all_of(
        [
            goodput(evidence, "modest_bbr", "cubic", "a") >= goodput(evidence, "bbr", "cubic", "a") * CLOSE,
            mean_over_cities(evidence, "modest_bbr", "goodput_mbps")
            >= mean_over_cities(evidence, "bbr", "goodput_mbps") * CLOSE,
            pair(evidence, "modest_bbr", "cubic")["jain_index"] > pair(evidence, "bbr", "cubic")["jain_index"],
        ]
    )


@CLAIMS.other_reading("modestbbr-abs2")
def with_the_search_of_the_text(evidence: Evidence) -> Judgement:
    """The search judges the middle that it has set (Section III-B), and not the next one (Algorithm 1)."""
    return all_of(
        [
            goodput(evidence, "tested_middle", "cubic", "a") >= goodput(evidence, "bbr", "cubic", "a") * CLOSE,
            pair(evidence, "tested_middle", "cubic")["jain_index"] > pair(evidence, "bbr", "cubic")["jain_index"],
        ]
    )


CLAIMS.untestable("modestbbr-i-1", CITED)
