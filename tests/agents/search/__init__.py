"""Tests of agents that search."""
