"""The command `fairlane`, and `python -m fairlane`."""

import _signal  # type: ignore[import-not-found] # built in: Ctrl-C while modules are loaded would print a traceback
import sys

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # until fairlane.cli.process handles it

from fairlane.cli import main

if __name__ == "__main__":
    sys.exit(main())
