"""Tests of compiled code."""
