"""Tests of policy networks."""
