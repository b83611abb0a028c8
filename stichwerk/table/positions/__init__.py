"""Positions in which tables begin: read from texts, asked as exercises, set up by hand."""
