"""Abstract and Section I."""

from fairlane.study.claims import Evidence, Judgement, all_of

from . import CITED, CLAIMS, CLOSE, claim, gain_is_about, goodput, mean_over_cities, pair, total


@claim("modestbbr-abs1", contradicted="Section IV-C: 3.8 % over BBR and CUBIC, 28.3 % over two CUBIC flows")
def the_total_beside_cubic_gains_7_per_cent(evidence: Evidence) -> Judgement:
    metric = "total_goodput_mbps"
    return gain_is_about(
        total(evidence, "modest_bbr", "cubic", metric) / total(evidence, "bbr", "cubic", metric), 0.071
    )


@claim("modestbbr-abs2", cause="testbed", variant="short-queue")
def throughput_close_to_bbrs_and_fairer(evidence: Evidence) -> Judgement:
    return all_of(
        [
            goodput(evidence, "modest_bbr", "cubic", "a") >= goodput(evidence, "bbr", "cubic", "a") * CLOSE,
            mean_over_cities(evidence, "modest_bbr", "goodput_mbps")
            >= mean_over_cities(evidence, "bbr", "goodput_mbps") * CLOSE,
            pair(evidence, "modest_bbr", "cubic")["jain_index"] > pair(evidence, "bbr", "cubic")["jain_index"],
        ]
    )


CLAIMS.untestable("modestbbr-i-1", CITED)
