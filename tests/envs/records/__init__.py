"""Tests of records of deals."""
