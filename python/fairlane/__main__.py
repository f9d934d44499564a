"""Lets `python -m fairlane` do what `fairlane` does."""

import sys

from fairlane.cli import main

if __name__ == "__main__":
    sys.exit(main())
