"""System calls and allocations that fail, each once or from one on: no finished run is lost."""
