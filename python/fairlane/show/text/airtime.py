"""What Wi-Fi queues did with their channel, as a table for the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from fairlane.show.text.aligned import LEFT, RIGHT, number, text_table


def airtime_table(links: Sequence[Mapping[str, Any]]) -> str:
    """The Wi-Fi queues among the links of a result: who had the channel, and how it was used."""
    columns = [
        ("queue", LEFT),
        ("airtime\n%", RIGHT),
        ("PPDUs", RIGHT),
        ("MPDUs\nper PPDU", RIGHT),
        ("collided\n%", RIGHT),
        ("retrans-\nmitted %", RIGHT),
        ("dropped\npackets", RIGHT),
    ]
    rows = []
    for link in links:
        if link["ppdus"]:
            mpdus = link["ppdus"] * link["mpdus_per_ppdu"]
            rows.append(
                [
                    link["name"],
                    number(100 * link["airtime_share"], 1),
                    number(link["ppdus"], 0),
                    number(link["mpdus_per_ppdu"], 1),
                    number(100 * link["collided_ppdus"] / link["ppdus"], 1),
                    number(100 * link["retransmitted_mpdus"] / mpdus, 1),
                    number(link["dropped_packets"], 0),
                ]
            )
    return text_table(columns, rows)
