"""Deals in the notations of others, read and written; every deal is played again and checked."""
