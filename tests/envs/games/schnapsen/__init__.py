"""Tests of Schnapsen and Sixty-six."""
