"""Tests of Gaigel."""
