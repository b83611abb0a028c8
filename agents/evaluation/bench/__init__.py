"""The frozen benchmark: its suites, the files of results, and their checks."""
