"""Builds the engine in WebAssembly into target/web; `--compare` also compares it with the native engine."""

import argparse
import gzip
import subprocess
import sys

from tools.web import build, compare

NO_TOOLS = 77
"""Exit status if a tool is not installed."""


def main() -> int:
    """Builds, compares if asked to, and prints the findings."""
    parser = argparse.ArgumentParser(prog="python -m tools.web", description="Builds the engine in WebAssembly.")
    parser.add_argument("--compare", action="store_true", help="compare results with the native engine's, in Node")
    compares = parser.parse_args().compare
    try:
        build.build()
    except build.MissingToolError as error:
        print(error, file=sys.stderr)
        return NO_TOOLS
    except subprocess.CalledProcessError:
        return 1  # the compiler has written why
    content = build.WASM.read_bytes()
    packed = len(gzip.compress(content, 9))
    print(f"{build.WASM.relative_to(build.ROOT)}: {len(content) / 1e3:,.0f} kB, {packed / 1e3:,.0f} kB gzipped")
    if not compares:
        return 0
    found = compare.differences()
    print(
        "\n".join(found)
        or f"{compare.NETWORKS} networks have the same results natively and in WebAssembly, bit for bit"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
