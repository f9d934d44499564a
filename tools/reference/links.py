"""The page docs/reference/links.md, written from the table of typical links."""

from fairlane.scenario import cellular
from fairlane.scenario.links import ALIASES, LINKS


def markdown() -> str:
    """The whole page."""
    parts = [
        "# Typical links\n",
        "Generated from the code by `python -m tools.reference`. `--link lte` of `fairlane duel` and `fairlane",
        'advise`, and `fairlane.duel("cubic", link="lte")`, use these values unless another is given. A number from a',
        "paper or a standard has it as its source; other numbers are assumed.\n",
    ]
    for name, one in LINKS.items():
        short = "".join(f" (or `{alias}`)" for alias, known in ALIASES.items() if known == name)
        parts += [f"## `{name}`{short}\n", f"{one.summary[0].upper()}{one.summary[1:]}.\n"]
        parts += ["| setting | value | source |", "|---|---|---|"]
        parts += [f"| `{key}` | {value} | {source} |" for key, (value, source) in one.values.items()]
        parts.append("")
    parts += [
        "## A link whose rate varies\n",
        "Recorded traces of cellular networks rarely have a licence that allows redistribution. `--trace",
        f'{cellular.NAME}`, and `trace = "{cellular.NAME}"` in an experiment file, use a packet-delivery trace by the',
        "model of Sprout (Winstein et al., NSDI 2013, section 3.1), made for commercial 3G and LTE networks: packets",
        "of 1500 bytes are delivered by a Poisson process whose rate changes by Brownian motion with",
        f"{cellular.NOISE_PER_S:g} packets/s per root of a second, up to {cellular.MOST_PER_S:g} packets/s; outages",
        f"last {cellular.OUTAGE_S:g} s on average. These constants are those of the authors' program. The trace",
        f"repeats after {cellular.LENGTH_S} s, and is the same in all runs; its length, and its start at half of the",
        "largest rate, are assumed.",
        "",
    ]
    return "\n".join(parts)
