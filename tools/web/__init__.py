"""The engine in WebAssembly: `python -m tools.web --help`."""
