"""Tests of equilibria of public states."""
