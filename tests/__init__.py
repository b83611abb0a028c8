"""The test suite; run it with `pytest`."""
