"""Typical links by name: `lte`, `geo`, `datacenter`, ... Each number has its source, or is marked as assumed.

Each is one bottleneck and its reverse path, in the words of an experiment file: a starting point, whose numbers you
replace with those of your own link.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

QueueTable = str | Mapping[str, str | bool]
"""A queue discipline as a file gives it."""


@dataclass(frozen=True)
class TypicalLink:
    """A link, value by value."""

    summary: str
    values: Mapping[str, tuple[str, str]]
    """Settings of a request (`request_settings.py`); each value with its source."""
    algorithms: tuple[str, ...] = ()
    """Candidates of `fairlane advise` in addition to the usual ones."""
    queues: Mapping[str, QueueTable] = field(default_factory=dict)
    """Queue disciplines that such links have, as candidates, too, by label."""

    @property
    def settings(self) -> dict[str, str]:
        """The values alone, as arguments of `fairlane.scenario.requests.dumbbell`."""
        return {name: value for name, (value, _) in self.values.items()}


_MICHEL = "Michel et al., A First Look at Starlink Performance, IMC 2022"
_HUANG = "Huang et al., A Close Examination of Performance and Power Characteristics of 4G LTE Networks, MobiSys 2012"
_IMT2020 = "ITU-R M.2410-0, 4.3: user experienced data rate of IMT-2020"
_OOKLA = "Ookla, Speedtest, Starlink's performance in Q3 2021"
_FCC_DSL = "FCC, Measuring Broadband America 2016 (37 to 40 ms in Verizon's DSL tiers)"
_FCC_CABLE = "FCC, Measuring Broadband America, eighth report (September 2017)"
_DCTCP = "Alizadeh et al., Data Center TCP (DCTCP), SIGCOMM 2010"

_SPROUT = "Winstein et al., Stochastic Forecasts (Sprout), NSDI 2013, 3.1"
_MOHAN = "Mohan et al., A Multifaceted Look at Starlink Performance, WWW 2024"

_LTE = {
    "reverse_rate": ("6mbit", f"median uplink of 3,000 users; {_HUANG}"),
    "rtt": ("50ms", "assumed"),
    "buffer": (
        "8bdp",
        "assumed: 400 ms; networks of four carriers had deep buffers: Jiang et al., Understanding "
        "Bufferbloat in Cellular Networks, CellNet 2012",
    ),
}
_5G = {
    "reverse_rate": ("50mbit", _IMT2020),
    "rtt": ("20ms", "assumed: the network's 4 ms each way (ITU-R M.2410-0, 4.7.1), and 12 ms of Internet"),
    "buffer": ("8bdp", "assumed, as for LTE: 160 ms"),
}
_STARLINK = {
    "reverse_rate": ("13.5mbit", f"median upload in the USA, third quarter of 2021; {_OOKLA}"),
    "rtt": ("50ms", f"median to European servers, quartiles 40 and 60 ms; {_MICHEL}"),
    "buffer": ("1bdp", "assumed; the operator publishes nothing about its queues"),
    "loss": ("0.1%", "assumed"),
}

LINKS = {
    "lte": TypicalLink(
        "a phone on LTE whose rate fades",
        {"trace": ("lte", f"mean 13 Mbit/s: median downlink of 3,000 users; {_HUANG}; fading: {_SPROUT}")} | _LTE,
    ),
    "lte-constant": TypicalLink(
        "the same at a constant rate",
        {"rate": ("13mbit", f"median downlink of 3,000 users; {_HUANG}")} | _LTE,
    ),
    "5g": TypicalLink(
        "a phone on 5G whose rate fades",
        {"trace": ("5g", f"mean 100 Mbit/s: {_IMT2020}; that it fades as cellular links of {_SPROUT}, is assumed")}
        | _5G,
    ),
    "5g-constant": TypicalLink("the same at a constant rate", {"rate": ("100mbit", _IMT2020)} | _5G),
    "starlink": TypicalLink(
        "a low-orbit satellite terminal, whose rate and delay step every 15 s",
        {
            "trace": (
                "starlink",
                f"steps of 15 s: {_MOHAN}; RTTs with quartiles of 40 and 60 ms: {_MICHEL}; rates around the median of "
                f"the USA, 87 Mbit/s, as different as those of counties, 46.6 to 146.6 Mbit/s: {_OOKLA}; that they "
                "differ as much over time is assumed",
            )
        }
        | _STARLINK,
    ),
    "starlink-constant": TypicalLink(
        "the same at a constant rate and delay",
        {"rate": ("87mbit", f"median download in the USA, third quarter of 2021; {_OOKLA}")} | _STARLINK,
    ),
    "geo": TypicalLink(
        "a geostationary satellite, without a proxy that splits TCP",
        {
            "rate": ("100mbit", f"the subscription that is compared with Starlink; {_MICHEL}"),
            "reverse_rate": ("10mbit", "as the rate"),
            "rtt": ("600ms", f"minimum latency, of which 558 ms are propagation (RFC 2488 section 2); {_MICHEL}"),
            "buffer": ("1bdp", "assumed"),
        },
    ),
    "cable": TypicalLink(
        "a cable modem, downstream",
        {
            "rate": ("200mbit", f"fastest of the widely sold tiers; {_FCC_CABLE}"),
            "reverse_rate": ("20mbit", "assumed: a tenth of the rate"),
            "rtt": ("25ms", "assumed"),
            "buffer": (
                "4bdp",
                "assumed: 100 ms; upstream, modems without AQM had 250 ms under load: Flickinger et al., Improving "
                "Latency with AQM During COVID-19, 2021",
            ),
        },
    ),
    "dsl": TypicalLink(
        "VDSL2, downstream",
        {
            "rate": ("50mbit", "assumed: a common product of VDSL2 (ITU-T G.993.2)"),
            "reverse_rate": ("10mbit", "assumed: a common product"),
            "rtt": ("37ms", f"median latency, interleaving included; {_FCC_DSL}"),
            "buffer": ("4bdp", "assumed: 148 ms"),
        },
    ),
    "wifi-n": TypicalLink(
        "a Wi-Fi 4 cell, stations close to the access point",
        {
            "wifi": (
                "n",
                "IEEE 802.11-2020, 19.5 (parameters for HT-MCSs): 40 MHz, MCS 15, two streams; the choice is assumed",
            ),
            "rtt": ("0.2ms", "assumed: a switch and a server next to the access point"),
            "buffer": ("1000p", "txqueuelen of Linux's interfaces"),
        },
    ),
    "wifi-ac": TypicalLink(
        "a Wi-Fi 5 cell, stations close to the access point",
        {
            "wifi": (
                "ac",
                "IEEE 802.11-2020, 21.5 (parameters for VHT-MCSs): 80 MHz, MCS 9, two streams; the choice is assumed",
            ),
            "rtt": ("0.2ms", "assumed: a switch and a server next to the access point"),
            "buffer": ("1000p", "txqueuelen of Linux's interfaces"),
        },
    ),
    "datacenter": TypicalLink(
        "a port of a top-of-rack switch",
        {
            "rate": ("10gbit", _DCTCP),
            "rtt": ("100us", f"without queues; {_DCTCP}"),
            "buffer": ("700kB", f"what one port may take of 4 MB of shared memory; {_DCTCP}"),
        },
        algorithms=("dctcp",),
        # 78 us: 65 packets of 1500 bytes at 10 Gbps, the marking threshold of the DCTCP paper (section 4).
        queues={"codel marking at 78us": {"kind": "codel", "ecn": True, "ce_threshold": "78us"}},
    ),
    "transatlantic": TypicalLink(
        "a server in Europe and a client in North America",
        {
            "rate": ("1gbit", "assumed: the server's access link"),
            "rtt": (
                "75ms",
                "assumed: a third more than 56 ms of light in 5,600 km of fibre, London to New York; Verizon "
                "guarantees at most 90 ms there",
            ),
            "buffer": ("0.5bdp", "assumed: a carrier's router"),
        },
    ),
}


ALIASES = {"dc": "datacenter"}
"""Short names."""
