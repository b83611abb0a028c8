"""Tests of cards, sets of cards and random numbers."""
