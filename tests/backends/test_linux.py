"""Scenarios become namespaces and tc; unsupported settings; answers of a kernel become metrics. Needs no kernel."""

import re
import subprocess
from dataclasses import replace

import pytest
from fairlane.engine.result_bytes import unpack
from fairlane.runs.backends.linux import building, measured, samples, tc
from fairlane.runs.backends.linux.emulated import problems
from fairlane.runs.backends.linux.limits import Abilities, limits, notes
from fairlane.runs.backends.linux.plan import plan
from fairlane.scenario.requests import dumbbell, point

KERNEL = Abilities(
    name="Linux 6.1",
    version=(6, 1),
    queues={"tbf", "netem", "codel", "fq_codel", "pie", "red", "fq", "cake", "fq_pie"},
    algorithms={"reno", "cubic", "bbr"},
    hz=250,
    fastest_bps=300_000_000,
)


def scenario(**changes):
    flows = changes.pop("flows", [{"algorithm": "cubic", "rtt": "40ms"}])
    wanted = {"rate": "20mbit", "queue": "fifo", "buffer": "1bdp", "duration": "2s", "seed": 7, **changes}
    return point(dumbbell(flows, **wanted)).repeat(0)


def test_a_bucket_of_little_more_than_a_frame_and_the_rate_of_netem_make_a_transmitter():
    text = plan(scenario(), {0: "cubic"}).content.decode()
    assert "qdisc add dev a0 root handle 1: tbf rate 20000000bit burst 1764 limit 1000000000\n" in text
    assert "qdisc add dev a0 parent 1:1 handle 2: bfifo limit 100000\n" in text
    assert "netem limit 1000000 delay 20000us rate 20000000bit\n" in text


def test_a_token_bucket_of_the_scenario_stays_as_it_is():
    one = scenario()
    one["links"][0]["burst_bytes"] = 1540
    text = plan(one, {0: "cubic"}).content.decode()
    assert "burst 1540" in text
    assert "delay 20000us" in text


def test_each_flow_has_hosts_of_its_own_and_routes_over_its_links():
    flows = [{"algorithm": "cubic", "rtt": "40ms"}, {"algorithm": "bbr", "rtt": "80ms", "start": "1s"}]
    text = plan(scenario(flows=flows), {0: "cubic", 1: "bbr"}).content.decode()
    for host in ("net", "s0", "r0", "s1", "r1"):
        assert f"namespace {host}\n" in text
    assert "route add 10.2.0.2/32 dev r1 table" in text
    assert "route add 10.1.0.2/32 dev s1 table" in text
    assert "flow s1 r1 10.2.0.2 bbr 1000000000 2000000000 0 bulk\n" in text


def test_a_udp_source_has_hosts_of_its_own_and_its_counters_are_reported():
    source = {"rate": "8mbit", "start": "1s", "on": "200ms", "off": "300ms", "packet": "200B"}
    one = scenario(cross_traffic=[source, {"rate": "1mbit", "on": "1s", "off": "1s", "exponential": True}])
    assert limits(one, KERNEL) == []
    text = plan(one, {0: "cubic"}).content.decode()
    assert "source s1 r1 10.2.0.2 8000000 200 1000000000 2000000000 200000000 300000000 0\n" in text
    assert "source s2 r2 10.2.0.3 1000000 1500 0 2000000000 1000000000 1000000000 7002\n" in text
    assert "route add 10.2.0.2/32 dev a0\n" in text
    assert "route add 10.2.0.2/32 dev r1 table" in text  # where the bottleneck's packets come out
    output = "\n".join(["t 2000000000", *answer({}, 0, 0, 0), "u 0 900 880", "u 1 70 70", "end"])
    result = unpack(measured.result(one, samples.read(output, KINDS), KINDS))
    assert [list(row.values()) for row in result.metrics["cross_traffic"]] == [[900, 880], [70, 70]]


def test_a_client_opens_its_connection_and_the_times_of_its_requests_are_metrics():
    exchange = {"kind": "request_response", "request": "200B", "response": "1kB", "think": "1s"}
    writes = {"kind": "writes", "bytes": "1kB", "interval": "1s"}
    flows = [{"algorithm": "cubic", "rtt": "40ms", "workload": one} for one in (exchange, "ping", writes)]
    one = scenario(flows=flows)
    text = plan(one, dict.fromkeys(range(3), "cubic")).content.decode()
    assert "flow s0 r0 10.1.0.1 cubic 0 2000000000 0 request_response 200 1000 1000000000\n" in text
    assert "flow s1 r1 10.1.0.2 cubic 0 2000000000 1 ping 200000000 64\n" in text
    assert "flow s2 r2 10.2.0.3 cubic 0 2000000000 0 writes 1000 1000000000\n" in text
    line, queue = answer({}, 0, 0, 0)
    flow = line.partition(" 0 ")[2]
    answered = ["r 0 0 40000000", "r 0 100000000 160000000", "r 0 300000000 2100000000"]  # the last one after the end
    output = "\n".join(["t 2000000000", *(f"f {n} {flow}" for n in range(3)), queue, *answered, "end"])
    found = unpack(measured.result(one, samples.read(output, KINDS), KINDS)).metrics["flows"]
    names = ("requests_completed", "request_mean_ms", "request_median_ms", "request_max_ms")
    assert [found[0][name] for name in names] == [2, 50, 50, 60]
    assert [found[n]["requests_completed"] for n in (1, 2)] == [0, None]


def test_metrics_of_a_route_are_left_by_a_connection_before_the_run():
    one = scenario()
    one["flows"][0]["sender"]["route_ssthresh_packets"] = 60
    assert limits(one, KERNEL) == []
    [line] = problems(one, KERNEL)  # an emulated network carries nothing before the run
    assert line.startswith("flows[0].sender.route_ssthresh_packets: ")
    text = plan(one, {0: "cubic"}).content.decode()
    assert "route add default dev eth0 ssthresh lock 60 initcwnd 10\n" in text
    settings = "write s0 /proc/sys/net/ipv4/tcp_no_"
    kept, warm = text.index(f"{settings}metrics_save 0\n"), text.index("warm s0 r0 10.2.0.1\n")
    assert kept < warm < text.index(f"{settings}metrics_save 1\n") < text.index("\nflow s0")
    assert f"{settings}ssthresh_metrics_save 0\n" in text


@pytest.mark.parametrize("name", ["a\nexecute - touch canary", "a b", "a\tb", "", "x" * 80, "#1", "a/wire", "\x00"])
def test_a_name_of_a_link_is_neither_a_line_nor_a_word_of_the_plan(name):
    one = scenario()
    one["links"][0]["name"] = name
    for flow in one["flows"]:
        flow["forward"] = [name]
    planned = plan(one, {0: "cubic"})
    ordinary = plan(scenario(), {0: "cubic"})
    assert planned.content.replace(b"#0", b"bottleneck") == ordinary.content
    assert planned.samples == {name: "bfifo"}
    output = "t 1\nq #0 1 2 3 0 4 \nq #0/wire 5 6 7 0 8 \nend\n"
    [sample] = samples.read(output, planned.samples, planned.links)
    assert sample.queues == {name: samples.Queue(1, 2, 3, 0, 4), f"{name}/wire": samples.Queue(5, 6, 7, 0, 8)}


@pytest.mark.parametrize(
    ("queue", "words"),
    [
        ({"kind": "fifo", "limit_packets": 50}, "pfifo limit 50"),
        ({"kind": "codel", "target_ns": 8_000_000, "ecn": False}, "codel target 8000us noecn"),
        ({"kind": "fq_codel", "flows": 64, "memory_limit_bytes": 10**6}, "fq_codel flows 64 memory_limit 1000000"),
        ({"kind": "pie", "limit_packets": 9, "ecn": True, "alpha": 3}, "pie limit 9 alpha 3 ecn"),
        (
            {"kind": "red", "limit_bytes": 400_000, "min_bytes": 30_000, "adaptive": True},
            "red limit 400000 min 30000 avpkt 1000 adaptive",
        ),
        ({"kind": "cake", "bandwidth_bps": 10**7, "rtt_ns": 50_000_000}, "cake bandwidth 10000000bit rtt 50000us"),
        ({"kind": "fq", "maxrate_bps": 10**6}, "fq maxrate 1000000bit"),
    ],
)
def test_queues_as_tc_takes_them(queue, words):
    assert " ".join(tc.queue(queue)).startswith(words)


def test_losses_and_jitter_as_netem_takes_them():
    link = {"loss": {"kind": "independent", "probability": 0.001}, "duplicate_probability": 0.02}
    assert " ".join(tc.wire(link, 0)).endswith("loss random 0.1% duplicate 2%")
    chain = {"kind": "gilbert_elliott", "good_to_bad": 0.01, "bad_to_good": 0.2}
    assert " ".join(tc.wire({"loss": chain}, 0)).endswith("loss gemodel 1% 20% 100% 0%")
    assert " ".join(tc.wire({"jitter": {"max_ns": 4_000_000}}, 10**7)).endswith("delay 12000us 2000us")


@pytest.mark.parametrize(
    ("link", "words"),
    [
        (
            {"jitter": {"spread_ns": 10**6, "distribution": "pareto", "reorder": True}},
            "delay 10000us 1000us distribution pareto",
        ),
        (
            {"loss": {"kind": "independent", "probability": 0.01, "correlation": 0.25}},
            "delay 10000us loss random 1% 25%",
        ),
        ({"duplicate_probability": 0.01, "duplicate_correlation": 0.5}, "delay 10000us duplicate 1% 50%"),
        ({"corrupt": {"probability": 0.001}}, "delay 10000us corrupt 0.1%"),
        ({"reorder": {"probability": 0.25, "correlation": 0.5, "gap": 5}}, "delay 10000us reorder 25% 50% gap 5"),
        ({"reorder": {"probability": 0.0, "gap": 1}}, "delay 10000us"),
        (
            {"slot": {"min_ns": 800_000, "packets": 20, "bytes": 9000}},
            "delay 10000us slot 800us 800us packets 20 bytes 9000",
        ),
    ],
)
def test_netem_has_the_impairments(link, words):
    assert " ".join(tc.wire(link, 10**7)) == f"netem limit 1000000 {words}"


def test_a_frame_takes_its_time_on_the_wire_by_its_size():
    words = tc.wire({"overhead_bytes": 24}, 10**7, 20_000_000, 1500)
    assert " ".join(words) == "netem limit 1000000 delay 10000us rate 20000000bit 10"
    # netem's rate would restore the order of packets, so here every frame takes the time of a full one.
    jitter = {"jitter": {"spread_ns": 10**6, "reorder": True}}
    assert " ".join(tc.wire(jitter, 10**7, 20_000_000, 1500)).endswith("delay 10605.6us 1000us")


def test_a_slow_way_back_lets_a_handshake_pass():
    """A SYN-ACK has 60 bytes, and an ACK with SACK blocks up to 80: a bucket for 52 would lose them all."""
    assert tc.burst_bytes({}, 300_000, tc.ACK_BYTES) >= 80 + tc.ETHERNET_BYTES


def test_a_change_of_rate_leaves_the_limit_of_the_queue():
    """tbf gives a FIFO below it the limit of its own, without end, whenever it is changed."""
    text = plan(scenario(changes=[{"at": "1s", "rate": "5mbit"}]), {0: "cubic"}).content.decode()
    rate, limit = [
        line for line in text.splitlines() if line.startswith("change 1000000000 net tc qdisc change dev a0")
    ]
    assert "tbf rate 5000000bit" in rate
    assert limit.endswith("parent 1:1 handle 2: bfifo limit 100000")


def test_a_change_of_loss_changes_netem():
    one = scenario(changes=[{"at": "1s", "loss": "5%"}])
    text = plan(one, {0: "cubic"}).content.decode()
    assert "change 1000000000 net tc qdisc change dev" in text
    assert "netem limit 1000000 delay 20000us loss random 5% rate 20000000bit\n" in text


def test_an_outage_loses_what_enters_the_wire_earlier_by_its_delay():
    one = scenario(outages=[{"at": "1s", "length": "100ms"}, {"every": "0.9s", "length": "10ms"}])
    text = plan(one, {0: "cubic"}).content.decode()
    lines = [line.split(" ", 2) for line in text.splitlines() if line.startswith("change ")]
    # Half of the RTT of 40 ms is the delay of the bottleneck.
    found = [(int(at_ns) // 1_000_000, "loss random 100%" in words) for _, at_ns, words in lines]
    assert found == [(880, True), (890, False), (980, True), (1080, False), (1780, True), (1790, False)]


def test_random_outages_and_bursts_in_time_are_not_for_kernels():
    one = scenario(outages={"mean_length": "1s", "mean_distance": "1s"}, when_down="hold")
    one["links"][0]["loss"] = {"kind": "bursts", "times": {"kind": "periodic", "every_ns": 9, "length_ns": 1}}
    found = "\n".join(limits(one, KERNEL))
    assert "bottleneck.outages: random times exist in the simulator only; write at or every" in found
    assert "bottleneck.when_down: netem loses packets" in found
    assert "bottleneck.loss: netem cannot lose packets at given times, as bursts does" in found


def test_hosts_without_sack_and_with_a_floor_of_the_timeout():
    one = scenario(flows=[{"algorithm": "cubic", "rtt": "40ms"}])
    one["flows"][0]["sender"] |= {"sack": False, "rto_min_ns": 5_000_000}
    text = plan(one, {0: "cubic"}).content.decode()
    assert "write s0 /proc/sys/net/ipv4/tcp_sack 0\n" in text
    assert "write r0 /proc/sys/net/ipv4/tcp_sack 1\n" in text
    assert "route add default dev eth0 initcwnd 10 rto_min 5ms" in text


def test_cake_has_tcs_words():
    queue = {"kind": "cake", "bandwidth_bps": 10**7, "overhead": -4, "ptm": True, "ack_filter_aggressive": True}
    words = " ".join(tc.queue(queue))
    assert words == "cake bandwidth 10000000bit overhead -4 ptm ack-filter-aggressive besteffort flows"


def test_supported_settings_are_accepted():
    assert limits(scenario(), KERNEL) == []


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda one: one["links"][0].update(rate_bps=10**9), "links.bottleneck.rate: 1000 Mbit/s"),
        (lambda one: one["links"][0].update(queue={"kind": "dualpi2"}), "links.bottleneck.queue.kind: dualpi2"),
        (lambda one: one["links"][0].update(trace_ms=[1, 2]), "links.bottleneck.trace: "),
        (lambda one: one["links"][1].update(jitter={"max_ns": 5}), "links.return.jitter: "),
        (lambda one: one["flows"][0].update(transport="quic"), "flows[0].transport: "),
        (lambda one: one["flows"][0].update(algorithm="mine.py"), "flows[0].algorithm: mine.py"),
        (
            lambda one: one["flows"][0]["sender"].update(undo=False),
            "flows[0].sender.undo: ",
        ),
        (lambda one: one["flows"][0]["sender"].update(accecn=True), "flows[0].sender.accecn: "),
        (lambda one: one.update(media=[{}]), "media: a shared medium"),
    ],
)
def test_unsupported_settings_are_named_by_key(change, line):
    one = scenario()
    change(one)
    assert [found for found in limits(one, KERNEL) if found.startswith(line)], limits(one, KERNEL)


def test_another_clock_rate_is_a_note_not_a_refusal():
    assert re.match(r"hosts\.hz: .*250.*1000", notes(scenario(), KERNEL)[0])


def test_settings_of_an_older_release_are_a_note():
    """The files of two studies could not be run on any kernel."""
    one = scenario()
    one["flows"][0]["sender"] |= {"route_memory": True, "pacing": "none"}
    one["flows"][0]["receiver"] |= {"adv_win_scale": 1}
    newer = replace(KERNEL, version=(6, 12))
    assert limits(one, newer) == []
    keys = ("hosts.sender.route_memory: ", "hosts.receiver.adv_win_scale: ", "hosts.sender.pacing: ")
    assert all(any(line.startswith(key) for line in notes(one, newer)) for key in keys)


KINDS = {"bottleneck": "bfifo"}


def answer(flow: dict[str, int], sent_bytes: int, drops: int, backlog: int) -> list[str]:
    values = dict.fromkeys(samples.COLUMNS, 0) | flow
    return [
        "f " + " ".join(str(values[name]) for name in samples.COLUMNS),
        f"q bottleneck {sent_bytes} 0 {drops} 0 {backlog} ",
    ]


def test_counters_of_an_answer_become_metrics():
    one = scenario(duration="200ms")
    first = answer({"received": 100_000, "rtt_us": 40_000, "cwnd": 10, "retransmits": 1}, 110_000, 1, 5_000)
    last = answer({"received": 350_000, "rtt_us": 60_000, "cwnd": 20, "retransmits": 4}, 380_000, 3, 15_000)
    output = "\n".join(["t 100000000", *first, "t 200000000", *last, "end"])
    result = unpack(measured.result(one, samples.read(output, KINDS), KINDS))
    flow, link = result.metrics["flows"][0], result.metrics["links"][0]
    assert flow["goodput_mbps"] == pytest.approx(350_000 * 8 / 0.2 / 1e6)
    assert (flow["mean_rtt_ms"], flow["mean_cwnd_packets"], flow["retransmits"]) == (50, 15, 4)
    assert (link["dropped_packets"], link["mean_queue_bytes"]) == (3, 10_000)
    assert link["mean_queue_delay_ms"] == pytest.approx(10_000 * 8 / 20e6 * 1e3)
    assert result.table("flow_series")["retransmits"].to_list() == [1, 3]


@pytest.mark.parametrize(
    ("busy_us", "rwnd_us", "sndbuf_us", "limited_by"),
    [
        (190_000, 150_000, 10_000, "receive window"),
        (190_000, 10_000, 120_000, "send buffer"),
        (40_000, 10_000, 0, "application"),
        (190_000, 60_000, 20_000, None),  # cwnd, pacing or small queues: kernels do not tell which
    ],
)
def test_the_limits_that_a_kernel_tells_become_shares(busy_us, rwnd_us, sndbuf_us, limited_by):
    times = {"busy_us": busy_us, "rwnd_limited_us": rwnd_us, "sndbuf_limited_us": sndbuf_us}
    output = "\n".join(["t 200000000", *answer(times, 0, 0, 0), "end"])
    result = unpack(measured.result(scenario(duration="200ms"), samples.read(output, KINDS), KINDS))
    flow = result.metrics["flows"][0]
    names = ("busy_share", "rwnd_limited_share", "sndbuf_limited_share")
    assert [flow[name] for name in names] == pytest.approx([busy_us / 2e5, rwnd_us / 2e5, sndbuf_us / 2e5])
    assert (flow["limited_by"], flow["cwnd_limited_share"]) == (limited_by, None)


def test_a_kernel_without_these_counters_has_no_shares():
    """Linux before 4.10."""
    output = "\n".join(["t 200000000", *answer({}, 0, 0, 0), "end"])
    flow = unpack(measured.result(scenario(duration="200ms"), samples.read(output, KINDS), KINDS)).metrics["flows"][0]
    assert (flow["busy_share"], flow["limited_by"]) == (None, None)


@pytest.mark.parametrize(
    ("change", "capacity_bytes"),
    [
        ({}, 500_000),
        ({"burst_bytes": 300_000}, 800_000),  # the bucket is full at the beginning
        ({"changes": [{"at_ns": 150_000_000, "rate_bps": 60_000_000}]}, 750_000),
        ({"changes": [{"at_ns": 900_000_000, "rate_bps": 60_000_000}]}, 500_000),
    ],
)
def test_utilisation_is_the_share_of_the_bytes_that_a_link_could_have_sent(change, capacity_bytes):
    one = scenario(duration="200ms")
    one["links"][0] |= change
    output = "\n".join(["t 200000000", *answer({}, 400_000, 0, 0), "end"])
    [link, _] = unpack(measured.result(one, samples.read(output, KINDS), KINDS)).metrics["links"]
    assert link["utilisation"] == pytest.approx(400_000 / capacity_bytes)


@pytest.mark.parametrize(
    ("output", "reason"),
    [("error flow 0 cannot connect", "flow 0 cannot connect"), ("t 100000000", "plan")],
)
def test_an_answer_without_an_end_is_no_result(output, reason):
    with pytest.raises(samples.NoResult, match=reason):
        samples.read(output, {})


def test_the_agent_compiles_without_warnings_and_names_a_bad_line(tmp_path):
    command = ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([*command, *map(str, sorted(building.AGENT.glob("*.c")))], check=True)
    bad = tmp_path / "plan"
    bad.write_text("conquer the world\n")
    done = subprocess.run([building.agent(), bad], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "error the plan has a line that begins with 'conquer'\n")


def test_results_of_a_kernel_have_keys_of_their_own():
    from fairlane.runs.backends import provenance
    from fairlane.scenario.variation import differences

    one = scenario()
    of_simulator, of_kernel = (provenance.keys(one, identity)(differences(one)) for identity in ("", "Linux 6.1"))
    assert of_simulator != of_kernel
    assert of_simulator == provenance.key(one)


def test_one_line_names_the_remedy_where_a_kernel_cannot_delay_packets():
    """The keys are those of files, which rarely have `links.bottleneck.delay`."""
    [line] = limits(scenario(), replace(KERNEL, queues={"tbf"}))
    assert line.startswith(
        "network.rtt, or delay, jitter, loss or a rate without burst of links (bottleneck, return): "
    )
    assert "--on vm" in line
