"""A stock kernel in virtual time: QEMU's clock counts instructions, so that no machine's load changes a result.

kernels  those that were added, and how they get ready
package  fetches and unpacks Debian's kernels
image    the initramfs: the agent, ip, tc, modules
boot     boots a guest once and keeps its memory
emulated  plans for guests whose network is the simulator's
qemu     the machine, and runs on it
"""

from fairlane.runs.backends.vm.backend import open_backend

__all__ = ["open_backend"]
