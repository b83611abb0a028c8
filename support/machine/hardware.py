"""The machine that a table was measured on, or a network learned on."""

import os
import platform
from pathlib import Path

import numba


def machine() -> str:
    """Processor, system and versions, in one line."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        names = [
            line.partition(":")[2].strip()
            for line in cpuinfo.read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ]
        model = names[0] if names else model
    versions = f"Python {platform.python_version()}, Numba {numba.__version__}"
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, {versions}"
