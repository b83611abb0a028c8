"""Tests of what a game declares."""
