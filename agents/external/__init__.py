"""Agents that others wrote or trained: custom agents, and policies of other libraries."""
