"""The command `fairlane`, and `python -m fairlane`."""

import signal
import sys

_on_interrupt = signal.getsignal(signal.SIGINT)
if _on_interrupt is signal.default_int_handler:  # Ctrl-C while modules are loaded would print a traceback
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from fairlane.cli import main  # noqa: E402

signal.signal(signal.SIGINT, _on_interrupt)

if __name__ == "__main__":
    sys.exit(main())
