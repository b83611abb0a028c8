"""Compiled code: the decorator, its cache on disk, and what Numba alone does not offer."""
