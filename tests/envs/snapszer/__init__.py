"""Tests of Snapszer."""
