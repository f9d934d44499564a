"""`python -m tools.soak`. Processes that it starts import its functions, which they cannot from a `__main__`."""

import sys

from tools.soak.soak import main

if __name__ == "__main__":
    sys.exit(main())
