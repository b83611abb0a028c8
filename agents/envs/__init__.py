"""Environments with opponents inside: one seat for Gymnasium, and self-play for training."""
