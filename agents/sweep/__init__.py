"""Hyperparameter sweeps: the space of a sweep, and its trials."""
