"""Laws that hold whatever congestion controls, queues and hosts do: statements about results, seen from outside.

A law yields a sentence for each violation that it finds.
"""

from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise

from tools.soak.seen import SMALLEST_PACKET_BYTES, Samples, Seen, rates_bps
from tools.soak.silence import silence_lasts_at_most_the_back_off

Law = Callable[[Seen], Iterator[str]]
SINGLE = 2**-23
"""Relative error of a number in single precision, which cells of time series are."""


def flows_conserve_bytes(seen: Seen) -> Iterator[str]:
    """Bytes that a flow sent arrived, were lost, or are on their way: in a queue, or on the wire since a short time."""
    ends = {row["name"]: (row, samples["queue_bytes"][-1]) for _, row, samples in seen.link_rows()}
    for flow, row, samples in seen.flows():
        arrived = row["throughput_mbps"] * 1e6 / 8 * row["duration_s"]
        missing, lost, name = row["wire_bytes_forward"] - arrived, row["lost_packets"], f"flow {row['flow']}"
        if missing < lost * SMALLEST_PACKET_BYTES - 1:
            yield f"{name} lacks {missing:.0f} bytes at the receiver, although {lost} packets were lost"
        if row["data_packets_received"] > row["data_packets_sent"]:
            yield f"{name} received {row['data_packets_received']} packets of {row['data_packets_sent']}"
        path = flow["forward"]
        if not all(link in ends for link in path) or not seen.lasts(row):
            continue
        wait_s = sum((ends[link][0]["max_queue_delay_ms"] or 0) for link in path) / 1e3 + seen.longest_wire_s(path)
        after_the_last_sample = row["wire_bytes_forward"] - sum(samples.bytes("sending_rate_mbps")) * (1 - SINGLE)
        recent = sent_since(samples, seen.duration_s - wait_s) + after_the_last_sample
        frame = max(seen.largest_frame_bytes(seen.links[link]) for link in path)
        on_its_way = recent + sum(ends[link][1] for link in path) + frame
        if missing > lost * frame + on_its_way:
            yield f"{name} lacks {missing:.0f} bytes: {lost} packets lost, at most {on_its_way:.0f} bytes on their way"


def sent_since(samples: Samples, from_s: float) -> float:
    """Bytes that a flow sent in the intervals that end after this time."""
    sent = zip(samples.bytes("sending_rate_mbps"), samples["t_s"], strict=True)
    return sum(count * (1 + SINGLE) for count, end in sent if end > from_s)


def links_conserve_bytes(seen: Seen) -> Iterator[str]:
    """Bytes sent into a link were transmitted, dropped, or are in its queue, but for one frame at the transmitter.

    Looks at links to which hosts are attached, directly or by links that neither delay nor lose anything by chance.
    """
    for link, row, samples in seen.link_rows():
        into = bytes_into(seen, link["name"])
        if into is None:
            continue
        least, most, is_complete = into
        frame, dropped = seen.largest_frame_bytes(link), row["dropped_packets"]
        out = row["transmitted_bytes"] + samples["queue_bytes"][-1]
        if least > out + dropped * frame + frame:
            yield f"{link['name']} was given {least:.0f} bytes, of which {out} and {dropped} dropped packets are found"
        if is_complete and out + dropped * SMALLEST_PACKET_BYTES > most + 1:
            yield f"{link['name']} was given {most:.0f} bytes, but {out} and {dropped} dropped packets came out"


def bytes_into(seen: Seen, name: str) -> tuple[float, float, bool] | None:
    """The least and the most that hosts may have given to a link, and whether all of it is counted; None if unknown."""
    least = most = 0.0
    is_complete = True
    for source, row in zip(seen.scenario.get("cross_traffic", ()), seen.result["cross_traffic"], strict=True):
        if name in source["path"]:
            if source["path"][0] != name:
                return None
            size = source.get("packet_bytes", 1500) + seen.links[name].get("overhead_bytes", 14)
            least, most = least + row["sent_packets"] * size, most + row["sent_packets"] * size
    for flow, row, samples in seen.flows():
        is_complete &= seen.lasts(row)
        for side in ("forward", "reverse"):
            path = flow[side]
            if name not in path:
                continue
            sent, before = row[f"wire_bytes_{side}"], path[: path.index(name)]
            if before and (side == "reverse" or not all(_is_plain(seen, link) for link in before)):
                return None
            most += sent
            least += sent
            if before:  # data on the access link has not arrived
                least -= sent_since(samples, row["start_s"] + row["duration_s"] - seen.longest_wire_s(before))
    return least, most, is_complete


def _is_plain(seen: Seen, name: str) -> bool:
    link = seen.links.get(name, {"rate_bps": 0})
    return not link.keys() & {"rate_bps", "loss", "jitter", "trace_ms"}


def losses_have_a_link(seen: Seen) -> Iterator[str]:
    """Packets that flows lost, a link dropped or lost."""
    lost = sum(row["lost_packets"] for row in seen.result["flows"])
    by_links = sum(row["dropped_packets"] + row["lost_packets"] for row in seen.result["links"])
    if lost > by_links:
        yield f"flows lost {lost} packets, links dropped or lost {by_links}"
    for number, row in enumerate(seen.result["cross_traffic"]):
        if row["delivered_packets"] > row["sent_packets"]:
            yield f"of cross traffic {number}, {row['delivered_packets']} of {row['sent_packets']} packets arrived"


def round_trips_take_at_least_the_propagation_delay(seen: Seen) -> Iterator[str]:
    """No RTT is below the delay of the links of its path.

    A retransmission is only timed by the timestamp option, which ticks in milliseconds.
    """
    for flow, row, samples in seen.flows():
        least_ms = 1e3 * (seen.propagation_s(flow["forward"]) + seen.propagation_s(flow["reverse"]))
        allowed_ms = least_ms * (1 - SINGLE) - (0.001 if flow.get("transport") == "quic" else 1.0)
        measured = {
            "min_rtt_ms": [row["min_rtt_ms"]],
            "packet_rtt_min_ms": [row["packet_rtt_min_ms"]],
            "smoothed RTT": samples["rtt_ms"],
            "packet RTT": samples["packet_rtt_ms"],
        }
        for name, values in measured.items():
            shortest = min((value for value in values if value is not None), default=allowed_ms)
            if shortest < allowed_ms:
                yield f"flow {row['flow']} has a {name} of {shortest} ms on a path of {least_ms} ms"


def links_keep_to_their_rate(seen: Seen) -> Iterator[str]:
    """In every window of time a link transmits at most its rate times the window, and one burst.

    Windows end where the rate changes: a frame that is being transmitted then keeps its rate.
    """
    for link, _, samples in seen.link_rows():
        burst = link.get("burst_bytes", 0) + seen.largest_frame_bytes(link)
        sent = list(zip(samples.intervals_s, samples.bytes("throughput_mbps"), strict=True))
        for begin, end, rate_bps in rates_bps(link) if "rate_bps" in link else ():
            excess = worst = 0.0
            for count, length_s in ((count, b - a) for (a, b), count in sent if begin <= a and b <= end):
                excess = max(0.0, excess + count * (1 - SINGLE) - rate_bps / 8 * length_s)
                worst = max(worst, excess)
            if worst > burst + 1:
                yield f"{link['name']}: {worst:.0f} bytes more than {rate_bps} bit/s in a window, a burst is {burst}"


def queues_keep_to_their_limit(seen: Seen) -> Iterator[str]:
    """A FIFO never holds more than its limit."""
    for link, row, _ in seen.link_rows():
        queue = link.get("queue", {"kind": "unlimited"})
        if queue["kind"] == "fifo":
            limits = [queue[key] * size for key, size in _limits(seen, link).items() if queue.get(key) is not None]
            if limits and row["max_queue_bytes"] > min(limits):
                yield f"{link['name']} held {row['max_queue_bytes']} bytes, its limit is {min(limits)}"


def _limits(seen: Seen, link: dict) -> dict[str, int]:
    return {"limit_bytes": 1, "limit_packets": seen.largest_frame_bytes(link)}


def shares_are_shares(seen: Seen) -> Iterator[str]:
    """Utilisation and airtime lie between 0 and 1, Jain's index of n flows between 1/n and 1."""
    for row in seen.result["links"]:
        for name in ("utilisation", "airtime_share"):
            if row[name] is not None and not 0 <= row[name] <= 1 + 1e-9:
                yield f"{row['name']} has a {name} of {row[name]}"
    jain, flows = seen.result["jain_index"], len(seen.result["flows"])
    if jain is not None and not 1 / flows - 1e-9 <= jain <= 1 + 1e-9:
        yield f"Jain's index of {flows} flows is {jain}"


def goodput_is_part_of_throughput(seen: Seen) -> Iterator[str]:
    """Payload for the application came in frames, and frames that arrived were sent before, at every time."""
    for _, row, samples in seen.flows():
        sent = accumulate(samples.bytes("sending_rate_mbps"))
        arrived = accumulate(samples.bytes("throughput_mbps"))
        payload = accumulate(samples.bytes("mbps"))
        for at_s, *totals in zip(samples["t_s"], payload, arrived, sent, strict=True):
            if any(part > whole * (1 + SINGLE) + 1 for part, whole in pairwise(totals)):
                shown = ", ".join(f"{total:.0f}" for total in totals)
                yield f"flow {row['flow']}: {shown} bytes for the application, arrived and sent until {at_s} s"
                break
        rates = [row[name] for name in ("goodput_mbps", "throughput_mbps", "sending_rate_mbps")]
        if rates != sorted(rates):
            yield f"flow {row['flow']} has goodput, throughput and sending rate of {rates} Mbit/s"
        if row["completion_s"] is not None and row["bytes_delivered"] != row["transfer_bytes"]:
            yield f"flow {row['flow']} is complete with {row['bytes_delivered']} of {row['transfer_bytes']} bytes"


def windows_hold_a_packet(seen: Seen) -> Iterator[str]:
    """The congestion window of a connection is at least one packet."""
    for _, row, samples in seen.flows():
        windows = zip(samples["t_s"], samples["cwnd_packets"], samples["rtt_ms"], strict=True)
        for at_s, cwnd, rtt_ms in windows:
            if rtt_ms and cwnd < 1:
                yield f"flow {row['flow']} has a cwnd of {cwnd} at {at_s} s"
                break


LAWS: tuple[Law, ...] = (
    flows_conserve_bytes,
    links_conserve_bytes,
    losses_have_a_link,
    round_trips_take_at_least_the_propagation_delay,
    links_keep_to_their_rate,
    queues_keep_to_their_limit,
    shares_are_shares,
    goodput_is_part_of_throughput,
    windows_hold_a_packet,
    silence_lasts_at_most_the_back_off,
)
