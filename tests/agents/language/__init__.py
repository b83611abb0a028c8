"""Tests of `agents/language`."""
