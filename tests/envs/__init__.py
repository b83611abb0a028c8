"""Tests of the rules, the environments and what they stand on."""
