"""Tests of the games, and of how they are found."""
