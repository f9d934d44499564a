"""The network between the two hosts of `fairlane shell`, from settings of a request."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairlane.engine.types import FlowConfig, LinkConfig, Scenario
from fairlane.runs.emulation.selfcheck import FASTEST_BPS
from fairlane.scenario.links import LINKS
from fairlane.scenario.request_settings import RequestError
from fairlane.scenario.requests import Request, scenario


def shell_network(settings: Mapping[str, Any], up_trace: Path | None, interval_ns: int) -> Scenario:
    """The network with one flow, whose forward path is the uplink.

    `settings` are those of a `Request`; `rate` and `trace` are the downlink's, `reverse_rate` and `up_trace` the
    uplink's. Links are sampled every `interval_ns`. Raises ExperimentError.
    """
    up_rate = settings["reverse_rate"]
    if up_trace is not None and up_rate is not None:
        raise RequestError(("up_trace", "a trace replaces a rate; leave {reverse_rate} out"))
    typical = LINKS[settings["link"]].settings if settings["link"] in LINKS else {}
    network = _direction(settings)
    if "media" not in network:
        own_rate = up_rate or (None if up_trace else typical.get("reverse_rate") or settings["rate"])
        if up_trace is None and own_rate is None and settings["trace"] is not None:
            raise RequestError(("trace", "is the downlink's; give the uplink {up_trace} or {reverse_rate}"))
        up = _direction({**settings, "rate": own_rate, "trace": up_trace})
        links: list[LinkConfig] = [{**one["links"][0], "name": name} for name, one in (("up", up), ("down", network))]
        flow: FlowConfig = {**network["flows"][0], "forward": ["up"], "reverse": ["down"]}
        network = {**network, "links": links, "flows": [flow]}
    fastest = max((link.get("rate_bps", 0) for link in network.get("links", [])), default=0)
    if fastest > FASTEST_BPS:
        limit = f"at most {FASTEST_BPS / 1e6:g}mbit"
        raise RequestError(("rate", f"{fastest / 1e6:g}mbit is beyond what is carried in real time; {limit}"))
    return {**network, "series_interval_ns": interval_ns}


def _direction(settings: Mapping[str, Any]) -> Scenario:
    """A network whose first link is the bottleneck."""
    one_way = {**settings, "reverse_rate": None, "duration": "1s", "repeats": 1}
    return scenario(Request(("reno",), one_way).experiment())
