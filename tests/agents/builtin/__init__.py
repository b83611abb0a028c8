"""Tests of rule-based players and shipped networks."""
