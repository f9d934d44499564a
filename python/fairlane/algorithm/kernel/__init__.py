"""Congestion controls in the running kernel: compile, verify, load, list and unload them.

From a C file to a congestion control that `sysctl` and `setsockopt` know, a program passes these modules:

    program      which file, which parameters, which name
    compiler     clang -target bpf, confined and without root's rights; its errors in our words
    description  callbacks, name and parameters, as the object's ELF and BTF (elf, btf) say
    callbacks    fits the table of callbacks to the running kernel
    libbpf       the few functions of the system's libbpf that we call, by ctypes
    loading      the kernel verifies it; it is registered and stays
    verifier     explains why the kernel rejected a program
    registry     what is loaded, and how it goes away
    machine      what this machine lacks for all that

No native code is made of a program on this way, and nothing of it runs before the kernel has verified it.

Nothing here is needed by the simulator. Every error is a `KernelError` whose text says what to do.
"""


class KernelError(RuntimeError):
    """The running kernel cannot do what was requested; the message has the remedy."""


class Lacking(KernelError):
    """This machine cannot do it at all: no root, no clang, no BTF, an old kernel."""
