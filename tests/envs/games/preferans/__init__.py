"""Tests of Balkan Preferans."""
