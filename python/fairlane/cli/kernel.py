"""`fairlane kernel add`, `list`, `remove`: the kernels of `--on vm`."""

import json
from pathlib import Path

import click

from fairlane.cli.help import ExampleCommand, ExampleGroup
from fairlane.cli.options import as_json
from fairlane.show.text.terminal import echo


@click.group(
    cls=ExampleGroup,
    examples=["fairlane kernel add debian-12", "fairlane kernel list", "fairlane kernel remove debian-12"],
)
def command() -> None:
    """Add Linux kernels that run experiments in virtual time, list and remove them.

    `--on vm` of `fairlane run` and `fairlane duel` uses the newest of them, `--on vm:NAME` the one of that name. Needs
    QEMU, a C compiler and iproute2, and no privileges.
    """


@command.command(
    cls=ExampleCommand,
    examples=[
        "fairlane kernel add debian-12",
        "fairlane kernel add forky --as newest",
        "fairlane kernel add ./linux-image-5.10.0-28-cloud-amd64_5.10.209-2_amd64.deb --as 5.10",
        "fairlane kernel add ./linux/arch/x86/boot/bzImage --modules ./linux --as mine",
    ],
)
@click.argument("kernel", metavar="debian-12|debian-13|forky|PACKAGE|FILE.deb|IMAGE")
@click.option("--as", "name", metavar="NAME", help="The name for `--on vm:NAME`.  [default: the suite, or the version]")
@click.option(
    "--modules",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The modules of an IMAGE: the folder of its build, or lib/modules/VERSION.",
)
def add(kernel: str, name: str | None, modules: Path | None) -> None:
    """Add a kernel: fetch it, build its initramfs, boot it and keep its memory.

    Debian's cloud kernels are fetched by apt from this machine's mirror. An older kernel comes from a package's file. A
    kernel of your own is the image that the build makes (for x86-64), with its modules.
    """
    from fairlane.runs.backends.vm import kernels

    added = kernels.add(kernel, name, modules)
    abilities = added.abilities
    echo(f"{added.name}: Linux {added.release}, HZ={added.hz}")
    echo(f"  algorithms of its own: {', '.join(sorted(abilities.algorithms))}")
    echo(f"  queues: {', '.join(sorted(abilities.queues))}")
    echo(f"  use it: fairlane duel cubic bbr --rate 20mbit --on vm:{added.name}")


@command.command("list", cls=ExampleCommand, examples=["fairlane kernel list", "fairlane kernel list --json"])
@as_json()
def listing(as_json: bool) -> None:
    """List the kernels that were added."""
    from fairlane.runs.backends.vm import kernels

    found = kernels.every()
    if as_json:
        echo(json.dumps([{"name": one.name, "release": one.release, "hz": one.hz} for one in found]))
        return
    for one in found:
        echo(f"{one.name:<12} Linux {one.release}, HZ={one.hz}, from {one.package}")
    if not found:
        echo("no kernel was added yet; write for example: fairlane kernel add debian-12")


@command.command(cls=ExampleCommand, examples=["fairlane kernel remove debian-12"])
@click.argument("name", metavar="NAME")
def remove(name: str) -> None:
    """Remove a kernel. Results that it computed stay."""
    from fairlane.runs.backends.vm import kernels

    kernels.remove(name)
    echo(f"{name} is removed")
