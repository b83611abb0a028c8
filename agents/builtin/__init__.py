"""Agents that come with the package: random play, rule-based players, and networks with shipped weights."""
