"""Tests of files, parsing, progress, charts and clusters."""
