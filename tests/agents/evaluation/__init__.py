"""Tests of matches, reports and action statistics."""
