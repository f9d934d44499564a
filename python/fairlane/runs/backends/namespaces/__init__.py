"""This machine's kernel in real time: hosts and routers are namespaces, queues and links are by tc."""

from fairlane.runs.backends.namespaces.backend import open_backend

__all__ = ["open_backend"]
