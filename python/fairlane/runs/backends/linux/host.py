"""The two hosts of a flow on a real kernel: names, addresses, routes, offloads, and the kernel's settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fairlane.engine.declarations import complete
from fairlane.engine.types import FlowConfig, Scenario

SETTINGS = "/proc/sys/net/ipv4/"
_SMALLEST_MTU = 256


@dataclass(frozen=True)
class Host:
    """The sender (`s`) or the receiver (`r`) of flow `n`, in a network namespace of its own."""

    end: str
    n: int
    flow: FlowConfig

    @property
    def name(self) -> str:
        """The name of its namespace."""
        return f"{self.end}{self.n}"

    @property
    def address(self) -> str:
        """Its address, which no other host has."""
        return f"10.{1 if self.end == 's' else 2}.{self.n // 250}.{self.n % 250 + 1}"

    @property
    def mtu_bytes(self) -> int:
        """The MTU of its device."""
        return int(complete("FlowConfig", self.flow)["mtu"])

    @property
    def settings(self) -> dict[str, Any]:
        """The host's settings, with defaults."""
        if self.end == "s":
            return complete("SenderHost", self.flow.get("sender", {}))
        return complete("ReceiverHost", self.flow.get("receiver", {}))

    def route(self, device: str) -> str:
        """The route to everything as `ip route add` wants it.

        Kernels before 6.11 know the smallest RTO as an attribute of routes only, whose unit is a millisecond.
        """
        words = f"default dev {device}"
        if self.end == "s":
            settings = self.settings
            floor_ms = settings["rto_min_ns"] // 1_000_000
            has_floor = settings["rto_min_ns"] != complete("SenderHost", {})["rto_min_ns"] and floor_ms
            threshold = settings.get("route_ssthresh_packets")
            words += f" ssthresh lock {threshold}" if threshold else ""
            words += f" initcwnd {settings['initial_cwnd_packets']}" + (f" rto_min {floor_ms}ms" if has_floor else "")
        return words

    def offloads(self) -> dict[str, int]:
        """The offloads of its device, by ethtool's names."""
        return {"tso": 0, "gso": 0, "gro": int(self.settings["offload"])}

    def setting_lines(self, has: Callable[[str], bool]) -> list[str]:
        """The lines of a plan that set up its kernel, with those of the settings that the kernel `has`."""
        made = self._sender_settings() if self.end == "s" else self._receiver_settings()
        return [f"write {self.name} {SETTINGS}{setting} {value}" for setting, value in made.items() if has(setting)]

    def _sender_settings(self) -> dict[str, object]:
        """By their names in `SETTINGS`. Metrics are kept of a connection before the run, if the route has any."""
        host = self.settings
        is_warm = bool(host.get("route_ssthresh_packets"))
        limit = host.get("small_queue_limit_bytes")
        return ({"tcp_limit_output_bytes": limit} if limit else {}) | {
            "tcp_wmem": f"4096 16384 {host['wmem_max_bytes']}",
            "tcp_ecn": int(host["ecn"]),
            **_offers(host),
            "tcp_rto_min_us": host["rto_min_ns"] // 1_000,
            "tcp_early_retrans": 3 if host["tail_loss_probe"] else 0,
            "tcp_frto": 2 if host["forward_rto"] else 0,
            "tcp_slow_start_after_idle": int(host["slow_start_after_idle"]),
            "tcp_no_metrics_save": int(not is_warm),
            **({"tcp_no_ssthresh_metrics_save": 0} if is_warm else {}),
        }

    def _receiver_settings(self) -> dict[str, object]:
        """By their names in `SETTINGS`."""
        host, sender = self.settings, Host("s", self.n, self.flow).settings
        return {
            "tcp_rmem": f"4096 {host['rmem_initial_bytes']} {host['rmem_max_bytes']}",
            "tcp_ecn": int(host.get("ecn", sender["ecn"])),
            **_offers(host),
            "tcp_moderate_rcvbuf": int(host["autotune"]),
            "tcp_comp_sack_rtt_percent": host["sack_compression_rtt_percent"],
            "tcp_rcvbuf_low_rtt": host["rcvbuf_low_rtt_ns"] // 1_000,
            "tcp_no_metrics_save": 1,
        } | ({} if host["sack_compression"] else {"tcp_comp_sack_nr": 0})


def largest_mtu_bytes(scenario: Scenario) -> int:
    """The largest MTU of a flow; the default if there is none."""
    return max((host.mtu_bytes for host in hosts_of(scenario)), default=complete("FlowConfig", {})["mtu"])


def hosts_of(scenario: Scenario) -> list[Host]:
    """The hosts of a scenario: of each flow, then of each UDP source, the sender and the receiver."""
    return [Host(end, n, flow) for n, flow in enumerate(with_sources(scenario)["flows"]) for end in "sr"]


def with_sources(scenario: Scenario) -> Scenario:
    """The scenario with a flow in place of each UDP source, whose hosts have the source's packets to carry."""
    sources = scenario.get("cross_traffic", [])
    sizes = [complete("CrossTrafficConfig", source)["packet_bytes"] for source in sources]
    flows: list[FlowConfig] = [
        {"algorithm": "reno", "forward": source["path"], "reverse": source["path"], "mtu": max(size, _SMALLEST_MTU)}
        for source, size in zip(sources, sizes, strict=True)
    ]
    return {**scenario, "flows": [*scenario["flows"], *flows], "cross_traffic": []}


def _offers(host: Mapping[str, Any]) -> dict[str, object]:
    """Options that both hosts must offer."""
    return {"tcp_sack": int(host["sack"]), "tcp_timestamps": int(host["timestamps"])}
