"""Tests of environments with opponents inside."""
