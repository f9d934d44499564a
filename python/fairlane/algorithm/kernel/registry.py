"""The congestion controls that the running kernel has, and how a loaded one goes away."""

import errno
from dataclasses import dataclass
from pathlib import Path

from fairlane.algorithm.kernel import KernelError, Lacking, libbpf, machine
from fairlane.algorithm.kernel.program import PREFIX
from fairlane.engine.messages import nearest

_SYSCTL = Path("/proc/sys/net/ipv4")


@dataclass(frozen=True)
class Loaded:
    """A congestion control that was loaded by BPF, by whomever."""

    name: str
    map_id: int


def available() -> list[str]:
    """The names of all congestion controls, built in or loaded; needs no privileges."""
    return _words("tcp_available_congestion_control")


def default() -> str:
    """The one that new connections get."""
    return " ".join(_words("tcp_congestion_control"))


def loaded() -> list[Loaded]:
    """Those that were loaded by BPF; needs root. Raises KernelError."""
    machine.check_kernel()
    # The table's layout differs between kernels; the names do not.
    names = {name.encode().ljust(16, b"\0"): name for name in available()}
    found = []
    try:
        for number in libbpf.map_ids():
            try:
                with libbpf.map_by_id(number) as (descriptor, info):
                    if info.type != libbpf.STRUCT_OPS:
                        continue
                    value = libbpf.read_entry(descriptor, info.value_size)
            except OSError as error:
                if error.errno == errno.ENOENT:  # gone meanwhile
                    continue
                raise
            words = {value[at : at + 16] for at in range(0, len(value) - 15, 4)}
            found += [Loaded(name, number) for word, name in names.items() if word in words]
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES):
            raise Lacking(machine.NO_RIGHTS) from None
        raise KernelError(f"the kernel does not say what is loaded ({error.strerror})") from None
    return sorted(found, key=lambda one: (one.name, one.map_id))


def loaded_names() -> list[str]:
    """The names of those that were loaded by BPF."""
    return [one.name for one in loaded()]


def unload(word: str) -> str:
    """Unregisters what `word` names, and returns its name in the kernel. Raises KernelError.

    Connections that use it keep it; new ones cannot get it.
    """
    everything = loaded()
    names = [one.name for one in everything]
    name = next((name for name in (word, PREFIX + word) if name in names), None)
    if name is None:
        if word in available():
            raise KernelError(f"{word} is a congestion control of the kernel's own, and stays")
        raise KernelError(f"{word} is not loaded{nearest(word, names)}; loaded: {', '.join(names) or 'none'}")
    if name == default():
        raise KernelError(
            f"{name} is what new connections get; choose another first:"
            " sudo sysctl net.ipv4.tcp_congestion_control=cubic"
        )
    for one in everything:
        if one.name == name:
            try:
                with libbpf.map_by_id(one.map_id) as (descriptor, _):
                    libbpf.delete_entry(descriptor)
            except OSError as error:
                if error.errno == errno.EINVAL or error.errno == errno.EOPNOTSUPP:
                    raise KernelError(
                        f"{name} belongs to a program that holds it by a link; end that program"
                    ) from None
                if error.errno != errno.ENOENT:
                    raise KernelError(f"{name} cannot be unloaded ({error.strerror})") from None
    return name


def _words(name: str) -> list[str]:
    try:
        return (_SYSCTL / name).read_text(encoding="ascii").split()
    except OSError:
        return []
