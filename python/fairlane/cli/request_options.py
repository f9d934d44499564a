"""Options of commands that describe a request: `fairlane.scenario.requests.SETTINGS`, as click has them."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fairlane.cli import completion
from fairlane.cli.errors import BadFile, bad_value
from fairlane.cli.types import QuantityText, QuantityTexts, WholeNumber
from fairlane.scenario import units
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.links import ALIASES, LINKS
from fairlane.scenario.request_settings import SETTINGS, RequestError, multiple
from fairlane.scenario.requests import Request, mistakes
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.scenario.scenario import Point

Command = TypeVar("Command", bound=Callable[..., Any] | click.Command)
_TYPES: dict[str, Any] = {
    "rate": QuantityText("RATE", units.rate_bps),
    "trace": click.Path(path_type=Path),
    "rtt": QuantityTexts("TIME[,TIME...]", units.positive_time_ns),
    "buffer": QuantityText("SIZE", units.buffer),
    "duration": QuantityText("TIME", units.positive_time_ns),
    "start": QuantityTexts("TIME[,TIME...]", units.time_ns),
    "loss": QuantityText("SHARE", units.probability),
    "reverse_rate": QuantityText("RATE", units.rate_bps),
    "mtu": WholeNumber(256, 65535, 1500),
    "wifi": click.Choice(["n", "ac", "ax"]),
    "interval": QuantityText("TIME", units.positive_time_ns),
    "seed": WholeNumber(0, 2**63 - 1, 1),
    "repeats": WholeNumber(1, 1000, 5),
    "start_jitter": QuantityText("TIME", units.time_ns),
}
_METAVARS = {"trace": "FILE", "transport": "PROTOCOL[,PROTOCOL...]", "queue": "KIND[:OPTION=VALUE,...]", "link": "NAME"}


class _Option(click.Option):
    """An option whose help has words of the engine, which is loaded when the help is shown."""

    @property
    def help(self) -> str | None:
        """The text, in which `{queues}` is the list of queue disciplines, and `{file}` the text of the file's key."""
        text = self._text
        if text and "{file}" in text:
            text = text.replace("{file}", SETTINGS[self.name or ""].help)
        return text.replace("{queues}", ", ".join(_queues())) if text and "{queues}" in text else text

    @help.setter
    def help(self, text: str | None) -> None:
        self._text = text


@cache
def _queues() -> tuple[str, ...]:
    """The queue disciplines with a limit, which `--buffer` sets."""
    from fairlane.engine.declarations import queues

    return tuple(kind for kind, one in queues().items() if any("x-limit" in parameter for parameter in one.values()))


def flag(name: str) -> str:
    """A setting as an option."""
    option = SETTINGS[name].option if name in SETTINGS else ""
    return "ALGORITHM" if name == "algorithm" else option or f"--{name.replace('_', '-')}"


def setting(
    name: str, text: str = "", *, option: str = "", default: str | None = None, **more: Any
) -> Callable[[Command], Command]:
    """The option for a setting; `text`, `option` and `default` replace those of the table. Without it, None."""
    one = SETTINGS[name]
    shown = default if default is not None else one.default
    parts = [option or flag(name)]
    if parts == ["--time"]:
        parts.append(f"--{name}")  # as files and Python call it
    if one.default == f"no-{name}":
        parts = [f"--{name}/--no-{name}"]
    more.setdefault("type", _TYPES.get(name))
    more.setdefault("metavar", _METAVARS.get(name))
    if name == "queue":
        more["shell_complete"] = completion.queues
    if name == "link":
        more["shell_complete"] = completion.one_of(lambda: LINKS)
        more["callback"] = lambda _context, _parameter, value: ALIASES.get(value, value)
        text = f"{one.text}: {', '.join(LINKS)}; other options replace its values."
    described = (text or one.text or "{file}") + (f"  [default: {shown}]" if shown else "")
    return click.option(*parts, name, default=None, cls=_Option, help=described, **more)


def settings(*names: str) -> Callable[[Command], Command]:
    """The options for several settings, in this order."""

    def add(command: Command) -> Command:
        for name in reversed(names):
            command = setting(name)(command)
        return command

    return add


MANY_FLOWS = 20_000
"""Reading so many and printing their results takes seconds."""
FLOW_S = 0.25e-3
"""That of one flow."""


def requested(algorithms: tuple[str, ...], *, accecn: bool = False, **given: Any) -> "Point":
    """The point of the experiment of the options. Raises a usage error that names the option."""
    from fairlane.scenario.requests import allow_flows, point

    allow_flows(algorithms)
    _announce(algorithms)
    if accecn:
        given["ecn"] = "accecn"
    if isinstance(protocols := given.get("transport"), str):
        given["transport"] = [protocol.strip() for protocol in protocols.split(",")]
    try:
        return point(Request(algorithms, given).experiment())
    except ExperimentError as error:
        wrong = bad_request(error)
    if accecn and isinstance(wrong, click.BadParameter) and wrong.param_hint == flag("ecn"):
        raise bad_value("--accecn", "no flow uses TCP; write --ecn, because QUIC always reports the number of marks")
    raise wrong


def _announce(algorithms: Sequence[str]) -> None:
    """Says what very many flows take, before anything is made of them. Raises a usage error if memory is too small."""
    flows = 0
    with suppress(units.QuantityError):  # reported when the words are read
        flows = sum(multiple(word)[1] for word in algorithms)
    if flows < MANY_FLOWS:
        return
    from fairlane.engine.messages import counted, show_duration
    from fairlane.runs.sweep.run_size import MEMORY_OF_FLOW_BYTES, shortage

    needed_bytes = MEMORY_OF_FLOW_BYTES * flows
    if text := shortage(needed_bytes):
        raise bad_value("ALGORITHM", f"{counted(flows, 'flow')}: {text}; name fewer")
    apart = f"{show_duration(FLOW_S * flows)} without the run itself"
    echo(f"{counted(flows, 'flow')}: about {needed_bytes / 1e9:.1f} GB of memory, and {apart}", err=True)


def bad_request(error: ExperimentError, flag: Callable[[str], str] = flag) -> click.ClickException:
    """The usage error that names the option of the first mistake; `flag` gives the option of a setting."""
    found = error.mistakes(flag) if isinstance(error, RequestError) else list(mistakes(error))
    name, text = found[0]
    return bad_value(flag(name), text) if name else BadFile("\n".join(line for _, line in found))
