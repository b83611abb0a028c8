"""Tests of custom agents, of policies of other libraries, and of exports."""
