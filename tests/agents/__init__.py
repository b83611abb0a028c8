"""Tests of agents, training and evaluation."""
