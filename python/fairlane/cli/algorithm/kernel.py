"""`fairlane algorithm load`, `unload`, `list`: congestion controls in the running kernel."""

import json
from functools import partial

import click

from fairlane.cli import completion
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named, as_json, parameters
from fairlane.show.text.terminal import echo


@click.command(
    cls=ExampleCommand,
    examples=[
        "sudo $(command -v fairlane) algorithm load cubic",
        "sudo $(command -v fairlane) algorithm load ./mine.c",
        "sudo $(command -v fairlane) algorithm load cubic --set beta=800 --as fl_gentle",
    ],
)
@click.argument("algorithm", metavar="NAME|FILE.c", shell_complete=completion.algorithms)
@parameters
@click.option("--as", "name", metavar="NAME", help="The name in the kernel, at most 15 letters.")
def load(algorithm: str, settings: tuple[str, ...], name: str | None) -> None:
    """Load a congestion control into the running kernel.

    The command compiles it and the kernel verifies it. It stays loaded until it is unloaded or the machine restarts.
    Connections use it only if they select it. The names of bundled algorithms start with fl_, so that they do not
    clash with the kernel's own.
    """
    from fairlane.algorithm.kernel import loading
    from fairlane.algorithm.kernel.machine import check_kernel
    from fairlane.algorithm.kernel.program import KernelProgram

    named = algorithm_named(algorithm, settings)
    check_kernel()
    program = KernelProgram.find(named.source, named.parameters, name)
    loaded = loading.load(program, warned=partial(echo, err=True))
    values = ", ".join(f"{key}={value}" for key, value in named.parameters.items())
    echo(f"{loaded} is now a congestion control of this kernel{values and f' ({values})'}.")
    echo(f"  one program:          iperf3 -C {loaded} -c HOST, or setsockopt(TCP_CONGESTION)")
    echo(f"  all new connections:  sudo sysctl net.ipv4.tcp_congestion_control={loaded}")
    echo(f"  remove it:            sudo $(command -v fairlane) algorithm unload {loaded}")


@click.command(
    cls=ExampleCommand,
    examples=[
        "sudo $(command -v fairlane) algorithm unload cubic",
        "sudo $(command -v fairlane) algorithm unload mine",
    ],
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def unload(names: tuple[str, ...]) -> None:
    """Unload congestion controls from the running kernel.

    NAME is the name in the kernel, or that of a bundled algorithm. Connections that use it keep it.
    """
    from fairlane.algorithm.kernel import registry

    for name in names:
        echo(f"{registry.unload(name)} is unloaded.")


@click.command(
    "list",
    cls=ExampleCommand,
    examples=["sudo $(command -v fairlane) algorithm list", "fairlane algorithm list --json"],
)
@as_json()
def listing(as_json: bool) -> None:
    """List the congestion controls of the running kernel.

    As root, it shows which of them were loaded and which are the kernel's own.
    """
    from fairlane.algorithm.kernel import KernelError, registry

    names, default = registry.available(), registry.default()
    loaded: list[str] | None
    try:
        loaded, why = sorted(set(registry.loaded_names())), ""
    except KernelError as error:
        loaded, why = None, str(error)
    if as_json:
        own = None if loaded is None else [name for name in names if name not in loaded]
        echo(json.dumps({"available": names, "default": default, "loaded": loaded, "own": own}))
        return
    if loaded is None:
        echo(f"available:  {', '.join(names) or 'unknown'}")
        echo(f"which of them were loaded is unknown: {why}")
    else:
        echo(f"loaded:     {', '.join(loaded) or 'none'}")
        echo(f"kernel's:   {', '.join(name for name in names if name not in loaded) or 'unknown'}")
    echo(f"default:    {default or 'unknown'}")
