"""Matches over duplicate deals, their reports, and what players do and give away."""
