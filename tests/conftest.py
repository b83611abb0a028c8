"""Numba's cache for the tests: a folder of its own for each version of the sources.

Numba does not notice when a compiled function's callee changes in another file, and would go on testing the old rules.
"""

import hashlib
import os
import shutil
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sources = hashlib.sha256(b"".join(path.read_bytes() for path in sorted((ROOT / "envs").rglob("*.py")))).hexdigest()[:16]
cache = ROOT / ".pytest_cache" / "numba" / sources
for old in cache.parent.glob("*"):
    if old != cache and time.time() - old.stat().st_mtime > 24 * 60 * 60:  # younger ones may be in use by a run beside this one
        shutil.rmtree(old, ignore_errors=True)
os.environ.setdefault("NUMBA_CACHE_DIR", str(cache))
