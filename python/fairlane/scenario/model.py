"""What an experiment file may say, as types. The words in `description` are those of docs and of the JSON Schema."""

from typing import Annotated, Literal

from pydantic import Field

from fairlane.scenario.base_model import Table
from fairlane.scenario.kernels import Kernel, Memory
from fairlane.scenario.network import Network
from fairlane.scenario.quantity import PositiveTime, Rate, Share, Size, Time
from fairlane.scenario.workload import Bulk, Workload

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=100)]


Ecn = bool | Literal["accecn"]
_ECN = 'Negotiate ECN; `"accecn"` offers accurate feedback too (RFC 9768).'


class Sender(Table):
    """The host that sends the data. What is absent is as in Linux."""

    offload: bool | None = Field(None, description="GRO for arriving acknowledgements.")
    segmentation_offload: bool | None = Field(None, description="Bursts by TSO autosizing; on unless this is false.")
    pacing: Literal["internal", "fq", "none"] | None = Field(
        None, description="Pacing by TCP, by an fq queue on the host, or none (kernels before 4.13 without fq)."
    )
    small_queue_limit: Size | None = Field(
        None,
        description="TCP Small Queues: most that waits in the host's own queue, the first link or Wi-Fi queue of the "
        "path (`tcp_limit_output_bytes`). Without it the host's interface never limits a flow.",
    )
    small_queue_limits_paced: bool | None = Field(
        None, description="That limit holds for paced flows, too; not in Linux 4.20 to 6.15."
    )
    pacing_shift: int | None = Field(
        None,
        ge=0,
        le=20,
        description="What may wait there, and bursts, last 2^-shift s at the pacing rate: 10. With small_queue_limit "
        "over Wi-Fi it is 7, but 10 before Linux 5.4.",
        examples=[10],
    )
    wmem_max: Size | None = Field(None, description="Largest send buffer.")
    header_room: Size | None = Field(
        None,
        description="Room for headers in each packet buffer (`MAX_TCP_HEADER`), which a send buffer counts: 320 B; "
        "256 B in kernels without Wi-Fi, such as Debian's cloud kernels.",
        examples=["320B"],
    )
    tcp_memory: Size | None = Field(
        None,
        description="Memory that the send buffers of all flows of the machine share (the first number of `tcp_mem`; "
        "Linux: 3/64 of the machine's memory). Without it memory never runs out.",
        examples=["1.5GiB"],
    )
    machine: Name | None = Field(
        None, description="The machine's name, for `tcp_memory`; without it each entry of `flows` is a machine."
    )
    ecn: Ecn | None = Field(None, description=_ECN)
    ect1: bool | None = Field(
        None, description="With `ecn`, ECT(1) instead of ECT(0), as scalable senders use (RFC 9331)."
    )
    timestamps: bool | None = Field(None, description="The TCP option.")
    initial_cwnd: int | None = Field(None, ge=1, le=10_000, description="Packets.", examples=[10])
    route_memory: bool | None = Field(
        None,
        description="Start with what earlier connections over the path ended with (tcp_metrics); Linux before 5.6.",
    )
    route_ssthresh: int | None = Field(
        None,
        ge=2,
        le=1_000_000,
        description="Slow-start threshold in packets that is remembered of the path at first: a warm start.",
        examples=[60],
    )
    tail_loss_probe: bool | None = Field(None, description="Probe the tail of a flight (RFC 8985 section 7).")
    forward_rto: bool | None = Field(None, description="Detect spurious timeouts (RFC 5682).")
    undo: bool | None = Field(None, description="Undo a spurious window reduction.")
    slow_start_after_idle: bool | None = Field(None, description="Reduce the window after idle time (RFC 2861).")
    nagle: bool | None = Field(None, description="Hold back small segments while others are in flight.")


class Receiver(Table):
    """The host that receives the data. What is absent is as in Linux."""

    offload: bool | None = Field(None, description="GRO for arriving data.")
    offload_interval: PositiveTime | None = Field(
        None, description="What arrives between two interrupts this far apart is merged; 25 us.", examples=["100us"]
    )
    rmem_initial: Size | None = Field(None, description="First receive buffer.")
    rmem_max: Size | None = Field(None, description="Largest receive buffer.")
    adv_win_scale: int | None = Field(
        None, ge=1, le=31, description="Before Linux 6.6: the window is the buffer less its 2^n-th part; 1 leaves half."
    )
    autotune: bool | None = Field(None, description="Autotune the receive buffer.")
    ecn: Ecn | None = Field(None, description=_ECN)
    sack_compression: bool | None = Field(None, description="Compress SACKs for up to 1 ms, as Linux does.")
    sack_compression_rtt_percent: int | None = Field(
        None, ge=1, le=1000, description="And for at most this part of the RTT: 5 %; Linux 6.19 and later 33 %."
    )


class Quic(Table):
    """QUIC endpoints. What is absent is as in the profile."""

    profile: Literal["ietf", "gquic"] = Field("ietf", description="RFC 9000 and RFC 9002, or Chromium in 2018.")
    packet: Size | None = Field(None, description="UDP payload of a full packet, 1200 bytes or more.")
    initial_cwnd: int | None = Field(None, ge=1, le=10_000, description="Packets.", examples=[10])
    pacing: bool | None = Field(None, description="Spread packets over the round trip.")
    slow_start_pacing_percent: int | None = Field(
        None, ge=1, le=10_000, description="Pacing rate in slow start, in percent of a window per RTT.", examples=[200]
    )
    avoidance_pacing_percent: int | None = Field(
        None, ge=1, le=10_000, description="The same after slow start.", examples=[125]
    )
    burst: int | None = Field(
        None, ge=0, le=10_000, description="Packets that leave at once when nothing is in flight.", examples=[10]
    )
    proportional_rate_reduction: bool | None = Field(
        None, description="Reduce the window by PRR (RFC 6937), rather than at once."
    )
    ack_every: int | None = Field(
        None, ge=1, le=1_000, description="Packets that the receiver acknowledges together.", examples=[2]
    )
    max_ack_delay: PositiveTime | None = Field(None, description="Longest delay of an ACK, 1 to 25 ms.")
    ack_reordering_threshold: int | None = Field(
        None,
        ge=0,
        le=1_000,
        description="ACK at once when a packet is missing that was sent this many packets earlier; 0: never.",
        examples=[3],
    )
    packet_threshold: int | None = Field(
        None, ge=1, le=10_000, description="Later packets that must be acknowledged before one is lost.", examples=[3]
    )
    time_threshold_permille: int | None = Field(
        None,
        ge=1000,
        le=100_000,
        description="Time before a packet is lost, in thousandths of the RTT.",
        examples=[1125],
    )
    initial_rtt: PositiveTime | None = Field(None, description="RTT before the first measurement.")
    persistent_congestion_threshold: int | None = Field(
        None, ge=1, le=1_000, description="Losses over this many PTOs are persistent congestion.", examples=[3]
    )
    zero_rtt: bool | None = Field(None, description="Resume a session: data leaves with the first packets.")
    stream_window: Size | None = Field(None, description="Flow control window of a stream.")
    connection_window: Size | None = Field(None, description="Flow control window of the connection.")
    streams: int | None = Field(None, ge=1, le=10_000, description="Streams that share the data.", examples=[1])
    datagrams: bool | None = Field(
        None, description="Unreliable DATAGRAM frames (RFC 9221) instead of streams; for bulk and on_off."
    )
    emulated_connections: int | None = Field(
        None, ge=1, le=100, description="Connections that CUBIC emulates.", examples=[2]
    )


class Hosts(Table):
    """What all hosts have in common; a flow may differ in its own `sender` and `receiver`."""

    kernel: Kernel | None = Field(
        None, description="What this Linux release did differently; [hosts](../concepts/hosts.md)."
    )
    memory: Memory = Field(
        "ample", description='Buffers of sockets: 64 MiB, or the defaults of Linux: `"linux"` or a release.'
    )
    hz: int = Field(1000, ge=24, le=10_000, description="Timer interrupts per second (CONFIG_HZ).", examples=[1000])
    offload: bool | None = Field(None, description="GRO at both ends. TSO is the sender's `segmentation_offload`.")
    ecn: Ecn | None = Field(None, description='ECN at both ends: `true`, or `"accecn"` with accurate feedback.')
    sender: Sender = Field(Sender(), description="The hosts that send the data.")
    receiver: Receiver = Field(Receiver(), description="The hosts that receive the data.")


class Flow(Table):
    """One flow, or `count` equal ones."""

    algorithm: str = Field(
        description="A name of `fairlane algorithms`, or the path of a C or Python file; parameters behind a colon.",
        examples=["cubic"],
        min_length=1,
    )
    parameters: dict[str, int] = Field({}, description="Parameters of the algorithm that differ from its defaults.")
    name: Name | None = Field(None, description="How tables and plots call it; the algorithm's name if absent.")
    count: int = Field(1, ge=1, le=10_000, description="How many.", examples=[2])
    rtt: PositiveTime | None = Field(None, description="Its round-trip time without queues, where it differs.")
    netem_limit: int | None = Field(
        None,
        ge=1,
        le=10_000_000,
        description="Dumbbell: what `rtt` has beyond the network's is added to data by netem behind the bottleneck, "
        "which holds at most this many packets. Without it delays have no limit.",
        examples=[1000],
    )
    start: Time = Field(0, description="When it starts.")
    start_every: Time = Field(0, description="With `count`: time between two starts.")
    stop: PositiveTime | None = Field(None, description="When it stops; the end of the run if absent.")
    workload: Workload = Field(Bulk(kind="bulk"), description="What the application does.")
    mtu: int | None = Field(None, ge=256, le=65_535, description="Largest IP packet in bytes.", examples=[1500])
    transport: Literal["tcp", "quic"] = Field("tcp", description="Transport protocol.")
    quic: Quic = Field(Quic(), description="Its endpoints, where `transport` is `quic`.")
    sender: Sender = Field(Sender(), description="Its sender, where it differs from `hosts.sender`.")
    receiver: Receiver = Field(Receiver(), description="Its receiver, where it differs from `hosts.receiver`.")
    direction: Literal["forward", "reverse"] = Field("forward", description="Which way the data goes.")
    hops: list[int] | None = Field(
        None, description="Parking lot: first and last hop that it crosses, from 1.", min_length=2, max_length=2
    )
    station: str | None = Field(
        None, description="Wi-Fi: the station at its one end; the stations in turn if absent. `forward` is an upload."
    )
    forward: list[str] | None = Field(None, description="Links by name: what data crosses, in order.", min_length=1)
    reverse: list[str] | None = Field(None, description="Links by name: what ACKs cross, in order.", min_length=1)


class CrossTraffic(Table):
    """UDP that nothing slows down."""

    rate: Rate = Field(description="Bits of IP packets per second, while it sends.")
    packet: Size = Field(1500, description="Size of the IP packets.")
    start: Time = Field(0, description="When it starts.")
    stop: PositiveTime | None = Field(None, description="When it stops; the end of the run if absent.")
    on: PositiveTime | None = Field(None, description="With `off`: duration of a sending period.")
    off: PositiveTime | None = Field(None, description="With `on`: duration of a silent period.")
    exponential: bool = Field(False, description="On and off times are exponentially distributed.")
    direction: Literal["forward", "reverse"] = Field("forward", description="Which way it goes.")
    hops: list[int] | None = Field(
        None, description="Parking lot: first and last hop that it crosses, from 1.", min_length=2, max_length=2
    )
    station: str | None = Field(
        None, description="Wi-Fi: the station at its one end; the stations in turn if absent. `forward` is an upload."
    )
    path: list[str] | None = Field(None, description="Links by name: what it crosses, in order.", min_length=1)


class Metrics(Table):
    """What is recorded."""

    interval: PositiveTime = Field(100_000_000, description="Time between two samples.")
    warm_up: Time = Field(0, description="Beginning of a run that means leave out.")
    watch: list[str] = Field(
        [],
        max_length=100,
        description="Members of `tcp_sock` (`snd_ssthresh`) and of the algorithm's own memory (`state.NAME`) to sample "
        "in addition.",
        examples=[["snd_ssthresh", "state.mode"]],
    )


class Experiment(Table):
    """One point of an experiment: everything but inheritance and the sweep."""

    name: Name | None = Field(None, description="The file's name if absent.")
    title: str = Field("", description="A title.")
    description: str = Field("", description="A description.")
    duration: PositiveTime = Field(description="How long a run lasts.", examples=["30s"])
    repeats: int = Field(1, ge=1, le=1_000_000, description="Runs of each point, each with a seed of its own.")
    seed: int = Field(1, ge=0, lt=2**63, description="Of the first repeat; the next ones count up.", examples=[1])
    start_jitter: Time | None = Field(
        None,
        description="Each flow starts up to this much later, at a different time in each repeat. Without it, repeats "
        "start within 100ms, or 1% of the duration if that is shorter; a single run starts as the file says.",
    )
    delay_jitter: Share | None = Field(
        None,
        description="Each link's delay is longer by up to this share, another one in each repeat. Without it repeats "
        "vary by 0.5%, and a single run not at all.",
    )
    network: Network = Field(description="A topology by name, or links one by one.")
    flows: list[Flow] = Field(min_length=1, max_length=10_000, description="Who sends; a table `[[flows]]` for each.")
    cross_traffic: list[CrossTraffic] = Field(
        [], max_length=1000, description="UDP cross traffic; a table `[[cross_traffic]]` for each."
    )
    hosts: Hosts = Field(Hosts(), description="The hosts' settings.")
    metrics: Metrics = Field(Metrics(), description="What is recorded, and from when on it counts.")
