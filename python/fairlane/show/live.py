"""The page of `fairlane live`: a server for its files, and addresses of its scenes."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fairlane.files import data_folder
from fairlane.scenario import mobile_links

LONGEST_S = 600
MOST_ROWS = 8
MOST_CHANGES = 50


class NoPageError(Exception):
    """This copy of Fairlane has no page."""


class NoSceneError(Exception):
    """An experiment that the page cannot show; the message says which part."""


def page_folder() -> Path:
    """The folder of the built page: the source tree's, else the wheel's. Raises NoPageError."""
    for folder in (data_folder("labs").parent / "target" / "live", data_folder("live")):
        if (folder / "index.html").is_file():
            return folder
    raise NoPageError("this copy of Fairlane was built without the page; build it in the source folder with: make web")


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints nothing: a client that has gone, or that asked for no file, ends its own connection."""


class _Handler(SimpleHTTPRequestHandler):
    timeout = 60
    """Seconds that a connection may be silent."""

    def guess_type(self, path: Any) -> str:
        """The type of a file, whatever the machine's registry of types says."""
        own = {".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html; charset=utf-8"}
        return own.get(Path(path).suffix) or super().guess_type(path)

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing: the terminal is the user's."""

    def list_directory(self, path: Any) -> None:
        """Lists no folders."""
        self.send_error(404)

    def end_headers(self) -> None:
        """Adds headers to every answer."""
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


def server(port: int) -> ThreadingHTTPServer:
    """A server of the page on 127.0.0.1; port 0 is a free one. Raises NoPageError and OSError."""
    return _Server(("127.0.0.1", port), partial(_Handler, directory=str(page_folder())))


def scene_of(path: Path) -> str:
    """The query with which the page shows an experiment of one bottleneck. Raises NoSceneError and ExperimentError."""
    from fairlane.scenario.load import load

    points = load(path).points
    if len(points) != 1:
        raise NoSceneError(f"{path} has a sweep of {len(points)} points; the page shows one")
    scenario: Any = points[0].point.repeat(0)
    if scenario.get("media") or scenario.get("cross_traffic"):
        raise NoSceneError(f"{path} has media or cross traffic; the page shows experiments of one bottleneck")
    limited = [link for link in scenario["links"] if "rate_bps" in link or "trace_ms" in link]
    forward = [link for link in limited if all(link["name"] in flow["forward"] for flow in scenario["flows"])]
    reverse = [link for link in limited if link not in forward]
    if len(forward) != 1 or "rate_bps" not in forward[0] or len(reverse) > 1:
        raise NoSceneError(f"{path} has not one bottleneck with a constant rate, which all flows cross")
    if len(scenario["flows"]) > MOST_ROWS:
        raise NoSceneError(f"{path} has {len(scenario['flows'])} flows; the page shows {MOST_ROWS}")
    (link,) = forward
    delays = {one["name"]: one.get("delay_ns", 0) for one in scenario["links"]}
    flows = scenario["flows"]
    trace, changes = _changes(scenario["links"], link, path)
    if trace:
        delays[link["name"]] = delays[flows[0]["reverse"][0]]  # as where the trace has no delays of its own
    loss = link.get("loss")
    if loss and loss["kind"] != "independent":
        raise NoSceneError(f"{path} has a loss of kind {loss['kind']}; the page shows independent losses")
    words = {
        "flows": " ".join(_flow(flow) for flow in flows),
        "trace": trace,
        "rate": "" if trace else f"{link['rate_bps'] / 1e6:.9g}mbit",
        "reverse": f"{reverse[0]['rate_bps'] / 1e6:.9g}mbit" if reverse else "",
        "rtt": ",".join(
            f"{sum(delays[one] for one in (*flow['forward'], *flow['reverse'])) / 1e6:.9g}ms" for flow in flows
        ),
        "buffer": _limit(link["queue"]),
        "queue": _queue(link["queue"]),
        "loss": f"{100 * loss['probability']:.9g}%" if loss else "",
        "ecn": "1" if all(flow["sender"].get("ecn") for flow in flows) else "",
        "start": ",".join(f"{flow['start_ns'] / 1e9:.9g}s" for flow in flows),
        "workload": ",".join(flow["workload"]["kind"] for flow in flows),
        "time": f"{min(LONGEST_S, scenario['duration_ns'] / 1e9):.9g}s",
        "seed": str(scenario["seed"]),
        "changes": changes,
    }
    return "&".join(f"{key}={quote(value, safe=':,*=')}" for key, value in words.items() if value)


def _changes(links: Any, link: Any, path: Path) -> tuple[str, str]:
    """The trace whose rates the link has, or its changes as the address of the page has them."""
    changes = link.get("changes", [])
    rates = [link["rate_bps"], *(change.get("rate_bps") for change in changes)]
    for name in mobile_links.NAMES:
        if changes and rates == [rate for _, rate, _ in mobile_links.steps(name)]:
            return name, ""
    others = any(one.get("changes") for one in links if one is not link)
    if others or any(set(change) != {"at_ns", "rate_bps"} for change in changes) or len(changes) > MOST_CHANGES:
        raise NoSceneError(f"{path} changes more than a rate, {MOST_CHANGES} times at most, which the page shows")
    return "", ",".join(f"{change['at_ns'] / 1e9:.9g}s:rate_bps={change['rate_bps']}" for change in changes)


def _flow(flow: Any) -> str:
    name = Path(flow["algorithm"]).name
    if name != flow["algorithm"]:
        raise NoSceneError(f"{flow['algorithm']}: the page has the bundled algorithms only")
    parameters = ",".join(f"{key}={value}" for key, value in flow["parameters"].items())
    return f"{name}:{parameters}" if parameters else name


def _limit(queue: Any) -> str:
    for key, unit in (("limit_bytes", "B"), ("memlimit_bytes", "B"), ("limit_packets", "p")):
        if key in queue:
            return f"{queue[key]}{unit}"
    return ""


def _queue(queue: Any) -> str:
    options = []
    for key, value in queue.items():
        if key == "kind" or key.startswith(("limit_", "memlimit_")):
            continue
        if isinstance(value, bool):
            options.append(f"{key}={str(value).lower()}")
        elif key.endswith("_ns"):
            options.append(f"{key.removesuffix('_ns')}={value / 1e6:.9g}ms")
        elif key.endswith("_bytes"):
            options.append(f"{key.removesuffix('_bytes')}={value / 1e3:.9g}kB")
        else:
            options.append(f"{key}={value}")
    return ":".join(part for part in (queue["kind"], ",".join(options)) if part)
